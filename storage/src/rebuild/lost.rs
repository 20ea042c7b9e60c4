//! Queues the URLs that have no page after the replay: those of lost pages, and outlinks.

use super::{Lost, Rebuild, RebuildStep};
use crate::elsewhere::IS_LEFT;
use crate::error::StorageError;
use crate::frontier::Via;
use crate::page::PageRecord;
use crate::url_state::UrlState;
use crate::warc::location::WarcLocation;
use crate::warc::metadata::{self, Event};

impl Rebuild {
    /// Queues the URLs of lost pages, or visits to their older versions.
    pub(super) fn queue_lost(&mut self, lost: Vec<Lost>) -> Result<(), StorageError> {
        self.store.commit()?;
        for Lost { link, via, sequence } in lost {
            let queued = match self.store.url_state(&link.host, &link.url)? {
                Some(UrlState::Page(page)) if page < sequence => self.store.revisit(&[page], 0)?.len(),
                Some(UrlState::Queued) => usize::from(self.counted_lost.insert(link.url)),
                Some(UrlState::Excluded { reason }) if IS_LEFT.contains(&reason.as_str()) => {
                    self.counted_lost.insert(link.url.clone());
                    self.store.asked_again(&link, via.as_ref())?.into_iter().count()
                }
                Some(_) => 0,
                None => {
                    self.counted_lost.insert(link.url.clone());
                    self.store
                        .discover_from(std::slice::from_ref(&link), via.as_ref())?
                        .len()
                }
            };
            self.result.lost += queued as u64;
        }
        Ok(())
    }

    /// Queues the outlinks of the metadata record at `location`.
    pub(super) fn queue_links(
        &mut self,
        location: WarcLocation,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let read = self.store.archive().decoded(location)?;
        let metadata = match read.and_then(|record| metadata::decode(&record)) {
            Ok(metadata) => metadata,
            Err(reason) => {
                let path = self.store.archive().path(location.file);
                let place = format!("{}, byte {}", path.display(), location.offset);
                self.problem(say, format!("{place}: {reason}; its links are skipped"));
                return Ok(());
            }
        };
        let via = match &metadata.event {
            Event::Page { sequence, page, .. } => match self.page_named(location, *sequence)? {
                Some((sequence, _)) => Some(Via::Page(sequence)),
                None => Some(Via::Url(page.url.as_str().into())),
            },
            Event::Visited { page, .. }
            | Event::Redirected { page, .. }
            | Event::Excluded { page, .. }
            | Event::Yielded { page, .. } => {
                let page = self.page_named(location, *page)?;
                page.map(|(_, page)| Via::Url(page.url.into()))
            }
        };
        self.store.discover_from(&metadata.outlinks, via.as_ref())?;
        Ok(())
    }

    /// The page that a record at `location` calls `named`, with its number.
    fn page_named(&self, location: WarcLocation, named: u64) -> Result<Option<(u64, PageRecord)>, StorageError> {
        let Some(number) = self.store.archive().number_in(location.file, named)? else {
            return Ok(None);
        };
        Ok(self.store.latest_page(number)?.map(|page| (number, page)))
    }
}
