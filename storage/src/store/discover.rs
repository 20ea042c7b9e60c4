//! Stages URLs that were found: new ones, and failed ones that get another try.

use super::Store;
use crate::commit::FreshUrl;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::{Discovered, QueueChange, QueuedUrl, Via};
use crate::outbox::{Letter, Sealed};
use crate::url_state::{Failure, UrlState};
use crate::urls::FinishedUrls;

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
    pub(crate) fn discover_from(
        &mut self,
        found: &[Discovered],
        via: Option<&Via>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        self.discover_with(found, via, |_| Vec::new())
    }

    /// [`discover`](Self::discover), with `via` as the link source of every URL that names none itself, and `mail`: makes letters about the URLs that are new. A URL that is known is among them
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
        let found = self.links.find(found, via, self.progress.next_seq)?;
        let links: Vec<&QueuedUrl> = found.named().collect();
        let letters = Sealed::of(mail(&links))?;
        let queued = self.stage_links(found.fresh);
        self.stage_lowered(&found.lowered);
        self.stage_letters(letters);
        Ok(queued)
    }

    /// Queues a URL again whose latest state is a failure that `is_worth_it` accepts. Its count of attempts restarts at 0.
    /// Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn try_again(
        &mut self,
        link: &Discovered,
        is_worth_it: impl FnOnce(&Failure) -> bool,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        match self.latest_state(&link.host, &link.url)? {
            Some(UrlState::Failed(failure)) if is_worth_it(&failure) => {
                self.queue_again(link, None, CountChange::TriedAgain)
            }
            _ => Ok(None),
        }
    }

    /// Queues a URL again whose latest state is an exclusion for this reason. Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn admit_again(&mut self, link: &Discovered, reason: &str) -> Result<Option<QueuedUrl>, StorageError> {
        match self.latest_state(&link.host, &link.url)? {
            Some(UrlState::Excluded { reason: of }) if of == reason => {
                self.queue_again(link, None, CountChange::Admitted)
            }
            _ => Ok(None),
        }
    }

    /// Queues a URL again whose latest state is a redirect. Durable with the next commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn follow_again(&mut self, link: &Discovered) -> Result<Option<QueuedUrl>, StorageError> {
        match self.latest_state(&link.host, &link.url)? {
            Some(UrlState::Redirect { .. }) => self.queue_again(link, None, CountChange::Answered),
            _ => Ok(None),
        }
    }

    /// Queues a URL that has its outcome. `None` if it is in the queue already.
    pub(super) fn queue_again(
        &mut self,
        link: &Discovered,
        via: Option<&Via>,
        change: CountChange,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        self.make_room()?;
        let Some(id) = self.links.id_of(&link.host, &link.url)? else {
            return Ok(None);
        };
        if self.finished_urls().latest(id)?.is_none() {
            return Ok(None);
        }
        let mut piece = self.piece();
        let queued = QueuedUrl {
            id,
            ..QueuedUrl::new(link, via, piece.take_seq())
        };
        FinishedUrls::remove(id, &mut piece);
        piece.change_queue(QueueChange::Add(queued.clone()));
        piece.count(link.host.clone(), change);
        self.stage(piece);
        Ok(Some(queued))
    }

    /// Stages new links. Cannot fail.
    pub(super) fn stage_links(&mut self, fresh: Vec<FreshUrl>) -> Vec<QueuedUrl> {
        let mut queued = Vec::with_capacity(fresh.len());
        for link in fresh {
            self.hosts.apply(CountChange::Discovered);
            self.links.insert(&link);
            self.progress.next_seq = self.progress.next_seq.max(link.queued.seq + 1);
            queued.push(link.queued.clone());
            self.staged.push_link(link);
        }
        queued
    }
}
