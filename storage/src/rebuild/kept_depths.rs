//! Takes the depths, the links between known URLs and the links beyond the depth from an old state: the archive does not hold them.
//!
//! The numbers of URLs differ between the two states, so this compares the URLs.

use super::outcomes::{Copy, Fault};
use crate::depths::Depths;
use crate::edges::{Edge, Edges};
use crate::format::{self, UrlRow};
use crate::known::UrlId;
use crate::page::PageRecord;
use crate::store::Store;
use crate::url_state::UrlState;

/// The numbers of URLs in the old state and in the new one, in the order of the old.
struct UrlNumbers(Vec<(UrlId, UrlId)>);

impl UrlNumbers {
    fn here(&self, old: UrlId) -> Option<UrlId> {
        let at = self.0.binary_search_by_key(&old, |(old, _)| *old).ok()?;
        Some(self.0[at].1)
    }
}

impl Copy<'_> {
    pub(super) fn depths(&mut self, store: &mut Store) -> Result<(), Fault> {
        store.commit().map_err(Fault::Here)?;
        let numbers = self.numbers(store)?;
        let mut depths = Depths::default();
        for row in self.from.state.scan([format::URLS]) {
            let (key, row) = row.map_err(Fault::There)?;
            let (Some(old), Some((_, edges))) = (format::url_id(&key), format::read_url_row(&row)) else {
                return Err(Fault::There(self.from.state.corrupt("a URL's state")));
            };
            let Some(here) = numbers.here(old) else { continue };
            if let Some(depth) = depths.of(&self.from.state, old).map_err(Fault::There)? {
                lower(store, here, depth).map_err(Fault::Here)?;
            }
            let edges = edges.iter().filter_map(|edge| {
                let to = numbers.here(edge.to)?;
                Some(Edge { to, ..edge })
            });
            set_edges(store, here, &Edges::of(edges.collect())).map_err(Fault::Here)?;
            self.beyond(store, old, here)?;
        }
        let row = self.from.state.get(format::META_MAX_DEPTH).map_err(Fault::There)?;
        if let Some(row) = row {
            let row = (format::META_MAX_DEPTH.to_vec(), Some(row.to_vec()));
            store.stage_rows(vec![row]).map_err(Fault::Here)?;
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// The numbers of the URLs that both states know.
    fn numbers(&self, store: &Store) -> Result<UrlNumbers, Fault> {
        let mut numbers = Vec::new();
        for row in self.from.state.scan([format::URLS]) {
            let (key, row) = row.map_err(Fault::There)?;
            let corrupt = || Fault::There(self.from.state.corrupt("a URL's state"));
            let old = format::url_id(&key).ok_or_else(corrupt)?;
            let (row, _) = format::read_url_row(&row).ok_or_else(corrupt)?;
            let Some((host, url)) = self.url_of(row)? else { continue };
            let here = store.id_of(&host, &url).map_err(Fault::Here)?;
            numbers.extend(here.map(|here| (old, here)));
        }
        for queued in self.from.queue() {
            let queued = queued.map_err(Fault::There)?;
            let here = store.id_of(&queued.host, &queued.url).map_err(Fault::Here)?;
            numbers.extend(here.map(|here| (queued.id, here)));
        }
        numbers.sort_unstable();
        numbers.dedup_by_key(|(old, _)| *old);
        Ok(UrlNumbers(numbers))
    }

    fn url_of(&self, row: UrlRow) -> Result<Option<(String, String)>, Fault> {
        match (row.state, row.url) {
            (UrlState::Page(page), _) => {
                let page = self.from.page(page).map_err(Fault::There)?;
                Ok(page.map(|page| (page.host, page.url)))
            }
            (_, Some((host, packed))) => Ok(format::unpack_url(&host, &packed).map(|url| (host, url))),
            (_, None) => Ok(None),
        }
    }

    fn beyond(&self, store: &mut Store, old: UrlId, here: UrlId) -> Result<(), Fault> {
        for part in 0..=u8::MAX {
            let row = self
                .from
                .state
                .get(format::beyond_key(old, part))
                .map_err(Fault::There)?;
            let Some(row) = row else { break };
            let row = (format::beyond_key(here, part).to_vec(), Some(row.to_vec()));
            store.stage_rows(vec![row]).map_err(Fault::Here)?;
        }
        Ok(())
    }
}

/// Lowers the depth of a URL, and that in the record of its page.
fn lower(store: &mut Store, id: UrlId, depth: u16) -> Result<(), crate::StorageError> {
    if store.is_deeper(id, depth)? {
        store.stage_lowered(&[(id, depth)]);
    }
    if let Some((row, _)) = store.latest_url(id)?
        && let UrlState::Page(page) = row.state
        && let Some(record) = store.latest_page(page)?.filter(|record| record.depth > depth)
    {
        let record = PageRecord { depth, ..record };
        let row = (format::page_key(page).to_vec(), Some(format::encode(&record)?));
        store.stage_rows(vec![row])?;
    }
    Ok(())
}

/// Sets the links of a finished URL.
fn set_edges(store: &mut Store, id: UrlId, edges: &Edges) -> Result<(), crate::StorageError> {
    if let Some((row, known)) = store.latest_url(id)?
        && known == Edges::default()
        && *edges != known
    {
        let row = (format::url_key(id).to_vec(), Some(row.with_edges(edges)?));
        store.stage_rows(vec![row])?;
    }
    Ok(())
}
