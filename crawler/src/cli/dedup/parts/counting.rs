//! The first pass: the digests of the paragraphs of a batch.

use files::{Batch, Fault, Reading};

use super::counted::{Counted, Key};
use super::paragraphs::paragraphs;

/// What a batch adds to the counts.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The digest of each paragraph, with the number of documents that have it.
    pub digests: Vec<Counted>,
    /// Input that could not be read.
    pub faults: Vec<Fault>,
    /// All documents that were read.
    pub documents: u64,
    /// All paragraphs.
    pub paragraphs: u64,
    /// Bytes of the texts.
    pub text_bytes: u64,
}

/// Counts the documents of a batch that have each paragraph. A page that stands in the way of another one has none.
pub(super) fn count(batch: &Batch, reading: &Reading) -> Counts {
    let mut counts = Counts::default();
    let mut of_document = Vec::new();
    batch.documents(reading, &mut |document| match document {
        Ok(document) if document.wall.is_some() => counts.documents += 1,
        Ok(document) => {
            of_document.clear();
            of_document.extend(paragraphs(document.text).map(|paragraph| Key::from(paragraph.digest.0)));
            counts.documents += 1;
            counts.paragraphs += of_document.len() as u64;
            counts.text_bytes += document.text.len() as u64;
            // A document counts once, however often it has the paragraph.
            of_document.sort_unstable();
            of_document.dedup();
            let digests = of_document.iter().map(|key| Counted { key: *key, count: 1 });
            counts.digests.extend(digests);
        }
        Err(fault) => counts.faults.push(fault),
    });
    // All cores sort batches, so less is left to the one that counts.
    Counted::add_up(&mut counts.digests);
    counts
}

impl Counts {
    /// Approximate memory, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let reasons: usize = self.faults.iter().map(|fault| fault.reason.capacity()).sum();
        self.digests.capacity() * size_of::<Counted>() + self.faults.capacity() * size_of::<Fault>() + reasons
    }
}
