//! The results of the errands of earlier runs: robots.txt, and the sitemaps that they read.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use storage::{Discovered, OnwardSitemap, QueuedUrl, StoredSitemap, Via};
use url::Url;
use web::host_key::HostKey;

use super::post::queued_letters;
use super::{Recorder, SLICE};
use crate::crawl::clock::unix_millis;
use crate::crawl::interpret::RobotsReader;
use crate::crawl::login::LoginAnswer;
use crate::crawl::messages::{Errand, Event, RobotsAnswer};
use crate::error::RunError;

/// Time for which a run relies on the record of a sitemap: as long as on a robots.txt (RFC 9309, section 2.4).
const SITEMAP_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

impl Recorder {
    /// Records the URLs of a sitemap and, in the same commit, that it was read.
    pub(super) fn sitemap(
        &mut self,
        url: &Url,
        urls: &[Discovered],
        further: Vec<Errand>,
        fetched_at: Option<u64>,
    ) -> Result<Event, RunError> {
        let via = Via::Url(url.as_str().into());
        let mut queued = Vec::new();
        // A sitemap has no row that could wait for a greater depth.
        let urls: Vec<Discovered> = urls.iter().filter(|url| url.depth <= self.max_depth).cloned().collect();
        for slice in urls.chunks(SLICE) {
            let mut own = Cow::Borrowed(slice);
            if let Some(post) = &mut self.post {
                let (of_this_worker, letters) = post.divide(slice.to_vec(), false)?;
                self.store.mail(letters)?;
                own = Cow::Owned(of_this_worker);
            }
            let admitted = self.url_budget.admit(&self.store, &own)?;
            self.stats.links_over_budget(own.len() - admitted.len());
            let is_in_fleet = self.post.is_some();
            let mail = |links: &[&QueuedUrl]| if is_in_fleet { queued_letters(links) } else { Vec::new() };
            let fresh = self.store.discover_with(&admitted, Some(&via), mail)?;
            self.url_budget.spend(&self.store, &fresh)?;
            queued.extend(fresh);
        }
        queued.extend(self.follow_lowered()?);
        if let Some(fetched_at) = fetched_at
            && let Some(host) = HostKey::from_url(url)
        {
            let onward = further.iter().filter_map(onward_of).collect();
            let stored = StoredSitemap { fetched_at, onward };
            self.store.record_sitemap(host.as_str(), url.as_str(), &stored)?;
        }
        let (further, elsewhere) = by_origin(url, further);
        Ok(Event::Sitemap {
            queued,
            further,
            elsewhere,
        })
    }

    /// The result of the errand in an earlier run.
    pub(super) fn recall(&self, errand: Errand, reader: &RobotsReader) -> Result<Event, RunError> {
        match &errand {
            Errand::Robots { for_host, origin, .. } => {
                let stored = self.store.host_memory().robots(for_host, origin)?;
                let answer = stored.map_or(RobotsAnswer::Forgotten, |stored| reader.read(&errand, &stored));
                Ok(Event::Robots { errand, answer })
            }
            Errand::Sitemap { url, .. } => Ok(match self.recent_sitemap(url)? {
                Some(stored) => {
                    let onward = stored.onward.into_iter().filter_map(errand_of).collect();
                    let (further, elsewhere) = by_origin(url, onward);
                    Event::Sitemap {
                        queued: Vec::new(),
                        further,
                        elsewhere,
                    }
                }
                None => Event::SitemapForgotten(errand),
            }),
            // The store keeps none.
            Errand::Subrequest(_) => Ok(Event::SubrequestEnded),
            // The store knows no sessions.
            Errand::Login(errand) => Ok(Event::Login {
                errand: errand.clone(),
                answer: LoginAnswer::Unreachable("no run keeps the answer".into()),
            }),
        }
    }

    /// The record of a sitemap, if it is recent enough and the crawler read the sitemap since the current refresh began.
    fn recent_sitemap(&self, url: &Url) -> Result<Option<StoredSitemap>, RunError> {
        let Some(host) = HostKey::from_url(url) else {
            return Ok(None);
        };
        let now = unix_millis(SystemTime::now());
        let life = u64::try_from(SITEMAP_LIFE.as_millis()).unwrap_or(u64::MAX);
        let refresh_began = self.store.refresh().map_or(0, |refresh| refresh.started_at);
        let oldest = now.saturating_sub(life).max(refresh_began);
        let stored = self.store.sitemaps().read(host.as_str(), url.as_str())?;
        Ok(stored.filter(|stored| (oldest..=now).contains(&stored.fetched_at)))
    }
}

/// The errands for the sitemaps of the origin of `url`, and the others.
fn by_origin(url: &Url, errands: Vec<Errand>) -> (Vec<Errand>, Vec<Errand>) {
    let origin = url.origin();
    errands.into_iter().partition(|errand| errand.url().origin() == origin)
}

fn onward_of(errand: &Errand) -> Option<OnwardSitemap> {
    match errand {
        Errand::Sitemap { url, depth, redirects } => Some(OnwardSitemap {
            url: url.to_string(),
            depth: *depth,
            redirects: *redirects,
        }),
        Errand::Robots { .. } | Errand::Subrequest(_) | Errand::Login(_) => None,
    }
}

fn errand_of(onward: OnwardSitemap) -> Option<Errand> {
    Some(Errand::Sitemap {
        url: Url::parse(&onward.url).ok()?,
        depth: onward.depth,
        redirects: onward.redirects,
    })
}
