//! The bounds on the work and on the tree of a page, by its size and in total.
//!
//! A usual page has at most two nodes for each `<`: the element and the text behind it. A hostile page has more, because the
//! parser creates unclosed formatting elements again in each paragraph, and a node may need only three bytes of source.

use memchr::memchr_iter;

use super::{MAX_TREE_BYTES, STEPS_PER_BYTE};

/// Memory of a node: about half of it in the tree, and the rest in what later steps make of it. A rule of the user needs a copy of the
/// tree.
pub(super) const NODE_BYTES: usize = 128;

/// Memory of an attribute: its name, its value, and the allocation of a longer value.
pub(super) const ATTRIBUTE_BYTES: usize = 64;

/// Permitted nodes of any page.
const BASE_NODES: usize = 4 * 1024;

/// Further permitted nodes for each `<`.
const NODES_PER_TAG: usize = 4;

/// Nodes for each `<` for which memory is reserved in advance.
const USUAL_NODES_PER_TAG: usize = 2;

/// Memory for each byte of source beside the tree. The largest text has a word of 24 bytes for each two of its bytes; the rest is for the
/// source, the text and the compressed records.
const READING_PER_BYTE: usize = 16;

/// About the most memory in bytes that the reading of this body takes, for its tree, its text and its signature. A usual page takes less than
/// half.
#[must_use]
pub fn reading_bytes(body: &[u8]) -> usize {
    let tags = memchr_iter(b'<', body).count();
    // The counts of a chunk fit into a byte, so that the compiler counts many bytes at a time.
    let chunks = body.chunks(usize::from(u8::MAX));
    let attributes: usize = chunks
        .map(|chunk| usize::from(chunk.iter().map(|byte| u8::from(precedes_attribute(*byte))).sum::<u8>()))
        .sum();
    let tree = NODES_PER_TAG * tags * NODE_BYTES + attributes.min(tags * super::MAX_ATTRIBUTES) * ATTRIBUTE_BYTES;
    READING_PER_BYTE * body.len() + tree.min(MAX_TREE_BYTES)
}

/// Whether an attribute may begin behind this byte: the first attribute of a tag follows white space or a slash, a further one may also follow
/// the quote of a value.
fn precedes_attribute(byte: u8) -> bool {
    (byte == b' ')
        | (byte == b'\n')
        | (byte == b'\t')
        | (byte == b'\r')
        | (byte == 0x0c)
        | (byte == b'/')
        | (byte == b'"')
        | (byte == b'\'')
}

/// The most that [`reading_bytes`] says of any body of at most `longest` bytes.
#[must_use]
pub fn most_reading_bytes(longest: usize) -> usize {
    READING_PER_BYTE * longest + MAX_TREE_BYTES
}

/// The bounds on the parse of one page.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParseLimits {
    /// Most steps.
    pub(super) steps: u64,
    /// Largest tree, in bytes without its texts.
    pub(super) tree_bytes: usize,
    /// Nodes for which the tree reserves memory, so that a large tree is not copied while it grows.
    pub(super) capacity: usize,
}

impl ParseLimits {
    /// The limits for a page of this text.
    pub(super) fn of(html: &str, base_steps: u64) -> Self {
        let tags = memchr_iter(b'<', html.as_bytes()).count();
        // An attribute needs at least two bytes of source.
        let tree_bytes = (BASE_NODES + NODES_PER_TAG * tags) * NODE_BYTES + html.len() / 2 * ATTRIBUTE_BYTES;
        let usual = (USUAL_NODES_PER_TAG * tags + 8).min(MAX_TREE_BYTES / NODE_BYTES);
        Self {
            steps: base_steps + STEPS_PER_BYTE * html.len() as u64,
            tree_bytes: tree_bytes.min(MAX_TREE_BYTES),
            capacity: usual,
        }
    }
}
