//! A text compared with the text of every kept page, one page at a time. An index of whole texts does not find the page that contains
//! an excerpt, because that page as a whole is not similar to the excerpt.

use std::cmp::Reverse;

use dedup::short::jaccard;
use dedup::{Analyzer, DuplicateRule, Signature};
use storage::{PageRecord, Store};

use crate::nearest::{Candidate, Likeness, keep_most_alike};
use crawl::index::decode_signature;
use error::RunError;

/// The result of a pass over all kept pages.
#[derive(Debug, Default)]
pub(super) struct Thorough {
    /// Pages that share runs with the text, in descending order of the number of shared runs.
    pub sharing: Vec<Candidate>,
    /// Pages that are most similar by their signatures.
    pub alike: Vec<Candidate>,
    /// Number of pages whose texts were compared.
    pub compared: u64,
    /// Number of pages whose texts are not in the archive, or cannot be read.
    pub unread: u64,
    /// Number of pages whose texts are in the folders of other workers.
    pub elsewhere: u64,
}

/// Finds the `most` kept pages of either kind for a text with this signature and these runs (hashed, ascending, distinct; empty if the
/// text has fewer units than a run). Holds one stored text in memory at a time.
///
/// # Errors
/// The catalogue cannot be read. A text that cannot be read is counted.
pub(super) fn compare(
    store: &Store,
    rule: &DuplicateRule,
    analyzer: &Analyzer,
    (signature, runs): (&Signature, &[u64]),
    most: usize,
    step: impl Fn(u64),
) -> Result<Thorough, RunError> {
    let mut pass = Pass {
        store,
        analyzer,
        runs,
        most,
        found: Thorough::default(),
        sharing: Vec::new(),
    };
    for row in store.pages_from(1) {
        let (id, page) = row?;
        step(id);
        if page.is_kept() {
            let likeness = Likeness::of(signature, &decode_signature(&page.signature)?, rule);
            pass.by_signature(id, likeness.as_ref());
            pass.by_text(id, &page, likeness);
        }
    }
    for row in store.pages_elsewhere().all() {
        let (page, record) = row?;
        let likeness = Likeness::of(signature, &decode_signature(&record.signature)?, rule);
        pass.by_signature(page.packed(), likeness.as_ref());
        pass.found.elsewhere += 1;
    }
    Ok(pass.finish())
}

struct Pass<'a> {
    store: &'a Store,
    analyzer: &'a Analyzer,
    runs: &'a [u64],
    most: usize,
    found: Thorough,
    /// Candidates with the number of runs that each shares.
    sharing: Vec<(usize, Candidate)>,
}

impl Pass<'_> {
    fn by_signature(&mut self, id: u64, likeness: Option<&Likeness>) {
        let Some(likeness) = likeness.cloned() else { return };
        self.found.alike.push(Candidate { id, likeness });
        if self.found.alike.len() >= 2 * self.most.max(512) {
            keep_most_alike(&mut self.found.alike, self.most);
        }
    }

    fn by_text(&mut self, id: u64, page: &PageRecord, likeness: Option<Likeness>) {
        if self.runs.is_empty() {
            return;
        }
        let Ok(Some(text)) = self.store.text_of(page) else {
            self.found.unread += 1;
            return;
        };
        self.found.compared += 1;
        let others = self.analyzer.shingles(&text);
        let shared = shared(self.runs, &others);
        if shared > 0 {
            let likeness = likeness.unwrap_or_else(|| Likeness::outside_the_rule(jaccard(self.runs, &others)));
            self.sharing.push((shared, Candidate { id, likeness }));
            if self.sharing.len() >= 2 * self.most.max(64) {
                self.keep_most_sharing();
            }
        }
    }

    fn keep_most_sharing(&mut self) {
        self.sharing
            .sort_by_key(|(shared, candidate)| (Reverse(*shared), candidate.id));
        self.sharing.truncate(self.most);
    }

    fn finish(mut self) -> Thorough {
        self.keep_most_sharing();
        keep_most_alike(&mut self.found.alike, self.most);
        self.found.sharing = self.sharing.into_iter().map(|(_, candidate)| candidate).collect();
        self.found
    }
}

/// The number of elements in both of two ascending lists without repetitions.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().filter(|run| many.binary_search(run).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_counts_the_runs_in_both_lists() {
        assert_eq!(shared(&[], &[1]), 0);
        assert_eq!(shared(&[1, 3, 5, 9], &[0, 3, 4, 5, 6, 10]), 2);
        assert_eq!(shared(&[7], &[7]), 1);
    }
}
