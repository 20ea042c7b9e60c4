//! Follows the links of URLs whose depths have sunk: see [`depths`](crate::depths).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::edges::{Edge, Edges};
use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES, UrlRow};
use crate::frontier::{Discovered, QueuedUrl};
use crate::hosts::{pack, unpack};
use crate::known::UrlId;
use crate::page::PageRecord;
use crate::stage::{Piece, Row};
use crate::store::Store;
use crate::url_state::UrlState;

/// Changes of depths in a piece.
const DEPTHS_A_PIECE: usize = 100;

/// Links in a row of the table `beyond`, at first; fewer if they are long.
const LINKS_A_ROW: usize = 128;

/// Upper bound on the bytes of such a row when it is unpacked.
const MAX_ROW_BYTES: usize = 4 << 20;

/// The depth that no other depth is compared with: the caller uses it for URLs whose links it does not follow.
const NO_DEPTH: u16 = u16::MAX;

/// The outlinks of a URL by their true depths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placed<'a> {
    /// Those to queue.
    pub within: Cow<'a, [Discovered]>,
    /// Those that are too deep.
    pub beyond: Vec<Discovered>,
}

impl<'a> From<&'a [Discovered]> for Placed<'a> {
    /// All of them are to be queued.
    fn from(within: &'a [Discovered]) -> Self {
        Self {
            within: within.into(),
            beyond: Vec::new(),
        }
    }
}

/// A URL whose depth sank.
#[derive(Debug)]
pub struct Lowered {
    id: UrlId,
    depth: u16,
    /// Rows of the table `beyond`.
    rows: u8,
    /// Its outlinks that were too deep before, with their depths now.
    pub links: Vec<Discovered>,
}

/// A link in the table `beyond`.
#[derive(Serialize, Deserialize)]
struct BeyondLink {
    host: String,
    packed: String,
    redirects: u8,
    step: u8,
}

impl Store {
    /// Sets the depth beyond which URLs are not queued. Without a call there is none.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn set_max_depth(&mut self, max_depth: u16) -> Result<(), StorageError> {
        self.max_depth = max_depth;
        let row = self.state.get(format::META_MAX_DEPTH)?;
        let before = row.map(|row| self.state.decode::<u16>("the row of the largest depth", &row));
        let before = before.transpose()?;
        if before == Some(max_depth) {
            return Ok(());
        }
        if before.is_some_and(|before| before < max_depth) {
            self.look_beyond()?;
        }
        let row = format::encode(&max_depth)?;
        self.stage_rows(vec![(format::META_MAX_DEPTH.to_vec(), Some(row))])
    }

    /// Has the links of all URLs followed that have links beyond the depth.
    fn look_beyond(&mut self) -> Result<(), StorageError> {
        for row in self.state.scan([format::BEYOND]) {
            let (id, part) = format::beyond_place(&row?.0).ok_or_else(|| self.state.corrupt("a key of a deep link"))?;
            if part == 0 {
                self.lowered.push(id);
                self.stage_rows(vec![(format::lowered_key(id).to_vec(), Some(Vec::new()))])?;
            }
        }
        Ok(())
    }

    /// The links that the interrupted work of an earlier process must follow.
    pub(crate) fn resume_lowered(&mut self) -> Result<(), StorageError> {
        for row in self.state.scan([format::LOWERED]) {
            let id = format::lowered_url(&row?.0).ok_or_else(|| self.state.corrupt("a key of a lowered URL"))?;
            self.lowered.push(id);
        }
        Ok(())
    }

    /// The depth of a URL in the queue: that of its place, or of a shorter path found since.
    pub(crate) fn true_depth(&mut self, queued: &QueuedUrl) -> Result<u16, StorageError> {
        let known = self.depths.of(&self.state, queued.id)?;
        Ok(known.map_or(queued.depth, |known| known.min(queued.depth)))
    }

    /// Divides the outlinks of a URL that is about to be finished by their depths, which count from the true depth of the URL. The caller
    /// has made them from the depth of its place in the queue.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn placed<'a>(&mut self, queued: &QueuedUrl, outlinks: &'a [Discovered]) -> Result<Placed<'a>, StorageError> {
        let depth = self.true_depth(queued)?;
        let max_depth = self.max_depth;
        let is_beyond = |link: &Discovered| link.depth > max_depth && link.depth != NO_DEPTH;
        if depth == queued.depth && !outlinks.iter().any(is_beyond) {
            return Ok(Placed {
                within: outlinks.into(),
                beyond: Vec::new(),
            });
        }
        let at_true_depth = |link: &Discovered| Discovered {
            depth: match link.depth.checked_sub(queued.depth) {
                Some(step) => depth.saturating_add(step),
                None => link.depth.min(depth),
            },
            ..link.clone()
        };
        let (beyond, within): (Vec<_>, Vec<_>) = outlinks.iter().map(at_true_depth).partition(is_beyond);
        Ok(Placed {
            within: within.into(),
            beyond,
        })
    }

    /// The pieces that lower depths, for URLs whose depth in `lowered` is less than before.
    pub(crate) fn stage_lowered(&mut self, lowered: &[(UrlId, u16)]) {
        for some in lowered.chunks(DEPTHS_A_PIECE) {
            let mut piece = Piece::at(self.progress);
            for &(id, depth) in some {
                if !self.depths.lower(id, depth) {
                    continue;
                }
                piece.depths.push((id, depth));
                piece.rows.push((format::lowered_key(id).to_vec(), Some(Vec::new())));
                self.lowered.push(id);
            }
            self.stage_piece(piece);
        }
    }

    /// Whether the depth of a known URL is more than `depth`.
    pub(crate) fn is_deeper(&mut self, id: UrlId, depth: u16) -> Result<bool, StorageError> {
        Ok(self.depths.of(&self.state, id)?.is_some_and(|known| known > depth))
    }

    /// Follows the links of the next URL whose depth has sunk; `None` if there is none. The caller queues the links that it returns, and
    /// then calls [`end_lowered`](Self::end_lowered).
    ///
    /// # Errors
    /// Errors of the state.
    pub fn next_lowered(&mut self) -> Result<Option<Lowered>, StorageError> {
        while let Some(id) = self.lowered.pop() {
            self.make_room()?;
            let row = self.latest_url(id)?;
            let depth = self.depths.of(&self.state, id)?;
            if let (Some((row, edges)), Some(depth)) = (row, depth) {
                self.lower_targets(depth, &edges)?;
                self.lower_page(&row, depth)?;
                let (rows, links) = self.links_within((id, &row), depth)?;
                return Ok(Some(Lowered { id, depth, rows, links }));
            }
            // A URL that is not finished gets its links when it is.
            self.end_lowered(&Lowered {
                id,
                depth: 0,
                rows: 0,
                links: Vec::new(),
            })?;
        }
        Ok(None)
    }

    /// Notes that the links of `lowered` are queued. Durable with the next commit, as these are.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_lowered(&mut self, lowered: &Lowered) -> Result<(), StorageError> {
        let mut rows: Vec<Row> = (0..lowered.rows)
            .map(|part| (format::beyond_key(lowered.id, part).to_vec(), None))
            .collect();
        rows.extend(self.with_links(lowered)?);
        // The depth may have sunk again since.
        if !self.lowered.is_waiting(lowered.id) {
            rows.push((format::lowered_key(lowered.id).to_vec(), None));
        }
        self.stage_rows(rows)
    }

    /// The row of the URL with the links that are known now: their depths may sink, too.
    fn with_links(&self, lowered: &Lowered) -> Result<Option<Row>, StorageError> {
        let (Some((row, edges)), false) = (self.latest_url(lowered.id)?, lowered.links.is_empty()) else {
            return Ok(None);
        };
        let mut edges: Vec<Edge> = edges.iter().collect();
        for link in &lowered.links {
            if let Some(to) = self.id_of(&link.host, &link.url)? {
                let step = u8::from(link.depth > lowered.depth);
                edges.push(Edge { to, step });
            }
        }
        let row = row.with_edges(&Edges::of(edges))?;
        Ok(Some((format::url_key(lowered.id).to_vec(), Some(row))))
    }

    fn lower_targets(&mut self, depth: u16, edges: &Edges) -> Result<(), StorageError> {
        let mut lowered = Vec::new();
        for Edge { to, step } in edges.iter() {
            let offered = depth.saturating_add(u16::from(step));
            if self.is_deeper(to, offered)? {
                lowered.push((to, offered));
            }
        }
        self.stage_lowered(&lowered);
        Ok(())
    }

    /// Lowers the depth in the record of a page.
    fn lower_page(&mut self, row: &UrlRow, depth: u16) -> Result<(), StorageError> {
        let UrlState::Page(sequence) = row.state else {
            return Ok(());
        };
        if let Some(page) = self.latest_page(sequence)?.filter(|page| page.depth > depth) {
            let page = PageRecord { depth, ..page };
            let row = (format::page_key(sequence).to_vec(), Some(format::encode(&page)?));
            self.stage_rows(vec![row])?;
        }
        Ok(())
    }

    /// The links of a URL in the table `beyond`, if they are within the depth now, and the number of their rows.
    fn links_within(&mut self, (id, of): (UrlId, &UrlRow), depth: u16) -> Result<(u8, Vec<Discovered>), StorageError> {
        let (mut links, mut rows) = (Vec::new(), 0);
        let via = self.url_of(of)?;
        while let Some(row) = self.latest_beyond(id, rows)? {
            let read = || {
                let bytes = unpack(row.strip_prefix(&[format::ROW_VERSION])?, MAX_ROW_BYTES)?;
                postcard::from_bytes::<Vec<BeyondLink>>(&bytes).ok()
            };
            let read = read().ok_or_else(|| self.state.corrupt("a row of deep links"))?;
            links.extend(read.into_iter().filter_map(|link| {
                Some(Discovered {
                    url: format::unpack_url(&link.host, &link.packed)?,
                    host: link.host,
                    depth: depth.saturating_add(u16::from(link.step)),
                    redirects: link.redirects,
                    via: via.clone(),
                    ..Discovered::default()
                })
            }));
            rows += 1;
        }
        let all = links.len();
        links.retain(|link| link.depth <= self.max_depth);
        // A redirect leads to its own depth, and its other links a link further. The rows stay until all of them are queued.
        Ok((if links.len() == all { rows } else { 0 }, links))
    }

    fn url_of(&self, row: &UrlRow) -> Result<Option<String>, StorageError> {
        Ok(match (&row.state, &row.url) {
            (UrlState::Page(sequence), _) => self.latest_page(*sequence)?.map(|page| page.url),
            (_, Some((host, packed))) => format::unpack_url(host, packed),
            (_, None) => None,
        })
    }

    fn latest_beyond(&self, id: UrlId, part: u8) -> Result<Option<Vec<u8>>, StorageError> {
        match self.stage.beyond(id, part) {
            Some(row) => Ok(row.map(<[u8]>::to_vec)),
            None => Ok(self.state.get(format::beyond_key(id, part))?.map(|row| row.to_vec())),
        }
    }

    /// The row of a finished URL with its links, with staged changes; `None` for a URL in the queue.
    pub(crate) fn latest_url(&self, id: UrlId) -> Result<Option<(UrlRow, Edges)>, StorageError> {
        let committed;
        let row = match self.stage.url(id) {
            Some(row) => row,
            None => {
                committed = self.state.get(format::url_key(id))?;
                committed.as_deref()
            }
        };
        row.map(|row| format::read_url_row(row).ok_or_else(|| self.state.corrupt("a URL's state")))
            .transpose()
    }
}

/// The rows of the table `beyond` for the links of a URL.
pub(crate) fn beyond_rows(id: UrlId, depth: u16, links: &[Discovered]) -> Result<Vec<Row>, StorageError> {
    let mut rows = Vec::new();
    let mut waiting: Vec<&[Discovered]> = links.chunks(LINKS_A_ROW).rev().collect();
    while let Some(some) = waiting.pop() {
        let links: Vec<BeyondLink> = some
            .iter()
            .map(|link| BeyondLink {
                packed: format::pack_url(&link.host, &link.url),
                host: link.host.clone(),
                redirects: link.redirects,
                step: u8::from(link.depth > depth),
            })
            .collect();
        let packed = pack(&format::encode(&links)?);
        if packed.len() >= MAX_PACKED_ROW_BYTES && some.len() > 1 {
            let (first, second) = some.split_at(some.len() / 2);
            waiting.extend([second, first]);
            continue;
        }
        let Ok(part) = u8::try_from(rows.len()) else { break };
        let row = [&[format::ROW_VERSION][..], &packed].concat();
        rows.push((format::beyond_key(id, part).to_vec(), Some(row)));
    }
    Ok(rows)
}
