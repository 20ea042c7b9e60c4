//! URLs as the servers keep them: rows of the queue, and hashes in sets.
//!
//! ```text
//! row      = hash(7) flags(1) priority(1) redirects(1) depth(varint) rest of the URL
//! hash     = the upper 53 bits of xxh3_64, big-endian
//! flags    = bit 0: seed; bits 1..=3: how the URL begins (table below); bit 4, set by the servers: the row lowers the depth of a URL
//!            that was known; bit 5, set in answers only: that URL is finished
//! ```

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::FleetError;

/// Hash of a canonical URL. The servers keep its upper 53 bits, which the numbers of Lua hold exactly. A partition with 10^6 URLs has
/// two with the same bits with a probability of 1 in 18,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlHash(pub u64);

impl UrlHash {
    /// Of a canonical URL.
    #[must_use]
    pub fn of(url: &str) -> Self {
        Self(xxh3_64(url.as_bytes()))
    }

    pub(crate) fn packed(self) -> [u8; 7] {
        let [_, packed @ ..] = (self.0 >> 11).to_be_bytes();
        packed
    }
}

/// The depth of a URL of which only the name is known. It lowers no depth, and every smaller one lowers it.
pub const UNKNOWN_DEPTH: u16 = u16::MAX - 1;

/// The flags of a row that say how the URL begins, and that the URL is finished.
const BEGINNING: u8 = 0b1110;
const FINISHED: u8 = 1 << 5;

/// A URL that waits to be fetched. Letters in data folders have these fields in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingUrl {
    /// The canonical URL.
    pub url: String,
    /// Links from the nearest seed.
    pub depth: u16,
    /// Redirects that led here without a page between.
    pub redirects: u8,
    /// The caller's own.
    pub priority: u8,
    /// Whether the user named it.
    pub is_seed: bool,
}

/// Beginnings that a row names by number, longest first among those that begin alike.
const BEGINNINGS: [&str; 5] = ["", "https://www.", "https://", "http://www.", "http://"];

/// The number of a URL's beginning, and the rest.
pub(crate) fn shortened(url: &str) -> (u8, &str) {
    (1_u8..)
        .zip(&BEGINNINGS[1..])
        .find_map(|(number, beginning)| Some((number, url.strip_prefix(beginning)?)))
        .unwrap_or((0, url))
}

/// The URL of [`shortened`].
pub(crate) fn lengthened(number: u8, rest: &str) -> Option<String> {
    Some(format!("{}{rest}", BEGINNINGS.get(usize::from(number))?))
}

impl WaitingUrl {
    /// Its hash.
    #[must_use]
    pub fn hash(&self) -> UrlHash {
        UrlHash::of(&self.url)
    }

    pub(crate) fn row(&self) -> Vec<u8> {
        let (beginning, rest) = shortened(&self.url);
        let mut row = Vec::with_capacity(rest.len() + 13);
        row.extend_from_slice(&self.hash().packed());
        row.extend_from_slice(&[u8::from(self.is_seed) | beginning << 1, self.priority, self.redirects]);
        let mut depth = self.depth;
        while depth >= 0x80 {
            row.push((depth & 0x7f) as u8 | 0x80);
            depth >>= 7;
        }
        row.push(depth as u8);
        row.extend_from_slice(rest.as_bytes());
        row
    }

    /// Whether a row that came from the servers only lowers the depth of a finished URL.
    pub(crate) fn is_finished(row: &[u8]) -> bool {
        row.get(7).is_some_and(|flags| flags & FINISHED != 0)
    }

    pub(crate) fn of_row(row: &[u8]) -> Result<Self, FleetError> {
        Self::read(row).ok_or_else(|| FleetError::Damaged(format!("a row of the queue ({} bytes)", row.len())))
    }

    fn read(row: &[u8]) -> Option<Self> {
        let [flags, priority, redirects, rest @ ..] = row.get(7..)? else {
            return None;
        };
        let mut depth: u16 = 0;
        let mut used = 0;
        loop {
            let byte = *rest.get(used)?;
            depth |= u16::from(byte & 0x7f).checked_shl(7 * u32::try_from(used).ok()?)?;
            used += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(Self {
            url: lengthened((flags & BEGINNING) >> 1, std::str::from_utf8(&rest[used..]).ok()?)?,
            depth,
            redirects: *redirects,
            priority: *priority,
            is_seed: flags & 1 == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_holds_a_waiting_url(
            beginning in "(https?://(www\\.)?)?", rest in "[a-zäö/.]{0,30}", depth: u16, redirects: u8, priority: u8, is_seed: bool
        ) {
            let url = WaitingUrl { url: format!("{beginning}{rest}"), depth, redirects, priority, is_seed };
            let mut row = url.row();
            prop_assert!(!WaitingUrl::is_finished(&row));
            prop_assert_eq!(&WaitingUrl::of_row(&row).unwrap(), &url);
            row[7] |= 0b11_0000;
            prop_assert!(WaitingUrl::is_finished(&row));
            prop_assert_eq!(WaitingUrl::of_row(&row).unwrap(), url);
        }

        #[test]
        fn bytes_that_are_no_row_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            let _ = WaitingUrl::of_row(&bytes);
        }
    }
}
