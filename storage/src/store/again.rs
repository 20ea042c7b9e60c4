//! Queues URLs again that have an outcome other than a page.

use std::collections::BTreeMap;

use super::Store;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::{Discovered, QueueChange, QueuedUrl, UrlId, Via};
use crate::url_state::UrlState;
use crate::urls::{FinishedUrls, KnownUrl};

/// The pages that a crawl may have. A URL for whose page there is no room keeps its outcome.
#[derive(Debug, Clone, Copy, Default)]
pub struct Room {
    /// In all; `None` for no bound.
    pub pages: Option<u64>,
    /// Of each host.
    pub pages_of_host: Option<u64>,
}

impl Store {
    /// Queues a URL again whose latest outcome is no page, if it `is_worth_it`. Its count of attempts restarts at 0. Durable with the next
    /// commit.
    ///
    /// # Errors
    /// As [`discover`](Self::discover).
    pub fn try_again(
        &mut self,
        link: &Discovered,
        is_worth_it: impl FnOnce(&UrlState) -> bool,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        match self.latest_state(&link.host, &link.url)? {
            Some(state) if is_worth_it(&state) => match requeued(&state) {
                Some(change) => self.queue_again(link, None, change),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Queues each URL again, with this priority, whose committed outcome is no page and `is_worth_it`, if `admits` takes the URL at its
    /// depth and there is `room` for its page. Returns their numbers by host. Durable with the next commits.
    ///
    /// A URL returns at its depth. Only the row of a failure has a link source. Reads the rows of all finished URLs, and calls `beat` now
    /// and then meanwhile.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn try_all_again(
        &mut self,
        is_worth_it: impl Fn(&UrlState) -> bool,
        admits: impl Fn(&KnownUrl, u16) -> bool,
        room: Room,
        priority: u8,
        mut beat: impl FnMut(),
    ) -> Result<BTreeMap<String, u64>, StorageError> {
        let mut found = Vec::new();
        for row in self.finished_urls().all() {
            beat();
            let (id, url) = row?;
            if requeued(url.state()).is_some() && is_worth_it(url.state()) {
                found.push(id);
            }
        }
        let mut queued: BTreeMap<String, u64> = BTreeMap::new();
        let mut left = room.pages.map(|most| most.saturating_sub(self.counts().fetched()));
        for id in found {
            beat();
            if left == Some(0) {
                break;
            }
            if let Some(host) = self.try_again_by_number(id, &admits, (room, &queued), priority)? {
                left = left.map(|left| left - 1);
                *queued.entry(host).or_default() += 1;
            }
        }
        Ok(queued)
    }

    fn try_again_by_number(
        &mut self,
        id: UrlId,
        admits: impl Fn(&KnownUrl, u16) -> bool,
        (room, queued): (Room, &BTreeMap<String, u64>),
        priority: u8,
    ) -> Result<Option<String>, StorageError> {
        let Some(url) = self.finished_urls().latest(id)? else {
            return Ok(None);
        };
        let Some(known) = self.finished_urls().name_of(url)? else {
            return Ok(None);
        };
        let depth = self.links.depth_of(id)?.unwrap_or_default();
        let change = requeued(&known.state).filter(|_| admits(&known, depth));
        let Some(change) = change else { return Ok(None) };
        if let Some(most) = room.pages_of_host {
            let fetched = self.hosts().of(&known.host)?.unwrap_or_default().fetched();
            if fetched + queued.get(&known.host).copied().unwrap_or_default() >= most {
                return Ok(None);
            }
        }
        let via = match known.state {
            UrlState::Failed(failure) => failure.via,
            _ => None,
        };
        let link = Discovered {
            depth,
            url: known.url,
            host: known.host,
            priority,
            ..Discovered::default()
        };
        let queued = self.queue_again(&link, via.as_ref(), change)?;
        Ok(queued.map(|queued| queued.host))
    }

    /// Queues a finished URL again. `None` if the URL has no outcome: it is in the queue already, or unknown.
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
}

/// How the counts change when a URL in this state is queued again; `None` for a page, and for a URL in the queue.
fn requeued(state: &UrlState) -> Option<CountChange> {
    match state {
        UrlState::Failed(_) => Some(CountChange::TriedAgain),
        UrlState::Excluded { .. } => Some(CountChange::Admitted),
        UrlState::Redirect { .. } => Some(CountChange::Answered),
        UrlState::Page(_) | UrlState::Queued => None,
    }
}
