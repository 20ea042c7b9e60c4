//! The rows as of one commit, while later commits change them.
//!
//! sled 0.34 has no snapshots. So each batch saves the old value of every row that it changes, its *pre-image*, for the snapshots
//! that are open. A snapshot reads a row from the tree and then looks for a pre-image:
//!
//! ```text
//! batch      save the pre-images ─▶ change the tree
//! snapshot   read the tree       ─▶ look for pre-images
//! ```
//!
//! A snapshot that has read a changed row therefore finds its pre-image. A snapshot that has read an unchanged row either finds no
//! pre-image, or one with the same value. Without an open snapshot a batch does nothing more than before.
//!
//! A snapshot is taken between two commits, because the rows in the middle of a commit are those of no instant.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::batch::{KeyValue, guarded};
use crate::error::StorageError;

/// Upper bound on the bytes of a snapshot's pre-images. A snapshot that needs more is given up, so that a slow reader cannot fill the
/// memory of the crawl.
const MAX_BYTES: usize = 64 << 20;

/// Bytes that an entry of the map takes besides key and value, about.
const ENTRY_BYTES: usize = 96;

/// The open snapshots of a tree.
#[derive(Default)]
pub(crate) struct Snapshots {
    open: Mutex<Vec<Weak<Mutex<PreImages>>>>,
}

/// The rows that changed since a snapshot, as they were; `None` for a row that was not there.
#[derive(Default)]
struct PreImages {
    rows: BTreeMap<sled::IVec, Option<sled::IVec>>,
    bytes: usize,
    is_given_up: bool,
}

impl PreImages {
    fn save(&mut self, key: &sled::IVec, value: Option<&sled::IVec>) {
        if self.is_given_up {
            return;
        }
        self.bytes += key.len() + value.map_or(0, |value| value.len()) + ENTRY_BYTES;
        self.rows.insert(key.clone(), value.cloned());
        if self.bytes > MAX_BYTES {
            self.rows.clear();
            self.is_given_up = true;
        }
    }
}

impl Snapshots {
    /// Opens a snapshot of `tree`. No batch may be under way.
    pub fn take(&self, tree: &sled::Tree, dir: &Path) -> Snapshot {
        let before = Arc::default();
        let mut open = locked(&self.open);
        open.retain(|snapshot| snapshot.strong_count() > 0);
        open.push(Arc::downgrade(&before));
        Snapshot {
            dir: dir.into(),
            tree: tree.clone(),
            before,
        }
    }

    /// Saves the rows of `keys` in `tree` for the open snapshots. The caller changes them afterwards.
    pub fn save(&self, tree: &sled::Tree, keys: &[sled::IVec]) -> Result<(), sled::Error> {
        let open: Vec<_> = locked(&self.open).iter().filter_map(Weak::upgrade).collect();
        if open.is_empty() {
            return Ok(());
        }
        for key in keys {
            let mut value = None;
            for snapshot in &open {
                let mut before = locked(snapshot);
                if before.rows.contains_key(key) {
                    continue;
                }
                let value = match &value {
                    Some(value) => value,
                    None => value.insert(tree.get(key)?),
                };
                before.save(key, value.as_ref());
            }
        }
        Ok(())
    }
}

/// The rows of a tree as they were at one instant.
pub(crate) struct Snapshot {
    dir: Box<Path>,
    tree: sled::Tree,
    before: Arc<Mutex<PreImages>>,
}

impl Snapshot {
    /// The value of a row.
    ///
    /// # Errors
    /// The tree cannot be read, or too much has changed since the snapshot.
    pub fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, StorageError> {
        let now = guarded(&self.dir, || self.tree.get(key))?;
        let before = self.before()?;
        Ok(before.rows.get(key).cloned().unwrap_or(now))
    }

    /// Rows from the key `from` on, before the key `end`, in order. It reads at most `max_rows` rows of the tree and stops after
    /// `max_bytes`. The second value is the key at which the next call continues; `None` if there are no more rows.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn scan(
        &self,
        from: &[u8],
        end: Option<&[u8]>,
        (max_rows, max_bytes): (usize, usize),
    ) -> Result<(Vec<KeyValue>, Option<Vec<u8>>), StorageError> {
        let (mut now, mut bytes, mut next) = (Vec::new(), 0, None);
        for row in self.tree.range::<&[u8], _>((Bound::Included(from), upper(end))) {
            let (key, value) = guarded(&self.dir, || row)?;
            if now.len() >= max_rows || bytes >= max_bytes {
                next = Some(key.to_vec());
                break;
            }
            bytes += key.len() + value.len();
            now.push((key, value));
        }
        // The pre-images of the same range: up to the key that was not taken.
        let read_to = next.as_deref().or(end);
        let before = self.before()?;
        let mut saved = before
            .rows
            .range::<[u8], _>((Bound::Included(from), upper(read_to)))
            .peekable();
        let mut rows = Vec::with_capacity(now.len());
        for (key, value) in now {
            while let Some((earlier, was)) = saved.next_if(|(saved, _)| **saved < key) {
                rows.extend(was.clone().map(|was| (earlier.clone(), was)));
            }
            match saved.next_if(|(saved, _)| **saved == key) {
                Some((_, was)) => rows.extend(was.clone().map(|was| (key, was))),
                None => rows.push((key, value)),
            }
        }
        rows.extend(saved.filter_map(|(key, was)| was.clone().map(|was| (key.clone(), was))));
        Ok((rows, next))
    }

    /// The last row from the key `from` on and before the key `end`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn last(&self, from: &[u8], end: Option<&[u8]>) -> Result<Option<KeyValue>, StorageError> {
        let mut end = end.map(<[u8]>::to_vec);
        loop {
            let range = (Bound::Included(from), upper(end.as_deref()));
            let now = guarded(&self.dir, || self.tree.range::<&[u8], _>(range).next_back().transpose())?;
            let before = self.before()?;
            let saved = before.rows.range::<[u8], _>(range).next_back();
            let key = match (&now, saved) {
                (Some((key, _)), Some((saved, _))) => key.max(saved),
                (Some((key, _)), None) => key,
                (None, Some((saved, _))) => saved,
                (None, None) => return Ok(None),
            };
            let was = match before.rows.get(key) {
                Some(was) => was.clone(),
                None => now.as_ref().map(|(_, value)| value.clone()),
            };
            let key = key.clone();
            drop(before);
            if let Some(value) = was {
                return Ok(Some((key, value)));
            }
            // A later commit has added this row.
            end = Some(key.to_vec());
        }
    }

    /// The pre-images, unless the snapshot was given up.
    fn before(&self) -> Result<MutexGuard<'_, PreImages>, StorageError> {
        let before = locked(&self.before);
        if before.is_given_up {
            return Err(StorageError::SnapshotLost {
                dir: self.dir.to_path_buf(),
            });
        }
        Ok(before)
    }
}

fn upper(end: Option<&[u8]>) -> Bound<&[u8]> {
    end.map_or(Bound::Unbounded, Bound::Excluded)
}

/// A panic of another thread leaves the map whole: each change of it is one call.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
