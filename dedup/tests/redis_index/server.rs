//! A Redis server of a test, on loopback, in a folder of its own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use dedup::RedisAddress;
use tempfile::TempDir;

/// Attempts to find a port that nobody takes meanwhile.
const PORTS: usize = 20;

pub struct Server {
    process: Child,
    pub port: u16,
    folder: TempDir,
    options: Vec<String>,
}

impl Server {
    /// Starts a server that keeps its data in memory.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with further options.
    pub fn start_with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        for _ in 0..PORTS {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if let Some(process) = run(port, folder.path(), &options) {
                return Self {
                    process,
                    port,
                    folder,
                    options,
                };
            }
        }
        panic!("no free port for redis-server");
    }

    /// Kills the server. Its connections break, and new ones are refused.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts the server again, with what it has saved.
    pub fn restart(&mut self) {
        self.process = run(self.port, self.folder.path(), &self.options).expect("the port is still free");
    }

    pub fn url(&self, name: &str) -> String {
        format!("redis://127.0.0.1:{}/0?name={name}", self.port)
    }

    pub fn address(&self, name: &str) -> RedisAddress {
        self.url(name).parse().unwrap()
    }

    pub fn connection(&self) -> redis::Connection {
        let client = redis::Client::open(("127.0.0.1", self.port)).unwrap();
        client.get_connection().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// The process, once it listens; `None` if it ended, because somebody else has the port.
fn run(port: u16, folder: &Path, options: &[String]) -> Option<Child> {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    command
        .args(options)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stdin(Stdio::null());
    let mut process = command
        .spawn()
        .expect("redis-server is needed for this test: install the package redis-server");
    loop {
        if process.try_wait().unwrap().is_some() {
            return None;
        }
        // Not before it has loaded what it has saved.
        if asked(port).is_ok_and(|answer| !answer.starts_with("-LOADING")) {
            return Some(process);
        }
        sleep(Duration::from_millis(5));
    }
}

/// The answer to a question that every server answers.
fn asked(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}
