//! What the orders to the crawl come to, for the head of every view. To know it costs a look at the length of the journal.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crawl::control::in_force::InForce;
use crawl::control::journal::{Journal, Reader};

/// The journal, read as it grows.
#[derive(Debug)]
pub(super) struct Steered {
    read: Mutex<Read>,
}

#[derive(Debug)]
struct Read {
    reader: Reader,
    in_force: InForce,
    lines: u64,
}

/// What stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// The number of the order by which the crawl is paused.
    pub paused: Option<u64>,
    /// Lines of the journal: a page that stays open knows by them that an order or an answer has come.
    pub lines: u64,
}

impl Steered {
    pub fn in_folder(data: &Path) -> Self {
        Self {
            read: Mutex::new(Read {
                reader: Reader::of(Journal::in_folder(data)),
                in_force: InForce::default(),
                lines: 0,
            }),
        }
    }

    /// What stands. While the journal cannot be read, what was read before; the view Control says why.
    pub fn now(&self) -> Standing {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(entries) = read.reader.read_on() {
            if entries.is_another {
                read.in_force = InForce::default();
                read.lines = 0;
            }
            entries.orders().for_each(|ordered| read.in_force.apply(ordered));
            read.lines += entries.entries.len() as u64 + entries.damaged;
        }
        Standing {
            paused: read.in_force.paused,
            lines: read.lines,
        }
    }
}
