//! Stages URLs that were found: new ones, and failed ones that get another try.

use super::{FreshUrl, Piece};
use crate::chunk::QueueChange;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::known::{UrlHashSet, UrlId};
use crate::outbox::Letter;
use crate::store::Store;
use crate::url_state::{Failure, UrlState};

/// Links that a metadata record must name.
pub(super) struct FoundLinks {
    /// URLs that were not known.
    pub fresh: Vec<FreshUrl>,
    /// URLs that are known and in no metadata record yet: see [`early`](crate::early). Their places have no meaning.
    pub early: Vec<FreshUrl>,
    /// All known URLs, with the depths by these links.
    pub known: Vec<(UrlId, u16)>,
    /// Those of them that are deeper.
    pub lowered: Vec<(UrlId, u16)>,
}

impl Store {
    /// Queues the URLs of `found` that are not known and returns them with their places. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] if the store cannot hold one of them (then it queues none); errors of the state.
    pub fn discover(&mut self, found: &[Discovered]) -> Result<Vec<QueuedUrl>, StorageError> {
        self.discover_from(found, None)
    }

    /// [`discover`](Self::discover), with `via` as the link source of every URL that names none itself.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn discover_from(&mut self, found: &[Discovered], via: Option<&Via>) -> Result<Vec<QueuedUrl>, StorageError> {
        self.discover_with(found, via, |_| Vec::new())
    }

    /// [`discover_from`](Self::discover_from), with `mail`: makes letters about the URLs that are new. A URL that is known is among them
    /// only if a crash may have lost the letters about it.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn discover_with(
        &mut self,
        found: &[Discovered],
        via: Option<&Via>,
        mail: impl FnOnce(&[&QueuedUrl]) -> Vec<Letter>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        self.make_room()?;
        let FoundLinks {
            fresh, early, lowered, ..
        } = self.fresh(found, via)?;
        let links: Vec<&QueuedUrl> = fresh.iter().chain(&early).map(|link| &link.queued).collect();
        let rows = self.outbox.rows(mail(&links))?;
        let queued = self.stage_links(fresh);
        self.stage_lowered(&lowered);
        if !rows.is_empty() {
            let mut piece = Piece::at(self.progress);
            self.outbox.put(rows, &mut piece);
            self.stage_piece(piece);
        }
        Ok(queued)
    }

    /// Queues a URL again whose committed state is a failure that `is_worth_it` accepts. Its count of attempts restarts at 0.
    /// Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn try_again(
        &mut self,
        link: &Discovered,
        is_worth_it: impl FnOnce(&Failure) -> bool,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        match self.url_state(&link.host, &link.url)? {
            Some(UrlState::Failed(failure)) if is_worth_it(&failure) => self.queue_again(link, CountChange::TriedAgain),
            _ => Ok(None),
        }
    }

    /// Queues a URL again whose committed state is an exclusion for this reason. Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn admit_again(&mut self, link: &Discovered, reason: &str) -> Result<Option<QueuedUrl>, StorageError> {
        match self.url_state(&link.host, &link.url)? {
            Some(UrlState::Excluded { reason: of }) if of == reason => self.queue_again(link, CountChange::Admitted),
            _ => Ok(None),
        }
    }

    /// Queues a URL again whose committed state is a redirect. Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn follow_again(&mut self, link: &Discovered) -> Result<Option<QueuedUrl>, StorageError> {
        match self.url_state(&link.host, &link.url)? {
            Some(UrlState::Redirect { .. }) => self.queue_again(link, CountChange::Answered),
            _ => Ok(None),
        }
    }

    /// Queues a URL that has its outcome. `None` if it is in the queue already.
    fn queue_again(&mut self, link: &Discovered, change: CountChange) -> Result<Option<QueuedUrl>, StorageError> {
        self.make_room()?;
        let Some(id) = self.id_of(&link.host, &link.url)? else {
            return Ok(None);
        };
        // The committed state stays until the next commit, so a second call must look at the stage.
        if !self.stage.try_again(id) {
            return Ok(None);
        }
        let mut piece = Piece::at(self.progress);
        let queued = QueuedUrl {
            id,
            ..QueuedUrl::new(link, None, piece.take_seq())
        };
        piece.rows.push((format::url_key(id).to_vec(), None));
        piece.queue.push(QueueChange::Add(queued.clone()));
        piece.counts.push((link.host.clone(), change));
        self.stage.take_place(queued.seq);
        self.stage_piece(piece);
        Ok(Some(queued))
    }

    /// The URLs of `links` that are not known, each once, with their future places, and the early ones. Stages nothing.
    pub(super) fn fresh(&mut self, links: &[Discovered], via: Option<&Via>) -> Result<FoundLinks, StorageError> {
        let (mut fresh, mut early, mut known) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = UrlHashSet::default();
        let mut key = Vec::with_capacity(256);
        for link in links {
            format::check_url(&link.host, &link.url)?;
            format::push_url_key(&mut key, &link.host, &link.url);
            let hash = self.known.hash(&key);
            let is_early = self.early.contains(hash);
            if seen.contains(&hash) {
                continue;
            }
            if let Some(id) = self.known.find(&self.state, hash)? {
                known.push((id, link.depth));
                if !is_early {
                    continue;
                }
            }
            seen.insert(hash);
            let seq = self.progress.next_seq + fresh.len() as u64;
            let queued = QueuedUrl::new(link, via, seq);
            let group = if is_early { &mut early } else { &mut fresh };
            group.push(FreshUrl { hash, queued });
        }
        let mut lowered = Vec::new();
        for &(id, depth) in &known {
            if self.is_deeper(id, depth)? {
                lowered.push((id, depth));
            }
        }
        Ok(FoundLinks {
            fresh,
            early,
            known,
            lowered,
        })
    }

    /// Stages new links. Cannot fail.
    pub(super) fn stage_links(&mut self, fresh: Vec<FreshUrl>) -> Vec<QueuedUrl> {
        let mut queued = Vec::with_capacity(fresh.len());
        for link in fresh {
            self.totals.apply(CountChange::Discovered);
            self.known.insert(link.hash, link.queued.id);
            self.stage.take_place(link.queued.seq);
            self.depths.lower(link.queued.id, link.queued.depth);
            self.progress.next_seq = self.progress.next_seq.max(link.queued.seq + 1);
            queued.push(link.queued.clone());
            self.stage.push_link(link);
        }
        queued
    }

    /// Stages a piece. Cannot fail.
    pub(crate) fn stage_piece(&mut self, piece: Piece) {
        for (_, change) in &piece.counts {
            self.totals.apply(*change);
        }
        self.progress = piece.progress;
        self.stage.push(piece);
    }

    /// Stages rows that change neither the queue nor the counts.
    pub(crate) fn stage_rows(&mut self, rows: Vec<super::Row>) -> Result<(), StorageError> {
        self.make_room()?;
        for rows in rows.chunks(super::ROWS_A_PIECE) {
            self.stage.push(Piece {
                rows: rows.to_vec(),
                ..Piece::at(self.progress)
            });
        }
        Ok(())
    }
}
