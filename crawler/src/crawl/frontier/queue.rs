//! The URLs of one host: those in memory, in the frontier's order, and what is known of those in the store.

use std::collections::{BTreeMap, HashMap, HashSet};

use storage::QueuedUrl;
use url::Url;

use super::BUFFER;
use super::visits::HostVisits;
use crate::crawl::revisits::PRIORITY_VISIT;
use crate::crawl::steering::{PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK, Skeleton};

/// URLs of one depth that are looked through for one that is unlike those in process.
const LOOK_AHEAD: usize = 64;

/// Priority, depth, sequence: the frontier's order within a host.
pub(super) type Place = (u8, u16, u64);

/// Pages of a skeleton that must have said something new before its pages are fetched side by side.
const PROBATION: u8 = 3;

/// Pages of a skeleton after which it is the rules' turn, whatever they said.
const LONGEST_PROBATION: u8 = 10;

/// Skeletons of a host that can be on probation.
const MAX_SKELETONS: usize = 8_192;

/// Of what is handed out without a request.
pub(super) const NO_SKELETON: u64 = 0;

/// How the pages of a skeleton came off so far.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    all: u8,
    not_duplicates: u8,
}

/// What the queue has for a request.
#[derive(Debug)]
pub(super) enum Next {
    /// This.
    Url(Box<Waiting>),
    /// Nothing but URLs that wait for the verdict on one in process.
    AwaitsVerdict,
    /// Nothing.
    Empty,
}

/// A URL in memory.
#[derive(Debug)]
pub(super) struct Waiting {
    pub queued: QueuedUrl,
    /// `None` for a text that is no URL.
    pub url: Option<Url>,
    skeleton: Option<Skeleton>,
}

/// What the store was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refill {
    /// The beginning of the queue.
    First,
    /// What is left, behind what was looked at.
    Left,
    /// Visits to pages that were fetched before.
    Visits,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct HostQueue {
    buffer: BTreeMap<Place, Waiting>,
    /// What was fetched before and is looked at again.
    pub visits: HostVisits,
    /// The store holds URLs that are not in the buffer.
    pub in_store: bool,
    /// Since the last refill, URLs went to the store that come before the snoozed ones in the buffer.
    overtaken: bool,
    refilling: Option<Refill>,
    /// Handed out and not decided: skeleton by `seq`.
    in_process: HashMap<u64, u64>,
    skeletons: HashMap<u64, u32>,
    /// Like pages of a suspect skeleton are fetched one after the other until some of them have shown that they differ.
    has_probation: bool,
    /// By skeleton, the pages that have shown it.
    shown: HashMap<u64, Shown>,
    /// Left in the store's queue, by `seq`: their origin is closed.
    left: HashSet<u64>,
    /// The store may hold URLs at [`PRIORITY_HELD_BACK`] behind `looked_at` that are to be looked at again.
    looks_at_left: bool,
    /// Of the URLs at [`PRIORITY_HELD_BACK`], the last that was looked at.
    looked_at: Option<Place>,
    /// Some are left for good, as far as this run can tell.
    pub leaves_some: bool,
}

impl Waiting {
    pub fn new(queued: QueuedUrl) -> Self {
        let url = Url::parse(&queued.url).ok();
        Self {
            skeleton: url.as_ref().map(Skeleton::of),
            queued,
            url,
        }
    }

    pub fn place(&self) -> Place {
        (self.queued.priority, self.queued.depth, self.queued.seq)
    }
}

impl HostQueue {
    /// An empty queue, with or without probation of like pages.
    pub fn new(has_probation: bool) -> Self {
        Self {
            has_probation,
            ..Self::default()
        }
    }

    /// Takes a new URL into the buffer, or leaves it to the store where the buffer is full.
    pub fn offer(&mut self, queued: QueuedUrl) {
        if queued.revisits.is_some() {
            self.visits.offer(queued);
        } else if queued.priority >= PRIORITY_HELD_BACK {
            self.leaves_some = true;
        } else if self.in_store || self.buffer.len() >= BUFFER {
            self.in_store = true;
            self.overtaken |= queued.priority < PRIORITY_DEPRIORITISED;
        } else {
            self.put_back(Waiting::new(queued));
        }
    }

    /// Whether a buffer is empty and the store may have something for it; for that of new URLs only if one `takes_new`.
    pub fn wants_more(&self, takes_new: bool) -> bool {
        self.refilling.is_none() && (self.wants_new(takes_new) || self.visits.wants_more())
    }

    fn wants_new(&self, takes_new: bool) -> bool {
        takes_new && self.buffer.is_empty() && (self.in_store || self.looks_at_left)
    }

    /// Where a refill begins: at the beginning of the queue, at the visits, or behind those of the left that were looked at.
    pub fn begin_refill(&mut self, takes_new: bool) -> Option<Place> {
        let wants_new = self.wants_new(takes_new);
        if wants_new && self.in_store {
            self.refilling = Some(Refill::First);
            return None;
        }
        if self.visits.wants_more() {
            self.refilling = Some(Refill::Visits);
            return Some(HostVisits::BEGIN);
        }
        self.refilling = Some(Refill::Left);
        Some(self.looked_at.unwrap_or((PRIORITY_HELD_BACK, 0, 0)))
    }

    /// What the store had, in order; `more` says whether it has more.
    pub fn refilled(&mut self, mut urls: Vec<QueuedUrl>, more: bool) {
        // Cuts off what is of a later part of the queue, and says whether the part may have more.
        let mut within = |end: u8| {
            let end = urls.iter().position(|queued| queued.priority >= end);
            urls.truncate(end.unwrap_or(urls.len()));
            more && end.is_none()
        };
        match self.refilling.take() {
            Some(Refill::Visits) => return self.visits.refilled(urls, more),
            Some(Refill::Left) => self.looks_at_left = within(PRIORITY_VISIT),
            Some(Refill::First) | None => {
                self.overtaken = false;
                self.in_store = within(PRIORITY_HELD_BACK);
            }
        }
        for queued in urls {
            let waiting = Waiting::new(queued);
            if waiting.queued.priority >= PRIORITY_HELD_BACK {
                self.looked_at = self.looked_at.max(Some(waiting.place()));
            }
            self.put_back(waiting);
        }
    }

    /// Looks at what is left, all of it, when nothing else is to be done.
    pub fn look_at_left(&mut self) {
        self.looks_at_left = true;
        self.looked_at = None;
        self.leaves_some = false;
    }

    pub fn put_back(&mut self, waiting: Waiting) {
        if waiting.queued.revisits.is_some() {
            self.visits.put_back(waiting);
        } else {
            self.buffer.insert(waiting.place(), waiting);
        }
    }

    /// Whether no new URL is in the buffer.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The next URL: the first of the order, or one soon behind it, of the same depth, that is unlike those in process. A
    /// verdict on one of many like pages then comes in time for the others.
    pub fn take(&mut self) -> Next {
        let Some((first, _)) = self.buffer.first_key_value() else {
            return Next::Empty;
        };
        let (priority, depth, _) = *first;
        if priority >= PRIORITY_DEPRIORITISED && self.overtaken && self.refilling.is_none() {
            // The store has URLs that come first; these are there as well.
            self.buffer.clear();
            return Next::Empty;
        }
        let of_this_depth = || {
            self.buffer
                .range((priority, depth, 0)..=(priority, depth, u64::MAX))
                .take(LOOK_AHEAD)
        };
        let unlike = of_this_depth().find(|(_, waiting)| !self.skeletons.contains_key(&waiting.skeleton()));
        let place = unlike.or_else(|| of_this_depth().find(|(_, waiting)| !self.is_on_probation(waiting)));
        let Some(place) = place.map(|(place, _)| *place) else {
            return Next::AwaitsVerdict;
        };
        match self.buffer.remove(&place) {
            Some(waiting) => Next::Url(Box::new(waiting)),
            None => Next::Empty,
        }
    }

    fn is_on_probation(&self, waiting: &Waiting) -> bool {
        self.has_probation
            && waiting.skeleton.is_some_and(|skeleton| skeleton.is_suspect)
            && match self.shown.get(&waiting.skeleton()) {
                Some(shown) => shown.not_duplicates < PROBATION && shown.all < LONGEST_PROBATION,
                None => self.shown.len() < MAX_SKELETONS,
            }
    }

    /// A URL that was handed out has an outcome.
    pub fn decided(&mut self, seq: u64, is_duplicate: bool) {
        if let Some(&skeleton) = self.in_process.get(&seq)
            && skeleton != NO_SKELETON
            && (self.shown.len() < MAX_SKELETONS || self.shown.contains_key(&skeleton))
        {
            let shown = self.shown.entry(skeleton).or_default();
            shown.all = shown.all.saturating_add(1);
            shown.not_duplicates = shown.not_duplicates.saturating_add(u8::from(!is_duplicate));
        }
        self.end(seq);
    }

    /// A URL is handed out.
    pub fn begin(&mut self, seq: u64, skeleton: u64) {
        if self.in_process.insert(seq, skeleton).is_none() {
            *self.skeletons.entry(skeleton).or_default() += 1;
        }
    }

    /// A URL that was handed out waits again.
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

    /// How many are handed out.
    pub fn in_process(&self) -> usize {
        self.in_process.len()
    }

    /// Leaves a URL in the store for this run.
    pub fn leave(&mut self, seq: u64) {
        self.end(seq);
        self.left.insert(seq);
    }

    /// What a refill is not to bring, by `seq`.
    pub fn skip(&self) -> impl Iterator<Item = u64> {
        self.in_process.keys().chain(&self.left).copied()
    }
}

impl Waiting {
    pub fn skeleton(&self) -> u64 {
        self.skeleton.map_or(NO_SKELETON, |skeleton| skeleton.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(seq: u64, priority: u8, path: &str) -> QueuedUrl {
        QueuedUrl {
            url: format!("http://h/{path}"),
            host: "h".into(),
            depth: 1,
            redirects: 0,
            attempts: 0,
            priority,
            via: None,
            seq,
            id: seq,
            revisits: None,
        }
    }

    fn take(queue: &mut HostQueue) -> Option<u64> {
        let Next::Url(waiting) = queue.take() else { return None };
        queue.begin(waiting.queued.seq, waiting.skeleton());
        Some(waiting.queued.seq)
    }

    #[test]
    fn a_page_unlike_those_in_process_goes_first_but_no_page_waits_for_it() {
        let mut queue = HostQueue::new(false);
        for (seq, path) in [(1, "a/1"), (2, "a/2"), (3, "b?x=1"), (4, "b?x=2"), (5, "c")] {
            queue.offer(queued(seq, 0, path));
        }
        let order: Vec<_> = std::iter::from_fn(|| take(&mut queue)).collect();
        assert_eq!(order, [1, 3, 5, 2, 4]);
    }

    #[test]
    fn like_pages_go_one_by_one_until_three_have_said_something_new() {
        let mut queue = HostQueue::new(true);
        for seq in 1..=9 {
            queue.offer(queued(seq, 0, &format!("a?n={seq}")));
        }
        for seq in 1..=3 {
            assert_eq!(take(&mut queue), Some(seq));
            assert!(matches!(queue.take(), Next::AwaitsVerdict));
            queue.decided(seq, false);
        }
        assert_eq!(
            [take(&mut queue), take(&mut queue), take(&mut queue)],
            [Some(4), Some(5), Some(6)]
        );
    }

    #[test]
    fn duplicates_prolong_the_probation_but_not_for_ever() {
        let mut queue = HostQueue::new(true);
        for seq in 1..=30 {
            queue.offer(queued(seq, 0, &format!("a/{seq}/{seq}")));
        }
        for seq in 1..=u64::from(LONGEST_PROBATION) {
            assert_eq!(take(&mut queue), Some(seq));
            assert!(matches!(queue.take(), Next::AwaitsVerdict));
            queue.decided(seq, true);
        }
        assert!(take(&mut queue).is_some() && take(&mut queue).is_some());
    }

    #[test]
    fn without_pages_in_process_the_order_is_that_of_the_frontier() {
        let mut queue = HostQueue::new(false);
        for seq in 1..=5 {
            queue.offer(queued(seq, 0, &format!("a/{seq}")));
        }
        for seq in 1..=5 {
            assert_eq!(take(&mut queue), Some(seq));
            queue.end(seq);
        }
    }

    #[test]
    fn snoozed_urls_go_last_even_when_the_others_are_in_the_store() {
        let mut queue = HostQueue::new(false);
        queue.offer(queued(1, PRIORITY_DEPRIORITISED, "a"));
        for seq in 2..=BUFFER as u64 + 1 {
            queue.offer(queued(seq, 0, &format!("{seq}")));
        }
        assert!(queue.in_store, "one did not fit");
        for _ in 1..BUFFER {
            let seq = take(&mut queue).unwrap();
            assert_ne!(seq, 1);
            queue.end(seq);
        }
        assert_eq!(take(&mut queue), None, "there is a better one in the store");
        assert!(queue.is_empty());
        queue.refilled(
            vec![
                queued(BUFFER as u64 + 1, 0, "z"),
                queued(1, PRIORITY_DEPRIORITISED, "a"),
            ],
            false,
        );
        assert_eq!(
            [take(&mut queue), take(&mut queue), take(&mut queue)],
            [Some(BUFFER as u64 + 1), Some(1), None]
        );
    }

    #[test]
    fn what_is_left_comes_back_only_when_woken() {
        let mut queue = HostQueue::new(false);
        queue.offer(queued(1, PRIORITY_HELD_BACK, "a"));
        assert_eq!(take(&mut queue), None);
        queue.in_store = true;
        assert_eq!(queue.begin_refill(true), None);
        queue.refilled(vec![queued(2, 0, "b"), queued(1, PRIORITY_HELD_BACK, "a")], true);
        assert_eq!([take(&mut queue), take(&mut queue)], [Some(2), None]);
        assert!(!queue.wants_more(true), "what is left is not asked for");
        queue.look_at_left();
        for seq in [1, 7] {
            assert!(queue.wants_more(true));
            let from = if seq > 1 {
                (PRIORITY_HELD_BACK, 1, 1)
            } else {
                (PRIORITY_HELD_BACK, 0, 0)
            };
            assert_eq!(queue.begin_refill(true), Some(from));
            queue.refilled(vec![queued(seq, PRIORITY_HELD_BACK, "a")], seq == 1);
            assert_eq!(take(&mut queue), Some(seq));
        }
        assert!(!queue.wants_more(true), "each is looked at once");
    }
}
