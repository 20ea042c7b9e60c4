//! The evidence for rendering: on which pages a browser found more than the response says.
//!
//! A page belongs to two classes: its **pattern** (host, folder, parameter names, as in steering) and its **scripts** (host, and the names of
//! the scripts that it loads). Equal scripts do equal things, so the second class speaks for pages of a pattern that is not known yet.
//!
//! ```text
//! page            known of its pattern              known of its scripts           choice
//! without text    less than 3 tests, or some gain   –                              render: the response says nothing
//! any             a gain in the last 16 tests       –                              render
//! any             tests without a gain              –                              read; the 32nd page since is a test, then the 64th, …
//! with text       nothing                           3 tests or more, no gain       read; tests as above
//! with text       nothing                           3 tests or more, gains         render
//! with text       nothing                           less                           render, as a sample
//! ```
//!
//! A *test* is a page that was rendered and read both ways; a *gain* is a test where the rendered page said more. The first pages of a pattern
//! may be rendered at the same time; a page whose turn comes after such a test asks again ([`Evidence::is_still_wanted`]).
//!
//! Memory is bounded: beyond [`MAX_CLASSES`] classes, all evidence is dropped and learned again, which costs a sample for each pattern.

use std::collections::{HashMap, HashSet};

use url::Url;
use web::url_rule::shape;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::scripts::Scripts;

/// Bound on the classes that are known.
const MAX_CLASSES: usize = 1 << 17;

/// Bound on the links that are known of all hosts.
const MAX_LINKS: usize = 1 << 18;

/// The last tests of a class that count.
const RECENT: u32 = 16;

/// Tests without a gain after which even pages without text are read as they are, or pages of unknown patterns with the same scripts.
const SURE: u32 = 3;

/// Pages that are read without a test after the first test without a gain. After the n-th, n times as many.
const STRIDE: u32 = 32;

/// Fewer characters of text than this say nothing by themselves: a page that only asks for scripts has them.
const MIN_TEXT_CHARS: usize = 200;

/// A page as it was read without a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plain {
    pattern: u64,
    scripts: Option<u64>,
    /// Whether it has scripts that a browser would run.
    pub has_scripts: bool,
    is_empty: bool,
}

impl Plain {
    /// The page at `url` with this main text and body.
    #[must_use]
    pub fn of(host: &str, url: &Url, text: &str, body: &[u8]) -> Self {
        let scripts = Scripts::of(body);
        Self {
            scripts: Some(class(host, "scripts", &scripts.names)),
            has_scripts: scripts.are_run,
            is_empty: is_short(text),
            ..Self::known(host, url)
        }
    }

    /// Whether a page with this main text and body says nothing without its scripts.
    #[must_use]
    pub fn needs_scripts(text: &str, body: &[u8]) -> bool {
        is_short(text) && Scripts::of(body).are_run
    }

    /// As [`Plain::needs_scripts`].
    #[must_use]
    pub fn says_nothing(&self) -> bool {
        self.is_empty && self.has_scripts
    }

    /// A page of which only the URL is known.
    #[must_use]
    pub fn known(host: &str, url: &Url) -> Self {
        Self {
            pattern: class(host, "pattern", &shape::pattern(url)),
            scripts: None,
            has_scripts: true,
            is_empty: false,
        }
    }
}

/// Why a page is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The configuration wants it for every page.
    Always,
    /// The response has scripts and no text.
    Empty,
    /// Pages of its pattern, or with its scripts, said more.
    Pattern,
    /// Nothing is known of its pattern, or what is known is to be tested.
    Sample,
}

/// What is known of a class.
#[derive(Debug, Clone, Copy, Default)]
struct Class {
    tests: u32,
    /// The last [`RECENT`] tests, the latest in the lowest bit: 1 for a gain.
    gains: u16,
    /// Tests since the last gain.
    without_gain: u32,
    /// Pages that were read without a test since the last test.
    since: u32,
}

impl Class {
    fn has_gain(&self) -> bool {
        self.gains != 0
    }

    fn learn(&mut self, says_more: bool) {
        self.tests = self.tests.saturating_add(1);
        self.gains = self.gains << 1 | u16::from(says_more);
        self.without_gain = if says_more {
            0
        } else {
            self.without_gain.saturating_add(1)
        };
        self.since = 0;
    }

    /// Counts a page that could be read without a test. Returns whether it is a test all the same.
    fn is_due(&mut self) -> bool {
        self.since += 1;
        self.since >= STRIDE.saturating_mul(self.without_gain.max(1))
    }
}

/// The evidence of all hosts.
#[derive(Debug, Default)]
pub struct Evidence {
    classes: HashMap<u64, Class>,
    links: HashSet<u64>,
}

impl Evidence {
    /// Why the page is to be rendered; `None` if it is not.
    #[must_use]
    pub fn choose(&mut self, page: &Plain) -> Option<Reason> {
        let pattern = self.known(page.pattern);
        if page.is_empty && (pattern.tests < SURE || pattern.has_gain()) {
            return Some(Reason::Empty);
        }
        if pattern.tests > 0 {
            return self.by(page.pattern);
        }
        match page.scripts {
            Some(scripts) if self.known(scripts).tests >= SURE => self.by(scripts),
            _ => Some(Reason::Sample),
        }
    }

    /// Whether a page that was chosen is still to be rendered.
    #[must_use]
    pub fn is_still_wanted(&self, page: &Plain, reason: Reason) -> bool {
        let pattern = self.known(page.pattern);
        match reason {
            Reason::Always => true,
            Reason::Empty => pattern.tests < SURE || pattern.has_gain(),
            // A test that was due, and that nothing has answered since.
            Reason::Sample if pattern.tests > 0 => pattern.has_gain() || pattern.since > 0,
            Reason::Sample | Reason::Pattern => true,
        }
    }

    /// Learns from a page that was rendered.
    pub fn learn(&mut self, page: &Plain, says_more: bool) {
        if self.classes.len() >= MAX_CLASSES {
            self.classes.clear();
        }
        for class in std::iter::once(page.pattern).chain(page.scripts) {
            self.classes.entry(class).or_default().learn(says_more);
        }
    }

    /// The number of the links `found` in a rendered page that neither its response has, which has the links `plain`, nor any earlier page of
    /// the host had. Links are compared by their hashes.
    pub fn new_links(&mut self, host: &str, plain: &[u64], found: &[u64]) -> usize {
        if self.links.len() >= MAX_LINKS {
            self.links.clear();
        }
        let seed = xxh3_64(host.as_bytes());
        let key = |link: &u64| xxh3_64_with_seed(&link.to_le_bytes(), seed);
        self.links.extend(plain.iter().map(key));
        found.iter().filter(|link| self.links.insert(key(link))).count()
    }

    fn by(&mut self, class: u64) -> Option<Reason> {
        let class = self.classes.entry(class).or_default();
        if class.has_gain() {
            return Some(Reason::Pattern);
        }
        class.is_due().then_some(Reason::Sample)
    }

    fn known(&self, class: u64) -> Class {
        self.classes.get(&class).copied().unwrap_or_default()
    }
}

fn is_short(text: &str) -> bool {
    text.chars().take(MIN_TEXT_CHARS).count() < MIN_TEXT_CHARS
}

fn class(host: &str, kind: &str, name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), xxh3_64(format!("{kind} {host}").as_bytes()))
}

const _: () = assert!(RECENT == u16::BITS);

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &[u8] = b"<script src=/app.1a2b3c4d.js></script>";

    fn page(path: &str, text: &str) -> Plain {
        let url = Url::parse(&format!("http://h{path}")).unwrap();
        Plain::of("h", &url, text, SCRIPT)
    }

    fn long() -> String {
        "word ".repeat(100)
    }

    #[test]
    fn a_page_without_text_is_rendered_until_three_tests_found_nothing() {
        let mut evidence = Evidence::default();
        let empty = page("/app/1", "Please enable JavaScript.");
        for _ in 0..3 {
            assert_eq!(evidence.choose(&empty), Some(Reason::Empty));
            evidence.learn(&empty, false);
        }
        assert_eq!(evidence.choose(&empty), None);
    }

    #[test]
    fn a_pattern_with_a_gain_is_rendered_and_one_without_is_read() {
        let mut evidence = Evidence::default();
        let (shop, blog) = (page("/shop/a", &long()), page("/blog/a", &long()));
        assert_eq!(evidence.choose(&shop), Some(Reason::Sample));
        evidence.learn(&shop, true);
        evidence.learn(&blog, false);
        assert_eq!(evidence.choose(&page("/shop/b", &long())), Some(Reason::Pattern));
        assert_eq!(evidence.choose(&page("/blog/b", &long())), None);
    }

    #[test]
    fn less_than_one_page_in_twenty_of_a_plain_pattern_is_a_test() {
        let mut evidence = Evidence::default();
        let mut tests = 0;
        for n in 0..400 {
            let page = page(&format!("/blog/post-{n}"), &long());
            if evidence.choose(&page).is_some() {
                tests += 1;
                evidence.learn(&page, false);
            }
        }
        assert!((2..=400 / 20).contains(&tests), "{tests}");
    }

    #[test]
    fn a_test_that_finds_more_changes_the_pattern_at_once() {
        let mut evidence = Evidence::default();
        evidence.learn(&page("/news/a", &long()), false);
        let is_test = |evidence: &mut Evidence| evidence.choose(&page("/news/b", &long())) == Some(Reason::Sample);
        let test = (1..100).find(|_| is_test(&mut evidence));
        assert_eq!(test, Some(STRIDE as usize));
        evidence.learn(&page("/news/b", &long()), true);
        assert_eq!(evidence.choose(&page("/news/c", &long())), Some(Reason::Pattern));
    }

    #[test]
    fn equal_scripts_speak_for_a_pattern_that_is_not_known() {
        let mut evidence = Evidence::default();
        for folder in ["a", "b", "c"] {
            let page = page(&format!("/{folder}/x"), &long());
            assert_eq!(evidence.choose(&page), Some(Reason::Sample));
            evidence.learn(&page, false);
        }
        assert_eq!(evidence.choose(&page("/d/x", &long())), None);
        let url = Url::parse("http://h/e/x").unwrap();
        let others = Plain::of("h", &url, &long(), b"<script src=/other.js></script>");
        assert_eq!(evidence.choose(&others), Some(Reason::Sample));
    }

    #[test]
    fn a_sample_that_another_one_has_answered_is_not_rendered() {
        let mut evidence = Evidence::default();
        let (first, second) = (page("/blog/a", &long()), page("/blog/b", &long()));
        assert_eq!(evidence.choose(&first), Some(Reason::Sample));
        assert_eq!(evidence.choose(&second), Some(Reason::Sample));
        evidence.learn(&first, false);
        assert!(!evidence.is_still_wanted(&second, Reason::Sample));
        evidence.learn(&first, true);
        assert!(evidence.is_still_wanted(&second, Reason::Sample));
    }

    #[test]
    fn a_link_is_new_once_for_each_host() {
        let mut evidence = Evidence::default();
        assert_eq!(evidence.new_links("h", &[9], &[1, 2, 2, 9]), 2);
        assert_eq!(evidence.new_links("h", &[], &[2, 3]), 1);
        assert_eq!(evidence.new_links("other", &[], &[2]), 1);
    }
}
