//! The knowledge about one host: its rules, the patterns of its URLs, and the tests under way.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;
use web::url_rule::{UrlRule, shape};

use super::judged::{Decided, Duplicate};
use super::learned::{Learned, kept_key};
use super::memory::Memory;

/// Bound on the rules for all paths of a host. Each URL of the host is checked against them.
pub(super) const MAX_WIDE_RULES: usize = 32;

/// Bound on the shapes of paths of a host that have rules of their own.
pub(super) const MAX_SHAPES: usize = 4_096;

/// Bound on the rules of a shape.
pub(super) const MAX_RULES_A_SHAPE: usize = 8;

/// Bound on the bytes of the names and shapes in a rule. Nobody could read a longer one.
pub(super) const MAX_RULE_BYTES: usize = 256;

/// A rule with more confirmations that was right nine times in ten keeps its place.
pub(super) const MAX_CONFIRMED_OF_EVICTED: u32 = 2;

/// Bound on the patterns of a host.
pub(super) const MAX_PATTERNS: usize = 4_096;

/// The rules and patterns of one host.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HostRules {
    /// Rules for all paths.
    pub(super) wide: Vec<Learned>,
    /// Rules for paths of one shape, by the shape.
    pub(super) by_shape: HashMap<String, Vec<Learned>>,
    pub(super) patterns: HashMap<String, Pattern>,
    /// The rules under test, by the `seq` of the URL that tests them. They are not learned.
    #[serde(skip)]
    pub(super) tests: HashMap<u64, UrlRule>,
}

/// Pages of a pattern, without the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pattern {
    pub(super) is_begun: bool,
    pub(super) pages: u32,
    pub(super) duplicates: u32,
}

impl HostRules {
    pub(super) fn learned(&self) -> impl Iterator<Item = &Learned> {
        self.wide.iter().chain(self.by_shape.values().flatten())
    }

    pub(super) fn relevant<'a>(&'a self, shape: &str) -> impl Iterator<Item = &'a Learned> + use<'a> {
        self.wide.iter().chain(self.by_shape.get(shape).into_iter().flatten())
    }

    pub(super) fn relevant_mut<'a>(&'a mut self, shape: &str) -> impl Iterator<Item = &'a mut Learned> + use<'a> {
        self.wide
            .iter_mut()
            .chain(self.by_shape.get_mut(shape).into_iter().flatten())
    }

    pub(super) fn find(&self, rule: &UrlRule) -> Option<&Learned> {
        let place = match rule.shape() {
            None => &self.wide,
            Some(shape) => self.by_shape.get(shape)?,
        };
        place.iter().find(|learned| learned.rule == *rule)
    }

    pub(super) fn find_mut(&mut self, rule: &UrlRule) -> Option<&mut Learned> {
        let place = match rule.shape() {
            None => &mut self.wide,
            Some(shape) => self.by_shape.get_mut(shape)?,
        };
        place.iter_mut().find(|learned| learned.rule == *rule)
    }

    pub(super) fn place(&mut self, rule: &UrlRule) -> &mut Vec<Learned> {
        match rule.shape() {
            None => &mut self.wide,
            Some(shape) => self.by_shape.entry(shape.to_owned()).or_default(),
        }
    }

    /// Whether there is a free place for a rule of this kind.
    pub(super) fn has_room_for(&self, rule: &UrlRule) -> bool {
        match rule.shape() {
            None => self.wide.len() < MAX_WIDE_RULES,
            Some(shape) => match self.by_shape.get(shape) {
                None => self.by_shape.len() < MAX_SHAPES,
                Some(rules) => rules.len() < MAX_RULES_A_SHAPE,
            },
        }
    }

    /// Whether the rule is new and can only take the place of another.
    pub(super) fn has_seat_for(&self, rule: &UrlRule) -> bool {
        self.find(rule).is_none() && !self.has_room_for(rule)
    }

    /// Adds a rule that a pair of duplicates suggests, if the rule is new and explains the links of the page. The pair is its first
    /// confirmation. The new pages of its class, except for one, contradict the rule, and so do the pages of its class that led to new
    /// pages. If there is no room, the rule replaces the least useful rule. Returns `true` if the host has one rule more than before.
    pub(super) fn suspect(
        &mut self,
        rule: UrlRule,
        page: &Decided<'_>,
        duplicate: &Duplicate,
        memory: &mut Memory<u64>,
    ) -> bool {
        if self.find(&rule).is_some() || rule.bytes() > MAX_RULE_BYTES {
            return false;
        }
        let mut learned = Learned::new(rule, false);
        if !learned.explains_links(duplicate) {
            return false;
        }
        let rule = learned.rule.clone();
        let has_room = self.has_room_for(&rule);
        if !has_room && !self.evict_for(&rule) {
            return false;
        }
        let class = learned.class(&page.url).text;
        let kept = memory.get(kept_key(&learned.rule, &class)).unwrap_or(0);
        learned.evidence.contradicted = u32::try_from(kept.saturating_sub(1)).unwrap_or(u32::MAX);
        learned.confirm(page, duplicate, &class, memory);
        self.place(&rule).push(learned);
        has_room
    }

    /// Removes the least useful rule that could make room for `rule`. Returns `false` if all of them are proved.
    pub(super) fn evict_for(&mut self, rule: &UrlRule) -> bool {
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
            // Not whether it is under test: that is not learned from verdicts, and a later run could not learn the same.
            !is_proved && !learned.is_applied
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

    /// Counts a page in its pattern. A duplicate that leads out of the pattern counts as a page that says something new.
    pub(super) fn count_pattern(&mut self, page: &Decided<'_>) {
        let name = shape::pattern(&page.url);
        if !self.patterns.contains_key(&name) && self.patterns.len() >= MAX_PATTERNS {
            return;
        }
        let is_own = |link: &Url| shape::pattern(link) == name;
        let says_nothing_new = page
            .duplicate
            .as_ref()
            .is_some_and(|duplicate| duplicate.is_barren(is_own));
        let pattern = self.patterns.entry(name).or_default();
        if std::mem::replace(&mut pattern.is_begun, true) {
            pattern.pages = pattern.pages.saturating_add(1);
            pattern.duplicates = pattern.duplicates.saturating_add(u32::from(says_nothing_new));
        }
    }
}
