//! Pages elsewhere: a crawl with several folders has one catalogue for each, and a page may be a duplicate of a page in another folder.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason of an exclusion: the URL has its outcome in the folder of another worker. A merge leaves such exclusions out.
pub const FETCHED_ELSEWHERE: &str = "another worker of the fleet fetched it";

/// The reason of an exclusion: the page that the verdict named is lost, with the data of the servers or with the folder of its worker. So the
/// URL is fetched again. A merge leaves such exclusions out.
pub const KEPT_PAGE_LOST: &str = "the page that its verdict named is lost, so it is to be fetched again";

/// The reasons for which a URL is excluded that another worker is to fetch, or this one again.
pub const IS_LEFT: [&str; 2] = [FETCHED_ELSEWHERE, KEPT_PAGE_LOST];

/// Bits of the sequence number in the packed form.
const SEQUENCE_BITS: u32 = 48;

/// A page in the catalogue of another worker of the crawl. [`Verdict::of`](crate::Verdict::of) has it in its packed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageElsewhere {
    /// The number of that worker, from 1.
    pub worker: u16,
    /// The sequence number of the page in that worker's catalogue, below 2^48.
    pub sequence: u64,
}

impl PageElsewhere {
    /// The worker in the upper 16 bits, the sequence number in the others.
    #[must_use]
    pub fn packed(self) -> u64 {
        u64::from(self.worker) << SEQUENCE_BITS | self.sequence & ((1 << SEQUENCE_BITS) - 1)
    }

    /// The number of a page in this catalogue, for a packed number that an index over several folders holds. The number of a page of
    /// another folder stays packed.
    #[must_use]
    pub fn own_number(number: u64, worker: Option<u16>) -> u64 {
        match Self::unpacked(number) {
            Some(page) if Some(page.worker) == worker => page.sequence,
            _ => number,
        }
    }

    /// The page of a packed number; `None` for the sequence number of a page in this catalogue.
    #[must_use]
    pub fn unpacked(number: u64) -> Option<Self> {
        let worker = u16::try_from(number >> SEQUENCE_BITS)
            .ok()
            .filter(|worker| *worker > 0)?;
        Some(Self {
            worker,
            sequence: number & ((1 << SEQUENCE_BITS) - 1),
        })
    }
}

impl fmt::Display for PageElsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "page {} of worker {}", self.sequence, self.worker)
    }
}

/// What this folder has of another worker's kept page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptElsewhere {
    /// Its URL.
    pub url: String,
    /// Its signature, as in [`PageDraft::signature`](crate::PageDraft::signature).
    pub signature: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_number_can_be_read_back_and_never_equals_a_number_of_this_catalogue() {
        for (worker, sequence) in [(1, 0), (1, 7), (9, (1 << 48) - 1), (u16::MAX, 12)] {
            let page = PageElsewhere { worker, sequence };
            assert_eq!(PageElsewhere::unpacked(page.packed()), Some(page));
        }
        for own in [0, 1, (1 << 48) - 1] {
            assert_eq!(PageElsewhere::unpacked(own), None);
        }
        let page = PageElsewhere {
            worker: 2,
            sequence: 31,
        };
        assert_eq!(page.to_string(), "page 31 of worker 2");
    }
}
