//! Rows, changes of rows that are applied as one atomic step, and calls of the database that cannot panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::StorageError;

/// A key and its value.
pub(crate) type KeyValue = (sled::IVec, sled::IVec);

/// A batch of the database that also knows which keys it changes.
#[derive(Default)]
pub(crate) struct Batch {
    rows: sled::Batch,
    keys: Vec<sled::IVec>,
}

impl Batch {
    /// Sets a row.
    pub fn insert(&mut self, key: impl Into<sled::IVec>, value: impl Into<sled::IVec>) {
        let key = key.into();
        self.keys.push(key.clone());
        self.rows.insert(key, value);
    }

    /// Removes a row.
    pub fn remove(&mut self, key: impl Into<sled::IVec>) {
        let key = key.into();
        self.keys.push(key.clone());
        self.rows.remove(key);
    }

    /// The keys that the batch changes, and its changes.
    pub fn into_parts(self) -> (Vec<sled::IVec>, sled::Batch) {
        (self.keys, self.rows)
    }
}

/// Calls sled and turns a panic into an error: sled asserts some properties of the data that it reads, and unwraps some failures of its
/// threads.
pub(crate) fn guarded<T>(dir: &Path, ask: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, StorageError> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer.map_err(|error| StorageError::sled(dir, error)),
        Err(panic) => Err(StorageError::sled_panic(dir, panic_message(panic.as_ref()))),
    }
}

/// The message of a panic.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("sled panicked").to_owned()
}
