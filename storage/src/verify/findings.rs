//! Findings: faults that a check of a crawl reports.

/// The subject of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A record that a page needs is missing from the archive, damaged, or belongs to another page.
    Body,
    /// A page's record contradicts the state of its URL, or names a page that does not exist.
    Page,
    /// Counts differ from the rows.
    Counts,
    /// The queue does not hold exactly the queued URLs.
    Queue,
    /// A WARC file is missing, too short, or damaged.
    Archive,
    /// `warc/index.cdxj` does not hold exactly the captures of the catalogue.
    IndexFile,
    /// A row outside the pages, the queue and the counts cannot be read, or contradicts other rows.
    State,
    /// The index of fingerprints does not hold exactly the kept pages.
    Index,
    /// Two kept pages are duplicates by the rule.
    Duplicates,
}

impl FindingKind {
    /// Its name in JSON answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Page => "page",
            Self::Counts => "counts",
            Self::Queue => "queue",
            Self::Archive => "archive",
            Self::IndexFile => "index_file",
            Self::State => "state",
            Self::Index => "index",
            Self::Duplicates => "duplicates",
        }
    }

    /// The remedy for findings of this kind.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Body => {
                "put a good copy of the WARC file back, or give the lost pages up: crawler rebuild, which queues their URLs again"
            }
            Self::Archive => {
                "put a good copy of the WARC file back; without one, crawler rebuild gives the damaged part up and queues the lost \
                 pages again"
            }
            Self::IndexFile => {
                "delete warc/index.cdxj: the next crawler run writes it again, and so does crawler rebuild"
            }
            Self::Page | Self::Counts | Self::Queue | Self::State => {
                "rebuild the state from the archive: crawler rebuild"
            }
            Self::Index => "rebuild state and index from the archive: crawler rebuild",
            Self::Duplicates => {
                "another configuration of [dedup] decided these pages: crawler rebuild --redecide gives all pages new verdicts"
            }
        }
    }
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its subject.
    pub kind: FindingKind,
    /// The fault, in one line.
    pub what: String,
}

/// Receives findings.
pub struct Findings<'a> {
    tell: &'a mut dyn FnMut(Finding),
    step: &'a mut dyn FnMut(u64),
}

impl std::fmt::Debug for Findings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Findings").finish_non_exhaustive()
    }
}

impl<'a> Findings<'a> {
    /// Passes each finding to `tell`, and passes to `step` the number of steps that are done.
    pub fn new(tell: &'a mut dyn FnMut(Finding), step: &'a mut dyn FnMut(u64)) -> Self {
        Self { tell, step }
    }

    /// Reports a finding.
    pub fn note(&mut self, kind: FindingKind, what: impl Into<String>) {
        (self.tell)(Finding {
            kind,
            what: what.into(),
        });
    }

    /// Reports that one more row is checked.
    pub fn step(&mut self) {
        self.steps(1);
    }

    /// Reports that so many more rows, or pieces of the archive, are checked.
    pub fn steps(&mut self, steps: u64) {
        (self.step)(steps);
    }
}
