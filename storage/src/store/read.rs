//! What several parts answer together, and the parts that read the rows as they are.

use super::Store;
use crate::catalogue::Catalogue;
use crate::error::StorageError;
use crate::frontier::{QueuedUrl, UrlId};
use crate::host_memory::HostMemory;
use crate::new_links::NewLinks;
use crate::noted_pages::PagesElsewhere;
use crate::outlinks::Outlinks;
use crate::page::PageRecord;
use crate::revisits::Revisits;
use crate::run_notes::RunNotes;
use crate::sitemaps::Sitemaps;
use crate::url_state::UrlState;
use crate::urls::{FailedUrl, FinishedUrls, KnownUrl};

impl Store {
    /// The catalogue of pages.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue<'_> {
        Catalogue::new(self.latest())
    }

    /// The visits to pages, and the refreshes.
    #[must_use]
    pub fn revisits(&self) -> Revisits<'_> {
        Revisits::new(self.latest())
    }

    /// How hosts were treated.
    #[must_use]
    pub fn host_memory(&self) -> HostMemory<'_> {
        HostMemory::new(&self.state)
    }

    /// The sitemaps that runs have read.
    #[must_use]
    pub fn sitemaps(&self) -> Sitemaps<'_> {
        Sitemaps::new(&self.state)
    }

    /// The new links of duplicates.
    #[must_use]
    pub fn new_links(&self) -> NewLinks<'_> {
        NewLinks::new(&self.state)
    }

    /// The kept pages of other workers.
    #[must_use]
    pub fn pages_elsewhere(&self) -> PagesElsewhere<'_> {
        PagesElsewhere::new(&self.state)
    }

    /// The notes about the runs.
    #[must_use]
    pub fn run_notes(&self) -> RunNotes<'_> {
        RunNotes::new(&self.state)
    }

    /// The outcomes of finished URLs.
    pub(crate) fn finished_urls(&self) -> FinishedUrls<'_> {
        FinishedUrls::new(self.latest())
    }

    /// The committed page of this sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        self.catalogue().page(sequence)
    }

    /// The page of this sequence number, with staged changes.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn latest_page(&self, sequence: u64) -> Result<Option<PageRecord>, StorageError> {
        self.catalogue().latest(sequence)
    }

    /// The committed pages from the sequence number `from` on, in order.
    pub fn pages_from(&self, from: u64) -> impl Iterator<Item = Result<(u64, PageRecord), StorageError>> + use<> {
        self.catalogue().pages_from(from)
    }

    /// The committed state of a URL; `None` if the store does not know it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn url_state(&self, host: &str, url: &str) -> Result<Option<UrlState>, StorageError> {
        let id = self.links.id_of(host, url)?;
        let Some(id) = id.filter(|id| *id < self.committed.next_seq) else {
            return Ok(None);
        };
        Ok(Some(self.finished_urls().state_of(id)?.unwrap_or(UrlState::Queued)))
    }

    /// The outlinks of all finished URLs, for [`links_to`](Self::links_to). The store knows the outlinks whose depths could sink, so no links to
    /// a seed or to what a seed links to. Reads the rows of all finished URLs.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn outlinks(&self) -> Result<Outlinks, StorageError> {
        self.finished_urls().outlinks()
    }

    /// The finished URLs whose outlinks lead to this URL, in the order of discovery: the first `limit`, and how many there are. It does not name
    /// the seeds.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn links_to(
        &self,
        outlinks: &Outlinks,
        host: &str,
        url: &str,
        limit: usize,
    ) -> Result<(Vec<KnownUrl>, u64), StorageError> {
        let (mut from, mut count) = (Vec::new(), 0);
        let Some(id) = self.links.id_of(host, url)? else {
            return Ok((from, count));
        };
        for source in outlinks.to(id) {
            count += 1;
            if from.len() < limit
                && let Some(finished) = self.finished_urls().latest(source)?
                && let Some(known) = self.finished_urls().name_of(finished)?
            {
                from.push(known);
            }
        }
        Ok((from, count))
    }

    /// The state of a URL, with staged changes; `None` if the store does not know it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn latest_state(&self, host: &str, url: &str) -> Result<Option<UrlState>, StorageError> {
        let Some(id) = self.links.id_of(host, url)? else {
            return Ok(None);
        };
        let url = self.finished_urls().latest(id)?;
        Ok(Some(url.map_or(UrlState::Queued, |url| url.into_state())))
    }

    /// The committed page of this URL, with its sequence number.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page_by_url(&self, host: &str, url: &str) -> Result<Option<(u64, PageRecord)>, StorageError> {
        match self.url_state(host, url)? {
            Some(UrlState::Page(sequence)) => Ok(self.page(sequence)?.map(|page| (sequence, page))),
            _ => Ok(None),
        }
    }

    /// Iterates over all committed URLs: first the finished ones in the order of discovery, then the [queue](Self::queue).
    pub fn urls(&self) -> impl Iterator<Item = Result<KnownUrl, StorageError>> + '_ {
        let waits = |row: &Result<QueuedUrl, _>| row.as_ref().map_or(true, |queued| queued.revisits.is_none());
        // The finished URLs include pages that are queued for a visit.
        let queued = self.queue.urls().filter(waits).map(|row| {
            row.map(|QueuedUrl { host, url, .. }| KnownUrl {
                host,
                url,
                state: UrlState::Queued,
            })
        });
        self.finished_urls().known().chain(queued)
    }

    /// Iterates over all committed URLs that are finished, in the order of discovery. With each goes its depth: the number of links from a seed on
    /// the shortest path found so far; `None` if it is not known.
    pub fn finished(&self) -> impl Iterator<Item = Result<(KnownUrl, Option<u16>), StorageError>> + '_ {
        let (urls, mut depths) = (self.finished_urls(), self.links.committed_depths());
        urls.all().map(move |row| {
            let (id, url) = row?;
            let known = urls.name_of(url)?.ok_or_else(|| urls.corrupt())?;
            Ok((known, depths.of(id)?))
        })
    }

    /// Iterates over all committed URLs that failed, in the order of discovery. Reads the rows of all finished URLs.
    pub fn failures(&self) -> impl Iterator<Item = Result<FailedUrl, StorageError>> + '_ {
        self.finished_urls().failures()
    }

    /// The number of a URL, committed or staged.
    pub(crate) fn id_of(&self, host: &str, url: &str) -> Result<Option<UrlId>, StorageError> {
        self.links.id_of(host, url)
    }

    /// The number of a page's URL.
    pub(crate) fn id_of_page(&self, page: &PageRecord) -> Result<UrlId, StorageError> {
        let id = self.id_of(&page.host, &page.url)?;
        id.ok_or_else(|| self.state.corrupt("the number of a page's URL"))
    }

    /// Number of URLs that are known by their hashes. Reads all of these.
    pub(crate) fn known_urls(&self) -> Result<u64, StorageError> {
        self.links.count()
    }

    /// Passes the rows of all trees of the database to `tell`, and whether a row is of the store.
    pub(crate) fn each_row(
        &self,
        tell: impl FnMut(&[u8], &[u8], bool) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        self.state.each_row(tell)
    }
}
