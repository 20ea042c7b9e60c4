//! The links of a URL that were too deep to be queued, and those that others store.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::commit::Piece;
use crate::commit::staged::Latest;
use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::frontier::{Discovered, UrlId};
use crate::state::State;

/// The table of 01 ⟨[[`DeepLink`]]⟩ in DEFLATE, by URL and part.
const BEYOND: u8 = b'c';

/// Links in a row, at most.
const LINKS_A_ROW: u64 = 128;

/// Upper bound on the bytes of a row when it is unpacked.
const MAX_ROW_BYTES: usize = 4 << 20;

#[derive(Serialize, Deserialize)]
struct DeepLink<'a> {
    host: Cow<'a, str>,
    packed: String,
    redirects: u8,
    step: u8,
}

/// The rows of a URL, one a part, before they are packed.
pub(crate) struct DeepLinks {
    id: UrlId,
    rows: Vec<Vec<u8>>,
}

/// Encoded links for a row, one behind the other.
#[derive(Default)]
struct RowLinks {
    count: u64,
    bytes: Vec<u8>,
}

impl RowLinks {
    fn has_room(&self, link: &[u8]) -> bool {
        self.count == 0 || self.count < LINKS_A_ROW && self.bytes.len() + link.len() <= MAX_PACKED_ROW_BYTES
    }

    fn push(&mut self, link: &[u8]) {
        self.count += 1;
        self.bytes.extend_from_slice(link);
    }

    /// The row's content: a list begins with its length.
    fn list(&self) -> Result<Vec<u8>, StorageError> {
        Ok([&format::encode(&self.count)?[..], &self.bytes].concat())
    }
}

impl DeepLinks {
    pub(super) fn of(id: UrlId, depth: u16, links: &[Cow<'_, Discovered>]) -> Result<Self, StorageError> {
        let (mut rows, mut row) = (Vec::new(), RowLinks::default());
        let mut encoded = Vec::new();
        for link in links {
            encoded.clear();
            let link = DeepLink {
                packed: format::pack_url(&link.host, &link.url),
                host: Cow::Borrowed(&link.host),
                redirects: link.redirects,
                step: u8::from(link.depth > depth),
            };
            encoded = postcard::to_extend(&link, encoded).map_err(StorageError::Encode)?;
            if !row.has_room(&encoded) {
                rows.push(row.list()?);
                row = RowLinks::default();
            }
            row.push(&encoded);
        }
        if row.count > 0 {
            rows.push(row.list()?);
        }
        Ok(Self { id, rows })
    }

    /// Sets the rows, as many as have a part. Cannot fail.
    pub fn set(self, piece: &mut Piece) {
        for (row, part) in self.rows.into_iter().zip(0..=u8::MAX) {
            piece.set_packed(key(self.id, part), row);
        }
    }

    /// Removes the first rows of a URL.
    pub(super) fn remove(id: UrlId, rows: u8, piece: &mut Piece) {
        for part in 0..rows {
            piece.remove(key(id, part));
        }
    }

    /// The links of a URL at `depth`, and the number of their rows.
    pub(super) fn read(
        rows: Latest<'_>,
        (id, via): (UrlId, Option<String>),
        depth: u16,
    ) -> Result<(u8, Vec<Discovered>), StorageError> {
        let (mut links, mut part) = (Vec::new(), 0);
        while let Some(row) = rows.get(&key(id, part))? {
            let read = || {
                let bytes = format::unpacked(&row, MAX_ROW_BYTES)?;
                postcard::from_bytes::<Vec<DeepLink<'static>>>(&bytes).ok()
            };
            let read = read().ok_or_else(|| rows.state().corrupt("a row of deep links"))?;
            links.extend(read.into_iter().filter_map(|link| {
                Some(Discovered {
                    url: format::unpack_url(&link.host, &link.packed)?,
                    host: link.host.into_owned(),
                    depth: depth.saturating_add(u16::from(link.step)),
                    redirects: link.redirects,
                    via: via.clone(),
                    ..Discovered::default()
                })
            }));
            part += 1;
        }
        Ok((part, links))
    }

    /// The committed URLs that have such links.
    pub(super) fn all_urls(state: &State) -> impl Iterator<Item = Result<UrlId, StorageError>> + use<> {
        let state = state.clone();
        state.scan([BEYOND]).filter_map(move |row| match row {
            Ok((key, _)) => match place_of(&key) {
                Some((id, 0)) => Some(Ok(id)),
                Some(_) => None,
                None => Some(Err(state.corrupt("a key of a deep link"))),
            },
            Err(error) => Some(Err(error)),
        })
    }

    /// Copies the committed rows of the URL `id` for the URL `to` of another state.
    pub(super) fn copy(state: &State, id: UrlId, to: UrlId, piece: &mut Piece) -> Result<(), StorageError> {
        for part in 0..=u8::MAX {
            let Some(row) = state.get(key(id, part))? else { break };
            piece.set(key(to, part), row.to_vec());
        }
        Ok(())
    }
}

/// The key of a part.
fn key(id: UrlId, part: u8) -> [u8; 10] {
    let mut key = [part; 10];
    key[..9].copy_from_slice(&format::numbered(BEYOND, id));
    key
}

/// The URL and the part of such a key.
fn place_of(key: &[u8]) -> Option<(UrlId, u8)> {
    let (part, key) = key.split_last()?;
    Some((format::number(BEYOND, key)?, *part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_long_and_every_link_is_in_one() {
        for length in [1, 40, 90, 9_000] {
            let link = |number| Discovered {
                url: format!("https://h/{number}/{}", "a".repeat(length)),
                host: "h".into(),
                depth: 3,
                ..Discovered::default()
            };
            for count in [0, 1, 127, 128, 129, 300] {
                let links: Vec<_> = (0..count).map(|number| Cow::Owned(link(number))).collect();
                let rows = DeepLinks::of(7, 2, &links).unwrap().rows;
                let read: Vec<String> = rows
                    .iter()
                    .flat_map(|row| postcard::from_bytes::<Vec<DeepLink<'_>>>(row).unwrap())
                    .map(|link| format::unpack_url(&link.host, &link.packed).unwrap())
                    .collect();
                let urls: Vec<&str> = links.iter().map(|link| link.url.as_str()).collect();
                assert_eq!(read, urls);
                let is_short = |row: &Vec<u8>| row.len() <= MAX_PACKED_ROW_BYTES + 2;
                assert!(rows.iter().all(|row| is_short(row) || row[0] == 1), "{length} {count}");
            }
        }
    }
}
