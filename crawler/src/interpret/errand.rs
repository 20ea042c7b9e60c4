//! The crawler's own errands: robots.txt becomes rules, a sitemap becomes URLs and further sitemaps.

use url::Url;

use super::{Interpreter, PRIORITY_SITEMAP, redirect};
use crate::content_seen::Record;
use crate::fetch::{FetchError, Response};
use crate::host_key::HostKey;
use crate::robots::{MAX_ROBOTS_BYTES, Robots, RobotsOutcome};
use crate::scheduler::{Errand, Event, RobotsAnswer};
use crate::sitemap::{self, Sitemap};

/// How deep sitemap indexes may lie in one another.
const MAX_SITEMAP_DEPTH: u8 = 2;

/// Redirects of a sitemap that are followed.
const MAX_SITEMAP_REDIRECTS: u8 = 5;

/// Bound on a robots.txt without its Content-Encoding; what counts of it is less.
const MAX_DECODED_ROBOTS_BYTES: usize = 16 * MAX_ROBOTS_BYTES;

/// How long what an errand brings may be without its Content-Encoding.
pub(super) fn max_unpacked_bytes(errand: &Errand) -> usize {
    match errand {
        Errand::Robots { .. } => MAX_DECODED_ROBOTS_BYTES,
        Errand::Sitemap { .. } => sitemap::MAX_SITEMAP_BYTES,
    }
}

impl Interpreter {
    pub(super) fn robots(&self, errand: Errand, answer: Result<Response, FetchError>) -> Event {
        let answer = match answer {
            // No connection will be made for a page of this host either; there the failure is recorded by its name.
            Err(FetchError::ForbiddenAddress(_)) if is_first_hop(&errand) => {
                RobotsAnswer::Rules(Robots::allow_all(), Vec::new())
            }
            // Of an answer that cannot be read too: what the server meant is unknown.
            Err(error) => RobotsAnswer::Unreachable(error.to_string()),
            Ok(response) => match redirect::target(errand.url(), &response) {
                Some(Ok(to)) => RobotsAnswer::Moved(to),
                _ => self.rules(errand.url(), &response),
            },
        };
        Event::Robots { errand, answer }
    }

    fn rules(&self, url: &Url, response: &Response) -> RobotsAnswer {
        let body = response.body.as_deref().unwrap_or_default();
        let outcome = RobotsOutcome::from_status(response.status, body, &self.settings.product);
        if outcome.availability.is_to_be_retried() {
            return RobotsAnswer::Unreachable(format!("HTTP status {}", response.status));
        }
        let named = outcome.robots.sitemaps().iter().filter_map(|text| url.join(text).ok());
        let sitemaps = named.filter(|sitemap| self.is_on_crawled_host(sitemap)).collect();
        RobotsAnswer::Rules(outcome.robots, sitemaps)
    }

    /// Sitemaps are fetched from hosts of the crawl alone.
    fn is_on_crawled_host(&self, url: &Url) -> bool {
        HostKey::from_url(url).is_some_and(|host| self.scope.admits(&host, 0).is_ok())
    }

    pub(super) fn sitemap(&self, url: &Url, depth: u8, redirects: u8, answer: Result<Response, FetchError>) -> Record {
        let nothing = Record::Sitemap {
            urls: Vec::new(),
            further: Vec::new(),
        };
        let response = match answer {
            Ok(response) => response,
            Err(error) => {
                tracing::warn!(%url, %error, "sitemap not read");
                return nothing;
            }
        };
        if let Some(Ok(to)) = redirect::target(url, &response)
            && self.is_on_crawled_host(&to)
            && redirects < MAX_SITEMAP_REDIRECTS
        {
            return Record::Sitemap {
                urls: Vec::new(),
                further: vec![Errand::Sitemap {
                    url: to,
                    depth,
                    redirects: redirects + 1,
                }],
            };
        }
        if !response.is_success() {
            tracing::warn!(%url, status = response.status, "no sitemap there");
            return nothing;
        }
        self.sitemap_urls(url, depth, response.body.as_deref().unwrap_or_default())
    }

    fn sitemap_urls(&self, url: &Url, depth: u8, body: &[u8]) -> Record {
        let parsed = sitemap::parse_sitemap(body, sitemap::MAX_SITEMAP_URLS);
        if let Some(reason) = &parsed.broken {
            tracing::warn!(%url, reason, "sitemap broken; what came before is used");
        }
        let (mut urls, mut further) = (Vec::new(), Vec::new());
        match parsed.sitemap {
            Sitemap::Urls(found) => {
                let links = found.iter().filter_map(|text| url.join(text).ok());
                urls = self.discover(links, 1, 0, PRIORITY_SITEMAP);
                urls.iter_mut().for_each(|link| link.via = Some(url.to_string()));
            }
            Sitemap::Index(found) if depth < MAX_SITEMAP_DEPTH => {
                let maps = found.iter().filter_map(|text| url.join(text).ok());
                further = maps
                    .filter(|map| self.is_on_crawled_host(map))
                    .map(|url| Errand::Sitemap {
                        url,
                        depth: depth + 1,
                        redirects: 0,
                    })
                    .collect();
            }
            Sitemap::Index(_) => tracing::warn!(%url, "sitemap indexes too deep in one another"),
        }
        Record::Sitemap { urls, further }
    }
}

fn is_first_hop(errand: &Errand) -> bool {
    matches!(errand, Errand::Robots { redirects: 0, .. })
}
