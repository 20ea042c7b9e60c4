//! Chunks of the queue: rows of up to 32 URLs of one host, priority and depth, by `seq`.
//!
//! Links from the same page are similar, and leave the queue together. A chunk stores each URL as its difference from the URL
//! before, in about 30 bytes. A separate row takes about 300 bytes in sled.
//!
//! The key of a chunk ends in a `seq` that is not above the `seq` of its first URL, and each chunk's URLs lie before the URLs of the
//! next. So the chunk of a URL is the last one whose key is not above the [key of the URL's place](place_key). New URLs go to
//! the last chunk of their kind while it has room. Finished URLs are removed, and so are empty chunks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::batch::{Batch, KeyValue};
use crate::error::StorageError;
use crate::format;
use crate::frontier::{ChunkKind, Place, QueueChange, QueuedUrl, Revisit, Via};
use crate::state::{Rows, State};

/// The table.
const QUEUE: u8 = b'q';

/// Upper bound on the URLs in a chunk.
const MAX_URLS: usize = 32;
/// Bytes of URLs and their fields after which a chunk is full.
const MAX_BYTES: usize = 8_192;

/// The row's name in the error for a damaged state.
const CHUNK: &str = "a chunk of the queue";

/// The beginning of the keys of a host.
pub(super) fn queue_prefix(host: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + 13);
    key.push(QUEUE);
    key.extend_from_slice(host.as_bytes());
    key.push(0);
    key
}

fn queue_key(kind: &ChunkKind, seq: u64) -> Vec<u8> {
    let mut key = queue_prefix(&kind.host);
    key.push(kind.priority);
    key.extend_from_slice(&kind.depth.to_be_bytes());
    key.extend_from_slice(&seq.to_be_bytes());
    key
}

/// The key that a chunk of the queue has if its first URL is at this place.
pub(super) fn place_key(place: &Place) -> Vec<u8> {
    queue_key(&place.kind, place.seq)
}

/// Host, priority and depth of a key of the queue.
fn queue_kind(key: &[u8]) -> Option<ChunkKind> {
    let host = key.strip_prefix(&[QUEUE])?.split(|&byte| byte == 0).next()?;
    let host = std::str::from_utf8(host).ok()?.to_owned();
    let (priority, depth, _) = queue_place(&host, key)?;
    Some(ChunkKind { host, priority, depth })
}

/// Priority, depth and seq of a key of the host's queue.
fn queue_place(host: &str, key: &[u8]) -> Option<(u8, u16, u64)> {
    let place: &[u8; 11] = key.get(host.len() + 2..)?.try_into().ok()?;
    let [priority, d0, d1, seq @ ..] = *place;
    Some((priority, u16::from_be_bytes([d0, d1]), u64::from_be_bytes(seq)))
}

/// The link source of a URL in a chunk.
#[derive(Serialize, Deserialize)]
enum EntryVia {
    /// None.
    None,
    /// The source of the URL before.
    Same,
    /// Another source.
    Own(Via),
}

/// A URL in a chunk.
#[derive(Serialize, Deserialize)]
struct Entry<'a> {
    /// Difference from the `seq` of the URL before.
    seq: u64,
    /// Length of the common beginning with the packed URL before, in bytes.
    shared: u16,
    /// The rest of the packed URL.
    rest: &'a str,
    redirects: u8,
    attempts: u8,
    via: EntryVia,
    /// `None` if it equals `seq`.
    id: Option<u64>,
    revisits: Option<Box<Revisit>>,
}

fn encode(urls: &[QueuedUrl]) -> Result<Vec<u8>, StorageError> {
    let mut row = Vec::with_capacity(urls.len() * 40);
    let (mut last_seq, mut last, mut last_via) = (0, String::new(), None);
    for queued in urls {
        let packed = format::pack_url(&queued.host, &queued.url);
        let alike = packed.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        let shared = packed.floor_char_boundary(alike.min(usize::from(u16::MAX)));
        let entry = Entry {
            seq: queued.seq.wrapping_sub(last_seq),
            shared: shared as u16,
            rest: &packed[shared..],
            redirects: queued.redirects,
            attempts: queued.attempts,
            via: match &queued.via {
                None => EntryVia::None,
                via if *via == last_via => EntryVia::Same,
                Some(via) => EntryVia::Own(via.clone()),
            },
            id: (queued.id != queued.seq).then_some(queued.id),
            revisits: queued.revisits.clone(),
        };
        row = postcard::to_extend(&entry, row).map_err(StorageError::Encode)?;
        (last_seq, last) = (queued.seq, packed);
        last_via.clone_from(&queued.via);
    }
    Ok(row)
}

/// The URLs of a row; `None` if it cannot be read.
fn decode(kind: &ChunkKind, mut row: &[u8]) -> Option<Vec<QueuedUrl>> {
    let mut urls = Vec::with_capacity(MAX_URLS);
    let (mut seq, mut packed, mut via) = (0_u64, String::new(), None);
    while !row.is_empty() {
        let (entry, rest) = postcard::take_from_bytes::<Entry<'_>>(row).ok()?;
        row = rest;
        seq = seq.wrapping_add(entry.seq);
        if !packed.is_char_boundary(usize::from(entry.shared)) {
            return None;
        }
        packed.truncate(usize::from(entry.shared));
        packed.push_str(entry.rest);
        via = match entry.via {
            EntryVia::None => None,
            EntryVia::Same => via,
            EntryVia::Own(via) => Some(via),
        };
        urls.push(QueuedUrl {
            url: format::unpack_url(&kind.host, &packed)?,
            host: kind.host.clone(),
            depth: kind.depth,
            redirects: entry.redirects,
            attempts: entry.attempts,
            priority: kind.priority,
            via: via.clone(),
            seq,
            id: entry.id.unwrap_or(seq),
            revisits: entry.revisits,
        });
    }
    Some(urls)
}

/// All rows.
pub(super) fn rows(state: &State) -> Rows {
    state.scan([QUEUE])
}

/// The URLs of a row of the queue.
pub(super) fn read(state: &State, key: &[u8], value: &[u8]) -> Result<Vec<QueuedUrl>, StorageError> {
    let kind = queue_kind(key).ok_or_else(|| state.corrupt("a key of the queue"))?;
    decode(&kind, value).ok_or_else(|| state.corrupt(CHUNK))
}

/// A chunk: its key and its URLs.
type Chunk = (Vec<u8>, Vec<QueuedUrl>);

/// The row of the chunk that holds the place, if any does.
fn row_of(state: &State, place: &Place) -> Result<Option<KeyValue>, StorageError> {
    state.last_in(&queue_key(&place.kind, 0), &place_key(place))
}

/// The chunk that holds the place, if any does.
fn find(state: &State, place: &Place) -> Result<Option<Chunk>, StorageError> {
    let Some((key, value)) = row_of(state, place)? else {
        return Ok(None);
    };
    let urls = decode(&place.kind, &value).ok_or_else(|| state.corrupt(CHUNK))?;
    Ok(Some((key.to_vec(), urls)))
}

/// Whether a URL waits at the place. It reads no URL, because each page asks once.
pub(super) fn is_taken(state: &State, place: &Place) -> Result<bool, StorageError> {
    let Some((_, value)) = row_of(state, place)? else {
        return Ok(false);
    };
    let (mut row, mut seq) = (&value[..], 0_u64);
    while !row.is_empty() {
        let (entry, rest) = postcard::take_from_bytes::<Entry<'_>>(row).map_err(|_| state.corrupt(CHUNK))?;
        (row, seq) = (rest, seq.wrapping_add(entry.seq));
        if seq >= place.seq {
            return Ok(seq == place.seq);
        }
    }
    Ok(false)
}

/// The chunks that a batch changes, as they are after it.
pub(crate) struct Edits<'a> {
    state: &'a State,
    /// By key. Empty chunks are removed.
    chunks: BTreeMap<Vec<u8>, Vec<QueuedUrl>>,
    /// The last chunk of a kind at the first look-up.
    last: BTreeMap<ChunkKind, Vec<u8>>,
}

impl<'a> Edits<'a> {
    pub fn new(state: &'a State) -> Self {
        Self {
            state,
            chunks: BTreeMap::new(),
            last: BTreeMap::new(),
        }
    }

    /// Rows that the batch sets or removes.
    pub fn rows(&self) -> usize {
        self.chunks.len()
    }

    pub fn apply(&mut self, change: &QueueChange) -> Result<(), StorageError> {
        match change {
            QueueChange::Add(queued) => self.add(queued),
            QueueChange::Remove(place) => self.remove(place),
        }
    }

    pub fn write(self, batch: &mut Batch) -> Result<(), StorageError> {
        for (key, urls) in self.chunks {
            if urls.is_empty() {
                batch.remove(key);
            } else {
                batch.insert(key, encode(&urls)?);
            }
        }
        Ok(())
    }

    pub fn add(&mut self, queued: &QueuedUrl) -> Result<(), StorageError> {
        let place = Place::of(queued);
        let Some(key) = self.locate(&place)? else {
            self.chunks.insert(place_key(&place), vec![queued.clone()]);
            return Ok(());
        };
        let chunk = self.chunks.entry(key).or_default();
        let at = chunk.partition_point(|other| other.seq < queued.seq);
        let is_full = chunk.len() >= MAX_URLS || chunk.iter().map(QueuedUrl::held_bytes).sum::<usize>() >= MAX_BYTES;
        chunk.insert(at, queued.clone());
        if is_full {
            // URLs mostly come in order: then the full chunk does not change.
            let is_last = at + 1 == chunk.len();
            let rest = chunk.split_off(if is_last { at } else { chunk.len() / 2 });
            if let Some(first) = rest.first() {
                self.chunks.insert(place_key(&Place::of(first)), rest);
            }
        }
        Ok(())
    }

    fn remove(&mut self, place: &Place) -> Result<(), StorageError> {
        if let Some(key) = self.locate(place)?
            && let Some(chunk) = self.chunks.get_mut(&key)
        {
            chunk.retain(|queued| queued.seq != place.seq);
        }
        Ok(())
    }

    /// Loads the chunk that the place belongs to, and returns its key. `None` if the place belongs to a new chunk.
    fn locate(&mut self, place: &Place) -> Result<Option<Vec<u8>>, StorageError> {
        let (first, wanted) = (queue_key(&place.kind, 0), place_key(place));
        let last = self.last.get(&place.kind).filter(|last| **last <= wanted);
        if last.is_none() {
            let end = Place {
                seq: u64::MAX,
                ..place.clone()
            };
            let stored = self.state.last_in(&first, &place_key(&end))?;
            let edited = self.chunks.range(first.clone()..=place_key(&end)).next_back();
            let stored = stored.map(|(key, _)| key.to_vec());
            let edited = edited.map(|(key, _)| key.clone());
            if let Some(last) = stored.max(edited) {
                self.last.insert(place.kind.clone(), last);
            }
        }
        let edited = self.chunks.range(first..=wanted.clone()).next_back();
        let edited = edited.map(|(key, _)| key.clone());
        let last = self.last.get(&place.kind).filter(|last| **last <= wanted);
        // Every chunk behind the last stored one is edited.
        if let (Some(edited), Some(last)) = (&edited, last)
            && edited >= last
        {
            return Ok(Some(edited.clone()));
        }
        match find(self.state, place)? {
            Some((key, urls)) if edited.as_ref().is_none_or(|edited| *edited < key) => {
                self.chunks.insert(key.clone(), urls);
                Ok(Some(key))
            }
            _ => Ok(edited),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn queued(host: u8, priority: u8, seq: u64, path: &str) -> QueuedUrl {
        let host = format!("h{host}");
        QueuedUrl {
            url: format!("https://{host}/{path}"),
            host,
            depth: u16::from(priority) * 300,
            priority,
            via: match seq % 4 {
                0 => None,
                1 => Some(Via::Url(format!("https://s/{}", seq / 20).into())),
                _ => Some(Via::Page(seq / 10)),
            },
            seq,
            id: seq - seq % 2,
            revisits: seq.is_multiple_of(7).then(|| {
                Box::new(Revisit {
                    page: seq,
                    ..Revisit::default()
                })
            }),
            ..QueuedUrl::default()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Compared with a sorted map: batches of additions, some out of order, and removals, also of URLs added in the same batch.
        #[test]
        fn chunks_hold_what_was_added_and_not_removed(
            batches in prop::collection::vec(
                prop::collection::vec((0_u8..3, 0_u8..2, "[a-c]{0,3}é?[a-z]{0,3}", any::<prop::sample::Index>(), 0_u8..7), 1..90),
                1..8,
            ),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let state = State::open(dir.path(), 1 << 20).unwrap();
            let mut model: BTreeMap<Place, QueuedUrl> = BTreeMap::new();
            let mut seq = 0;
            let mut reserved = Vec::new();
            for steps in batches {
                let mut edits = Edits::new(&state);
                for (host, priority, path, index, what) in steps {
                    if what == 0 && !model.is_empty() {
                        let place = model.keys().nth(index.index(model.len())).unwrap().clone();
                        model.remove(&place);
                        edits.apply(&QueueChange::Remove(place)).unwrap();
                    } else if what == 1 {
                        // A number that is given out and used much later, like that of a retry.
                        seq += 1;
                        reserved.push(seq);
                    } else {
                        let late = reserved.pop().filter(|_| what == 2);
                        seq += u64::from(late.is_none());
                        let queued = queued(host, priority, late.unwrap_or(seq), &path);
                        model.insert(Place::of(&queued), queued.clone());
                        edits.apply(&QueueChange::Add(queued)).unwrap();
                    }
                }
                let mut batch = Batch::default();
                edits.write(&mut batch).unwrap();
                state.apply(batch).unwrap();
                let rows: Vec<_> = rows(&state).map(Result::unwrap).collect();
                let mut found = Vec::new();
                for (key, value) in &rows {
                    let urls = read(&state, key, value).unwrap();
                    prop_assert!(!urls.is_empty() && urls.len() <= MAX_URLS);
                    prop_assert!(place_key(&Place::of(&urls[0])) >= key.to_vec());
                    found.extend(urls);
                }
                let expected: Vec<_> = model.values().cloned().collect();
                prop_assert_eq!(found, expected, "in the order they are handed out");
                for place in model.keys() {
                    prop_assert!(is_taken(&state, place).unwrap());
                }
                let gone: BTreeSet<u64> = (1..=seq).filter(|seq| model.keys().all(|place| place.seq != *seq)).collect();
                for &seq in gone.iter().take(20) {
                    for priority in 0..2 {
                        let place = Place { kind: Place::of(&queued(0, priority, seq, "")).kind, seq };
                        prop_assert!(!is_taken(&state, &place).unwrap());
                    }
                }
            }
        }

        #[test]
        fn damaged_rows_cause_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&ChunkKind { host: "h".to_owned(), priority: 0, depth: 0 }, &bytes);
        }
    }

    #[test]
    fn similar_urls_take_less_than_30_bytes_each() {
        let urls: Vec<_> = (1..=32)
            .map(|seq| queued(1, 0, seq, &format!("section/some-article-{seq}.html")))
            .collect();
        let row = encode(&urls).unwrap();
        assert_eq!(decode(&Place::of(&urls[0]).kind, &row), Some(urls));
        assert!(row.len() < 32 * 30, "{}", row.len());
    }

    #[test]
    fn queue_keys_sort_by_host_then_priority_then_depth_then_seq() {
        let queue_key = |host: &str, priority, depth, seq| {
            let host = host.to_owned();
            queue_key(&ChunkKind { host, priority, depth }, seq)
        };
        let in_order = [
            queue_key("a", 0, 0, 300),
            queue_key("a", 0, 1, 2),
            queue_key("a", 0, 256, 1),
            queue_key("a", 1, 0, 0),
            queue_key("a.b", 0, 0, 0),
            queue_key("ab", 0, 0, 0),
        ];
        assert!(in_order.is_sorted());
        assert!(!in_order[4].starts_with(&queue_prefix("a")));
        assert_eq!(queue_place("a", &in_order[2]), Some((0, 256, 1)));
        assert_eq!(queue_place("a.b", &in_order[0]), None);
    }
}
