//! Lines and tables of the long listing.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::Listing;

impl Listing {
    pub fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A title and the rows under it.
    pub fn section(&mut self, title: &str, table: &Table) {
        self.line(title);
        self.rows(table);
    }

    pub fn rows(&mut self, table: &Table) {
        for row in table.lines() {
            self.line(&format!(" {}", row.trim_end()));
        }
    }

    /// Names the number of rows left out, if any, and the form that has them.
    pub fn left_out(&mut self, indent: &str, all: usize, shown: usize) {
        if all > shown {
            self.line(&format!("{indent}… and {} more (--format json shows all)", all - shown));
        }
    }
}

/// A table without lines that fits the terminal.
pub(super) fn table() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table
}

pub(super) fn align_right(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}
