//! The pages that turned out to be walls, from which steering must not learn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::{Fate, PageRecord, Store, UrlState};

use crate::watch;
use error::RunError;

/// Most pages that had moved for which a checkpoint is worth its tests: each page is looked up at every checkpoint.
const MOST: usize = 4_096;

/// The pages that had moved when steering came to them, and whether they were taken back then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Moved(BTreeMap<u64, bool>);

impl Moved {
    /// Notes that page number `id` has moved. Returns whether it was taken back.
    pub fn note(&mut self, store: &Store, id: u64, page: &PageRecord) -> Result<bool, RunError> {
        let is_taken_back = is_taken_back(store, page)?;
        self.0.insert(id, is_taken_back);
        Ok(is_taken_back)
    }

    /// Whether steering would pass over the same pages if it learned again from the pages up to `learned_to`. `false` too if more than
    /// [`MOST`] have moved: that is not worth the time.
    pub fn are_same_now(&self, store: &Store, learned_to: u64) -> Result<bool, RunError> {
        if self.0.len() > MOST {
            return Ok(false);
        }
        for (&id, &was_taken_back) in &self.0 {
            watch::beat();
            let page = store.page(id)?;
            if !page.is_some_and(|page| is_taken_back(store, &page).is_ok_and(|is_now| is_now == was_taken_back)) {
                return Ok(false);
            }
        }
        for (at, id) in store.catalogue().moved().enumerate() {
            let id = id?;
            if id > learned_to {
                break;
            }
            if at == MOST {
                return Ok(false);
            }
            watch::beat();
            if let Some(page) = store.page(id)?
                && !self.0.contains_key(&id)
                && teaches(&page)
                && is_taken_back(store, &page)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether steering learns from the page if nothing comes of it later: a later version teaches nothing, and neither does a page that the
/// browser gave up.
pub(super) fn teaches(page: &PageRecord) -> bool {
    page.previous.is_none() && !page.is_incomplete
}

/// Whether the page turned out to be a wall. Its URL was then asked for again, and neither redirects nor is excluded.
fn is_taken_back(store: &Store, page: &PageRecord) -> Result<bool, RunError> {
    if page.fate != Fate::Moved {
        return Ok(false);
    }
    let state = store.url_state(&page.host, &page.url)?;
    Ok(!matches!(
        state,
        Some(UrlState::Redirect { .. } | UrlState::Excluded { .. })
    ))
}
