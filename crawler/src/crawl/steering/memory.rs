//! A bounded memory: two generations of hashes. When the younger is full, the older is dropped.

use std::collections::HashMap;

/// Bound on the entries of a generation.
const GENERATION: usize = 1 << 19;

/// A number for each of the keys that were set last: about half a million to a million keys.
#[derive(Debug, Default)]
pub(super) struct Memory {
    young: HashMap<u64, u32>,
    old: HashMap<u64, u32>,
}

impl Memory {
    pub fn get(&self, key: u64) -> Option<u32> {
        self.young.get(&key).or_else(|| self.old.get(&key)).copied()
    }

    pub fn contains(&self, key: u64) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key, unless the key has one.
    pub fn insert_new(&mut self, key: u64, value: u32) {
        let value = self.get(key).unwrap_or(value);
        self.insert(key, value);
    }

    pub fn insert(&mut self, key: u64, value: u32) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}
