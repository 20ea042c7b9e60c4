//! Reads the catalogue of pages: single pages, clusters, and all pages in order. Every iterator owns its reader and returns errors
//! row by row.

use crate::error::StorageError;
use crate::format;
use crate::page::{Fate, PageRecord, Verdict};
use crate::redecided::{REDECIDED_ROW, Redecided};
use crate::state::{Rows, State};
use crate::store::Store;

impl Store {
    /// The committed page of this sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        read_page(&self.state, sequence)
    }

    /// The page of this sequence number, with staged changes.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn latest_page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        match self.stage.page(sequence) {
            Some(row) => Ok(Some(self.state.decode("a page's record", row)?)),
            None => read_page(&self.state, sequence),
        }
    }

    /// The representative of a page, with staged changes: the page itself if it is unique, else the page that it is a duplicate of, or
    /// the page that took that one's place. It may be an old version, or gone, or [another worker's](crate::ForeignPage). `None` if there is no
    /// such page.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn representative_of(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        Ok(self.follow(sequence, false)?.map(Representative::id))
    }

    /// The [representative](Self::representative_of) of a page, if it is still kept: a kept page with the same text. Another worker's page
    /// counts as kept.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn kept_representative_of(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, false)?;
        Ok(found.filter(Representative::is_kept).map(Representative::id))
    }

    /// The kept page of a page's cluster: its [representative](Self::representative_of), or the kept newer version of that one, whose
    /// text may differ. `None` if none is kept any more. Another worker's page counts as kept.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn kept_of(&self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, true)?;
        Ok(found.filter(Representative::is_kept).map(Representative::id))
    }

    /// Follows a page to its representative, and from there, with `to_newer`, to newer versions. It ends because a newer version, and a
    /// page that takes another's place, always has the higher number.
    fn follow(&self, sequence: u64, to_newer: bool) -> Result<Option<Representative>, StorageError> {
        let (mut at, mut is_first_step) = (sequence, true);
        while let Some(page) = self.latest_page(at)? {
            if page.verdict.of_foreign().is_some() {
                return Ok(page.verdict.of().map(Representative::Foreign));
            }
            let next = match (page.verdict.of(), page.fate) {
                (Some(of), _) if of > at || is_first_step => of,
                (Some(_), _) => return Ok(None),
                (None, Fate::Superseded { by }) if to_newer && by > at => by,
                (None, _) => return Ok(Some(Representative::Here(at, Box::new(page)))),
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

    /// The row about the redecision, if there was one.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn redecided(&self) -> Result<Option<Redecided>, StorageError> {
        let row = self.state.get(format::META_REDECIDED)?;
        row.map(|row| self.state.decode(REDECIDED_ROW, &row)).transpose()
    }

    /// Iterates over the pages whose verdicts differ from the crawl's, with the crawl's verdicts, in order of number.
    pub fn redecisions(&self) -> Redecisions {
        Redecisions {
            rows: self.state.scan([format::REDECIDED]),
        }
    }
}

/// The page that a chain of verdicts leads to.
enum Representative {
    Here(u64, Box<PageRecord>),
    /// Another worker's page, packed.
    Foreign(u64),
}

impl Representative {
    fn id(self) -> u64 {
        match self {
            Self::Here(id, _) | Self::Foreign(id) => id,
        }
    }

    fn is_kept(&self) -> bool {
        match self {
            Self::Here(_, page) => page.is_kept(),
            Self::Foreign(_) => true,
        }
    }
}

pub(crate) fn read_page(state: &State, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
    let row = state.get(format::page_key(sequence))?;
    row.map(|row| state.decode("a page's record", &row)).transpose()
}

/// Iterates over pages in order of their sequence numbers.
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

/// Iterates over the pages whose verdicts differ from the crawl's, with the crawl's verdicts.
pub struct Redecisions {
    rows: Rows,
}

impl Iterator for Redecisions {
    type Item = Result<(u64, Verdict), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|(key, value)| {
            let sequence =
                format::redecided_page(&key).ok_or_else(|| self.rows.corrupt("the key of a former verdict"))?;
            Ok((sequence, self.rows.decode("a former verdict", &value)?))
        }))
    }
}
