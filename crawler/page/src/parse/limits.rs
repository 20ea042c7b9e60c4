//! How much work and how large a tree a page may cause: by its size, and whatever its size.
//!
//! An honest page has at most two nodes for each `<`: the element and the text behind it. A hostile one has more, because
//! formatting elements that it never closes are made anew in each paragraph, and its nodes may be of three bytes each.

use memchr::memchr_iter;
use scraper::Node;

use super::{MAX_TREE_BYTES, STEPS_PER_BYTE};

/// What a node takes: itself and its five links in the tree.
pub(super) const NODE_BYTES: usize = size_of::<Node>() + 5 * size_of::<usize>();

/// What an attribute takes: its name, its value, and the allocation of a longer value.
pub(super) const ATTRIBUTE_BYTES: usize = 64;

/// Nodes that every page may have.
const BASE_NODES: usize = 4 * 1024;

/// The further nodes for each `<`.
const NODES_PER_TAG: usize = 4;

/// The longest tree for which room is made before it is known to be needed, in nodes for each `<`.
const USUAL_NODES_PER_TAG: usize = 2;

/// What the parse of one page may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParseLimits {
    /// See [`super::STEPS_PER_BYTE`].
    pub(super) steps: u64,
    /// Of the tree, its texts left out.
    pub(super) tree_bytes: usize,
    /// Nodes that the tree has room for from the beginning, so that a large one is never copied as it grows.
    pub(super) capacity: usize,
}

impl ParseLimits {
    /// The limits for a page of this text.
    pub(super) fn of(html: &str, base_steps: u64) -> Self {
        let tags = memchr_iter(b'<', html.as_bytes()).count();
        // Attributes are bounded by the bytes of the page, two for each.
        let tree_bytes = (BASE_NODES + NODES_PER_TAG * tags) * NODE_BYTES + html.len() / 2 * ATTRIBUTE_BYTES;
        let usual = (USUAL_NODES_PER_TAG * tags + 8).min(MAX_TREE_BYTES / NODE_BYTES);
        Self {
            steps: base_steps + STEPS_PER_BYTE * html.len() as u64,
            tree_bytes: tree_bytes.min(MAX_TREE_BYTES),
            capacity: usual,
        }
    }
}
