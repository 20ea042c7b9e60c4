//! A multimap in memory from hashes to numbers, for the digests and the short texts of an index.
//!
//! An entry takes about ten bytes: a tag of 32 bits and a number, in tables that are 80 to 90 % full and grow by an eighth, one
//! part of 64 at a time. A hash map of lists takes 70 to 100. Of 38 bits of a hash, the tag and the part keep all, so among 10^7
//! hashes one look-up in 27,000 finds the numbers of another hash: who looks up compares what the numbers stand for.

mod lots;
mod part;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

pub(super) use self::part::{LONGEST, Part, Place};
use crate::error::DedupError;
use crate::hash::mix;
use crate::spill::Spill;

const PARTS: usize = 64;

#[derive(Debug)]
pub(super) struct Table {
    /// Random, so that nobody can write texts whose hashes meet in one place of the table.
    seed: u64,
    parts: Vec<Part>,
    bytes: usize,
    /// Number of parts in a file, the first ones.
    spilled: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            seed: RandomState::new().hash_one(0),
            parts: vec![Part::default(); PARTS],
            bytes: 0,
            spilled: 0,
        }
    }
}

/// A copy is in memory.
impl Clone for Table {
    fn clone(&self) -> Self {
        let parts = self.parts.clone();
        Self {
            seed: self.seed,
            bytes: parts.iter().map(Part::resident_bytes).sum(),
            parts,
            spilled: 0,
        }
    }
}

impl Table {
    fn key(&self, hash: u64) -> (usize, u32) {
        let hash = mix(hash ^ self.seed);
        ((hash >> 32) as usize % PARTS, Part::tag(hash as u32))
    }

    /// Prefetches what a look-up or an insertion reads first.
    pub(super) fn prefetch(&self, hash: u64) {
        let (part, tag) = self.key(hash);
        self.parts[part].prefetch(tag);
    }

    pub(super) fn insert(&mut self, hash: u64, number: u32) {
        let (part, tag) = self.key(hash);
        let part = &mut self.parts[part];
        let before = part.resident_bytes();
        part.insert(tag, number);
        self.bytes = self.bytes + part.resident_bytes() - before;
    }

    /// Appends the numbers with this hash, and seldom those of another one, to `found`.
    pub(super) fn find(&self, hash: u64, found: &mut Vec<u32>) {
        let (part, tag) = self.key(hash);
        let part = &self.parts[part];
        part.each_place(tag, |place| {
            part.numbers(place, usize::MAX, found);
        });
    }

    /// Moves a part to a file. Returns whether there was one to move.
    pub(super) fn spill_a_part(&mut self, file: &Arc<Spill>) -> Result<bool, DedupError> {
        spill_a_part(&mut self.parts, &mut self.spilled, &mut self.bytes, file)
    }

    /// About the bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.bytes
    }
}

/// Moves the next part to a file. `spilled` counts those moved before, `bytes` those of all parts in memory.
pub(super) fn spill_a_part(
    parts: &mut [Part],
    spilled: &mut usize,
    bytes: &mut usize,
    file: &Arc<Spill>,
) -> Result<bool, DedupError> {
    let Some(part) = parts.get_mut(*spilled) else {
        return Ok(false);
    };
    let before = part.resident_bytes();
    part.spill(file)?;
    *bytes = *bytes + part.resident_bytes() - before;
    *spilled += 1;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::hash::rehash;

    fn check(file: Option<Arc<Spill>>) {
        let mut table = Table::default();
        let mut lists: HashMap<u64, Vec<u32>> = HashMap::new();
        for number in 0..50_000_u32 {
            // Some hashes have one number, some a dozen, one has thousands.
            let hash = rehash(u64::from([number, number / 12, 7][number as usize % 3]), 3);
            table.insert(hash, number);
            lists.entry(hash).or_default().push(number);
            if let Some(file) = file.as_ref().filter(|_| number.is_multiple_of(500)) {
                table.spill_a_part(file).unwrap();
            }
        }
        // A copy has its own entries, in memory.
        let copied = table.clone();
        match file {
            Some(_) => assert!(copied.resident_bytes() > table.resident_bytes()),
            None => assert_eq!(copied.resident_bytes(), table.resident_bytes()),
        }
        (0..5_000).for_each(|number| table.insert(rehash(number, 4), 50_000));
        for table in [table, copied] {
            let (mut found, mut others) = (Vec::new(), 0);
            for (hash, list) in &lists {
                found.clear();
                table.find(*hash, &mut found);
                found.sort_unstable();
                assert!(list.iter().all(|number| found.binary_search(number).is_ok()));
                others += found.len() - list.len();
            }
            assert!(others < 40, "{others} numbers of other hashes");
        }
    }

    #[test]
    fn every_number_is_found_by_its_hash() {
        check(None);
    }

    #[test]
    fn every_number_is_found_in_a_file() {
        let file = Arc::new(Spill::new(0, &std::env::temp_dir(), |folder| {
            tempfile::tempfile_in(folder)
        }));
        check(Some(Arc::clone(&file)));
        file.check().unwrap();
    }

    #[test]
    fn an_entry_takes_at_most_sixteen_bytes_in_memory_and_none_in_a_file() {
        let file = Arc::new(Spill::new(0, &std::env::temp_dir(), |folder| {
            tempfile::tempfile_in(folder)
        }));
        let mut table = Table::default();
        (0..50_000).for_each(|number| table.insert(rehash(u64::from(number), 3), number));
        let bytes = table.resident_bytes() / 50_000;
        assert!((8..=16).contains(&bytes), "{bytes}");
        while table.spill_a_part(&file).unwrap() {}
        assert!(table.resident_bytes() < 5_000, "{}", table.resident_bytes());
    }
}
