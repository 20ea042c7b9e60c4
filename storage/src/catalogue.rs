//! Reading what is committed. Every iterator owns what it reads from, and answers row by row.

use crate::chunk;
use crate::counts::Counts;
use crate::error::StorageError;
use crate::format::{self, UrlRow};
use crate::frontier::{QueuedUrl, Via};
use crate::outcome::{Failure, UrlState};
use crate::page::{Fate, PageRecord, WarcLocation};
use crate::state::{Rows, State};
use crate::store::Store;
use crate::warc::Record;
use crate::warc::reader::{DEFAULT_MAX_RECORD_BYTES, decode_member};
use crate::warc::text_delta;

/// A row's name where it cannot be read.
const URL_STATE: &str = "a URL's state";

/// Pages by whose texts a text goes, one by the other: each time that all pages are decided anew may add one.
const MAX_TEXT_STEPS: u32 = 64;

/// First byte of the row of a [`UrlState::Failed`].
const FAILED: u8 = 3;

impl Store {
    /// The committed page of this sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        read_page(&self.state, sequence)
    }

    /// The page of this sequence number as it is with all that is staged.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn latest_page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        match self.staged.page(sequence) {
            Some(row) => Ok(Some(self.state.decode("a page's record", row)?)),
            None => read_page(&self.state, sequence),
        }
    }

    /// The page that stands for a page: itself where it says something new, else the page that it is a duplicate of, or that has
    /// taken that one's place; with all that is staged. It may be a version of the past, or gone. `None` if there is no such page.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn representative_of(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        Ok(self.follow(sequence, false)?.map(|(id, _)| id))
    }

    /// The kept page that says what a page says: its [representative](Self::representative_of), if that is still kept.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn said_by(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, false)?;
        Ok(found.filter(|(_, page)| page.is_kept()).map(|(id, _)| id))
    }

    /// The kept page of the cluster that a page belongs to: its [representative](Self::representative_of), or the newer version
    /// of that one which is kept now and may say something else. `None` if none is kept any more.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn kept_of(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, true)?;
        Ok(found.filter(|(_, page)| page.is_kept()).map(|(id, _)| id))
    }

    /// Goes on from a page to the one that stands for it, and from there, if wished, to newer versions. A newer version, and a page
    /// that takes another's place, is always the later one, so this ends.
    fn follow(&self, sequence: u64, to_newer: bool) -> Result<Option<(u64, PageRecord)>, StorageError> {
        let (mut at, mut is_first_step) = (sequence, true);
        while let Some(page) = self.latest_page(at)? {
            let next = match (page.verdict.of(), page.fate) {
                (Some(of), _) if of > at || is_first_step => of,
                (Some(_), _) => return Ok(None),
                (None, Fate::Superseded { by }) if to_newer && by > at => by,
                (None, _) => return Ok(Some((at, page))),
            };
            (at, is_first_step) = (next, false);
        }
        Ok(None)
    }

    /// The committed pages from the sequence number `from` on, in order.
    pub fn pages_from(&self, from: u64) -> Pages {
        Pages {
            rows: self.state.scan_from(&format::page_key(from)),
        }
    }

    /// What is committed of a URL; `None` if it is not known.
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

    /// The number of a URL, staged ones included.
    pub(crate) fn id_of(&self, host: &str, url: &str) -> Result<Option<u64>, StorageError> {
        self.known.id_of(&self.state, self.known.hash_of(host, url))
    }

    /// The committed page that was fetched by this URL, with its sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page_by_url(&self, host: &str, url: &str) -> Result<Option<(u64, PageRecord)>, StorageError> {
        match self.url_state(host, url)? {
            Some(UrlState::Page(sequence)) => Ok(self.page(sequence)?.map(|page| (sequence, page))),
            _ => Ok(None),
        }
    }

    /// All committed URLs: first what is finished, in the order of discovery, then the [`queue`](Self::queue).
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

    /// All committed URLs that failed, in the order of discovery. Passes over all URLs that are finished.
    pub fn failures(&self) -> Failures {
        Failures {
            urls: self.finished(true),
            state: self.state.clone(),
        }
    }

    /// All committed URLs that wait, by host, then in the order they are handed out.
    pub fn queue(&self) -> Queue {
        Queue {
            rows: self.state.scan([format::QUEUE]),
            state: self.state.clone(),
            chunk: Vec::new().into_iter(),
        }
    }

    /// All hosts and their committed counts.
    pub fn hosts(&self) -> Hosts {
        Hosts {
            rows: self.state.scan([format::HOSTS]),
            queued_only: false,
        }
    }

    /// The hosts that have something in the queue, and their committed counts.
    pub fn hosts_with_queue(&self) -> Hosts {
        Hosts {
            queued_only: true,
            ..self.hosts()
        }
    }

    /// The extracted text of a page, kept or not, with all that is staged. `None` where it was not archived: of duplicates
    /// that were decided before their texts were.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the archive cannot be read, [`StorageError::ArchiveDamaged`] if the record is not whole or
    /// its digest does not match, of a duplicate also where that is so of the page that its text is kept beside.
    pub fn text_of(&self, page: &PageRecord) -> Result<Option<String>, StorageError> {
        self.text_before(page, u64::MAX, MAX_TEXT_STEPS)
    }

    /// The text of a page whose number is less than `before`, for a text goes by that of a page that was decided earlier, over so many
    /// steps at most.
    fn text_before(&self, page: &PageRecord, before: u64, steps: u32) -> Result<Option<String>, StorageError> {
        let Some(location) = page.text else { return Ok(None) };
        let record = self.archived(location)?;
        let damaged = |reason| self.damaged(location, reason);
        let Some(base) = text_delta::base_of(&record) else {
            let text = String::from_utf8(record.block);
            return text.map(Some).map_err(|_| damaged("the text is not UTF-8".to_owned()));
        };
        let base = base.map_err(damaged)?;
        let earlier = self.latest_page(base)?.filter(|_| base < before);
        let kept = match (earlier, steps.checked_sub(1)) {
            (Some(page), Some(steps)) => self.text_before(&page, base, steps)?,
            _ => None,
        };
        match kept {
            Some(kept) => text_delta::apply(&kept, &record.block).map(Some).map_err(damaged),
            None => Err(damaged(format!(
                "it goes by the text of page {base}, which is not there"
            ))),
        }
    }

    /// The decoded body of a committed page; `None` for a page that was not archived.
    ///
    /// # Errors
    /// As [`text_of`](Self::text_of).
    pub fn body_of(&self, page: &PageRecord) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(location) = page.response else { return Ok(None) };
        let record = self.archived(location)?;
        match record.http_payload() {
            Some(payload) => Ok(Some(payload.to_vec())),
            None => Err(self.damaged(location, "the HTTP header does not end".to_owned())),
        }
    }

    /// The archived record at a location, staged ones included, its digest checked.
    ///
    /// # Errors
    /// As [`text_of`](Self::text_of).
    pub fn archived(&self, location: WarcLocation) -> Result<Record, StorageError> {
        let member = self.archive.member(location)?;
        decode_member(&member, DEFAULT_MAX_RECORD_BYTES).map_err(|reason| self.damaged(location, reason))
    }

    fn damaged(&self, location: WarcLocation, reason: String) -> StorageError {
        StorageError::ArchiveDamaged {
            path: self.archive.path(location.file),
            offset: location.offset,
            reason,
        }
    }
}

fn read_page(state: &State, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
    let row = state.get(format::page_key(sequence))?;
    row.map(|row| state.decode("a page's record", &row)).transpose()
}

/// Pages in order of their sequence numbers.
pub struct Pages {
    rows: Rows,
}

impl Iterator for Pages {
    type Item = Result<(u64, PageRecord), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|(key, value)| {
            let sequence = format::page_sequence(&key).ok_or_else(|| self.rows.corrupt("a page's key"))?;
            Ok((sequence, self.rows.decode("a page's record", &value)?))
        }))
    }
}

/// A URL as the catalogue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownUrl {
    /// The key of its host.
    pub host: String,
    /// The URL.
    pub url: String,
    /// What became of it.
    pub state: UrlState,
}

/// All URLs.
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
                // A page that waits for another visit has been named as what it is.
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

/// Rows of finished URLs.
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

/// URLs that wait, by host, then in the order they are handed out.
pub struct Queue {
    rows: Rows,
    state: State,
    chunk: std::vec::IntoIter<QueuedUrl>,
}

impl Iterator for Queue {
    type Item = Result<QueuedUrl, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(queued) = self.chunk.next() {
                return Some(Ok(queued));
            }
            let urls = self
                .rows
                .next()?
                .and_then(|(key, value)| chunk::read(&self.state, &key, &value));
            match urls {
                Ok(urls) => self.chunk = urls.into_iter(),
                Err(error) => return Some(Err(error)),
            }
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
    /// Why.
    pub failure: Failure,
    /// The URL of what links to it; `None` for a seed.
    pub via: Option<String>,
}

/// URLs that failed, in the order of discovery.
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

/// Hosts and their counts.
pub struct Hosts {
    rows: Rows,
    queued_only: bool,
}

impl Iterator for Hosts {
    type Item = Result<(String, Counts), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, value) = match self.rows.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            let counts: Counts = match self.rows.decode("a row of counts", &value) {
                Ok(counts) => counts,
                Err(error) => return Some(Err(error)),
            };
            if !self.queued_only || counts.queued + counts.due > 0 {
                return Some(Ok((String::from_utf8_lossy(&key[1..]).into_owned(), counts)));
            }
        }
    }
}
