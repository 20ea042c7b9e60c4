//! Sends a request again if its connection turns out to be closed.
//!
//! A server may close a connection that waits for the next request at any time, also while that request is on its way (RFC 9112, section
//! 9.5). This is no fault of the server, so the request is sent again, once and at once, over a new connection, as browsers do. The HTTP
//! library does this only for a request of which it has written no byte.
//!
//! Only a request that changes nothing is sent again (RFC 9110, section 9.2.2), and only if its connection had served another one before: a
//! server that ends a new connection without an answer has failed.

use std::cell::Cell;

use reqwest::header::{CONNECTION, RETRY_AFTER};
use reqwest::{ClientBuilder, Request, Response};
use tower::util::MapRequestLayer;

use super::FetchError;
use super::clients::Lent;

tokio::task_local! {
    /// Whether the request of this task has begun to open a connection.
    static OPENS_CONNECTION: Cell<bool>;
}

/// Makes the client tell [`send`] of each connection that it opens. A client opens a connection in the task of the request that needs it.
pub(super) fn observe_connections(builder: ClientBuilder) -> ClientBuilder {
    builder.connector_layer(MapRequestLayer::new(note_connection))
}

fn note_connection<T>(target: T) -> T {
    // The value is missing only outside `send`.
    let _outside = OPENS_CONNECTION.try_with(|opens| opens.set(true));
    target
}

/// Sends the request over the client; `note_repeat` is called before it is sent again.
pub(super) async fn send(lent: &Lent, request: Request, note_repeat: impl FnOnce()) -> Result<Response, FetchError> {
    let again = request.method().is_safe().then(|| request.try_clone()).flatten();
    let (first, is_reused) = OPENS_CONNECTION
        .scope(Cell::new(false), async {
            let answer = lent.client.execute(request).await;
            (answer, !OPENS_CONNECTION.with(Cell::get))
        })
        .await;
    let named = |sent: reqwest::Result<Response>| sent.map_err(|error| FetchError::from_reqwest(&error));
    let first = named(first);
    if !is_reused {
        return first;
    }
    if !is_closed(&first) {
        lent.served_again();
        return first;
    }
    lent.found_closed();
    let Some(again) = again else {
        return first;
    };
    tracing::debug!(url = %again.url(), "the connection was closed, the request is sent again");
    note_repeat();
    named(lent.unpooled()?.execute(again).await)
}

/// Whether the server had closed the connection before it read the request. Some servers say so with status 408, without a wish for a rest.
fn is_closed(answer: &Result<Response, FetchError>) -> bool {
    match answer {
        Ok(response) => {
            let mut fields = response.headers().get_all(CONNECTION).iter();
            response.status().as_u16() == 408
                && !response.headers().contains_key(RETRY_AFTER)
                && fields.any(|field| {
                    field
                        .as_bytes()
                        .to_ascii_lowercase()
                        .windows(5)
                        .any(|part| part == b"close")
                })
        }
        Err(error) => matches!(error, FetchError::Interrupted(_)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
    use std::sync::{Arc, Mutex};

    use url::Url;

    use super::super::route::tests::settings;
    use super::super::{Fetcher, Wanted};
    use crate::memory_budget::MemoryBudget;

    const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage";
    const TIMED_OUT: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

    /// The connection and the place on it of each request, both counted from 1.
    type Requests = Arc<Mutex<Vec<(usize, usize)>>>;

    /// A server that answers the request at this place on its connection with these bytes, and closes the connection after the last.
    fn server(answers: &'static [&'static [u8]]) -> (Url, Requests) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let requests = Requests::default();
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for (before, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(&stream, before + 1, answers, &seen));
            }
        });
        (url, requests)
    }

    fn serve(stream: &TcpStream, connection: usize, answers: &[&[u8]], seen: &Requests) {
        let mut reader = BufReader::new(stream);
        let mut writer = stream;
        for (before, answer) in answers.iter().enumerate() {
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                if !reader.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                    return;
                }
            }
            seen.lock().unwrap().push((connection, before + 1));
            if writer.write_all(answer).is_err() {
                return;
            }
        }
        let _closed = stream.shutdown(Shutdown::Write);
        let _rest = reader.read_to_end(&mut Vec::new());
    }

    /// The status of each answer, or the kind of its failure; and how often a request was sent again.
    async fn ask(url: &Url, times: usize) -> (Vec<Result<u16, &'static str>>, u64) {
        let fetcher = Fetcher::new(&settings(true), MemoryBudget::new(1 << 20)).unwrap();
        let mut answers = Vec::new();
        for _ in 0..times {
            let answer = fetcher.get(url, Wanted::Resource).await;
            answers.push(answer.map(|response| response.status).map_err(|error| error.kind()));
        }
        (answers, fetcher.take_repeats())
    }

    #[tokio::test]
    async fn a_request_on_a_connection_that_the_server_closes_is_sent_again() {
        for answers in [&[PAGE, b""] as &[&[u8]], &[PAGE, TIMED_OUT]] {
            let (url, requests) = server(answers);
            assert_eq!(ask(&url, 2).await, (vec![Ok(200); 2], 1));
            assert_eq!(*requests.lock().unwrap(), [(1, 1), (1, 2), (2, 1)]);
        }
    }

    #[tokio::test]
    async fn a_server_that_closes_each_used_connection_soon_gets_new_ones_only() {
        let (url, requests) = server(&[PAGE, b""]);
        assert_eq!(ask(&url, 12).await, (vec![Ok(200); 12], 3));
        assert!(
            requests
                .lock()
                .unwrap()
                .iter()
                .rev()
                .take(6)
                .all(|(_, place)| *place == 1)
        );
    }

    #[tokio::test]
    async fn a_server_that_ends_a_new_connection_without_an_answer_has_failed() {
        let (url, requests) = server(&[b""]);
        assert_eq!(ask(&url, 1).await, (vec![Err("interrupted")], 0));
        assert_eq!(requests.lock().unwrap().len(), 1);
        let (url, requests) = server(&[TIMED_OUT]);
        assert_eq!(ask(&url, 1).await, (vec![Ok(408)], 0));
        assert_eq!(requests.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn an_answer_that_has_begun_is_not_asked_for_again() {
        let (url, requests) = server(&[PAGE, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"]);
        assert_eq!(ask(&url, 2).await, (vec![Ok(200), Err("interrupted")], 0));
        assert_eq!(requests.lock().unwrap().len(), 2);
    }
}
