//! Finds traps of any shape: patterns of URLs with a long run of duplicates.
//!
//! Each decided page counts in all patterns that match its URL ([`lattice`]). A pattern is a *trap* if
//!
//! - since its last new page, enough of its pages were duplicates that lead nowhere: an earlier page with the same text has the link, or
//!   the pattern matches the link, or similar links led only to duplicates;
//! - nine in ten of these pages were found on each other, or on other pages that lead nowhere, so that the pattern has no end. A pattern
//!   whose pages an index lists has an end;
//! - the number of these pages is large in comparison with the earlier *news*: new pages of the pattern, and new pages to which its pages
//!   led. Each doubling of the news raises the required number, which is at least ten times the mean distance of the news.
//!
//! If several patterns of a page could become traps, only the smallest does: the counts of the larger patterns start again from zero, and
//! a page in a trap counts for no larger pattern. So a trap is the smallest pattern that explains the duplicates.
//!
//! One new page in the sample, or one new page to which a page of the trap led, ends the trap. The crawl then no longer holds its URLs
//! back.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;
use web::host_key::HostKey;
use xxhash_rust::xxh3::Xxh3;

use super::judged::{Decided, Duplicate, MAX_URL_BYTES};
use super::lattice;
use super::memory::Memory;
use super::sample::Sample;

/// Number of duplicates that make a trap, if nearly all are exact. An honest site rarely has so many URLs for one text.
pub(super) const EXACT_RUN: u32 = 128;

/// Number of duplicates that make a trap, if many are only near. Honest pages of one template are similar too, and one in a few hundred
/// of them may be new.
pub(super) const NEAR_RUN: u32 = 512;

/// Number of duplicates in a row after which a link to a page of the pattern is no news.
const KNOWN_RUN: u32 = 20;

/// Patterns in a generation of the memory, about 40 bytes each. A page has about a dozen patterns, most of them shared.
const PATTERNS_A_GENERATION: usize = 1 << 18;

/// Duplicates in a generation of the memory, with their URLs. In a trap, each URL is found on one of the last duplicates; other patterns
/// grow too slowly.
const DUPLICATES_A_GENERATION: usize = 1 << 14;

/// Bound on the traps of a host. Each takes at least a hundred fetches to be recognised.
const MAX_TRAPS: usize = 256;

/// The required length of a run, in mean distances of the news so far. If news arrives at random, one run in e^10 is so long by chance.
const MEAN_DISTANCES: u32 = 10;

/// The counts of a pattern. All counts except the first two start at the last news.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// New pages, and new pages to which duplicates led.
    news: u32,
    /// Pages up to the last news.
    pages_to_news: u32,
    /// Duplicates.
    duplicates: u32,
    /// Duplicates that lead nowhere.
    barren: u32,
    /// Near-duplicates among the duplicates that lead nowhere.
    near: u32,
    /// Duplicates that lead nowhere and were found on a page of the pattern, on the page that they duplicate, or on a duplicate without a
    /// new link.
    from_within: u32,
}

impl Counts {
    fn is_trap(&self) -> bool {
        let run = if u64::from(self.near) * 10 > u64::from(self.barren) {
            NEAR_RUN
        } else {
            EXACT_RUN
        };
        let by_news = run.saturating_mul(1 + self.news.max(1).ilog2());
        let by_distance = MEAN_DISTANCES.saturating_mul(self.pages_to_news / self.news.max(1));
        self.barren >= by_news.max(by_distance) && u64::from(self.from_within) * 10 >= u64::from(self.barren) * 9
    }

    /// Whether a link to a page of the pattern is no news.
    fn is_known_barren(&self) -> bool {
        self.duplicates >= KNOWN_RUN.saturating_mul(self.news.max(1))
    }

    fn note_news(&mut self) {
        *self = Self {
            news: self.news.saturating_add(1),
            pages_to_news: self.pages_to_news.saturating_add(self.duplicates).saturating_add(1),
            ..Self::default()
        };
    }
}

/// A pattern that is a trap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Trap {
    pattern: String,
    /// Duplicates in a row.
    duplicates: u32,
    #[serde(skip)]
    sample: Sample,
}

/// A trap, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrapStanding {
    /// The host key.
    pub host: String,
    /// The pattern, such as `/shop/*/{mixed}?*`.
    pub pattern: String,
    /// Its pages since the last new one, all of them duplicates.
    pub duplicates: u32,
}

/// A duplicate that may still lead to new pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Source {
    pub host: String,
    pub url: String,
    /// Whether none of its links was new.
    leads_nowhere: bool,
}

/// The patterns of all hosts.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Traps {
    counts: Memory<Counts>,
    sources: Memory<Source>,
    traps: HashMap<String, HashMap<u64, Trap>>,
}

impl Default for Traps {
    fn default() -> Self {
        Self::remembering(PATTERNS_A_GENERATION, DUPLICATES_A_GENERATION)
    }
}

impl Traps {
    /// Whether these patterns, which were read, are bounded as the `other` ones.
    pub fn are_bounded_as(&self, other: &Self) -> bool {
        self.counts.is_bounded_as(&other.counts) && self.sources.is_bounded_as(&other.sources)
    }

    /// No trap is known yet. The memory has generations of so many patterns and duplicates.
    pub fn remembering(patterns: usize, duplicates: usize) -> Self {
        Self {
            counts: Memory::of(patterns),
            sources: Memory::of(duplicates),
            traps: HashMap::new(),
        }
    }

    /// Counts a decided page. Returns `true` if it ends a trap.
    pub fn decided(&mut self, page: &Decided<'_>) -> bool {
        match &page.duplicate {
            None => self.note_news(page),
            // A duplicate with a long URL is no evidence.
            Some(_) if page.url.as_str().len() > MAX_URL_BYTES => false,
            Some(duplicate) => {
                self.note_duplicate(page, duplicate);
                let source = Source {
                    host: page.host.to_owned(),
                    url: page.url.to_string(),
                    leads_nowhere: duplicate.is_barren(|_| false),
                };
                self.sources.insert(page.page, source);
                false
            }
        }
    }

    /// The duplicate on which the page was found.
    pub fn source(&self, page: &Decided<'_>) -> Option<Source> {
        self.sources.get(page.via?)
    }

    /// The smallest trap that matches the URL.
    pub fn trap(&self, host: &str, url: &Url) -> Option<&str> {
        let traps = self.traps.get(host)?;
        let keys = lattice::patterns(url).into_iter().map(|pattern| key(host, &pattern));
        let trap = keys.into_iter().find_map(|key| traps.get(&key));
        trap.map(|trap| trap.pattern.as_str())
    }

    /// Counts a URL that the trap holds back. Returns `true` for a URL of the sample.
    pub fn is_sample(&mut self, host: &str, pattern: &str) -> bool {
        let traps = self.traps.get_mut(host);
        let trap = traps.and_then(|traps| traps.get_mut(&key(host, pattern)));
        trap.is_none_or(|trap| trap.sample.takes_next())
    }

    /// Whether links of this kind led only to duplicates, so often that another such link is no news.
    pub fn is_known_barren(&self, link: &Url) -> bool {
        let Some(host) = HostKey::from_url(link) else {
            return false;
        };
        let mut patterns = lattice::patterns(link)
            .into_iter()
            .filter(|pattern| lattice::names_a_place(pattern));
        patterns.any(|pattern| {
            let counts = self.counts.get(key(host.as_str(), &pattern));
            counts.is_some_and(|counts| counts.is_known_barren())
        })
    }

    /// All traps, by host and pattern.
    pub fn standing(&self) -> Vec<TrapStanding> {
        let of_host = |(host, traps): (&String, &HashMap<u64, Trap>)| {
            let host = host.clone();
            let standing = traps.values().map(move |trap| TrapStanding {
                host: host.clone(),
                pattern: trap.pattern.clone(),
                duplicates: trap.duplicates,
            });
            standing.collect::<Vec<_>>()
        };
        let mut standing: Vec<_> = self.traps.iter().flat_map(of_host).collect();
        standing.sort_by(|a, b| (&a.host, &a.pattern).cmp(&(&b.host, &b.pattern)));
        standing
    }

    /// A new page is news in all its patterns, and in the patterns of the duplicate on which it was found.
    fn note_news(&mut self, page: &Decided<'_>) -> bool {
        let own = keys(page.host, &page.url);
        let source = self.source(page).and_then(|source| {
            let url = Url::parse(&source.url).ok()?;
            let keys = keys(&source.host, &url);
            Some((source.host, keys))
        });
        let mut has_ended = false;
        for &key in &own {
            has_ended |= self.note_news_of(page.host, key);
        }
        if let Some((host, keys)) = source {
            for key in keys.into_iter().filter(|key| !own.contains(key)) {
                has_ended |= self.note_news_of(&host, key);
            }
        }
        has_ended
    }

    fn note_news_of(&mut self, host: &str, key: u64) -> bool {
        let mut counts = self.counts.get(key).unwrap_or_default();
        counts.note_news();
        self.counts.insert(key, counts);
        let Some(traps) = self.traps.get_mut(host) else {
            return false;
        };
        let has_ended = traps.remove(&key).is_some();
        if traps.is_empty() {
            self.traps.remove(host);
        }
        has_ended
    }

    fn note_duplicate(&mut self, page: &Decided<'_>, duplicate: &Duplicate) {
        let source = self.source(page);
        let is_on_known = page.via == Some(duplicate.of) || source.as_ref().is_some_and(|source| source.leads_nowhere);
        let source = source
            .and_then(|source| Some(keys(&source.host, &Url::parse(&source.url).ok()?)))
            .unwrap_or_default();
        let links: Option<Vec<Vec<u64>>> = duplicate
            .new_links()
            .map(|links| links.iter().map(keys_of_link).collect());
        let patterns = lattice::patterns(&page.url);
        let mut found = None;
        for (at, pattern) in patterns.iter().enumerate() {
            let key = key(page.host, pattern);
            if let Some(trap) = self.traps.get_mut(page.host).and_then(|traps| traps.get_mut(&key)) {
                trap.duplicates = trap.duplicates.saturating_add(1);
                return;
            }
            let mut counts = self.counts.get(key).unwrap_or_default();
            counts.duplicates = counts.duplicates.saturating_add(1);
            let leads_nowhere = links
                .as_ref()
                .is_some_and(|links| links.iter().all(|keys| keys.contains(&key)));
            if leads_nowhere {
                counts.barren = counts.barren.saturating_add(1);
                counts.near = counts.near.saturating_add(u32::from(!duplicate.is_exact));
                let is_from_within = is_on_known || source.contains(&key);
                counts.from_within = counts.from_within.saturating_add(u32::from(is_from_within));
            }
            self.counts.insert(key, counts);
            if counts.is_trap() {
                found = Some((at, key, counts.barren));
                break;
            }
        }
        if let Some((at, key, duplicates)) = found {
            self.begin_trap(page.host, key, &patterns[at], duplicates);
            // The trap explains these pages, so they are no evidence against a larger pattern.
            for larger in &patterns[at + 1..] {
                self.forget_duplicates(page.host, larger);
            }
        }
    }

    fn begin_trap(&mut self, host: &str, key: u64, pattern: &str, duplicates: u32) {
        let traps = self.traps.entry(host.to_owned()).or_default();
        if traps.len() < MAX_TRAPS {
            let trap = Trap {
                pattern: pattern.to_owned(),
                duplicates,
                sample: Sample::default(),
            };
            traps.insert(key, trap);
        }
    }

    fn forget_duplicates(&mut self, host: &str, pattern: &str) {
        let key = key(host, pattern);
        if let Some(counts) = self.counts.get(key) {
            let remaining = Counts {
                news: counts.news,
                pages_to_news: counts.pages_to_news,
                ..Counts::default()
            };
            self.counts.insert(key, remaining);
        }
    }
}

/// In one order, so that the memory forgets the same patterns whenever it learns the same pages.
fn keys(host: &str, url: &Url) -> Vec<u64> {
    lattice::patterns(url)
        .iter()
        .map(|pattern| key(host, pattern))
        .collect()
}

fn keys_of_link(link: &Url) -> Vec<u64> {
    HostKey::from_url(link).map_or_else(Vec::new, |host| keys(host.as_str(), link))
}

fn key(host: &str, pattern: &str) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(host.as_bytes());
    hash.update(&[0]);
    hash.update(pattern.as_bytes());
    hash.digest()
}

#[cfg(test)]
mod tests;
