//! Places in the archive: of one record, of the records of a capture, and of the archive's end.

use serde::{Deserialize, Serialize};

/// Place of one record in the archive: its gzip member, or its Zstandard frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarcLocation {
    /// Number of the file, the last part of its name.
    pub file: u32,
    /// First byte of the member.
    pub offset: u64,
    /// Length of the member in bytes.
    pub length: u64,
}

/// End of the archive: the catalogue knows every record before it and none after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct WarcEnd {
    /// Number of the last file.
    pub file: u32,
    /// Length of the last file in bytes.
    pub offset: u64,
}

/// Places of the records of one capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Archived {
    pub response: Option<WarcLocation>,
    pub text: Option<WarcLocation>,
    pub revisit: Option<WarcLocation>,
}
