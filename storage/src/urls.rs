//! Reads the states of URLs: single ones, all of them, the failed ones.

use crate::catalogue::read_page;
use crate::error::StorageError;
use crate::format::{self, UrlRow};
use crate::frontier::{QueuedUrl, Via};
use crate::page::PageRecord;
use crate::queue::Queue;
use crate::state::{Rows, State};
use crate::store::Store;
use crate::url_state::{Failure, UrlState};

/// The row's name in the error for a damaged state.
const URL_STATE: &str = "a URL's state";

/// First byte of the row of a [`UrlState::Failed`].
const FAILED: u8 = 3;

impl Store {
    /// The committed state of a URL; `None` if the store does not know it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn url_state(&self, host: &str, url: &str) -> Result<Option<UrlState>, StorageError> {
        match self.id_of(host, url)?.filter(|id| *id < self.committed.next_seq) {
            None => Ok(None),
            Some(id) => match self.state.get(format::url_key(id))? {
                None => Ok(Some(UrlState::Queued)),
                Some(row) => Ok(Some(self.state.decode::<UrlRow>(URL_STATE, &row)?.state)),
            },
        }
    }

    /// The number of a URL, committed or staged.
    pub(crate) fn id_of(&self, host: &str, url: &str) -> Result<Option<u64>, StorageError> {
        self.known.id_of(&self.state, self.known.hash_of(host, url))
    }

    /// The committed page of this URL, with its sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page_by_url(&self, host: &str, url: &str) -> Result<Option<(u64, PageRecord)>, StorageError> {
        match self.url_state(host, url)? {
            Some(UrlState::Page(sequence)) => Ok(self.page(sequence)?.map(|page| (sequence, page))),
            _ => Ok(None),
        }
    }

    /// Iterates over all committed URLs: first the finished ones in the order of discovery, then the [`queue`](Self::queue).
    pub fn urls(&self) -> Urls {
        Urls {
            finished: self.finished(false),
            state: self.state.clone(),
            queue: self.queue(),
        }
    }

    fn finished(&self, failed_only: bool) -> FinishedUrls {
        FinishedUrls {
            rows: self.state.scan([format::URLS]),
            failed_only,
        }
    }

    /// Iterates over all committed URLs that failed, in the order of discovery. Reads the rows of all finished URLs.
    pub fn failures(&self) -> Failures {
        Failures {
            urls: self.finished(true),
            state: self.state.clone(),
        }
    }
}

/// A URL that the store knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownUrl {
    /// The key of its host.
    pub host: String,
    /// The URL.
    pub url: String,
    /// Its state.
    pub state: UrlState,
}

/// Iterates over all URLs.
pub struct Urls {
    finished: FinishedUrls,
    state: State,
    queue: Queue,
}

impl Urls {
    fn known(&self, row: UrlRow) -> Result<KnownUrl, StorageError> {
        let state = row.state;
        let (host, url) = match (&state, row.url) {
            (UrlState::Page(sequence), _) => {
                let page = read_page(&self.state, *sequence)?;
                let page = page.ok_or_else(|| self.state.corrupt("the page that a URL names"))?;
                (page.host, page.url)
            }
            (_, Some((host, packed))) => {
                let url = format::unpack_url(&host, &packed).ok_or_else(|| self.state.corrupt(URL_STATE))?;
                (host, url)
            }
            (_, None) => return Err(self.state.corrupt(URL_STATE)),
        };
        Ok(KnownUrl { host, url, state })
    }
}

impl Iterator for Urls {
    type Item = Result<KnownUrl, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.finished.next() {
            return Some(row.and_then(|row| self.known(row)));
        }
        loop {
            return Some(match self.queue.next()? {
                // The finished URLs include pages that are queued for a visit.
                Ok(queued) if queued.revisits.is_some() => continue,
                Ok(QueuedUrl { host, url, .. }) => Ok(KnownUrl {
                    host,
                    url,
                    state: UrlState::Queued,
                }),
                Err(error) => Err(error),
            });
        }
    }
}

/// Iterates over the rows of finished URLs.
struct FinishedUrls {
    rows: Rows,
    failed_only: bool,
}

impl Iterator for FinishedUrls {
    type Item = Result<UrlRow, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return Some(match self.rows.next()? {
                Ok((_, value)) if self.failed_only && value.first() != Some(&FAILED) => continue,
                Ok((_, value)) => self.rows.decode(URL_STATE, &value),
                Err(error) => Err(error),
            });
        }
    }
}

/// A URL that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedUrl {
    /// The key of its host.
    pub host: String,
    /// The URL.
    pub url: String,
    /// Why it failed.
    pub failure: Failure,
    /// The URL of what links to it; `None` for a seed.
    pub via: Option<String>,
}

/// Iterates over URLs that failed, in the order of discovery.
pub struct Failures {
    urls: FinishedUrls,
    state: State,
}

impl Failures {
    fn url_of(&self, via: &Via) -> Result<Option<String>, StorageError> {
        match via {
            Via::Page(sequence) => Ok(read_page(&self.state, *sequence)?.map(|page| page.url)),
            Via::Url(url) => Ok(Some(url.to_string())),
        }
    }
}

impl Iterator for Failures {
    type Item = Result<FailedUrl, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.urls.next()? {
                Ok(UrlRow {
                    state: UrlState::Failed(failure),
                    url: Some((host, packed)),
                }) => {
                    let Some(url) = format::unpack_url(&host, &packed) else {
                        return Some(Err(self.state.corrupt(URL_STATE)));
                    };
                    let via = failure.via.as_ref().map_or(Ok(None), |via| self.url_of(via));
                    return Some(via.map(|via| FailedUrl {
                        host,
                        url,
                        failure,
                        via,
                    }));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
