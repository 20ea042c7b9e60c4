//! The crawler's own errands: robots.txt, which the pages of its origin wait for, and sitemaps.

use std::sync::Arc;
use std::time::Duration;

use url::Url;
use web::host_key::HostKey;
use web::politeness::Now;
use web::robots::{MAX_ROBOTS_REDIRECTS, Robots};
use web::sitemap::MAX_LOCATION_BYTES;

use super::Frontier;
use super::host::Origin;
use crate::crawl::messages::{Errand, RobotsAnswer};

/// Sitemaps fetched from one host, indexes included.
const MAX_SITEMAPS: usize = 1_000;

/// Tries of a robots.txt that come to nothing, after which its origin is left alone for this run.
const MAX_ROBOTS_FAILURES: u8 = 3;

/// How long a robots.txt may be gone by (RFC 9309, section 2.4). The RFC would let a copy live on while the file cannot
/// be reached; here the stricter rule of section 2.3.1.4 holds, which forbids everything meanwhile.
const ROBOTS_LIFE: Duration = Duration::from_millis(ROBOTS_LIFE_MS);
const ROBOTS_LIFE_MS: u64 = 24 * 60 * 60 * 1_000;

impl Frontier {
    pub(super) fn robots(&mut self, errand: Errand, answer: RobotsAnswer, now: Now) {
        let Errand::Robots {
            for_host,
            origin,
            url,
            redirects,
            failures,
        } = errand
        else {
            return;
        };
        match answer {
            RobotsAnswer::Rules(robots, sitemaps) => {
                self.obey(&for_host, origin, (robots, now + ROBOTS_LIFE), sitemaps, now);
            }
            RobotsAnswer::Recalled(robots, sitemaps, fetched_at) if self.is_fresh(fetched_at) => {
                let until = self.since_start(fetched_at.saturating_add(ROBOTS_LIFE_MS));
                self.obey(&for_host, origin, (robots, until), sitemaps, now);
            }
            RobotsAnswer::Recalled(..) | RobotsAnswer::Forgotten => {
                let errand = Errand::Robots {
                    for_host,
                    origin,
                    url,
                    redirects,
                    failures,
                };
                self.add_errand(errand, now);
            }
            RobotsAnswer::Moved(to) if redirects < MAX_ROBOTS_REDIRECTS => {
                let moved = Errand::Robots {
                    for_host,
                    origin,
                    url: to,
                    redirects: redirects + 1,
                    failures,
                };
                self.add_errand(moved, now);
            }
            RobotsAnswer::Moved(_) => {
                let all = (Robots::allow_all(), now + ROBOTS_LIFE);
                self.obey(&for_host, origin, all, Vec::new(), now);
            }
            RobotsAnswer::Unfit(unfit) => {
                self.host(&for_host).settle(origin, Origin::Unfit(unfit));
                self.schedule(&for_host, now);
            }
            RobotsAnswer::Unreachable(reason) if failures + 1 >= MAX_ROBOTS_FAILURES => {
                self.close(&for_host, origin, format!("robots.txt: {reason}"), now);
            }
            // The gate of the host that failed spaces the tries.
            RobotsAnswer::Unreachable(_) => {
                let again = Errand::Robots {
                    for_host,
                    origin,
                    url,
                    redirects,
                    failures: failures + 1,
                };
                self.add_errand(again, now);
            }
        }
    }

    /// Whether the text that was fetched then (Unix ms) may still be used.
    fn is_fresh(&self, fetched_at: u64) -> bool {
        (fetched_at..fetched_at.saturating_add(ROBOTS_LIFE_MS)).contains(&self.started_at)
    }

    fn obey(&mut self, host: &str, origin: String, rules: (Robots, Now), sitemaps: Vec<Url>, now: Now) {
        let politeness = self.rules.politeness;
        let (robots, until) = rules;
        let entry = self.host(host);
        let robots = Arc::new(robots);
        // Nobody named it, so it is a page like any other.
        let guessed = Url::parse(&format!("{origin}/sitemap.xml")).ok();
        let guessed = guessed.filter(|url| robots.decide(url).allowed);
        entry.settle(origin, Origin::Open { robots, until });
        let crawl_delay = entry.crawl_delay().unwrap_or_default();
        entry
            .gate
            .set_crawl_delay(crawl_delay.min(politeness.max_crawl_delay), now);
        self.mark_unsaved(host);
        self.schedule(host, now);
        if politeness.sitemaps {
            let guessed = guessed.filter(|_| politeness.guess_sitemap && sitemaps.is_empty());
            for url in sitemaps.into_iter().chain(guessed) {
                let errand = Errand::Sitemap {
                    url,
                    depth: 0,
                    redirects: 0,
                };
                self.add_errand(errand, now);
            }
        }
    }

    /// Fetches nothing more of an origin in this run.
    fn close(&mut self, host: &str, origin: String, reason: String, now: Now) {
        self.host(host).settle(origin, Origin::Closed(reason));
        self.mark_unsaved(host);
        self.schedule(host, now);
    }

    pub(super) fn add_errand(&mut self, errand: Errand, now: Now) {
        let Some(key) = HostKey::from_url(errand.url()) else {
            return self.give_up(errand, "a URL without a host", now);
        };
        let name = key.as_str().to_owned();
        if self.host(&name).gate.is_retired() {
            return self.give_up(errand, &name, now);
        }
        match &errand {
            Errand::Robots { .. } => self.host(&name).robots_errands.push_back(errand),
            Errand::Sitemap { url, .. } if url.as_str().len() > MAX_LOCATION_BYTES => {
                return tracing::info!(host = name, "a sitemap with too long an address is passed over");
            }
            Errand::Sitemap { url, .. } => {
                let is_new = self.sitemaps_seen.insert(url.to_string());
                let host = self.host(&name);
                if !is_new || host.sitemaps_taken >= MAX_SITEMAPS {
                    return;
                }
                host.sitemaps_taken += 1;
                host.sitemaps.push_back(errand);
            }
        }
        self.schedule(&name, now);
    }

    /// An errand that no host will run: whoever waits for it learns so.
    pub(super) fn give_up(&mut self, errand: Errand, at: &str, now: Now) {
        match errand {
            Errand::Robots { for_host, origin, .. } => {
                self.close(&for_host, origin, format!("robots.txt is not to be had from {at}"), now);
            }
            Errand::Sitemap { url, .. } => tracing::info!(%url, at, "sitemap given up"),
        }
    }
}
