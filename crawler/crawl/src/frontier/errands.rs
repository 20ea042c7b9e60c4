//! The crawler's own errands: robots.txt and log-ins, which pages wait for, and sitemaps.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use url::Url;
use web::host_key::HostKey;
use web::politeness::Now;
use web::sitemap::MAX_LOCATION_BYTES;

use super::Frontier;
use super::state::{self, OriginEvent, OriginState};
use crate::messages::{Errand, RobotsAnswer};

/// Bound on the sitemaps fetched from one host, indexes included.
const MAX_SITEMAPS: usize = 1_000;

/// The errand for a sitemap that no index led to.
pub(super) fn first_sitemap(url: Url) -> Errand {
    Errand::Sitemap {
        url,
        depth: 0,
        redirects: 0,
        failures: 0,
        is_guessed: false,
    }
}

/// Every sitemap that was ever queued, by a hash of its URL. Two sitemap indexes may name each other, so none is queued twice.
#[derive(Debug, Default)]
pub(super) struct SitemapsSeen {
    seen: HashSet<u64>,
    key: RandomState,
}

impl SitemapsSeen {
    /// Whether the sitemap was never queued. It counts as queued from now on.
    fn is_new(&mut self, url: &Url) -> bool {
        self.seen.insert(self.key.hash_one(url.as_str()))
    }

    /// Forgets that a sitemap was ever queued.
    pub fn forget(&mut self, url: &Url) {
        self.seen.remove(&self.key.hash_one(url.as_str()));
    }
}

impl Frontier {
    /// The answer to the request for a robots.txt has come.
    pub(super) fn on_robots(&mut self, errand: Errand, answer: RobotsAnswer, now: Now) {
        match OriginState::answered(errand, answer, self.time(now)) {
            None => {}
            Some(OriginEvent::AskAgain(errand)) => self.add_errand(errand, now),
            Some(OriginEvent::Settled {
                host,
                origin,
                state,
                sitemaps,
            }) => self.settle_origin(&host, origin, state, sitemaps, now),
        }
    }

    fn settle_origin(&mut self, host: &str, origin: String, state: OriginState, sitemaps: Vec<Url>, now: Now) {
        if !self.is_here(host) {
            return;
        }
        let robots = match &state {
            OriginState::Open { robots, .. } => Some(robots.clone()),
            OriginState::Asked | OriginState::GivenUp { .. } | OriginState::Unfit(_) => None,
        };
        // No robots.txt names the guessed sitemap, so the rules for pages apply to it.
        let guessed = Url::parse(&format!("{origin}/sitemap.xml")).ok();
        let guessed = guessed.filter(|url| robots.as_ref().is_some_and(|robots| robots.decide(url).allowed));
        let named = self.named_sitemaps.take(&origin, robots.as_deref());
        if !matches!(state, OriginState::Unfit(_)) {
            self.mark_unsaved(host);
        }
        let asked = origin.clone();
        self.host(host).settle(origin, state);
        if let Some(robots) = &robots {
            self.rules.note(&mut self.hosts, robots.heap_bytes());
            let max = self.settings.politeness.max_crawl_delay;
            self.host(host).apply_crawl_delay(max, now);
        }
        self.schedule(host, now);
        named.into_iter().for_each(|errand| self.add_errand(errand, now));
        let politeness = self.settings.politeness;
        if robots.is_some() && politeness.sitemaps {
            let may_guess = politeness.guess_sitemap && sitemaps.is_empty() && self.host(host).seeks_sitemap;
            let guessed = guessed.filter(|_| may_guess);
            if let Some(url) = guessed {
                let errand = Errand::Sitemap {
                    url,
                    depth: 0,
                    redirects: 0,
                    failures: 0,
                    is_guessed: true,
                };
                self.add_errand(errand, now);
            }
            for url in sitemaps {
                if state::origin(&url) == asked {
                    self.add_errand(first_sitemap(url), now);
                } else {
                    self.add_permitted_sitemap(first_sitemap(url), now);
                }
            }
        }
    }

    /// Queues an errand at the host of its URL.
    pub(super) fn add_errand(&mut self, errand: Errand, now: Now) {
        if let Errand::Subrequest(subrequest) = errand {
            return self.add_subrequest(subrequest, now);
        }
        let Some(key) = HostKey::from_url(errand.url()) else {
            return self.give_up_errand(errand, "a URL without a host", now);
        };
        let name = key.as_str().to_owned();
        if !self.is_here(&name) {
            return self.give_up_errand(errand, &format!("{name}, which is asked elsewhere"), now);
        }
        let host = self.hosts.get(&name);
        if self.released.was_given_up(&name) || host.is_some_and(|host| host.gate.is_given_up()) {
            return self.give_up_errand(errand, &name, now);
        }
        let Some(errand) = self.park(&name, errand) else {
            return;
        };
        match &errand {
            Errand::Subrequest(_) => {}
            Errand::Robots { for_host, .. } => {
                if *for_host != name {
                    // The waiting host must not keep a place that this host may need.
                    self.trials.end(for_host);
                }
                self.host(&name).first_errands.push_back(errand);
            }
            Errand::Login(_) => {
                self.host(&name).first_errands.push_back(errand);
                // The operator named the host, so its name needs no trial.
                self.want(&name, now);
            }
            Errand::Sitemap { url, .. } if url.as_str().len() > MAX_LOCATION_BYTES => {
                return tracing::info!(host = name, "sitemap skipped: its URL is too long");
            }
            Errand::Sitemap { url, .. } => {
                let is_new = self.sitemaps_seen.is_new(url);
                let host = self.host(&name);
                if !is_new || host.sitemaps_taken >= MAX_SITEMAPS {
                    return;
                }
                host.sitemaps_taken += 1;
                if host.memory.may_have_answers {
                    host.sitemaps_to_recall.push_back(errand);
                } else {
                    host.sitemaps.push_back(errand);
                }
            }
        }
        self.schedule(&name, now);
    }

    /// Queues a sitemap whose request failed. Its host rests before the first of its sitemaps is tried again, unless nothing names the sitemap:
    /// good answers for pages in between would otherwise let all its tries pass within seconds.
    pub(super) fn ask_sitemap_again(&mut self, errand: Errand, now: Now) {
        if let Errand::Sitemap {
            url,
            failures,
            is_guessed: false,
            ..
        } = &errand
            && let Some(key) = HostKey::from_url(url)
            && let Some(host) = self.hosts.get_mut(key.as_str())
        {
            let attempts = failures.saturating_sub(1);
            host.gate.rest_before_retry(attempts, now, &mut self.random.fork());
            self.mark_unsaved(key.as_str());
        }
        self.queue_sitemap(errand, now);
    }

    /// Queues a sitemap of which the store has no recent record.
    pub(super) fn queue_sitemap(&mut self, errand: Errand, now: Now) {
        let Some(key) = HostKey::from_url(errand.url()) else {
            return;
        };
        if !self.is_here(key.as_str()) {
            return;
        }
        let Some(errand) = self.park(key.as_str(), errand) else {
            return;
        };
        let host = self.host(key.as_str());
        if host.gate.is_given_up() {
            return self.give_up_errand(errand, key.as_str(), now);
        }
        host.sitemaps.push_back(errand);
        self.schedule(key.as_str(), now);
    }

    /// Ends an errand that no host will run. If it is for a robots.txt, the run gives up the origin that waits for it; if it is for a
    /// log-in, the run gives up the log-in.
    pub(super) fn give_up_errand(&mut self, errand: Errand, at: &str, now: Now) {
        match errand {
            Errand::Robots { for_host, origin, .. } => {
                let why = format!("robots.txt cannot be fetched from {at}");
                self.settle_origin(&for_host, origin, OriginState::GivenUp { why }, Vec::new(), now);
            }
            Errand::Sitemap { url, .. } => tracing::info!(%url, at, "sitemap given up"),
            // The page learns it when the errand is dropped.
            Errand::Subrequest(subrequest) => {
                tracing::debug!(url = %subrequest.url(), at, "request of a page given up")
            }
            Errand::Login(errand) => self.login_failed(errand.login, format!("no request can be sent to {at}"), now),
        }
    }
}
