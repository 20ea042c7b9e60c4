//! The rules, patterns, traps and folders in force, for the report.

use super::forecast::Trust;
use super::host_rules::HostRules;
use super::share::FolderStanding;
use super::traps::TrapStanding;
use super::{Evidence, HostRule, Steering};

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
    /// The traps, by host and pattern.
    #[must_use]
    pub fn traps(&self) -> Vec<TrapStanding> {
        self.traps.standing()
    }

    /// The folders that the crawl leaves by `scope.max_duplicate_share`, by host and folder.
    #[must_use]
    pub fn left_folders(&self) -> Vec<FolderStanding> {
        self.folders.standing()
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
}
