//! Visits: further fetches of pages that the crawl has fetched before.
//!
//! A page that is due gets a row in the queue like any URL. The row names the page and the validators for a conditional request.
//! Nothing about the page changes until that row is finished. A visit ends in one of these ways:
//!
//! ```text
//! unchanged      the page's history gains a visit
//! changed        a new version supersedes the old one
//! missing        404, 410, a temporary redirect, no page: the second time in a row the page is gone; catalogue and archive keep it
//! moved          a redirect, or a page that may not be stored any more
//! unanswered     the store concludes nothing
//! ```
//!
//! A page that is no longer kept must leave the index of fingerprints. [`Store::departed`] lists such pages until the owner of the
//! index confirms their removal.

use crate::chunk::QueueChange;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{QueuedUrl, Revisit};
use crate::page::{Fate, PageRecord, Verdict};
use crate::stage::Piece;
use crate::store::Store;
use crate::visits::{RefreshCounts, Visit, Visits};

/// Visits in a row that find no page, after which the page is gone.
const MISSING_UNTIL_GONE: u8 = 2;

impl Store {
    /// Begins a refresh, or continues one that has queued visits.
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
        let refresh = RefreshCounts {
            started_at: now_ms,
            ..RefreshCounts::default()
        };
        self.refresh = Some((number, refresh));
        Ok(())
    }

    /// The current refresh, with staged changes; `None` if there is none, or if all its visits were made before the store was
    /// opened.
    #[must_use]
    pub fn refresh(&self) -> Option<RefreshCounts> {
        self.refresh.map(|(_, refresh)| refresh)
    }

    /// Continues the refresh of an earlier process if visits are in the queue.
    pub(crate) fn resume_refresh(&mut self) -> Result<(), StorageError> {
        if self.totals.due > 0 {
            self.refresh = self.last_refresh()?;
        }
        Ok(())
    }

    /// Queues a visit, with the `priority`, to each of `pages` that is the last version of its URL and not queued for a visit already.
    /// Durable with the next commit.
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
                seq: piece.take_seq(),
                id: self
                    .id_of(&page.host, &page.url)?
                    .ok_or_else(|| self.state.corrupt("the number of a page's URL"))?,
                revisits: Some(Box::new(self.revisit_of(id, page)?)),
            };
            piece.queue.push(QueueChange::Add(queued.clone()));
            let waiting = Visits {
                is_waiting: true,
                ..visits
            };
            piece.set_visits(id, &waiting)?;
            piece.counts.push((queued.host.clone(), CountChange::Due));
            if let Some((_, refresh)) = &mut self.refresh {
                refresh.due += 1;
            }
            self.note_refresh(&mut piece)?;
            self.stage.take_place(queued.seq);
            self.stage_piece(piece);
            all.push(queued);
        }
        Ok(all)
    }

    /// The committed visits to a page; `None` if there were none since its first fetch.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn visits(&self, page: u64) -> Result<Option<Visits>, StorageError> {
        let row = self.state.get(format::visits_key(page))?;
        row.map(|row| self.state.decode("a page's visits", &row)).transpose()
    }

    /// All committed refreshes, the earliest first.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn refreshes(&self) -> Result<Vec<RefreshCounts>, StorageError> {
        let rows = self.state.scan([format::REFRESHES]);
        rows.map(|row| self.state.decode("a refresh", &row?.1)).collect()
    }

    /// The committed pages that are no longer kept and whose removal from the index its owner has not
    /// [confirmed](Self::forget_departed) yet.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn departed(&self) -> Result<Vec<u64>, StorageError> {
        let rows = self.state.scan([format::DEPARTED]);
        rows.map(|row| format::departed_page(&row?.0).ok_or_else(|| self.state.corrupt("the key of a departed page")))
            .collect()
    }

    /// Confirms that these pages are durably out of the index. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn forget_departed(&mut self, pages: &[u64]) -> Result<(), StorageError> {
        self.stage_rows(pages.iter().map(|page| (format::departed_key(*page), None)).collect())
    }

    fn last_refresh(&self) -> Result<Option<(u64, RefreshCounts)>, StorageError> {
        let Some(row) = self.state.scan([format::REFRESHES]).next_back() else {
            return Ok(None);
        };
        let (key, value) = row?;
        let number = format::refresh_number(&key).ok_or_else(|| self.state.corrupt("the key of a refresh"))?;
        Ok(Some((number, self.state.decode("a refresh", &value)?)))
    }

    fn latest_visits(&self, id: u64, page: &PageRecord) -> Result<Visits, StorageError> {
        let known = match self.stage.visits(id) {
            Some(row) => row.map(|row| self.state.decode("a page's visits", row)).transpose()?,
            None => self.visits(id)?,
        };
        Ok(known.unwrap_or(Visits {
            first_at: page.fetched_at,
            last_at: page.fetched_at,
            ..Visits::default()
        }))
    }

    /// The validators and the digest of the page. Empty if the page must be fetched and decided again in any case: its body was never
    /// archived, or the page that it is a duplicate of is no longer kept.
    fn revisit_of(&self, id: u64, page: PageRecord) -> Result<Revisit, StorageError> {
        if page.is_kept_without_body() || page.verdict != Verdict::Unique && self.kept_representative_of(id)?.is_none()
        {
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

    /// Records in `piece` a visit that brought no other page.
    pub(crate) fn record_visit(
        &mut self,
        id: u64,
        visit: Visit,
        at: u64,
        wire_bytes: u64,
        piece: &mut Piece,
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
        piece.counts.push((host.clone(), CountChange::Visited { wire_bytes }));
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
                piece.counts.push((host.clone(), CountChange::reopened(&page)));
                piece.counts.push((host, CountChange::Gone));
                self.depart(id, &mut page, Fate::Gone { at }, piece)?;
            }
        }
        self.set_refresh(refresh, piece)?;
        piece.set_visits(id, &visits)
    }

    /// Records in `piece` that the page is no longer the current version of its URL. `by` has the number and the time of the page that
    /// supersedes it; `None` if there is none.
    pub(crate) fn record_departure(
        &mut self,
        id: u64,
        by: Option<(u64, u64)>,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        let mut page = self.visited_page(id)?;
        let was_without_body = page.is_kept_without_body();
        let visits = self.latest_visits(id, &page)?;
        piece
            .counts
            .push((page.host.clone(), CountChange::Visited { wire_bytes: 0 }));
        piece.counts.push((page.host.clone(), CountChange::reopened(&page)));
        let mut refresh = self.refresh.map(|(_, refresh)| refresh).unwrap_or_default();
        piece.rows.push((format::visits_key(id), None));
        match by {
            Some((by, at)) => {
                refresh.changed += 1;
                self.depart(id, &mut page, Fate::Superseded { by }, piece)?;
                piece.set_visits(
                    by,
                    &Visits {
                        last_at: at,
                        count: visits.count + 1,
                        // The visit only fetched the missing body of an unchanged page.
                        changes: visits.changes + u32::from(!was_without_body),
                        missing: 0,
                        is_waiting: false,
                        ..visits
                    },
                )?;
            }
            None => {
                refresh.moved += 1;
                self.depart(id, &mut page, Fate::Moved, piece)?;
            }
        }
        self.set_refresh(refresh, piece)
    }

    /// Counts a page that is fetched for the first time during a refresh.
    pub(crate) fn record_new(&mut self, piece: &mut Piece) -> Result<(), StorageError> {
        if let Some((_, refresh)) = &mut self.refresh {
            refresh.new += 1;
        }
        self.note_refresh(piece)
    }

    fn visited_page(&self, id: u64) -> Result<PageRecord, StorageError> {
        self.latest_page(id)?
            .ok_or_else(|| self.state.corrupt("the page that a visit is about"))
    }

    fn depart(&self, id: u64, page: &mut PageRecord, fate: Fate, piece: &mut Piece) -> Result<(), StorageError> {
        if page.is_kept() {
            piece.rows.push((format::departed_key(id), Some(Vec::new())));
        }
        page.fate = fate;
        piece
            .rows
            .push((format::page_key(id).to_vec(), Some(format::encode(page)?)));
        Ok(())
    }

    fn set_refresh(&mut self, now: RefreshCounts, piece: &mut Piece) -> Result<(), StorageError> {
        if let Some((_, refresh)) = &mut self.refresh {
            *refresh = now;
        }
        self.note_refresh(piece)
    }

    /// Adds the counts of the refresh to a piece, as they are after it.
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
