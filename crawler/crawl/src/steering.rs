//! The verdicts steer the frontier: URLs that are most likely duplicates go last, or are held back.
//!
//! Steering learns from the verdicts, in the order of decision, in these ways:
//!
//! - **Patterns** (host, folder, parameter names) count the pages of a pattern, and how many of them are duplicates of any page. If
//!   at least `min_pattern_pages` were decided and nine in ten are duplicates, the remaining URLs of the pattern are
//!   *deprioritised*: they go last.
//! - **Rules** ("parameter `sid` never changes the page", "`/print/X` is `/X`") come from pairs of duplicates: a pair
//!   suggests a rewriting that gives both URLs one form. From then on, each page to which the rule applies tests the
//!   rule, if the page that the rule predicts was decided before. A duplicate of that page that leads nowhere confirms the rule, and a
//!   page that says something new contradicts it. One URL at a time tests a suspected rule, so a suspicion costs
//!   little. A rule holds if it has `min_confirmed` confirmations and is right nine times in ten; then its URLs are
//!   deprioritised. A rule only predicts that a URL is a page that *was decided*: the first URL of every such class is
//!   fetched, so a right rule loses nothing.
//!
//! **A duplicate is no evidence if it leads somewhere.** The pages of a listing may have equal texts and different links. A duplicate
//! leads nowhere if this holds for each of its links: an earlier page with the same text has the link (`recorder/cluster_links.rs`), or
//! the rule applies to the link, or similar links led only to duplicates. A new page that was found on a duplicate contradicts the rules
//! that apply to the duplicate and not to the new page.
//!
//! Deprioritised URLs are fetched when the host has nothing else to do. Traps are the exception, because they have no
//! end. A rule that holds describes a trap in one of these cases:
//!
//! - It leads from each duplicate to the next (a calendar): three in a chain, each found on the page before; ten exact or fifty
//!   near-duplicates if the URLs have neither parameters nor several numbers. Each contradiction raises the required length.
//! - It was confirmed very often and never contradicted, its URLs have parameters or several numbers, and they were found on each
//!   other.
//! - Its parameter has no effect (a session id, a sort order): it was never contradicted, and the same value of it had no effect on
//!   several pages. Several such parameters hold back their combinations.
//!
//! `traps.rs` finds traps without a rule, in patterns of any shape. `share.rs` leaves folders by a bound that the user sets.
//!
//! The URLs of a trap are *held back* as soon as one URL of the same class has confirmed the rule: they stay in the queue. A sample
//! (the 9th, 36th, 81st, …: √n/3 of n) is fetched last, as a test. If one page of the sample says something new, all URLs that the
//! rule holds back are released. The report counts the held-back URLs, and `steering.leave = "nothing"` fetches them in the next
//! run.
//!
//! The first pages of a suspect skeleton (parameters, or several numbers in the path) are fetched one after the other,
//! while other pages are fetched beside them: see `frontier/queue.rs`.
//!
//! Steering stores only the new links of duplicates. It derives all its rules and counts from the catalogue, in the order of decision. A
//! restart and a report replay the catalogue, so steering cannot contradict the verdicts. A [`checkpoint`] of what it learned spares them the
//! pages before the last few thousand. Memory is bounded: a host has a bounded number
//! of rules and patterns, and steering remembers at least half a million keys, of which a page takes several. If it has forgotten a page,
//! one more URL is fetched.

mod checkpoint;
mod evidence;
mod forecast;
mod host_rules;
mod judged;
mod keeper;
mod lattice;
mod learned;
mod memory;
mod moved;
mod replay;
mod sample;
mod share;
mod skeleton;
mod standing;
mod traps;

use std::collections::HashMap;

use url::Url;
use web::url_rule::shape;

use config::settings::SteeringSettings;
use host_rules::HostRules;
use judged::Decided;
use learned::{Learned, kept_key, kept_of, led_key, page_key, url_key};
use moved::Moved;
use share::Folders;
use traps::Traps;

pub(crate) use checkpoint::{Checkpoint, Turn};
pub use evidence::{Evidence, Example};
pub use forecast::{Forecast, Prediction, Reason};
pub use judged::{DuplicateOf, JudgedPage, sample_of_links};
pub(crate) use keeper::Keeper;
pub(crate) use memory::Memory;
pub use replay::replay;
pub use skeleton::Skeleton;
pub use standing::RuleStanding;
pub use web::url_rule::{HostRule, UrlRule};

/// The priority of deprioritised URLs, which are fetched when the host has nothing else to do.
pub const PRIORITY_DEPRIORITISED: u8 = 100;

/// The priority of URLs that are fetched last, to test the rule that holds their class back.
pub const PRIORITY_SAMPLE: u8 = 150;

/// The priority of held-back URLs, which are fetched only if their rule no longer holds.
pub const PRIORITY_HELD_BACK: u8 = 200;

/// Bound on the rules of all hosts.
const MAX_RULES: usize = 50_000;

/// Keys in a generation of the rules' memory.
const KEYS_A_GENERATION: usize = 1 << 19;

/// The rules and patterns of all hosts, learned from the verdicts.
#[derive(Debug)]
pub struct Steering {
    policy: SteeringSettings,
    hosts: HashMap<String, HostRules>,
    /// The number of rules of all hosts.
    rules: usize,
    memory: Memory<u64>,
    traps: Traps,
    folders: Folders,
    /// The number of the last page that was decided, 0 before the first.
    learned_to: u64,
    /// The pages among those before it that had moved when steering came to them.
    moved: Moved,
    /// The number of the last page in the checkpoint from which this steering was read, 0 if it was not read.
    restored_to: u64,
}

impl Steering {
    /// Steering that knows only the rules that the user applies.
    #[must_use]
    pub fn new(policy: SteeringSettings) -> Self {
        let mut steering = Self {
            hosts: HashMap::new(),
            rules: 0,
            memory: Memory::of(KEYS_A_GENERATION),
            traps: Traps::default(),
            folders: Folders::new(policy.duplicate_share),
            learned_to: 0,
            moved: Moved::default(),
            restored_to: 0,
            policy,
        };
        for HostRule { host, rule } in steering.policy.apply.clone() {
            let host = steering.hosts.entry(host).or_default();
            host.place(&rule).push(Learned::new(rule, true));
            steering.rules += 1;
        }
        steering
    }

    /// Whether steering forecasts anything.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.policy.enabled || !self.policy.apply.is_empty() || self.policy.duplicate_share.is_some()
    }

    /// Learns from a verdict. Returns the hosts whose held-back URLs must be judged again, because the verdict contradicts a rule or ends a
    /// trap: the page's own host, and the host of the duplicate on which a new page was found.
    #[must_use]
    pub fn decided(&mut self, host: &str, decision: &JudgedPage) -> Vec<String> {
        if !self.is_enabled() {
            return Vec::new();
        }
        self.learned_to = self.learned_to.max(decision.page);
        if decision.is_incomplete {
            return Vec::new();
        }
        let Some(mut page) = Decided::parse(host, decision) else {
            return Vec::new();
        };
        if let Some(duplicate) = &mut page.duplicate {
            duplicate.drop_links(|link| self.traps.is_known_barren(link));
        }
        let source = self.traps.source(&page).map(|source| source.host);
        let mut must_review = self.folders.decided(&page);
        if self.policy.enabled {
            must_review |= self.traps.decided(&page);
        }
        must_review |= self.note_new_page(&page);
        must_review |= self.learn_rules(&page);
        if !must_review {
            return Vec::new();
        }
        let other = source.filter(|source| source != host);
        std::iter::once(host.to_owned()).chain(other).collect()
    }

    /// A new page contradicts each rule that applies to the duplicate on which the page was found, unless the rule applies to the new
    /// page too. Such a rule would not have held the new page back, because the page is the first of its class. Returns `true` if the
    /// page contradicts a rule.
    fn note_new_page(&mut self, page: &Decided<'_>) -> bool {
        if page.is_duplicate() {
            return false;
        }
        let (Some(source), Some(via)) = (self.traps.source(page), page.via) else {
            return false;
        };
        let Ok(url) = Url::parse(&source.url) else {
            return false;
        };
        let memory = &mut self.memory;
        let leads_away = |rule: &UrlRule| rule.rewrite(&url).is_some() && rule.rewrite(&page.url).is_none();
        // A duplicate counts once, even if it led to several new pages.
        let mut is_first = |rule: &UrlRule| {
            let key = led_key(via, rule);
            let is_first = !memory.contains(key);
            memory.insert(key, 1);
            is_first
        };
        let mut led: Vec<UrlRule> = web::url_rule::suggestible_rules(&url);
        led.retain(|rule| leads_away(rule) && is_first(rule));
        let mut is_contradicted = false;
        if let Some(host) = self.hosts.get_mut(&source.host) {
            for learned in host.relevant_mut(&shape::shape(&url)) {
                let mut is_new = || led.contains(&learned.rule) || is_first(&learned.rule);
                if leads_away(&learned.rule) && is_new() {
                    learned.evidence.contradict();
                    is_contradicted = true;
                }
            }
        }
        for rule in led {
            count_kept(&rule, &url, &mut self.memory);
        }
        is_contradicted
    }

    /// Tests the rules of the host by a page, and learns new ones. Returns `true` if the page contradicts a rule.
    fn learn_rules(&mut self, page: &Decided<'_>) -> bool {
        let host = self.hosts.entry(page.host.to_owned()).or_default();
        host.count_pattern(page);
        let shape = shape::shape(&page.url);
        let memory = &mut self.memory;
        let kept = match &page.duplicate {
            None => page.page,
            Some(duplicate) => kept_of(duplicate.of, memory),
        };
        let mut is_contradicted = false;
        for learned in host.relevant_mut(&shape) {
            let class = learned.class(&page.url);
            if learned.is_known(&class, memory) {
                is_contradicted |= learned.test(&class, page, memory);
            }
            learned.note_class(&class, kept, memory);
        }
        memory.insert_new(url_key(page.url.as_str()), kept);
        match &page.duplicate {
            None => {
                for rule in web::url_rule::suggestible_rules(&page.url) {
                    count_kept(&rule, &page.url, memory);
                }
            }
            Some(duplicate) => {
                memory.insert(page_key(page.page), kept);
                let suggested = if self.policy.enabled {
                    web::url_rule::suggested_rules(&page.url, &duplicate.of_url)
                } else {
                    Vec::new()
                };
                for rule in suggested {
                    if self.rules < MAX_RULES || host.has_seat_for(&rule) {
                        self.rules += usize::from(host.suspect(rule, page, duplicate, memory));
                    }
                }
            }
        }
        is_contradicted
    }

    /// Whether a URL in process is testing the rule.
    #[must_use]
    pub fn is_tested(&self, host: &str, rule: &UrlRule) -> bool {
        let host = self.hosts.get(host);
        host.and_then(|host| host.find(rule))
            .is_some_and(|learned| learned.is_tested)
    }

    /// The URL `seq` of the queue is being fetched, and tests `rule`.
    pub fn begin_test(&mut self, host: &str, seq: u64, rule: UrlRule) {
        if let Some(host) = self.hosts.get_mut(host) {
            if let Some(learned) = host.find_mut(&rule) {
                learned.is_tested = true;
            }
            host.tests.insert(seq, rule);
        }
    }

    /// The URL `seq` of the queue has its outcome: its test, if it made one, is over.
    pub fn end_test(&mut self, host: &str, seq: u64) {
        if let Some(host) = self.hosts.get_mut(host)
            && let Some(rule) = host.tests.remove(&seq)
            && let Some(learned) = host.find_mut(&rule)
        {
            learned.is_tested = false;
        }
    }

    /// Counts a URL that is held back for this reason. Returns `true` for a URL of the sample, which is fetched.
    pub fn is_sample(&mut self, host: &str, reason: &Reason) -> bool {
        match reason {
            Reason::Rule(rule) => {
                let learned = self.hosts.get_mut(host).and_then(|host| host.find_mut(rule));
                learned.is_none_or(|learned| learned.sample.takes_next())
            }
            Reason::Trap(pattern) => self.traps.is_sample(host, pattern),
            Reason::Folder(folder) => self.folders.is_sample(host, folder),
        }
    }
}

/// Counts a page that said something new, or led to something new, in its class.
fn count_kept(rule: &UrlRule, url: &Url, memory: &mut Memory<u64>) {
    let key = kept_key(rule, &rule.rewrite(url).unwrap_or_default());
    memory.insert(key, memory.get(key).unwrap_or(0).saturating_add(1));
}

#[cfg(test)]
mod tests;
