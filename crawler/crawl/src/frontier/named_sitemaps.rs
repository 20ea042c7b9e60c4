//! Sitemaps that another origin names: the seeds file, a robots.txt, or a redirect. They wait for the robots.txt of their own origin, which
//! may forbid them.

use std::collections::HashMap;

use url::Url;
use web::host_key::HostKey;
use web::politeness::Now;
use web::robots::{Robots, robots_url};

use super::Frontier;
use super::errands::first_sitemap;
use super::state::{OriginState, origin};
use crate::messages::Errand;

/// The sitemaps that wait, by origin.
#[derive(Debug, Default)]
pub(super) struct NamedSitemaps {
    waiting: HashMap<String, Vec<Errand>>,
}

impl NamedSitemaps {
    /// Adds a sitemap that waits for the rules of an origin. Returns whether it is the first one of the origin.
    fn wait(&mut self, origin: &str, errand: Errand) -> bool {
        let waiting = self.waiting.entry(origin.to_owned()).or_default();
        waiting.push(errand);
        waiting.len() == 1
    }

    /// Takes out the sitemaps that waited for the rules of an origin and may be read. Without rules, none may be read.
    pub fn take(&mut self, origin: &str, robots: Option<&Robots>) -> Vec<Errand> {
        let mut waiting = self.waiting.remove(origin).unwrap_or_default();
        match robots {
            Some(robots) => waiting.retain(|errand| is_allowed(robots, errand.url())),
            None => {
                for errand in waiting.drain(..) {
                    tracing::warn!(url = %errand.url(), "sitemap not read: its host gives no robots.txt");
                }
            }
        }
        waiting
    }

    /// Takes out the sitemaps of the hosts of which `is_leaving` holds.
    pub fn take_where(&mut self, is_leaving: impl Fn(&str) -> bool) -> Vec<Url> {
        let leaves = |errand: &Errand| {
            let host = HostKey::from_url(errand.url());
            host.is_some_and(|host| is_leaving(host.as_str()))
        };
        let leaving = self
            .waiting
            .extract_if(|_, waiting| waiting.first().is_some_and(leaves));
        let errands = leaving.flat_map(|(_, waiting)| waiting);
        errands.map(|errand| errand.url().clone()).collect()
    }
}

impl Frontier {
    /// Adds sitemaps that the seeds file names.
    pub fn add_sitemaps(&mut self, urls: Vec<Url>, now: Now) {
        for url in urls {
            if let Some(host) = HostKey::from_url(&url) {
                self.add_permitted_sitemap(first_sitemap(url), now);
                self.want(host.as_str(), now);
            }
        }
    }

    /// Queues the errand for a sitemap that the rules of its origin must permit.
    pub(super) fn add_permitted_sitemap(&mut self, errand: Errand, now: Now) {
        let Some(host) = HostKey::from_url(errand.url()) else {
            return;
        };
        let host = host.as_str();
        if !self.is_here(host) {
            return self.groups.keep_sitemap(errand.url().clone());
        }
        let origin = origin(errand.url());
        if !self.settings.hosts.politeness(host, &self.settings.politeness).robots {
            return self.add_errand(errand, now);
        }
        let state = self.hosts.get(host).and_then(|host| host.origins.get(&origin));
        match state {
            Some(OriginState::Open { robots, .. }) => {
                if is_allowed(robots, errand.url()) {
                    self.add_errand(errand, now);
                }
            }
            Some(OriginState::GivenUp { .. } | OriginState::Unfit(_)) => {
                tracing::warn!(url = %errand.url(), "sitemap not read: its host gives no robots.txt");
            }
            Some(OriginState::Asked) => {
                self.named_sitemaps.wait(&origin, errand);
            }
            None => {
                let robots = Errand::Robots {
                    for_host: host.to_owned(),
                    origin: origin.clone(),
                    url: robots_url(errand.url()),
                    redirects: 0,
                    failures: 0,
                };
                // The other sitemaps of the origin wait for the same answer.
                if self.named_sitemaps.wait(&origin, errand) {
                    self.add_errand(robots, now);
                    if let Some(host) = self.hosts.get_mut(host) {
                        host.origins.entry(origin).or_insert(OriginState::Asked);
                    }
                }
            }
        }
    }
}

fn is_allowed(robots: &Robots, url: &Url) -> bool {
    let is_allowed = robots.decide(url).allowed;
    if !is_allowed {
        tracing::warn!(%url, "sitemap not read: robots.txt forbids it");
    }
    is_allowed
}
