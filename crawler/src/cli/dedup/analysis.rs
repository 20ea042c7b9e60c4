//! Converts a batch of input to signatures. All threads share this costly step.

use std::ops::Range;
use std::sync::Arc;

use ::url::Url;
use dedup::{About, Analyzer, Signature, Subject};
use page::Wall;
use web::host_key::HostKey;

use super::choice::Choice;
use super::lines::Records;
use super::record::write_record;
use crate::cli::arguments::GroupBy;
use files::{Batch, Document, Fault, Reading};

/// A parsed and signed batch.
#[derive(Debug, Default)]
pub(super) struct Analyzed {
    pub items: Vec<Item>,
    /// Ids as JSON, without separators.
    ids: Vec<u8>,
    /// Records of the documents, one line each, if any are written.
    records: Vec<u8>,
    /// Bytes of the texts.
    pub text_bytes: u64,
    /// Documents with a group and a heading.
    pub grouped: u64,
    /// Documents with something that an order goes by.
    pub keyed: u64,
}

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all items are documents, and a vector without boxes is faster"
)]
pub(super) enum Item {
    Document(Signed),
    Wall(Blocked),
    Fault(Fault),
}

/// A page that stands in the way of the one that the document was to be.
#[derive(Debug)]
pub(super) struct Blocked {
    pub wall: Wall,
    id: Range<usize>,
    record: Range<usize>,
}

/// The signature and the output of a document.
#[derive(Debug)]
pub(super) struct Signed {
    pub signature: Signature,
    /// What the order of the documents goes by, if it is another than that of the input.
    pub key: Option<f64>,
    id: Range<usize>,
    record: Range<usize>,
}

/// Parses and signs batches. The threads share it.
#[derive(Debug)]
pub(super) struct Analysis {
    pub analyzer: Analyzer,
    pub reading: Arc<Reading>,
    pub group_by: Option<GroupBy>,
    /// What the command writes of a document beside its verdict.
    pub records: Records,
    /// Which of several like documents is kept, if it is not the first one.
    pub choice: Option<Choice>,
    /// The rule compares metadata, which here is the title.
    pub compares_titles: bool,
}

impl Analysis {
    pub(super) fn analyze(&self, batch: &Batch) -> Analyzed {
        let mut analyzed = Analyzed::default();
        batch.documents(&self.reading, &mut |document| {
            let item = match document {
                Ok(document) => self.item(&document, &mut analyzed),
                Err(fault) => Item::Fault(fault),
            };
            analyzed.items.push(item);
        });
        analyzed
    }

    fn item(&self, document: &Document<'_>, analyzed: &mut Analyzed) -> Item {
        let id = append(&mut analyzed.ids, |ids| ids.extend_from_slice(document.id.as_bytes()));
        let record = append(&mut analyzed.records, |records| match (self.records, document.row) {
            (Records::None, _) | (Records::Rows, None) => {}
            (Records::Whole, _) => write_record(document, records),
            (Records::Rows, Some(row)) => {
                records.extend_from_slice(files::row_line(row).as_bytes());
                records.push(b'\n');
            }
        });
        if let Some(wall) = document.wall {
            let wall = wall.clone();
            return Item::Wall(Blocked { wall, id, record });
        }
        let signature = self.sign(document);
        let key = self.choice.and_then(|choice| choice.key(document.text, document.score));
        analyzed.text_bytes += document.text.len() as u64;
        analyzed.grouped += u64::from(signature.subject.is_some());
        analyzed.keyed += u64::from(key.is_some());
        Item::Document(Signed {
            signature,
            key,
            id,
            record,
        })
    }

    fn sign(&self, document: &Document<'_>) -> Signature {
        let title = document.title.filter(|_| self.compares_titles);
        let about = About {
            group: &self.group(document),
            heading: document.heading.or(document.title).unwrap_or_default(),
        };
        Signature {
            metadata: self.analyzer.metadata(title.unwrap_or_default().split_whitespace()),
            subject: Subject::new(about, document.text),
            ..self.analyzer.analyze(document.text)
        }
    }

    /// The group of a document; empty without one.
    fn group(&self, document: &Document<'_>) -> String {
        match &self.group_by {
            Some(GroupBy::Host) => document
                .url
                .and_then(|url| HostKey::from_url(&Url::parse(url).ok()?))
                .map_or_else(String::new, |host| host.as_str().to_owned()),
            Some(GroupBy::Field(_)) => document.group.unwrap_or_default().to_owned(),
            None => String::new(),
        }
    }
}

impl Analyzed {
    pub(super) fn id(&self, document: &Signed) -> &[u8] {
        &self.ids[document.id.clone()]
    }

    pub(super) fn id_of_wall(&self, blocked: &Blocked) -> &[u8] {
        &self.ids[blocked.id.clone()]
    }

    /// The record of a document, with a line end; empty if none are written.
    pub(super) fn record(&self, document: &Signed) -> &[u8] {
        &self.records[document.record.clone()]
    }

    pub(super) fn record_of_wall(&self, blocked: &Blocked) -> &[u8] {
        &self.records[blocked.record.clone()]
    }

    /// Approximate memory, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let shingles: usize = self
            .items
            .iter()
            .map(|item| match item {
                Item::Document(document) => document.signature.shingles.capacity() * size_of::<u64>(),
                Item::Wall(blocked) => blocked.wall.evidence.capacity(),
                Item::Fault(fault) => fault.reason.capacity(),
            })
            .sum();
        self.items.capacity() * size_of::<Item>() + self.ids.capacity() + self.records.capacity() + shingles
    }
}

fn append(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
    let start = bytes.len();
    write(bytes);
    start..bytes.len()
}
