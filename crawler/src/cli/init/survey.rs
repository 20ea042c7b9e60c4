//! What a site says about itself in its robots.txt and its sitemaps.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use url::Url;
use web::canonicalize::canonicalize;
use web::host_key::HostKey;
use web::robots::{Availability, Robots, robots_url};
use web::sitemap::{MAX_SITEMAP_URLS, Sitemap, parse_sitemap};
use xxhash_rust::xxh3::xxh3_64;

use crate::cli::inspect::Web;
use config::settings::Settings;
use terminal::units::grouped;

/// Sitemaps that the command reads from one site. Between two of them it keeps the delay of the host.
const MAX_SITEMAPS: usize = 10;

/// Bound on the sitemaps of a site that the command remembers.
const MAX_KNOWN_SITEMAPS: usize = 10_000;

/// Nesting of sitemap indexes, as in a crawl.
const MAX_DEPTH: u8 = 2;

/// What is known about a site.
#[derive(Debug)]
pub(super) struct Survey {
    pub url: Url,
    /// Whether the site answered.
    pub has_answered: bool,
    /// robots.txt in words.
    robots: String,
    /// Why a crawl cannot fetch the URL itself, if that is known.
    forbidden: Option<String>,
    /// Pages that the sitemaps name and robots.txt allows.
    pub pages: u64,
    /// Sitemaps that were read.
    sitemaps_read: usize,
    /// Sitemaps that were not read because there are too many.
    sitemaps_left: usize,
    /// What could not be read, with the reasons.
    failures: Vec<String>,
    /// Time between two requests to the host.
    pub delay: Duration,
    /// Requests at a time.
    pub parallel: usize,
}

impl Survey {
    /// Whether a sitemap named the pages, so that their number means something.
    pub fn knows_pages(&self) -> bool {
        self.sitemaps_read > 0
    }

    /// Whether the site may have more pages than are known.
    pub fn may_have_more(&self) -> bool {
        self.sitemaps_left > 0 || !self.failures.is_empty() || !self.knows_pages()
    }

    /// The survey for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("robots.txt: {}", self.robots)];
        lines.extend(self.forbidden.clone());
        lines.push(self.pages_in_words());
        lines.extend(self.failures.iter().map(|failure| format!("not learned: {failure}")));
        lines
    }

    pub fn pages_in_words(&self) -> String {
        let pages = grouped(self.pages);
        match (self.sitemaps_read, self.sitemaps_left) {
            (0, _) => "pages: unknown, because no sitemap could be read".to_owned(),
            (read, 0) => format!("pages: {pages}, in {}", sitemaps(read)),
            (read, left) => format!(
                "pages: at least {pages}, in {}; {} were not read",
                sitemaps(read),
                sitemaps(left)
            ),
        }
    }
}

fn sitemaps(count: usize) -> String {
    match count {
        1 => "1 sitemap".to_owned(),
        count => format!("{} sitemaps", grouped(count as u64)),
    }
}

/// Asks the site of `url`.
pub(super) fn survey(url: Url, web: &mut Web, settings: &Settings) -> Survey {
    let host = HostKey::from_url(&url).map(String::from).unwrap_or_default();
    let politeness = settings.hosts.politeness(&host, &settings.politeness);
    let mut survey = Survey {
        has_answered: false,
        robots: String::new(),
        forbidden: None,
        pages: 0,
        sitemaps_read: 0,
        sitemaps_left: 0,
        failures: Vec::new(),
        delay: politeness.delay,
        parallel: politeness.parallel_per_host,
        url,
    };
    let outcome = match web.robots(&robots_url(&survey.url), &settings.product) {
        Ok(outcome) => outcome,
        Err(error) => {
            survey.robots = format!("not learned: {error}");
            return survey;
        }
    };
    let decision = outcome.robots.decide(&survey.url);
    let rule = decision.rule.unwrap_or_default();
    match outcome.availability {
        Availability::Unreachable => {
            survey.robots = format!("not learned: {rule}; a crawl fetches nothing until the site answers");
            return survey;
        }
        Availability::Unavailable => survey.robots = "none, so that everything is allowed".to_owned(),
        Availability::Found => survey.robots = "found".to_owned(),
    }
    survey.has_answered = true;
    if let Some(asked) = outcome.robots.crawl_delay() {
        survey.delay = survey.delay.max(asked.min(politeness.max_crawl_delay));
        survey.robots += &format!(", with a crawl delay of {}", humantime::format_duration(asked));
    }
    survey.forbidden = (!decision.allowed).then(|| format!("robots.txt forbids this URL: {rule}"));
    survey.read_sitemaps(&outcome.robots, web, settings);
    survey
}

impl Survey {
    fn read_sitemaps(&mut self, robots: &Robots, web: &mut Web, settings: &Settings) {
        let mut waiting = first_sitemaps(&self.url, robots);
        let mut known: HashSet<Url> = waiting.iter().map(|(url, _)| url.clone()).collect();
        let mut pages = HashSet::new();
        while let Some((url, depth)) = waiting.pop_front() {
            if self.sitemaps_read + self.failures.len() >= MAX_SITEMAPS {
                self.sitemaps_left = waiting.len() + 1;
                break;
            }
            if !self.is_same_site(&url) {
                self.failures.push(format!(
                    "the sitemap {url}: it is on another host, where a crawl reads no sitemap"
                ));
                continue;
            }
            let (url, body) = match web.sitemap(&url) {
                Ok(read) => read,
                Err(reason) => {
                    self.failures.push(format!("the sitemap {url}: {reason}"));
                    continue;
                }
            };
            let parsed = parse_sitemap(&body, MAX_SITEMAP_URLS);
            if parsed.format.is_none() {
                let reason = parsed.broken.unwrap_or_else(|| "it is no sitemap".to_owned());
                self.failures.push(format!("the sitemap {url}: {reason}"));
                continue;
            }
            self.sitemaps_read += 1;
            let found = parsed.sitemap.locations().iter().filter_map(|text| url.join(text).ok());
            match &parsed.sitemap {
                Sitemap::Urls(_) => pages.extend(found.filter_map(|page| self.page(&page, robots, settings))),
                Sitemap::Index(_) if depth < MAX_DEPTH => {
                    for map in found {
                        if known.len() < MAX_KNOWN_SITEMAPS && self.is_same_site(&map) && known.insert(map.clone()) {
                            waiting.push_back((map, depth + 1));
                        }
                    }
                }
                Sitemap::Index(_) => {}
            }
        }
        self.pages = pages.len() as u64;
    }

    /// The hash of a page's canonical URL, if the page is on the site and robots.txt allows it.
    fn page(&self, url: &Url, robots: &Robots, settings: &Settings) -> Option<u64> {
        if !self.is_same_site(url) || !robots.decide(url).allowed {
            return None;
        }
        let url = canonicalize(url, &settings.canonicalize).ok()?;
        Some(xxh3_64(url.as_str().as_bytes()))
    }

    /// Whether the URL has the same host, with or without `www.`.
    fn is_same_site(&self, url: &Url) -> bool {
        let name = |url: &Url| {
            let host = HostKey::from_url(url)?;
            Some(host.as_str().trim_start_matches("www.").to_owned())
        };
        name(url) == name(&self.url)
    }
}

/// The sitemaps that robots.txt names, or the one that sites often have.
fn first_sitemaps(url: &Url, robots: &Robots) -> VecDeque<(Url, u8)> {
    let named = robots.sitemaps().iter().filter_map(|text| url.join(text).ok());
    let named: VecDeque<(Url, u8)> = named.map(|url| (url, 0)).take(MAX_KNOWN_SITEMAPS).collect();
    if !named.is_empty() {
        return named;
    }
    let guessed = url.join("/sitemap.xml").ok().filter(|url| robots.decide(url).allowed);
    guessed.into_iter().map(|url| (url, 0)).collect()
}
