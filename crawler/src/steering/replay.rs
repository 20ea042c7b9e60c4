//! From the catalogue to what it teaches.

use std::collections::HashMap;

use storage::{Store, Verdict};

use super::{Decision, DuplicateOf, Steering};
use crate::error::RunError;

/// Learns from all committed verdicts, in their order.
///
/// # Errors
/// The catalogue cannot be read.
pub fn replay(store: &Store, steering: &mut Steering) -> Result<(), RunError> {
    if !steering.is_enabled() {
        return Ok(());
    }
    // Of kept pages, only those that something duplicates are looked up, each once.
    let mut urls: HashMap<u64, Option<String>> = HashMap::new();
    for row in store.pages_from(1) {
        let (id, page) = row?;
        let of = duplicate_of(&page.verdict, |of| {
            if let Some(url) = urls.get(&of) {
                return Ok(url.clone());
            }
            let url = store.page(of)?.map(|page| page.url);
            urls.insert(of, url.clone());
            Ok(url)
        })?;
        steering.decided(&page.host, &Decision::new(id, &page.url, page.via.as_ref(), of));
    }
    Ok(())
}

/// Which page a verdict names, if it names one, with the URL that `url_of` finds for its sequence number.
///
/// # Errors
/// Those of `url_of`.
pub fn duplicate_of(
    verdict: &Verdict,
    url_of: impl FnOnce(u64) -> Result<Option<String>, RunError>,
) -> Result<Option<DuplicateOf>, RunError> {
    let (of, is_exact) = match verdict {
        Verdict::Unique => return Ok(None),
        Verdict::Exact { of } => (*of, true),
        Verdict::Near { of, .. } => (*of, false),
    };
    Ok(url_of(of)?.map(|url| DuplicateOf { url, is_exact }))
}
