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
//! other, while others go on beside them: see `scheduler/queue.rs`.
//!
//! All this is derived from the catalogue, in its order: a restart replays it, a report replays it, nothing of it is stored,
//! so nothing can contradict the verdicts it came from. Memory is bounded: a bounded number of rules and patterns a host,
//! and the last million decided pages, of which an older one costs a fetch and no more.

mod evidence;
mod memory;
mod replay;
mod rule;
mod shape;

use std::collections::HashMap;

use storage::{Verdict, Via};
use url::Url;
use xxhash_rust::xxh3::Xxh3;

pub use evidence::{Evidence, Example};
pub use replay::replay;
pub use rule::{HostRule, InvalidRule, Rule};

use memory::Memory;

/// The place in a host's queue of URLs that will most likely turn out duplicates: fetched when the host has nothing else.
pub const PRIORITY_SNOOZED: u8 = 100;

/// The place of URLs that are fetched although their like are left, as a test.
pub const PRIORITY_SAMPLE: u8 = 150;

/// The place of URLs that are left: not fetched, unless what left them is no longer believed.
pub const PRIORITY_LEFT: u8 = 200;

/// In the memory of a class: a page of it was decided, or another of its pages was a duplicate of that.
const DECIDED: u32 = 0;
const CONFIRMED: u32 = 1;

/// Rules of a host that hold for all its paths, and so are looked at for each of its URLs.
const MAX_WIDE_RULES: usize = 32;

/// Shapes of paths of a host that may have rules of their own, and how many each.
const MAX_SHAPES: usize = 4_096;
const MAX_RULES_A_SHAPE: usize = 8;

/// Rules of all hosts.
const MAX_RULES: usize = 50_000;

/// Bytes of the names and shapes in a rule; a longer one is nothing that a person would believe.
const MAX_RULE_BYTES: usize = 256;

/// A rule with more confirmations, and right nine times in ten, makes room for no other.
const MAX_CONFIRMED_OF_EVICTED: u32 = 2;

/// Patterns of a host that are counted.
const MAX_PATTERNS: usize = 4_096;

/// What happens to URLs that will most likely turn out duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leave {
    /// All are fetched, after everything else.
    Nothing,
    /// Those of traps stay in the queue, but for a sample; the others are fetched, after everything else.
    Traps,
    /// Those of rules that were never wrong stay in the queue, but for a sample.
    Snoozed,
}

/// How the verdicts steer.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Whether they do.
    pub enabled: bool,
    /// Tests that a rule must have passed before it is believed.
    pub min_confirmed: u32,
    /// Pages after the first that a pattern must have before it is judged.
    pub min_pattern_pages: u32,
    /// What is not fetched at all.
    pub leave: Leave,
    /// Rules that the user has asked to be applied: their URLs are not even kept in the queue.
    pub apply: Vec<HostRule>,
}

/// A page with its verdict, as far as it can teach anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
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

impl Decision {
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
    Snoozed,
    /// By a rule that the user applies it is a page that was decided.
    Same(Rule),
}

/// A forecast by a rule that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The rule.
    pub rule: Rule,
    /// Whether the URL is left, but for a sample.
    pub is_left: bool,
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

/// What is known of one host.
#[derive(Debug, Default)]
struct HostRules {
    /// Rules for all paths.
    wide: Vec<Learned>,
    /// Rules for paths of one shape, by the shape.
    by_shape: HashMap<String, Vec<Learned>>,
    patterns: HashMap<String, Pattern>,
    /// The rules that a URL in process is testing, by its place in the queue.
    tests: HashMap<u64, Rule>,
}

/// A rule and how it came off so far.
#[derive(Debug, Clone)]
struct Learned {
    rule: Rule,
    evidence: Evidence,
    is_applied: bool,
    /// URLs that it left, samples included; not replayed, so a restart takes some more samples.
    left: u64,
    /// A URL in process tests it.
    is_tested: bool,
}

/// Pages of a pattern, without the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pattern {
    is_begun: bool,
    pages: u32,
    duplicates: u32,
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
    pub is_left: bool,
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
    pub fn decided(&mut self, host: &str, decision: &Decision) -> bool {
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
            for rule in rule::that_may_be_suggested(&url) {
                let key = kept_key(&rule, &rule.rewrite(&url).unwrap_or_default());
                memory.insert(key, memory.get(key).unwrap_or(0).saturating_add(1));
            }
        }
        if let Some((of, is_exact)) = &of
            && self.policy.enabled
        {
            for rule in rule::suggested_by(&url, of) {
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
            let standing = self.standing(learned);
            if standing == Standing::Unproved {
                continue;
            }
            let class = learned.class(url);
            if !learned.is_known(&class, &self.memory) {
                continue;
            }
            match standing {
                Standing::Applied => return Forecast::Same(learned.rule.clone()),
                Standing::Holds { is_left } if !matches!(&forecast, Forecast::Duplicate(p) if p.is_left) => {
                    let rule = learned.rule.clone();
                    // A page is left only where it has shown itself, once, that the rule is right for it.
                    let is_left = is_left && self.memory.get(class_key(&rule, &class.text)) == Some(CONFIRMED);
                    forecast = Forecast::Duplicate(Prediction { rule, is_left });
                }
                Standing::Suspected if matches!(forecast, Forecast::New) => {
                    forecast = Forecast::Test(learned.rule.clone());
                }
                _ => {}
            }
        }
        match forecast {
            Forecast::New | Forecast::Test(_) if self.is_snoozed(host, url) => Forecast::Snoozed,
            forecast => forecast,
        }
    }

    /// Whether a URL is still to be left that was left before.
    #[must_use]
    pub fn leaves(&self, host: &str, url: &Url) -> bool {
        self.is_enabled()
            && match self.forecast(host, url) {
                Forecast::Duplicate(prediction) => prediction.is_left,
                Forecast::Same(_) => true,
                Forecast::New | Forecast::Test(_) | Forecast::Snoozed => false,
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
                let standing = self.standing(learned);
                RuleStanding {
                    rule: HostRule {
                        host: host.clone(),
                        rule: learned.rule.clone(),
                    },
                    evidence: learned.evidence.clone(),
                    holds: matches!(standing, Standing::Holds { .. } | Standing::Applied),
                    is_left: standing == Standing::Holds { is_left: true },
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
    pub fn snoozed_patterns(&self) -> Vec<PatternStanding> {
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

    fn standing(&self, learned: &Learned) -> Standing {
        if learned.is_applied {
            return Standing::Applied;
        }
        let evidence = &learned.evidence;
        // A rule for one shape of paths speaks of what it has seen; one for all paths must have seen several.
        let is_wide = learned.rule.shape().is_none();
        if evidence.holds(self.policy.min_confirmed, is_wide) {
            let is_parameter = matches!(learned.rule, Rule::Parameter { .. });
            let is_trap =
                evidence.is_endless(learned.rule.is_suspect()) || is_parameter && evidence.is_without_effect();
            let is_left = match self.policy.leave {
                Leave::Nothing => false,
                Leave::Traps => is_trap,
                Leave::Snoozed => evidence.contradicted == 0,
            };
            return Standing::Holds { is_left };
        }
        if evidence.is_suspicion() {
            Standing::Suspected
        } else {
            Standing::Unproved
        }
    }

    fn is_snoozed(&self, host: &HostRules, url: &Url) -> bool {
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
enum Standing {
    Applied,
    Holds { is_left: bool },
    Suspected,
    Unproved,
}

impl Rule {
    /// Whether it speaks of what traps are made of: parameters, or several numbers in the path.
    fn is_suspect(&self) -> bool {
        match self {
            Self::Parameter { .. } => true,
            Self::Numbers { path } => path.contains('?') || path.matches('#').count() > 1,
            Self::Segment { .. } | Self::Origin { .. } => false,
        }
    }

    /// Bytes of what it is made of.
    fn bytes(&self) -> usize {
        match self {
            Self::Parameter { name, path } => name.len() + path.as_ref().map_or(0, String::len),
            Self::Numbers { path } => path.len(),
            Self::Segment { word } => word.len(),
            Self::Origin { from, to } => from.len() + to.len(),
        }
    }

    /// The only shape of paths that it applies to.
    fn shape(&self) -> Option<&str> {
        match self {
            Self::Parameter { path, .. } => path.as_deref(),
            Self::Numbers { path } => path.split('?').next(),
            Self::Segment { .. } | Self::Origin { .. } => None,
        }
    }
}

/// A page as a rule sees it: all URLs of one class are one page.
struct Class {
    text: String,
    /// It is not the URL itself.
    is_rewritten: bool,
}

impl Learned {
    fn new(rule: Rule, is_applied: bool) -> Self {
        Self {
            rule,
            evidence: Evidence::default(),
            is_applied,
            left: 0,
            is_tested: false,
        }
    }

    fn class(&self, url: &Url) -> Class {
        let rewritten = self.rule.rewrite(url);
        Class {
            is_rewritten: rewritten.is_some(),
            text: rewritten.unwrap_or_else(|| url.to_string()),
        }
    }

    /// Whether a page of the class was decided.
    fn is_known(&self, class: &Class, memory: &Memory) -> bool {
        class.is_rewritten && memory.contains(url_key(&class.text))
            || memory.contains(class_key(&self.rule, &class.text))
    }

    /// A page was decided whose class was known: what does it say of the rule? `true` if it wakes what the rule left.
    fn test(
        &mut self,
        url: &Url,
        class: &Class,
        decision: &Decision,
        of: Option<&(Url, bool)>,
        memory: &mut Memory,
    ) -> bool {
        let Some((of, is_exact)) = of else {
            self.evidence.contradict();
            return true;
        };
        // A duplicate of some other page speaks neither for the rule nor against it.
        if self.class(of).text == class.text {
            self.confirm(url, of, decision, *is_exact, &class.text, memory);
        }
        false
    }

    fn confirm(&mut self, url: &Url, of: &Url, decision: &Decision, is_exact: bool, class: &str, memory: &mut Memory) {
        let before = decision
            .via
            .and_then(|via| memory.get(link_key(via, &self.rule, class)));
        let chain = before.unwrap_or(0).saturating_add(1);
        memory.insert(link_key(decision.page, &self.rule, class), chain);
        memory.insert(class_key(&self.rule, class), CONFIRMED);
        let example = || Example {
            url: url.to_string(),
            same_as: of.to_string(),
        };
        self.evidence.confirm(url_key(url.path()), is_exact, chain, example);
    }
}

impl HostRules {
    fn learned(&self) -> impl Iterator<Item = &Learned> {
        self.wide.iter().chain(self.by_shape.values().flatten())
    }

    fn relevant<'a>(&'a self, shape: &str) -> impl Iterator<Item = &'a Learned> + use<'a> {
        self.wide.iter().chain(self.by_shape.get(shape).into_iter().flatten())
    }

    fn relevant_mut<'a>(&'a mut self, shape: &str) -> impl Iterator<Item = &'a mut Learned> + use<'a> {
        self.wide
            .iter_mut()
            .chain(self.by_shape.get_mut(shape).into_iter().flatten())
    }

    fn find(&self, rule: &Rule) -> Option<&Learned> {
        let place = match rule.shape() {
            None => &self.wide,
            Some(shape) => self.by_shape.get(shape)?,
        };
        place.iter().find(|learned| learned.rule == *rule)
    }

    fn find_mut(&mut self, rule: &Rule) -> Option<&mut Learned> {
        let place = match rule.shape() {
            None => &mut self.wide,
            Some(shape) => self.by_shape.get_mut(shape)?,
        };
        place.iter_mut().find(|learned| learned.rule == *rule)
    }

    fn place(&mut self, rule: &Rule) -> &mut Vec<Learned> {
        match rule.shape() {
            None => &mut self.wide,
            Some(shape) => self.by_shape.entry(shape.to_owned()).or_default(),
        }
    }

    /// Where rules of this kind have their place, and whether there is a free one.
    fn has_room_for(&self, rule: &Rule) -> bool {
        match rule.shape() {
            None => self.wide.len() < MAX_WIDE_RULES,
            Some(shape) => match self.by_shape.get(shape) {
                None => self.by_shape.len() < MAX_SHAPES,
                Some(rules) => rules.len() < MAX_RULES_A_SHAPE,
            },
        }
    }

    /// Whether the rule can take the place of another.
    fn has_seat_for(&self, rule: &Rule) -> bool {
        self.find(rule).is_none() && !self.has_room_for(rule)
    }

    /// A pair of duplicates suggests a rule; new to us, it is begun with this pair as its first confirmation, and with the
    /// kept pages of its class, but for the one, as contradictions. Where there is no room, it takes the place of the rule
    /// that is worth least. `true` if there is a rule more than before.
    fn suspect(
        &mut self,
        rule: Rule,
        url: &Url,
        of: &Url,
        decision: &Decision,
        is_exact: bool,
        memory: &mut Memory,
    ) -> bool {
        if self.find(&rule).is_some() || rule.bytes() > MAX_RULE_BYTES {
            return false;
        }
        let has_room = self.has_room_for(&rule);
        if !has_room && !self.evict_for(&rule) {
            return false;
        }
        let mut learned = Learned::new(rule, false);
        let class = learned.class(url).text;
        let kept = memory.get(kept_key(&learned.rule, &class)).unwrap_or(0);
        learned.evidence.contradicted = kept.saturating_sub(1);
        learned.confirm(url, of, decision, is_exact, &class, memory);
        self.place(&learned.rule.clone()).push(learned);
        has_room
    }

    /// Forgets the rule that is worth least of those in whose place `rule` would be. `false` if all are worth keeping.
    fn evict_for(&mut self, rule: &Rule) -> bool {
        let place = match rule.shape() {
            None => &mut self.wide,
            Some(shape) => match self.by_shape.get_mut(shape) {
                Some(rules) => rules,
                None => return false,
            },
        };
        let doubtful = place.iter().enumerate().filter(|(_, learned)| {
            let evidence = &learned.evidence;
            let is_proved =
                evidence.confirmed > MAX_CONFIRMED_OF_EVICTED && evidence.confirmed >= 9 * evidence.contradicted;
            !is_proved && !learned.is_applied && !learned.is_tested
        });
        let worst = doubtful.min_by_key(|(index, learned)| {
            let evidence = &learned.evidence;
            (evidence.contradicted == 0, evidence.confirmed, *index)
        });
        let Some(index) = worst.map(|(index, _)| index) else {
            return false;
        };
        place.remove(index);
        true
    }

    fn count_pattern(&mut self, url: &Url, is_duplicate: bool) {
        let name = shape::pattern(url);
        if !self.patterns.contains_key(&name) && self.patterns.len() >= MAX_PATTERNS {
            return;
        }
        let pattern = self.patterns.entry(name).or_default();
        if std::mem::replace(&mut pattern.is_begun, true) {
            pattern.pages = pattern.pages.saturating_add(1);
            pattern.duplicates = pattern.duplicates.saturating_add(u32::from(is_duplicate));
        }
    }
}

/// What URLs of like pages have in common; pages that share it are fetched one after the other where there is a choice, so
/// that the verdict on the first comes in time for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skeleton {
    /// Hash of the shape of the path and the names of the parameters.
    pub hash: u64,
    /// It has what traps are made of: parameters, or several numbers in the path.
    pub is_suspect: bool,
}

impl Skeleton {
    /// The skeleton of a URL.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        let text = shape::skeleton(url);
        Self {
            hash: url_key(&text),
            is_suspect: text.contains('?') || text.matches('#').count() > 1,
        }
    }
}

fn url_key(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// A page as a rule sees it.
fn class_key(rule: &Rule, class: &str) -> u64 {
    keyed(rule, class, &[])
}

/// How many pages of a class were kept.
fn kept_key(rule: &Rule, class: &str) -> u64 {
    keyed(rule, class, b"kept")
}

/// A duplicate of a class, as a link of a chain.
fn link_key(page: u64, rule: &Rule, class: &str) -> u64 {
    keyed(rule, class, &page.to_le_bytes())
}

fn keyed(rule: &Rule, class: &str, more: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    let parts: [&str; 3] = match rule {
        Rule::Parameter { name, path } => ["p", name, path.as_deref().unwrap_or_default()],
        Rule::Numbers { path } => ["n", path, ""],
        Rule::Segment { word } => ["s", word, ""],
        Rule::Origin { from, to } => ["o", from, to],
    };
    for part in parts.iter().chain([&class]) {
        hash.update(part.as_bytes());
        hash.update(&[0xff]);
    }
    hash.update(more);
    hash.digest()
}

#[cfg(test)]
mod tests;
