//! How files are read.

use super::document::Fields;
use super::limits::InputLimits;
use config::settings::ExtractRules;

/// How files are read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The fields of JSON lines, and the columns of tables.
    pub fields: Fields,
    /// Bounds.
    pub limits: InputLimits,
    /// What the user declares to be the content of pages.
    pub extract: ExtractRules,
    /// Each line of a text file is a document.
    pub splits_lines: bool,
    /// A document that is a row has all columns of its table in [`Document::line`](super::Document::line), and not only those of `fields`.
    pub whole_rows: bool,
    /// Pages in HTML are tested for [walls](page::Wall).
    pub walls: bool,
    /// The files were read before: warnings about them were given.
    pub is_again: bool,
}
