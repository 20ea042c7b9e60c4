//! How files are read.

use super::document::Fields;
use super::limits::InputLimits;
use config::settings::ExtractRules;

/// How files are read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The fields of JSON lines.
    pub fields: Fields,
    /// Bounds.
    pub limits: InputLimits,
    /// What the user declares to be the content of pages.
    pub extract: ExtractRules,
}
