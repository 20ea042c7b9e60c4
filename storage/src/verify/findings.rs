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

    /// The remedy for findings of this kind, with `rebuild`, the command that rebuilds the crawl.
    #[must_use]
    pub fn advice(self, rebuild: &str) -> String {
        match self {
            Self::Body => format!(
                "put a good copy of the WARC file back, or give the lost pages up, so that their URLs are queued again: {rebuild}"
            ),
            Self::Archive => format!(
                "put a good copy of the WARC file back, or give the damaged part up, so that the lost pages are queued again: {rebuild}"
            ),
            Self::IndexFile => {
                format!("delete warc/index.cdxj, so that the next run writes it again, or write it now: {rebuild}")
            }
            Self::Page | Self::Counts | Self::Queue | Self::State => {
                format!("rebuild the state from the archive: {rebuild}")
            }
            Self::Index => format!("rebuild state and index from the archive: {rebuild}"),
            Self::Duplicates => format!(
                "another configuration of [dedup] decided these pages; give all pages new verdicts: {rebuild} --redecide"
            ),
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
