//! Tables: which of them hold data, and their rows.

use html5ever::{LocalName, local_name, ns};

use super::super::display::is_heading;
use super::code;
use crate::map::Set;
use crate::parse::{Element, Node, NodeId, NodeRef, Visit};

/// Longest text of a cell in a table that is data by its look, in bytes.
const MAX_CELL_BYTES: usize = 200;

/// The same in a table whose rows have names, and each cell one line: the name, and what is said of it.
const MAX_BYTES_BESIDE_NAME: usize = 1_000;

/// Longest name of a row, in bytes.
const MAX_NAME_BYTES: usize = 80;

/// Least rows that have names.
const MIN_NAMED_ROWS: usize = 3;

/// The tables that hold data, of those that a walk has come to. The others put their cells beside each other, and each cell has blocks of its own.
///
/// A table holds data if its markup says so (`<th>`, `<caption>`, `<thead>`, `scope`), or if its rows have the same number of short
/// cells, and more than one. Beside the names of rows, a cell may be a long line. In any case no cell has a heading, another table, code of several lines, or
/// the numbers of such lines. If the table has no header, no cell
/// has a list or several paragraphs: such rows are the sections of a text, with their names beside them.
#[derive(Default)]
pub(super) struct DataTables {
    /// The outermost table of the last survey.
    outermost: Option<NodeId>,
    data: Set<NodeId>,
}

impl DataTables {
    /// Whether a table holds data. The walk comes to a table before those in it.
    pub(super) fn has(&mut self, table: NodeRef<'_>) -> bool {
        // All tables in one are surveyed with it.
        let is_surveyed = table.ancestors().any(|above| Some(above.id()) == self.outermost);
        if !is_surveyed {
            self.outermost = Some(table.id());
            self.data.extend(Survey::of(table));
        }
        self.data.contains(&table.id())
    }
}

#[derive(Default)]
struct Survey {
    open: Vec<Look>,
    /// Number of open `<pre>`.
    preformatted: usize,
    /// What the innermost of them has so far.
    lines: Lines,
    data: Set<NodeId>,
}

/// The lines of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Lines {
    #[default]
    None,
    /// One, to which text may be added.
    Open,
    /// One, which has ended.
    Ended,
    Several,
}

impl Lines {
    /// Adds text. Highlighters put each line, or each word, into an element.
    fn add(self, text: &str) -> Self {
        let code = text.trim();
        let has_break = |text: &str| text.contains('\n');
        let before = match self {
            Self::Open if has_break(&text[..text.len() - text.trim_start().len()]) => Self::Ended,
            other => other,
        };
        match before {
            _ if code.is_empty() => before,
            Self::Ended | Self::Several => Self::Several,
            _ if has_break(code) => Self::Several,
            _ if has_break(&text[text.trim_end().len()..]) => Self::Ended,
            _ => Self::Open,
        }
    }

    /// Ends a line.
    fn end(self) -> Self {
        match self {
            Self::Open => Self::Ended,
            other => other,
        }
    }
}

/// What is in a table.
#[derive(Default)]
struct Look {
    says_data: bool,
    says_layout: bool,
    /// Whether a cell has a list or a form, or several paragraphs.
    has_blocks: bool,
    /// Number of paragraphs in the open cell.
    paragraphs: usize,
    has_header: bool,
    /// Whether the open row has a `<td>`.
    has_data_cell: bool,
    rows: usize,
    /// Cells of the first row that has any, and of the open row.
    columns: usize,
    cells: usize,
    is_uneven: bool,
    cell_bytes: usize,
    longest_cell: usize,
    /// Longest first cell of a row.
    longest_name: usize,
    /// Whether a cell has a block of any kind.
    has_any_block: bool,
}

impl Look {
    fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        let has_data_cell = std::mem::take(&mut self.has_data_cell);
        if cells > 0 {
            self.has_header |= self.rows == 0 && !has_data_cell;
            self.rows += 1;
            self.is_uneven |= self.columns > 0 && self.columns != cells;
            self.columns = self.columns.max(cells);
        }
    }

    fn is_data(&self) -> bool {
        let has_names = self.rows >= MIN_NAMED_ROWS
            && self.longest_name <= MAX_NAME_BYTES
            && !self.has_any_block
            && !self.has_blocks;
        let longest = if has_names {
            MAX_BYTES_BESIDE_NAME
        } else {
            MAX_CELL_BYTES
        };
        let looks_so = self.rows > 1 && self.columns > 1 && !self.is_uneven && self.longest_cell <= longest;
        !self.says_layout && (self.says_data || looks_so) && (self.has_header || !self.has_blocks)
    }

    fn take(&mut self, element: &Element) {
        match element.name.local {
            local_name!("th") => (self.says_data, self.cells) = (true, self.cells + columns(element)),
            local_name!("td") => {
                self.has_data_cell = true;
                self.says_layout |= code::is_gutter_cell(element);
                self.says_data |= element.plain_attribute(&local_name!("scope")).is_some();
                self.cells += columns(element);
            }
            local_name!("caption") => self.says_data = true,
            local_name!("thead") => (self.says_data, self.has_header) = (true, true),
            local_name!("ul") | local_name!("ol") | local_name!("dl") | local_name!("form") => self.has_blocks = true,
            local_name!("p") | local_name!("blockquote") => {
                self.paragraphs += 1;
                self.has_blocks |= self.paragraphs > 1;
                self.has_any_block = true;
            }
            local_name!("div") | local_name!("pre") | local_name!("section") => self.has_any_block = true,
            local_name!("tr") => self.end_row(),
            _ => self.says_layout |= is_heading(&element.name.local),
        }
        if matches!(element.name.local, local_name!("td") | local_name!("th")) {
            (self.cell_bytes, self.paragraphs) = (0, 0);
        }
    }
}

impl<'t> Visit<'t> for Survey {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Text(text) => {
                if let Some(table) = self.open.last_mut() {
                    table.cell_bytes += text.trim().len();
                    table.longest_cell = table.longest_cell.max(table.cell_bytes);
                    if table.cells <= 1 {
                        table.longest_name = table.longest_name.max(table.cell_bytes);
                    }
                    if self.preformatted > 0 {
                        self.lines = self.lines.add(text);
                        table.says_layout |= self.lines == Lines::Several;
                    }
                }
                false
            }
            Node::Element(element) => {
                if element.name.ns == ns!(html) {
                    self.take(element);
                }
                true
            }
            _ => true,
        }
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        let element = node.value().as_element().filter(|element| element.name.ns == ns!(html));
        match element.map(|element| &element.name.local) {
            Some(&local_name!("pre")) => self.preformatted -= 1,
            Some(&local_name!("table")) => {
                if let Some(mut table) = self.open.pop() {
                    table.end_row();
                    if table.is_data() {
                        self.data.insert(node.id());
                    }
                }
            }
            _ => {}
        }
    }
}

impl Survey {
    /// The tables that hold data, of a table and those in it.
    fn of(table: NodeRef<'_>) -> Set<NodeId> {
        let mut survey = Self::default();
        survey.enter(table);
        table.walk(&mut survey);
        survey.leave(table);
        survey.data
    }

    fn take(&mut self, element: &Element) {
        match element.name.local {
            local_name!("table") => {
                if let Some(outer) = self.open.last_mut() {
                    outer.says_layout = true;
                }
                let role = element.plain_attribute(&local_name!("role")).unwrap_or_default();
                self.open.push(Look {
                    says_layout: matches!(role, "presentation" | "none"),
                    ..Look::default()
                });
            }
            local_name!("pre") => (self.preformatted, self.lines) = (self.preformatted + 1, Lines::None),
            local_name!("br") | local_name!("div") if self.preformatted > 0 => self.lines = self.lines.end(),
            _ => {
                if let Some(table) = self.open.last_mut() {
                    table.take(element);
                }
            }
        }
    }
}

/// Most columns and rows of a cell that are read.
const MAX_SPAN: usize = 64;

/// Number of columns of a cell.
fn columns(cell: &Element) -> usize {
    span(cell, &local_name!("colspan"))
}

fn span(cell: &Element, name: &LocalName) -> usize {
    let span = cell.plain_attribute(name).and_then(|span| span.trim().parse().ok());
    span.unwrap_or(1).clamp(1, MAX_SPAN)
}

/// The rows of a table while it is read. A cell of several columns or rows is followed by empty cells.
#[derive(Debug, Default)]
pub(super) struct Rows {
    text: String,
    /// The end of each cell in the text.
    cells: Vec<usize>,
    /// The end of each row in the cells.
    rows: Vec<usize>,
    /// Whether the first row is the header.
    has_header: bool,
    /// Number of columns of the widest row.
    columns: usize,
    open: OpenRow,
    /// For each of the first columns, the number of rows that a cell above still takes.
    spans: Vec<usize>,
}

#[derive(Debug, Default)]
struct OpenRow {
    start: usize,
    is_in_head: bool,
    has_data_cell: bool,
    has_text: bool,
}

impl Rows {
    /// Begins a row, in the `<thead>` or not.
    pub(super) fn begin_row(&mut self, is_in_head: bool) {
        self.end_row();
        self.open = OpenRow {
            start: self.cells.len(),
            is_in_head,
            ..OpenRow::default()
        };
    }

    /// Adds a cell with its Markdown.
    pub(super) fn push(&mut self, cell: &Element, text: &str) {
        self.skip_taken();
        let column = self.cells.len() - self.open.start;
        self.text.push_str(text);
        self.cells.push(self.text.len());
        self.open.has_text |= !text.is_empty();
        self.open.has_data_cell |= cell.name.local == local_name!("td");
        let (columns, rows) = (columns(cell), span(cell, &local_name!("rowspan")));
        self.cells.extend(std::iter::repeat_n(self.text.len(), columns - 1));
        if rows > 1 {
            for column in column..(column + columns).min(MAX_SPAN) {
                if self.spans.len() <= column {
                    self.spans.resize(column + 1, 0);
                }
                self.spans[column] = rows;
            }
        }
    }

    /// Adds empty cells for the cells above that take these places, too.
    fn skip_taken(&mut self) {
        while self
            .spans
            .get(self.cells.len() - self.open.start)
            .is_some_and(|left| *left > 0)
        {
            self.cells.push(self.text.len());
        }
    }

    /// Ends a row. One without text is left out.
    pub(super) fn end_row(&mut self) {
        if self.cells.len() > self.open.start {
            self.spans.iter_mut().for_each(|left| *left = left.saturating_sub(1));
        }
        if !self.open.has_text {
            self.cells.truncate(self.open.start);
            return;
        }
        if self.rows.is_empty() {
            self.has_header = self.open.is_in_head || !self.open.has_data_cell;
        }
        self.columns = self.columns.max(self.cells.len() - self.open.start);
        self.rows.push(self.cells.len());
        self.open.start = self.cells.len();
        self.open.has_text = false;
    }

    /// The table as Markdown; empty without text. A table without a header has an empty one.
    pub(super) fn into_markdown(mut self) -> String {
        self.end_row();
        let mut out = String::with_capacity(self.text.len() + 3 * self.cells.len());
        let (mut text_start, mut row_start) = (0, 0);
        if !self.rows.is_empty() && !self.has_header {
            self.push_header_end(&mut out, 0);
        }
        for (row, row_end) in self.rows.iter().enumerate() {
            if !out.is_empty() {
                out.push('\n');
            }
            for cell_end in &self.cells[row_start..*row_end] {
                out.push_str("| ");
                out.push_str(&self.text[text_start..*cell_end]);
                out.push(' ');
                text_start = *cell_end;
            }
            out.push('|');
            if row == 0 && self.has_header {
                let cells = *row_end - row_start;
                out.pop();
                self.push_header_end(&mut out, cells);
            }
            row_start = *row_end;
        }
        out
    }

    /// Ends the header, which has so many cells, and adds the line under it.
    fn push_header_end(&self, out: &mut String, cells: usize) {
        out.push_str(&"|  ".repeat(self.columns - cells));
        out.push_str("|\n");
        out.push_str(&"| --- ".repeat(self.columns));
        out.push('|');
    }
}
