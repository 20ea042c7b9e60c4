//! The decision on a page that was read: its verdict, its archive records, and the judgement that steering learns
//! from.

use dedup::DocId;
use storage::warc::EncodedCapture;
use storage::{Discovered, Outcome, QueuedUrl, Verdict, Visit};

use web::memory_budget::Claim;

use super::versions::{self, Unchanged, VisitRecord};
use super::{Recorder, archive};
use crate::canonical::{self, Decided, KeptPage, Named};
use crate::fleet::verdicts::Decision;
use crate::index::{encode_signature, stored};
use crate::messages::{Event, ReadPage, UndecidedPage};
use crate::steering::{DuplicateOf, JudgedPage, sample_of_links};
use error::RunError;

/// The result of a page.
enum Recorded {
    /// It is recorded.
    Event(Box<Event>),
    /// It must wait for the claim of an own page.
    Waits { page: Box<ReadPage>, on: u64 },
}

impl Recorder {
    /// Decides on the page and records it, or holds it, with the `memory` that it occupies, until the log of the fleet has moved on.
    pub(super) fn page_or_hold(&mut self, read: ReadPage, memory: Claim) -> Result<Option<Event>, RunError> {
        Ok(match self.page(read)? {
            Recorded::Event(event) => Some(*event),
            Recorded::Waits { page, on } => {
                self.hold(on, *page, memory);
                None
            }
        })
    }

    /// Decides on the page and records it, unless it must wait.
    fn page(&mut self, read: ReadPage) -> Result<Recorded, RunError> {
        let (mut page, prepared) = (read.page, read.prepared?);
        if let Some(revisit) = &page.queued.revisits
            && versions::says_nothing_new(&self.store, revisit, &page)?
        {
            let visit = Unchanged {
                response: &page.response,
                fetched_at: page.draft.fetched_at,
                asked: Some(&page.asked),
                payload: Some((page.draft.body_bytes, page.draft.payload_digest)),
            };
            let capture = match self.record_of(&page.queued, &visit)? {
                VisitRecord::Encoded(capture) => capture,
                VisitRecord::Whole => Some(prepared.kept(&archive::exchange(&page))?),
            };
            let event = self.unchanged(&page.queued, &visit, capture, &page.outlinks)?;
            return Ok(Recorded::Event(Box::new(event)));
        }
        let id = self.store.next_page_id();
        let decided = match self.decision_by_log(id, &page.signature)? {
            None => {
                let verdict = stored(self.verdict(DocId(id), &page)?);
                self.decide(id, &page, verdict)?
            }
            Some(Decision::Wait(on)) => {
                let page = Box::new(ReadPage {
                    page,
                    prepared: Ok(prepared),
                });
                return Ok(Recorded::Waits { page, on });
            }
            // No page of another worker can be exchanged for its canonical page.
            Some(Decision::Duplicate(verdict)) => Decided {
                verdict,
                replaced: None,
            },
            Some(Decision::Keep) => Decided {
                verdict: Verdict::Unique,
                replaced: None,
            },
        };
        tracing::debug!(url = %page.queued.url, status = page.draft.status, bytes = page.draft.body_bytes,
            elapsed_ms = page.draft.elapsed_ms, verdict = ?decided.verdict, "decided");
        page.draft.verdict = decided.verdict;
        page.draft.replaces = decided.replaced;
        self.has_departures |= decided.replaced.is_some();
        self.stats.verdict(&page.draft.verdict);
        let capture = archive::encoded(&page, prepared, &self.store, &mut self.kept_texts, self.duplicates)?;
        // Steering learns only from the first version of a page, and not from one that may say more another time.
        let judged = match page.queued.revisits {
            None if page.draft.is_incomplete => Some(JudgedPage::incomplete(id, &page.queued.url)),
            None => Some(self.judged(id, &page)?),
            Some(_) => None,
        };
        let mut draft = page.draft;
        draft.signature = encode_signature(&page.signature)?;
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture,
        };
        let event = self.finish(&page.queued, outcome, &page.outlinks, judged)?;
        Ok(Recorded::Event(Box::new(event)))
    }

    /// The verdict on a page. A unique page enters the index. A new version of a page is not compared with its last
    /// version.
    fn verdict(&mut self, id: DocId, page: &UndecidedPage) -> Result<dedup::Verdict, RunError> {
        let verdict = self.compare(id, page)?;
        let is_departing = verdict.of().is_some_and(|of| self.departing.contains(&of.0));
        if !is_departing {
            return Ok(verdict);
        }
        // The page that it duplicates is no longer kept, but only a commit takes that page out of the index.
        self.commit()?;
        self.compare(id, page)
    }

    fn compare(&self, id: DocId, page: &UndecidedPage) -> Result<dedup::Verdict, RunError> {
        let Some(revisit) = &page.queued.revisits else {
            return Ok(self.dedup.check_and_insert(id, &page.signature)?);
        };
        let verdict = self.dedup.check_except(&page.signature, DocId(revisit.page))?;
        if verdict == dedup::Verdict::Unique {
            self.dedup.insert(id, &page.signature)?;
        }
        Ok(verdict)
    }

    /// The decision by the verdict: the page may take the place of the page that it duplicates.
    fn decide(&self, id: u64, page: &UndecidedPage, verdict: Verdict) -> Result<Decided, RunError> {
        if !self.prefer_canonical {
            return Ok(Decided {
                verdict,
                replaced: None,
            });
        }
        let named = Named {
            url: &page.queued.url,
            canonical: page.draft.canonical.as_deref(),
        };
        let kept_page = |of| Ok(self.store.latest_page(of)?.and_then(KeptPage::of));
        canonical::decide(&self.dedup, id, named, &page.signature, verdict, kept_page)
    }

    /// The page as steering learns from it. A page that takes another's place counts as a duplicate of it.
    fn judged(&mut self, id: u64, page: &UndecidedPage) -> Result<JudgedPage, RunError> {
        let (queued, draft) = (&page.queued, &page.draft);
        let verdict = draft.replaces.map_or(draft.verdict, |replaced| replaced.verdict);
        let of = draft.replaces.map(|replaced| replaced.page).or(draft.verdict.of());
        let within = |link: &&Discovered| link.depth <= self.max_depth;
        let links: Vec<&str> = page
            .outlinks
            .iter()
            .filter(within)
            .map(|link| link.url.as_str())
            .collect();
        let links = || links.iter().copied();
        if draft.verdict.of().is_none() {
            // Later pages with this text are compared with this page.
            self.cluster_links.note(id, &queued.url, links());
        }
        let Some(of) = of else {
            return Ok(JudgedPage::new(id, &queued.url, queued.via.as_ref(), None));
        };
        let new_links = sample_of_links(self.cluster_links.note(of, &queued.url, links()));
        self.store.record_new_links(id, &new_links)?;
        let kept = self.store.latest_page(of)?;
        let duplicate_of = kept.map(|kept| DuplicateOf::new(of, kept.url, &verdict, Some(new_links)));
        Ok(JudgedPage::new(id, &queued.url, queued.via.as_ref(), duplicate_of))
    }

    /// Records that the server says that the page is unchanged (304).
    pub(super) fn not_modified(&mut self, queued: &QueuedUrl, visit: &Unchanged<'_>) -> Result<Event, RunError> {
        let capture = match self.record_of(queued, visit)? {
            VisitRecord::Encoded(capture) => capture,
            // There is no body.
            VisitRecord::Whole => None,
        };
        self.unchanged(queued, visit, capture, &[])
    }

    fn record_of(&self, queued: &QueuedUrl, visit: &Unchanged<'_>) -> Result<VisitRecord, RunError> {
        versions::record(&self.store, &self.requests, queued, visit, self.duplicates)
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
