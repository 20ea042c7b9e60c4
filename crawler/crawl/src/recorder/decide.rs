//! The way of a page that was read: its verdict, its archive records, and its row.

use std::collections::BTreeSet;

use storage::warc::EncodedCapture;
use storage::{Discovered, Outcome, QueuedUrl, Visit};
use web::memory_budget::Claim;

use super::versions::{self, Unchanged, VisitRecord};
use super::{Recorder, Ruling, archive};
use crate::canonical::Decided;
use crate::exchange::Prepared;
use crate::messages::{Event, ReadPage, UndecidedPage};
use crate::steering::JudgedPage;
use error::RunError;

impl Recorder {
    /// Decides on the page and records it, or holds it, with the `memory` that it occupies, until its verdict can be told.
    pub(super) fn page_or_hold(&mut self, read: ReadPage, memory: Claim) -> Result<Option<Event>, RunError> {
        let (page, prepared) = (read.page, read.prepared?);
        let _span = tracing::debug_span!("record", url = %page.queued.url).entered();
        if let Some(revisit) = &page.queued.revisits
            && versions::says_nothing_new(self.books.store(), revisit, &page)?
        {
            return self.unchanged_page(&page, prepared).map(Some);
        }
        if let Some(event) = self.blocked_page(&page)? {
            return Ok(Some(event));
        }
        let id = self.books.store().next_page_id();
        let decided = loop {
            match self.judge.decide(&self.books, id, &page)? {
                Ruling::Now(decided) => break decided,
                Ruling::AfterCommit => self.commit()?,
                Ruling::WaitFor(on) => {
                    let prepared = Ok(prepared);
                    self.verdicts.hold(on, ReadPage { page, prepared }, memory);
                    return Ok(None);
                }
            }
        };
        self.decided_page(id, page, prepared, decided).map(Some)
    }

    /// Decides on the pages that waited for the verdicts on these own pages. Some may have to wait for another verdict.
    pub(super) fn decide_waiting(&mut self, ended: BTreeSet<u64>) -> Result<Vec<Event>, RunError> {
        let mut events = Vec::new();
        for on in ended {
            for (page, memory) in self.verdicts.take_waiting(on) {
                events.extend(self.page_or_hold(page, memory)?);
            }
        }
        Ok(events)
    }

    /// Records page number `id` with its verdict.
    fn decided_page(
        &mut self,
        id: u64,
        mut page: UndecidedPage,
        prepared: Prepared,
        decided: Decided,
    ) -> Result<Event, RunError> {
        tracing::debug!(url = %page.queued.url, status = page.draft.status, bytes = page.draft.body_bytes,
            elapsed_ms = page.draft.elapsed_ms, verdict = ?decided.verdict, "decided");
        page.draft.verdict = decided.verdict;
        page.draft.replaces = decided.replaced;
        if decided.replaced.is_some() {
            self.books.note_departures();
        }
        self.books.stats().verdict(&page.draft.verdict);
        self.blocked.note_page(id, &page);
        // The kept page that it repeats, or whose place it takes: its row is large, and read once for all that follows.
        let of = page
            .draft
            .replaces
            .map(|replaced| replaced.page)
            .or(page.draft.verdict.of());
        let kept = of.map(|of| self.books.store().latest_page(of)).transpose()?.flatten();
        let capture = self
            .archive
            .encoded(&page, prepared, kept.as_ref(), self.books.store())?;
        // Steering learns only from the first version of a page, and not from one that may say more another time.
        let judged = match page.queued.revisits {
            None if page.draft.is_incomplete => Some(JudgedPage::incomplete(id, &page.queued.url)),
            None => Some(self.verdicts.judged(&mut self.books, id, &page, kept)?),
            Some(_) => None,
        };
        let outcome = Outcome::Page {
            draft: Box::new(page.draft),
            capture,
        };
        self.finish(&page.queued, outcome, &page.outlinks, judged)
    }

    /// Records a page that says nothing new compared with its last version.
    fn unchanged_page(&mut self, page: &UndecidedPage, prepared: Prepared) -> Result<Event, RunError> {
        let visit = Unchanged {
            response: &page.response,
            fetched_at: page.draft.fetched_at,
            asked: Some(&page.asked),
            payload: Some((page.draft.body_bytes, page.draft.payload_digest)),
        };
        let capture = match self.archive.visit(self.books.store(), &page.queued, &visit)? {
            VisitRecord::Encoded(capture) => capture,
            VisitRecord::Whole => Some(prepared.kept(&archive::exchange(page))?),
        };
        self.unchanged(&page.queued, &visit, capture, &page.outlinks)
    }

    /// Records that the server says that the page is unchanged (304).
    pub(super) fn not_modified(&mut self, queued: &QueuedUrl, visit: &Unchanged<'_>) -> Result<Event, RunError> {
        let capture = match self.archive.visit(self.books.store(), queued, visit)? {
            VisitRecord::Encoded(capture) => capture,
            // There is no body.
            VisitRecord::Whole => None,
        };
        self.unchanged(queued, visit, capture, &[])
    }

    /// Records that a revisit found the page unchanged. Its links may have changed.
    fn unchanged(
        &mut self,
        queued: &QueuedUrl,
        visit: &Unchanged<'_>,
        capture: Option<EncodedCapture>,
        outlinks: &[Discovered],
    ) -> Result<Event, RunError> {
        let outcome = Outcome::Visited {
            visit: Visit::Unchanged,
            at: visit.fetched_at,
            wire_bytes: visit.response.wire_bytes,
            capture,
        };
        self.finish(queued, outcome, outlinks, None)
    }
}
