//! The groups of a robots.txt (RFC 9309, section 2.2.1): collects the rules, the delay and the sitemaps for one agent.

use std::time::Duration;

use super::line::{Line, Record};
use super::pattern::OwnedPattern;
use super::rules::{Draft, RuleIndex};
use super::{Robots, token_bytes};
use crate::seconds::seconds;

/// Most sitemaps of one robots.txt.
const MAX_SITEMAPS: usize = 1_000;

/// Collects the rules of one agent while the lines of a file are read.
pub(super) struct Groups<'a> {
    agent: &'a [u8],
    /// The agents of the next rule.
    ruled: Named,
    /// The agents of the next delay. They are kept separately: a delay must not change the grouping of rules (RFC 9309, section
    /// 2.2.4), but `User-agent: b` after a delay for `a` starts a new group of delays.
    delayed: Named,
    /// Whether any group names the agent. The groups for `*` then do not hold, even for paths that its own groups do not match.
    agent_is_named: bool,
    for_agent: Section<'a>,
    for_all: Section<'a>,
    sitemaps: Vec<String>,
}

/// The agents that the `User-agent` lines of a group name.
#[derive(Clone, Copy, Default)]
struct Named {
    agent: bool,
    all: bool,
    /// Whether the group has a record besides `User-agent`, so that another `User-agent` starts a new group.
    has_records: bool,
}

impl Named {
    fn add(&mut self, agent: bool, all: bool) {
        let before = if self.has_records { Self::default() } else { *self };
        *self = Self {
            agent: before.agent | agent,
            all: before.all | all,
            has_records: false,
        };
    }
}

#[derive(Default)]
struct Section<'a> {
    rules: Vec<Line<'a>>,
    crawl_delay: Option<Duration>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(agent: &'a [u8]) -> Self {
        Self {
            agent,
            ruled: Named::default(),
            delayed: Named::default(),
            agent_is_named: false,
            for_agent: Section::default(),
            for_all: Section::default(),
            sitemaps: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, line: Line<'a>) {
        match line.record {
            Record::UserAgent => self.take_agent(line.value),
            Record::Allow | Record::Disallow => self.take_rule(line),
            Record::CrawlDelay => self.take_delay(line.value),
            Record::Sitemap => self.take_sitemap(line.value),
        }
    }

    fn take_agent(&mut self, value: &[u8]) {
        let named = &value[..token_bytes(value)];
        let agent = !named.is_empty() && named.eq_ignore_ascii_case(self.agent);
        let all = value
            .strip_prefix(b"*")
            .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
        self.agent_is_named |= agent;
        self.ruled.add(agent, all);
        self.delayed.add(agent, all);
    }

    fn take_rule(&mut self, line: Line<'a>) {
        (self.ruled.has_records, self.delayed.has_records) = (true, true);
        // An empty `Disallow` forbids nothing (RFC 9309, section 2.2.2, `empty-pattern`).
        if line.value.is_empty() {
            return;
        }
        if self.ruled.agent {
            self.for_agent.rules.push(line);
        }
        if self.ruled.all {
            self.for_all.rules.push(line);
        }
    }

    fn take_delay(&mut self, value: &[u8]) {
        self.delayed.has_records = true;
        // A line with a negative delay, or without a number, is ignored.
        let delay = std::str::from_utf8(value).ok().and_then(seconds);
        if self.delayed.agent {
            self.for_agent.crawl_delay = self.for_agent.crawl_delay.max(delay);
        }
        if self.delayed.all {
            self.for_all.crawl_delay = self.for_all.crawl_delay.max(delay);
        }
    }

    fn take_sitemap(&mut self, value: &[u8]) {
        let url = String::from_utf8_lossy(value).into_owned();
        if !url.is_empty() && self.sitemaps.len() < MAX_SITEMAPS && !self.sitemaps.contains(&url) {
            self.sitemaps.push(url);
        }
    }

    pub(super) fn finish(self) -> Robots {
        let section = if self.agent_is_named {
            self.for_agent
        } else {
            self.for_all
        };
        Robots {
            rules: RuleIndex::new(section.rules.into_iter().flat_map(drafts).collect()),
            crawl_delay: section.crawl_delay,
            sitemaps: self.sitemaps,
            closed: None,
        }
    }
}

/// The rules in a line.
fn drafts(line: Line<'_>) -> impl Iterator<Item = Draft<'_>> {
    let allow = line.record == Record::Allow;
    let index = if allow { directory_of_index(line.value) } else { None };
    let patterns = [Some(OwnedPattern::new(line.value)), index].into_iter().flatten();
    patterns.map(move |pattern| Draft {
        pattern,
        allow,
        line: line.text,
        line_number: line.number,
    })
}

/// The folder of an index file: a site that allows `/a/index.html` also allows `/a/`, as in Google's parser.
fn directory_of_index(value: &[u8]) -> Option<OwnedPattern> {
    let slash = value.iter().rposition(|byte| *byte == b'/')?;
    value[slash..]
        .starts_with(b"/index.htm")
        .then(|| OwnedPattern::new(&[&value[..=slash], b"$"].concat()))
}
