//! The site over HTTP on loopback, with a log of every request.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri, header};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use url::Url;

use super::site::{ROBOTS, SITEMAP, Site};

/// A request that the server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Path and query as in the request.
    pub path_and_query: String,
    /// When it arrived.
    pub received: Instant,
    /// Value of its User-Agent header; empty without the header.
    pub user_agent: String,
    /// Status of the answer.
    pub status: u16,
}

/// Every request since the start, in order of arrival.
#[derive(Debug, Default)]
pub struct RequestLog {
    requests: Mutex<Vec<Request>>,
}

impl RequestLog {
    /// A copy of the log so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, request: Request) {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
    }
}

/// A running server of the site. Dropping it ends the server without waiting.
#[derive(Debug)]
pub struct Running {
    /// The URL of the home page: the seed.
    pub base_url: Url,
    /// The requests so far.
    pub request_log: Arc<RequestLog>,
    /// Its drop ends the server.
    shutdown: oneshot::Sender<()>,
    /// Ends when open requests are answered.
    server: JoinHandle<io::Result<()>>,
}

impl Running {
    /// Accepts no more requests, answers the open ones and ends.
    ///
    /// # Errors
    /// The server failed.
    pub async fn stop(self) -> io::Result<()> {
        drop(self.shutdown);
        self.server.await.map_err(io::Error::other)?
    }
}

/// The state of the handler.
struct Served {
    site: Site,
    base_url: Url,
    request_log: Arc<RequestLog>,
}

/// Serves the site on a free port of 127.0.0.1, on the current tokio runtime.
///
/// # Errors
/// The system refuses a port.
pub async fn serve() -> io::Result<Running> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let base_url = Url::parse(&format!("http://{}/", listener.local_addr()?)).map_err(io::Error::other)?;
    let request_log = Arc::new(RequestLog::default());
    let served = Served {
        site: Site::new(),
        base_url: base_url.clone(),
        request_log: Arc::clone(&request_log),
    };
    let router = Router::new().fallback(answer).with_state(Arc::new(served));
    let (shutdown, shut) = oneshot::channel::<()>();
    let server = tokio::spawn(async move {
        let ended = async {
            // The drop of the sender is the signal; it never sends a value.
            let _dropped = shut.await;
        };
        axum::serve(listener, router).with_graceful_shutdown(ended).await
    });
    Ok(Running {
        base_url,
        request_log,
        shutdown,
        server,
    })
}

async fn answer(State(served): State<Arc<Served>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let received = Instant::now();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let response = response(&served.site, &served.base_url, path);
    let user_agent = headers
        .get(header::USER_AGENT)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    served.request_log.push(Request {
        path_and_query: path.to_owned(),
        received,
        user_agent: user_agent.unwrap_or_default(),
        status: response.status().as_u16(),
    });
    response
}

fn response(site: &Site, base_url: &Url, path: &str) -> Response<Body> {
    match path {
        ROBOTS => plain(
            200,
            "text/plain; charset=utf-8",
            Site::robots_txt(base_url).into_bytes(),
        ),
        SITEMAP => plain(200, "application/xml", site.sitemap_xml(base_url).into_bytes()),
        _ => match site.page(path) {
            Some(page) => {
                let mut response = plain(page.status, page.content_type, page.body.clone());
                if let Some(location) = page.location.as_deref() {
                    set(&mut response, header::LOCATION, location);
                }
                response
            }
            None => match Site::asset(path) {
                Some((content_type, body)) => plain(200, content_type, body.into_bytes()),
                None => plain(404, "text/plain", b"There is nothing at this address.\n".to_vec()),
            },
        },
    }
}

fn plain(status: u16, content_type: &str, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    set(&mut response, header::CONTENT_TYPE, content_type);
    response
}

/// Sets a header. An invalid value is left out, which the tests of the truth would show.
fn set(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// Status line, head and body of the answer to a GET.
    async fn get(base: &Url, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", base.port().expect("a port")))
            .await
            .expect("connected");
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: test/1\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut raw = Vec::new();
        stream.read_to_end(&mut raw).await.expect("received");
        let end = raw
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("there is a head")
            + 4;
        (String::from_utf8_lossy(&raw[..end]).into_owned(), raw[end..].to_vec())
    }

    #[tokio::test]
    async fn every_page_is_served_as_the_site_says() {
        let running = serve().await.expect("served");
        let site = Site::new();
        for page in site.pages() {
            let (head, body) = get(&running.base_url, &page.path).await;
            assert!(
                head.starts_with(&format!("HTTP/1.1 {} ", page.status)),
                "{}: {head}",
                page.path
            );
            assert!(
                head.contains(&format!("content-type: {}\r\n", page.content_type)),
                "{}: {head}",
                page.path
            );
            let location = page
                .location
                .as_ref()
                .is_none_or(|to| head.contains(&format!("location: {to}\r\n")));
            assert!(location && body == page.body, "{}", page.path);
        }
        let asked: Vec<String> = running
            .request_log
            .requests()
            .into_iter()
            .map(|r| r.path_and_query)
            .collect();
        assert_eq!(
            asked,
            site.pages().iter().map(|page| page.path.clone()).collect::<Vec<_>>()
        );
        running.stop().await.expect("stopped");
    }

    #[tokio::test]
    async fn the_log_has_order_agent_and_status() {
        let running = serve().await.expect("served");
        for path in ["/robots.txt", "/calendar/1999/12", "/nowhere", "/sitemap.xml"] {
            get(&running.base_url, path).await;
        }
        let log = running.request_log.requests();
        let short: Vec<_> = log
            .iter()
            .map(|r| (r.path_and_query.as_str(), r.status, r.user_agent.as_str()))
            .collect();
        assert_eq!(
            short,
            [
                ("/robots.txt", 200, "test/1"),
                ("/calendar/1999/12", 200, "test/1"),
                ("/nowhere", 404, "test/1"),
                ("/sitemap.xml", 200, "test/1"),
            ]
        );
        assert!(log.windows(2).all(|two| two[0].received <= two[1].received));
        running.stop().await.expect("stopped");
    }
}
