//! URLs without a page: failures, redirects and exclusions. A refresh tries those again that may have a page now. It queues them like new URLs,
//! because there is no version to compare an answer with.

use std::time::SystemTime;

use page::RobotsDirectives;
use storage::{KnownUrl, Room, Store, UrlState};

use crate::clock::unix_millis;
use crate::interpret::PRIORITY_LINK;
use crate::messages::BY_ROBOTS;
use crate::revisits::admits;
use crate::scope::Scope;
use crate::watch;
use config::settings::{CrawlLimits, RefreshSettings, UrlRules};
use error::RunError;

/// Queues URLs without a page again, if their outcome may be another one now, they are in `scope`, and `urls` admits them. Returns their number.
///
/// It does so at most once in the first interval of a refresh, counted from the first page of the crawl, because the rows of these URLs have no
/// times.
/// A URL keeps its outcome if the `limits` leave no room for its page.
///
/// # Errors
/// The store cannot be read or written.
pub fn try_again(
    refresh: &RefreshSettings,
    store: &mut Store,
    scope: &Scope,
    (urls, limits): (&UrlRules, &CrawlLimits),
) -> Result<u64, RunError> {
    // One of several workers does not know whether another worker has the URLs now.
    if store.run_notes().worker()?.is_some() {
        return Ok(0);
    }
    let now = unix_millis(SystemTime::now());
    let as_of = refresh.as_of.map_or(now, unix_millis);
    let last = match store.run_notes().tried_again()? {
        Some(last) => last,
        None => match store.pages_from(1).next() {
            Some(row) => row?.1.fetched_at,
            None => 0,
        },
    };
    let first = u64::try_from(refresh.intervals.first.as_millis()).unwrap_or(u64::MAX);
    if as_of < last.saturating_add(first) {
        return Ok(0);
    }
    let room = Room {
        pages: limits.max_pages,
        pages_of_host: limits.max_pages_per_host,
    };
    let is_admitted = |known: &KnownUrl, depth| admits(scope, urls, (&known.host, &known.url, depth));
    let queued = store.try_all_again(may_be_another, is_admitted, room, PRIORITY_LINK, watch::beat)?;
    store.note_tried_again(now)?;
    store.commit()?;
    Ok(queued.values().sum())
}

/// Whether another attempt at a URL without a page may end differently: after a failure, a redirect that is not permanent, and an exclusion by
/// robots.txt, by the page itself, or by a pattern, which the configuration may no longer have.
fn may_be_another(state: &UrlState) -> bool {
    match state {
        UrlState::Failed(_) => true,
        UrlState::Redirect { status, .. } => !matches!(status, 301 | 308),
        UrlState::Excluded { reason } => {
            reason.starts_with(BY_ROBOTS) || reason == RobotsDirectives::NOINDEX || UrlRules::is_refusal(reason)
        }
        UrlState::Page(_) | UrlState::Queued => false,
    }
}
