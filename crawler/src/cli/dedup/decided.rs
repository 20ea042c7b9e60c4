//! The output of a batch.

use files::Fault;

/// A batch with its results, ready for the writer.
#[derive(Debug, Default)]
pub(super) struct Decided {
    /// Verdicts or parts, one line for each document.
    pub results: Vec<u8>,
    /// Kept documents, or what is kept of them, one line each.
    pub kept: Vec<u8>,
    /// Records with their results, one line each.
    pub annotated: Vec<u8>,
    /// Input that could not be read.
    pub faults: Vec<Fault>,
    /// Memory that the batch occupies until it is written.
    pub budget_bytes: usize,
}

/// Takes the output of a part of the documents. Returns whether to go on.
pub(super) type Answer<'a> = dyn FnMut(Decided) -> bool + 'a;

impl Decided {
    /// Bytes of the outputs.
    pub(super) fn bytes(&self) -> usize {
        self.results.len() + self.kept.len() + self.annotated.len()
    }

    /// Memory of the outputs, in bytes.
    pub(super) fn capacity(&self) -> usize {
        self.results.capacity() + self.kept.capacity() + self.annotated.capacity()
    }
}
