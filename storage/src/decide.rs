//! Staging: what is discovered and what becomes of it, gathered for the next commit.

use crate::counts::Change;
use crate::error::StorageError;
use crate::format::{self, UrlRow};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::known::{UrlHash, UrlHashSet};
use crate::outcome::{Failure, Finished, Outcome, UrlState, Visit};
use crate::page::{PageDraft, PageRecord, Replaced, Verdict};
use crate::staged::{LINKS_A_PIECE, Piece};
use crate::store::Store;
use crate::visits::ArchivedVisit;
use crate::warc::EncodedCapture;
use crate::warc::writer::Archived;

/// URLs not known before, with the hashes they will be known by.
type Fresh = Vec<(UrlHash, QueuedUrl)>;

impl Store {
    /// Queues those of `found` that are not known; returns them with their places. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] if one of them cannot be held (then none is queued); errors of the state.
    pub fn discover(&mut self, found: &[Discovered]) -> Result<Vec<QueuedUrl>, StorageError> {
        self.make_room()?;
        let fresh = self.fresh(found, None)?;
        let pieces = self.link_pieces(&fresh)?;
        Ok(self.stage(pieces, fresh))
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
        let mut piece = Piece::at(self.progress);
        let queued = QueuedUrl {
            id,
            ..QueuedUrl::new(link, None, piece.progress.next_seq)
        };
        piece.progress.next_seq += 1;
        piece.rows.push((format::url_key(id).to_vec(), None));
        piece.rows.push((queued.key(), Some(queued.row()?)));
        piece.changes.push((link.host.clone(), Change::TriedAgain));
        self.staged.take_place(queued.seq);
        self.stage(vec![piece], Fresh::new());
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
        self.make_room()?;
        self.check_in_queue(queued)?;
        let via = match outcome {
            Outcome::Page { .. } => Via::Page(self.progress.next_page),
            _ => Via::Url(queued.url.clone()),
        };
        let fresh = self.fresh(outlinks, Some(&via))?;
        let mut pieces = self.link_pieces(&fresh)?;
        // The last links share the piece of the URL's own end; what does not fit goes before it, and does no harm if it
        // alone survives: links found a little early.
        let mut own = pieces.pop().unwrap_or_else(|| Piece::at(self.progress));
        own.rows.push((queued.key(), None));
        let mut finished = Finished::default();
        match outcome {
            Outcome::Retry => {
                let again = queued.again(own.progress.next_seq);
                own.progress.next_seq += 1;
                own.rows.push((again.key(), Some(again.row()?)));
                finished.requeued = Some(again);
            }
            Outcome::Postponed { priority } => {
                let later = queued.postponed(priority, own.progress.next_seq);
                own.progress.next_seq += 1;
                own.rows.push((later.key(), Some(later.row()?)));
                finished.requeued = Some(later);
            }
            Outcome::Page { draft, capture } => {
                let change = change_of(&draft);
                if let Some(replaced) = draft.replaces {
                    self.replace(replaced, &draft, &mut own)?;
                }
                let fetched_at = draft.fetched_at;
                let id = self.record_page(queued, *draft, capture, &mut own)?;
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
                if let Some(capture) = capture {
                    let status = capture.status;
                    let archived = self.archive.append(capture, at)?;
                    own.progress.archive = self.archive.end();
                    if let Some(location) = archived.revisit {
                        let row = format::encode(&ArchivedVisit { status, location })?;
                        own.rows.push((format::archived_visit_key(revisit.page, at), Some(row)));
                    }
                }
                self.record_visit(revisit.page, visit, at, wire_bytes, &mut own)?;
            }
            Outcome::Redirect { to, status } => {
                if let Some(revisit) = &queued.revisits {
                    self.record_departure(revisit.page, None, &mut own)?;
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
                }
                own.conclude(queued, UrlState::Excluded { reason }, Change::Excluded)?;
            }
        }
        self.staged.give_up_place(queued.seq);
        if let Some(again) = &finished.requeued {
            self.staged.take_place(again.seq);
        }
        pieces.push(own);
        finished.newly_queued = self.stage(pieces, fresh);
        Ok(finished)
    }

    fn check_in_queue(&self, queued: &QueuedUrl) -> Result<(), StorageError> {
        let is_queued = match self.staged.place(queued.seq) {
            Some(taken) => taken,
            None => self.state.contains(queued.key())?,
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
    fn fresh(&mut self, links: &[Discovered], via: Option<&Via>) -> Result<Fresh, StorageError> {
        let mut fresh = Fresh::new();
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
            fresh.push((
                hash,
                QueuedUrl::new(link, via, self.progress.next_seq + fresh.len() as u64),
            ));
        }
        Ok(fresh)
    }

    /// The rows of new links, in pieces that fit into a batch.
    fn link_pieces(&self, fresh: &[(UrlHash, QueuedUrl)]) -> Result<Vec<Piece>, StorageError> {
        let mut pieces = Vec::with_capacity(fresh.len().div_ceil(LINKS_A_PIECE));
        for links in fresh.chunks(LINKS_A_PIECE) {
            let mut piece = Piece::at(self.progress);
            let hashes: Vec<UrlHash> = links.iter().map(|(hash, _)| *hash).collect();
            let first = links.first().map_or(0, |(_, queued)| queued.id);
            piece
                .rows
                .push((format::log_key(first).to_vec(), Some(format::log_row(&hashes))));
            for (_, queued) in links {
                piece.rows.push((queued.key(), Some(queued.row()?)));
                piece.changes.push((queued.host.clone(), Change::Discovered));
                piece.progress.next_seq = queued.seq + 1;
            }
            pieces.push(piece);
        }
        Ok(pieces)
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

    /// Gives the page its number and its capture a place in the archive.
    fn record_page(
        &mut self,
        queued: &QueuedUrl,
        draft: PageDraft,
        capture: Option<EncodedCapture>,
        own: &mut Piece,
    ) -> Result<u64, StorageError> {
        let mut archived = Archived::default();
        if let Some(capture) = capture {
            archived = self.archive.append(capture, draft.fetched_at)?;
            own.progress.archive = self.archive.end();
        }
        let id = own.progress.next_page;
        own.progress.next_page += 1;
        let record = PageRecord::new(queued, draft, archived);
        own.rows
            .push((format::page_key(id).to_vec(), Some(format::encode(&record)?)));
        Ok(id)
    }

    /// Hands the pieces over to the next commit. Nothing here can fail.
    pub(crate) fn stage(&mut self, pieces: Vec<Piece>, fresh: Fresh) -> Vec<QueuedUrl> {
        for piece in pieces {
            for (_, change) in &piece.changes {
                self.totals.apply(*change);
            }
            self.progress = piece.progress;
            self.staged.push(piece);
        }
        let staged = fresh.into_iter().map(|(hash, queued)| {
            self.known.insert(hash, queued.id);
            self.staged.take_place(queued.seq);
            queued
        });
        staged.collect()
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
