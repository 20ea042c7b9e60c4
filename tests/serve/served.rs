//! A running server, asked as a browser asks it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::support::PATIENCE;
use crate::support::crawl::Crawl;
use crate::support::process::{Running, crawler};

/// A running server with its address and token.
pub struct Served {
    pub process: Running,
    pub address: SocketAddr,
    pub token: String,
}

/// An answer.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Got {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub fn with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

impl Served {
    pub fn start(crawl: &Crawl) -> Self {
        let mut command = crawler([
            "serve",
            "--data",
            "data",
            "--config",
            "test.toml",
            "--listen",
            "127.0.0.1:0",
        ]);
        Self::by(command.current_dir(crawl.path("")))
    }

    /// Starts `crawler serve` by this command, which names a free port.
    pub fn by(command: &mut Command) -> Self {
        let process = Running::start(command);
        process.wait_for_stderr("/\n");
        let stderr = process.stderr();
        let url = stderr
            .lines()
            .find_map(|line| line.strip_prefix("crawler serve: http://"));
        let address = url.unwrap().trim_end_matches('/').parse().unwrap();
        let mut served = Self {
            process,
            address,
            token: String::new(),
        };
        let page = served.get("/").with(200).body;
        let (_, token) = page.split_once("name=\"crawler-token\" content=\"").unwrap();
        served.token = token.split_once('"').unwrap().0.to_owned();
        served
    }

    /// The answer to a request with these lines of the head.
    pub fn send(&self, first: &str, head: &[&str], body: &str) -> Got {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
        let request = format!(
            "{first} HTTP/1.1\r\n{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Got {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            // Where a URL may break is no part of its text.
            body: if head.contains("transfer-encoding: chunked") {
                dechunked(body)
            } else {
                body.to_owned()
            }
            .replace("<wbr>", ""),
        }
    }

    /// Asks again while the crawl is being read.
    pub fn get(&self, path: &str) -> Got {
        let start = Instant::now();
        loop {
            let got = self.send(&format!("GET {path}"), &[&format!("Host: {}", self.address)], "");
            if got.status != 503 && got.status != 202 {
                return got;
            }
            assert!(start.elapsed() < PATIENCE, "{got:?}");
        }
    }

    #[track_caller]
    pub fn json(&self, path: &str) -> Value {
        self.get(path).with(200).json()
    }

    /// A write as a page of the server sends it.
    pub fn post(&self, path: &str, body: &str) -> Got {
        let host = format!("Host: {}", self.address);
        let origin = format!("Origin: http://{}", self.address);
        let token = format!("X-Crawler-Token: {}", self.token);
        self.send(
            &format!("POST {path}"),
            &[&host, &origin, "Sec-Fetch-Site: same-origin", &token],
            body,
        )
    }

    /// Asks until `holds` accepts the answer.
    #[track_caller]
    pub fn wait_until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let answer = self.json(path);
            if holds(&answer) {
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "{path} never met the condition: {answer:#}");
        }
    }
}

/// The body that came in chunks (RFC 9112, section 7.1).
fn dechunked(mut chunks: &str) -> String {
    let mut body = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return body;
        }
        body.push_str(&rest[..length]);
        chunks = &rest[length + 2..];
    }
}

/// A URL as the value of a parameter.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
