//! One host's part of the frontier: its URLs in order, its robots.txt, its gate.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use storage::QueuedUrl;
use url::Url;

use super::{Errand, Rules};
use crate::politeness::{CrawlClock, Gate, Now};
use crate::robots::Robots;

/// What a host would do next.
pub(super) enum HostStep {
    Page { queued: QueuedUrl, url: Url },
    Exclude { queued: QueuedUrl, reason: String },
    Errand(Errand),
    Refill { skip: HashSet<u64> },
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) gate: Gate,
    /// In the frontier's order: priority, depth, sequence.
    buffer: BTreeMap<(u8, u16, u64), QueuedUrl>,
    /// The store holds URLs that are not in the buffer.
    pub(super) in_store: bool,
    refilling: bool,
    /// Handed out and not decided.
    in_process: HashSet<u64>,
    /// By origin; `None` while it is being fetched.
    pub(super) robots: HashMap<String, Option<Arc<Robots>>>,
    pub(super) errands: VecDeque<Errand>,
    pub(super) pages_decided: u64,
    /// What went wrong last, in words.
    pub(super) last_failure: Option<String>,
    /// It stands in the heap of hosts with something to do.
    pub(super) is_due: bool,
    obeys_robots: bool,
    max_pages: Option<u64>,
}

impl Host {
    pub(super) fn new(clock: &CrawlClock, rules: &Rules) -> Self {
        let politeness = &rules.politeness;
        Self {
            gate: Gate::new(
                clock,
                politeness.delay,
                politeness.parallel_per_host,
                politeness.retry_delay,
            ),
            buffer: BTreeMap::new(),
            in_store: false,
            refilling: false,
            in_process: HashSet::new(),
            robots: HashMap::new(),
            errands: VecDeque::new(),
            pages_decided: 0,
            last_failure: None,
            is_due: false,
            obeys_robots: politeness.robots,
            max_pages: rules.max_pages_per_host,
        }
    }

    /// Takes a new URL into the buffer, or leaves it to the store where the buffer is full.
    pub(super) fn offer(&mut self, queued: QueuedUrl, capacity: usize) {
        if self.in_store || self.buffer.len() >= capacity {
            self.in_store = true;
        } else {
            self.buffer.insert(order(&queued), queued);
        }
    }

    pub(super) fn refilled(&mut self, urls: Vec<QueuedUrl>, more: bool) {
        self.refilling = false;
        self.in_store = more;
        self.buffer
            .extend(urls.into_iter().map(|queued| (order(&queued), queued)));
    }

    pub(super) fn decided(&mut self, seq: u64, is_page: bool) {
        self.in_process.remove(&seq);
        self.pages_decided += u64::from(is_page);
    }

    pub(super) fn has_work(&self) -> bool {
        if self.gate.is_retired() {
            return false;
        }
        !self.errands.is_empty() || self.needs_refill() || self.may_take_page() && self.front_is_ready()
    }

    /// When [`Host::step`] may do something; a refill asks nothing of the host and never waits.
    pub(super) fn ready_at(&self, now: Now) -> Option<Now> {
        if self.needs_refill() {
            return Some(now);
        }
        self.gate.ready_at()
    }

    pub(super) fn step(&mut self, name: &str, now: Now) -> Option<HostStep> {
        if !self.has_work() {
            return None;
        }
        if self.needs_refill() {
            self.refilling = true;
            return Some(HostStep::Refill {
                skip: self.in_process.clone(),
            });
        }
        if self.gate.ready_at()? > now {
            return None;
        }
        if let Some(errand) = self.errands.pop_front() {
            self.gate.start(now);
            return Some(HostStep::Errand(errand));
        }
        self.page(name, now)
    }

    fn page(&mut self, name: &str, now: Now) -> Option<HostStep> {
        let (_, queued) = self.buffer.pop_first()?;
        let url = match Url::parse(&queued.url) {
            Ok(url) => url,
            Err(error) => return Some(self.exclude(queued, format!("not a URL: {error}"))),
        };
        if self.obeys_robots {
            match self.robots.get(&origin(&url)) {
                None => return Some(self.ask_robots(name, queued, &url, now)),
                Some(None) => {
                    self.buffer.insert(order(&queued), queued);
                    return None;
                }
                Some(Some(robots)) => {
                    let decision = robots.decide(&url);
                    if !decision.allowed {
                        let rule = decision.rule.unwrap_or_default();
                        return Some(self.exclude(queued, format!("robots.txt: {rule}")));
                    }
                }
            }
        }
        self.in_process.insert(queued.seq);
        self.gate.start(now);
        Some(HostStep::Page { queued, url })
    }

    fn ask_robots(&mut self, name: &str, queued: QueuedUrl, url: &Url, now: Now) -> HostStep {
        self.buffer.insert(order(&queued), queued);
        let origin = origin(url);
        self.robots.insert(origin.clone(), None);
        self.gate.start(now);
        let mut robots_url = url.clone();
        robots_url.set_path("/robots.txt");
        robots_url.set_query(None);
        HostStep::Errand(Errand::Robots {
            for_host: name.to_owned(),
            origin,
            url: robots_url,
            redirects: 0,
            failures: 0,
        })
    }

    fn exclude(&mut self, queued: QueuedUrl, reason: String) -> HostStep {
        self.in_process.insert(queued.seq);
        HostStep::Exclude { queued, reason }
    }

    fn needs_refill(&self) -> bool {
        self.in_store && self.buffer.is_empty() && !self.refilling && self.may_take_page()
    }

    /// Whether the first URL waits for nothing but the gate: its robots.txt is not under way.
    fn front_is_ready(&self) -> bool {
        let Some((_, first)) = self.buffer.first_key_value() else {
            return false;
        };
        !self.obeys_robots
            || !self.robots.values().any(Option::is_none)
            || Url::parse(&first.url).map_or(true, |url| !matches!(self.robots.get(&origin(&url)), Some(None)))
    }

    fn may_take_page(&self) -> bool {
        self.max_pages
            .is_none_or(|max| self.pages_decided + (self.in_process.len() as u64) < max)
    }
}

fn order(queued: &QueuedUrl) -> (u8, u16, u64) {
    (queued.priority, queued.depth, queued.seq)
}

/// `scheme://authority`: what one robots.txt rules (RFC 9309, section 2.3).
fn origin(url: &Url) -> String {
    url[..url::Position::BeforePath].to_owned()
}
