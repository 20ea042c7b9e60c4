//! The known URLs, and what is known of the links between them: their numbers, their depths, and the links that are too deep.

mod deep;
mod depths;
mod early;
mod known;

use std::borrow::Cow;

use self::deep::DeepLinks;
use self::depths::{Depths, LoweredUrls};
use self::early::EarlyLinks;
use self::known::KnownUrls;
use crate::batch::Batch;
use crate::commit::staged::Latest;
use crate::commit::{FreshUrl, Piece};
use crate::edges::{Edge, Edges};
use crate::error::StorageError;
use crate::format;
use crate::frontier::{Discovered, QueuedUrl, UrlHash, UrlId, Via};
use crate::state::State;

pub(crate) use self::depths::DepthEdits;
pub(crate) use self::early::EarlyNote;
pub(crate) use self::known::Logged;

/// ⟨u16⟩: the depth beyond which the last run queued no URL.
const MAX_DEPTH: &[u8] = b"mmax-depth";

/// The table of the URLs whose depths have sunk, by number. Its rows are empty.
const LOWERED: u8 = b'a';

/// The depth that no other depth is compared with: the caller uses it for URLs whose links it does not follow.
const NO_DEPTH: u16 = u16::MAX;

/// The outlinks of a URL by their true depths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placed<'a> {
    /// Those to queue.
    pub within: Cow<'a, [Discovered]>,
    /// Those that are too deep, or that others store. They come again when the depth of the URL sinks.
    pub beyond: Vec<Cow<'a, Discovered>>,
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

/// Links that a metadata record must name.
#[derive(Default)]
pub(crate) struct FoundLinks {
    /// URLs that were not known.
    pub fresh: Vec<FreshUrl>,
    /// URLs that are known and in no metadata record yet: see [`early`]. Their places have no meaning.
    pub early: Vec<FreshUrl>,
    /// All known URLs.
    known: Vec<KnownLink>,
    /// Those of them that are deeper.
    pub lowered: Vec<(UrlId, u16)>,
}

/// A link to a known URL.
struct KnownLink {
    id: UrlId,
    /// The depth by this link.
    depth: u16,
    /// The depth so far.
    before: Option<u16>,
}

impl FoundLinks {
    /// The URLs of the links that are new, or in no metadata record yet.
    pub fn named(&self) -> impl Iterator<Item = &QueuedUrl> + Clone {
        self.fresh.iter().chain(&self.early).map(|link| &link.queued)
    }
}

/// The known URLs and their links.
pub(crate) struct Links {
    state: State,
    known: KnownUrls,
    early: EarlyLinks,
    depths: Depths,
    /// URLs whose depths have sunk, and whose links do not follow yet.
    lowered: LoweredUrls,
    max_depth: u16,
}

impl Links {
    /// Reads them for changes and many look-ups. `seed` keys the hashes.
    pub fn open(state: State, seed: u64) -> Result<Self, StorageError> {
        let known = KnownUrls::open(&state, seed)?;
        Self::with(state, known)
    }

    /// Reads them for a few look-ups.
    pub fn to_read(state: State, seed: u64) -> Result<Self, StorageError> {
        let known = KnownUrls::to_read(&state, seed)?;
        Self::with(state, known)
    }

    fn with(state: State, known: KnownUrls) -> Result<Self, StorageError> {
        // What the interrupted work of an earlier process must follow.
        let mut lowered = LoweredUrls::default();
        for row in state.scan([LOWERED]) {
            let id = format::number(LOWERED, &row?.0);
            lowered.push(id.ok_or_else(|| state.corrupt("a key of a lowered URL"))?);
        }
        Ok(Self {
            early: EarlyLinks::open(&state, &known)?,
            depths: Depths::new(state.clone()),
            lowered,
            known,
            max_depth: u16::MAX,
            state,
        })
    }

    /// The number of a URL, committed or staged.
    pub fn id_of(&self, host: &str, url: &str) -> Result<Option<UrlId>, StorageError> {
        self.known.id_of(&self.state, self.known.hash_of(host, url))
    }

    /// Number of known URLs. Reads all buckets.
    pub fn count(&self) -> Result<u64, StorageError> {
        self.known.count(&self.state)
    }

    /// The URLs of `links` that are not known, each once, with their future places from `next_seq` on, and the early ones. Stages nothing.
    pub fn find(&mut self, links: &[Discovered], via: Option<&Via>, next_seq: u64) -> Result<FoundLinks, StorageError> {
        let mut hashes = Vec::with_capacity(links.len());
        let mut key = Vec::with_capacity(256);
        for link in links {
            format::check_url(&link.host, &link.url)?;
            format::push_url_key(&mut key, &link.host, &link.url);
            hashes.push(self.known.hash(&key));
        }
        // The look-ups have a loop of their own, because it is faster: see `known::found`.
        let recent: Vec<Option<UrlId>> = hashes.iter().map(|hash| self.known.found(*hash)).collect();
        let mut found = FoundLinks::default();
        let mut seen = known::UrlHashSet::default();
        for ((link, hash), recent) in links.iter().zip(hashes).zip(recent) {
            let is_early = self.early.contains(hash);
            if (recent.is_none() || is_early) && seen.contains(&hash) {
                continue;
            }
            let id = match recent {
                Some(id) => Some(id),
                None => self.known.find(&self.state, hash)?,
            };
            if let Some(id) = id {
                found.known.push(KnownLink {
                    id,
                    depth: link.depth,
                    before: self.depths.of(id)?,
                });
                if !is_early {
                    continue;
                }
            }
            seen.insert(hash);
            let seq = next_seq + found.fresh.len() as u64;
            let queued = QueuedUrl::new(link, via, seq);
            let group = if is_early { &mut found.early } else { &mut found.fresh };
            group.push(FreshUrl { hash, queued });
        }
        let is_deeper = |link: &&KnownLink| link.before.is_some_and(|before| before > link.depth);
        let lowered = found.known.iter().filter(is_deeper);
        found.lowered = lowered.map(|link| (link.id, link.depth)).collect();
        Ok(found)
    }

    /// Notes a new URL that is about to be staged.
    pub fn insert(&mut self, link: &FreshUrl) {
        self.known.insert(link.hash, link.queued.id);
        self.depths.lower(link.queued.id, link.queued.depth);
    }

    /// Notes that a staged metadata record names an early link.
    pub fn archived(&mut self, early: UrlHash) {
        self.early.archived(early);
    }

    /// The outlinks whose depths sink if that of the URL does. A seed cannot sink, and what it links to neither.
    pub fn edges_of(found: &FoundLinks, depth: u16) -> Edges {
        let mut edges = Vec::with_capacity(found.fresh.len() + found.known.len());
        let mut push = |to, offered: u16, now: u16| {
            let step = u8::from(offered > depth);
            if now > u16::from(step) {
                edges.push(Edge { to, step });
            }
        };
        for link in &found.fresh {
            push(link.queued.id, link.queued.depth, link.queued.depth);
        }
        for link in &found.known {
            if let Some(before) = link.before {
                push(link.id, link.depth, before.min(link.depth));
            }
        }
        Edges::of(edges)
    }

    /// The depth of a URL, with staged changes; `None` if it is not known.
    pub fn depth_of(&mut self, id: UrlId) -> Result<Option<u16>, StorageError> {
        self.depths.of(id)
    }

    /// Whether the depth of a known URL is more than `depth`.
    pub fn is_deeper(&mut self, id: UrlId, depth: u16) -> Result<bool, StorageError> {
        Ok(self.depths.of(id)?.is_some_and(|known| known > depth))
    }

    /// The depth of a URL in the queue: that of its place, or of a shorter path found since.
    pub fn true_depth(&mut self, queued: &QueuedUrl) -> Result<u16, StorageError> {
        let known = self.depths.of(queued.id)?;
        Ok(known.map_or(queued.depth, |known| known.min(queued.depth)))
    }

    /// See [`Store::placed`](crate::Store::placed).
    pub fn placed<'a>(&mut self, queued: &QueuedUrl, outlinks: &'a [Discovered]) -> Result<Placed<'a>, StorageError> {
        let depth = self.true_depth(queued)?;
        let max_depth = self.max_depth;
        let is_beyond = |link: &Discovered| link.depth > max_depth && link.depth != NO_DEPTH;
        if depth == queued.depth && !outlinks.iter().any(is_beyond) {
            return Ok(outlinks.into());
        }
        let placed = |link: &'a Discovered| {
            if depth == queued.depth {
                return Cow::Borrowed(link);
            }
            Cow::Owned(Discovered {
                depth: match link.depth.checked_sub(queued.depth) {
                    Some(step) => depth.saturating_add(step),
                    None => link.depth.min(depth),
                },
                ..link.clone()
            })
        };
        let (beyond, within): (Vec<_>, Vec<_>) = outlinks.iter().map(placed).partition(|link| is_beyond(link));
        Ok(Placed {
            within: within.into_iter().map(Cow::into_owned).collect(),
            beyond,
        })
    }

    /// Sets the depth beyond which URLs are not queued. `None` if the last run had the same; otherwise the URLs to [`follow`](Self::follow),
    /// because some of their links were too deep and may not be any more.
    pub fn set_max_depth(
        &mut self,
        max_depth: u16,
    ) -> Result<Option<impl Iterator<Item = Result<UrlId, StorageError>> + use<>>, StorageError> {
        self.max_depth = max_depth;
        let before: Option<u16> = self.state.row(MAX_DEPTH, "the row of the largest depth")?;
        let is_larger = before.is_some_and(|before| before < max_depth);
        let urls = is_larger.then(|| DeepLinks::all_urls(&self.state));
        Ok((before != Some(max_depth)).then(|| urls.into_iter().flatten()))
    }

    /// Has the links of a URL followed.
    pub fn follow(&mut self, id: UrlId, piece: &mut Piece) {
        self.lowered.push(id);
        piece.set(format::numbered(LOWERED, id), Vec::new());
    }

    /// Notes the depth beyond which URLs are not queued.
    pub fn note_max_depth(&self, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(MAX_DEPTH, format::encode(&self.max_depth)?);
        Ok(())
    }

    /// The row of the largest depth, for another state.
    pub fn max_depth_row(&self) -> Result<Option<sled::IVec>, StorageError> {
        self.state.get(MAX_DEPTH)
    }

    /// Sets the row of the largest depth as it is in another state.
    pub fn set_max_depth_row(row: &[u8], piece: &mut Piece) {
        piece.set(MAX_DEPTH, row.to_vec());
    }

    /// Lowers depths, for URLs whose depth in `lowered` is less than before, and has their links followed. Cannot fail.
    pub fn lower(&mut self, lowered: &[(UrlId, u16)], piece: &mut Piece) {
        for &(id, depth) in lowered {
            if !self.depths.lower(id, depth) {
                continue;
            }
            piece.set_depth(id, depth);
            self.follow(id, piece);
        }
    }

    /// The next URL whose depth has sunk.
    pub fn next_lowered(&mut self) -> Option<UrlId> {
        self.lowered.pop()
    }

    /// Notes that the links of the URL are queued, those in the first `rows` rows of its deep links among them.
    pub fn end_lowered(&self, id: UrlId, rows: u8, piece: &mut Piece) {
        DeepLinks::remove(id, rows, piece);
        // The depth may have sunk again since.
        if !self.lowered.is_waiting(id) {
            piece.remove(format::numbered(LOWERED, id));
        }
    }

    /// The links of a URL that are too deep, for [`DeepLinks::set`].
    pub fn deep(id: UrlId, depth: u16, links: &[Cow<'_, Discovered>]) -> Result<DeepLinks, StorageError> {
        DeepLinks::of(id, depth, links)
    }

    /// The links of a URL that were too deep and are within the depth now, and the number of their rows; 0 if others stay in the rows.
    pub fn deep_within(
        &self,
        rows: Latest<'_>,
        (id, via): (UrlId, Option<String>),
        depth: u16,
    ) -> Result<(u8, Vec<Discovered>), StorageError> {
        let (rows, mut links) = DeepLinks::read(rows, (id, via), depth)?;
        let all = links.len();
        links.retain(|link| link.depth <= self.max_depth);
        // A redirect leads to its own depth, and its other links a link further. The rows stay until all of them are queued.
        Ok((if links.len() == all { rows } else { 0 }, links))
    }

    /// Copies the deep links of the URL `id` to the URL `to` of another state.
    pub fn copy_deep(&self, id: UrlId, to: UrlId, piece: &mut Piece) -> Result<(), StorageError> {
        DeepLinks::copy(&self.state, id, to, piece)
    }

    /// A second reader of the committed depths.
    pub fn committed_depths(&self) -> Depths {
        Depths::new(self.state.clone())
    }

    /// Adds the URLs of a batch to the log.
    pub fn log(logged: &[Logged], batch: &mut Batch) -> Result<(), StorageError> {
        KnownUrls::log(logged, batch)
    }

    /// Whether early links are noted.
    #[cfg(test)]
    pub fn has_early_note(&self) -> bool {
        EarlyLinks::are_noted(&self.state)
    }

    /// Notes that the commit with everything staged is applied from now on. Returns what it notes about early links.
    pub fn seal(&mut self) -> EarlyNote {
        self.depths.seal();
        self.early.seal()
    }

    /// Notes that it is applied.
    pub fn committed(&mut self) {
        self.depths.committed();
    }

    /// Merges the hashes of recent URLs with numbers below `end`, which the tree has, into their buckets, if there are enough. No commit is
    /// applied meanwhile.
    pub fn merge_if_due(&mut self, end: UrlId) -> Result<(), StorageError> {
        self.known.merge_if_due(&self.state, end)
    }
}
