//! Queues the URLs again that a rule excluded which holds no more.

use std::collections::BTreeMap;

use super::Store;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::{Discovered, UrlId};
use crate::url_state::{UrlState, stored_text};

impl Store {
    /// Queues each URL again, with this priority, whose committed state is an exclusion for one of these reasons. Returns their numbers by
    /// host. Durable with the next commits.
    ///
    /// A URL returns at its depth, but without its link source: the row of an exclusion has none. Reads the rows of all finished URLs, and
    /// calls `beat` now and then meanwhile.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn admit_all_again(
        &mut self,
        reasons: &[String],
        priority: u8,
        mut beat: impl FnMut(),
    ) -> Result<BTreeMap<String, u64>, StorageError> {
        let reasons: Vec<String> = reasons.iter().map(|reason| stored_text(reason)).collect();
        let mut queued = BTreeMap::new();
        for id in self.excluded_for(&reasons, &mut beat)? {
            beat();
            if let Some(host) = self.admit_by_number(id, priority)? {
                *queued.entry(host).or_default() += 1;
            }
        }
        Ok(queued)
    }

    /// The numbers of the URLs that are excluded for one of these reasons.
    fn excluded_for(&self, reasons: &[String], beat: &mut impl FnMut()) -> Result<Vec<UrlId>, StorageError> {
        let mut found = Vec::new();
        for row in self.finished_urls().all() {
            beat();
            let (id, url) = row?;
            if matches!(url.state(), UrlState::Excluded { reason } if reasons.contains(reason)) {
                found.push(id);
            }
        }
        Ok(found)
    }

    fn admit_by_number(&mut self, id: UrlId, priority: u8) -> Result<Option<String>, StorageError> {
        let Some(url) = self.finished_urls().latest(id)? else {
            return Ok(None);
        };
        let Some(known) = self.finished_urls().name_of(url)? else {
            return Ok(None);
        };
        let link = Discovered {
            depth: self.links.depth_of(id)?.unwrap_or_default(),
            url: known.url,
            host: known.host,
            priority,
            ..Discovered::default()
        };
        let queued = self.queue_again(&link, None, CountChange::Admitted)?;
        Ok(queued.map(|queued| queued.host))
    }
}
