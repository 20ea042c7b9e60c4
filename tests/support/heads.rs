//! A server that keeps the heads of all requests as they were sent, over TCP or TLS, at any loopback address.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The head of a request.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// The path and query; of a proxy's request, the URL.
    pub target: String,
    /// Names in lower case, and values.
    pub fields: Vec<(String, String)>,
}

impl Head {
    /// The value of the only field of this name; empty where there is none.
    #[track_caller]
    pub fn field(&self, name: &str) -> &str {
        let mut values = self.fields.iter().filter(|(known, _)| known == name);
        let value = values.next().map_or("", |(_, value)| value);
        assert!(values.next().is_none(), "two fields {name}: {self:?}");
        value
    }

    /// Reads one; `None` where the client has gone.
    pub fn read(stream: impl Read) -> Option<Self> {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let first = lines.next()?;
        let mut head = Self {
            target: first.split(' ').nth(1)?.to_owned(),
            fields: Vec::new(),
        };
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            head.fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Some(head)
    }
}

/// See the module's text. It serves one connection after the other, one request each.
#[derive(Debug)]
pub struct HeadServer {
    address: SocketAddr,
    scheme: &'static str,
    heads: Arc<Mutex<Vec<Head>>>,
}

impl HeadServer {
    /// Serves HTTP at a loopback address.
    pub fn at(address: IpAddr, answer: impl Fn(&Head) -> String + Send + 'static) -> Self {
        Self::start(TcpListener::bind((address, 0)).unwrap(), None, answer)
    }

    /// Serves HTTPS at 127.0.0.1.
    pub fn tls(config: Arc<ServerConfig>, answer: impl Fn(&Head) -> String + Send + 'static) -> Self {
        Self::start(TcpListener::bind("127.0.0.1:0").unwrap(), Some(config), answer)
    }

    fn start(
        listener: TcpListener,
        tls: Option<Arc<ServerConfig>>,
        answer: impl Fn(&Head) -> String + Send + 'static,
    ) -> Self {
        let server = Self {
            address: listener.local_addr().unwrap(),
            scheme: if tls.is_some() { "https" } else { "http" },
            heads: Arc::default(),
        };
        let heads = server.heads.clone();
        let answer = move |stream: &mut dyn ReadWrite| {
            // A client that goes away, or does not like the certificate, is its own affair.
            if let Some(head) = Head::read(&mut *stream) {
                heads.lock().unwrap().push(head.clone());
                stream.write_all(answer(&head).as_bytes()).ok();
                stream.flush().ok();
            }
        };
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                match &tls {
                    None => answer(&mut stream),
                    Some(config) => {
                        let connection = ServerConnection::new(config.clone()).unwrap();
                        let mut stream = StreamOwned::new(connection, stream);
                        answer(&mut stream);
                        stream.conn.send_close_notify();
                        stream.flush().ok();
                    }
                }
            }
        });
        server
    }

    /// The URL of a path, by the server's address.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The URL of a path by the name `localhost`.
    pub fn localhost_url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        self.url("")
    }

    /// Every request so far.
    pub fn heads(&self) -> Vec<Head> {
        self.heads.lock().unwrap().clone()
    }

    /// The requests for this target.
    pub fn heads_of(&self, target: &str) -> Vec<Head> {
        let heads = self.heads().into_iter();
        heads.filter(|head| head.target == target).collect()
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

/// A page as an answer.
pub fn page(html: &str) -> String {
    answer("200 OK", "Content-Type: text/html\r\n", html)
}

/// A redirect.
pub fn redirect(to: &str) -> String {
    answer("302 Found", &format!("Location: {to}\r\n"), "")
}

/// Any answer; `fields` end with line ends.
pub fn answer(status: &str, fields: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{fields}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}
