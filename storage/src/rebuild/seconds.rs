//! Second pages: two of the merged folders have a page of the same URL.
//!
//! Among the workers of one crawl this happens if another worker took over a host while one fetched there. Both pages stay in the
//! catalogue, because other pages may be duplicates of either, and their texts differences from its text. One of them is the current page
//! of the URL, the other an earlier version that it superseded. Which of the two: the one that is kept; if both are, the one that
//! duplicates name; otherwise the earlier one of a crawl by several workers, which fetch a URL once, and the later one of independent
//! crawls, which fetch a URL again to see its new version.
//!
//! Until all events are replayed the first page is the current one, because a later event may say that it yields.

use std::collections::BTreeSet;

use super::Rebuild;
use crate::catalogue::Catalogue;
use crate::counts::CountChange;
use crate::edges::Edges;
use crate::error::StorageError;
use crate::outcome::Outcome;
use crate::page::{Fate, PageRecord, Verdict};
use crate::url_state::UrlState;
use crate::urls::FinishedUrls;
use crate::warc::location::Archived;

impl Rebuild {
    pub(super) fn is_second(&self, page: u64) -> bool {
        self.seconds.contains(&page)
    }

    /// Adds a page whose URL has another outcome already, as a version that is not the current one.
    pub(super) fn replay_second(
        &mut self,
        sequence: u64,
        page: PageRecord,
        archived: Archived,
    ) -> Result<(), StorageError> {
        let first = self.current_page(&page.host, &page.url)?;
        self.store.make_room()?;
        self.store.set_next_page(sequence + 1);
        let mut piece = self.store.piece();
        // Not the queue: a visit that came and went leaves the bytes that it took.
        let visited = CountChange::Visited {
            wire_bytes: page.wire_bytes,
        };
        piece.count(page.host.clone(), CountChange::Due);
        piece.count(page.host.clone(), visited);
        let page = PageRecord {
            fate: Fate::Superseded {
                by: first.unwrap_or(sequence),
            },
            replaces: None,
            previous: None,
            response: archived.response,
            text: archived.text,
            revisit: archived.revisit,
            ..page
        };
        Catalogue::set(sequence, &page, &mut piece)?;
        self.store.stage(piece);
        self.seconds.insert(sequence);
        Ok(())
    }

    /// Replays a visit to a second page: it may be gone for its worker.
    pub(super) fn replay_return_to_second(&mut self, page: u64, outcome: &Outcome) -> Result<(), StorageError> {
        if matches!(outcome, Outcome::Redirect { .. } | Outcome::Excluded { .. })
            && let Some(mut second) = self.store.latest_page(page)?
        {
            second.fate = Fate::Moved;
            self.store.make_room()?;
            let mut piece = self.store.piece();
            Catalogue::set(page, &second, &mut piece)?;
            self.store.stage(piece);
        }
        self.result.visits += 1;
        Ok(())
    }

    /// Replays that a second page yielded: it was kept until then.
    pub(super) fn replay_yield_of_second(&mut self, page: u64, verdict: Verdict) -> Result<(), StorageError> {
        if let Some(mut second) = self.store.latest_page(page)? {
            second.verdict = verdict;
            self.store.make_room()?;
            let mut piece = self.store.piece();
            Catalogue::set(page, &second, &mut piece)?;
            self.store.stage(piece);
        }
        Ok(())
    }

    /// Decides for each second page whether it becomes the current page of its URL.
    pub(super) fn settle_seconds(&mut self) -> Result<(), StorageError> {
        if self.seconds.is_empty() {
            return Ok(());
        }
        let named = self.named_pages()?;
        let is_one_crawl = self.numbers.are_of_one_crawl();
        for number in std::mem::take(&mut self.seconds) {
            self.store.commit()?;
            let Some(second) = self.store.latest_page(number)? else {
                continue;
            };
            if !matches!(second.fate, Fate::Superseded { .. }) {
                continue;
            }
            let state = self.store.url_state(&second.host, &second.url)?;
            let first = match state {
                Some(UrlState::Page(first)) => self.store.latest_page(first)?.map(|page| (first, page)),
                _ => None,
            };
            let takes_over = match &first {
                Some((first, page)) if page.fate == Fate::Current => {
                    let is_kept = |page: &PageRecord| !page.verdict.is_duplicate();
                    let rank = |number: &u64, page| (is_kept(page), named.contains(number));
                    let (of_first, of_second) = (rank(first, page), rank(&number, &second));
                    of_second > of_first || of_second == of_first && !is_one_crawl
                }
                _ => true,
            };
            if takes_over {
                self.take_over(number, second, first, state)?;
                continue;
            }
            let by = first.map_or(number, |(first, _)| first);
            let mut piece = self.store.piece();
            let second = PageRecord {
                fate: Fate::Superseded { by },
                ..second
            };
            Catalogue::set(number, &second, &mut piece)?;
            self.store.stage(piece);
        }
        self.store.commit()?;
        Ok(())
    }

    /// The pages that a duplicate of another URL names, among the second pages and those that are current in their place.
    fn named_pages(&self) -> Result<BTreeSet<u64>, StorageError> {
        let mut rivals = BTreeSet::new();
        for number in &self.seconds {
            rivals.insert(*number);
            if let Some(page) = self.store.latest_page(*number)?
                && let Some(UrlState::Page(first)) = self.store.url_state(&page.host, &page.url)?
            {
                rivals.insert(first);
            }
        }
        let mut named = BTreeSet::new();
        for row in self.store.pages_from(0) {
            let (_, page) = row?;
            named.extend(page.verdict.of().filter(|of| rivals.contains(of)));
        }
        Ok(named)
    }

    /// Makes the second page the current one of its URL.
    fn take_over(
        &mut self,
        number: u64,
        second: PageRecord,
        first: Option<(u64, PageRecord)>,
        state: Option<UrlState>,
    ) -> Result<(), StorageError> {
        let id = self.store.id_of_page(&second)?;
        let mut piece = self.store.piece();
        let host = second.host.clone();
        let from = match (&first, state) {
            (Some((_, page)), _) if matches!(page.fate, Fate::Gone { .. }) => Some(CountChange::Found),
            (Some((_, page)), _) => Some(CountChange::reopened(page)),
            (None, Some(UrlState::Excluded { .. })) => Some(CountChange::Admitted),
            (None, Some(UrlState::Redirect { .. })) => Some(CountChange::Answered),
            (None, Some(UrlState::Failed(_))) => Some(CountChange::TriedAgain),
            (None, _) => None,
        };
        if let Some(from) = from {
            piece.count(host.clone(), from);
        }
        let decided = CountChange::Decided {
            class: second.verdict.kind(),
            wire_bytes: 0,
            body_bytes: second.body_bytes,
        };
        piece.count(host, decided);
        let name = (&*second.host, &*second.url);
        FinishedUrls::set(id, name, UrlState::Page(number), &Edges::default(), &mut piece)?;
        let previous = first.as_ref().map(|(first, _)| *first).filter(|first| *first < number);
        if let Some((first, page)) = first {
            let page = PageRecord {
                fate: Fate::Superseded { by: number },
                ..page
            };
            Catalogue::set(first, &page, &mut piece)?;
        }
        let second = PageRecord {
            fate: Fate::Current,
            previous,
            ..second
        };
        Catalogue::set(number, &second, &mut piece)?;
        self.store.stage(piece);
        Ok(())
    }
}
