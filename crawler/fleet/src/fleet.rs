//! A worker's place in the fleet.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::Value;

use crate::command::Tag;
use crate::error::FleetError;
use crate::partition::{Epoch, Partition, WorkerNumber};
use crate::rules::{self, ValidChanges};
use crate::segment_store::SegmentStore;
use crate::servers::{Servers, Traffic};

/// A worker's place in the fleet, and its way to the servers. Clones share both; several tasks may call at once.
#[derive(Clone)]
pub struct Fleet {
    pub(crate) inner: Arc<Inner>,
}

/// Who this worker is.
pub(crate) struct Place {
    pub(crate) worker: WorkerNumber,
    /// Name of the machine.
    pub(crate) host: String,
    pub(crate) crawl: u64,
    /// Which life of the crawl: see [`crate::Remembered`].
    pub(crate) life: u64,
    /// Of the data folder.
    pub(crate) folder: u64,
    /// What all workers agree on, as the servers have it.
    pub(crate) terms: String,
    /// How the live workers fetch, as the servers have it.
    pub(crate) rules: String,
    /// Which changes of the rules count.
    pub(crate) valid_changes: ValidChanges,
    /// See [`crate::lease`]: a second process with the same data folder takes the place over as another incarnation, and so does this
    /// process when it has lost its lease.
    pub(crate) incarnation: AtomicU64,
    /// The incarnation as which the worker tries to join again; 0 while it does not.
    pub(crate) next_incarnation: AtomicU64,
    /// Another number for each process.
    pub(crate) salt: u64,
    pub(crate) lease: Duration,
}

pub(crate) struct Inner {
    pub(crate) servers: Servers,
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) registry: Tag,
    pub(crate) log: Tag,
    /// One for each partition.
    pub(crate) tags: Vec<Tag>,
    /// What this process was granted and has not lost or released. A partition that Redis says is this worker's and that is not
    /// here was granted in an answer that never came, or to an earlier process of the worker.
    held: Mutex<HashMap<Partition, Epoch>>,
    /// Claims that may have been granted in an answer that did not come, with the time at which a server first took them back.
    unanswered: Mutex<HashMap<Partition, Option<Instant>>>,
    /// The number of the last news of queues that this worker has.
    pub(crate) news: AtomicU64,
    /// When this worker last looked at the rows of all partitions for one without an owner.
    pub(crate) surveyed: Mutex<Option<Instant>>,
    /// Entries of the log that no segment covered when it was read last.
    pub(crate) uncovered: AtomicU64,
    /// Where segments are that the servers do not hold, and whether this worker has seen that the others have the same store.
    pub(crate) segments: Option<Arc<dyn SegmentStore>>,
    pub(crate) is_store_shared: AtomicBool,
    /// Raised by everything that can make work for somebody: the end of the crawl is seen by its standing still.
    pub(crate) moves: AtomicU64,
}

impl Fleet {
    pub(crate) fn new(
        servers: Servers,
        name: &str,
        place: Place,
        partitions: u16,
        segments: Option<Arc<dyn SegmentStore>>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                servers,
                place,
                registry: registry_tag(name),
                log: log_tag(name),
                tags: (0..partitions)
                    .map(|partition| partition_tag(name, partition))
                    .collect(),
                name: name.to_owned(),
                held: Mutex::default(),
                unanswered: Mutex::default(),
                news: AtomicU64::new(0),
                surveyed: Mutex::default(),
                uncovered: AtomicU64::new(0),
                segments,
                is_store_shared: AtomicBool::new(false),
                moves: AtomicU64::new(0),
            }),
        }
    }

    /// The number of this worker, the same whenever its data folder joins.
    #[must_use]
    pub fn worker(&self) -> WorkerNumber {
        self.inner.place.worker
    }

    /// The identity of the crawl, which the data folder remembers: see [`crate::JoinOptions::crawl`].
    #[must_use]
    pub fn crawl(&self) -> u64 {
        self.inner.place.crawl
    }

    /// The life of the crawl, another number each time that data folders have brought it back; 0 for its first one.
    #[must_use]
    pub fn life(&self) -> u64 {
        self.inner.place.life
    }

    /// How the workers fetch, as the servers had it when this worker joined: keys of the configuration, and their values. The user may have
    /// changed some of them since: see [`crate::Pulse::changed`].
    #[must_use]
    pub fn rules(&self) -> Vec<(String, String)> {
        rules::read(&self.inner.place.rules)
    }

    /// How many partitions the crawl has.
    #[must_use]
    pub fn partitions(&self) -> u16 {
        u16::try_from(self.inner.tags.len()).unwrap_or(u16::MAX)
    }

    /// How long a lease lasts from the time before the call that granted or renewed it.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.inner.place.lease
    }

    /// How long a worker can be silent before it counts as gone: its leases have run out then.
    pub(crate) fn silence(&self) -> Duration {
        self.inner.place.lease
    }

    /// What this worker has sent to the servers.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.inner.servers.traffic()
    }

    pub(crate) fn held(&self) -> MutexGuard<'_, HashMap<Partition, Epoch>> {
        self.inner.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn unanswered(&self) -> MutexGuard<'_, HashMap<Partition, Option<Instant>>> {
        self.inner.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As the servers know it: 16 digits.
    pub(crate) fn incarnation(&self) -> String {
        incarnation_text(self.inner.place.incarnation.load(Ordering::Acquire))
    }

    pub(crate) fn tag(&self, partition: Partition) -> Result<&Tag, FleetError> {
        self.inner
            .tags
            .get(usize::from(partition.0))
            .ok_or_else(|| FleetError::Damaged(format!("there is no partition {}", partition.0)))
    }
}

pub(crate) fn incarnation_text(number: u64) -> String {
    format!("{number:016x}")
}

pub(crate) fn registry_tag(name: &str) -> Tag {
    Tag::new(name, "fleet")
}

pub(crate) fn log_tag(name: &str) -> Tag {
    Tag::new(name, "log")
}

pub(crate) fn partition_tag(name: &str, partition: u16) -> Tag {
    Tag::new(name, &partition.to_string())
}

/// A whole number in an answer.
pub(crate) fn integer(value: &Value) -> Result<u64, FleetError> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        Value::BulkString(digits) => std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()),
        Value::Nil => Some(0),
        _ => None,
    }
    .ok_or_else(|| unexpected(value))
}

/// A list in an answer.
pub(crate) fn list(value: Value) -> Result<Vec<Value>, FleetError> {
    match value {
        Value::Array(values) => Ok(values),
        Value::Nil => Ok(Vec::new()),
        other => Err(unexpected(&other)),
    }
}

/// Bytes in an answer.
pub(crate) fn bytes(value: Value) -> Result<Vec<u8>, FleetError> {
    match value {
        Value::BulkString(bytes) => Ok(bytes),
        Value::SimpleString(text) => Ok(text.into_bytes()),
        Value::Nil => Ok(Vec::new()),
        other => Err(unexpected(&other)),
    }
}

/// Text in an answer.
pub(crate) fn text(value: Value) -> Result<String, FleetError> {
    String::from_utf8(bytes(value)?).map_err(|error| FleetError::Damaged(error.to_string()))
}

pub(crate) fn unexpected(value: &Value) -> FleetError {
    FleetError::Damaged(
        format!("an answer has another form than expected: {value:?}")
            .chars()
            .take(300)
            .collect(),
    )
}
