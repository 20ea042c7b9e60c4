//! Layouts that cannot be.

use super::MAX_PROBES;

/// A layout that cannot be made; the message says what to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutError {
    /// A fingerprint cannot be cut into so many blocks.
    Blocks {
        /// The blocks asked for.
        blocks: usize,
        /// The width.
        bits: u32,
    },
    /// The layout is for fingerprints of another width.
    Width {
        /// The layout's width.
        layout: u32,
        /// The fingerprints'.
        words: u32,
    },
    /// So wide a distance cannot be guaranteed within [`MAX_PROBES`].
    Distance {
        /// The distance asked for.
        distance: u32,
        /// The width.
        bits: u32,
        /// The blocks asked for.
        blocks: usize,
        /// The largest distance that so many blocks guarantee.
        largest: Option<u32>,
        /// The fewest blocks more that guarantee the distance.
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
                    "a layout of {layout} bits cannot hold fingerprints of {words}: choose one of {words} bits"
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
                    "a Hamming distance of {distance} of {bits} bits is more than {blocks} blocks can guarantee to find \
                     within {MAX_PROBES} probes"
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
