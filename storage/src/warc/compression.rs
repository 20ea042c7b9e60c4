//! The compressions of WARC files.

use serde::{Deserialize, Serialize};

/// How the records of a WARC file are compressed, each for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// One gzip member a record (RFC 1952; ISO 28500:2017, annex D), in files named `.warc.gz`.
    #[default]
    Gzip,
    /// One Zstandard frame a record (RFC 8878; IIPC, "Zstandard Compression for WARC Files 1.0"), in files named `.warc.zst`.
    Zstd,
}

impl Compression {
    /// Every compression.
    pub(crate) const ALL: [Self; 2] = [Self::Gzip, Self::Zstd];

    /// The end of the names of files, such as `.warc.gz`.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Gzip => ".warc.gz",
            Self::Zstd => ".warc.zst",
        }
    }

    /// The compression of a file with this name, and the name without its end; `None` if it is not the name of a compressed WARC file.
    #[must_use]
    pub fn of_name(name: &str) -> Option<(Self, &str)> {
        let of = |compression: Self| Some((compression, name.strip_suffix(compression.suffix())?));
        Self::ALL.into_iter().find_map(of)
    }
}
