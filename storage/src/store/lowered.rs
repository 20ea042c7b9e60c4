//! Follows the links of URLs whose depths have sunk: see `depths` in [`links`](crate::links).

use super::Store;
use crate::catalogue::Catalogue;
use crate::edges::{Edge, Edges};
use crate::error::StorageError;
use crate::frontier::{Discovered, QueuedUrl, UrlId};
use crate::links::Placed;
use crate::page::PageRecord;
use crate::url_state::UrlState;
use crate::urls::FinishedUrls;

/// Changes of depths in a piece.
const DEPTHS_A_PIECE: usize = 100;

/// A URL whose depth sank.
#[derive(Debug)]
pub struct Lowered {
    id: UrlId,
    depth: u16,
    /// Rows of its deep links that are of no use any more.
    rows: u8,
    /// Its outlinks that were not queued here, with their depths now: they were too deep, or others store them.
    pub links: Vec<Discovered>,
}

impl Lowered {
    /// The links come again when the depth sinks further, because others store some of them.
    pub fn come_again(&mut self) {
        self.rows = 0;
    }
}

impl Store {
    /// Sets the depth beyond which URLs are not queued. Without a call there is none.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn set_max_depth(&mut self, max_depth: u16) -> Result<(), StorageError> {
        let Some(deeper) = self.links.set_max_depth(max_depth)? else {
            return Ok(());
        };
        for id in deeper {
            self.make_room()?;
            let mut piece = self.piece();
            self.links.follow(id?, &mut piece);
            self.stage(piece);
        }
        self.make_room()?;
        let mut piece = self.piece();
        self.links.note_max_depth(&mut piece)?;
        self.stage(piece);
        Ok(())
    }

    /// Divides the outlinks of a URL that is about to be finished by their depths, which count from the true depth of the URL. The caller
    /// has made them from the depth of its place in the queue.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn placed<'a>(&mut self, queued: &QueuedUrl, outlinks: &'a [Discovered]) -> Result<Placed<'a>, StorageError> {
        self.links.placed(queued, outlinks)
    }

    /// The pieces that lower depths, for URLs whose depth in `lowered` is less than before. Cannot fail.
    pub(crate) fn stage_lowered(&mut self, lowered: &[(UrlId, u16)]) {
        for some in lowered.chunks(DEPTHS_A_PIECE) {
            let mut piece = self.piece();
            self.links.lower(some, &mut piece);
            self.stage(piece);
        }
    }

    /// Follows the links of the next URL whose depth has sunk; `None` if there is none. The caller queues the links that it returns, and
    /// then calls [`end_lowered`](Self::end_lowered).
    ///
    /// # Errors
    /// Errors of the state.
    pub fn next_lowered(&mut self) -> Result<Option<Lowered>, StorageError> {
        while let Some(id) = self.links.next_lowered() {
            self.make_room()?;
            let url = self.finished_urls().latest(id)?;
            let depth = self.links.depth_of(id)?;
            let (Some(url), Some(depth)) = (url, depth) else {
                // A URL that is not finished gets its links when it is.
                self.end_lowered(&Lowered {
                    id,
                    depth: 0,
                    rows: 0,
                    links: Vec::new(),
                })?;
                continue;
            };
            self.lower_targets(depth, &url.edges)?;
            self.lower_page(url.state(), depth)?;
            let via = self.finished_urls().name_of(url)?.map(|known| known.url);
            let (rows, links) = self.links.deep_within(self.latest(), (id, via), depth)?;
            return Ok(Some(Lowered { id, depth, rows, links }));
        }
        Ok(None)
    }

    /// Notes that the links of `lowered` are queued. Durable with the next commit, as these are.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_lowered(&mut self, lowered: &Lowered) -> Result<(), StorageError> {
        self.make_room()?;
        let mut piece = self.piece();
        // The links that are known now: their depths may sink, too.
        if let Some(url) = self.finished_urls().latest(lowered.id)?
            && !lowered.links.is_empty()
        {
            let mut edges: Vec<Edge> = url.edges.iter().collect();
            for link in &lowered.links {
                if let Some(to) = self.links.id_of(&link.host, &link.url)? {
                    let step = u8::from(link.depth > lowered.depth);
                    edges.push(Edge { to, step });
                }
            }
            FinishedUrls::set_edges(lowered.id, &url, &Edges::of(edges), &mut piece)?;
        }
        self.links.end_lowered(lowered.id, lowered.rows, &mut piece);
        self.note(piece);
        Ok(())
    }

    fn lower_targets(&mut self, depth: u16, edges: &Edges) -> Result<(), StorageError> {
        let mut lowered = Vec::new();
        for Edge { to, step } in edges.iter() {
            let offered = depth.saturating_add(u16::from(step));
            if self.links.is_deeper(to, offered)? {
                lowered.push((to, offered));
            }
        }
        self.stage_lowered(&lowered);
        Ok(())
    }

    /// Lowers the depth in the record of a page.
    pub(super) fn lower_page(&mut self, state: &UrlState, depth: u16) -> Result<(), StorageError> {
        let UrlState::Page(sequence) = *state else {
            return Ok(());
        };
        if let Some(page) = self.latest_page(sequence)?.filter(|page| page.depth > depth) {
            self.make_room()?;
            let mut piece = self.piece();
            Catalogue::set(sequence, &PageRecord { depth, ..page }, &mut piece)?;
            self.stage(piece);
        }
        Ok(())
    }
}
