//! The costs of a layout, computed before an index is made.

use crate::fingerprint::Width;
use crate::index::MAX_BUCKET_BITS;
use crate::layout::{Block, Layout, LayoutError};

/// Costs of a layout for a number of documents with random fingerprints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Tables of buckets: one per searched block.
    pub tables: usize,
    /// Bits of the narrowest key.
    pub prefix_bits: u32,
    /// Buckets that a query probes.
    pub probes: u64,
    /// Expected number of entries in these buckets. Each costs at most one comparison, unless its fingerprint is near.
    pub candidates: f64,
    /// Bytes per fingerprint, with its id, in memory.
    pub memory_bytes: f64,
}

impl Layout {
    /// The costs of the layout for this many documents.
    #[must_use]
    pub fn costs(self, documents: u64) -> Costs {
        let documents = documents.max(1) as f64;
        let searched = || self.blocks().filter(|block| block.radius.is_some());
        let candidates = |block: Block| block.probes() as f64 * documents / f64::from(block.bits).exp2();
        Costs {
            tables: searched().count(),
            prefix_bits: searched().map(|block| block.bits).min().unwrap_or(0),
            probes: self.probes(),
            candidates: searched().map(candidates).sum(),
            memory_bytes: bytes_in_memory(self, documents),
        }
    }
}

/// The layouts worth considering for a distance, by rising number of blocks: those that search every block and meet
/// fewer entries than a scan over all documents.
///
/// # Errors
/// No layout guarantees the distance.
pub fn trade_offs(width: Width, distance: u32, documents: u64) -> Result<Vec<(Layout, Costs)>, LayoutError> {
    // With more blocks than distance + 1, some blocks are not searched.
    let most = (distance as usize + 1).min(width.bits() as usize);
    let made = (1..=most).filter_map(|blocks| Layout::new(width, blocks, distance).ok());
    let costs = made.map(|layout| (layout, layout.costs(documents)));
    let rows: Vec<_> = costs.filter(|(_, costs)| costs.candidates < documents as f64).collect();
    if rows.is_empty() {
        let default = Layout::for_distance(width, distance)?;
        return Ok(vec![(default, default.costs(documents))]);
    }
    Ok(rows)
}

/// Bytes per fingerprint in memory. The word and its id are stored once. Each table adds an entry of 8 bytes with a
/// sixteenth of unused room, the head of a bucket with room for two more entries, and the unused part of the
/// allocator's blocks. Measured with four blocks of 64 bits: 60 bytes at 10^6, 57 at 10^7, 51 at 10^8.
fn bytes_in_memory(layout: Layout, documents: f64) -> f64 {
    let (word, id, entry, head) = (f64::from(layout.width().bits()) / 8.0, 8.0, 8.0, 8.75);
    let searched = layout.blocks().filter(|block| block.radius.is_some());
    let table = |bits: u32| {
        let buckets = f64::from(bits.min(MAX_BUCKET_BITS)).exp2();
        1.08 * (entry * 17.0 / 16.0 + 2.0 * entry * buckets / documents) + head * buckets / documents
    };
    (word + id) * 17.0 / 16.0 + searched.map(|block| table(block.bits)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_of_four_tables_are_the_published_ones() {
        // Manku, Jain, Das Sarma 2007: 2^34 fingerprints, four tables of 16 bits, 2^18 candidates per table.
        let costs = Layout::new(Width::W64, 4, 3).unwrap().costs(1 << 34);
        assert_eq!((costs.tables, costs.prefix_bits, costs.probes), (4, 16, 4));
        assert_eq!(costs.candidates, 4.0 * 262_144.0);
    }

    #[test]
    fn more_blocks_take_more_memory_and_fewer_probes() {
        for (width, distance) in [(Width::W32, 3), (Width::W64, 3), (Width::W64, 10), (Width::W128, 10)] {
            let rows = trade_offs(width, distance, 100_000_000).unwrap();
            assert!(rows.len() > 1, "{rows:?}");
            for (layout, costs) in &rows {
                assert_eq!(layout.max_distance(), distance);
                assert_eq!(costs.tables, layout.blocks().len());
            }
            assert!(
                rows.is_sorted_by(|a, b| a.1.memory_bytes < b.1.memory_bytes && a.1.probes >= b.1.probes),
                "{rows:#?}"
            );
        }
        assert!(trade_offs(Width::W32, 31, 1_000_000).is_err());
    }
}
