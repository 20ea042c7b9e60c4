//! The crawler's own errands: robots.txt becomes rules, a sitemap becomes URLs and further sitemaps.

use std::sync::Arc;
use storage::{Discovered, MAX_STORED_ROBOTS_BYTES, StoredRobots, stored_text};
use url::Url;
use web::fetch::{FetchError, Response};
use web::host_key::HostKey;
use web::robots::{Robots, RobotsOutcome};
use web::sitemap::{self, Sitemap};

use super::{Interpreter, PRIORITY_SITEMAP, may_pass, redirect};
use crate::clock::unix_millis;
use crate::messages::{Errand, Event, Meaning, Record, RobotsAnswer, Unfit};
use crate::scope::Scope;

/// Bound on the nesting of sitemap indexes.
const MAX_SITEMAP_DEPTH: u8 = 2;

/// Bound on the hosts beyond the crawl whose sitemaps a robots.txt may name, so that no site makes the crawler ask many others.
const MAX_OTHER_HOSTS: usize = 4;

/// Bound on the redirects of a sitemap.
const MAX_SITEMAP_REDIRECTS: u8 = 5;

/// Bound on the bytes of an errand's body without its Content-Encoding; `of_page` is that of a page.
pub(super) fn max_unpacked_bytes(errand: &Errand, of_page: usize) -> usize {
    match errand {
        // Its own step and the stage of the browser unpack them.
        Errand::Robots { .. } | Errand::Subrequest(_) => 0,
        Errand::Sitemap { .. } => sitemap::MAX_SITEMAP_BYTES,
        Errand::Login(_) => of_page,
    }
}

impl Interpreter {
    pub(super) fn robots(&self, errand: Errand, answer: Result<Response, FetchError>) -> Meaning {
        let answer = match answer {
            Err(error) if is_first_hop(&errand) && error.concerns_origin() => {
                self.warn_of_refusal(errand.url().authority(), &error);
                RobotsAnswer::Unfit(Unfit {
                    kind: error.kind(),
                    detail: stored_text(&error.to_string()),
                })
            }
            // An unreadable answer counts as unreachable, because its rules are unknown.
            Err(error) => RobotsAnswer::Unreachable(error.to_string()),
            Ok(response) => match redirect::target(errand.url(), &response) {
                Some(Ok(to)) => RobotsAnswer::Moved(to),
                _ => match self.rules(&errand, &response) {
                    Ok((answer, stored)) => return Meaning::Record(Record::Robots { errand, answer, stored }),
                    Err(unreachable) => RobotsAnswer::Unreachable(unreachable),
                },
            },
        };
        Meaning::Event(Event::Robots { errand, answer })
    }

    /// The rules, and the text to store for later runs.
    ///
    /// # Errors
    /// The server failed, with this status.
    fn rules(&self, errand: &Errand, response: &Response) -> Result<(RobotsAnswer, Option<StoredRobots>), String> {
        let body = response.body.as_deref().unwrap_or_default();
        let outcome = RobotsOutcome::from_status(response.status, body, &self.settings.product);
        if outcome.availability.is_to_be_retried() {
            return Err(format!("HTTP status {}", response.status));
        }
        let text = if response.is_success() { body } else { &[] };
        let stored = (text.len() <= MAX_STORED_ROBOTS_BYTES).then(|| StoredRobots {
            fetched_at: unix_millis(response.fetched_at),
            text: text.to_vec(),
        });
        let sitemaps = sitemaps_of(&outcome.robots, errand, &self.scope);
        Ok((RobotsAnswer::Rules(outcome.robots, sitemaps), stored))
    }

    pub(super) fn sitemap(&self, errand: Errand, answer: Result<Response, FetchError>) -> Meaning {
        let may_pass = match &answer {
            Ok(response) => may_pass(response.status),
            Err(error) => error.is_transient(),
        };
        match asked_again(&errand, self.settings.politeness.max_retries) {
            Some(again) if may_pass => Meaning::Event(Event::SitemapAgain(again)),
            _ => Meaning::Record(self.sitemap_at_last(&errand, answer)),
        }
    }

    /// The record of a sitemap that this run does not ask for again.
    fn sitemap_at_last(&self, errand: &Errand, answer: Result<Response, FetchError>) -> Record {
        let url = errand.url();
        let response = match answer {
            Ok(response) => response,
            Err(error) => return self.failed_sitemap(errand, &error.to_string()),
        };
        let fetched_at = Some(unix_millis(response.fetched_at));
        // A site may keep its sitemaps elsewhere. The robots.txt and the gate of the other host hold for them.
        if let Some(Ok(to)) = redirect::target(url, &response)
            && let Some(moved) = moved(errand, to)
        {
            return Record::Sitemap {
                url: url.clone(),
                urls: Vec::new(),
                further: vec![moved],
                fetched_at,
            };
        }
        if may_pass(response.status) || response.status >= 500 {
            return self.failed_sitemap(errand, &format!("HTTP status {}", response.status));
        }
        if !response.is_success() {
            tell(errand, &format!("HTTP status {}", response.status));
            return sitemap_record(url, fetched_at);
        }
        let (urls, further) = self.sitemap_urls(errand, response.body.as_deref().unwrap_or_default());
        Record::Sitemap {
            url: url.clone(),
            urls,
            further,
            fetched_at,
        }
    }

    /// The record of a sitemap that could not be read. It does not count as read.
    fn failed_sitemap(&self, errand: &Errand, why: &str) -> Record {
        tell(errand, &format!("not read: {why}"));
        if !is_guessed(errand) {
            self.stats.failed_sitemap(errand.url(), why);
        }
        sitemap_record(errand.url(), None)
    }

    /// The pages and the sitemaps that a sitemap names.
    fn sitemap_urls(&self, errand: &Errand, body: &[u8]) -> (Vec<Discovered>, Vec<Errand>) {
        let url = errand.url();
        let parsed = sitemap::parse_sitemap(body, sitemap::MAX_SITEMAP_URLS);
        if let Some(reason) = &parsed.broken {
            tell(errand, &format!("broken, the part before the fault is used: {reason}"));
        }
        let (mut urls, mut further) = (Vec::new(), Vec::new());
        match parsed.sitemap {
            Sitemap::Urls(found) => {
                let links = found.iter().filter_map(|text| url.join(text).ok());
                urls = self.discover(links, 1, 0, PRIORITY_SITEMAP);
            }
            Sitemap::Index(found) => {
                let host = HostKey::from_url(url);
                let maps = found.iter().filter_map(|text| url.join(text).ok());
                let maps = maps.filter(|map| is_on_crawled_host(map, &self.scope) || HostKey::from_url(map) == host);
                match maps.map(|map| named_by(errand, map)).collect() {
                    Some(named) => further = named,
                    None => tracing::warn!(%url, "sitemap index skipped: too many indexes above it"),
                }
            }
        }
        (urls, further)
    }
}

/// The next request for a sitemap that failed; `None` after `most` such requests, and for other errands.
fn asked_again(errand: &Errand, most: u8) -> Option<Errand> {
    let mut again = errand.clone();
    match &mut again {
        Errand::Sitemap { failures, .. } if *failures < most => *failures += 1,
        _ => return None,
    }
    Some(again)
}

/// The request to which the redirect of a sitemap leads; `None` after too many redirects, and for other errands.
fn moved(errand: &Errand, to: Url) -> Option<Errand> {
    match errand {
        &Errand::Sitemap {
            depth,
            redirects,
            is_guessed,
            ..
        } if redirects < MAX_SITEMAP_REDIRECTS => Some(Errand::Sitemap {
            url: to,
            depth,
            redirects: redirects + 1,
            failures: 0,
            is_guessed,
        }),
        _ => None,
    }
}

/// The request for a sitemap that the index of this errand names; `None` if too many indexes are above it, and for other errands.
fn named_by(index: &Errand, url: Url) -> Option<Errand> {
    match index {
        Errand::Sitemap { depth, .. } if *depth < MAX_SITEMAP_DEPTH => Some(Errand::Sitemap {
            url,
            depth: depth + 1,
            redirects: 0,
            failures: 0,
            is_guessed: false,
        }),
        _ => None,
    }
}

/// Whether nothing names the sitemap.
fn is_guessed(errand: &Errand) -> bool {
    matches!(errand, Errand::Sitemap { is_guessed: true, .. })
}

/// The record of a sitemap without a URL.
fn sitemap_record(url: &Url, fetched_at: Option<u64>) -> Record {
    Record::Sitemap {
        url: url.clone(),
        urls: Vec::new(),
        further: Vec::new(),
        fetched_at,
    }
}

/// Parses a robots.txt of an earlier run.
#[derive(Debug)]
pub struct RobotsReader {
    product: String,
    scope: Arc<Scope>,
}

impl RobotsReader {
    /// A reader for the agent `product` in a crawl of `scope`.
    #[must_use]
    pub fn new(product: &str, scope: Arc<Scope>) -> Self {
        Self {
            product: product.to_owned(),
            scope,
        }
    }

    /// The rules in the text that this errand has brought.
    #[must_use]
    pub fn read(&self, errand: &Errand, stored: &StoredRobots) -> RobotsAnswer {
        let robots = Robots::parse(&stored.text, &self.product);
        let sitemaps = sitemaps_of(&robots, errand, &self.scope);
        RobotsAnswer::Recalled(robots, sitemaps, stored.fetched_at)
    }
}

/// The sitemaps of a robots.txt that the crawl may fetch: those on hosts of the crawl, and if the robots.txt is that of such a host, those on
/// a few others. By naming them there, a host shows that it trusts them (sitemaps.org, "Sitemaps & Cross Submits"). Of their URLs, the scope
/// admits those of the crawl.
fn sitemaps_of(robots: &Robots, errand: &Errand, scope: &Scope) -> Vec<Url> {
    let Errand::Robots { origin, url, .. } = errand else {
        return Vec::new();
    };
    let may_name_others = Url::parse(origin).is_ok_and(|origin| is_on_crawled_host(&origin, scope));
    let mut others: Vec<HostKey> = Vec::new();
    let mut is_permitted = |sitemap: &Url| {
        let Some(host) = HostKey::from_url(sitemap) else {
            return false;
        };
        if scope.admits(&host, 0).is_ok() || others.contains(&host) {
            return true;
        }
        let has_place = may_name_others && others.len() < MAX_OTHER_HOSTS;
        if has_place {
            others.push(host);
        }
        has_place
    };
    let named = robots.sitemaps().iter().filter_map(|text| url.join(text).ok());
    named.filter(|sitemap| is_permitted(sitemap)).collect()
}

fn is_on_crawled_host(url: &Url, scope: &Scope) -> bool {
    HostKey::from_url(url).is_some_and(|host| scope.admits(&host, 0).is_ok())
}

/// Logs a fault of a sitemap: as a warning, unless the crawler has guessed its URL.
fn tell(errand: &Errand, what: &str) {
    let url = errand.url();
    if is_guessed(errand) {
        tracing::info!(%url, what, "sitemap");
    } else {
        tracing::warn!(%url, what, "sitemap");
    }
}

fn is_first_hop(errand: &Errand) -> bool {
    matches!(errand, Errand::Robots { redirects: 0, .. })
}
