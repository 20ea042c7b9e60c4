//! Converts a batch of input to signatures. All threads share this costly step.

use std::ops::Range;
use std::sync::Arc;

use ::url::Url;
use dedup::{About, Analyzer, Signature, Subject};
use page::Wall;
use web::host_key::HostKey;

use super::tally::Tally;
use crate::cli::arguments::GroupBy;
use files::json_string;
use files::{Batch, Document, Fault, Reading};

/// A parsed and signed batch.
#[derive(Debug, Default)]
pub(super) struct Analyzed {
    pub items: Vec<Item>,
    /// Ids as JSON, without separators.
    ids: Vec<u8>,
    /// Output lines of the documents, in case they are kept.
    kept: Vec<u8>,
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
}

/// The signature and the output of a document.
#[derive(Debug)]
pub(super) struct Signed {
    pub signature: Signature,
    id: Range<usize>,
    kept: Range<usize>,
}

/// Parses and signs batches. The threads share it.
#[derive(Debug)]
pub(super) struct Analysis {
    pub analyzer: Analyzer,
    pub reading: Arc<Reading>,
    pub group_by: Option<GroupBy>,
    /// The command writes the kept documents.
    pub keeps: bool,
    /// The rule compares metadata, which here is the title.
    pub compares_titles: bool,
}

impl Analysis {
    pub(super) fn analyze(&self, batch: &Batch, tally: &Tally) -> Analyzed {
        let mut analyzed = Analyzed::default();
        batch.documents(&self.reading, &mut |document| {
            let item = match document {
                Ok(Document {
                    wall: Some(wall), id, ..
                }) => Item::Wall(Blocked {
                    wall: wall.clone(),
                    id: append(&mut analyzed.ids, |ids| ids.extend_from_slice(id.as_bytes())),
                }),
                Ok(document) => {
                    tally.add_text(document.text.len());
                    let signature = self.sign(&document);
                    if signature.subject.is_some() {
                        tally.add_grouped();
                    }
                    Item::Document(Signed {
                        signature,
                        id: append(&mut analyzed.ids, |ids| ids.extend_from_slice(document.id.as_bytes())),
                        kept: append(&mut analyzed.kept, |kept| {
                            if self.keeps {
                                write_kept(&document, kept);
                            }
                        }),
                    })
                }
                Err(fault) => Item::Fault(fault),
            };
            analyzed.items.push(item);
        });
        analyzed
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

    pub(super) fn kept(&self, document: &Signed) -> &[u8] {
        &self.kept[document.kept.clone()]
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
        self.items.capacity() * size_of::<Item>() + self.ids.capacity() + self.kept.capacity() + shingles
    }
}

fn append(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
    let start = bytes.len();
    write(bytes);
    start..bytes.len()
}

/// Appends the unchanged input line, or an object with the fields of the document.
fn write_kept(document: &Document<'_>, kept: &mut Vec<u8>) {
    match document.line {
        Some(line) => kept.extend_from_slice(line),
        None => {
            let or_null = |text: Option<&str>| text.map_or("null".to_owned(), json_string);
            let (id, text) = (document.id, json_string(document.text));
            let (url, title) = (or_null(document.url), or_null(document.title));
            let object = format!("{{\"id\":{id},\"text\":{text},\"url\":{url},\"title\":{title}}}");
            kept.extend_from_slice(object.as_bytes());
        }
    }
    kept.push(b'\n');
}
