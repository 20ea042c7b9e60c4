//! The catalogue of pages: single pages, clusters, and all pages in order.

use crate::commit::Piece;
use crate::commit::staged::Latest;
use crate::error::StorageError;
use crate::format;
use crate::page::{Fate, PageRecord, Verdict};

/// The table of ⟨[`PageRecord`]⟩, by sequence number.
const PAGES: u8 = b'p';

/// The table of the pages that must leave the index. Its rows are empty.
const DEPARTED: u8 = b'd';

/// The table of the pages that have [moved](Fate::Moved). Its rows are empty. Pages that moved before there was this table have no row.
const MOVED: u8 = b't';

/// The table of ⟨[`Verdict`]⟩: that of the crawl, if the page has another one since.
const REDECIDED: u8 = b'y';

/// The row's name in the error for a damaged state.
const PAGE: &str = "a page's record";

/// The catalogue. [`Store::catalogue`](crate::Store::catalogue) makes it.
#[derive(Clone, Copy)]
pub struct Catalogue<'a> {
    rows: Latest<'a>,
}

impl<'a> Catalogue<'a> {
    pub(crate) fn new(rows: Latest<'a>) -> Self {
        Self { rows }
    }

    pub(crate) fn page(self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        self.rows.state().row(format::numbered(PAGES, sequence), PAGE)
    }

    pub(crate) fn latest(self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        let row = self.rows.get(&format::numbered(PAGES, sequence))?;
        row.map(|row| self.rows.state().decode(PAGE, &row)).transpose()
    }

    pub(crate) fn pages_from(self, from: u64) -> impl Iterator<Item = Result<(u64, PageRecord), StorageError>> + use<> {
        let state = self.rows.state().clone();
        state.scan_from(&format::numbered(PAGES, from)).map(move |row| {
            let (key, value) = row?;
            let sequence = format::number(PAGES, &key).ok_or_else(|| state.corrupt("a page's key"))?;
            Ok((sequence, state.decode(PAGE, &value)?))
        })
    }

    /// The representative of a page, with staged changes: the page itself if it is unique, else the page that it is a duplicate of, or
    /// the page that took that one's place. It may be an old version, or gone, or [another worker's](crate::PageElsewhere). `None` if there is no
    /// such page.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn representative_of(self, sequence: u64) -> Result<Option<u64>, StorageError> {
        Ok(self.follow(sequence, false)?.map(Representative::id))
    }

    /// The [representative](Self::representative_of) of a page, if it is still kept: a kept page with the same text. Another worker's page
    /// counts as kept.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn kept_representative_of(self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, false)?;
        Ok(found.filter(Representative::is_kept).map(Representative::id))
    }

    /// The kept page of a page's cluster: its [representative](Self::representative_of), or the kept newer version of that one, whose
    /// text may differ. `None` if none is kept any more. Another worker's page counts as kept.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn kept_of(self, sequence: u64) -> Result<Option<u64>, StorageError> {
        let found = self.follow(sequence, true)?;
        Ok(found.filter(Representative::is_kept).map(Representative::id))
    }

    /// Follows a page to its representative, and from there, with `to_newer`, to newer versions. It ends because a newer version, and a
    /// page that takes another's place, always has the higher number.
    fn follow(self, sequence: u64, to_newer: bool) -> Result<Option<Representative>, StorageError> {
        let (mut at, mut is_first_step) = (sequence, true);
        while let Some(page) = self.latest(at)? {
            if page.verdict.of_elsewhere().is_some() {
                return Ok(page.verdict.of().map(Representative::Elsewhere));
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

    /// The committed pages that are no longer kept and whose removal from the index its owner has not
    /// [confirmed](crate::Store::forget_departed) yet.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn departed(self) -> Result<Vec<u64>, StorageError> {
        let state = self.rows.state();
        let page = |key: &[u8]| format::number(DEPARTED, key);
        let rows = state.scan([DEPARTED]);
        rows.map(|row| page(&row?.0).ok_or_else(|| state.corrupt("the key of a departed page")))
            .collect()
    }

    /// The committed pages that have [moved](Fate::Moved), in order of number. A rebuild notes none, and neither did earlier versions: what
    /// was derived from the pages before must name those that it knows.
    pub fn moved(self) -> impl Iterator<Item = Result<u64, StorageError>> + use<> {
        let state = self.rows.state().clone();
        state.scan([MOVED]).map(move |row| {
            let (key, _) = row?;
            format::number(MOVED, &key).ok_or_else(|| state.corrupt("the key of a page that moved"))
        })
    }

    /// Iterates over the pages whose verdicts differ from the crawl's, with the crawl's verdicts, in order of number.
    pub fn redecisions(self) -> impl Iterator<Item = Result<(u64, Verdict), StorageError>> + use<> {
        let state = self.rows.state().clone();
        state.scan([REDECIDED]).map(move |row| {
            let (key, value) = row?;
            let sequence =
                format::number(REDECIDED, &key).ok_or_else(|| state.corrupt("the key of a former verdict"))?;
            Ok((sequence, state.decode("a former verdict", &value)?))
        })
    }

    /// Whether the page's verdict differs from the crawl's.
    pub(crate) fn is_redecided(self, sequence: u64) -> Result<bool, StorageError> {
        self.rows.state().contains(format::numbered(REDECIDED, sequence))
    }

    /// Sets the record of a page.
    pub(crate) fn set(sequence: u64, page: &PageRecord, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(format::numbered(PAGES, sequence), format::encode(page)?);
        Ok(())
    }

    /// Notes that a page must leave the index.
    pub(crate) fn departs(sequence: u64, piece: &mut Piece) {
        piece.set(format::numbered(DEPARTED, sequence), Vec::new());
    }

    /// Notes that a page has left the index.
    pub(crate) fn has_departed(sequence: u64, piece: &mut Piece) {
        piece.remove(format::numbered(DEPARTED, sequence));
    }

    /// Notes that a page has moved.
    pub(crate) fn has_moved(sequence: u64, piece: &mut Piece) {
        piece.set(format::numbered(MOVED, sequence), Vec::new());
    }

    /// Sets the crawl's verdict on a page that has another one now; `None` if it has the same.
    pub(crate) fn set_former(sequence: u64, verdict: Option<Verdict>, piece: &mut Piece) -> Result<(), StorageError> {
        let key = format::numbered(REDECIDED, sequence);
        match verdict {
            Some(verdict) => piece.set(key, format::encode(&verdict)?),
            None => piece.remove(key),
        }
        Ok(())
    }

    /// The fault of a row of a table beside the pages, if it is one.
    pub(crate) fn fault(self, (key, value): (&[u8], &[u8])) -> Result<Option<String>, StorageError> {
        match key.first() {
            Some(&DEPARTED) => self.fault_about(
                "a page that leaves the index",
                format::number(DEPARTED, key),
                value.is_empty(),
            ),
            Some(&MOVED) => self.fault_about("a page that moved", format::number(MOVED, key), value.is_empty()),
            Some(&REDECIDED) => self.fault_about(
                "the first verdict of a page",
                format::number(REDECIDED, key),
                postcard::from_bytes::<Verdict>(value).is_ok(),
            ),
            _ => Ok(None),
        }
    }

    /// The fault of a row about a page: it cannot be read, or the page is not there.
    pub(crate) fn fault_about(
        self,
        what: &str,
        page: Option<u64>,
        is_readable: bool,
    ) -> Result<Option<String>, StorageError> {
        Ok(match page {
            _ if !is_readable => Some(format!("a row cannot be read: {what}")),
            None => Some(format!("the key of a row cannot be read: {what}")),
            Some(page) if self.page(page)?.is_none() => {
                Some(format!("a row names page {page}, which is not there: {what}"))
            }
            Some(_) => None,
        })
    }
}

/// The page that a chain of verdicts leads to.
enum Representative {
    Here(u64, Box<PageRecord>),
    /// Another worker's page, packed.
    Elsewhere(u64),
}

impl Representative {
    fn id(self) -> u64 {
        match self {
            Self::Here(id, _) | Self::Elsewhere(id) => id,
        }
    }

    fn is_kept(&self) -> bool {
        match self {
            Self::Here(_, page) => page.is_kept(),
            Self::Elsewhere(_) => true,
        }
    }
}
