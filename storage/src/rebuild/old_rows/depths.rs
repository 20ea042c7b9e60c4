//! Takes the depths, the links between known URLs and the links beyond the depth from an old state: the archive does not hold them.
//!
//! The numbers of URLs differ between the two states, so this compares the URLs.

use super::{Copy, Fault};
use crate::edges::{Edge, Edges};
use crate::frontier::UrlId;
use crate::links::Links;
use crate::store::Store;

/// The numbers of URLs in the old state and in the new one, in the order of the old.
struct UrlNumbers(Vec<(UrlId, UrlId)>);

impl UrlNumbers {
    fn here(&self, old: UrlId) -> Option<UrlId> {
        let at = self.0.binary_search_by_key(&old, |(old, _)| *old).ok()?;
        Some(self.0[at].1)
    }
}

impl Copy<'_> {
    pub(in crate::rebuild) fn depths(&mut self, store: &mut Store) -> Result<(), Fault> {
        store.commit().map_err(Fault::Here)?;
        let numbers = self.numbers(store)?;
        let mut depths = self.from.links().committed_depths();
        for row in self.from.finished_urls().all() {
            let (old, url) = row.map_err(Fault::There)?;
            let Some(here) = numbers.here(old) else { continue };
            let depth = depths.of(old).map_err(Fault::There)?;
            let edges = url.edges.iter().filter_map(|edge| {
                let to = numbers.here(edge.to)?;
                Some(Edge { to, ..edge })
            });
            let edges = Edges::of(edges.collect());
            store.take_depth_and_links(here, depth, edges).map_err(Fault::Here)?;
            store.make_room().map_err(Fault::Here)?;
            let mut piece = store.piece();
            let copied = self.from.links().copy_deep(old, here, &mut piece);
            copied.map_err(Fault::There)?;
            store.note(piece);
        }
        let row = self.from.links().max_depth_row().map_err(Fault::There)?;
        if let Some(row) = row {
            let set = store.note_with(|_, piece| {
                Links::set_max_depth_row(&row, piece);
                Ok(())
            });
            set.map_err(Fault::Here)?;
        }
        store.commit().map(|_| ()).map_err(Fault::Here)
    }

    /// The numbers of the URLs that both states know.
    fn numbers(&self, store: &Store) -> Result<UrlNumbers, Fault> {
        let mut numbers = Vec::new();
        for row in self.from.finished_urls().all() {
            let (old, url) = row.map_err(Fault::There)?;
            let known = self.from.finished_urls().name_of(url).map_err(Fault::There)?;
            let Some(known) = known else { continue };
            let here = store.id_of(&known.host, &known.url).map_err(Fault::Here)?;
            numbers.extend(here.map(|here| (old, here)));
        }
        for queued in self.from.queue().urls() {
            let queued = queued.map_err(Fault::There)?;
            let here = store.id_of(&queued.host, &queued.url).map_err(Fault::Here)?;
            numbers.extend(here.map(|here| (queued.id, here)));
        }
        numbers.sort_unstable();
        numbers.dedup_by_key(|(old, _)| *old);
        Ok(UrlNumbers(numbers))
    }
}
