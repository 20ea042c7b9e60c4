//! The links of a URL that were too deep to be queued.

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

/// Links for a row: how many, and one behind the other.
#[derive(Default)]
struct RowLinks {
    count: u64,
    bytes: Vec<u8>,
}

impl RowLinks {
    /// The form of a list, which begins with its length.
    fn list(self) -> Result<Vec<u8>, StorageError> {
        let mut list = format::encode(&self.count)?;
        list.extend(self.bytes);
        Ok(list)
    }
}

impl DeepLinks {
    pub(super) fn of(id: UrlId, depth: u16, links: &[Cow<'_, Discovered>]) -> Result<Self, StorageError> {
        let (mut rows, mut row) = (Vec::new(), RowLinks::default());
        for link in links {
            let link = format::encode(&DeepLink {
                packed: format::pack_url(&link.host, &link.url),
                host: Cow::Borrowed(&link.host),
                redirects: link.redirects,
                step: u8::from(link.depth > depth),
            })?;
            let is_full = row.count == LINKS_A_ROW || row.bytes.len() + link.len() > MAX_PACKED_ROW_BYTES;
            if is_full && row.count > 0 {
                rows.push(std::mem::take(&mut row).list()?);
            }
            row.count += 1;
            row.bytes.extend(link);
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
