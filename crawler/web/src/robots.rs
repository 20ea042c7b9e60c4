//! robots.txt by RFC 9309: the URLs of a host that this crawler may fetch, the crawl delay, and the sitemaps.
//!
//! A parser and matcher without I/O. No published crate deviates from Google's test suite in at most four cases and also names the
//! line that decided. Of the 142 cases, robotxt 0.7.0 answers 13 differently and texting_robots 0.2.2 answers 11, mostly because
//! they do not cut an agent's name at the first invalid character. This parser answers 3 differently, where the RFC
//! demands it. The tests list them.

mod line;
mod outcome;
mod pattern;
mod rules;

use std::time::Duration;

use url::{Position, Url};

use line::{Line, Record};
use pattern::{Pattern, spell_path};
use rules::RuleIndex;

pub use outcome::{Availability, RobotsOutcome};

/// Bytes of a robots.txt that are parsed: 500 KiB, the minimum of RFC 9309, section 2.5. A fetcher reads one more byte, so that
/// the parser recognises and drops a last line that is cut off.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;

/// Most redirects of a robots.txt. Beyond them it counts as unavailable (RFC 9309, section 2.3.1.2).
pub const MAX_ROBOTS_REDIRECTS: u8 = 5;

/// The URL of the robots.txt for `url` (RFC 9309, section 2.3).
#[must_use]
pub fn robots_url(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    robots.set_fragment(None);
    robots
}

/// Most sitemaps of one robots.txt.
const MAX_SITEMAPS: usize = 1_000;

/// The rules of one robots.txt for one crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robots {
    rules: RuleIndex,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
    /// Why everything is forbidden without a file that says so.
    closed: Option<String>,
}

/// The decision of a robots.txt about one URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsDecision {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The line that decided, as written in the file, without its comment. Without a file, the reason for which everything is
    /// forbidden. `None` if no line matches the URL, which is then allowed.
    pub rule: Option<String>,
    /// The number of that line, counted from 1; `None` if no line decided.
    pub line: Option<usize>,
}

impl RobotsDecision {
    /// Allowed, because no rule matches.
    const NO_RULE: Self = Self {
        allowed: true,
        rule: None,
        line: None,
    };
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    pattern: Pattern,
    allow: bool,
    line: String,
    line_number: usize,
}

impl Rule {
    /// The order in which rules decide: the most specific first, and of two equal ones `Allow` before `Disallow`.
    fn rank(&self) -> (std::cmp::Reverse<usize>, bool) {
        (std::cmp::Reverse(self.pattern.octets()), !self.allow)
    }
}

impl Robots {
    /// Reads the rules for the agent: those of all groups that name it, or, if none does, those of all groups for `*`.
    ///
    /// The agent is a product token (`FooBot`), compared without regard to case, or begins with one; see [`product_token`].
    /// Parsing never fails: a line that is not a record is ignored, and a file that is not a robots.txt allows everything.
    /// Only whole lines within the first [`MAX_ROBOTS_BYTES`] count.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let mut groups = Groups::new(product_token(agent).as_bytes());
        for line in line::lines(whole_lines(body)) {
            groups.take(&line);
        }
        groups.finish()
    }

    /// Rules that allow everything, for a host without a robots.txt.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {
            rules: RuleIndex::new(Vec::new()),
            crawl_delay: None,
            sitemaps: Vec::new(),
            closed: None,
        }
    }

    /// Rules that forbid everything, with the reason that decisions name.
    #[must_use]
    fn disallow_all(reason: impl Into<String>) -> Self {
        Self {
            closed: Some(reason.into()),
            ..Self::allow_all()
        }
    }

    /// Whether the URL may be fetched. Only its path and query count. The caller ensures that the rules belong to the URL's
    /// scheme, host and port.
    #[must_use]
    pub fn decide(&self, url: &Url) -> RobotsDecision {
        self.decide_target(&url[Position::BeforePath..Position::AfterQuery])
    }

    /// As [`Robots::decide`], for the path and query alone (`/a?b`). An empty path means `/`.
    #[must_use]
    pub fn decide_target(&self, target: &str) -> RobotsDecision {
        let target = target.split('#').next().unwrap_or_default();
        let path = spell_path(if target.is_empty() { "/" } else { target });
        // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed."
        if path == b"/robots.txt" {
            return RobotsDecision::NO_RULE;
        }
        if let Some(reason) = &self.closed {
            return RobotsDecision {
                allowed: false,
                rule: Some(reason.clone()),
                line: None,
            };
        }
        match self.rules.find(&path) {
            Some(rule) => RobotsDecision {
                allowed: rule.allow,
                rule: Some(rule.line.clone()),
                line: Some(rule.line_number),
            },
            None => RobotsDecision::NO_RULE,
        }
    }

    /// The crawl delay that the file asks this agent for: the longest, if it names several. It may be absurd; the caller bounds
    /// it.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The URLs of the `Sitemap:` lines, in order, each once. They belong to no group. They are as written: the caller resolves
    /// them against the URL of the robots.txt.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// The body up to the limit, without a last line that the limit cuts.
fn whole_lines(body: &[u8]) -> &[u8] {
    let Some(read) = body.get(..MAX_ROBOTS_BYTES).filter(|_| body.len() > MAX_ROBOTS_BYTES) else {
        return body;
    };
    let end = read.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
    &read[..end]
}

/// The product token (RFC 9309, section 2.2.1) at the start of an agent's name or User-Agent header: `FooBot` for
/// `FooBot/2.1 (+https://example.com/bot)`. Empty if there is none; the rules for `*` then apply.
///
/// `Foo Bar` has no token: a product is one word, which a comment may follow.
#[must_use]
pub fn product_token(agent: &str) -> &str {
    let agent = agent.trim();
    let (product, rest) = agent.split_at(token_bytes(agent.as_bytes()));
    let next = rest.trim_start();
    let is_two_words = next.len() < rest.len() && !next.starts_with(['(', '/']);
    if is_two_words { "" } else { product }
}

/// The length of the product token at the start of a text: letters, `_` and `-`.
fn token_bytes(text: &[u8]) -> usize {
    let end = text
        .iter()
        .position(|byte| !(byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')));
    end.unwrap_or(text.len())
}

/// The groups of a file as they are read.
struct Groups<'a> {
    agent: &'a [u8],
    /// Whom the next rule holds for.
    ruled: Named,
    /// Whom the next delay holds for. Told apart, because a delay must not change how the rules are grouped (RFC 9309
    /// §2.2.4), yet `User-agent: b` after a delay for `a` is meant to start anew.
    delayed: Named,
    /// Whether any group names the agent: those for `*` then do not hold, not even where its own say nothing.
    agent_is_named: bool,
    for_agent: Section,
    for_all: Section,
    sitemaps: Vec<String>,
}

/// Whom the `User-agent` lines of a group name, as far as it matters here.
#[derive(Clone, Copy, Default)]
struct Named {
    agent: bool,
    all: bool,
    /// Whether something has been said of them, so that another `User-agent` starts a new group.
    spoken_of: bool,
}

impl Named {
    fn add(&mut self, agent: bool, all: bool) {
        let before = if self.spoken_of { Self::default() } else { *self };
        *self = Self {
            agent: before.agent | agent,
            all: before.all | all,
            spoken_of: false,
        };
    }
}

#[derive(Default)]
struct Section {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl<'a> Groups<'a> {
    fn new(agent: &'a [u8]) -> Self {
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

    fn take(&mut self, line: &Line<'_>) {
        match line.record {
            Record::UserAgent => self.take_agent(line.value),
            Record::Allow => self.take_rule(line, true),
            Record::Disallow => self.take_rule(line, false),
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

    fn take_rule(&mut self, line: &Line<'_>, allow: bool) {
        (self.ruled.spoken_of, self.delayed.spoken_of) = (true, true);
        // An empty `Disallow` forbids nothing (RFC 9309 §2.2.2, by the grammar of `empty-pattern`).
        if line.value.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(line.text);
        let index = if allow { directory_of_index(line.value) } else { None };
        for pattern in [Some(Pattern::new(line.value)), index].into_iter().flatten() {
            let rule = Rule {
                pattern,
                allow,
                line: text.clone().into_owned(),
                line_number: line.number,
            };
            if self.ruled.agent {
                self.for_agent.rules.push(rule.clone());
            }
            if self.ruled.all {
                self.for_all.rules.push(rule);
            }
        }
    }

    fn take_delay(&mut self, value: &[u8]) {
        self.delayed.spoken_of = true;
        let seconds = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        // Neither negative nor endless nor no number at all: such a line is passed over.
        let delay = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if self.delayed.agent {
            self.for_agent.crawl_delay = self.for_agent.crawl_delay.max(delay);
        }
        if self.delayed.all {
            self.for_all.crawl_delay = self.for_all.crawl_delay.max(delay);
        }
    }

    fn take_sitemap(&mut self, value: &[u8]) {
        let address = String::from_utf8_lossy(value).into_owned();
        if !address.is_empty() && self.sitemaps.len() < MAX_SITEMAPS && !self.sitemaps.contains(&address) {
            self.sitemaps.push(address);
        }
    }

    fn finish(self) -> Robots {
        let section = if self.agent_is_named {
            self.for_agent
        } else {
            self.for_all
        };
        Robots {
            rules: RuleIndex::new(section.rules),
            crawl_delay: section.crawl_delay,
            sitemaps: self.sitemaps,
            closed: None,
        }
    }
}

/// Who allows `/a/index.html` allows `/a/`, which is the same page: Google's rule, and in its test-suite.
fn directory_of_index(value: &[u8]) -> Option<Pattern> {
    let slash = value.iter().rposition(|byte| *byte == b'/')?;
    value[slash..]
        .starts_with(b"/index.htm")
        .then(|| Pattern::new(&[&value[..=slash], b"$"].concat()))
}

#[cfg(test)]
mod rfc9309;
#[cfg(test)]
mod tests;
