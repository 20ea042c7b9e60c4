//! The second pass: which paragraphs of a document are parts, and the lines of the outputs.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::DedupError;
use files::{Batch, Document, Fields, Reading, json_string, text_place};

use super::paragraphs::{Paragraph, paragraphs};
use super::table::{Part, Table};
use crate::cli::dedup::annotation;
use crate::cli::dedup::decided::Decided;
use crate::cli::dedup::lines::{Writes, wall_json};
use crate::cli::dedup::record::write_record;

/// The field that is added to records.
const PARTS: &str = "parts";

/// Marks the parts in documents. The threads share it.
#[derive(Debug)]
pub(super) struct Marking {
    pub table: Table,
    pub seen: Arc<Seen>,
    pub writes: Writes,
    pub reading: Arc<Reading>,
}

/// The parts that were met, by their numbers: one bit for each.
#[derive(Debug)]
pub(super) struct Seen(Vec<AtomicU64>);

/// A marked batch.
#[derive(Debug, Default)]
pub(super) struct Marked {
    pub decided: Decided,
    /// The parts that no earlier batch was known to have when this one was marked, in their order.
    pub firsts: Vec<First>,
    pub totals: Totals,
}

/// Where a part stands first in a batch.
#[derive(Debug)]
pub(super) struct First {
    pub part: Part,
    /// The paragraph as it stands there, without white space around it.
    pub text: String,
    /// The id of the document, as JSON.
    pub id: String,
}

/// Counts of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Totals {
    /// Documents in the output.
    pub documents: u64,
    /// Those of them that are pages that stand in the way of others.
    pub blocked: u64,
    /// Those of them of whose text nothing is left.
    pub emptied: u64,
    /// Bytes of the texts of the others.
    pub text_bytes: u64,
    /// Bytes of the parts in all documents.
    pub part_bytes: u64,
    /// Input that could not be read.
    pub faults: u64,
}

/// A paragraph that is a part.
struct Found {
    paragraph: Paragraph,
    part: Part,
}

impl Seen {
    /// For so many parts.
    pub(super) fn new(parts: u64) -> Self {
        Self((0..=parts / 64).map(|_| AtomicU64::new(0)).collect())
    }

    fn has(&self, number: u64) -> bool {
        self.0[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// Whether the part was not met before. Only the stage that takes batches in input order calls this, so whoever sees the bit knows that an
    /// earlier batch has the part.
    pub(super) fn is_new(&self, number: u64) -> bool {
        let bit = 1 << (number % 64);
        self.0[(number / 64) as usize].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

impl Marking {
    /// # Errors
    /// The temporary file of the table cannot be read.
    pub(super) fn mark(&self, batch: &Batch) -> Result<Marked, DedupError> {
        let (mut marked, mut of_batch, mut failed) = (Marked::default(), HashSet::new(), None);
        batch.documents(&self.reading, &mut |document| {
            let Ok(document) = document else {
                // The first pass has reported it.
                marked.totals.faults += 1;
                return;
            };
            if failed.is_none() {
                failed = self.document(&document, &mut of_batch, &mut marked).err();
            }
        });
        failed.map_or(Ok(marked), Err)
    }

    fn document(
        &self,
        document: &Document<'_>,
        of_batch: &mut HashSet<u64>,
        marked: &mut Marked,
    ) -> Result<(), DedupError> {
        let (mut found, mut is_emptied) = (Vec::new(), true);
        let text = document.text;
        for paragraph in paragraphs(text).take_while(|_| document.wall.is_none()) {
            let Some(part) = self.table.get(paragraph.digest)? else {
                is_emptied = false;
                continue;
            };
            if !self.seen.has(part.number) && of_batch.insert(part.number) {
                marked.firsts.push(First {
                    part,
                    text: text[paragraph.bytes.clone()].trim().to_owned(),
                    id: document.id.to_owned(),
                });
            }
            found.push(Found { paragraph, part });
        }
        let is_emptied = is_emptied && !found.is_empty();
        marked.totals.documents += 1;
        marked.totals.blocked += u64::from(document.wall.is_some());
        marked.totals.emptied += u64::from(is_emptied);
        if document.wall.is_none() {
            marked.totals.text_bytes += text.len() as u64;
        }
        marked.totals.part_bytes += found
            .iter()
            .map(|found| found.paragraph.bytes.len() as u64)
            .sum::<u64>();
        self.write(document, &found, is_emptied, &mut marked.decided);
        Ok(())
    }

    fn write(&self, document: &Document<'_>, found: &[Found], is_emptied: bool, decided: &mut Decided) {
        let fields = fields(document, found);
        let line = format!("{{\"id\":{},{fields}}}\n", document.id);
        decided.results.extend_from_slice(line.as_bytes());
        if self.writes.kept && document.wall.is_none() && !is_emptied {
            write_kept(document, found, &self.reading.fields, &mut decided.kept);
        }
        if self.writes.annotated {
            let mut record = Vec::new();
            write_record(document, &mut record);
            let write_fields = |out: &mut Vec<u8>| out.extend_from_slice(fields.as_bytes());
            annotation::write(&record, &[PARTS], write_fields, &mut decided.annotated);
        }
    }
}

impl Marked {
    /// Approximate memory, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let of_first = |first: &First| size_of::<First>() + first.text.capacity() + first.id.capacity();
        self.decided.capacity() + self.firsts.iter().map(of_first).sum::<usize>()
    }
}

impl Totals {
    pub(super) fn add(&mut self, more: Self) {
        self.documents += more.documents;
        self.blocked += more.blocked;
        self.emptied += more.emptied;
        self.text_bytes += more.text_bytes;
        self.part_bytes += more.part_bytes;
        self.faults += more.faults;
    }
}

/// The fields that say which parts a document has, without braces.
fn fields(document: &Document<'_>, found: &[Found]) -> String {
    let part = |found: &Found| {
        let (Range { start, end }, documents) = (&found.paragraph.points, found.part.documents);
        format!("{{\"start\":{start},\"end\":{end},\"documents\":{documents}}}")
    };
    let parts: Vec<String> = found.iter().map(part).collect();
    let wall = document
        .wall
        .map_or(String::new(), |wall| format!(",\"wall\":{}", wall_json(wall)));
    format!("\"{PARTS}\":[{}]{wall}", parts.join(","))
}

/// Appends the record of a document without its parts.
fn write_kept(document: &Document<'_>, found: &[Found], fields: &Fields, kept: &mut Vec<u8>) {
    if found.is_empty() {
        return write_record(document, kept);
    }
    let text = without(document.text, found);
    let with_text = |line: &[u8]| {
        let place = text_place(line, fields)?;
        Some([&line[..place.start], json_string(&text).as_bytes(), &line[place.end..]].concat())
    };
    let line = document.line.and_then(with_text);
    let rest = Document {
        text: &text,
        line: line.as_deref(),
        ..*document
    };
    write_record(&rest, kept);
}

/// A text without its parts.
fn without(text: &str, found: &[Found]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for Found { paragraph, .. } in found {
        rest.push_str(&text[at..paragraph.bytes.start]);
        at = paragraph.bytes.end;
    }
    rest + &text[at..]
}
