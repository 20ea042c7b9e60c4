//! A request that the scripts of a page make: an errand of the frontier, so it passes the gate of its host.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::header::HeaderMap;
use tokio::sync::oneshot;
use url::Url;
use web::fetch::{FetchError, Response};

/// A request of a page. When the last clone is dropped without an answer, the page learns that there is none.
#[derive(Debug, Clone)]
pub(crate) struct Subrequest(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    url: Url,
    fields: HeaderMap,
    /// The host of the page.
    page_host: String,
    /// Whether the host of the URL is no host of the crawl.
    is_outside_scope: bool,
    answer: Mutex<Option<oneshot::Sender<Response>>>,
}

impl PartialEq for Subrequest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Subrequest {}

impl Subrequest {
    /// A request, and the receiver of its answer.
    pub fn new(
        url: Url,
        fields: HeaderMap,
        page_host: String,
        is_outside_scope: bool,
    ) -> (Self, oneshot::Receiver<Response>) {
        let (answer, answered) = oneshot::channel();
        let inner = Inner {
            url,
            fields,
            page_host,
            is_outside_scope,
            answer: Mutex::new(Some(answer)),
        };
        (Self(Arc::new(inner)), answered)
    }

    /// The URL to ask for.
    pub fn url(&self) -> &Url {
        &self.0.url
    }

    /// The header fields of the page's own choice.
    pub fn fields(&self) -> &HeaderMap {
        &self.0.fields
    }

    /// The host of the page.
    pub fn page_host(&self) -> &str {
        &self.0.page_host
    }

    /// Whether the host of the URL does not belong to the crawl.
    pub fn is_outside_scope(&self) -> bool {
        self.0.is_outside_scope
    }

    /// Whether the page still waits for the answer.
    pub fn is_awaited(&self) -> bool {
        self.sender().as_ref().is_some_and(|sender| !sender.is_closed())
    }

    /// Gives the page its answer.
    pub fn answer(&self, answer: Result<Response, FetchError>) {
        let sender = self.sender().take();
        let (Some(sender), Ok(response)) = (sender, answer) else {
            return;
        };
        if sender.send(response).is_err() {
            tracing::debug!(url = %self.url(), "the page has not waited for this request");
        }
    }

    fn sender(&self) -> MutexGuard<'_, Option<oneshot::Sender<Response>>> {
        self.0.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_learns_that_a_request_has_no_answer_when_nobody_holds_it_any_more() {
        let url = Url::parse("http://h/x").unwrap();
        let (subrequest, mut answered) = Subrequest::new(url, HeaderMap::new(), "h".into(), false);
        let other = subrequest.clone();
        assert!(subrequest.is_awaited());
        drop(subrequest);
        assert!(
            answered
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Empty)
        );
        drop(other);
        assert!(
            answered
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
        );
    }
}
