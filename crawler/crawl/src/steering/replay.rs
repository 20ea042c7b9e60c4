//! Steering learns again from the catalogue of earlier runs.

use std::collections::HashMap;

use storage::{Fate, PageRecord, Store, UrlState, Verdict};

use super::{DuplicateOf, JudgedPage, Steering};
use error::RunError;

/// Learns from all committed verdicts, in their order.
///
/// Each verdict counts as it was at the time: a page that took another's place was a duplicate, and the other page was
/// kept.
///
/// # Errors
/// The catalogue cannot be read.
pub fn replay(store: &Store, steering: &mut Steering) -> Result<(), RunError> {
    if !steering.is_enabled() {
        return Ok(());
    }
    // Each kept page that has a duplicate is looked up once.
    let mut looked_up: HashMap<u64, Option<(String, Verdict)>> = HashMap::new();
    for row in store.pages_from(1) {
        let (id, page) = row?;
        if page.previous.is_some() || page.is_incomplete {
            // As in the crawl: a later version of a page teaches nothing, and neither does a page that the browser gave up.
            continue;
        }
        if is_taken_back(store, &page)? {
            continue;
        }
        let duplicate_of = match decided_against(id, &page) {
            None => None,
            Some(of) => {
                let other = match looked_up.get(&of) {
                    Some(other) => other.clone(),
                    None => {
                        let other = store.page(of)?.map(|other| (other.url, other.verdict));
                        looked_up.insert(of, other.clone());
                        other
                    }
                };
                let new_links = store.new_links().of(id)?;
                other.map(|(url, verdict)| {
                    let verdict = if page.replaces.is_some() { verdict } else { page.verdict };
                    DuplicateOf::new(of, url, &verdict, new_links)
                })
            }
        };
        // No URL is in memory yet that could be judged again.
        let _to_review = steering.decided(
            &page.host,
            &JudgedPage::new(id, &page.url, page.via.as_ref(), duplicate_of),
        );
    }
    Ok(())
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

/// The page that page number `id` duplicated when it was decided.
fn decided_against(id: u64, page: &PageRecord) -> Option<u64> {
    page.replaces.or_else(|| page.verdict.of().filter(|of| *of < id))
}
