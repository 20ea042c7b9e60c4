//! The results of the errands of earlier runs: robots.txt, and the sitemaps that they read.

use std::time::{Duration, SystemTime};

use storage::{Discovered, OnwardSitemap, Store, StoredSitemap, Via};
use url::Url;
use web::host_key::HostKey;

use super::books::Books;
use super::{Judge, SLICE};
use crate::clock::unix_millis;
use crate::interpret::RobotsReader;
use crate::login::LoginAnswer;
use crate::messages::{Errand, Event, RobotsAnswer};
use error::RunError;

/// Time for which a run relies on the record of a sitemap: as long as on a robots.txt (RFC 9309, section 2.4).
const SITEMAP_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Records the URLs of a sitemap and, in the same commit, that it was read.
pub(super) fn sitemap(
    books: &mut Books,
    judge: &mut dyn Judge,
    (url, fetched_at): (&Url, Option<u64>),
    urls: Vec<Discovered>,
    further: Vec<Errand>,
) -> Result<Event, RunError> {
    let via = Via::Url(url.as_str().into());
    let mut queued = Vec::new();
    // A sitemap has no row that could wait for a greater depth.
    let urls: Vec<Discovered> = urls.into_iter().filter(|url| books.is_within_depth(url)).collect();
    for slice in urls.chunks(SLICE) {
        queued.extend(books.queue(judge, slice, Some(&via))?);
    }
    queued.extend(books.follow_lowered(judge)?);
    if let Some(fetched_at) = fetched_at
        && let Some(host) = HostKey::from_url(url)
    {
        let onward = further.iter().filter_map(onward_of).collect();
        let stored = StoredSitemap { fetched_at, onward };
        books.store_mut().record_sitemap(host.as_str(), url.as_str(), &stored)?;
    }
    let (further, elsewhere) = by_origin(url, further);
    Ok(Event::Sitemap {
        queued,
        further,
        elsewhere,
    })
}

/// The result of the errand in an earlier run.
pub(super) fn recall(store: &Store, errand: Errand, reader: &RobotsReader) -> Result<Event, RunError> {
    match &errand {
        Errand::Robots { for_host, origin, .. } => {
            let stored = store.host_memory().robots(for_host, origin)?;
            let answer = stored.map_or(RobotsAnswer::Forgotten, |stored| reader.read(&errand, &stored));
            Ok(Event::Robots { errand, answer })
        }
        Errand::Sitemap { url, .. } => Ok(match recent_sitemap(store, url)? {
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
fn recent_sitemap(store: &Store, url: &Url) -> Result<Option<StoredSitemap>, RunError> {
    let Some(host) = HostKey::from_url(url) else {
        return Ok(None);
    };
    let now = unix_millis(SystemTime::now());
    let life = u64::try_from(SITEMAP_LIFE.as_millis()).unwrap_or(u64::MAX);
    let refresh_began = store.refresh().map_or(0, |refresh| refresh.started_at);
    let oldest = now.saturating_sub(life).max(refresh_began);
    let stored = store.sitemaps().read(host.as_str(), url.as_str())?;
    Ok(stored.filter(|stored| (oldest..=now).contains(&stored.fetched_at)))
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
