//! CSV (RFC 4180) and TSV: each row is a JSON object with the names in the header.
//!
//! Read as other programs write it: rows also end in LF or CR, text may follow a closing quote, a quote within a cell that has no quotes is
//! itself, and blank lines are no rows. An empty cell is null; `""` is an empty text. Other cells are texts.

mod cutter;
mod header;

use std::io::Read;
use std::ops::ControlFlow;

use self::cutter::{Cut, Cutter, Flaw};
use self::header::Header;
use super::batch::{BATCH_BYTES, Batcher, Records};
use super::chunk::fill;
use super::json_line::Refusal;
use super::place::{At, Fault};
use super::reading::Reading;
use super::walk::Source;

pub(super) use self::header::is_table;

/// What is between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Tab,
    /// What the first line has most of.
    Guessed,
}

/// Most bytes from which the separator is guessed.
const GUESS_BYTES: usize = 64 << 10;

const NEVER_CLOSED: &str = "a quote that opens in this row is never closed, so the rows behind it are lost";

/// Reads `input` to its end.
pub(super) fn read(
    input: &mut impl Read,
    source: &Source,
    separator: Separator,
    reading: &Reading,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut table = Table {
        source,
        reading,
        header: None,
    };
    let (mut cutter, mut pending) = (None, Vec::new());
    let mut chunk = vec![0; BATCH_BYTES];
    loop {
        let (length, failed) = fill(input, &mut chunk, source.bytes.is_none());
        let ended = length == 0 && failed.is_none();
        if cutter.is_none() {
            pending.extend_from_slice(&chunk[..length]);
            let is_enough = memchr::memchr2(b'\n', b'\r', &pending).is_some() || pending.len() >= GUESS_BYTES;
            if is_enough || ended || failed.is_some() {
                let mut new = Cutter::new(
                    header::separator(separator, &pending),
                    reading.limits.max_document_bytes,
                );
                let start = std::mem::take(&mut pending);
                new.push(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start));
                cutter = Some(new);
            }
        } else if let Some(cutter) = &mut cutter {
            cutter.push(&chunk[..length]);
        }
        if let Some(cutter) = &mut cutter {
            if ended || failed.is_some() {
                cutter.end(ended);
            }
            if table.deliver(cutter, batcher)? == Course::GivenUp {
                return ControlFlow::Continue(());
            }
        }
        source.end_round(failed.as_ref(), batcher)?;
        if ended {
            return ControlFlow::Continue(());
        }
    }
}

/// Whether the rest of a table can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    On,
    GivenUp,
}

struct Table<'a> {
    source: &'a Source,
    reading: &'a Reading,
    /// The first row, once it is known.
    header: Option<Header>,
}

impl Table<'_> {
    /// Delivers the rows found so far.
    fn deliver(&mut self, cutter: &mut Cutter, batcher: &mut Batcher<'_>) -> ControlFlow<(), Course> {
        let mut records = Records::new(&self.source.name, self.source.number);
        for Cut { line, row } in cutter.take() {
            let place = self.source.place(At::Line(line));
            let (fault, course) = match (row, &self.header) {
                (Ok(row), Some(header)) => match header.check(&row) {
                    Ok(()) => {
                        records.push_with(At::Line(line), |bytes| header.write(&row, bytes));
                        if records.are_many() {
                            batcher.records(std::mem::replace(
                                &mut records,
                                Records::new(&self.source.name, self.source.number),
                            ))?;
                        }
                        continue;
                    }
                    Err(reason) => (Fault::new(place, reason), Course::On),
                },
                (Ok(row), None) => match Header::read(&row, self.reading) {
                    Ok(header) => {
                        cutter.expect(header.columns());
                        self.header = Some(header);
                        continue;
                    }
                    Err(Refusal {
                        reason,
                        lacks_text: true,
                    }) => (Fault::lacks_text(place, reason), Course::GivenUp),
                    Err(Refusal { reason, .. }) => (Fault::new(place, reason), Course::GivenUp),
                },
                (Err(Flaw::TooLong), header) => {
                    let fault = Fault::too_long(place, self.reading.limits.max_document_bytes);
                    (fault, course_after(header.as_ref()))
                }
                (Err(Flaw::Open), header) => (Fault::new(place, NEVER_CLOSED), course_after(header.as_ref())),
            };
            batcher.records(std::mem::replace(
                &mut records,
                Records::new(&self.source.name, self.source.number),
            ))?;
            batcher.fault(fault)?;
            if course == Course::GivenUp {
                return ControlFlow::Continue(course);
            }
        }
        batcher.records(records)?;
        ControlFlow::Continue(Course::On)
    }
}

/// Without a header, no row can be read.
fn course_after(header: Option<&Header>) -> Course {
    if header.is_some() { Course::On } else { Course::GivenUp }
}
