//! A bounded memory: two generations of keys. When the younger is full, the older is dropped.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The values of the keys that were set last: between one and two generations of keys.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory<V> {
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
    generation: usize,
}

impl<V: Clone> Memory<V> {
    /// An empty memory whose generations hold `generation` keys each.
    pub fn of(generation: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            generation,
        }
    }

    /// Keys in memory.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.young.len() + self.old.len()
    }

    pub fn get(&self, key: u64) -> Option<V> {
        self.young.get(&key).or_else(|| self.old.get(&key)).cloned()
    }

    pub fn contains(&self, key: u64) -> bool {
        self.young.contains_key(&key) || self.old.contains_key(&key)
    }

    /// Whether this memory, which was read, is bounded as `other`.
    pub fn is_bounded_as(&self, other: &Self) -> bool {
        self.generation == other.generation && self.young.len().max(self.old.len()) <= self.generation
    }

    /// Sets the value of a key, unless the key has one.
    pub fn insert_new(&mut self, key: u64, value: V) {
        let value = self.get(key).unwrap_or(value);
        self.insert(key, value);
    }

    /// The value of a key, to be changed. The key then counts as one that was set last.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key)?;
            self.insert(key, value);
        }
        self.young.get_mut(&key)
    }

    /// As [`get_mut`](Self::get_mut); a key without a value gets the default.
    pub fn get_mut_or_default(&mut self, key: u64) -> &mut V
    where
        V: Default,
    {
        if self.get_mut(key).is_none() {
            self.insert(key, V::default());
        }
        self.young.entry(key).or_default()
    }

    pub fn insert(&mut self, key: u64, value: V) {
        if self.young.len() >= self.generation && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_were_set_last_are_known_and_older_ones_are_forgotten() {
        let mut memory = Memory::of(10);
        for key in 0..100_u64 {
            memory.insert(key, key);
        }
        assert!((90..100).all(|key| memory.get(key) == Some(key)));
        assert!((0..80).all(|key| !memory.contains(key)));
        assert!(memory.held() <= 20);
    }

    #[test]
    fn a_key_that_is_changed_again_and_again_is_never_forgotten() {
        let mut memory: Memory<u64> = Memory::of(10);
        for key in 1..=100 {
            *memory.get_mut_or_default(0) += 1;
            memory.insert(key, key);
        }
        assert_eq!((memory.get(0), memory.get_mut(1)), (Some(100), None));
        assert!(memory.held() <= 20);
    }
}
