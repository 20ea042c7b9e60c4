//! What the verdicts taught about URLs, and what that saved.

use std::collections::HashMap;

use serde::Serialize;
use storage::Store;
use url::Url;

use crate::config::Config;
use crate::config::settings::{Policy, Settings};
use crate::crawl::steering::{self, Forecast, RuleStanding};
use crate::error::RunError;

/// See the module's text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Steering {
    /// URLs that were left: requests that were not made. They are in `counts.queued`.
    pub left: u64,
    /// What these requests would have fetched, in bytes, at the mean of the pages of their host.
    pub left_bytes: u64,
    /// URLs that go last and are still queued.
    pub snoozed: u64,
    /// The rules that hold or are applied, by host, the best confirmed first.
    pub rules: Vec<LearnedRule>,
    /// The patterns of which nearly all pages were duplicates, by host and pattern.
    pub patterns: Vec<Pattern>,
}

/// A rule that was learned from pairs of duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearnedRule {
    /// As `steering.apply` takes it.
    pub rule: String,
    /// In words.
    pub meaning: String,
    /// `suspected`, `snoozed` (its URLs go last), `left` (its URLs are not fetched), `applied` or `refuted`.
    pub state: &'static str,
    /// Pages that were duplicates of the page that the rule says they are.
    pub confirmed: u32,
    /// Of these, with the very same text.
    pub exact: u32,
    /// Pages that said something new although the rule says that they are a page already decided.
    pub contradicted: u32,
    /// Queued URLs that it speaks of.
    pub queued: u64,
    /// Of these, those that are left: requests that it saved.
    pub saved_requests: u64,
    /// What these would have fetched, in bytes, at the mean of the pages of the host.
    pub saved_bytes: u64,
    /// Pairs that confirmed it, the first of them.
    pub examples: Vec<Example>,
}

/// A pair of duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The dropped page.
    pub url: String,
    /// The kept page.
    pub same_as: String,
}

/// URLs of one host with the same folder and the same names of parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pattern {
    /// The host.
    pub host: String,
    /// `/news/#/*?page`: digits as `#`, the last name as `*`.
    pub pattern: String,
    /// Pages decided, without the first.
    pub pages: u32,
    /// Of these, duplicates.
    pub duplicates: u32,
}

impl Steering {
    /// What the catalogue teaches under the built-in settings; every rule that was ever suggested with `all`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store) -> Result<Self, RunError> {
        // The built-in configuration is valid.
        let policy = Settings::new(&Config::default()).map(|settings| settings.steering);
        policy.map_or_else(|_invalid| Ok(Self::default()), |policy| Self::of(store, policy, false))
    }

    /// As [`read`](Self::read), under `policy`; with `all`, also the rules that are only suspected or refuted.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(store: &Store, policy: Policy, all: bool) -> Result<Self, RunError> {
        let mut known = steering::Steering::new(policy);
        steering::replay(store, &mut known)?;
        let mut report = Self::default();
        let mut queued: HashMap<String, u64> = HashMap::new();
        let mut saved: HashMap<String, Saved> = HashMap::new();
        let mut left_on: HashMap<String, u64> = HashMap::new();
        for row in store.queue() {
            let row = row?;
            if row.revisits.is_some() {
                continue;
            }
            let is_left = row.priority >= steering::PRIORITY_HELD_BACK;
            match row.priority {
                steering::PRIORITY_HELD_BACK.. => {
                    report.left += 1;
                    *left_on.entry(row.host.clone()).or_default() += 1;
                }
                steering::PRIORITY_DEPRIORITISED.. => report.snoozed += 1,
                _ => continue,
            }
            let forecast = Url::parse(&row.url).map_or(Forecast::New, |url| known.forecast(&row.host, &url));
            if let Forecast::Duplicate(steering::Prediction { rule, .. }) | Forecast::Same(rule) = forecast {
                let rule = steering::HostRule { host: row.host, rule };
                let name = rule.to_string();
                if is_left {
                    let saved = saved.entry(name.clone()).or_default();
                    saved.requests += 1;
                    saved.host = rule.host;
                }
                *queued.entry(name).or_default() += 1;
            }
        }
        let mut means: HashMap<String, u64> = HashMap::new();
        for row in store.hosts() {
            let (host, counts) = row?;
            if let Some(left) = left_on.get(&host) {
                let mean = counts.bytes_fetched / counts.fetched().max(1);
                report.left_bytes += mean * left;
                means.insert(host, mean);
            }
        }
        for saved in saved.values_mut() {
            saved.bytes = saved.requests * means.get(&saved.host).copied().unwrap_or_default();
        }
        let rules = known.rules().into_iter().filter(|standing| all || standing.holds);
        report.rules = rules.map(|standing| learned(standing, &queued, &saved)).collect();
        let patterns = known.deprioritised_patterns().into_iter();
        report.patterns = patterns
            .map(|pattern| Pattern {
                host: pattern.host,
                pattern: pattern.pattern,
                pages: pattern.pages,
                duplicates: pattern.duplicates,
            })
            .collect();
        Ok(report)
    }

    /// Whether there is anything to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a rule saved.
#[derive(Debug, Default)]
struct Saved {
    host: String,
    requests: u64,
    bytes: u64,
}

fn learned(standing: RuleStanding, queued: &HashMap<String, u64>, saved: &HashMap<String, Saved>) -> LearnedRule {
    let rule = standing.rule.to_string();
    let saved = saved.get(&rule);
    let state = match &standing {
        RuleStanding { is_applied: true, .. } => "applied",
        RuleStanding { is_held_back: true, .. } => "left",
        RuleStanding { holds: true, .. } => "snoozed",
        RuleStanding { evidence, .. } if evidence.contradicted == 0 => "suspected",
        _ => "refuted",
    };
    LearnedRule {
        queued: queued.get(&rule).copied().unwrap_or_default(),
        saved_requests: saved.map_or(0, |saved| saved.requests),
        saved_bytes: saved.map_or(0, |saved| saved.bytes),
        meaning: standing.rule.rule.meaning(),
        rule,
        state,
        confirmed: standing.evidence.confirmed,
        exact: standing.evidence.exact,
        contradicted: standing.evidence.contradicted,
        examples: standing
            .evidence
            .examples
            .into_iter()
            .map(|example| Example {
                url: example.url,
                same_as: example.same_as,
            })
            .collect(),
    }
}
