//! Which rows are copied, and which columns are added to them.

use crate::document::Row;

/// The fields of a line that names a row.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "nobody reads these lines"))]
pub(super) const FILE: &str = "file";
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "nobody reads these lines"))]
pub(super) const ROW: &str = "row";

/// A row as a line of JSON, for [`copy_rows`](super::copy_rows), without its line end.
#[must_use]
pub fn row_line(row: Row) -> String {
    format!("{{\"{FILE}\":{},\"{ROW}\":{}}}", row.file, row.number)
}

/// A column that a copy has in addition to those of its table. Any value may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedColumn {
    /// Its name. It replaces a column of the table with this name.
    pub name: &'static str,
    /// What it holds.
    pub kind: AddedKind,
}

/// What an added column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Int32,
    /// Numbers with a fraction.
    Float,
    /// Ids: they have the type of the id column if that has a whole number in each row, and are texts otherwise.
    Id,
}
