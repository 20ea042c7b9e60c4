//! Keys with their counts.

/// A 128-bit key, the high word first. As `u128`, it would take 32 bytes together with its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Key([u64; 2]);

impl From<u128> for Key {
    fn from(key: u128) -> Self {
        Self([(key >> 64) as u64, key as u64])
    }
}

#[cfg(test)]
impl From<Key> for u128 {
    fn from(Key([high, low]): Key) -> Self {
        Self::from(high) << 64 | Self::from(low)
    }
}

impl Key {
    /// The low word.
    pub(super) fn low(self) -> u64 {
        self.0[1]
    }
}

/// A key with its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Counted {
    pub key: Key,
    pub count: u64,
}

impl Counted {
    /// Bytes in a file.
    pub(super) const BYTES: usize = 24;

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for word in [self.key.0[0], self.key.0[1], self.count] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// All keys in `bytes`, which [`write`](Self::write) has made.
    pub(super) fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> + '_ {
        bytes.as_chunks::<{ Self::BYTES }>().0.iter().map(|bytes| {
            let (words, _) = bytes.as_chunks::<8>();
            let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
            Self {
                key: Key([word(0), word(1)]),
                count: word(2),
            }
        })
    }

    /// Sorts by key and adds up equal keys.
    pub(super) fn add_up(all: &mut Vec<Self>) {
        all.sort_unstable_by_key(|counted| counted.key);
        all.dedup_by(|next, first| {
            let is_same = next.key == first.key;
            if is_same {
                first.count += next.count;
            }
            is_same
        });
    }
}
