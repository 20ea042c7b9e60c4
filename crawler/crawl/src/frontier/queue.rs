//! The URLs of one host in the frontier's order: those in memory, and a note of those in the store.
//!
//! ```text
//! the store's queue:   new URLs │ deprioritised │ sample │ held back │ revisits
//!                      └──────── buffer ────────────────┘ reviewed    own buffer (HostVisits)
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};

use storage::QueuedUrl;
use url::Url;

use super::BUFFER;
use super::state::UrlState;
use super::visits::HostVisits;
use super::waiting::{NO_SKELETON, Place, WaitingUrl};
use crate::revisits::PRIORITY_VISIT;
use crate::steering::PRIORITY_HELD_BACK;

/// Number of URLs of one depth among which the queue looks for a skeleton that is not in process.
const LOOK_AHEAD: usize = 64;

/// Number of new pages that ends the probation of a skeleton. Until then, its pages are fetched one after the other.
const PROBATION: u8 = 3;

/// Number of decided pages that ends the probation of a skeleton, whatever their verdicts. From then on, the rules of
/// steering decide.
pub(super) const LONGEST_PROBATION: u8 = 10;

/// Bound on the skeletons of a host that can be on probation.
const MAX_SKELETONS: usize = 8_192;

/// The verdicts on the pages of a skeleton.
#[derive(Debug, Clone, Copy, Default)]
struct Probation {
    decided: u8,
    new: u8,
}

/// The queue's answer to a request for the next URL.
#[derive(Debug)]
pub(super) enum Next {
    Url(Box<WaitingUrl>),
    /// All URLs wait for the verdict on one in process.
    AwaitsVerdict,
    Empty,
}

/// The new URLs in the store that are not in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Stored {
    #[default]
    Nothing,
    Some,
    /// Some of them go before the deprioritised URLs in the buffer.
    Earlier,
}

/// The held-back URLs in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum HeldBack {
    /// The queue knows of none.
    #[default]
    None,
    /// There are some, and since they were judged no verdict has contradicted their rule.
    Kept,
    /// Those after the place `behind` are judged again when the host has nothing else to do. `keeps_some` says whether
    /// this review has held URLs back again.
    Review { behind: Option<Place>, keeps_some: bool },
}

/// The part of the store's queue that a refill asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// From the start of the queue up to the held-back URLs.
    New,
    /// The held-back URLs that were not judged again yet.
    HeldBack,
    Visits,
}

/// The queue of one host.
#[derive(Debug, Default)]
pub(super) struct HostQueue {
    /// Boxed, because the map reserves room for eleven values where it has one, and most hosts have few.
    buffer: BTreeMap<Place, Box<WaitingUrl>>,
    /// Bound on the new URLs in the buffer, and on those that a refill brings. There may be a million hosts, so it is small.
    most: u16,
    pub visits: HostVisits,
    stored: Stored,
    held_back: HeldBack,
    /// The part that the store was asked for, until it answers.
    refilling: Option<Part>,
    /// The skeleton of each URL in process, by `seq`.
    in_process: HashMap<u64, u64>,
    /// How many URLs of each skeleton are in process.
    skeletons: HashMap<u64, u32>,
    /// Whether suspect skeletons have a probation.
    has_probation: bool,
    probations: HashMap<u64, Probation>,
    /// The `seq` of each URL that stays in the store for this run, because its origin is given up.
    skipped: HashSet<u64>,
}

impl HostQueue {
    /// An empty queue, with or without probation of similar URLs.
    pub fn new(has_probation: bool) -> Self {
        let mut queue = Self {
            has_probation,
            ..Self::default()
        };
        queue.bound(BUFFER);
        queue
    }

    /// From now on, the buffer takes this many URLs. Those that it has stay.
    pub fn bound(&mut self, most: usize) {
        self.most = u16::try_from(most).unwrap_or(u16::MAX);
    }

    /// Bound on the URLs of a refill.
    pub fn most(&self) -> usize {
        usize::from(self.most)
    }

    /// Takes a new URL into the buffer. If the buffer is full, the URL stays in the store.
    pub fn offer(&mut self, queued: QueuedUrl) {
        let is_full = self.buffer.len() >= self.most();
        self.take_in(queued, is_full);
    }

    /// Takes note of a new URL that stays in the store. A revisit goes into its buffer.
    pub fn offer_to_store(&mut self, queued: QueuedUrl) {
        self.take_in(queued, true);
    }

    fn take_in(&mut self, queued: QueuedUrl, is_full: bool) {
        let state = UrlState::at(queued.priority);
        if queued.revisits.is_some() {
            self.visits.offer(queued);
        } else if state >= UrlState::HeldBack {
            self.hold_back();
        } else if self.has_stored() || is_full {
            let stored = if state < UrlState::Deprioritised {
                Stored::Earlier
            } else {
                Stored::Some
            };
            self.stored = self.stored.max(stored);
        } else {
            self.put_back(WaitingUrl::new(queued));
        }
    }

    /// The store holds new URLs from an earlier run.
    pub fn note_stored(&mut self) {
        self.stored = self.stored.max(Stored::Some);
    }

    /// Drops all new URLs from memory. The store has them too, and a refill brings them back.
    pub fn leave_to_store(&mut self) {
        if !self.buffer.is_empty() {
            self.buffer = BTreeMap::new();
            self.stored = Stored::Earlier;
        }
    }

    /// Whether the store was asked for URLs and has not answered yet.
    pub fn is_refilling(&self) -> bool {
        self.refilling.is_some()
    }

    /// Whether the store holds new URLs that are not in the buffer.
    pub fn has_stored(&self) -> bool {
        self.stored > Stored::Nothing
    }

    /// Whether a buffer is empty and the store may have URLs for it. New URLs count only if the host `takes_new`.
    pub fn wants_more(&self, takes_new: bool) -> bool {
        self.refilling.is_none() && (self.wants_new(takes_new) || self.visits.wants_more())
    }

    fn wants_new(&self, takes_new: bool) -> bool {
        let may_have_some = self.has_stored() || matches!(self.held_back, HeldBack::Review { .. });
        takes_new && self.buffer.is_empty() && may_have_some
    }

    /// Begins a refill. Returns the place after which the store is to read, or `None` for the start of the queue.
    pub fn begin_refill(&mut self, takes_new: bool) -> Option<Place> {
        let (part, from) = if self.wants_new(takes_new) && self.has_stored() {
            (Part::New, None)
        } else if self.visits.wants_more() {
            (Part::Visits, Some(HostVisits::START))
        } else {
            let behind = match self.held_back {
                HeldBack::Review { behind, .. } => behind,
                HeldBack::None | HeldBack::Kept => None,
            };
            (Part::HeldBack, Some(behind.unwrap_or((PRIORITY_HELD_BACK, 0, 0))))
        };
        self.refilling = Some(part);
        from
    }

    /// Takes in the store's answer, in order. `more` says whether the store holds more.
    pub fn refilled(&mut self, mut urls: Vec<QueuedUrl>, more: bool) {
        // Cuts off the URLs of later parts of the queue, and says whether this part may have more.
        let mut within = |end: u8| {
            let end = urls.iter().position(|queued| queued.priority >= end);
            urls.truncate(end.unwrap_or(urls.len()));
            more && end.is_none()
        };
        match self.refilling.take() {
            Some(Part::Visits) => return self.visits.refilled(urls, more),
            Some(Part::HeldBack) => {
                let has_more = within(PRIORITY_VISIT);
                let last = urls.last().map(|last| (last.priority, last.depth, last.seq));
                self.reviewed(last, has_more);
            }
            Some(Part::New) | None => {
                let has_more = within(PRIORITY_HELD_BACK);
                self.stored = if has_more { Stored::Some } else { Stored::Nothing };
            }
        }
        for queued in urls {
            self.put_back(WaitingUrl::new(queued));
        }
    }

    /// Notes that a URL stays held back.
    pub fn hold_back(&mut self) {
        self.held_back = match self.held_back {
            HeldBack::None | HeldBack::Kept => HeldBack::Kept,
            HeldBack::Review { behind, .. } => HeldBack::Review {
                behind,
                keeps_some: true,
            },
        };
    }

    /// Begins a review of all held-back URLs, because a verdict has contradicted a rule or a new run begins.
    pub fn review_held_back(&mut self) {
        self.held_back = HeldBack::Review {
            behind: None,
            keeps_some: false,
        };
    }

    /// Notes that the held-back URLs up to `last` are in the buffer, from which each is judged.
    fn reviewed(&mut self, last: Option<Place>, has_more: bool) {
        if let HeldBack::Review { behind, keeps_some } = self.held_back {
            self.held_back = match (has_more, keeps_some) {
                (true, _) => HeldBack::Review {
                    behind: behind.max(last),
                    keeps_some,
                },
                (false, true) => HeldBack::Kept,
                (false, false) => HeldBack::None,
            };
        }
    }

    /// Whether held-back URLs stay in the store, as far as the queue knows.
    pub fn holds_back_some(&self) -> bool {
        matches!(
            self.held_back,
            HeldBack::Kept | HeldBack::Review { keeps_some: true, .. }
        )
    }

    pub fn put_back(&mut self, waiting: WaitingUrl) {
        if waiting.queued.revisits.is_some() {
            self.visits.put_back(waiting);
        } else {
            self.buffer.insert(waiting.place(), Box::new(waiting));
        }
    }

    /// Whether the buffer holds no new URL.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The next URL. Among the first URLs with the same priority and depth, one whose skeleton is not in process goes
    /// first. The verdict on one of many similar pages then comes in time for the others.
    pub fn take(&mut self) -> Next {
        let Some((first, _)) = self.buffer.first_key_value() else {
            return Next::Empty;
        };
        let (priority, depth, _) = *first;
        let has_earlier = self.stored == Stored::Earlier && self.refilling.is_none();
        if has_earlier && UrlState::at(priority) >= UrlState::Deprioritised {
            // The URLs of the buffer are in the store as well: the refill brings them again, after the earlier ones.
            self.buffer.clear();
            return Next::Empty;
        }
        let of_this_depth = || {
            self.buffer
                .range((priority, depth, 0)..=(priority, depth, u64::MAX))
                .take(LOOK_AHEAD)
        };
        let other = of_this_depth().find(|(_, waiting)| !self.skeletons.contains_key(&waiting.skeleton()));
        let place = other.or_else(|| of_this_depth().find(|(_, waiting)| !self.is_on_probation(waiting)));
        let Some(place) = place.map(|(place, _)| *place) else {
            return Next::AwaitsVerdict;
        };
        match self.buffer.remove(&place) {
            Some(waiting) => Next::Url(waiting),
            None => Next::Empty,
        }
    }

    fn is_on_probation(&self, waiting: &WaitingUrl) -> bool {
        self.has_probation
            && waiting.is_suspect()
            && match self.probations.get(&waiting.skeleton()) {
                Some(probation) => probation.new < PROBATION && probation.decided < LONGEST_PROBATION,
                None => self.probations.len() < MAX_SKELETONS,
            }
    }

    /// Notes that a URL in process has its outcome.
    pub fn decided(&mut self, seq: u64, is_duplicate: bool) {
        if let Some(&skeleton) = self.in_process.get(&seq)
            && skeleton != NO_SKELETON
            && (self.probations.len() < MAX_SKELETONS || self.probations.contains_key(&skeleton))
        {
            let probation = self.probations.entry(skeleton).or_default();
            probation.decided = probation.decided.saturating_add(1);
            probation.new = probation.new.saturating_add(u8::from(!is_duplicate));
        }
        self.end(seq);
    }

    /// Notes that a URL is in process.
    pub fn begin(&mut self, seq: u64, skeleton: u64) {
        if self.in_process.insert(seq, skeleton).is_none() {
            *self.skeletons.entry(skeleton).or_default() += 1;
        }
    }

    /// Notes that a URL is no longer in process.
    pub fn end(&mut self, seq: u64) {
        let Some(skeleton) = self.in_process.remove(&seq) else {
            return;
        };
        if let Some(times) = self.skeletons.get_mut(&skeleton) {
            *times -= 1;
            if *times == 0 {
                self.skeletons.remove(&skeleton);
            }
        }
    }

    /// The number of URLs in process.
    pub fn in_process(&self) -> usize {
        self.in_process.len()
    }

    /// Notes that a URL stays in the store for this run.
    pub fn skip(&mut self, seq: u64) {
        self.end(seq);
        self.skipped.insert(seq);
    }

    /// As [`skip`](Self::skip), for all URLs in memory of which `is_skipped` holds.
    pub fn skip_where(&mut self, is_skipped: impl Fn(&Url) -> bool) {
        let skipped = &mut self.skipped;
        let mut is_kept = |waiting: &WaitingUrl| {
            let is_skipped = waiting.url.as_ref().is_some_and(&is_skipped);
            if is_skipped {
                skipped.insert(waiting.queued.seq);
            }
            !is_skipped
        };
        self.buffer.retain(|_, waiting| is_kept(waiting));
        self.visits.retain(is_kept);
    }

    /// The `seq` of each URL that a refill must leave out.
    pub fn not_to_refill(&self) -> impl Iterator<Item = u64> {
        self.in_process.keys().chain(&self.skipped).copied()
    }
}
