//! The verdicts steer the frontier: URLs that will most likely turn out duplicates are fetched last, or not at all.
//!
//! Two kinds of knowledge come from the verdicts, in the order the pages were decided:
//!
//! - **Patterns** (host, folder, parameter names): of the pages of a pattern, how many were duplicates of anything. Nine in
//!   ten of at least `min_pattern_pages`, and the pattern is *snoozed*: its remaining URLs go last.
//! - **Rules** ("parameter `sid` never changes the page", "`/print/X` is `/X`"): a pair of duplicates suggests what would
//!   make one URL of the two. From then on each page to which the rule applies is a test of it: where the page that it is
//!   said to be was decided before, a duplicate of that page confirms the rule and a page that says something new
//!   contradicts it. While a rule is only suspected, it is tested by one URL at a time, so that a suspicion costs little; once
//!   it holds (`min_confirmed` tests, right nine times in ten) its URLs are snoozed. A rule predicts of a URL only that it
//!   is a page that *was decided*: the first of every such group is fetched as always, so nothing is lost by a right rule.
//!
//! Snoozed URLs are fetched when the host has nothing else. The exception are traps, which have no end: a rule that was never
//! wrong, and either leads from each duplicate to the next (a calendar: three in a chain, each found on the one before; ten
//! where the URLs have neither parameters nor several numbers) or is a parameter without any effect (the very same text at
//! several paths: a session id). Their URLs are *left* once one URL of the same page has confirmed the rule: they stay in the
//! queue, but for a sample (the 9th, 36th, 81st, …: √n/3 of n) that is fetched last, as a test. One page among it
//! that says something new wakes all that its rule has left. What is left is counted in the report, and
//! `steering.leave = "nothing"` fetches it in the next run.
//!
//! The first pages of a kind that traps are made of (parameters, several numbers in the path) are fetched one after the
//! other, while others go on beside them: see `frontier/queue.rs`.
//!
//! All this is derived from the catalogue, in its order: a restart replays it, a report replays it, nothing of it is stored,
//! so nothing can contradict the verdicts it came from. Memory is bounded: a bounded number of rules and patterns a host,
//! and the last million decided pages, of which an older one costs a fetch and no more.

mod evidence;
mod host_rules;
mod learned;
mod memory;
mod replay;
mod skeleton;

use std::collections::HashMap;

use storage::{Verdict, Via};
use url::Url;
use web::url_rule::shape;

use crate::config::Leave;
use crate::config::settings::Policy;
use host_rules::{HostRules, Pattern};
use learned::{CONFIRMED, DECIDED, Learned, class_key, kept_key, url_key};
use memory::Memory;

pub use evidence::{Evidence, Example};
pub use replay::replay;
pub use skeleton::Skeleton;
pub use web::url_rule::{HostRule, Rule};

/// The place in a host's queue of URLs that will most likely turn out duplicates: fetched when the host has nothing else.
pub const PRIORITY_DEPRIORITISED: u8 = 100;

/// The place of URLs that are fetched although their like are left, as a test.
pub const PRIORITY_SAMPLE: u8 = 150;

/// The place of URLs that are left: not fetched, unless what left them is no longer believed.
pub const PRIORITY_HELD_BACK: u8 = 200;

/// Rules of all hosts.
const MAX_RULES: usize = 50_000;

/// A page with its verdict, as far as it can teach anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedPage {
    /// Sequence number of the page.
    pub page: u64,
    /// Its canonical URL.
    pub url: String,
    /// The page on which its URL was found.
    pub via: Option<u64>,
    /// The kept page that it duplicates; `None` for a page that says something new.
    pub duplicate_of: Option<DuplicateOf>,
}

/// Which page another duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateOf {
    /// URL of the kept page.
    pub url: String,
    /// Whether the normalised texts are equal.
    pub is_exact: bool,
}

impl DuplicateOf {
    /// The kept page at `url`, by the verdict on the other.
    #[must_use]
    pub fn new(url: String, verdict: &Verdict) -> Self {
        Self {
            url,
            is_exact: matches!(verdict, Verdict::Exact { .. }),
        }
    }
}

impl JudgedPage {
    /// The verdict on page number `page`, found at `via`.
    #[must_use]
    pub fn new(page: u64, url: &str, via: Option<&Via>, duplicate_of: Option<DuplicateOf>) -> Self {
        let via = match via {
            Some(Via::Page(via)) => Some(*via),
            Some(Via::Url(_)) | None => None,
        };
        Self {
            page,
            url: url.to_owned(),
            via,
            duplicate_of,
        }
    }
}

/// What is to be expected of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forecast {
    /// Nothing is known.
    New,
    /// It would test a rule that is suspected; while such a test runs, the other URLs wait.
    Test(Rule),
    /// It will be a duplicate of a page that was decided.
    Duplicate(Prediction),
    /// It belongs to a pattern of which nearly all pages are duplicates.
    Deprioritised,
    /// By a rule that the user applies it is a page that was decided.
    Same(Rule),
}

/// A forecast by a rule that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The rule.
    pub rule: Rule,
    /// Whether the URL is left, but for a sample.
    pub is_held_back: bool,
}

/// See the module's text.
#[derive(Debug)]
pub struct Steering {
    policy: Policy,
    hosts: HashMap<String, HostRules>,
    /// How many rules there are, over all hosts.
    rules: usize,
    memory: Memory,
}

/// A rule as the report shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStanding {
    /// The rule.
    pub rule: HostRule,
    /// What speaks for and against it.
    pub evidence: Evidence,
    /// Whether it is believed.
    pub holds: bool,
    /// Whether its URLs are left, but for a sample.
    pub is_held_back: bool,
    /// Whether the user applies it.
    pub is_applied: bool,
}

/// A pattern as the report shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternStanding {
    /// The host key.
    pub host: String,
    /// Folder, name and parameters: `/news/#/*?page`.
    pub pattern: String,
    /// Pages decided, without the first.
    pub pages: u32,
    /// Of these, duplicates.
    pub duplicates: u32,
}

impl Steering {
    /// Nothing is known but the rules that the policy applies.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let mut steering = Self {
            hosts: HashMap::new(),
            rules: 0,
            memory: Memory::default(),
            policy,
        };
        for HostRule { host, rule } in steering.policy.apply.clone() {
            let host = steering.hosts.entry(host).or_default();
            host.place(&rule).push(Learned::new(rule, true));
            steering.rules += 1;
        }
        steering
    }

    /// Whether the verdicts steer at all.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.policy.enabled || !self.policy.apply.is_empty()
    }

    /// Learns from a verdict. `true` if it contradicts a rule that may have left URLs, which are to be looked at again.
    pub fn decided(&mut self, host: &str, decision: &JudgedPage) -> bool {
        if !self.is_enabled() {
            return false;
        }
        let Ok(url) = Url::parse(&decision.url) else {
            return false;
        };
        let of = decision.duplicate_of.as_ref();
        let of = of.and_then(|of| Url::parse(&of.url).ok().map(|url| (url, of.is_exact)));
        let host = self.hosts.entry(host.to_owned()).or_default();
        host.count_pattern(&url, of.is_some());
        let shape = shape::shape(&url);
        let memory = &mut self.memory;
        let mut woken = false;
        for learned in host.relevant_mut(&shape) {
            let class = learned.class(&url);
            if learned.is_known(&class, memory) {
                woken |= learned.test(&url, &class, decision, of.as_ref(), memory);
            }
            if class.is_rewritten {
                memory.insert_new(class_key(&learned.rule, &class.text), DECIDED);
            }
        }
        memory.insert_new(url_key(url.as_str()), DECIDED);
        if of.is_none() {
            for rule in web::url_rule::that_may_be_suggested(&url) {
                let key = kept_key(&rule, &rule.rewrite(&url).unwrap_or_default());
                memory.insert(key, memory.get(key).unwrap_or(0).saturating_add(1));
            }
        }
        if let Some((of, is_exact)) = &of
            && self.policy.enabled
        {
            for rule in web::url_rule::suggested_by(&url, of) {
                if self.rules < MAX_RULES || host.has_seat_for(&rule) {
                    self.rules += usize::from(host.suspect(rule, &url, of, decision, *is_exact, memory));
                }
            }
        }
        woken
    }

    /// What is to be expected of a URL of `host` that was not fetched yet.
    #[must_use]
    pub fn forecast(&self, host: &str, url: &Url) -> Forecast {
        let Some(host) = self.hosts.get(host) else {
            return Forecast::New;
        };
        let mut forecast = Forecast::New;
        let shape = shape::shape(url);
        for learned in host.relevant(&shape) {
            let standing = self.trust(learned);
            if standing == Trust::Unproved {
                continue;
            }
            let class = learned.class(url);
            if !learned.is_known(&class, &self.memory) {
                continue;
            }
            match standing {
                Trust::Applied => return Forecast::Same(learned.rule.clone()),
                Trust::Holds { is_held_back } if !matches!(&forecast, Forecast::Duplicate(p) if p.is_held_back) => {
                    let rule = learned.rule.clone();
                    // A page is left only where it has shown itself, once, that the rule is right for it.
                    let is_held_back =
                        is_held_back && self.memory.get(class_key(&rule, &class.text)) == Some(CONFIRMED);
                    forecast = Forecast::Duplicate(Prediction { rule, is_held_back });
                }
                Trust::Suspected if matches!(forecast, Forecast::New) => {
                    forecast = Forecast::Test(learned.rule.clone());
                }
                _ => {}
            }
        }
        match forecast {
            Forecast::New | Forecast::Test(_) if self.is_deprioritised(host, url) => Forecast::Deprioritised,
            forecast => forecast,
        }
    }

    /// Whether a URL is still to be left that was left before.
    #[must_use]
    pub fn holds_back(&self, host: &str, url: &Url) -> bool {
        self.is_enabled()
            && match self.forecast(host, url) {
                Forecast::Duplicate(prediction) => prediction.is_held_back,
                Forecast::Same(_) => true,
                Forecast::New | Forecast::Test(_) | Forecast::Deprioritised => false,
            }
    }

    /// Whether a URL in process tests the rule.
    #[must_use]
    pub fn is_tested(&self, host: &str, rule: &Rule) -> bool {
        let host = self.hosts.get(host);
        host.and_then(|host| host.find(rule))
            .is_some_and(|learned| learned.is_tested)
    }

    /// The URL at the place `seq` of the queue is fetched, and tests `rule`.
    pub fn begin_test(&mut self, host: &str, seq: u64, rule: Rule) {
        if let Some(host) = self.hosts.get_mut(host) {
            if let Some(learned) = host.find_mut(&rule) {
                learned.is_tested = true;
            }
            host.tests.insert(seq, rule);
        }
    }

    /// The URL at the place `seq` of the queue has an outcome, whichever.
    pub fn end_test(&mut self, host: &str, seq: u64) {
        if let Some(host) = self.hosts.get_mut(host)
            && let Some(rule) = host.tests.remove(&seq)
            && let Some(learned) = host.find_mut(&rule)
        {
            learned.is_tested = false;
        }
    }

    /// Notes that a URL is left by `rule`. `true` for those that are taken as a sample instead: the 9th, 36th, 81st, ….
    pub fn is_sample(&mut self, host: &str, rule: &Rule) -> bool {
        let learned = self.hosts.get_mut(host).and_then(|host| host.find_mut(rule));
        let Some(learned) = learned else { return true };
        learned.left += 1;
        let root = learned.left.isqrt();
        root * root == learned.left && root % 3 == 0
    }

    /// The rules that were suggested and confirmed at least once, or are applied: by host, the best confirmed first.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleStanding> {
        let of_host = |(host, rules): (&String, &HostRules)| {
            let host = host.clone();
            let rules = rules.learned().map(move |learned| {
                let standing = self.trust(learned);
                RuleStanding {
                    rule: HostRule {
                        host: host.clone(),
                        rule: learned.rule.clone(),
                    },
                    evidence: learned.evidence.clone(),
                    holds: matches!(standing, Trust::Holds { .. } | Trust::Applied),
                    is_held_back: standing == Trust::Holds { is_held_back: true },
                    is_applied: learned.is_applied,
                }
            });
            rules.collect::<Vec<_>>()
        };
        let mut rules: Vec<RuleStanding> = self.hosts.iter().flat_map(of_host).collect();
        rules.sort_by(|a, b| {
            let best_first = b.evidence.confirmed.cmp(&a.evidence.confirmed);
            a.rule.host.cmp(&b.rule.host).then(best_first).then(a.rule.cmp(&b.rule))
        });
        rules
    }

    /// The snoozed patterns, by host and pattern.
    #[must_use]
    pub fn deprioritised_patterns(&self) -> Vec<PatternStanding> {
        let of_host = |(host, rules): (&String, &HostRules)| {
            let snoozed = rules
                .patterns
                .iter()
                .filter(|(_, pattern)| self.is_mostly_duplicates(**pattern));
            let host = host.clone();
            let standing = snoozed.map(move |(name, pattern)| PatternStanding {
                host: host.clone(),
                pattern: name.clone(),
                pages: pattern.pages,
                duplicates: pattern.duplicates,
            });
            standing.collect::<Vec<_>>()
        };
        let mut patterns: Vec<_> = self.hosts.iter().flat_map(of_host).collect();
        patterns.sort_by(|a, b| (&a.host, &a.pattern).cmp(&(&b.host, &b.pattern)));
        patterns
    }

    fn trust(&self, learned: &Learned) -> Trust {
        if learned.is_applied {
            return Trust::Applied;
        }
        let evidence = &learned.evidence;
        // A rule for one shape of paths speaks of what it has seen; one for all paths must have seen several.
        let is_wide = learned.rule.shape().is_none();
        if evidence.holds(self.policy.min_confirmed, is_wide) {
            let is_parameter = matches!(learned.rule, Rule::Parameter { .. });
            let is_trap =
                evidence.is_endless(learned.rule.is_suspect()) || is_parameter && evidence.is_without_effect();
            let is_held_back = match self.policy.leave {
                Leave::Nothing => false,
                Leave::Traps => is_trap,
                Leave::Snoozed => evidence.contradicted == 0,
            };
            return Trust::Holds { is_held_back };
        }
        if evidence.is_suspicion() {
            Trust::Suspected
        } else {
            Trust::Unproved
        }
    }

    fn is_deprioritised(&self, host: &HostRules, url: &Url) -> bool {
        let pattern = host.patterns.get(&shape::pattern(url));
        pattern.is_some_and(|pattern| self.is_mostly_duplicates(*pattern))
    }

    fn is_mostly_duplicates(&self, pattern: Pattern) -> bool {
        self.policy.enabled
            && pattern.pages >= self.policy.min_pattern_pages
            && u64::from(pattern.duplicates) * 10 >= u64::from(pattern.pages) * 9
    }
}

/// What a rule is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Applied,
    Holds { is_held_back: bool },
    Suspected,
    Unproved,
}

#[cfg(test)]
mod tests;
