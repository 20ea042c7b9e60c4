//! Finds the rows and cells of a table.
//!
//! ```text
//!           other                   "
//!   Start ────────▶ Plain   Quoted ◀──▶ Closed ── other ──▶ Plain
//!     └── " ─────────────────▶┘
//! ```
//!
//! From every state but `Quoted`, a separator begins the next cell, and a line end the next row.
//!
//! The crate `csv` finds the same cells, as a test checks. It is not used here, because it tells neither an empty text from an empty cell nor
//! that a quote is never closed, which loses all rows behind it, and because its rows have no bound.

/// The most cells of a row that is not yet known to have too many.
const MAX_COLUMNS: usize = 10_000;

/// A row, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The line on which it begins, counted from 1.
    pub line: u64,
    pub row: Result<Row, Flaw>,
}

/// Why a row is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is over the limit.
    TooLong,
    /// It ends with the file, in a quoted cell.
    Open,
}

/// The cells of a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    bytes: Vec<u8>,
    /// Where each cell ends in `bytes`, and whether it has quotes.
    ends: Vec<(usize, bool)>,
    /// The number of cells, also of those that are not in `ends`.
    cells: usize,
}

impl Row {
    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The number of bytes in its cells.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The cells in order; `None` for an empty cell without quotes.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, is_quoted))| {
            let cell = &self.bytes[start..*end];
            (*is_quoted || !cell.is_empty()).then_some(cell)
        })
    }

    fn is_blank(&self) -> bool {
        self.bytes.is_empty() && matches!(self.ends[..], [] | [(_, false)]) && self.cells <= 1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: the end of the cell, or the first of two.
    Closed,
}

/// Cuts a table into rows.
#[derive(Debug)]
pub(super) struct Cutter {
    separator: u8,
    limit: usize,
    max_cells: usize,
    state: State,
    row: Row,
    is_quoted: bool,
    is_too_long: bool,
    /// The current line, and that on which the row begins.
    line: u64,
    row_line: u64,
    /// The last byte was CR, and a LF behind it belongs to the same line end.
    was_cr: bool,
    cuts: Vec<Cut>,
}

impl Cutter {
    pub fn new(separator: u8, limit: usize) -> Self {
        Self {
            separator,
            limit,
            max_cells: MAX_COLUMNS,
            state: State::Start,
            row: Row::default(),
            is_quoted: false,
            is_too_long: false,
            line: 1,
            row_line: 1,
            was_cr: false,
            cuts: Vec::new(),
        }
    }

    /// Says how many cells a row has. More are counted and not kept.
    pub fn expect(&mut self, columns: usize) {
        self.max_cells = columns;
    }

    /// What was found since the last call.
    pub fn take(&mut self) -> Vec<Cut> {
        std::mem::take(&mut self.cuts)
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if std::mem::take(&mut self.was_cr) && byte == b'\n' {
                rest = after;
                continue;
            }
            rest = match self.state {
                State::Quoted => self.in_quotes(rest),
                State::Plain => self.in_plain(rest),
                State::Start if byte == b'"' => {
                    (self.state, self.is_quoted) = (State::Quoted, true);
                    after
                }
                State::Closed if byte == b'"' => {
                    self.keep(b"\"");
                    self.state = State::Quoted;
                    after
                }
                State::Start | State::Closed => {
                    self.state = State::Plain;
                    rest
                }
            };
        }
    }

    /// The bytes of a quoted cell. Returns what follows.
    fn in_quotes<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let length = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        self.line += memchr::memchr_iter(b'\n', text).count() as u64;
        self.keep(text);
        match after {
            [_quote, after @ ..] => {
                self.state = State::Closed;
                after
            }
            [] => after,
        }
    }

    /// The bytes of a cell up to its separator. Returns what follows.
    fn in_plain<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let length = memchr::memchr3(self.separator, b'\n', b'\r', rest).unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        self.keep(text);
        let Some((&end, after)) = after.split_first() else {
            return after;
        };
        self.end_cell();
        if end != self.separator {
            self.was_cr = end == b'\r';
            self.line += 1;
            self.end_row();
        }
        after
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.row.bytes.len() + bytes.len() > self.limit;
        if self.is_too_long {
            self.row.bytes = Vec::new();
        } else {
            self.row.bytes.extend_from_slice(bytes);
        }
    }

    fn end_cell(&mut self) {
        self.row.cells += 1;
        if self.row.cells <= self.max_cells {
            self.row.ends.push((self.row.bytes.len(), self.is_quoted));
        }
        (self.state, self.is_quoted) = (State::Start, false);
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let line = std::mem::replace(&mut self.row_line, self.line);
        if std::mem::take(&mut self.is_too_long) {
            self.cut(line, Err(Flaw::TooLong));
        } else if !row.is_blank() {
            self.cut(line, Ok(row));
        }
    }

    fn cut(&mut self, line: u64, row: Result<Row, Flaw>) {
        self.cuts.push(Cut { line, row });
    }

    /// The input has ended, or its next bytes are lost, and with them the row.
    pub fn end(&mut self, is_whole: bool) {
        let is_in_row = self.state != State::Start || self.row.cells > 0;
        let is_open = self.state == State::Quoted;
        if is_whole && is_in_row && !is_open {
            self.end_cell();
            return self.end_row();
        }
        if is_whole && is_open {
            self.cut(self.row_line, Err(Flaw::Open));
        }
        (self.row, self.state, self.is_quoted, self.is_too_long) = (Row::default(), State::Start, false, false);
        self.row_line = self.line;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rows of a table, whatever the pieces in which the cutter gets the bytes: the line, and the cells, with `-` for an empty one.
    fn cut(table: &str, limit: usize) -> Vec<String> {
        let of = |piece: usize| -> Vec<String> {
            let mut cutter = Cutter::new(b',', limit);
            table.as_bytes().chunks(piece).for_each(|piece| cutter.push(piece));
            cutter.end(true);
            let cell = |cell: Option<&[u8]>| cell.map_or("-".to_owned(), |cell| String::from_utf8_lossy(cell).into());
            let shown = |cut: Cut| match cut.row {
                Ok(row) => format!("{} {}", cut.line, row.iter().map(cell).collect::<Vec<_>>().join("|")),
                Err(flaw) => format!("{} {flaw:?}", cut.line),
            };
            cutter.take().into_iter().map(shown).collect()
        };
        let whole = of(table.len().max(1));
        assert_eq!(of(1), whole, "{table:?}");
        assert_eq!(of(3), whole, "{table:?}");
        whole
    }

    #[test]
    fn rows_and_cells_are_those_of_rfc_4180_and_of_what_programs_write() {
        for (table, rows) in [
            ("a,b\r\n1,2\r\n", &["1 a|b", "2 1|2"][..]),
            ("a,b\n1,2", &["1 a|b", "2 1|2"]),
            ("a,b\r1,2\r", &["1 a|b", "2 1|2"]),
            ("a,b\n\n\r\n1,2\n", &["1 a|b", "4 1|2"]),
            ("\"a\",\"b\"\n", &["1 a|b"]),
            ("\"a,\"\"b\"\"\r\nc\",d\ne,f", &["1 a,\"b\"\r\nc|d", "3 e|f"]),
            ("a,,\"\"\n", &["1 a|-|"]),
            (",\n", &["1 -|-"]),
            ("a,", &["1 a|-"]),
            ("\"\"\n", &["1 "]),
            ("a \"b\" c,d\n", &["1 a \"b\" c|d"]),
            ("\"a\"b,c\n", &["1 ab|c"]),
            ("\"a\" ,c\n", &["1 a |c"]),
            ("", &[]),
            ("\n\n", &[]),
            ("a\n\"b\nc,d\n", &["1 a", "2 Open"]),
            ("a\n\"b\"", &["1 a", "2 b"]),
        ] {
            assert_eq!(cut(table, 100), rows, "{table:?}");
        }
    }

    #[test]
    fn a_row_over_the_limit_is_one_flaw_and_costs_no_other() {
        assert_eq!(
            cut("a,b\n\"01234\n56789\",0\nc,d\n0123456789\ne,f", 8),
            ["1 a|b", "2 TooLong", "4 c|d", "5 TooLong", "6 e|f"]
        );
        let mut cutter = Cutter::new(b',', 100);
        cutter.expect(2);
        cutter.push(&[b','; 1_000]);
        cutter.push(b"\n");
        let row = cutter.take().remove(0).row.unwrap();
        assert_eq!((row.cells(), row.iter().count()), (1_001, 2));
    }

    proptest! {
        #[test]
        fn the_cells_are_those_of_the_crate_csv(table in "[ab,;\"\r\n ]{0,40}") {
            let mut cutter = Cutter::new(b',', 100);
            cutter.push(table.as_bytes());
            cutter.end(true);
            let cuts = cutter.take();
            let whole = cuts.iter().filter_map(|cut| cut.row.as_ref().ok());
            let ours: Vec<Vec<&[u8]>> = whole.map(|row| row.iter().map(Option::unwrap_or_default).collect()).collect();
            let is_open = cuts.last().is_some_and(|cut| cut.row.is_err());
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(table.as_bytes());
            let mut theirs: Vec<csv::ByteRecord> = reader.byte_records().map(Result::unwrap).collect();
            if is_open {
                theirs.pop();
            }
            prop_assert_eq!(ours, theirs.iter().map(|row| row.iter().collect()).collect::<Vec<Vec<&[u8]>>>());
        }
    }
}
