//! Where an export goes.

use std::path::PathBuf;

/// Where an export goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output.
    Stdout,
    /// One file; compressed if its name ends in `.gz` or `.zst`.
    File(PathBuf),
    /// A folder with one file a page.
    Folder(PathBuf),
}
