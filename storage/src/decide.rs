//! Staging: what is discovered and what becomes of it, gathered for the next commit.

use crate::chunk::{self, Place};
use crate::counts::Change;
use crate::error::StorageError;
use crate::format::{self, UrlRow};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::known::UrlHashSet;
use crate::outcome::{Failure, Finished, Outcome, UrlState, Visit};
use crate::page::{PageDraft, PageRecord, Replaced, Verdict};
use crate::staged::{FreshUrl, Piece};
use crate::store::{Store, now_ms};
use crate::visits::ArchivedVisit;
use crate::warc::EncodedCapture;
use crate::warc::metadata::{self, Event};
use crate::warc::writer::Archived;

impl Store {
    /// Queues those of `found` that are not known; returns them with their places. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] if one of them cannot be held (then none is queued); errors of the state.
    pub fn discover(&mut self, found: &[Discovered]) -> Result<Vec<QueuedUrl>, StorageError> {
        self.discover_from(found, None)
    }

    /// As [`discover`](Self::discover), of URLs that `via` leads to unless they say otherwise.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn discover_from(&mut self, found: &[Discovered], via: Option<&Via>) -> Result<Vec<QueuedUrl>, StorageError> {
        self.make_room()?;
        let fresh = self.fresh(found, via)?;
        Ok(self.stage_links(fresh))
    }

    /// Queues a URL again that is committed as failed and of which `is_worth_it` says that another try may do better; its
    /// attempts count from nothing. Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn try_again(
        &mut self,
        link: &Discovered,
        is_worth_it: impl FnOnce(&Failure) -> bool,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        self.make_room()?;
        match self.url_state(&link.host, &link.url)? {
            Some(UrlState::Failed(failure)) if is_worth_it(&failure) => {}
            _ => return Ok(None),
        }
        let Some(id) = self.id_of(&link.host, &link.url)? else {
            return Ok(None);
        };
        // What is committed does not say so yet if it is asked for twice.
        if !self.staged.try_again(id) {
            return Ok(None);
        }
        let mut piece = Piece::at(self.progress);
        let queued = QueuedUrl {
            id,
            ..QueuedUrl::new(link, None, piece.progress.next_seq)
        };
        piece.progress.next_seq += 1;
        piece.rows.push((format::url_key(id).to_vec(), None));
        piece.queue.push(chunk::Change::Add(queued.clone()));
        piece.changes.push((link.host.clone(), Change::TriedAgain));
        self.staged.take_place(queued.seq);
        self.stage(piece);
        Ok(Some(queued))
    }

    /// Records what became of a URL, with its page and its outlinks; all of it becomes durable together, with the next
    /// commit. Outlinks that are known already are passed over.
    ///
    /// # Errors
    /// [`StorageError::NotQueued`] if the URL is not in the queue at that place; [`StorageError::InvalidUrl`] if an outlink
    /// cannot be held; errors of the state and the archive. After an error nothing is recorded.
    pub fn finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
    ) -> Result<Finished, StorageError> {
        let refresh = self.refresh;
        let finished = self.try_finish(queued, outcome, outlinks);
        if finished.is_err() {
            self.refresh = refresh;
        }
        finished
    }

    /// All that is read, and what the archive is told, comes before the first record is appended, which cannot be taken back.
    fn try_finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
    ) -> Result<Finished, StorageError> {
        self.make_room()?;
        self.check_in_queue(queued)?;
        let via = match outcome {
            Outcome::Page { .. } => Via::Page(self.progress.next_page),
            _ => Via::Url(queued.url.as_str().into()),
        };
        let fresh = self.fresh(outlinks, Some(&via))?;
        // The links take their numbers before what the URL itself may need.
        let mut own = Piece::at(self.progress);
        own.progress.next_seq += fresh.len() as u64;
        own.queue.push(chunk::Change::Remove(Place::of(queued)));
        let mut finished = Finished::default();
        // What the archive is to say of it: when, what, and what is archived with it.
        let mut told: Option<(u64, Event, Option<EncodedCapture>)> = None;
        match outcome {
            Outcome::Retry => {
                let again = queued.again(own.progress.next_seq);
                own.progress.next_seq += 1;
                own.queue.push(chunk::Change::Add(again.clone()));
                finished.requeued = Some(again);
            }
            Outcome::Postponed { priority } => {
                let later = queued.postponed(priority, own.progress.next_seq);
                own.progress.next_seq += 1;
                own.queue.push(chunk::Change::Add(later.clone()));
                finished.requeued = Some(later);
            }
            Outcome::Page { draft, capture } => {
                let change = change_of(&draft);
                if let Some(replaced) = draft.replaces {
                    self.replace(replaced, &draft, &mut own)?;
                }
                let (fetched_at, replaced) = (draft.fetched_at, draft.replaces);
                let id = own.progress.next_page;
                own.progress.next_page += 1;
                // Its places in the archive are still to come; which of them there will be is known.
                let places = capture.as_ref().map(EncodedCapture::places).unwrap_or_default();
                let event = Event::Page {
                    sequence: id,
                    page: Box::new(PageRecord::new(queued, *draft, places)),
                    replaced,
                };
                told = Some((fetched_at, event, capture));
                match &queued.revisits {
                    Some(revisit) => self.record_departure(revisit.page, Some((id, fetched_at)), &mut own)?,
                    None => self.record_new(&mut own)?,
                }
                own.conclude(queued, UrlState::Page(id), change)?;
                finished.page_id = Some(id);
            }
            Outcome::Visited {
                visit,
                at,
                wire_bytes,
                capture,
            } => {
                let Some(revisit) = &queued.revisits else {
                    return Err(StorageError::NotQueued {
                        url: queued.url.clone(),
                    });
                };
                let status = capture.as_ref().map_or(0, |capture| capture.status);
                self.record_visit(revisit.page, visit, at, wire_bytes, &mut own)?;
                let event = Event::Visited {
                    page: revisit.page,
                    visit,
                    at,
                    wire_bytes,
                    status,
                };
                told = Some((at, event, capture)).filter(|_| visit != Visit::Unanswered);
            }
            Outcome::Redirect { to, status } => {
                if let Some(revisit) = &queued.revisits {
                    self.record_departure(revisit.page, None, &mut own)?;
                    let (page, to) = (revisit.page, to.clone());
                    told = Some((now_ms(), Event::Redirected { page, to, status }, None));
                }
                own.conclude(queued, UrlState::Redirect { to, status }, Change::Redirected)?;
            }
            Outcome::Failed { .. } if let Some(revisit) = &queued.revisits => {
                self.record_visit(revisit.page, Visit::Unanswered, 0, 0, &mut own)?;
            }
            Outcome::Failed { kind, status, detail } => {
                let attempts = queued.attempts.saturating_add(1);
                let failure = Failure {
                    kind,
                    status,
                    detail,
                    attempts,
                    depth: queued.depth,
                    via: queued.via.clone(),
                };
                own.conclude(queued, UrlState::Failed(failure), Change::Failed)?;
            }
            Outcome::Excluded { reason } => {
                if let Some(revisit) = &queued.revisits {
                    self.record_departure(revisit.page, None, &mut own)?;
                    let (page, reason) = (revisit.page, reason.clone());
                    told = Some((now_ms(), Event::Excluded { page, reason }, None));
                }
                own.conclude(queued, UrlState::Excluded { reason }, Change::Excluded)?;
            }
        }
        if let Some((at, event, capture)) = told {
            let record_id = capture.as_ref().and_then(|capture| capture.id.as_deref());
            let links = fresh.iter().map(|link| &link.queued);
            let commit = self.progress.commit + 1;
            let record = metadata::encode(&queued.url, at, commit, &event, links, &via, record_id)
                .map_err(|source| StorageError::io("compress a record for", self.warc_dir(), source))?;
            self.archive_event(at, event, capture, record, &mut own)?;
        }
        self.staged.give_up_place(queued.seq);
        if let Some(again) = &finished.requeued {
            self.staged.take_place(again.seq);
        }
        finished.newly_queued = self.stage_links(fresh);
        self.stage(own);
        Ok(finished)
    }

    fn check_in_queue(&self, queued: &QueuedUrl) -> Result<(), StorageError> {
        let is_queued = match self.staged.place(queued.seq) {
            Some(taken) => taken,
            None => chunk::is_taken(&self.state, &Place::of(queued))?,
        };
        if is_queued {
            Ok(())
        } else {
            Err(StorageError::NotQueued {
                url: queued.url.clone(),
            })
        }
    }

    /// Those of `links` that are not known, each once, with the places they will have. Stages nothing.
    fn fresh(&mut self, links: &[Discovered], via: Option<&Via>) -> Result<Vec<FreshUrl>, StorageError> {
        let mut fresh = Vec::new();
        let mut seen = UrlHashSet::default();
        let mut key = Vec::with_capacity(256);
        for link in links {
            format::check_url(&link.host, &link.url)?;
            format::push_url_key(&mut key, &link.host, &link.url);
            let hash = self.known.hash(&key);
            if seen.contains(&hash) || self.known.contains(&self.state, hash)? {
                continue;
            }
            seen.insert(hash);
            let seq = self.progress.next_seq + fresh.len() as u64;
            let queued = QueuedUrl::new(link, via, seq);
            fresh.push(FreshUrl { hash, queued });
        }
        Ok(fresh)
    }

    /// Makes a kept page a duplicate of the one that `draft` becomes, in the same piece.
    fn replace(&self, replaced: Replaced, draft: &PageDraft, own: &mut Piece) -> Result<(), StorageError> {
        let kept = self.latest_page(replaced.page)?;
        let kept = kept.filter(PageRecord::is_kept);
        let takes_its_place = draft.verdict == Verdict::Unique && replaced.verdict.of() == Some(own.progress.next_page);
        let Some(mut page) = kept.filter(|_| takes_its_place) else {
            return Err(StorageError::NotReplaceable { page: replaced.page });
        };
        page.verdict = replaced.verdict;
        let change = Change::Replaced {
            is_exact: matches!(replaced.verdict, Verdict::Exact { .. }),
            body_bytes: page.body_bytes,
        };
        let row = format::encode(&page)?;
        own.rows.push((format::page_key(replaced.page).to_vec(), Some(row)));
        own.rows.push((format::departed_key(replaced.page), Some(Vec::new())));
        own.changes.push((page.host, change));
        Ok(())
    }

    /// Gives what was captured a place in the archive, the `record` of the event one beside it, and records in `own` where they
    /// are. Fails, if at all, before anything is appended: the rows that are encoded after it are so into memory.
    fn archive_event(
        &mut self,
        at: u64,
        event: Event,
        capture: Option<EncodedCapture>,
        record: EncodedCapture,
        own: &mut Piece,
    ) -> Result<(), StorageError> {
        let mut archived = Archived::default();
        let (mut status, mut digest) = (0, [0; 20]);
        match capture {
            Some(capture) => {
                (status, digest) = (capture.status, capture.payload_digest);
                archived = self.archive.append(capture, at)?;
                self.archive.append_beside(record, at)?;
            }
            None => {
                self.archive.append(record, at)?;
            }
        }
        own.progress.archive = self.archive.end();
        match event {
            Event::Page { sequence, mut page, .. } => {
                (page.response, page.text, page.revisit) = (archived.response, archived.text, archived.revisit);
                let row = format::encode(&*page)?;
                own.rows.push((format::page_key(sequence).to_vec(), Some(row)));
            }
            Event::Visited { page, at, .. } if let Some(location) = archived.revisit => {
                let visit = ArchivedVisit {
                    status,
                    location,
                    digest,
                };
                let row = format::encode(&visit)?;
                own.rows.push((format::archived_visit_key(page, at), Some(row)));
            }
            Event::Visited { .. } | Event::Redirected { .. } | Event::Excluded { .. } => {}
        }
        Ok(())
    }

    /// Hands new links over to the next commit. Nothing here can fail.
    fn stage_links(&mut self, fresh: Vec<FreshUrl>) -> Vec<QueuedUrl> {
        let mut staged = Vec::with_capacity(fresh.len());
        for link in fresh {
            self.totals.apply(Change::Discovered);
            self.known.insert(link.hash, link.queued.id);
            self.staged.take_place(link.queued.seq);
            self.progress.next_seq = self.progress.next_seq.max(link.queued.seq + 1);
            staged.push(link.queued.clone());
            self.staged.push_link(link);
        }
        staged
    }

    /// Hands a piece over to the next commit. Nothing here can fail.
    pub(crate) fn stage(&mut self, piece: Piece) {
        for (_, change) in &piece.changes {
            self.totals.apply(*change);
        }
        self.progress = piece.progress;
        self.staged.push(piece);
    }
}

impl Piece {
    /// A URL's own end: its state, and what that changes in the counts of its host.
    fn conclude(&mut self, queued: &QueuedUrl, state: UrlState, change: Change) -> Result<(), StorageError> {
        let row = UrlRow::new(&queued.host, &queued.url, state);
        self.rows
            .push((format::url_key(queued.id).to_vec(), Some(format::encode(&row)?)));
        self.changes.push((queued.host.clone(), change));
        Ok(())
    }
}

fn change_of(draft: &PageDraft) -> Change {
    let wire_bytes = draft.wire_bytes;
    match draft.verdict {
        Verdict::Unique => Change::Kept {
            wire_bytes,
            body_bytes: draft.body_bytes,
        },
        Verdict::Exact { .. } => Change::Exact { wire_bytes },
        Verdict::Near { .. } => Change::Near { wire_bytes },
    }
}
