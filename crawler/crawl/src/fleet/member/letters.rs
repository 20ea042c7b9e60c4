//! The letters to the fleet: which URLs belong into the store of this worker, what it found and did, and which letters are at the desk.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use fleet::{Partition, UrlHash, WaitingUrl};
use storage::{Discovered, HostRecord, Letter, Outcome, QueuedUrl, Store};
use tokio::sync::mpsc::UnboundedSender;

use super::super::idle::IdleSign;
use super::super::letter::{Done, Mail, TreatedHost};
use super::super::messages::ToDesk;
use super::super::ownership::Ownership;
use crate::recorder::Share;
use error::RunError;

/// Bound on the letters at the desk. The store keeps the others.
const MAX_AT_DESK: usize = 16_384;

/// Bound on the URLs of other workers that the recorder remembers to have sent. It saves commands, so forgetting does no harm.
const MAX_REMEMBERED: usize = 1 << 20;

/// The letters of a worker.
#[derive(Debug)]
pub(crate) struct Letters {
    ownership: Ownership,
    sign: IdleSign,
    desk: UnboundedSender<ToDesk>,
    /// URLs that were sent, each with the smallest depth.
    remembered: HashMap<u64, u16>,
    /// The last row that the desk was given.
    given: u64,
    /// The rows at the desk, with the number of their letters.
    at_desk: VecDeque<(u64, usize)>,
}

impl Letters {
    /// The letters of a worker whose desk takes `desk`.
    pub fn new(ownership: Ownership, sign: IdleSign, desk: UnboundedSender<ToDesk>) -> Self {
        Self {
            ownership,
            sign,
            desk,
            remembered: HashMap::new(),
            given: 0,
            at_desk: VecDeque::new(),
        }
    }

    /// The partition of a host.
    pub fn partition_of(&self, host: &str) -> Partition {
        self.ownership.partition_of(host)
    }

    /// Whether the host belongs to this worker.
    pub fn is_mine(&self, host: &str) -> bool {
        self.ownership.is_mine(self.partition_of(host))
    }

    /// Divides URLs into those for the store of this worker, and letters about the others, which other workers fetch or have finished.
    /// Sends no URL again that was sent before, unless its depth is smaller now.
    pub fn divide<'a>(&mut self, found: Cow<'a, [Discovered]>, are_seeds: bool) -> Result<Share<'a>, RunError> {
        let mut own = Vec::with_capacity(found.len());
        let (mut others, mut letters) = (Vec::new(), Vec::new());
        let mut last: Option<(String, bool)> = None;
        for link in found.into_owned() {
            let is_stored = match &last {
                Some((host, is_stored)) if *host == link.host => *is_stored,
                _ => self.ownership.stores_links(self.ownership.partition_of(&link.host)),
            };
            if last.as_ref().is_none_or(|(host, _)| *host != link.host) {
                last = Some((link.host.clone(), is_stored));
            }
            if is_stored {
                own.push(link);
                continue;
            }
            if self.remembered.len() >= MAX_REMEMBERED {
                self.remembered.clear();
            }
            let hash = UrlHash::of(&link.url).0;
            if self.remembered.get(&hash).is_none_or(|sent| link.depth < *sent) {
                self.remembered.insert(hash, link.depth);
                let found = WaitingUrl {
                    url: link.url.clone(),
                    depth: link.depth,
                    redirects: link.redirects,
                    priority: link.priority,
                    is_seed: are_seeds,
                };
                letters.push(Mail::Found(found).letter()?);
            }
            others.push(link);
        }
        let own = Cow::Owned(own);
        Ok(Share { own, others, letters })
    }

    /// The letter about the outcome of a URL.
    pub fn of_done(&self, host: &str, url: &str, page: Option<u64>) -> Result<Letter, RunError> {
        let partition = self.partition_of(host);
        let done = Done {
            partition,
            epoch: self.ownership.epoch(partition),
            url: UrlHash::of(url).0,
            page,
        };
        Mail::Done(done).letter()
    }

    /// The letter about the treatment of a host.
    pub fn of_host(&self, host: &str, record: &HostRecord) -> Result<Letter, RunError> {
        let partition = self.partition_of(host);
        let epoch = self.ownership.epoch(partition);
        Mail::Host(TreatedHost::new(partition, epoch, host, record)?).letter()
    }

    /// Whether letters wait for which the desk has room.
    pub fn wait(&self, store: &Store) -> bool {
        self.has_room() && store.outbox().last() > self.given
    }

    /// Gives the desk the committed letters for which it has room.
    pub fn give(&mut self, store: &Store) -> Result<(), RunError> {
        if self.has_room() {
            let letters = store.outbox().letters(self.given, MAX_AT_DESK - self.at_desk())?;
            for (row, _) in &letters {
                self.given = *row;
                match self.at_desk.back_mut() {
                    Some((last, count)) if last == row => *count += 1,
                    _ => self.at_desk.push_back((*row, 1)),
                }
            }
            if !letters.is_empty() {
                self.tell(ToDesk::Outbox(letters));
            }
        }
        Ok(())
    }

    fn at_desk(&self) -> usize {
        self.at_desk.iter().map(|(_, letters)| letters).sum()
    }

    fn has_room(&self) -> bool {
        self.at_desk() < MAX_AT_DESK
    }

    /// Shows how many letters have not arrived. `awaits_arrivals` says that there is at least one, or a claim that has not come back.
    pub fn show(&self, awaits_arrivals: bool) {
        let at_desk = self.at_desk();
        self.sign.has_letters(at_desk.max(usize::from(awaits_arrivals)) as u64);
    }

    /// The letters up to this row have arrived.
    pub fn arrived(&mut self, store: &mut Store, row: u64) -> Result<(), RunError> {
        store.sent(row)?;
        while self.at_desk.front().is_some_and(|(front, _)| *front <= row) {
            self.at_desk.pop_front();
        }
        self.give(store)
    }

    /// Sends a message to the desk.
    pub fn tell(&self, message: ToDesk) {
        if self.desk.send(message).is_err() {
            tracing::debug!("a message to the fleet came after the end of its thread");
        }
    }
}

/// The letters about URLs that are new in the store. One that cannot be written is left out: the URL stays in this folder.
pub(super) fn of_queued(urls: &[&QueuedUrl]) -> Vec<Letter> {
    let letters = urls.iter().map(|queued| {
        let found = WaitingUrl {
            url: queued.url.clone(),
            depth: queued.depth,
            redirects: queued.redirects,
            priority: queued.priority,
            is_seed: queued.via.is_none(),
        };
        Mail::Queued(found).letter()
    });
    letters.filter_map(Result::ok).collect()
}

/// Whether the URL has its outcome, so that no worker has to fetch it again.
pub(super) fn ends(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Page { .. } | Outcome::Redirect { .. } | Outcome::Failed { .. } | Outcome::Excluded { .. } => true,
        Outcome::Retry | Outcome::Visited { .. } | Outcome::Postponed { .. } => false,
    }
}
