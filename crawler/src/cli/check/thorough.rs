//! A text against the texts of all kept pages, one at a time: what no index of whole texts can find, because the page that
//! holds an excerpt is, as a whole, quite another text.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::dedup::short::jaccard;
use ::dedup::{Analyzer, DuplicateRule, Signature};
use storage::Store;

use crate::crawl::index::decode_signature;
use crate::error::RunError;
use crate::live::progress::{Moment, Progress};
use crate::study::nearest::{Candidate, Likeness, keep_most_alike};

/// What a pass over all kept pages found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Pages that share runs with the text, those that share most first.
    pub sharing: Vec<Candidate>,
    /// Pages that are most like it by what the catalogue holds of them.
    pub alike: Vec<Candidate>,
    /// Pages whose texts were compared.
    pub compared: u64,
    /// Pages whose texts are not in the archive, or cannot be read.
    pub unread: u64,
}

/// The `most` kept pages of either kind for a text with this signature and these runs (hashed, ascending, each once; none
/// where it has fewer units than a run). Of the store one page at a time is in memory.
///
/// # Errors
/// The catalogue cannot be read. Of a text that cannot, it is only counted.
pub(super) fn compare(
    store: &Store,
    rule: &DuplicateRule,
    analyzer: &Analyzer,
    (signature, runs): (&Signature, &[u64]),
    most: usize,
) -> Result<Found, RunError> {
    let last = store.next_page_id().saturating_sub(1);
    let at = Arc::new(AtomicU64::new(0));
    let _progress = show(&at, last);
    let mut found = Found::default();
    let mut sharing: Vec<(usize, Candidate)> = Vec::new();
    for row in store.pages_from(1) {
        let (id, page) = row?;
        at.store(id, Ordering::Relaxed);
        if !page.is_kept() {
            continue;
        }
        let likeness = Likeness::of(signature, &decode_signature(&page.signature)?, rule);
        if let Some(likeness) = likeness.clone() {
            found.alike.push(Candidate { id, likeness });
            if found.alike.len() >= 2 * most.max(512) {
                keep_most_alike(&mut found.alike, most);
            }
        }
        if runs.is_empty() {
            continue;
        }
        let Ok(Some(text)) = store.text_of(&page) else {
            found.unread += 1;
            continue;
        };
        found.compared += 1;
        let others = analyzer.shingles(&text);
        let shared = shared(runs, &others);
        if shared > 0 {
            let likeness = likeness.unwrap_or_else(|| Likeness::not_asked(jaccard(runs, &others)));
            sharing.push((shared, Candidate { id, likeness }));
            if sharing.len() >= 2 * most.max(64) {
                keep_most(&mut sharing, most);
            }
        }
    }
    keep_most(&mut sharing, most);
    keep_most_alike(&mut found.alike, most);
    found.sharing = sharing.into_iter().map(|(_, candidate)| candidate).collect();
    Ok(found)
}

fn keep_most(sharing: &mut Vec<(usize, Candidate)>, most: usize) {
    sharing.sort_by_key(|(shared, candidate)| (Reverse(*shared), candidate.id));
    sharing.truncate(most);
}

/// How many are in both of two ascending lists without repetitions.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().filter(|run| many.binary_search(run).is_ok()).count()
}

fn show(at: &Arc<AtomicU64>, last: u64) -> Progress {
    let at = Arc::clone(at);
    Progress::start(Some(last), false, move |_| {
        let position = at.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} of {last} pages looked through"),
            ..Moment::default()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_share_is_counted() {
        assert_eq!(shared(&[], &[1]), 0);
        assert_eq!(shared(&[1, 3, 5, 9], &[0, 3, 4, 5, 6, 10]), 2);
        assert_eq!(shared(&[7], &[7]), 1);
    }
}
