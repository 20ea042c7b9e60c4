//! Stages URLs that were found.

use super::Store;
use crate::commit::FreshUrl;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outbox::{Letter, Sealed};

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
