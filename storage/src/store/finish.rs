//! Stages the outcome of a URL, one function an outcome.

use super::Store;
use crate::catalogue::Catalogue;
use crate::commit::Piece;
use crate::counts::CountChange;
use crate::edges::Edges;
use crate::error::StorageError;
use crate::frontier::{Discovered, Place, QueueChange, QueuedUrl, Via};
use crate::links::{Links, Placed};
use crate::outbox::{Ended, Letter, Sealed};
use crate::outcome::{Finished, Outcome};
use crate::page::{PageDraft, PageRecord, Replaced, VerdictKind};
use crate::revisits::{ArchivedVisit, Revisits, Visit};
use crate::url_state::{Failure, UrlState, stored_text};
use crate::urls::FinishedUrls;
use crate::warc::EncodedCapture;
use crate::warc::metadata::{self, Event, Named};
use crate::warc::record::now_ms;

/// The end of a URL: everything that becomes durable with its outcome.
struct Ending<'a> {
    queued: &'a QueuedUrl,
    /// Its depth by the shortest path so far.
    depth: u16,
    edges: Edges,
    piece: Piece,
    /// What the archive gets, if it gets anything.
    record: Option<EventRecord>,
    finished: Finished,
}

/// An event for the archive.
struct EventRecord {
    /// Milliseconds since the Unix epoch.
    at: u64,
    event: Event,
    /// The records archived with it.
    capture: Option<EncodedCapture>,
}

impl Store {
    /// Records the outcome of a URL, with its page and its outlinks; all of it becomes durable together, with the next
    /// commit. The store does not queue outlinks that it knows already, and those beyond [the depth](Self::set_max_depth). The caller has
    /// made the depths of the outlinks from the depth of the URL.
    ///
    /// # Errors
    /// [`StorageError::NotQueued`] if the URL is not in the queue at that place; [`StorageError::InvalidUrl`] if the store
    /// cannot hold an outlink; errors of the state and the archive. After an error nothing is recorded.
    pub fn finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
    ) -> Result<Finished, StorageError> {
        let placed = self.links.placed(queued, outlinks)?;
        self.finish_with(queued, outcome, &placed, |_| Vec::new())
    }

    /// [`finish`](Self::finish), with outlinks that have been [placed](Self::placed), and `mail`: makes the letters that become durable
    /// together with the outcome.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_with(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &Placed<'_>,
        mail: impl FnOnce(&Ended<'_>) -> Vec<Letter>,
    ) -> Result<Finished, StorageError> {
        let refresh = self.refresh;
        let finished = self.try_finish(queued, outcome, outlinks, mail);
        if finished.is_err() {
            self.refresh = refresh;
        }
        finished
    }

    /// Every step that can fail comes before the first record is appended to the archive, because an appended record cannot be
    /// taken back.
    fn try_finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &Placed<'_>,
        mail: impl FnOnce(&Ended<'_>) -> Vec<Letter>,
    ) -> Result<Finished, StorageError> {
        self.make_room()?;
        if !self.queue.has(queued, &self.staged)? {
            return Err(StorageError::NotQueued {
                url: queued.url.clone(),
            });
        }
        let via = match outcome {
            Outcome::Page { .. } => Via::Page(self.progress.next_page),
            _ => Via::Url(queued.url.as_str().into()),
        };
        let depth = self.links.true_depth(queued)?;
        let found = self.links.find(&outlinks.within, Some(&via), self.progress.next_seq)?;
        let edges = Links::edges_of(&found, depth);
        let deep = Links::deep(queued.id, depth, &outlinks.beyond)?;
        let mut ending = Ending::new((queued, depth), edges, self.piece());
        // The links take their numbers before the URL itself.
        ending.piece.skip_seqs(found.fresh.len());
        self.end_with(&mut ending, outcome)?;
        let letters = Sealed::of(mail(&Ended {
            page_id: ending.finished.page_id,
            links: found.named().collect(),
            requeued: ending.finished.requeued.as_ref(),
        }))?;
        if let Some(EventRecord { at, event, capture }) = ending.record.take() {
            let record_id = capture.as_ref().and_then(|capture| capture.id.as_deref());
            let compression = capture
                .as_ref()
                .map_or(self.archive.compression(), |capture| capture.compression);
            // The number of the next commit, which will hold this.
            let commit = self.progress.commit + 1;
            let warcinfo = self.archive.next_warcinfo(compression)?;
            let record = metadata::encode(
                &queued.url,
                (at, commit),
                &event,
                found.named(),
                &via,
                Named {
                    concurrent_to: record_id,
                    warcinfo: warcinfo.as_deref(),
                },
                compression,
            )
            .map_err(|source| StorageError::io("compress a record for", self.warc_dir(), source))?;
            self.archive_event(EventRecord { at, event, capture }, record, &mut ending.piece)?;
            for link in &found.early {
                self.links.archived(link.hash);
            }
        }
        let Ending {
            mut piece,
            mut finished,
            ..
        } = ending;
        self.outbox.put(letters, &mut piece);
        finished.newly_queued = self.stage_links(found.fresh);
        // Before the page: a crash between the two lets the page come again, but loses no shorter path.
        self.stage_lowered(&found.lowered);
        // Each row is a piece, because it is long.
        let mut deep_rows = self.piece();
        deep.set(&mut deep_rows);
        for row in deep_rows.divided(1) {
            self.stage(row);
        }
        self.stage(piece);
        Ok(finished)
    }

    fn end_with(&mut self, ending: &mut Ending<'_>, outcome: Outcome) -> Result<(), StorageError> {
        match outcome {
            Outcome::Retry => {
                ending.requeue(QueuedUrl::again);
                Ok(())
            }
            Outcome::Postponed { priority } => {
                ending.requeue(|queued, seq| queued.postponed(priority, seq));
                Ok(())
            }
            Outcome::Page { draft, capture } => self.end_with_page(ending, *draft, capture),
            Outcome::Visited {
                visit,
                at,
                wire_bytes,
                capture,
            } => self.end_with_visit(ending, visit, at, wire_bytes, capture),
            Outcome::Redirect { to, status } => self.end_with_redirect(ending, to, status),
            Outcome::Failed { kind, status, detail } => self.end_with_failure(ending, kind, status, detail),
            Outcome::Excluded { reason } => self.end_with_exclusion(ending, reason),
        }
    }

    fn end_with_page(
        &mut self,
        ending: &mut Ending<'_>,
        draft: PageDraft,
        capture: Option<EncodedCapture>,
    ) -> Result<(), StorageError> {
        let (queued, depth, piece) = (ending.queued, ending.depth, &mut ending.piece);
        let change = CountChange::Decided {
            class: draft.verdict.kind(),
            wire_bytes: draft.wire_bytes,
            body_bytes: draft.body_bytes,
        };
        if let Some(replaced) = draft.replaces {
            self.replace(replaced, &draft, piece)?;
        }
        let (fetched_at, replaced) = (draft.fetched_at, draft.replaces);
        let id = piece.take_page();
        match &queued.revisits {
            Some(revisit) => self.record_departure(revisit.page, Some((id, fetched_at)), piece)?,
            None => self.record_new(piece)?,
        }
        ending.conclude(UrlState::Page(id), change)?;
        // The archive has not given out places yet; the event needs to know only which records there will be.
        let places = capture.as_ref().map(EncodedCapture::places).unwrap_or_default();
        let page = PageRecord {
            depth,
            ..PageRecord::new(queued, draft, places)
        };
        let event = Event::Page {
            sequence: id,
            page: Box::new(page),
            replaced,
        };
        ending.record = Some(EventRecord {
            at: fetched_at,
            event,
            capture,
        });
        ending.finished.page_id = Some(id);
        Ok(())
    }

    fn end_with_visit(
        &mut self,
        ending: &mut Ending<'_>,
        visit: Visit,
        at: u64,
        wire_bytes: u64,
        capture: Option<EncodedCapture>,
    ) -> Result<(), StorageError> {
        let Some(revisit) = &ending.queued.revisits else {
            return Err(StorageError::NotQueued {
                url: ending.queued.url.clone(),
            });
        };
        let page = revisit.page;
        self.record_visit(page, visit, at, wire_bytes, &mut ending.piece)?;
        let event = Event::Visited {
            page,
            visit,
            at,
            wire_bytes,
            status: capture.as_ref().map_or(0, |capture| capture.status),
        };
        if visit != Visit::Unanswered {
            ending.record = Some(EventRecord { at, event, capture });
        }
        Ok(())
    }

    fn end_with_redirect(&mut self, ending: &mut Ending<'_>, to: String, status: u16) -> Result<(), StorageError> {
        if let Some(revisit) = &ending.queued.revisits {
            self.record_departure(revisit.page, None, &mut ending.piece)?;
            let (page, to) = (revisit.page, to.clone());
            ending.note(Event::Redirected { page, to, status });
        }
        ending.conclude(UrlState::Redirect { to, status }, CountChange::Redirected)
    }

    fn end_with_failure(
        &mut self,
        ending: &mut Ending<'_>,
        kind: String,
        status: Option<u16>,
        detail: String,
    ) -> Result<(), StorageError> {
        let queued = ending.queued;
        if let Some(revisit) = &queued.revisits {
            return self.record_visit(revisit.page, Visit::Unanswered, 0, 0, &mut ending.piece);
        }
        let failure = Failure {
            kind,
            status,
            detail,
            attempts: queued.attempts.saturating_add(1),
            depth: ending.depth,
            via: queued.via.clone(),
        };
        ending.conclude(UrlState::Failed(failure), CountChange::Failed)
    }

    fn end_with_exclusion(&mut self, ending: &mut Ending<'_>, reason: String) -> Result<(), StorageError> {
        if let Some(revisit) = &ending.queued.revisits {
            self.record_departure(revisit.page, None, &mut ending.piece)?;
            let (page, reason) = (revisit.page, reason.clone());
            ending.note(Event::Excluded { page, reason });
        }
        ending.conclude(UrlState::Excluded { reason }, CountChange::Excluded)
    }

    /// Makes a kept page a duplicate of the page that `draft` becomes, in the same piece.
    fn replace(&self, replaced: Replaced, draft: &PageDraft, piece: &mut Piece) -> Result<(), StorageError> {
        let kept = self.latest_page(replaced.page)?;
        let kept = kept.filter(PageRecord::is_kept);
        let takes_its_place =
            !draft.verdict.is_duplicate() && replaced.verdict.of() == Some(piece.progress().next_page);
        let Some(mut page) = kept.filter(|_| takes_its_place) else {
            return Err(StorageError::NotReplaceable { page: replaced.page });
        };
        page.verdict = replaced.verdict;
        let change = CountChange::Reclassified {
            was: VerdictKind::Kept,
            now: replaced.verdict.kind(),
            body_bytes: page.body_bytes,
        };
        Catalogue::set(replaced.page, &page, piece)?;
        Catalogue::departs(replaced.page, piece);
        piece.count(page.host, change);
        Ok(())
    }

    /// Appends the capture to the archive, the metadata `record` beside it, and adds the rows with their places to `piece`. It can fail
    /// only before it appends: the rows are encoded into memory afterwards.
    fn archive_event(
        &mut self,
        EventRecord { at, event, mut capture }: EventRecord,
        record: EncodedCapture,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        let (status, digest, content_type) = match &mut capture {
            Some(capture) => (capture.status, capture.payload_digest, capture.content_type.take()),
            None => (0, [0; 20], None),
        };
        let archived = self.archive.append(capture, record, at)?;
        self.archive.note_names(piece)?;
        piece.end_archive_at(self.archive.end());
        match event {
            Event::Page { sequence, mut page, .. } => {
                (page.response, page.text, page.revisit) = (archived.response, archived.text, archived.revisit);
                Catalogue::set(sequence, &page, piece)
            }
            Event::Visited { page, at, .. } if let Some(location) = archived.response.or(archived.revisit) => {
                let visit = ArchivedVisit {
                    status,
                    location,
                    digest,
                    response_type: content_type
                        .filter(|_| archived.response.is_some())
                        .map(|content_type| stored_text(&content_type)),
                };
                Revisits::set_archived(page, at, &visit, piece)
            }
            Event::Visited { .. } | Event::Redirected { .. } | Event::Excluded { .. } | Event::Yielded { .. } => Ok(()),
        }
    }
}

impl<'a> Ending<'a> {
    fn new((queued, depth): (&'a QueuedUrl, u16), edges: Edges, mut piece: Piece) -> Self {
        piece.change_queue(QueueChange::Remove(Place::of(queued)));
        Self {
            queued,
            depth,
            edges,
            piece,
            record: None,
            finished: Finished::default(),
        }
    }

    /// Returns the URL to the queue, changed by `change`, which gets its new `seq`.
    fn requeue(&mut self, change: impl FnOnce(&QueuedUrl, u64) -> QueuedUrl) {
        let queued = change(self.queued, self.piece.take_seq());
        self.piece.change_queue(QueueChange::Add(queued.clone()));
        self.finished.requeued = Some(queued);
    }

    /// Sets the state of the URL, and counts it.
    fn conclude(&mut self, state: UrlState, change: CountChange) -> Result<(), StorageError> {
        let (id, name) = (self.queued.id, (&*self.queued.host, &*self.queued.url));
        FinishedUrls::set(id, name, state, &self.edges, &mut self.piece)?;
        self.piece.count(self.queued.host.clone(), change);
        Ok(())
    }

    /// Archives an event of this moment that has no capture.
    fn note(&mut self, event: Event) {
        self.record = Some(EventRecord {
            at: now_ms(),
            event,
            capture: None,
        });
    }
}
