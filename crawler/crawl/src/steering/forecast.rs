//! The forecast for a URL, by the rules, patterns, traps and folders of steering.

use url::Url;
use web::url_rule::{UrlRule, shape};

use super::Steering;
use super::host_rules::{HostRules, Pattern};
use super::learned::{Class, Learned};
use config::Leave;

/// The forecast of steering for a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forecast {
    /// No forecast: the URL may be any page.
    New,
    /// The URL would test a suspected rule. During a test, the other URLs of the rule wait.
    Test(UrlRule),
    /// A duplicate of a decided page.
    Duplicate(Prediction),
    /// A duplicate of some page: nearly all pages of its pattern are duplicates.
    Deprioritised,
    /// A duplicate of a decided page, by a rule that the user applies.
    Same(UrlRule),
}

/// A forecast with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The reason.
    pub by: Reason,
    /// Whether the URL is held back, except for a sample.
    pub is_held_back: bool,
}

/// Why a URL is probably a duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// This rule holds and applies to the URL.
    Rule(UrlRule),
    /// The URL is in the trap with this pattern.
    Trap(String),
    /// The URL is in this folder, which the crawl leaves by `scope.max_duplicate_share`.
    Folder(String),
}

impl Steering {
    /// The forecast for a URL of `host` that was not fetched yet.
    #[must_use]
    pub fn forecast(&self, host: &str, url: &Url) -> Forecast {
        let by_rule = match self.hosts.get(host) {
            Some(rules) => self.forecast_by_rules(rules, url),
            None => Forecast::New,
        };
        if matches!(&by_rule, Forecast::Same(_)) || is_held_back(&by_rule) {
            return by_rule;
        }
        self.forecast_by_place(host, url).unwrap_or(by_rule)
    }

    /// The forecast for a URL in a trap, or in a folder that the crawl leaves.
    fn forecast_by_place(&self, host: &str, url: &Url) -> Option<Forecast> {
        let by_folder = || Some((Reason::Folder(self.folders.left(host, url)?), true));
        let by_trap = || {
            let trap = self.traps.trap(host, url)?;
            Some((Reason::Trap(trap.to_owned()), self.policy.leave != Leave::Nothing))
        };
        let (by, is_held_back) = by_folder().or_else(by_trap)?;
        Some(Forecast::Duplicate(Prediction { by, is_held_back }))
    }

    fn forecast_by_rules(&self, host: &HostRules, url: &Url) -> Forecast {
        let mut forecast = Forecast::New;
        let mut without_effect: Vec<&Learned> = Vec::new();
        let shape = shape::shape(url);
        for learned in host.relevant(&shape) {
            let standing = self.trust(learned);
            if standing == Trust::Unproved {
                continue;
            }
            let class = learned.class(url);
            let is_parameter = matches!(learned.rule, UrlRule::Parameter { .. });
            if is_parameter && class.is_rewritten && standing == (Trust::Holds { is_held_back: true }) {
                without_effect.push(learned);
            }
            if !learned.is_known(&class, &self.memory) {
                continue;
            }
            match standing {
                Trust::Applied => return Forecast::Same(learned.rule.clone()),
                Trust::Holds { is_held_back: is_trap } if !is_held_back(&forecast) => {
                    // A URL is held back only if another URL of its class has confirmed the rule.
                    let is_held_back = is_trap && learned.is_confirmed(&class, &self.memory);
                    forecast = held_or_last(&learned.rule, is_held_back);
                }
                Trust::Suspected if matches!(forecast, Forecast::New) => {
                    forecast = Forecast::Test(learned.rule.clone());
                }
                _ => {}
            }
        }
        if !is_held_back(&forecast)
            && let Some(rule) = self.rule_of_combination(&without_effect, url)
        {
            return held_or_last(rule, true);
        }
        match forecast {
            Forecast::New | Forecast::Test(_) if self.is_deprioritised(host, url) => Forecast::Deprioritised,
            forecast => forecast,
        }
    }

    /// One of several rules about parameters that together turn `url` into a known URL, for example in a catalogue with two filters and a
    /// sort order. One of these rules must have been confirmed at the known URL.
    fn rule_of_combination<'a>(&self, rules: &[&'a Learned], url: &Url) -> Option<&'a UrlRule> {
        if rules.len() < 2 {
            return None;
        }
        let mut plain = url.clone();
        for learned in rules {
            if let Some(rewritten) = learned.rule.rewrite(&plain) {
                plain = Url::parse(&rewritten).ok()?;
            }
        }
        let class = Class {
            text: plain.into(),
            is_rewritten: true,
        };
        let confirmed = rules
            .iter()
            .find(|learned| learned.is_confirmed(&class, &self.memory))?;
        confirmed.is_known(&class, &self.memory).then_some(&confirmed.rule)
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

    pub(super) fn trust(&self, learned: &Learned) -> Trust {
        if learned.is_applied {
            return Trust::Applied;
        }
        let evidence = &learned.evidence;
        // A rule for one shape of paths needs evidence from that shape only. A rule for all paths needs evidence from several shapes.
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

    pub(super) fn is_mostly_duplicates(&self, pattern: Pattern) -> bool {
        self.policy.enabled
            && pattern.pages >= self.policy.min_pattern_pages
            && u64::from(pattern.duplicates) * 10 >= u64::from(pattern.pages) * 9
    }
}

fn held_or_last(rule: &UrlRule, is_held_back: bool) -> Forecast {
    let by = Reason::Rule(rule.clone());
    Forecast::Duplicate(Prediction { by, is_held_back })
}

fn is_held_back(forecast: &Forecast) -> bool {
    matches!(forecast, Forecast::Duplicate(prediction) if prediction.is_held_back)
}

/// The trust of steering in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    Applied,
    Holds { is_held_back: bool },
    Suspected,
    Unproved,
}
