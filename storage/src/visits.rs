//! Coming back: pages that are looked at again, what their visits found, and what became of them all.
//!
//! A page that is to be visited again gets a row in the queue like any URL, which names the page and what the request can
//! be made conditional by; until that is finished, nothing about the page changes. What the visit may come to:
//!
//! ```text
//! unchanged      the history grows by a visit
//! another page   a new version: the old one is superseded by it
//! none here      404, 410, a temporary redirect, no page: counted; the second time running the page is gone, and stays in the catalogue and the archive as such
//! elsewhere      the page has moved: a redirect, or a page that is not to be stored
//! no answer      nothing is concluded
//! ```
//!
//! A page that is no longer kept leaves the index. That is the business of the index's owner, who is told by
//! [`Store::departed`] until it says that it is done.

use serde::{Deserialize, Serialize};

use crate::chunk;
use crate::counts::Change;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{QueuedUrl, Revisit};
use crate::outcome::Visit;
use crate::page::{Fate, PageRecord, Verdict, WarcLocation};
use crate::staged::Piece;
use crate::store::Store;

/// Visits that find nothing, in a row, after which a page is gone.
const MISSING_UNTIL_GONE: u8 = 2;

/// What is known of how often a page changes. A page that was never visited again has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Visits {
    /// When the first version of the page was fetched, milliseconds since the Unix epoch.
    pub first_at: u64,
    /// When the last visit was that said anything about the page.
    pub last_at: u64,
    /// Visits since the first fetch that said anything about the page.
    pub count: u32,
    /// Of these: how many found another page than the visit before.
    pub changes: u32,
    /// Visits in a row that found no page: 404, 410, …
    pub missing: u8,
    /// A further visit waits in the queue.
    pub is_waiting: bool,
}

/// Where the `revisit` record of a visit lies that found its page unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArchivedVisit {
    /// HTTP status.
    pub status: u16,
    pub location: WarcLocation,
    /// SHA-1 of the decoded body that was fetched, which may be other bytes with the same text; of a 304, that of the page.
    pub digest: [u8; 20],
}

/// What one refresh of a crawl came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Refresh {
    /// When it began, milliseconds since the Unix epoch.
    pub started_at: u64,
    /// Pages that were due.
    pub due: u64,
    /// Pages fetched for the first time meanwhile.
    pub new: u64,
    /// Pages of which there is a new version.
    pub changed: u64,
    /// Pages found as they were.
    pub unchanged: u64,
    /// No page found (404, 410, a temporary redirect, …) for the first time.
    pub missing: u64,
    /// No page found for the second time running.
    pub gone: u64,
    /// Redirected, or not to be stored any more.
    pub moved: u64,
    /// Visits without an answer that says anything about the page.
    pub unanswered: u64,
}

impl Store {
    /// Begins a refresh, or goes on with one that has visits left.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_refresh(&mut self, now_ms: u64) -> Result<(), StorageError> {
        if self.totals.due > 0 && self.refresh.is_some() {
            return Ok(());
        }
        let last = match self.refresh {
            Some(last) => Some(last),
            None => self.last_refresh()?,
        };
        let number = last.map_or(1, |(number, _)| number + 1);
        let refresh = Refresh {
            started_at: now_ms,
            ..Refresh::default()
        };
        self.refresh = Some((number, refresh));
        Ok(())
    }

    /// The refresh under way, with what is staged; `None` where none was begun, or all its visits were made before the
    /// store was opened.
    #[must_use]
    pub fn refresh(&self) -> Option<Refresh> {
        self.refresh.map(|(_, refresh)| refresh)
    }

    /// Takes up the refresh that an earlier process left with visits in the queue.
    pub(crate) fn resume_refresh(&mut self) -> Result<(), StorageError> {
        if self.totals.due > 0 {
            self.refresh = self.last_refresh()?;
        }
        Ok(())
    }

    /// Queues another visit to those of `pages` that are the last version of their URL and not queued for one already, with
    /// the `priority`. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn revisit(&mut self, pages: &[u64], priority: u8) -> Result<Vec<QueuedUrl>, StorageError> {
        let mut all = Vec::new();
        for &id in pages {
            self.make_room()?;
            let Some(page) = self.latest_page(id)?.filter(|page| page.fate == Fate::Current) else {
                continue;
            };
            let visits = self.latest_visits(id, &page)?;
            if visits.is_waiting {
                continue;
            }
            let mut piece = Piece::at(self.progress);
            let queued = QueuedUrl {
                url: page.url.clone(),
                host: page.host.clone(),
                depth: page.depth,
                redirects: 0,
                attempts: 0,
                priority,
                via: page.via.clone(),
                seq: piece.progress.next_seq,
                id: self
                    .id_of(&page.host, &page.url)?
                    .ok_or_else(|| self.state.corrupt("the number of a page's URL"))?,
                revisits: Some(Box::new(self.what_to_compare(id, page)?)),
            };
            piece.progress.next_seq += 1;
            piece.queue.push(chunk::Change::Add(queued.clone()));
            let waiting = Visits {
                is_waiting: true,
                ..visits
            };
            piece.set_visits(id, &waiting)?;
            piece.changes.push((queued.host.clone(), Change::Due));
            if let Some((_, refresh)) = &mut self.refresh {
                refresh.due += 1;
            }
            self.note_refresh(&mut piece)?;
            self.staged.take_place(queued.seq);
            self.stage(piece);
            all.push(queued);
        }
        Ok(all)
    }

    /// What is known of how often a committed page changes; `None` if it was never visited again.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn visits(&self, page: u64) -> Result<Option<Visits>, StorageError> {
        let row = self.state.get(format::visits_key(page))?;
        row.map(|row| self.state.decode("a page's visits", &row)).transpose()
    }

    /// All committed refreshes, the first first.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn refreshes(&self) -> Result<Vec<Refresh>, StorageError> {
        let rows = self.state.scan([format::REFRESHES]);
        rows.map(|row| self.state.decode("a refresh", &row?.1)).collect()
    }

    /// The committed pages that were kept and are not any more, and of which the index's owner has not said yet that they
    /// are [out of the index](Self::forget_departed).
    ///
    /// # Errors
    /// Errors of the state.
    pub fn departed(&self) -> Result<Vec<u64>, StorageError> {
        let rows = self.state.scan([format::DEPARTED]);
        rows.map(|row| format::departed_page(&row?.0).ok_or_else(|| self.state.corrupt("the key of a departed page")))
            .collect()
    }

    /// Notes that these pages are out of the index, durably. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn forget_departed(&mut self, pages: &[u64]) -> Result<(), StorageError> {
        self.stage_rows(pages.iter().map(|page| (format::departed_key(*page), None)).collect())
    }

    fn last_refresh(&self) -> Result<Option<(u64, Refresh)>, StorageError> {
        let Some(row) = self.state.scan([format::REFRESHES]).next_back() else {
            return Ok(None);
        };
        let (key, value) = row?;
        let number = format::refresh_number(&key).ok_or_else(|| self.state.corrupt("the key of a refresh"))?;
        Ok(Some((number, self.state.decode("a refresh", &value)?)))
    }

    fn latest_visits(&self, id: u64, page: &PageRecord) -> Result<Visits, StorageError> {
        let known = match self.staged.visits(id) {
            Some(row) => row.map(|row| self.state.decode("a page's visits", row)).transpose()?,
            None => self.visits(id)?,
        };
        Ok(known.unwrap_or(Visits {
            first_at: page.fetched_at,
            last_at: page.fetched_at,
            ..Visits::default()
        }))
    }

    /// What tells whether the page has changed: nothing, where it must be decided on anew because the page that it is a
    /// duplicate of is not kept any more, or must be fetched because its body was never archived.
    fn what_to_compare(&self, id: u64, page: PageRecord) -> Result<Revisit, StorageError> {
        if page.is_kept_without_body() || page.verdict != Verdict::Unique && self.said_by(id)?.is_none() {
            return Ok(Revisit {
                page: id,
                ..Revisit::default()
            });
        }
        Ok(Revisit {
            page: id,
            validators: page.validators,
            payload_digest: Some(page.payload_digest),
        })
    }

    /// Records in `own` what a visit found that brought no other page. Its capture is in the archive already.
    pub(crate) fn record_visit(
        &mut self,
        id: u64,
        visit: Visit,
        at: u64,
        wire_bytes: u64,
        own: &mut Piece,
    ) -> Result<(), StorageError> {
        let mut page = self.visited_page(id)?;
        let mut visits = Visits {
            is_waiting: false,
            ..self.latest_visits(id, &page)?
        };
        if visit != Visit::Unanswered {
            (visits.last_at, visits.count) = (at, visits.count + 1);
        }
        let host = page.host.clone();
        own.changes.push((host.clone(), Change::Visited { wire_bytes }));
        let mut refresh = self.refresh.map(|(_, refresh)| refresh).unwrap_or_default();
        match visit {
            Visit::Unanswered => refresh.unanswered += 1,
            Visit::Unchanged => {
                visits.missing = 0;
                refresh.unchanged += 1;
            }
            Visit::Missing if visits.missing + 1 < MISSING_UNTIL_GONE => {
                visits.missing += 1;
                refresh.missing += 1;
            }
            Visit::Missing => {
                visits.missing += 1;
                refresh.gone += 1;
                own.changes.push((host.clone(), Change::reopened(&page)));
                own.changes.push((host, Change::Gone));
                self.depart(id, &mut page, Fate::Gone { at }, own)?;
            }
        }
        self.set_refresh(refresh, own)?;
        own.set_visits(id, &visits)
    }

    /// Records in `own` that the page is not the version of its URL any more: there is the page `by`, or none.
    pub(crate) fn record_departure(
        &mut self,
        id: u64,
        by: Option<(u64, u64)>,
        own: &mut Piece,
    ) -> Result<(), StorageError> {
        let mut page = self.visited_page(id)?;
        let was_without_body = page.is_kept_without_body();
        let visits = self.latest_visits(id, &page)?;
        own.changes.push((page.host.clone(), Change::Visited { wire_bytes: 0 }));
        own.changes.push((page.host.clone(), Change::reopened(&page)));
        let mut refresh = self.refresh.map(|(_, refresh)| refresh).unwrap_or_default();
        own.rows.push((format::visits_key(id), None));
        match by {
            Some((by, at)) => {
                refresh.changed += 1;
                self.depart(id, &mut page, Fate::Superseded { by }, own)?;
                own.set_visits(
                    by,
                    &Visits {
                        last_at: at,
                        count: visits.count + 1,
                        // A page whose body alone was missing has not changed.
                        changes: visits.changes + u32::from(!was_without_body),
                        missing: 0,
                        is_waiting: false,
                        ..visits
                    },
                )?;
            }
            None => {
                refresh.moved += 1;
                self.depart(id, &mut page, Fate::Moved, own)?;
            }
        }
        self.set_refresh(refresh, own)
    }

    /// Counts a page that was fetched for the first time while a refresh is under way.
    pub(crate) fn record_new(&mut self, own: &mut Piece) -> Result<(), StorageError> {
        if let Some((_, refresh)) = &mut self.refresh {
            refresh.new += 1;
        }
        self.note_refresh(own)
    }

    fn visited_page(&self, id: u64) -> Result<PageRecord, StorageError> {
        self.latest_page(id)?
            .ok_or_else(|| self.state.corrupt("the page that a visit is about"))
    }

    fn depart(&self, id: u64, page: &mut PageRecord, fate: Fate, own: &mut Piece) -> Result<(), StorageError> {
        if page.is_kept() {
            own.rows.push((format::departed_key(id), Some(Vec::new())));
        }
        page.fate = fate;
        own.rows
            .push((format::page_key(id).to_vec(), Some(format::encode(page)?)));
        Ok(())
    }

    fn set_refresh(&mut self, now: Refresh, own: &mut Piece) -> Result<(), StorageError> {
        if let Some((_, refresh)) = &mut self.refresh {
            *refresh = now;
        }
        self.note_refresh(own)
    }

    /// Every piece of a refresh holds its counts as they are after it.
    fn note_refresh(&self, piece: &mut Piece) -> Result<(), StorageError> {
        if let Some((number, refresh)) = &self.refresh {
            piece
                .rows
                .push((format::refresh_key(*number), Some(format::encode(refresh)?)));
        }
        Ok(())
    }
}

impl Piece {
    fn set_visits(&mut self, page: u64, visits: &Visits) -> Result<(), StorageError> {
        self.rows
            .push((format::visits_key(page), Some(format::encode(visits)?)));
        Ok(())
    }
}
