//! The numbers of pages during a rebuild: those in the archive, and those in the new state.
//!
//! In a folder that was never merged the two are the same. In a merged folder each origin has a table. A merge fills the tables, in the
//! order in which it replays the pages; a later rebuild of the merged folder finds them in the archive.

use std::collections::HashMap;

use crate::elsewhere::PageElsewhere;
use crate::error::StorageError;
use crate::origins::{NUMBERS_A_ROW, Origins};
use crate::worker::Worker;

/// The numbers of all origins.
pub(super) struct Numbers {
    origins: Origins,
    tables: Vec<Table>,
    /// The origin of each worker's pages.
    workers: HashMap<Worker, usize>,
    /// Whether the tables are complete already, and give the numbers.
    are_given: bool,
    /// The first number that no page has yet, lost pages included.
    next: u64,
}

/// The table of one origin.
struct Table {
    worker: Worker,
    /// The last page that was replayed, by its number there.
    last: u64,
    /// The chunk that is not written yet.
    chunk: u64,
    numbers: Vec<u64>,
    /// All pages of the origin were replayed.
    has_ended: bool,
}

/// A page that the archive names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// Its number in the new state.
    Here(u64),
    /// A page of another origin that has not been replayed yet.
    Later,
    /// It is in none of the folders.
    Missing,
}

impl Numbers {
    pub fn new(origins: Origins, are_given: bool) -> Self {
        let all = origins.all();
        let tables = all.iter().map(|origin| Table {
            worker: origin.worker.clone(),
            last: 0,
            chunk: 0,
            numbers: Vec::new(),
            has_ended: false,
        });
        let workers = all.iter().map(|origin| &origin.worker).zip(0..);
        let of_several = workers.filter(|(worker, _)| worker.is_one_of_several());
        Self {
            tables: tables.collect(),
            workers: of_several.map(|(worker, index)| (worker.clone(), index)).collect(),
            origins,
            are_given,
            next: 0,
        }
    }

    /// The number of a page that a record of the origin gives, if the archive has it: for the order of the replay.
    pub fn given(&self, origin: usize, local: u64) -> Result<Option<u64>, StorageError> {
        if self.are_given {
            self.origins.number_of(origin, local)
        } else {
            Ok(None)
        }
    }

    /// Gives the page its number: `next`, unless the archive says another one. `None` if the page has been replayed already, or if the
    /// archive gives it no number that is still free.
    pub fn give(&mut self, origin: usize, local: u64, next: u64) -> Result<Option<u64>, StorageError> {
        if self.tables[origin].last >= local {
            return Ok(None);
        }
        let next = next.max(self.next);
        let given = if self.are_given {
            self.origins.number_of(origin, local)?.filter(|number| *number >= next)
        } else {
            Some(next)
        };
        self.next = given.map_or(next, |given| given + 1);
        let table = &mut self.tables[origin];
        table.last = local;
        if let Some(number) = given.filter(|_| !self.are_given) {
            if local / NUMBERS_A_ROW != table.chunk {
                self.write(origin)?;
            }
            let table = &mut self.tables[origin];
            table.chunk = local / NUMBERS_A_ROW;
            table.numbers.resize((local % NUMBERS_A_ROW) as usize, 0);
            table.numbers.push(number);
        }
        Ok(given)
    }

    /// The first number that no page of an origin has.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Notes that no more pages of the origin follow.
    pub fn end(&mut self, origin: usize) -> Result<(), StorageError> {
        self.tables[origin].has_ended = true;
        if self.are_given { Ok(()) } else { self.write(origin) }
    }

    /// Writes the unwritten chunk.
    fn write(&mut self, origin: usize) -> Result<(), StorageError> {
        let table = &mut self.tables[origin];
        if table.numbers.is_empty() {
            return Ok(());
        }
        let numbers = std::mem::take(&mut table.numbers);
        self.origins
            .write_chunks(origin, table.chunk, std::iter::once(&*numbers))
    }

    /// The page that a record of the origin names, if it has been replayed.
    pub fn named(&self, origin: usize, number: u64) -> Result<Named, StorageError> {
        let Some((of, local)) = self.place_of(origin, number) else {
            return Ok(Named::Missing);
        };
        let table = &self.tables[of];
        if local > table.last {
            return Ok(if of == origin || table.has_ended {
                Named::Missing
            } else {
                Named::Later
            });
        }
        let unwritten = (!table.numbers.is_empty() && local / NUMBERS_A_ROW == table.chunk)
            .then(|| table.numbers.get((local % NUMBERS_A_ROW) as usize).copied());
        let number = match unwritten {
            Some(number) => number.filter(|number| *number > 0),
            None => self.origins.number_of(of, local)?,
        };
        Ok(number.map_or(Named::Missing, Named::Here))
    }

    /// The number of a page in the new state; `None` if it is missing or comes later.
    pub fn here(&self, origin: usize, number: u64) -> Result<Option<u64>, StorageError> {
        Ok(match self.named(origin, number)? {
            Named::Here(number) => Some(number),
            Named::Later | Named::Missing => None,
        })
    }

    /// The origin of a page, and its number there.
    fn place_of(&self, origin: usize, number: u64) -> Option<(usize, u64)> {
        let Some(PageElsewhere { worker, sequence }) = PageElsewhere::unpacked(number) else {
            return Some((origin, number));
        };
        let worker = Worker {
            number: worker,
            crawl: self.tables[origin].worker.crawl.clone(),
        };
        let of = self.workers.get(&worker)?;
        Some((*of, sequence))
    }

    /// Whether all origins are of workers of one crawl, so that their verdicts agree.
    pub fn are_of_one_crawl(&self) -> bool {
        let Some((first, others)) = self.tables.split_first() else {
            return true;
        };
        others
            .iter()
            .all(|other| other.worker.shares_its_crawl_with(&first.worker))
    }
}
