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
//! A page that is no longer kept must leave the index of fingerprints. [`Catalogue::departed`](crate::Catalogue::departed) lists such pages
//! until the owner of the index confirms their removal.

use super::Store;
use crate::catalogue::Catalogue;
use crate::commit::Piece;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::{QueueChange, QueuedUrl, Revisit};
use crate::page::{Fate, PageRecord};
use crate::revisits::{CurrentRefresh, RefreshCounts, Revisits, Visit, Visits};

/// Visits in a row that find no page, after which the page is gone.
const MISSING_UNTIL_GONE: u8 = 2;

impl Store {
    /// Begins a refresh, or continues one that has queued visits.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_refresh(&mut self, now_ms: u64) -> Result<(), StorageError> {
        if self.counts().due > 0 && self.refresh.counts().is_some() {
            return Ok(());
        }
        let last = match self.refresh.counts() {
            Some(_) => self.refresh,
            None => CurrentRefresh::last(&self.state)?,
        };
        self.refresh = last.next(now_ms);
        Ok(())
    }

    /// The current refresh, with staged changes; `None` if there is none, or if all its visits were made before the store was
    /// opened.
    #[must_use]
    pub fn refresh(&self) -> Option<RefreshCounts> {
        self.refresh.counts()
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
            let visits = self.revisits().latest(id, &page)?;
            if visits.is_waiting {
                continue;
            }
            let mut piece = self.piece();
            let queued = QueuedUrl {
                url: page.url.clone(),
                host: page.host.clone(),
                depth: page.depth,
                redirects: 0,
                attempts: 0,
                priority,
                via: page.via.clone(),
                seq: piece.take_seq(),
                id: self.id_of_page(&page)?,
                revisits: Some(Box::new(self.revisit_of(id, page)?)),
            };
            piece.change_queue(QueueChange::Add(queued.clone()));
            let waiting = Visits {
                is_waiting: true,
                ..visits
            };
            Revisits::set(id, &waiting, &mut piece)?;
            piece.count(queued.host.clone(), CountChange::Due);
            self.refresh.count(|refresh| refresh.due += 1, &mut piece)?;
            self.stage(piece);
            all.push(queued);
        }
        Ok(all)
    }

    /// The validators and the digest of the page. Empty if the page must be fetched and decided again in any case: its body was never
    /// archived, or the page that it is a duplicate of is no longer kept.
    fn revisit_of(&self, id: u64, page: PageRecord) -> Result<Revisit, StorageError> {
        let is_orphan = page.verdict.is_duplicate() && self.catalogue().kept_representative_of(id)?.is_none();
        if page.is_kept_without_body() || is_orphan {
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
    pub(super) fn record_visit(
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
            ..self.revisits().latest(id, &page)?
        };
        if visit != Visit::Unanswered {
            (visits.last_at, visits.count) = (at, visits.count + 1);
        }
        let host = page.host.clone();
        piece.count(host.clone(), CountChange::Visited { wire_bytes });
        let count: fn(&mut RefreshCounts) = match visit {
            Visit::Unanswered => |refresh| refresh.unanswered += 1,
            Visit::Unchanged => {
                visits.missing = 0;
                |refresh| refresh.unchanged += 1
            }
            Visit::Missing if visits.missing + 1 < MISSING_UNTIL_GONE => {
                visits.missing += 1;
                |refresh| refresh.missing += 1
            }
            Visit::Missing => {
                visits.missing += 1;
                piece.count(host.clone(), CountChange::reopened(&page));
                piece.count(host, CountChange::Gone);
                depart(id, &mut page, Fate::Gone { at }, piece)?;
                |refresh| refresh.gone += 1
            }
        };
        self.refresh.count(count, piece)?;
        Revisits::set(id, &visits, piece)
    }

    /// Records in `piece` that the page is no longer the current version of its URL. `by` has the number and the time of the page that
    /// supersedes it; `None` if there is none.
    pub(super) fn record_departure(
        &mut self,
        id: u64,
        by: Option<(u64, u64)>,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        let mut page = self.visited_page(id)?;
        let was_without_body = page.is_kept_without_body();
        let visits = self.revisits().latest(id, &page)?;
        piece.count(page.host.clone(), CountChange::Visited { wire_bytes: 0 });
        piece.count(page.host.clone(), CountChange::reopened(&page));
        Revisits::remove(id, piece);
        match by {
            Some((by, at)) => {
                depart(id, &mut page, Fate::Superseded { by }, piece)?;
                let visits = Visits {
                    last_at: at,
                    count: visits.count + 1,
                    // The visit only fetched the missing body of an unchanged page.
                    changes: visits.changes + u32::from(!was_without_body),
                    missing: 0,
                    is_waiting: false,
                    ..visits
                };
                Revisits::set(by, &visits, piece)?;
                self.refresh.count(|refresh| refresh.changed += 1, piece)
            }
            None => {
                depart(id, &mut page, Fate::Moved, piece)?;
                Catalogue::has_moved(id, piece);
                self.refresh.count(|refresh| refresh.moved += 1, piece)
            }
        }
    }

    /// Counts a page that is fetched for the first time during a refresh.
    pub(super) fn record_new(&mut self, piece: &mut Piece) -> Result<(), StorageError> {
        self.refresh.count(|refresh| refresh.new += 1, piece)
    }

    fn visited_page(&self, id: u64) -> Result<PageRecord, StorageError> {
        self.latest_page(id)?
            .ok_or_else(|| self.state.corrupt("the page that a visit is about"))
    }
}

fn depart(id: u64, page: &mut PageRecord, fate: Fate, piece: &mut Piece) -> Result<(), StorageError> {
    if page.is_kept() {
        Catalogue::departs(id, piece);
    }
    page.fate = fate;
    Catalogue::set(id, page, piece)
}
