//! Errors of layouts.

use super::MAX_PROBES;

/// An impossible layout; the message names a possible one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutError {
    /// A fingerprint cannot be cut into this many blocks.
    Blocks {
        /// The number of blocks asked for.
        blocks: usize,
        /// The width in bits.
        bits: u32,
    },
    /// The fingerprints have another width than the layout.
    Width {
        /// The width of the layout in bits.
        layout: u32,
        /// The width of the fingerprints in bits.
        words: u32,
    },
    /// The distance cannot be guaranteed with at most 16,384 probes.
    Distance {
        /// The distance asked for.
        distance: u32,
        /// The width in bits.
        bits: u32,
        /// The number of blocks asked for.
        blocks: usize,
        /// The largest distance that this many blocks guarantee.
        largest: Option<u32>,
        /// The next larger number of blocks that guarantees the distance.
        enough_blocks: Option<usize>,
    },
}

impl std::error::Error for LayoutError {}

impl std::fmt::Display for LayoutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Blocks { blocks, bits } => {
                write!(f, "{bits} bits cannot be cut into {blocks} blocks: choose 1 to {bits}")
            }
            Self::Width { layout, words } => {
                write!(
                    f,
                    "a layout of {layout} bits cannot hold fingerprints of {words} bits: choose a layout of {words} bits"
                )
            }
            Self::Distance {
                distance,
                bits,
                blocks,
                largest,
                enough_blocks,
            } => {
                write!(
                    f,
                    "{blocks} blocks of a fingerprint of {bits} bits cannot guarantee a Hamming distance of {distance} within \
                     {MAX_PROBES} probes"
                )?;
                match (largest, enough_blocks) {
                    (Some(largest), Some(enough)) => {
                        write!(f, ": choose at most {largest} bits, or {enough} blocks or more")
                    }
                    (Some(largest), None) => write!(f, ": choose at most {largest} bits"),
                    (None, Some(enough)) => write!(f, ": choose {enough} blocks or more"),
                    (None, None) => write!(f, ": choose a smaller distance"),
                }
            }
        }
    }
}
