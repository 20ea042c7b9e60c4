//! Visits: further fetches of pages that the crawl has fetched before, and the refreshes that they belong to.

use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::commit::Piece;
use crate::commit::staged::Latest;
use crate::error::StorageError;
use crate::format;
use crate::page::PageRecord;
use crate::state::{Rows, State};
use crate::warc::location::WarcLocation;

/// The table of ⟨[`Visits`]⟩, by page.
const VISITS: u8 = b'v';

/// The table of ⟨[`RefreshCounts`]⟩, by number.
const REFRESHES: u8 = b'x';

/// The table of ⟨[`ArchivedVisit`]⟩, by page and time in Unix milliseconds.
const ARCHIVED_VISITS: u8 = b'w';

/// The finding of a visit that brought no other page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// The same page: the server says so (304), or the body is the same.
    Unchanged,
    /// No page: 404, 410, a temporary redirect, a body that is not a page. After two of these in a row the page is
    /// [gone](crate::Fate::Gone).
    Missing,
    /// No answer that says anything about the page. The store concludes nothing from it.
    Unanswered,
}

/// The visits to a page, from which a crawler estimates how often the page changes. A page without a second visit has no such row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Visits {
    /// Fetch of the first version of the page, milliseconds since the Unix epoch.
    pub first_at: u64,
    /// The last visit that said anything about the page, milliseconds since the Unix epoch.
    pub last_at: u64,
    /// Visits since the first fetch that said anything about the page.
    pub count: u32,
    /// Of these, visits that found another page than the visit before.
    pub changes: u32,
    /// Visits in a row that found no page: 404, 410, …
    pub missing: u8,
    /// A further visit is in the queue.
    pub is_waiting: bool,
}

/// The record of a visit that found its page unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchivedVisit {
    /// HTTP status in the block; 0 if it is empty.
    pub status: u16,
    pub location: WarcLocation,
    /// SHA-1 of the fetched body, which may be other bytes with the same text; for a 304, the page's digest.
    pub digest: [u8; 20],
    /// `Content-Type` of a `response` record; `None` for a `revisit`.
    pub response_type: Option<String>,
}

/// Counts of one refresh of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefreshCounts {
    /// Start of the refresh, milliseconds since the Unix epoch.
    pub started_at: u64,
    /// Pages that were due.
    pub due: u64,
    /// Pages fetched for the first time during the refresh.
    pub new: u64,
    /// Pages with a new version.
    pub changed: u64,
    /// Unchanged pages.
    pub unchanged: u64,
    /// Pages missing (404, 410, a temporary redirect, …) for the first time.
    pub missing: u64,
    /// Pages missing for the second time in a row.
    pub gone: u64,
    /// Pages that are redirected, or that a rule excludes now.
    pub moved: u64,
    /// Visits without an answer that says anything about the page.
    pub unanswered: u64,
}

/// The visits. [`Store::revisits`](crate::Store::revisits) makes it.
#[derive(Clone, Copy)]
pub struct Revisits<'a> {
    rows: Latest<'a>,
}

impl<'a> Revisits<'a> {
    pub(crate) fn new(rows: Latest<'a>) -> Self {
        Self { rows }
    }

    /// The committed visits to a page; `None` if there were none since its first fetch.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn visits(self, page: u64) -> Result<Option<Visits>, StorageError> {
        self.rows.state().row(format::numbered(VISITS, page), "a page's visits")
    }

    /// The visits to a page, with staged changes.
    pub(crate) fn latest(self, id: u64, page: &PageRecord) -> Result<Visits, StorageError> {
        match self.rows.get(&format::numbered(VISITS, id))? {
            Some(row) => self.rows.state().decode("a page's visits", &row),
            None => Ok(Visits {
                first_at: page.fetched_at,
                last_at: page.fetched_at,
                ..Visits::default()
            }),
        }
    }

    /// All committed refreshes, the earliest first.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn refreshes(self) -> Result<Vec<RefreshCounts>, StorageError> {
        let state = self.rows.state();
        let rows = self.refresh_rows();
        rows.map(|row| state.decode("a refresh", &row?.1)).collect()
    }

    /// Iterates over the rows of the refreshes, for another state.
    pub(crate) fn refresh_rows(self) -> Rows {
        self.rows.state().scan([REFRESHES])
    }

    /// Iterates over the visits that found their page unchanged: page, time of the visit, and its record.
    pub(crate) fn archived(self) -> impl Iterator<Item = Result<(u64, u64, ArchivedVisit), StorageError>> + use<> {
        let state = self.rows.state().clone();
        state.scan([ARCHIVED_VISITS]).map(move |row| {
            let (key, value) = row?;
            let (page, at) = place_of(&key).ok_or_else(|| state.corrupt("the key of a visit's record"))?;
            Ok((page, at, state.decode("a visit's record", &value)?))
        })
    }

    /// Sets the visits to a page.
    pub(crate) fn set(page: u64, visits: &Visits, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(format::numbered(VISITS, page), format::encode(visits)?);
        Ok(())
    }

    /// Removes the visits to a page, which is not the last version of its URL any more.
    pub(crate) fn remove(page: u64, piece: &mut Piece) {
        piece.remove(format::numbered(VISITS, page));
    }

    /// Sets the record of a visit.
    pub(crate) fn set_archived(
        page: u64,
        at: u64,
        visit: &ArchivedVisit,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        let key = [&format::numbered(ARCHIVED_VISITS, page)[..], &at.to_be_bytes()].concat();
        piece.set(key, format::encode(visit)?);
        Ok(())
    }

    /// The fault of a row, if it is one of these tables and has one.
    pub(crate) fn fault(self, (key, value): (&[u8], &[u8])) -> Result<Option<String>, StorageError> {
        let (what, page, is_readable) = match key.first() {
            Some(&VISITS) => (
                "the visits of a page",
                format::number(VISITS, key),
                postcard::from_bytes::<Visits>(value).is_ok(),
            ),
            Some(&ARCHIVED_VISITS) => ("a visit", place_of(key).map(|(page, _)| page), true),
            Some(&REFRESHES) => {
                let is_bad = postcard::from_bytes::<RefreshCounts>(value).is_err();
                return Ok(is_bad.then(|| "a row cannot be read: a refresh".to_owned()));
            }
            _ => return Ok(None),
        };
        Catalogue::new(self.rows).fault_about(what, page, is_readable)
    }
}

/// Page and time of the key of an archived visit.
fn place_of(key: &[u8]) -> Option<(u64, u64)> {
    let (page, at) = key.split_at_checked(9)?;
    Some((
        format::number(ARCHIVED_VISITS, page)?,
        u64::from_be_bytes(at.try_into().ok()?),
    ))
}

/// The current refresh, with its number and everything staged; none if all its visits were made before the store was opened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CurrentRefresh(Option<(u64, RefreshCounts)>);

impl CurrentRefresh {
    /// The refresh of an earlier process.
    pub fn last(state: &State) -> Result<Self, StorageError> {
        let Some(row) = state.scan([REFRESHES]).next_back() else {
            return Ok(Self(None));
        };
        let (key, value) = row?;
        let number = format::number(REFRESHES, &key).ok_or_else(|| state.corrupt("the key of a refresh"))?;
        Ok(Self(Some((number, state.decode("a refresh", &value)?))))
    }

    /// Its counts.
    pub fn counts(self) -> Option<RefreshCounts> {
        self.0.map(|(_, counts)| counts)
    }

    /// The refresh after this one, which begins now.
    pub fn next(self, now_ms: u64) -> Self {
        let counts = RefreshCounts {
            started_at: now_ms,
            ..RefreshCounts::default()
        };
        Self(Some((self.0.map_or(1, |(number, _)| number + 1), counts)))
    }

    /// Changes its counts, and notes them in the piece, as they are after it. Without a refresh it does nothing.
    pub fn count(&mut self, change: impl FnOnce(&mut RefreshCounts), piece: &mut Piece) -> Result<(), StorageError> {
        if let Some((number, counts)) = &mut self.0 {
            change(counts);
            piece.set(format::numbered(REFRESHES, *number), format::encode(counts)?);
        }
        Ok(())
    }
}
