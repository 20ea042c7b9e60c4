//! The verdicts steer the frontier: URLs that are most likely duplicates go last, or are held back.
//!
//! Steering learns from the verdicts, in the order of decision, in two ways:
//!
//! - **Patterns** (host, folder, parameter names) count the pages of a pattern, and how many of them are duplicates of any page. If
//!   at least `min_pattern_pages` were decided and nine in ten are duplicates, the remaining URLs of the pattern are
//!   *deprioritised*: they go last.
//! - **Rules** ("parameter `sid` never changes the page", "`/print/X` is `/X`") come from pairs of duplicates: a pair
//!   suggests a rewriting that gives both URLs one form. From then on, each page to which the rule applies tests the
//!   rule, if the page that the rule predicts was decided before. A duplicate of that page confirms the rule, and a
//!   page that says something new contradicts it. One URL at a time tests a suspected rule, so a suspicion costs
//!   little. A rule holds if it has `min_confirmed` confirmations and is right nine times in ten; then its URLs are
//!   deprioritised. A rule only predicts that a URL is a page that *was decided*: the first URL of every such class is
//!   fetched, so a right rule loses nothing.
//!
//! Deprioritised URLs are fetched when the host has nothing else to do. Traps are the exception, because they have no
//! end. A rule that holds describes a trap in one of these cases:
//!
//! - It leads from each duplicate to the next (a calendar): three in a chain, each found on the page before; ten if
//!   the URLs have neither parameters nor several numbers. Each contradiction raises the required length.
//! - It was confirmed a hundred times and never contradicted, and its URLs have parameters or several numbers.
//! - Its parameter has no effect (a session id): it was never contradicted, and gave exactly the same text at several
//!   paths.
//!
//! The URLs of a trap are *held back* as soon as one URL of the same class has confirmed the rule: they stay in the queue. A sample
//! (the 9th, 36th, 81st, …: √n/3 of n) is fetched last, as a test. If one page of the sample says something new, all URLs that the
//! rule holds back are released. The report counts the held-back URLs, and `steering.leave = "nothing"` fetches them in the next
//! run.
//!
//! The first pages of a suspect skeleton (parameters, or several numbers in the path) are fetched one after the other,
//! while other pages are fetched beside them: see `frontier/queue.rs`.
//!
//! Steering stores nothing. It derives everything from the catalogue, in the order of decision. A restart and a report
//! replay the catalogue, so steering cannot contradict the verdicts. Memory is bounded: a host has a bounded number of
//! rules and patterns, and steering remembers at least half a million keys, of which a page takes several. If it has
//! forgotten a page, one more URL is fetched.

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
use crate::config::settings::SteeringSettings;
use host_rules::{HostRules, Pattern};
use learned::{CONFIRMED, DECIDED, Learned, class_key, kept_key, url_key};
use memory::Memory;

pub use evidence::{Evidence, Example};
pub use replay::replay;
pub use skeleton::Skeleton;
pub use web::url_rule::{HostRule, UrlRule};

/// The priority of deprioritised URLs, which are fetched when the host has nothing else to do.
pub const PRIORITY_DEPRIORITISED: u8 = 100;

/// The priority of URLs that are fetched last, to test the rule that holds their class back.
pub const PRIORITY_SAMPLE: u8 = 150;

/// The priority of held-back URLs, which are fetched only if their rule no longer holds.
pub const PRIORITY_HELD_BACK: u8 = 200;

/// Bound on the rules of all hosts.
const MAX_RULES: usize = 50_000;

/// A page with its verdict, as steering learns from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedPage {
    /// The sequence number of the page.
    pub page: u64,
    /// Its canonical URL.
    pub url: String,
    /// The page that linked to it.
    pub via: Option<u64>,
    /// The kept page that it duplicates; `None` for a unique page.
    pub duplicate_of: Option<DuplicateOf>,
}

/// The kept page of a duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateOf {
    /// Its URL.
    pub url: String,
    /// Whether the normalised texts are equal.
    pub is_exact: bool,
}

impl DuplicateOf {
    /// The kept page at `url`. `verdict` is the verdict on its duplicate.
    #[must_use]
    pub fn new(url: String, verdict: &Verdict) -> Self {
        Self {
            url,
            is_exact: matches!(verdict, Verdict::Exact { .. }),
        }
    }
}

impl JudgedPage {
    /// The verdict on page number `page`. `via` is the link to it.
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

/// The forecast of steering for a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forecast {
    /// Nothing: it may be any page.
    New,
    /// It would test a suspected rule. While a test runs, the other URLs of the rule wait.
    Test(UrlRule),
    /// A duplicate of a decided page.
    Duplicate(Prediction),
    /// A duplicate of some page: nearly all pages of its pattern are duplicates.
    Deprioritised,
    /// A decided page, by a rule that the user applies.
    Same(UrlRule),
}

/// A forecast by a rule that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The rule.
    pub rule: UrlRule,
    /// Whether the URL is held back, except for a sample.
    pub is_held_back: bool,
}

/// The rules and patterns of all hosts, learned from the verdicts.
#[derive(Debug)]
pub struct Steering {
    policy: SteeringSettings,
    hosts: HashMap<String, HostRules>,
    /// The number of rules of all hosts.
    rules: usize,
    memory: Memory,
}

/// A rule with its evidence, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStanding {
    /// The rule.
    pub rule: HostRule,
    /// The evidence for and against it.
    pub evidence: Evidence,
    /// Whether it holds.
    pub holds: bool,
    /// Whether its URLs are held back, except for a sample.
    pub is_held_back: bool,
    /// Whether the user applies it.
    pub is_applied: bool,
}

/// A deprioritised pattern, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternStanding {
    /// The host key.
    pub host: String,
    /// Folder, name and parameters, such as `/news/#/*?page`.
    pub pattern: String,
    /// Decided pages, without the first.
    pub pages: u32,
    /// Duplicates among them.
    pub duplicates: u32,
}

impl Steering {
    /// Steering that knows only the rules that the user applies.
    #[must_use]
    pub fn new(policy: SteeringSettings) -> Self {
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

    /// Whether steering forecasts anything.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.policy.enabled || !self.policy.apply.is_empty()
    }

    /// Learns from a verdict. Returns `true` if it contradicts a rule, so that held-back URLs must be judged again.
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
        let mut is_contradicted = false;
        for learned in host.relevant_mut(&shape) {
            let class = learned.class(&url);
            if learned.is_known(&class, memory) {
                is_contradicted |= learned.test(&url, &class, decision, of.as_ref(), memory);
            }
            if class.is_rewritten {
                memory.insert_new(class_key(&learned.rule, &class.text), DECIDED);
            }
        }
        memory.insert_new(url_key(url.as_str()), DECIDED);
        if of.is_none() {
            for rule in web::url_rule::suggestible_rules(&url) {
                let key = kept_key(&rule, &rule.rewrite(&url).unwrap_or_default());
                memory.insert(key, memory.get(key).unwrap_or(0).saturating_add(1));
            }
        }
        if let Some((of, is_exact)) = &of
            && self.policy.enabled
        {
            for rule in web::url_rule::suggested_rules(&url, of) {
                if self.rules < MAX_RULES || host.has_seat_for(&rule) {
                    self.rules += usize::from(host.suspect(rule, &url, of, decision, *is_exact, memory));
                }
            }
        }
        is_contradicted
    }

    /// The forecast for a URL of `host` that was not fetched yet.
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
                    // A URL is held back only if another URL of its class has confirmed the rule.
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

    /// Whether a held-back URL stays held back.
    #[must_use]
    pub fn holds_back(&self, host: &str, url: &Url) -> bool {
        self.is_enabled()
            && match self.forecast(host, url) {
                Forecast::Duplicate(prediction) => prediction.is_held_back,
                Forecast::Same(_) => true,
                Forecast::New | Forecast::Test(_) | Forecast::Deprioritised => false,
            }
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

    /// Counts a URL that `rule` holds back. Returns `true` for a URL of the sample (the 9th, 36th, 81st, …), which is
    /// fetched.
    pub fn is_sample(&mut self, host: &str, rule: &UrlRule) -> bool {
        let learned = self.hosts.get_mut(host).and_then(|host| host.find_mut(rule));
        let Some(learned) = learned else { return true };
        learned.held_back += 1;
        let root = learned.held_back.isqrt();
        root * root == learned.held_back && root % 3 == 0
    }

    /// The rules that were confirmed at least once, or that the user applies: by host, the best confirmed first.
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

    /// The deprioritised patterns, by host and pattern.
    #[must_use]
    pub fn deprioritised_patterns(&self) -> Vec<PatternStanding> {
        let of_host = |(host, rules): (&String, &HostRules)| {
            let deprioritised = rules
                .patterns
                .iter()
                .filter(|(_, pattern)| self.is_mostly_duplicates(**pattern));
            let host = host.clone();
            let standing = deprioritised.map(move |(name, pattern)| PatternStanding {
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
        // A rule for one shape of paths has seen that shape. A rule for all paths must have seen several.
        let is_wide = learned.rule.shape().is_none();
        if evidence.holds(self.policy.min_confirmed, is_wide) {
            let is_parameter = matches!(learned.rule, UrlRule::Parameter { .. });
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

/// How far steering trusts a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Applied,
    Holds { is_held_back: bool },
    Suspected,
    Unproved,
}

#[cfg(test)]
mod tests;
