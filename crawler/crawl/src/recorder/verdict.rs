//! The pages that wait for their verdicts, and what steering learns from the verdicts.

use std::collections::HashMap;

use storage::{Discovered, PageRecord};
use web::memory_budget::Claim;

use super::books::Books;
use super::cluster_links::ClusterLinks;
use crate::messages::{ReadPage, UndecidedPage};
use crate::steering::{DuplicateOf, JudgedPage, sample_of_links};
use error::RunError;

/// What the recorder keeps in mind about verdicts.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    cluster_links: ClusterLinks,
    /// The pages that wait, by the own page whose verdict they wait for, each with the memory that it occupies.
    waiting: HashMap<u64, Vec<(ReadPage, Claim)>>,
}

impl Verdicts {
    /// Holds a page until the verdict on the own page `on` is certain.
    pub fn hold(&mut self, on: u64, page: ReadPage, memory: Claim) {
        self.waiting.entry(on).or_default().push((page, memory));
    }

    /// Takes out the pages that waited for the verdict on the page `on`.
    pub fn take_waiting(&mut self, on: u64) -> Vec<(ReadPage, Claim)> {
        self.waiting.remove(&on).unwrap_or_default()
    }

    /// The page number `id` as steering learns from it. A page that takes another's place counts as a duplicate of it.
    ///
    /// `kept` is the page that it repeats, or whose place it takes.
    pub fn judged(
        &mut self,
        books: &mut Books,
        id: u64,
        page: &UndecidedPage,
        kept: Option<PageRecord>,
    ) -> Result<JudgedPage, RunError> {
        let (queued, draft) = (&page.queued, &page.draft);
        let verdict = draft.replaces.map_or(draft.verdict, |replaced| replaced.verdict);
        let of = draft.replaces.map(|replaced| replaced.page).or(draft.verdict.of());
        let within = |link: &&Discovered| books.is_within_depth(link);
        let links: Vec<&str> = page
            .outlinks
            .iter()
            .filter(within)
            .map(|link| link.url.as_str())
            .collect();
        let links = || links.iter().copied();
        if draft.verdict.of().is_none() {
            // Later pages with this text are compared with this page.
            self.cluster_links.keep(id, &queued.url, links());
        }
        let Some(of) = of else {
            return Ok(JudgedPage::new(id, &queued.url, queued.via.as_ref(), None));
        };
        let new_links = sample_of_links(self.cluster_links.note(of, &queued.url, links()));
        books.store_mut().record_new_links(id, &new_links)?;
        let duplicate_of = kept.map(|kept| DuplicateOf::new(of, kept.url, &verdict, Some(new_links)));
        Ok(JudgedPage::new(id, &queued.url, queued.via.as_ref(), duplicate_of))
    }
}
