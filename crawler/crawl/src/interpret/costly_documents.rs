//! Gives up the documents of a host that cost too much.
//!
//! A document may occupy its process for many seconds and have no text in the end: it was made so, or its parser cannot cope with it. A host
//! whose documents are mostly of this kind would pay for each of them with its share of the processor, in this run and to no end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use page::documents::Fault;
use storage::QueuedUrl;

use super::Interpreter;
use crate::messages::{Event, Meaning};

/// So many given-up documents in a row are enough.
const IN_A_ROW: u32 = 3;

/// So many given-up documents are enough if they are half of those since the first of them.
const AT_LEAST: u32 = 8;

/// The hosts whose processes were given up, with their documents. Hosts without such a document take no memory.
#[derive(Debug, Default)]
pub(super) struct CostlyDocuments {
    hosts: Mutex<HashMap<String, Tally>>,
}

/// The documents of one host, from the first on whose process was given up.
#[derive(Debug, Clone, Default)]
struct Tally {
    read: u32,
    given_up: u32,
    in_a_row: u32,
    /// The last fault, in words.
    last: String,
}

impl Tally {
    fn is_enough(&self) -> bool {
        self.in_a_row >= IN_A_ROW || self.given_up >= AT_LEAST && self.given_up >= self.read
    }
}

impl CostlyDocuments {
    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Tally>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a document of `host` that was read, or failed with this fault.
    pub fn note(&self, host: &str, fault: Option<&Fault>) {
        let costly = fault.filter(|fault| is_costly(fault));
        let mut hosts = self.hosts();
        let tally = match costly {
            Some(_) => hosts.entry(host.to_owned()).or_default(),
            None => match hosts.get_mut(host) {
                Some(tally) => tally,
                None => return,
            },
        };
        let was_enough = tally.is_enough();
        match costly {
            Some(fault) => {
                tally.given_up += 1;
                tally.in_a_row += 1;
                tally.last = fault.to_string();
            }
            None => {
                tally.read += 1;
                tally.in_a_row = 0;
            }
        }
        if tally.is_enough() && !was_enough {
            tracing::warn!(
                host,
                "the documents of {host} are given up for this run: {} of them took too much time or memory (the last: {}); the others \
                 stay queued",
                tally.given_up,
                tally.last
            );
        }
    }

    /// Whether the run reads no further documents of the host of this URL.
    pub fn are_given_up(&self, queued: &QueuedUrl) -> bool {
        self.why(&queued.host).is_some()
    }

    /// Why the run reads no further documents of the host, in words; `None` if it does.
    fn why(&self, host: &str) -> Option<String> {
        let hosts = self.hosts();
        let tally = hosts.get(host).filter(|tally| tally.is_enough())?;
        let Tally { given_up, last, .. } = tally;
        Some(format!(
            "{given_up} of its documents took too much time or memory; the last: {last}"
        ))
    }
}

/// Whether the fault ended the process, after much of its time or memory.
fn is_costly(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::TookTooLong { .. } | Fault::OutOfMemory { .. } | Fault::Crashed(_)
    )
}

impl Interpreter {
    /// The meaning of a document that the run does not read. A page that was fetched before stays in the crawl.
    pub(super) fn leave_document(&self, queued: QueuedUrl) -> Meaning {
        let why = self.costly_documents.why(&queued.host).unwrap_or_default();
        if queued.revisits.is_some() {
            let detail = format!("not read: {why}");
            return Meaning::Record(super::failed(queued, "document_time", None, detail));
        }
        tracing::debug!(url = %queued.url, why, "document left to a later run");
        Meaning::Event(Event::DocumentLeft { queued, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Fault = Fault::TookTooLong { seconds: 20 };

    fn given_up_after(faults: &[Option<Fault>]) -> Option<usize> {
        let documents = CostlyDocuments::default();
        (1..=faults.len()).find(|count| {
            documents.note("a.example", faults[count - 1].as_ref());
            assert_eq!(documents.why("b.example"), None);
            documents.why("a.example").is_some()
        })
    }

    #[test]
    fn three_costly_documents_in_a_row_are_enough_and_any_other_document_ends_the_row() {
        let slow = || Some(SLOW);
        let broken = || Some(Fault::Broken("no pages".into()));
        assert_eq!(given_up_after(&[slow(), slow(), slow()]), Some(3));
        assert_eq!(
            given_up_after(&[None, slow(), slow(), None, slow(), slow(), slow()]),
            Some(7)
        );
        assert_eq!(given_up_after(&[slow(), slow(), broken(), slow(), slow()]), None);
        assert_eq!(given_up_after(&vec![broken(); 50]), None, "they cost nothing");
        let others = [Fault::OutOfMemory { limit: 1 }, Fault::Crashed(String::new()), SLOW];
        assert_eq!(given_up_after(&others.map(Some)), Some(3));
    }

    #[test]
    fn a_host_cannot_hide_costly_documents_behind_others() {
        let hidden: Vec<_> = (0..40).map(|n| (n % 2 == 0).then_some(SLOW)).collect();
        assert_eq!(given_up_after(&hidden), Some(15));
        let rare: Vec<_> = (0..400).map(|n| (n % 3 == 0).then_some(SLOW)).collect();
        assert_eq!(given_up_after(&rare), None, "most can be read");
    }

    #[test]
    fn the_reason_says_how_many_and_why() {
        let documents = CostlyDocuments::default();
        (0..4).for_each(|_| documents.note("a.example", Some(&SLOW)));
        assert_eq!(
            documents.why("a.example").unwrap(),
            "4 of its documents took too much time or memory; the last: it was given up after 20 s"
        );
    }
}
