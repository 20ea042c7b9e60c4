//! Answers the requests of a page: from the cache, or by an errand of the frontier.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use browser::{Kind, Request, Resource, Resources, Unanswered};
use bytes::Bytes;
use reqwest::header::{HeaderName, HeaderValue};
use tokio::sync::{OnceCell, mpsc};
use url::Url;
use web::fetch::content_encoding;
use web::host_key::HostKey;

use super::subrequest::Subrequest;
use crate::messages::Event;
use crate::scope::Scope;

/// How long a page waits for the turn of a request. A host that rests for longer gives no answer.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Bound on the bodies in the cache, in bytes.
const MAX_CACHED_BYTES: usize = 32 * 1024 * 1024;

/// Answers the requests of one page.
#[derive(Debug)]
pub(super) struct PageResources {
    pub events: mpsc::Sender<Event>,
    pub cache: Arc<Cache>,
    pub page_host: String,
    pub scope: Arc<Scope>,
    /// Bound on the body of an answer without its Content-Encoding, in bytes.
    pub max_body_bytes: usize,
}

impl Resources for PageResources {
    async fn get(&self, request: Request) -> Result<Resource, Unanswered> {
        if request.kind == Kind::Data {
            return self.ask(&request).await;
        }
        let cell = self.cache.cell(&request.url);
        let mut is_cached = true;
        let resource = cell
            .get_or_init(async || {
                is_cached = false;
                self.ask(&request).await
            })
            .await;
        if !is_cached {
            let bytes = resource.as_ref().ok().filter(|resource| resource.status == 200);
            self.cache
                .filled(&request.url, bytes.map(|resource| resource.body.len()));
        }
        let mut resource = resource.clone()?;
        if is_cached {
            (resource.is_cached, resource.waited) = (true, Duration::ZERO);
        }
        Ok(resource)
    }
}

impl PageResources {
    async fn ask(&self, request: &Request) -> Result<Resource, Unanswered> {
        let fields = request.headers.iter().filter_map(|(name, value)| {
            let name = HeaderName::try_from(name).ok()?;
            Some((name, HeaderValue::try_from(value).ok()?))
        });
        let host = HostKey::from_url(&request.url).ok_or(Unanswered::Never)?;
        let is_outside_scope = self.scope.admits(&host, 0).is_err();
        let (url, page_host) = (request.url.clone(), self.page_host.clone());
        let (subrequest, answer) = Subrequest::new(url, fields.collect(), page_host, is_outside_scope);
        let began = Instant::now();
        self.events.send(Event::Asks(subrequest)).await.map_err(never)?;
        let mut response = tokio::time::timeout(MAX_WAIT, answer)
            .await
            .map_err(|_elapsed| Unanswered::NoTurn)?
            .map_err(never)?;
        let waited = began.elapsed().saturating_sub(response.elapsed);
        let coding = content_encoding::named_in(&response.headers);
        let packed = response.body.take().unwrap_or_default();
        let limit = self.max_body_bytes;
        let unpack = move || content_encoding::decode(packed, coding.as_deref(), limit);
        let body: Bytes = tokio::task::spawn_blocking(unpack)
            .await
            .map_err(never)?
            .map_err(never)?;
        let headers = response.headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        Ok(Resource {
            status: response.status,
            headers: headers.collect(),
            body,
            waited,
            is_cached: false,
        })
    }
}

fn never<E>(_error: E) -> Unanswered {
    Unanswered::Never
}

/// The scripts and style sheets that pages have asked for. Two pages that ask for one at a time share a request. The cache keeps a file for the
/// run, whatever its header says: a site that changes its scripts during a crawl also changes their names.
#[derive(Debug, Default)]
pub(super) struct Cache {
    files: Mutex<Files>,
}

/// Without an answer if the file could not be fetched.
type Cell = Arc<OnceCell<Result<Resource, Unanswered>>>;

#[derive(Debug, Default)]
struct Files {
    cells: HashMap<Url, Cell>,
    bytes: usize,
}

impl Cache {
    fn cell(&self, url: &Url) -> Cell {
        self.files().cells.entry(url.clone()).or_default().clone()
    }

    /// Notes that the file was fetched, with so many bytes; `None` if it was not, so that the next page asks again.
    fn filled(&self, url: &Url, bytes: Option<usize>) {
        let mut files = self.files();
        match bytes {
            Some(bytes) if files.bytes + bytes <= MAX_CACHED_BYTES => files.bytes += bytes,
            Some(_) => {
                // The cache begins anew. Pages that use a file still hold it.
                files.cells.clear();
                files.bytes = 0;
            }
            None => {
                files.cells.remove(url);
            }
        }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_not_fetched_is_asked_for_again_and_a_full_cache_begins_anew() {
        let cache = Cache::default();
        let urls: Vec<Url> = (0..3).map(|n| Url::parse(&format!("http://h/{n}")).unwrap()).collect();
        let is_kept = |url: &Url| {
            let cell = cache.files().cells.get(url).cloned();
            cell.is_some()
        };
        cache.cell(&urls[0]);
        cache.filled(&urls[0], None);
        assert!(!is_kept(&urls[0]));
        for url in &urls[1..] {
            cache.cell(url);
            cache.filled(url, Some(MAX_CACHED_BYTES / 2));
        }
        assert!(is_kept(&urls[1]) && is_kept(&urls[2]));
        cache.cell(&urls[0]);
        cache.filled(&urls[0], Some(1));
        assert!(!is_kept(&urls[1]) && !is_kept(&urls[0]));
    }
}
