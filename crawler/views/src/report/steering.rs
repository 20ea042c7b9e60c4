//! The rules about URLs that the verdicts suggest, and the requests that they save.

use std::collections::HashMap;

use serde::Serialize;
use storage::Store;
use url::Url;

use config::settings::SteeringSettings;
use crawl::steering::{self, Forecast, Reason, RuleStanding};
use error::RunError;

/// Rules, patterns, and the queued URLs that they affect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Steering {
    /// URLs held back, that is requests not made. `counts.queued` includes them.
    pub held_back: u64,
    /// Estimated bytes of these requests, from the mean page size of each host.
    pub held_back_bytes: u64,
    /// Queued URLs that go last.
    pub deprioritised: u64,
    /// The rules in force, by host, the best confirmed first.
    pub rules: Vec<LearnedRule>,
    /// The patterns of URLs that nearly always lead to duplicates, by host and pattern.
    pub patterns: Vec<Pattern>,
    /// The traps, and the folders that the crawl leaves, by host and pattern.
    pub traps: Vec<Trap>,
}

/// A rule that the crawl learned from pairs of duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearnedRule {
    /// The form that `steering.apply` accepts.
    pub rule: String,
    /// The rule in words.
    pub meaning: String,
    /// `suspected`; `deprioritised` or `held_back`: what happens to the rule's URLs; `applied` (by the user); or `refuted`.
    pub standing: &'static str,
    /// Pages that were duplicates of the page that the rule predicts.
    pub confirmed: u32,
    /// Confirming pages with exactly the same text.
    pub exact: u32,
    /// Pages that said something new although the rule predicts a duplicate.
    pub contradicted: u32,
    /// Queued URLs that the rule matches.
    pub queued: u64,
    /// Queued URLs that are held back because of it, that is requests that it saved.
    pub saved_requests: u64,
    /// Estimated bytes of these requests, from the mean page size of the host.
    pub saved_bytes: u64,
    /// The first pairs that confirmed it.
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

/// URLs of one host with the same folder and the same parameter names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pattern {
    pub host: String,
    /// `/news/#/*?page`: `#` stands for digits, `*` for the last path segment.
    pub pattern: String,
    /// Pages with a verdict, without the first.
    pub pages: u32,
    /// Duplicates among them.
    pub duplicates: u32,
}

/// URLs of one host that are held back together, except for a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trap {
    pub host: String,
    /// For a trap, such as `/shop/*/{mixed}?*`: `#` stands for digits, `{word}` for a segment without digits, `{mixed}` for a segment
    /// with digits, `*` for any segment, `**` for any number of segments, `?*` for any query. For a folder: its path.
    pub pattern: String,
    /// `trap`: all its pages were duplicates for long enough; `folder`: `scope.max_duplicate_share` is reached.
    pub kind: &'static str,
    /// Its last pages that said nothing new.
    pub duplicates: u32,
    /// Queued URLs that are held back because of it, that is requests that it saved.
    pub saved_requests: u64,
    /// Estimated bytes of these requests, from the mean page size of the host.
    pub saved_bytes: u64,
}

impl Trap {
    /// The trap or folder in a form for people.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {}{}", self.kind, self.host, self.pattern)
    }
}

impl LearnedRule {
    fn new(standing: RuleStanding, affected: &Affected) -> Self {
        let rule = standing.rule.to_string();
        let is_now = match &standing {
            RuleStanding { is_applied: true, .. } => "applied",
            RuleStanding { is_held_back: true, .. } => "held_back",
            RuleStanding { holds: true, .. } => "deprioritised",
            RuleStanding { evidence, .. } if evidence.contradicted == 0 => "suspected",
            _ => "refuted",
        };
        let saved_requests = affected.held_back_by.get(&rule).copied().unwrap_or_default();
        let mean_bytes = affected.mean_bytes(&standing.rule.host);
        let examples = standing.evidence.examples.into_iter().map(|example| Example {
            url: example.url,
            same_as: example.same_as,
        });
        Self {
            queued: affected.queued_by.get(&rule).copied().unwrap_or_default(),
            saved_requests,
            saved_bytes: saved_requests * mean_bytes,
            meaning: standing.rule.rule.meaning(),
            rule,
            standing: is_now,
            confirmed: standing.evidence.confirmed,
            exact: standing.evidence.exact,
            contradicted: standing.evidence.contradicted,
            examples: examples.collect(),
        }
    }

    /// `standing` as people read it.
    pub fn words(&self) -> &'static str {
        match self.standing {
            "held_back" => "held back",
            word => word,
        }
    }
}

impl Steering {
    /// The rules, patterns and traps in force under `policy`; with `all`, also the rules that are only suspected or refuted.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(store: &Store, policy: SteeringSettings, all: bool) -> Result<Self, RunError> {
        let mut known = steering::Steering::new(policy);
        steering::replay(store, &mut known)?;
        Self::learned(store, &known, all)
    }

    /// As [`of`](Self::of), with a steering that has learned from all verdicts in `store`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn learned(store: &Store, known: &steering::Steering, all: bool) -> Result<Self, RunError> {
        let affected = Affected::read(store, known)?;
        let rules = known.rules().into_iter().filter(|standing| all || standing.holds);
        let patterns = known.deprioritised_patterns().into_iter();
        Ok(Self {
            held_back: affected.held_back_on.values().sum(),
            held_back_bytes: affected.held_back_bytes(),
            deprioritised: affected.deprioritised,
            traps: traps(known, &affected),
            rules: rules.map(|standing| LearnedRule::new(standing, &affected)).collect(),
            patterns: patterns
                .map(|pattern| Pattern {
                    host: pattern.host,
                    pattern: pattern.pattern,
                    pages: pattern.pages,
                    duplicates: pattern.duplicates,
                })
                .collect(),
        })
    }

    /// The reasons for held-back URLs, each with the number of its URLs, the largest first.
    #[must_use]
    pub fn held_back_by(&self) -> Vec<(String, u64)> {
        let rules = self.rules.iter().map(|rule| (rule.rule.clone(), rule.saved_requests));
        let traps = self.traps.iter().map(|trap| (trap.words(), trap.saved_requests));
        let mut reasons: Vec<_> = rules.chain(traps).filter(|(_, urls)| *urls > 0).collect();
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        reasons
    }

    /// The settings that fetch the held-back URLs.
    #[must_use]
    pub fn how_to_fetch(&self) -> &'static str {
        if self.traps.iter().any(|trap| trap.kind == FOLDER) {
            "to fetch them: steering.leave = \"nothing\", scope.max_duplicate_share = 0"
        } else {
            "to fetch them in the next run: steering.leave = \"nothing\""
        }
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The two kinds of [`Trap`].
const TRAP: &str = "trap";
const FOLDER: &str = "folder";

/// A trap or folder as a key.
fn place(host: &str, kind: &str, pattern: &str) -> String {
    format!("{kind} {host}{pattern}")
}

fn traps(known: &steering::Steering, affected: &Affected) -> Vec<Trap> {
    let traps = known.traps().into_iter();
    let traps = traps.map(|trap| (trap.host, trap.pattern, TRAP, trap.duplicates));
    let folders = known.left_folders().into_iter();
    let folders = folders.map(|folder| (folder.host, folder.folder, FOLDER, folder.duplicates));
    traps
        .chain(folders)
        .map(|(host, pattern, kind, duplicates)| {
            let held_back = affected.held_back_by.get(&place(&host, kind, &pattern));
            let saved_requests = held_back.copied().unwrap_or_default();
            Trap {
                saved_bytes: saved_requests * affected.mean_bytes(&host),
                host,
                pattern,
                kind,
                duplicates,
                saved_requests,
            }
        })
        .collect()
}

/// The queued URLs that steering affects.
#[derive(Debug, Default)]
struct Affected {
    deprioritised: u64,
    /// URLs held back, by host.
    held_back_on: HashMap<String, u64>,
    /// Numbers of held-back URLs, by the text form of the rule, trap or folder.
    held_back_by: HashMap<String, u64>,
    /// URLs that a rule matches, held back or deprioritised, by the rule's text form.
    queued_by: HashMap<String, u64>,
    /// Mean bytes of a page, by host; for hosts with URLs held back.
    mean_bytes: HashMap<String, u64>,
}

impl Affected {
    fn read(store: &Store, known: &steering::Steering) -> Result<Self, RunError> {
        let mut affected = Self::default();
        for row in store.queue().urls() {
            let row = row?;
            if row.revisits.is_some() {
                continue;
            }
            let is_held_back = row.priority >= steering::PRIORITY_HELD_BACK;
            match row.priority {
                steering::PRIORITY_HELD_BACK.. => *affected.held_back_on.entry(row.host.clone()).or_default() += 1,
                steering::PRIORITY_DEPRIORITISED.. => affected.deprioritised += 1,
                _ => continue,
            }
            let forecast = Url::parse(&row.url).map_or(Forecast::New, |url| known.forecast(&row.host, &url));
            let by = match forecast {
                Forecast::Duplicate(steering::Prediction { by, .. }) => by,
                Forecast::Same(rule) => Reason::Rule(rule),
                Forecast::New | Forecast::Test(_) | Forecast::Deprioritised => continue,
            };
            let by = match by {
                Reason::Rule(rule) => steering::HostRule { host: row.host, rule }.to_string(),
                Reason::Trap(pattern) => place(&row.host, TRAP, &pattern),
                Reason::Folder(folder) => place(&row.host, FOLDER, &folder),
            };
            if is_held_back {
                *affected.held_back_by.entry(by.clone()).or_default() += 1;
            }
            *affected.queued_by.entry(by).or_default() += 1;
        }
        for row in store.hosts().all() {
            let (host, counts) = row?;
            if affected.held_back_on.contains_key(&host) {
                let mean = counts.bytes_fetched / counts.fetched().max(1);
                affected.mean_bytes.insert(host, mean);
            }
        }
        Ok(affected)
    }

    fn held_back_bytes(&self) -> u64 {
        let by_host = self.held_back_on.iter();
        by_host.map(|(host, urls)| urls * self.mean_bytes(host)).sum()
    }

    /// Mean bytes of a page of a host with URLs held back.
    fn mean_bytes(&self, host: &str) -> u64 {
        self.mean_bytes.get(host).copied().unwrap_or_default()
    }
}
