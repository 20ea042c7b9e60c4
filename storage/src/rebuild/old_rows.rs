//! What a merge takes from the states of the folders, because the archive does not hold it: the outcomes of URLs without a page, the queue,
//! and how hosts were treated; and which pages the archive has lost.
//!
//! All of it saves requests and changes no page, so a state that cannot be read is no error.

mod depths;

use std::path::PathBuf;

use super::RebuildStep;
use crate::elsewhere::IS_LEFT;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::Outcome;
use crate::state::Rows;
use crate::store::{OpenOptions, Store};
use crate::url_state::{Failure, UrlState};

/// The folders of a merge.
pub(crate) struct Merged {
    /// The data folders that have a state, with the places of their origins, for those that have WARC files.
    pub states: Vec<(PathBuf, Option<usize>)>,
    /// The locks of the folders. Nobody may write there while the merge reads.
    pub _held: Vec<DataFolder>,
}

impl Merged {
    /// Adds the rows of all states to the store, which has all pages that the archive holds. Returns the URLs of the pages that the states know
    /// and the archive has lost, with their sources.
    pub fn add_outcomes(
        &self,
        store: &mut Store,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Vec<(Discovered, Option<Via>)>, StorageError> {
        let mut lost = Vec::new();
        // The outcomes of all folders come before the queue of any: what one worker has queued, another may have finished since.
        self.add_rows(true, store, &mut lost, say)?;
        self.add_rows(false, store, &mut lost, say)?;
        Ok(lost)
    }

    /// Calls `found` with the URL of every page that one of the states knows as kept by another worker. A state that cannot be read knows none.
    pub fn each_elsewhere(&self, found: &mut dyn FnMut(&str) -> Result<(), StorageError>) -> Result<(), StorageError> {
        for (dir, _) in &self.states {
            let Ok(from) = Store::open_copied_state(dir, &OpenOptions::existing()) else {
                continue;
            };
            for (_, kept) in from.pages_elsewhere().all().map_while(Result::ok) {
                found(&kept.url)?;
            }
        }
        Ok(())
    }

    /// One pass over the states. The first adds all but the queue, and says which state is read.
    fn add_rows(
        &self,
        is_first: bool,
        store: &mut Store,
        lost: &mut Vec<(Discovered, Option<Via>)>,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        for (dir, origin) in &self.states {
            if is_first {
                say(RebuildStep::State(dir.clone()));
            }
            let mut unread = |error: StorageError| {
                say(RebuildStep::Problem(format!(
                    "{error}; the merge does without the rest of the state of {}: the next run asks again for redirects and failures, and \
                     may not find pages whose records are lost",
                    dir.display()
                )));
            };
            let from = match Store::open_copied_state(dir, &OpenOptions::existing()) {
                Ok(from) => from,
                Err(error) => {
                    // Told by the first pass.
                    if is_first {
                        unread(error);
                    }
                    continue;
                }
            };
            let mut copy = Copy {
                from: &from,
                numbering: origin.map_or(Numbering::Unknown, Numbering::Of),
                lost,
            };
            let pass = if is_first { 0..2 } else { 2..4 };
            // The queue comes last: a link of it must not count as a lost page of this folder.
            for rows in &[Copy::outcomes, Copy::hosts, Copy::losses, Copy::queue][pass] {
                match rows(&mut copy, store) {
                    Ok(()) => {}
                    Err(Fault::Here(error)) => return Err(error),
                    Err(Fault::There(error)) => {
                        unread(error);
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// An error of the new store, or of the state that is read.
pub(super) enum Fault {
    Here(StorageError),
    There(StorageError),
}

/// How the numbers of pages in a state become those of the new store.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbering {
    /// They are the same.
    Same,
    /// By the table of this origin.
    Of(usize),
    /// No page of the state is known by its number.
    Unknown,
}

impl Numbering {
    /// The number in the new store; `None` if it is not known.
    fn here(self, store: &Store, page: u64) -> Result<Option<u64>, StorageError> {
        match self {
            Self::Same => Ok(Some(page)),
            Self::Of(origin) => store.archive().origins().number_of(origin, page),
            Self::Unknown => Ok(None),
        }
    }
}

/// The copy from one state.
pub(super) struct Copy<'a> {
    pub from: &'a Store,
    pub numbering: Numbering,
    /// URLs of pages that the archive has lost, with their sources.
    pub lost: &'a mut Vec<(Discovered, Option<Via>)>,
}

impl Copy<'_> {
    pub(super) fn outcomes(&mut self, store: &mut Store) -> Result<(), Fault> {
        // A redecision, which comes before, has decided the pages of all workers.
        let are_provisional = self.from.run_notes().are_provisional().map_err(Fault::There)?;
        if are_provisional && store.run_notes().redecided().map_err(Fault::Here)?.is_none() {
            store.note_provisional(true).map_err(Fault::Here)?;
        }
        for known in self.from.urls() {
            let known = known.map_err(Fault::There)?;
            let (outcome, depth, attempts, via) = match known.state {
                UrlState::Page(_) | UrlState::Queued => continue,
                // See `losses`: if no other folder has its outcome, the next run fetches it.
                UrlState::Excluded { reason } if IS_LEFT.contains(&reason.as_str()) => continue,
                UrlState::Excluded { reason } => (Outcome::Excluded { reason }, 0, 0, None),
                UrlState::Redirect { to, status } => (Outcome::Redirect { to, status }, 0, 0, None),
                UrlState::Failed(Failure {
                    kind,
                    status,
                    detail,
                    attempts,
                    depth,
                    via,
                }) => (Outcome::Failed { kind, status, detail }, depth, attempts, via),
            };
            let link = Discovered {
                url: known.url,
                host: known.host,
                depth,
                ..Discovered::default()
            };
            let mut queued = store.discover(std::slice::from_ref(&link)).map_err(Fault::Here)?.pop();
            if queued.is_none() {
                queued = store.asked_again(&link, None).map_err(Fault::Here)?;
            }
            let Some(queued) = queued else { continue };
            let queued = QueuedUrl {
                via: self.translated(store, via)?,
                attempts: attempts.saturating_sub(1),
                ..queued
            };
            store.finish(&queued, outcome, &[]).map_err(Fault::Here)?;
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// The URLs that have a page in this state, and none in the new store, or an older version only; and those that another worker has
    /// fetched, whose folder is not among the merged ones.
    pub(super) fn losses(&mut self, store: &mut Store) -> Result<(), Fault> {
        for known in self.from.urls() {
            let known = known.map_err(Fault::There)?;
            let page = match known.state {
                UrlState::Page(page) => Some(page),
                UrlState::Excluded { reason } if IS_LEFT.contains(&reason.as_str()) => None,
                _ => continue,
            };
            let is_lost = match (store.url_state(&known.host, &known.url).map_err(Fault::Here)?, page) {
                (None | Some(UrlState::Queued), _) => true,
                (Some(UrlState::Excluded { reason }), _) if IS_LEFT.contains(&reason.as_str()) => true,
                (Some(UrlState::Page(here)), Some(page)) => match self.numbering {
                    Numbering::Same => here < page,
                    Numbering::Of(_) => self.numbering.here(store, page).map_err(Fault::Here)?.is_none(),
                    Numbering::Unknown => false,
                },
                (Some(_), _) => false,
            };
            if !is_lost {
                continue;
            }
            // A row that cannot be read hides no other lost page.
            let page = page.and_then(|page| self.from.page(page).ok().flatten());
            let (depth, via) = page.map_or((0, None), |page| (page.depth, page.via));
            let link = Discovered {
                url: known.url,
                host: known.host,
                depth,
                ..Discovered::default()
            };
            let via = self.translated(store, via)?;
            self.lost.push((link, via));
        }
        Ok(())
    }

    pub(super) fn queue(&mut self, store: &mut Store) -> Result<(), Fault> {
        for queued in self.from.queue().urls() {
            let queued = queued.map_err(Fault::There)?;
            if queued.revisits.is_some() {
                continue;
            }
            let via = self.translated(store, queued.via)?;
            let link = Discovered {
                url: queued.url,
                host: queued.host,
                depth: queued.depth,
                redirects: queued.redirects,
                priority: queued.priority,
                via: None,
            };
            let is_new = !store
                .discover_from(std::slice::from_ref(&link), via.as_ref())
                .map_err(Fault::Here)?
                .is_empty();
            if !is_new {
                store.asked_again(&link, via.as_ref()).map_err(Fault::Here)?;
            }
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// Politeness, robots.txt and sitemaps of the hosts: of two records of a host, the later one.
    pub(super) fn hosts(&mut self, store: &mut Store) -> Result<(), Fault> {
        for row in self.from.host_memory().records() {
            let (host, record) = row.map_err(Fault::There)?;
            let known = store.host_memory().record(&host).map_err(Fault::Here)?;
            if known.is_none_or(|known| known.asked_at < record.asked_at) {
                store.record_hosts(&[(host, record)]).map_err(Fault::Here)?;
            }
        }
        let robots = self.from.host_memory().robots_rows();
        for row in robots.chain(self.from.sitemaps().rows()) {
            let row = row.map_err(Fault::There)?;
            store.take_if_later(row).map_err(Fault::Here)?;
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// The visits that wait in the queue, and the counts of the refreshes that they belong to.
    pub(super) fn visits(&mut self, store: &mut Store) -> Result<(), Fault> {
        copy(self.from.revisits().refresh_rows(), store)?;
        for queued in self.from.queue().urls() {
            let queued = queued.map_err(Fault::There)?;
            let Some(revisit) = &queued.revisits else { continue };
            store.revisit(&[revisit.page], queued.priority).map_err(Fault::Here)?;
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// What steering has learned from the links of duplicates.
    pub(super) fn evidence(&mut self, store: &mut Store) -> Result<(), Fault> {
        copy(self.from.new_links().rows(), store)?;
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// The source of a link, by the numbers of the new store.
    fn translated(&self, store: &Store, via: Option<Via>) -> Result<Option<Via>, Fault> {
        let Some(Via::Page(page)) = &via else { return Ok(via) };
        if let Numbering::Unknown = self.numbering {
            return Ok(None);
        }
        let here = self.numbering.here(store, *page).map_err(Fault::Here)?;
        if let Some(here) = here
            && store.latest_page(here).map_err(Fault::Here)?.is_some()
        {
            return Ok(Some(Via::Page(here)));
        }
        let page = self.from.page(*page).map_err(Fault::There)?;
        Ok(page.map(|page| Via::Url(page.url.into())))
    }
}

/// Copies rows as they are.
fn copy(rows: Rows, store: &mut Store) -> Result<(), Fault> {
    for row in rows {
        let row = row.map_err(Fault::There)?;
        let copied = store.note_with(|_, piece| {
            piece.copy(row);
            Ok(())
        });
        copied.map_err(Fault::Here)?;
    }
    Ok(())
}
