//! Revisits: which pages are due, where their revisits wait, and how the crawler asks for them.
//!
//! `crawler run --refresh` reads the catalogue once, at its start, and queues a revisit to each page that is [due] and in the scope.
//! From then on a revisit is a URL of the frontier like any other, with the same robots.txt, politeness and retries. A run that is
//! interrupted leaves its revisits to the next, with or without `--refresh`.
//!
//! Revisits have a priority of their own in a host's queue, [`PRIORITY_VISIT`]. Revisits and new URLs of a host take turns, so that
//! neither keeps the other waiting.
//!
//! [`interpret`](crate::interpret) distinguishes the answers to a revisit (304, 404, redirects), and
//! [`recorder`](crate::recorder) distinguishes a page that has not changed from a new version.
//!
//! [due]: Policy::due_at

mod conditional;
mod policy;

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use storage::{Fate, PageRecord, Store};
use url::Url;
use web::host_key::HostKey;

use crate::clock::unix_millis;
use crate::scope::{LISTED, Scope};
use config::settings::{RefreshSettings, UrlRules};
use error::RunError;

pub use conditional::{conditions, fields};
use policy::Policy;

/// The priority of revisits. It groups them behind the new URLs in the store's queue, but the two take turns.
pub const PRIORITY_VISIT: u8 = 250;

/// Number of revisits that are queued at a time, so that the store can make room in between.
const SLICE: usize = 1_000;

/// Queues a revisit to each page in `scope` and admitted by `urls` that is due, and returns their number. While revisits of an interrupted refresh
/// wait, it adds none.
///
/// A duplicate of a page that is not kept any more is due at once: no other page has its text. So is a page that the browser gave up
/// before it was finished.
///
/// # Errors
/// The store cannot be read or written.
pub fn begin(refresh: &RefreshSettings, store: &mut Store, scope: &Scope, urls: &UrlRules) -> Result<u64, RunError> {
    // An interrupted refresh is finished first: its unanswered pages would be due at once, and be counted again.
    if store.counts().due > 0 && store.refresh().is_some() {
        return Ok(0);
    }
    let now = unix_millis(SystemTime::now());
    let as_of = refresh.as_of.map_or(now, unix_millis);
    store.begin_refresh(now)?;
    let policy = Policy(&refresh.intervals);
    let mut represented = Represented::default();
    let (mut slice, mut queued, mut from) = (Vec::with_capacity(SLICE), 0, 1);
    loop {
        for row in store.pages_from(from) {
            let (id, page) = row?;
            from = id + 1;
            if page.fate != Fate::Current || !admits(scope, urls, (&page.host, &page.url, page.depth)) {
                continue;
            }
            let visits = store.revisits().visits(id)?;
            let is_due = policy.due_at(page.fetched_at, &page.validators, visits.as_ref()) <= as_of;
            if is_due || page.is_incomplete || !represented.has_text(store, id, &page)? {
                slice.push(id);
            }
            if slice.len() == SLICE {
                break;
            }
        }
        if slice.is_empty() {
            break;
        }
        queued += store.revisit(&slice, PRIORITY_VISIT)?.len() as u64;
        store.commit()?;
        slice.clear();
    }
    Ok(queued)
}

/// Queues a revisit to each kept page without a body, and returns their number. A page that was decided again may have none.
///
/// # Errors
/// The store cannot be read or written.
pub fn queue_missing_bodies(store: &mut Store) -> Result<u64, RunError> {
    if store.run_notes().redecided()?.is_none() {
        return Ok(0);
    }
    let mut queued = 0;
    for row in store.pages_from(1) {
        let (id, page) = row?;
        if page.is_kept_without_body() {
            queued += store.revisit(&[id], PRIORITY_VISIT)?.len() as u64;
        }
    }
    store.commit()?;
    Ok(queued)
}

/// For each page that a verdict names, whether its text is still in the crawl.
#[derive(Debug, Default)]
struct Represented(HashMap<u64, bool>);

impl Represented {
    /// Whether the text of the page is in the crawl: with its own body, or as the text of its representative.
    fn has_text(&mut self, store: &Store, id: u64, page: &PageRecord) -> Result<bool, RunError> {
        let Some(of) = page.verdict.of() else {
            return Ok(!page.is_kept_without_body());
        };
        if let Some(has_text) = self.0.get(&of) {
            return Ok(*has_text);
        }
        let has_text = store.catalogue().kept_representative_of(id)?.is_some();
        self.0.insert(of, has_text);
        Ok(has_text)
    }
}

/// Adds the hosts of the crawl to the scope: each was in it when it was found. A host of which the user listed only URLs without their
/// links was not.
///
/// # Errors
/// The store cannot be read.
pub fn restore_scope(store: &Store, scope: &Scope) -> Result<(), RunError> {
    let listed = hosts_of_lists(store)?;
    for row in store.hosts().all() {
        let (host, _) = row?;
        if !listed.contains(&host)
            && let Ok(key) = host.parse()
        {
            scope.add_host(&key);
        }
    }
    Ok(())
}

/// The hosts all of whose pages are listed URLs.
fn hosts_of_lists(store: &Store) -> Result<HashSet<String>, RunError> {
    let (mut listed, mut crawled) = (HashSet::new(), HashSet::new());
    for row in store.pages_from(1) {
        let (_, page) = row?;
        let hosts = if page.depth == LISTED {
            &mut listed
        } else {
            &mut crawled
        };
        if !hosts.contains(&page.host) {
            hosts.insert(page.host);
        }
    }
    listed.retain(|host| !crawled.contains(host));
    Ok(listed)
}

/// Whether a URL of this host at this depth is in `scope`, and `urls` admits it.
pub(crate) fn admits(scope: &Scope, urls: &UrlRules, (host, url, depth): (&str, &str, u16)) -> bool {
    let is_admitted = || Url::parse(url).is_ok_and(|url| urls.ruling(&url).admits());
    let is_in = |host: HostKey| scope.admits(&host, depth).is_ok();
    (urls.is_empty() || is_admitted()) && host.parse().is_ok_and(is_in)
}
