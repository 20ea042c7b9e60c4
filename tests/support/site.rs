//! A web site on loopback that a test scripts, with a log of every request.

use std::collections::HashMap;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri, header};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::PATIENCE;

/// What a client asks for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Host header: `127.0.0.1:4711`.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// How often this path of this host has been asked for, this time included.
    pub times: usize,
    /// The request's header.
    pub headers: HeaderMap,
    /// `GET` or `POST`.
    pub method: String,
    /// The request's body; bytes that are no text are replaced.
    pub body: String,
    /// Its bytes.
    pub bytes: Bytes,
}

/// What the site answers.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// A status without a body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A page.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::of_type("text/html; charset=utf-8", body)
    }

    /// Plain text, such as robots.txt.
    pub fn text(body: impl Into<Vec<u8>>) -> Self {
        Self::of_type("text/plain; charset=utf-8", body)
    }

    /// A sitemap.
    pub fn xml(body: impl Into<Vec<u8>>) -> Self {
        Self::of_type("application/xml", body)
    }

    /// A redirect with status 301.
    pub fn redirect(to: &str) -> Self {
        Self::status(301).with("location", to)
    }

    /// Status 200 and a body of this media type.
    pub fn of_type(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(200).with("content-type", media_type)
        }
    }

    /// Status 200 and a body whose media type no header declares.
    pub fn untyped(body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(200)
        }
    }

    /// Status 206: a part of a file, which needs the header field `content-range`.
    pub fn partial(body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(206)
        }
    }

    /// One more header field.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The same body with Content-Encoding gzip.
    pub fn gzipped(mut self) -> Self {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&self.body).unwrap();
        self.body = gzip.finish().unwrap();
        self.with("content-encoding", "gzip")
    }
}

/// A request in the log.
#[derive(Debug, Clone)]
pub struct Request {
    /// Host header.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// `GET` or `POST`.
    pub method: String,
    /// User-Agent header.
    pub user_agent: String,
    /// The whole header.
    pub headers: HeaderMap,
    /// When it had arrived.
    pub received: Instant,
    /// When the answer was ready to be sent, which the client must see later; `None` while there is none.
    pub answered: Option<Instant>,
}

type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A site that is being served until it is dropped.
pub struct Site {
    address: SocketAddr,
    served: Arc<Served>,
    runtime: Option<Runtime>,
}

struct Served {
    script: Box<Script>,
    log: Mutex<Vec<Request>>,
    logged: Condvar,
}

impl Site {
    /// Serves what `script` says. It runs on a thread of its own for each request and may wait there.
    pub fn scripted(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::listening(Ipv4Addr::LOCALHOST, script)
    }

    /// The same on every address of the machine: each of 127.0.0.0/8 is a host of its own.
    pub fn of_many_hosts(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::listening(Ipv4Addr::UNSPECIFIED, script)
    }

    /// The port that all its hosts have.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    fn listening(at: Ipv4Addr, script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind((at, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(Served {
            script: Box::new(script),
            log: Mutex::default(),
            logged: Condvar::new(),
        });
        let router = Router::new().fallback(answer).with_state(served.clone());
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            served,
            runtime: Some(runtime),
        }
    }

    /// Serves these pages by path; there is nothing else, not even a robots.txt.
    pub fn of<P: Into<String>>(pages: impl IntoIterator<Item = (P, Answer)>) -> Self {
        let pages: HashMap<String, Answer> = pages.into_iter().map(|(path, answer)| (path.into(), answer)).collect();
        Self::scripted(move |asked| pages.get(&asked.path).cloned().unwrap_or_else(|| Answer::status(404)))
    }

    /// The URL of a path, the host being 127.0.0.1.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The same by another name: to a crawler, another host.
    pub fn localhost_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.address.port())
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.served.log.lock().unwrap().clone()
    }

    /// Their paths.
    pub fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.path).collect()
    }

    /// Their paths, robots.txt left out, sorted.
    pub fn pages_asked(&self) -> Vec<String> {
        let mut paths = self.paths();
        paths.retain(|path| path != "/robots.txt");
        paths.sort();
        paths
    }

    /// How often each path has been asked for, robots.txt left out.
    pub fn times_asked(&self) -> HashMap<String, usize> {
        let mut times = HashMap::new();
        for path in self.pages_asked() {
            *times.entry(path).or_default() += 1;
        }
        times
    }

    /// Waits until `count` requests have arrived since the start.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) {
        let log = self.served.log.lock().unwrap();
        let (log, _) = self
            .served
            .logged
            .wait_timeout_while(log, PATIENCE, |log| log.len() < count)
            .unwrap();
        assert!(log.len() >= count, "only {} of {count} requests came", log.len());
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn answer(
    State(served): State<Arc<Served>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let field = |name| headers.get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    let (host, user_agent) = (field(header::HOST), field(header::USER_AGENT));
    let path = uri.path_and_query().unwrap().to_string();
    let (index, times) = served.received(&host, (&method, &path), user_agent, headers.clone());
    let asked = Asked {
        host,
        path,
        times,
        headers,
        method: method.to_string(),
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    };
    let script = served.clone();
    let answer = tokio::task::spawn_blocking(move || (script.script)(&asked))
        .await
        .unwrap();
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    served.log.lock().unwrap()[index].answered = Some(Instant::now());
    response.body(Body::from(answer.body)).unwrap()
}

impl Served {
    fn received(
        &self,
        host: &str,
        (method, path): (&Method, &str),
        user_agent: String,
        headers: HeaderMap,
    ) -> (usize, usize) {
        let mut log = self.log.lock().unwrap();
        let before = log
            .iter()
            .filter(|request| request.host == host && request.path == path)
            .count();
        log.push(Request {
            host: host.to_owned(),
            path: path.to_owned(),
            method: method.to_string(),
            user_agent,
            headers,
            received: Instant::now(),
            answered: None,
        });
        self.logged.notify_all();
        (log.len() - 1, before + 1)
    }
}
