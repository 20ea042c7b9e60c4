//! Bound on the URLs of a host that the crawl takes in, and so on what a host can make it write to the disk.

use std::borrow::Cow;
use std::collections::HashMap;

use storage::{Discovered, QueuedUrl, Store};

use error::RunError;

/// Hosts whose counts are in memory. The store has the counts of all hosts, without the staged URLs.
const MAX_HOSTS: usize = 100_000;

/// The budget of URLs, by host.
#[derive(Debug, Default)]
pub(super) struct UrlBudget {
    /// `None` for no limit.
    max_per_host: Option<u64>,
    /// The number of known URLs of each host with staged URLs, and of other hosts that a caller asked for.
    known: HashMap<String, u64>,
}

impl UrlBudget {
    /// The budget that the URLs in the store leave.
    pub(super) fn new(max_per_host: Option<u64>) -> Self {
        Self {
            max_per_host,
            known: HashMap::new(),
        }
    }

    /// The links to hosts within their budget. The links of one page may exceed it.
    pub(super) fn admit<'a>(
        &mut self,
        store: &Store,
        links: &'a [Discovered],
    ) -> Result<Cow<'a, [Discovered]>, RunError> {
        let Some(max) = self.max_per_host else {
            return Ok(Cow::Borrowed(links));
        };
        let mut admitted = Vec::with_capacity(links.len());
        // Most links of a page stand in runs to one host, whose count is looked up once.
        for run in links.chunk_by(|a, b| a.host == b.host) {
            let is_admitted = self.count(store, &run[0].host)? < max;
            admitted.resize(admitted.len() + run.len(), is_admitted);
        }
        if admitted.iter().all(|is_admitted| *is_admitted) {
            return Ok(Cow::Borrowed(links));
        }
        let admitted = links.iter().zip(&admitted).filter(|(_, is_admitted)| **is_admitted);
        Ok(Cow::Owned(admitted.map(|(link, _)| link.clone()).collect()))
    }

    /// Counts URLs that have become known and are staged.
    pub(super) fn spend(&mut self, store: &Store, urls: &[QueuedUrl]) -> Result<(), RunError> {
        if self.max_per_host.is_none() {
            return Ok(());
        }
        for run in urls.chunk_by(|a, b| a.host == b.host) {
            let count = self.count(store, &run[0].host)?;
            if let Some(known) = self.known.get_mut(&run[0].host) {
                *known = count + run.len() as u64;
            }
        }
        Ok(())
    }

    /// Whether a moment in which nothing is staged would [free memory](Self::committed).
    pub(super) fn is_full(&self) -> bool {
        self.known.len() > MAX_HOSTS
    }

    /// Frees memory, now that nothing is staged.
    pub(super) fn committed(&mut self) {
        if self.is_full() {
            self.known = HashMap::new();
        }
    }

    /// The count of a host. A host without one has no staged URL, so the store has its count.
    fn count(&mut self, store: &Store, host: &str) -> Result<u64, RunError> {
        if let Some(known) = self.known.get(host) {
            return Ok(*known);
        }
        let counts = store.hosts().of(host)?.unwrap_or_default();
        self.known.insert(host.to_owned(), counts.discovered);
        Ok(counts.discovered)
    }
}
