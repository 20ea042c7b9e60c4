//! What a layout costs, reckoned before an index is made.

use super::{Block, Layout, LayoutError};
use crate::fingerprint::Width;
use crate::index::footprint;

/// What a layout costs at a number of documents whose fingerprints are random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Tables of buckets: the blocks that are searched.
    pub tables: usize,
    /// Bits of the narrowest key.
    pub prefix_bits: u32,
    /// Buckets that a query looks into.
    pub probes: u64,
    /// Entries that a query meets in them, expected. An entry takes no more than a comparison until it proves near.
    pub candidates: f64,
    /// Bytes a fingerprint, with its id, takes in memory.
    pub memory_bytes: f64,
    /// Bytes a fingerprint, with its id, takes in the rows of the sled trees, before sled's own.
    pub row_bytes: f64,
}

impl Layout {
    /// What it costs at so many documents.
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
            memory_bytes: footprint::in_memory(self, documents),
            row_bytes: footprint::in_rows(self, documents),
        }
    }
}

/// The layouts worth considering for a distance, by rising number of blocks: those that search every block and meet
/// fewer entries than a scan over all documents.
///
/// # Errors
/// No layout guarantees the distance.
pub fn trade_offs(width: Width, distance: u32, documents: u64) -> Result<Vec<(Layout, Costs)>, LayoutError> {
    // With more blocks than distance + 1 some go unsearched.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_are_those_of_manku_and_others() {
        // 2^34 fingerprints, four tables of 16 bits: 2^18 candidates a table.
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
