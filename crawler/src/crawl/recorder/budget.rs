//! Bound on the URLs of a host that the crawl takes in, and so on what a host can make it write to the disk.

use std::borrow::Cow;
use std::collections::HashMap;

use storage::{Discovered, QueuedUrl, Store};

use crate::error::RunError;

/// The budget of URLs, by host.
#[derive(Debug, Default)]
pub(super) struct UrlBudget {
    /// `None` for no limit.
    max_per_host: Option<u64>,
    /// The number of known URLs, by host.
    known: HashMap<String, u64>,
}

impl UrlBudget {
    /// The budget that the URLs in `store` leave.
    pub(super) fn open(store: &Store, max_per_host: Option<u64>) -> Result<Self, RunError> {
        let mut known = HashMap::new();
        if max_per_host.is_some() {
            for row in store.hosts() {
                let (host, counts) = row?;
                known.insert(host, counts.discovered);
            }
        }
        Ok(Self { max_per_host, known })
    }

    /// The links to hosts within their budget. The links of one page may exceed it.
    pub(super) fn admit<'a>(&self, links: &'a [Discovered]) -> Cow<'a, [Discovered]> {
        let Some(max) = self.max_per_host else {
            return Cow::Borrowed(links);
        };
        let has_room = |link: &Discovered| self.known.get(&link.host).is_none_or(|known| *known < max);
        if links.iter().all(has_room) {
            return Cow::Borrowed(links);
        }
        Cow::Owned(links.iter().filter(|link| has_room(link)).cloned().collect())
    }

    /// Counts URLs that became known.
    pub(super) fn spend(&mut self, urls: &[QueuedUrl]) {
        if self.max_per_host.is_none() {
            return;
        }
        for url in urls {
            match self.known.get_mut(&url.host) {
                Some(known) => *known += 1,
                None => {
                    self.known.insert(url.host.clone(), 1);
                }
            }
        }
    }
}
