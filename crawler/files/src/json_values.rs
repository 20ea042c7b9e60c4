//! JSON that is not one object on each line: an array of records, records on several lines, and records without a line end between them.
//!
//! [`Cutter`] finds where each record begins and ends, and does not parse it, so that any number of records needs the memory of one batch.
//! A record that is no JSON costs no other record: `{` where the grammar (RFC 8259, section 2) allows none begins the next record, and a
//! string that does not end on its line ends its record.

use std::io::Read;
use std::ops::ControlFlow;

use super::batch::{BATCH_BYTES, Batcher, Records};
use super::chunk::fill;
use super::limits::InputLimits;
use super::place::{At, Fault};
use super::walk::Source;

/// Reads `input` to its end.
pub(super) fn read(
    input: &mut impl Read,
    source: &Source,
    limits: InputLimits,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut cutter = Cutter::new(limits.max_document_bytes);
    let mut next = 1;
    let mut chunk = vec![0; BATCH_BYTES];
    loop {
        let (length, failed) = fill(input, &mut chunk, source.bytes.is_none());
        cutter.push(&chunk[..length]);
        let ended = length == 0 && failed.is_none();
        if ended || failed.is_some() {
            cutter.end(ended);
        }
        deliver(&mut cutter, &mut next, source, limits, batcher)?;
        source.end_round(failed.as_ref(), batcher)?;
        if ended {
            return ControlFlow::Continue(());
        }
    }
}

/// Delivers the records and faults found so far.
fn deliver(
    cutter: &mut Cutter,
    next: &mut u64,
    source: &Source,
    limits: InputLimits,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut records = Records::new(&source.name, source.number);
    for cut in cutter.cuts.drain(..) {
        let place = source.place(At::Record(*next));
        let fault = match cut {
            Cut::Record(bytes) => {
                records.push(At::Record(*next), &bytes);
                *next += 1;
                continue;
            }
            Cut::TooLong => Fault::too_long(place, limits.max_document_bytes),
            Cut::Broken(reason) => Fault::new(place, reason),
            Cut::Ended(reason) => Fault::new(source.place(At::Whole), reason),
        };
        *next += u64::from(!matches!(cut, Cut::Ended(_)));
        batcher.records(std::mem::replace(
            &mut records,
            Records::new(&source.name, source.number),
        ))?;
        batcher.fault(fault)?;
    }
    batcher.records(records)
}

/// What the cutter finds.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    Record(Vec<u8>),
    /// A record that is over the limit.
    TooLong,
    /// A record that has no end.
    Broken(&'static str),
    /// The file has no end.
    Ended(&'static str),
}

/// Where the cutter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between records.
    Between,
    /// In a record, outside of strings.
    Record,
    /// In a string of a record.
    String,
    /// After a backslash in a string of a record.
    Escape,
    /// Behind the fault of a record, up to a line that begins with the next one.
    Lost { is_line_start: bool },
}

#[derive(Debug)]
struct Cutter {
    limit: usize,
    state: State,
    /// Whether the array of the file is open.
    is_array: bool,
    record: Vec<u8>,
    is_too_long: bool,
    /// The open objects and arrays of the record, by their first byte.
    open: Vec<u8>,
    /// The last byte of the record that is no white space, outside of strings; `"` after a string.
    last: u8,
    cuts: Vec<Cut>,
}

impl Cutter {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            state: State::Between,
            is_array: false,
            record: Vec::new(),
            is_too_long: false,
            open: Vec::new(),
            last: 0,
            cuts: Vec::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::String => {
                    let rest = &bytes[at..];
                    let length = memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
                    self.keep(&rest[..length]);
                    at += length;
                    if let Some(&byte) = bytes.get(at) {
                        self.in_string(byte);
                        at += 1;
                    }
                }
                State::Escape => {
                    self.keep(&[byte]);
                    self.state = State::String;
                    at += 1;
                }
                State::Between => {
                    self.between(byte);
                    at += 1;
                }
                State::Record => {
                    self.in_record(byte);
                    at += 1;
                }
                State::Lost { is_line_start } => {
                    match byte {
                        b'{' if is_line_start => self.begin(byte),
                        b'\n' => self.state = State::Lost { is_line_start: true },
                        b' ' | b'\t' | b'\r' => {}
                        _ => self.state = State::Lost { is_line_start: false },
                    }
                    at += 1;
                }
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.record.len() + bytes.len() > self.limit;
        if self.is_too_long {
            self.record = Vec::new()
        } else {
            self.record.extend_from_slice(bytes)
        }
    }

    fn begin(&mut self, byte: u8) {
        self.state = State::Record;
        self.open.clear();
        self.last = 0;
        self.in_record(byte);
    }

    /// A separator that is missing or repeated changes no record.
    fn between(&mut self, byte: u8) {
        match byte {
            b'[' if !self.is_array => self.is_array = true,
            b']' if self.is_array => self.is_array = false,
            b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
            // A mark at the beginning of the file, which has three bytes.
            0xef | 0xbb | 0xbf => {}
            byte => self.begin(byte),
        }
    }

    fn in_record(&mut self, byte: u8) {
        match byte {
            // A value that is no object ends with what separates it. Its reader says what is wrong with it.
            b',' | b']' | b'\n' if self.open.is_empty() => {
                self.finish();
                return self.between(byte);
            }
            b'{' if !self.may_open() => {
                self.finish();
                return self.begin(byte);
            }
            b'"' => self.state = State::String,
            b'{' | b'[' => self.open.push(byte),
            b'}' | b']' => drop(self.open.pop()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
        self.keep(&[byte]);
        if self.open.is_empty() && matches!(byte, b'}' | b']') {
            self.finish();
        }
    }

    /// Whether an object may begin here: first, as a value of an object, or in an array.
    fn may_open(&self) -> bool {
        matches!(
            (self.last, self.open.last()),
            (0, _) | (b':', _) | (b'[', _) | (b',', Some(b'['))
        )
    }

    fn in_string(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.lose("a string in it does not end on its line");
                self.state = State::Lost { is_line_start: true };
            }
            b'"' => {
                self.keep(&[byte]);
                self.last = b'"';
                self.state = State::Record;
                if self.open.is_empty() {
                    self.finish();
                }
            }
            byte => {
                self.keep(&[byte]);
                self.state = State::Escape;
            }
        }
    }

    fn finish(&mut self) {
        let record = std::mem::take(&mut self.record);
        self.cuts.push(if std::mem::take(&mut self.is_too_long) {
            Cut::TooLong
        } else {
            Cut::Record(record)
        });
        self.open.clear();
        self.state = State::Between;
    }

    /// Gives the record up.
    fn lose(&mut self, reason: &'static str) {
        self.record.clear();
        self.open.clear();
        self.is_too_long = false;
        self.cuts.push(Cut::Broken(reason));
    }

    /// The input has ended, or its next bytes are lost.
    fn end(&mut self, is_whole: bool) {
        let is_in_record = !matches!(self.state, State::Between | State::Lost { .. });
        if is_in_record && self.open.is_empty() && self.state == State::Record {
            self.finish();
        } else if is_in_record {
            self.lose("it breaks off");
        }
        if is_whole && self.is_array {
            self.cuts
                .push(Cut::Ended("its array has no end; the file may have been cut short"));
        }
        self.state = State::Between;
        self.is_array &= !is_whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the cutter finds, whatever the pieces in which it gets the bytes.
    fn cut(json: &str, limit: usize) -> Vec<String> {
        let of = |piece: usize| -> Vec<String> {
            let mut cutter = Cutter::new(limit);
            json.as_bytes().chunks(piece).for_each(|piece| cutter.push(piece));
            cutter.end(true);
            let shown = |cut| match cut {
                Cut::Record(bytes) => String::from_utf8(bytes).unwrap(),
                Cut::TooLong => "! too long".into(),
                Cut::Broken(reason) | Cut::Ended(reason) => format!("! {reason}"),
            };
            cutter.cuts.into_iter().map(shown).collect()
        };
        let whole = of(json.len().max(1));
        assert_eq!(of(1), whole, "{json}");
        assert_eq!(of(3), whole, "{json}");
        whole
    }

    #[test]
    fn every_record_is_found_in_any_layout() {
        let two = [r#"{"a":1}"#, r#"{"b":[{},"]}\"{"]}"#];
        for json in [
            r#"[{"a":1},{"b":[{},"]}\"{"]}]"#,
            "[\n  {\"a\":1},\n  {\"b\":[{},\"]}\\\"{\"]}\n]\n",
            r#"{"a":1}{"b":[{},"]}\"{"]}"#,
            r#"{"a":1} , {"b":[{},"]}\"{"]}, "#,
            "\u{feff}[{\"a\":1}\n{\"b\":[{},\"]}\\\"{\"]},]",
            r#"[{"a":1}][{"b":[{},"]}\"{"]}]"#,
            "{\"a\":1}\r\n\r\n{\"b\":[{},\"]}\\\"{\"]}",
        ] {
            assert_eq!(cut(json, 100), two, "{json}");
        }
        assert_eq!(cut("[]", 9), [""; 0]);
        assert_eq!(cut("", 9), [""; 0]);
        assert_eq!(cut("{\n \"a\": [\n  {\"b\": 1},\n  {\"c\": 2}\n ]\n}", 99).len(), 1);
    }

    #[test]
    fn a_record_that_is_no_json_costs_no_other() {
        for (json, found) in [
            (
                r#"[1, "x,]", null, [1,2], {"a":1}]"#,
                &["1", "\"x,]\"", "null", "[1,2]", r#"{"a":1}"#][..],
            ),
            ("[{\"a\":1,\n{\"b\":2}]", &["{\"a\":1,\n", "{\"b\":2}"]),
            ("[{\"a\":{\"x\":1},\n{\"b\":2}]", &["{\"a\":{\"x\":1},\n", "{\"b\":2}"]),
            (
                "[{\"a\":\"x\n},\n{\"b\":2}]",
                &["! a string in it does not end on its line", "{\"b\":2}"],
            ),
            ("{\"a\":1}\nwords\n{\"b\":2}", &["{\"a\":1}", "words", "{\"b\":2}"]),
            (
                "[{\"a\":1},",
                &["{\"a\":1}", "! its array has no end; the file may have been cut short"],
            ),
            (
                "[{\"a\":1},{\"b",
                &[
                    "{\"a\":1}",
                    "! it breaks off",
                    "! its array has no end; the file may have been cut short",
                ],
            ),
            ("{\"a\":\"0123456789\"}{\"b\":2}", &["! too long", "{\"b\":2}"]),
            ("{\"a\":1}}{\"b\":2}", &["{\"a\":1}", "}", "{\"b\":2}"]),
        ] {
            assert_eq!(
                cut(json, if found[0] == "! too long" { 15 } else { 100 }),
                found,
                "{json}"
            );
        }
    }
}
