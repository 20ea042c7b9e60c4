//! Which rows are copied, and with what beside their columns.

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

/// A column that a copy has beside those of its table. All its values may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedColumn {
    /// Its name. A column of the table with this name makes way.
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
    /// Ids: of the type of the id column if that has a whole number in each row, otherwise texts.
    Id,
}
