//! Verdicts given anew, by other rules or another scheme, on the pages of a state that is being made.
//!
//! The archive is history: its metadata records say how each page was decided when it was crawled, and stay as they are. What is
//! decided anew is in the state alone, and is derived: from the archived texts and the rules that the caller goes by. Because it is
//! done before the new state takes the place of the old one, a crash leaves the old one as it was.
//!
//! A page that was dropped and now says something new is kept by its text; its body was never archived. Whoever crawls on visits it,
//! which brings the body ([`PageRecord::is_kept_without_body`]).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Rebuild;
use crate::counts::{Change, Class};
use crate::error::StorageError;
use crate::format;
use crate::page::{Fate, PageRecord, Verdict};
use crate::staged::Piece;
use crate::state::Rows;
use crate::store::Store;
use crate::warc::writer::WarcEnd;

/// A row's name where it cannot be read.
pub(crate) const REDECIDED_ROW: &str = "the row of what was decided anew";

/// What deciding anew came to, against what was decided when the pages were crawled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Redecided {
    /// When, milliseconds since the Unix epoch.
    pub at: u64,
    /// The schemes that the pages were decided by when they were crawled.
    pub schemes_before: Vec<String>,
    /// The scheme since.
    pub scheme: String,
    /// The rule since, in words.
    pub rule: String,
    /// Pages that were dropped and are kept.
    pub newly_kept: u64,
    /// Pages that were kept and are dropped.
    pub newly_dropped: u64,
    /// Duplicates of another page, or by another comparison, than before.
    pub otherwise: u64,
    /// Pages that are as they were because their text was not kept, by an older version of this crate.
    pub without_text: u64,
}

/// What a page is decided as.
#[derive(Debug, Clone, PartialEq)]
pub struct Redecision {
    /// The verdict.
    pub verdict: Verdict,
    /// The signature by the new scheme, as the caller encodes it.
    pub signature: Vec<u8>,
    /// The page whose place it takes.
    pub replaces: Option<u64>,
}

impl Rebuild {
    /// The schemes that the pages in the archive were decided by, each once.
    #[must_use]
    pub fn schemes(&self) -> BTreeSet<&str> {
        self.decided_by.iter().map(|by| by.scheme.as_str()).collect()
    }

    /// Whether verdicts in the archive do not fit together, and all pages must be decided anew: there are several schemes, or some
    /// pages came after all others had been decided anew, which is not in the archive.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.decided_by.len() > 1
    }

    /// Whether the head of a file cannot be read, and may name another scheme.
    #[must_use]
    pub fn has_unreadable_head(&self) -> bool {
        self.has_unreadable_head
    }

    /// The state as it is so far; what is queued for later is not in it yet.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// From now on the state is one of `scheme`: every page is to be [redecided](Self::redecide). Pages archived from now on go into a
    /// new file, whose head tells.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_redeciding(&mut self, scheme: &str) -> Result<(), StorageError> {
        let row = (format::META_SCHEME.to_vec(), Some(scheme.as_bytes().to_vec()));
        self.store.stage_rows(vec![row])?;
        self.store.commit()?;
        // Whoever was to leave the index leaves it with the index, which is made anew.
        let departed = self.store.departed()?;
        self.store.forget_departed(&departed)?;
        if self.end.offset > 0 {
            self.closed = Some(self.end);
            self.end = WarcEnd {
                file: self.end.file + 1,
                offset: 0,
            };
        }
        Ok(())
    }

    /// Decides a page anew. A page that is none of the last versions only takes the signature.
    ///
    /// # Errors
    /// Errors of the state, which are [`StorageError::Corrupt`] where there is no such page.
    pub fn redecide(&mut self, sequence: u64, decided: Redecision) -> Result<(), StorageError> {
        let page = self.store.latest_page(sequence)?;
        let mut page = page.ok_or_else(|| self.store.state.corrupt("a page that is decided anew"))?;
        let was = page.verdict;
        page.signature = decided.signature;
        let mut piece = Piece::at(self.store.progress);
        if page.fate == Fate::Current {
            page.verdict = decided.verdict;
            page.replaces = decided.replaces;
            let (was_class, now) = (Class::of(was), Class::of(page.verdict));
            if was_class != now {
                let change = Change::Redecided {
                    was: was_class,
                    now,
                    body_bytes: page.body_bytes,
                };
                piece.changes.push((page.host.clone(), change));
            }
            let crawled_as = match self.redecided.remove(&sequence) {
                Some(crawled_as) => crawled_as,
                None => self.crawled_as(&page)?.unwrap_or(was),
            };
            if crawled_as != page.verdict {
                self.redecided.insert(sequence, crawled_as);
            }
        }
        piece
            .rows
            .push((format::page_key(sequence).to_vec(), Some(format::encode(&page)?)));
        self.store.make_room()?;
        self.store.stage(piece);
        Ok(())
    }

    /// What a page was when its bytes were fetched first, if that was before this version of it: a page that was kept by its text is
    /// fetched again for its body.
    fn crawled_as(&self, page: &PageRecord) -> Result<Option<Verdict>, StorageError> {
        let mut first = None;
        let mut previous = page.previous;
        while let Some(sequence) = previous {
            let earlier = self.store.latest_page(sequence)?;
            let Some(earlier) = earlier.filter(|earlier| earlier.payload_digest == page.payload_digest) else {
                break;
            };
            first = Some(earlier.verdict);
            previous = earlier.previous.filter(|before| *before < sequence);
        }
        Ok(first)
    }

    /// Counts and notes what it came to.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_redeciding(&mut self, redecided: &mut Redecided) -> Result<(), StorageError> {
        self.store.commit()?;
        self.lead_on()?;
        for (sequence, was) in std::mem::take(&mut self.redecided) {
            let now = self.store.latest_page(sequence)?.map(|page| page.verdict);
            match (was.of(), now.and_then(Verdict::of)) {
                (Some(_), None) => redecided.newly_kept += 1,
                (None, Some(_)) => redecided.newly_dropped += 1,
                _ => redecided.otherwise += 1,
            }
            let row = format::encode(&was)?;
            self.store
                .stage_rows(vec![(format::redecided_key(sequence), Some(row))])?;
        }
        let row = (format::META_REDECIDED.to_vec(), Some(format::encode(redecided)?));
        let rules: Vec<&str> = vec![&redecided.rule];
        let rules = (format::META_RULES.to_vec(), Some(format::encode(&rules)?));
        self.store.stage_rows(vec![row, rules])?;
        self.store.commit()?;
        Ok(())
    }

    /// Pages that stay as they were, versions of the past and those without a text, may be duplicates of a page that is none
    /// to be a duplicate of any more: they are duplicates of what stands for that one.
    fn lead_on(&mut self) -> Result<(), StorageError> {
        for row in self.store.pages_from(0) {
            let (sequence, page) = row?;
            let Some(of) = page.verdict.of() else { continue };
            if self.store.representative_of(sequence)?.is_some() {
                continue;
            }
            if let Some(stands_for_it) = self.store.representative_of(of)? {
                let page = PageRecord {
                    verdict: page.verdict.with_of(stands_for_it),
                    ..page
                };
                let row = (format::page_key(sequence).to_vec(), Some(format::encode(&page)?));
                self.store.stage_rows(vec![row])?;
            }
        }
        self.store.commit()?;
        Ok(())
    }
}

impl Store {
    /// What deciding all pages anew came to, if it was done.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn redecided(&self) -> Result<Option<Redecided>, StorageError> {
        let row = self.state.get(format::META_REDECIDED)?;
        row.map(|row| self.state.decode(REDECIDED_ROW, &row)).transpose()
    }

    /// The pages that are decided otherwise than when they were crawled, by number, and what they were then.
    pub fn redecisions(&self) -> Redecisions {
        Redecisions {
            rows: self.state.scan([format::REDECIDED]),
        }
    }
}

/// Pages that are decided otherwise than when they were crawled, and what they were then.
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

impl PageRecord {
    /// Whether the page is kept by its text alone: it was dropped when it was crawled, and its body was not archived.
    #[must_use]
    pub fn is_kept_without_body(&self) -> bool {
        self.is_kept() && self.response.is_none()
    }
}
