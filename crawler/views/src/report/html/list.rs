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
            _ => WebUrl::text(text),
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
    /// The name of the table, for files and screen readers.
    pub caption: &'static str,
    /// What is shown above the table; empty where a heading says all.
    pub order: &'static str,
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
        let cells = rows.into_iter().map(|row| {
            let mut at = 0;
            row.map(|text| {
                at += 1;
                columns[at - 1].cell(text)
            })
        });
        Self::of_cells(id, caption, columns, cells)
    }

    /// A list of `rows` of cells. A column without content, except the first, is left out.
    pub fn of_cells<const N: usize>(
        id: &'static str,
        caption: &'static str,
        columns: [Column; N],
        rows: impl IntoIterator<Item = [WebUrl; N]>,
    ) -> Self {
        let mut budget = Budget::of(super::LIST_BYTES);
        let (mut listed, mut left_out) = (Vec::new(), 0_u64);
        for row in rows {
            if listed.len() < PAGE || left_out == 0 && budget.take(row.iter().map(WebUrl::bytes).sum()) {
                listed.push(row);
            } else {
                left_out += 1;
            }
        }
        let has_content = |at: usize| at == 0 || listed.iter().any(|row| !row[at].shown.is_empty());
        let shown: [bool; N] = std::array::from_fn(has_content);
        let of_shown = |row: [WebUrl; N]| {
            row.into_iter()
                .zip(shown)
                .filter_map(|(cell, is_shown)| is_shown.then_some(cell))
        };
        let count = listed.len();
        let mut rows = listed.into_iter().map(|row| of_shown(row).collect::<Vec<_>>());
        let first = rows.by_ref().take(PAGE).collect();
        let rest = rows.map(|row| Value::Array(row.iter().map(WebUrl::json).collect()));
        let rest = island(&Value::Array(rest.collect()));
        let columns = columns.into_iter().zip(shown);
        Self {
            id,
            caption,
            order: caption,
            columns: columns
                .filter_map(|(column, is_shown)| is_shown.then_some(column))
                .collect(),
            listed: count,
            first,
            rest,
            left_out: left_out_words(left_out, "the report as JSON lists all"),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The room that the columns need, as a class of the style.
    pub fn room(&self) -> &'static str {
        let texts = self.columns.iter().filter(|column| column.class != "n").count();
        match (self.columns.len() > NARROW, texts) {
            (false, _) => "",
            (true, 1) => " numbers",
            (true, _) => " wide",
        }
    }

    /// The same table under a heading that has its name: only the order of the rows is left to say.
    pub(super) fn under_its_heading(self, order: &'static str) -> Self {
        Self { order, ..self }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_without_content_is_left_out_on_every_page() {
        let rows = (0..PAGE + 2).map(|at| {
            [
                at.to_string(),
                String::new(),
                if at > PAGE { "x" } else { "" }.to_owned(),
            ]
        });
        let list = List::of("a", "b", [text("one"), text("two"), text("three")], rows);
        let names: Vec<&str> = list.columns.iter().map(|column| column.name).collect();
        assert_eq!(names, ["one", "three"]);
        assert!(list.first.iter().all(|row| row.len() == 2));
        assert_eq!(list.rest, r#"[["25",""],["26","x"]]"#);
        let empty = List::of("a", "b", [text("one")], [[String::new()]]);
        assert_eq!(empty.columns.len(), 1, "the first column stays");
    }
}
