//! Coming back to pages: which are due, in which queue they wait, and how they are asked for.
//!
//! `crawler run --refresh` looks through the catalogue once, at its start, and queues a visit to each page that is [due] and in
//! the scope. From then on a visit is a URL of the frontier like any other: robots.txt, politeness and retries are those of
//! every URL, and a run that is interrupted leaves its visits to the next, with or without `--refresh`.
//!
//! Visits wait at a place of their own in a host's queue, [`PRIORITY_VISIT`]; the frontier lets visits and new URLs of a host
//! take turns, so that neither keeps the other waiting.
//!
//! What a visit finds is told apart in [`interpret`](crate::crawl::interpret) (304, 404, redirects) and
//! [`recorder`](crate::crawl::recorder) (the same page, or another).
//!
//! [due]: Intervals::due_at

mod conditional;
mod policy;

use std::collections::HashMap;
use std::time::SystemTime;

use storage::{Fate, PageRecord, Store};
use web::host_key::HostKey;

use crate::config::settings::Refresh;
use crate::crawl::clock::unix_millis;
use crate::crawl::scope::Scope;
use crate::error::RunError;

pub use conditional::{conditions, fields};

/// The place of visits in a host's queue, behind all that is new: no order between the two, see the module's text.
pub const PRIORITY_VISIT: u8 = 250;

/// Pages that are queued at a time, so that the store can make room between them.
const SLICE: usize = 1_000;

impl Refresh {
    /// Queues a visit to each page in `scope` that is due; returns how many. Where visits of an interrupted refresh wait, none
    /// are added.
    ///
    /// A duplicate of a page that is not kept any more is due at once: nothing else says what it says.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn begin(&self, store: &mut Store, scope: &Scope) -> Result<u64, RunError> {
        // One that was interrupted is finished first: what it found unanswered would be due at once, and be counted again.
        if store.counts().due > 0 && store.refresh().is_some() {
            return Ok(0);
        }
        let now = unix_millis(SystemTime::now());
        let as_of = self.as_of.map_or(now, unix_millis);
        store.begin_refresh(now)?;
        let mut standing = Represented::default();
        let (mut slice, mut queued, mut from) = (Vec::with_capacity(SLICE), 0, 1);
        loop {
            for row in store.pages_from(from) {
                let (id, page) = row?;
                from = id + 1;
                if page.fate != Fate::Current || !is_in(scope, &page) {
                    continue;
                }
                let visits = store.visits(id)?;
                let is_due = self
                    .intervals
                    .due_at(page.fetched_at, &page.validators, visits.as_ref())
                    <= as_of;
                if is_due || !standing.stands(store, id, &page)? {
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
}

/// Queues a visit to each page that is kept without its body, as pages may be that were decided anew; returns how many.
///
/// # Errors
/// The store cannot be read or written.
pub fn queue_missing_bodies(store: &mut Store) -> Result<u64, RunError> {
    if store.redecided()?.is_none() {
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

/// Which pages stand for others, each looked up once.
#[derive(Debug, Default)]
struct Represented(HashMap<u64, bool>);

impl Represented {
    /// Whether the page is in the crawl: its own body, or the text of a kept page which it is a duplicate of.
    fn stands(&mut self, store: &Store, id: u64, page: &PageRecord) -> Result<bool, RunError> {
        let Some(of) = page.verdict.of() else {
            return Ok(!page.is_kept_without_body());
        };
        if let Some(stands) = self.0.get(&of) {
            return Ok(*stands);
        }
        let stands = store.said_by(id)?.is_some();
        self.0.insert(of, stands);
        Ok(stands)
    }
}

/// Takes the hosts that the crawl knows into its scope: all of them were in it when they were found.
///
/// # Errors
/// The store cannot be read.
pub fn restore_scope(store: &Store, scope: &Scope) -> Result<(), RunError> {
    for row in store.hosts() {
        let (host, _) = row?;
        if let Ok(key) = host.parse() {
            scope.add_host(&key);
        }
    }
    Ok(())
}

fn is_in(scope: &Scope, page: &PageRecord) -> bool {
    let host = page.host.parse::<HostKey>();
    host.is_ok_and(|host| scope.admits(&host, page.depth).is_ok())
}
