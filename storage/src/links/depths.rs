//! The depth of each known URL: the number of links from a seed on the shortest path found so far.
//!
//! The URLs of a crawl are found in the order in which servers answer. So the first path to a URL may be longer than another that is found
//! later. A shorter path lowers the depth of the URL. If the URL is not finished yet, nothing else is to do: its outlinks get their depths
//! when it is finished. If it is finished, its outlinks are one link behind it, so their depths may sink, too. Therefore the row of a
//! finished URL names its outlinks by their numbers ([`Edges`](crate::edges::Edges)), and the table `beyond` holds the outlinks that were too
//! deep to be queued ([`deep`](super::deep)). They are queued when the depth of the URL has sunk far enough.
//!
//! When nothing is left to lower, the depth of each known URL is that of a shortest path among all fetched pages, whatever the order was:
//! for each finished URL, every outlink is at most one link deeper than the URL. So the crawl reaches the URLs within its depth and no others.
//!
//! A row of the table `lowered` says that the depth of a URL sank, and that its outlinks must follow. It is durable before the page that
//! is the reason, and goes with the last change that follows from it. So no crash loses a shorter path.

use std::collections::{BTreeMap, HashSet, VecDeque};

use rustc_hash::FxHashMap;

use crate::batch::Batch;
use crate::error::StorageError;
use crate::format;
use crate::frontier::UrlId;
use crate::state::State;

/// The table of ⟨[u32]⟩, by the numbers of the URLs.
const DEPTHS: u8 = b'e';

/// URLs in a row: those with the numbers 256·n, 256·n + 1, ….
const URLS_A_ROW: u64 = 256;

/// Number of rows in memory, about 2 MB. The numbers of rows have no gaps, so the place of a row is the remainder of its number.
const ROWS: usize = 2_048;

/// The depths, with staged changes.
pub(crate) struct Depths {
    state: State,
    staged: FxHashMap<UrlId, u16>,
    /// Those of the commit that is applied.
    sealed: FxHashMap<UrlId, u16>,
    /// Committed rows that were read lately, with their numbers.
    rows: Vec<Option<(u64, Vec<u32>)>>,
}

impl Depths {
    pub fn new(state: State) -> Self {
        Self {
            state,
            staged: FxHashMap::default(),
            sealed: FxHashMap::default(),
            rows: vec![None; ROWS],
        }
    }

    /// The depth of a URL; `None` if it is not known.
    pub fn of(&mut self, id: UrlId) -> Result<Option<u16>, StorageError> {
        if let Some(depth) = self.staged(id) {
            return Ok(Some(depth));
        }
        let (number, at) = place(id);
        let row = match &mut self.rows[slot(number)] {
            Some((of, row)) if *of == number => row,
            slot => &mut slot.insert((number, read(&self.state, number)?)).1,
        };
        Ok(row.get(at).and_then(|stored| depth_of(*stored)))
    }

    /// Sets a depth, which the caller stages too. `false` if a lesser or equal one is staged already.
    pub fn lower(&mut self, id: UrlId, depth: u16) -> bool {
        let is_lower = self.staged(id).is_none_or(|staged| depth < staged);
        if is_lower {
            self.staged.insert(id, depth);
        }
        is_lower
    }

    fn staged(&self, id: UrlId) -> Option<u16> {
        self.staged.get(&id).or_else(|| self.sealed.get(&id)).copied()
    }

    /// Notes that the commit with everything staged is applied from now on.
    pub fn seal(&mut self) {
        self.sealed = std::mem::take(&mut self.staged);
    }

    /// Notes that it is applied.
    pub fn committed(&mut self) {
        for (id, depth) in self.sealed.drain() {
            let (number, at) = place(id);
            if let Some((of, row)) = &mut self.rows[slot(number)]
                && *of == number
            {
                set(row, at, depth);
            }
        }
    }
}

/// The rows of depths that a batch changes, as they are after it.
pub(crate) struct DepthEdits<'a> {
    state: &'a State,
    rows: BTreeMap<u64, Vec<u32>>,
}

impl<'a> DepthEdits<'a> {
    pub fn new(state: &'a State) -> Self {
        Self {
            state,
            rows: BTreeMap::new(),
        }
    }

    /// Rows that the batch sets.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn set(&mut self, id: UrlId, depth: u16) -> Result<(), StorageError> {
        let (number, at) = place(id);
        let row = match self.rows.entry(number) {
            std::collections::btree_map::Entry::Occupied(row) => row.into_mut(),
            std::collections::btree_map::Entry::Vacant(row) => row.insert(read(self.state, number)?),
        };
        set(row, at, depth);
        Ok(())
    }

    pub fn write(self, batch: &mut Batch) -> Result<(), StorageError> {
        for (number, row) in self.rows {
            batch.insert(&format::numbered(DEPTHS, number)[..], format::encode(&row)?);
        }
        Ok(())
    }
}

fn place(id: UrlId) -> (u64, usize) {
    (id / URLS_A_ROW, (id % URLS_A_ROW) as usize)
}

/// The place of a row in memory.
fn slot(number: u64) -> usize {
    (number % ROWS as u64) as usize
}

/// A row holds each depth plus one, and 0 where it is not known.
fn read(state: &State, number: u64) -> Result<Vec<u32>, StorageError> {
    let row = state.row(format::numbered(DEPTHS, number), "the depths of URLs")?;
    Ok(row.unwrap_or_default())
}

fn depth_of(stored: u32) -> Option<u16> {
    u16::try_from(stored.checked_sub(1)?).ok()
}

fn set(row: &mut Vec<u32>, at: usize, depth: u16) {
    if row.len() <= at {
        row.resize(at + 1, 0);
    }
    row[at] = u32::from(depth) + 1;
}

/// The URLs whose depth has sunk and whose links are to be followed, each once.
#[derive(Debug, Default)]
pub(super) struct LoweredUrls {
    order: VecDeque<UrlId>,
    waiting: HashSet<UrlId>,
}

impl LoweredUrls {
    pub fn push(&mut self, id: UrlId) {
        if self.waiting.insert(id) {
            self.order.push_back(id);
        }
    }

    pub fn pop(&mut self) -> Option<UrlId> {
        let id = self.order.pop_front()?;
        self.waiting.remove(&id);
        Some(id)
    }

    pub fn is_waiting(&self, id: UrlId) -> bool {
        self.waiting.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_staged_committed_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::open(dir.path(), 1 << 20).unwrap();
        let mut depths = Depths::new(state.clone());
        assert_eq!(depths.of(300).unwrap(), None);
        for (id, depth) in [(300, 7), (1, u16::MAX), (300, 2)] {
            assert!(depths.lower(id, depth) && !depths.lower(id, depth));
            let mut edits = DepthEdits::new(&state);
            edits.set(id, depth).unwrap();
            let mut batch = Batch::default();
            edits.write(&mut batch).unwrap();
            state.apply(batch).unwrap();
            assert_eq!(depths.of(id).unwrap(), Some(depth));
            depths.seal();
            assert!(!depths.lower(id, depth));
            assert_eq!(depths.of(id).unwrap(), Some(depth));
            depths.committed();
            assert_eq!(depths.of(id).unwrap(), Some(depth));
        }
        let mut again = Depths::new(state.clone());
        assert_eq!(again.of(1).unwrap(), Some(u16::MAX));
        assert_eq!(again.of(300).unwrap(), Some(2));
        assert_eq!(again.of(299).unwrap(), None);
    }
}
