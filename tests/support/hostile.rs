//! A server on loopback that writes what it is told, byte for byte, and at the pace that it is told.
//!
//! One request a connection. What it does beyond that is no accident of a library but in the test's script.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::gate::Gate;

/// What the server does next on a connection. After the last it closes the connection.
#[derive(Debug, Clone)]
pub enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes over and over until the client goes away.
    Repeat(Vec<u8>),
    /// Sends these bytes one at a time, then says nothing until the client goes away.
    Drip(Vec<u8>),
    /// Says nothing until the client goes away.
    Hold,
    /// Says nothing until the gate opens.
    Await(Arc<Gate>),
    /// Resets the connection.
    Reset,
}

/// Between two bytes of [`Act::Drip`].
const DRIP_EVERY: Duration = Duration::from_millis(20);

type Script = dyn Fn(&str) -> Vec<Act> + Send + Sync;

/// A server that runs until the test ends.
#[derive(Debug)]
pub struct Hostile {
    base: String,
    asked: Arc<Mutex<HashMap<String, usize>>>,
}

impl Hostile {
    /// Does what `script` says for the path and query that is asked for.
    pub fn serving(script: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(HashMap::new()));
        let (script, log): (Arc<Script>, _) = (Arc::new(script), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (script, log) = (script.clone(), log.clone());
                // A client that goes away is its own affair.
                std::thread::spawn(move || serve(stream, &*script, &log).ok());
            }
        });
        Self { base, asked }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Its port.
    pub fn port(&self) -> &str {
        self.base.rsplit(':').next().unwrap()
    }

    /// How often each path has been asked for.
    pub fn times_asked(&self) -> HashMap<String, usize> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &Script, log: &Mutex<HashMap<String, usize>>) -> std::io::Result<()> {
    // The first line alone, so that a reset is one: a socket closed with something unread in it resets the connection.
    let request = read_to(&mut stream, b"\r\n")?;
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    *log.lock().unwrap().entry(path.clone()).or_default() += 1;
    let acts = script(&path);
    if !acts.iter().any(|act| matches!(act, Act::Reset)) {
        read_to(&mut stream, b"\r\n\r\n")?;
    }
    for act in acts {
        match act {
            Act::Send(bytes) => stream.write_all(&bytes)?,
            Act::Repeat(bytes) => loop {
                stream.write_all(&bytes)?;
            },
            Act::Drip(bytes) => {
                stream.set_read_timeout(Some(DRIP_EVERY))?;
                for byte in bytes {
                    stream.write_all(&[byte])?;
                    if has_left(&mut stream) {
                        return Ok(());
                    }
                }
                stream.set_read_timeout(None)?;
                has_left(&mut stream);
            }
            Act::Hold => {
                has_left(&mut stream);
            }
            Act::Await(gate) => assert!(gate.pass(), "the gate never opened"),
            Act::Reset => return Ok(()),
        }
    }
    Ok(())
}

/// What comes up to and with `end`.
fn read_to(stream: &mut TcpStream, end: &[u8]) -> std::io::Result<String> {
    let mut read = Vec::new();
    while !read.ends_with(end) {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        read.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&read).into_owned())
}

/// Waits for the read time-out, if there is one, or for the end of the connection, which is what it tells.
fn has_left(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 64]) {
        Ok(length) => length == 0,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}
