//! A Redis server on loopback, in a folder of its own, killed when it is dropped.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::PATIENCE;

/// Attempts to find a port that nobody takes meanwhile.
const PORTS: usize = 20;

pub struct Redis {
    process: Child,
    port: u16,
    folder: TempDir,
    options: Vec<String>,
}

impl Redis {
    /// Starts a server with these options, beside those that say where it listens.
    pub fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        for _ in 0..PORTS {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if let Some(process) = run(port, &folder, &options) {
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

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again, with what it has saved.
    pub fn restart(&mut self) {
        self.process = run(self.port, &self.folder, &self.options).expect("the port is still free");
    }

    /// Sends a command of plain words, which must succeed.
    pub fn tell(&self, command: &str) {
        let mut server = TcpStream::connect(self.host()).unwrap();
        server.write_all(format!("{command}\r\n").as_bytes()).unwrap();
        let mut answer = [0; 256];
        let length = server.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..length]);
        assert!(!answer.starts_with('-'), "{command}: {answer}");
    }

    /// `host:port`
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // An error says that it has ended already.
        if self.process.kill().is_ok() {
            self.process.wait().unwrap();
        }
    }
}

/// The process, once it answers; `None` if it ended, because somebody else has the port.
fn run(port: u16, folder: &TempDir, options: &[String]) -> Option<Child> {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    command.args(options).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let started = command.spawn();
    let mut process = started.expect("redis-server is needed for this test: install the package redis-server");
    let deadline = Instant::now() + PATIENCE;
    loop {
        if process.try_wait().unwrap().is_some() {
            return None;
        }
        if ping(port).is_ok_and(|answer| !answer.starts_with("-LOADING")) {
            return Some(process);
        }
        assert!(Instant::now() < deadline, "redis-server does not answer");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The answer to a question that every server answers, also one that wants a password.
fn ping(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}
