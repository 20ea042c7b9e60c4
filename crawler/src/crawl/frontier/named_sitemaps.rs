//! Sitemaps that the seeds file names. They wait for the robots.txt of their origin, which may forbid them.

use std::collections::HashMap;

use url::Url;
use web::host_key::HostKey;
use web::politeness::Now;
use web::robots::{Robots, robots_url};

use super::Frontier;
use super::errands::first_sitemap;
use super::state::{OriginState, origin};
use crate::crawl::messages::Errand;

/// The sitemaps that wait, by origin.
pub(super) type NamedSitemaps = HashMap<String, Vec<Url>>;

impl Frontier {
    /// Adds sitemaps that the seeds file names.
    pub fn add_sitemaps(&mut self, urls: Vec<Url>, now: Now) {
        for url in urls {
            if let Some(host) = HostKey::from_url(&url) {
                if !self.is_here(host.as_str()) {
                    self.leave_sitemap(url);
                    continue;
                }
                self.add_named_sitemap(host.as_str(), url, now);
            }
        }
    }

    fn add_named_sitemap(&mut self, host: &str, url: Url, now: Now) {
        let origin = origin(&url);
        if !self.settings.politeness.robots {
            self.add_errand(first_sitemap(url), now);
            return self.want(host, now);
        }
        let state = self.hosts.get(host).and_then(|host| host.origins.get(&origin));
        match state {
            Some(OriginState::Open { robots, .. }) => {
                if is_allowed(robots, &url) {
                    self.add_errand(first_sitemap(url), now);
                }
            }
            Some(OriginState::GivenUp { .. } | OriginState::Unfit(_)) => {
                tracing::warn!(%url, "sitemap not read: its host gives no robots.txt");
            }
            Some(OriginState::Asked) => self.named_sitemaps.entry(origin).or_default().push(url),
            None => {
                let errand = Errand::Robots {
                    for_host: host.to_owned(),
                    origin: origin.clone(),
                    url: robots_url(&url),
                    redirects: 0,
                    failures: 0,
                };
                let waiting = self.named_sitemaps.entry(origin.clone()).or_default();
                waiting.push(url);
                // The other sitemaps of the origin wait for the same answer.
                if waiting.len() == 1 {
                    self.add_errand(errand, now);
                    if let Some(host) = self.hosts.get_mut(host) {
                        host.origins.entry(origin).or_insert(OriginState::Asked);
                    }
                }
            }
        }
        self.want(host, now);
    }

    /// Takes out the sitemaps that waited for the rules of an origin and may be read. Without rules, none may be read.
    pub(super) fn named_sitemaps_of(&mut self, origin: &str, robots: Option<&Robots>) -> Vec<Url> {
        let mut waiting = self.named_sitemaps.remove(origin).unwrap_or_default();
        match robots {
            Some(robots) => waiting.retain(|url| is_allowed(robots, url)),
            None => {
                for url in waiting.drain(..) {
                    tracing::warn!(%url, "sitemap not read: its host gives no robots.txt");
                }
            }
        }
        waiting
    }
}

fn is_allowed(robots: &Robots, url: &Url) -> bool {
    let is_allowed = robots.decide(url).allowed;
    if !is_allowed {
        tracing::warn!(%url, "sitemap not read: robots.txt forbids it");
    }
    is_allowed
}
