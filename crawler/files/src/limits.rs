//! The bounds of the reading.

/// Default upper bound on the bytes of a line, record or file: 64 MiB.
pub const DEFAULT_MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Bounds of the reading.
#[derive(Debug, Clone, Copy)]
pub struct InputLimits {
    /// Upper bound on the bytes of a line, a WARC record or a file after decompression, and on an HTTP body without its codings. A
    /// longer one is a fault.
    pub max_document_bytes: usize,
}

impl Default for InputLimits {
    fn default() -> Self {
        Self {
            max_document_bytes: DEFAULT_MAX_DOCUMENT_BYTES,
        }
    }
}
