//! Partitions: the unit of ownership. All hosts of one registrable domain are in one partition.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Number of partitions of a crawl, unless its first worker chose another.
pub const DEFAULT_PARTITIONS: u16 = 1_024;

/// A partition, below the number of partitions of the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Partition(pub u16);

impl Partition {
    /// The partition of a registrable domain, or of an address.
    #[must_use]
    pub fn of_site(site: &str, partitions: u16) -> Self {
        let hash = xxh3_64(site.as_bytes()) % u64::from(partitions.max(1));
        Self(u16::try_from(hash).unwrap_or_default())
    }
}

/// How often a partition has changed hands. A write that carries an older epoch than that of the partition is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Epoch(pub u64);

/// The number of a worker in the crawl, from 1. A data folder keeps its number for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WorkerNumber(pub u16);

/// A page of the fleet: the worker that fetched it, and its sequence number in the data folder of that worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageId {
    /// The worker.
    pub worker: WorkerNumber,
    /// Its sequence number there, below 2^48.
    pub sequence: u64,
}

impl PageId {
    /// Bits of the sequence number in the packed form.
    const SEQUENCE_BITS: u32 = 48;

    /// What the log has in the place of a page to say that a worker is forgotten. No page has this number.
    #[must_use]
    pub fn that_forgets(worker: WorkerNumber) -> Self {
        Self {
            worker,
            sequence: (1 << Self::SEQUENCE_BITS) - 1,
        }
    }

    /// The worker that is forgotten from this place of the log on; `None` for a page.
    #[must_use]
    pub fn forgets(self) -> Option<WorkerNumber> {
        (self == Self::that_forgets(self.worker)).then_some(self.worker)
    }

    /// The worker in the upper 16 bits, the sequence number in the others. A page of a crawl without a fleet has no worker, so its
    /// number and a packed one never meet.
    #[must_use]
    pub fn packed(self) -> u64 {
        u64::from(self.worker.0) << Self::SEQUENCE_BITS | self.sequence & ((1 << Self::SEQUENCE_BITS) - 1)
    }

    /// The page of a packed number; `None` for a page of the data folder's own.
    #[must_use]
    pub fn unpacked(packed: u64) -> Option<Self> {
        let worker = u16::try_from(packed >> Self::SEQUENCE_BITS)
            .ok()
            .filter(|worker| *worker > 0)?;
        Some(Self {
            worker: WorkerNumber(worker),
            sequence: packed & ((1 << Self::SEQUENCE_BITS) - 1),
        })
    }
}
