//! Rows, and changes of rows that are applied as one atomic step.

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
