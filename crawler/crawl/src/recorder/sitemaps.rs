//! The sitemaps that this run has read.

use storage::{Discovered, StoredSitemap, Via};
use url::Url;
use web::host_key::HostKey;

use super::books::Books;
use super::{Judge, SLICE};
use crate::messages::{Errand, Event};
use crate::recall::{by_origin, onward_of};
use error::RunError;

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
