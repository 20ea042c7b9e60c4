//! A table with pages: the first page as HTML, the other rows as JSON.

use serde_json::Value;

use super::assets::island;
use super::budget::Budget;
use super::web_text::WebUrl;
use terminal::units::grouped;

/// Rows of a page; the script uses the same number.
pub(super) const PAGE: usize = 25;

/// Columns that have room in half a window.
const NARROW: usize = 5;

/// The class of a column with links.
const LINK: &str = "u link";

/// Characters of a URL in a table.
const URL_CHARS: usize = 300;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub name: &'static str,
    /// `n`: numbers, aligned right; `u`: URLs and patterns of URLs; `u link`: URLs that a link opens; `t`: other text.
    pub class: &'static str,
}

impl Column {
    /// A cell: a link in a column of links, otherwise the text.
    fn cell(self, text: String) -> WebUrl {
        match self.class {
            LINK => WebUrl::of(&text, URL_CHARS),
            _ => WebUrl {
                shown: text,
                href: None,
            },
        }
    }
}

pub(super) const fn number(name: &'static str) -> Column {
    Column { name, class: "n" }
}

pub(super) const fn url(name: &'static str) -> Column {
    Column { name, class: "u" }
}

pub(super) const fn link(name: &'static str) -> Column {
    Column { name, class: LINK }
}

pub(super) const fn text(name: &'static str) -> Column {
    Column { name, class: "t" }
}

/// A table.
#[derive(Debug)]
pub(crate) struct List {
    pub id: &'static str,
    pub caption: &'static str,
    pub columns: Vec<Column>,
    pub first: Vec<Vec<WebUrl>>,
    /// The rows after the first page, as JSON.
    pub rest: String,
    /// Rows in the document, on any page.
    pub listed: usize,
    /// A sentence about the rows left out; empty if there are none.
    pub left_out: String,
}

impl List {
    /// A list of the `rows` for which there is room.
    pub fn of<const N: usize>(
        id: &'static str,
        caption: &'static str,
        columns: [Column; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Self {
        let mut budget = Budget::of(super::LIST_BYTES);
        let (mut first, mut rest, mut left_out) = (Vec::new(), Vec::new(), 0_u64);
        for row in rows {
            let cells = row.into_iter().zip(&columns);
            let row: Vec<WebUrl> = cells.map(|(cell, column)| column.cell(cell)).collect();
            if first.len() < PAGE {
                first.push(row);
            } else if left_out == 0 && budget.take(row.iter().map(WebUrl::bytes).sum()) {
                rest.push(Value::Array(row.iter().map(WebUrl::json).collect()));
            } else {
                left_out += 1;
            }
        }
        Self {
            id,
            caption,
            columns: columns.into(),
            listed: first.len() + rest.len(),
            first,
            rest: island(&Value::Array(rest)),
            left_out: left_out_words(left_out, "the report as JSON lists all"),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Whether the columns need a wide window.
    pub fn is_wide(&self) -> bool {
        self.columns.len() > NARROW
    }

    /// Whether there is more than one page.
    pub fn is_paged(&self) -> bool {
        self.listed > PAGE
    }
}

/// The sentence about rows without room.
pub(super) fn left_out_words(left_out: u64, instead: &str) -> String {
    match left_out {
        0 => String::new(),
        _ => format!(
            "{} more are not shown, to limit the size of this page: {instead}.",
            grouped(left_out)
        ),
    }
}
