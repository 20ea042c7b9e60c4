//! Steering learns again from the catalogue of earlier runs.

use std::collections::HashMap;

use storage::{Fate, PageRecord, Store, Verdict};

use super::moved::teaches;
use super::{DuplicateOf, JudgedPage, Steering, checkpoint};
use error::RunError;

/// Learns from all committed verdicts, in their order. A [`checkpoint`] that fits stands for the verdicts before its end.
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
    checkpoint::restore(store, steering)?;
    learn_rest(store, steering, || true).map(drop)
}

/// Learns from the committed verdicts on the pages behind those that `steering` knows, as long as it `goes_on`. Returns whether that are all.
pub(super) fn learn_rest(store: &Store, steering: &mut Steering, goes_on: impl Fn() -> bool) -> Result<bool, RunError> {
    // Each kept page that has a duplicate is looked up once.
    let mut looked_up: HashMap<u64, Option<(String, Verdict)>> = HashMap::new();
    for row in store.pages_from(steering.learned_to + 1) {
        let (id, page) = row?;
        if !goes_on() {
            return Ok(false);
        }
        steering.learned_to = id;
        if !teaches(&page) {
            // As in the crawl.
            continue;
        }
        if page.fate == Fate::Moved && steering.moved.note(store, id, &page)? {
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
    Ok(true)
}

/// The page that page number `id` duplicated when it was decided.
fn decided_against(id: u64, page: &PageRecord) -> Option<u64> {
    page.replaces.or_else(|| page.verdict.of().filter(|of| *of < id))
}
