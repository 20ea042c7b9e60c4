//! A fleet, as its servers tell of it: read when somebody looks, and not more often than once a second, however many look.

use std::time::{Duration, Instant, SystemTime};

use fleet::{FleetError, FleetStatus, StatusReader};
use tokio::sync::Mutex;

use error::RunError;

/// The shortest time between two readings. One reads a row of every partition.
const SPACING: Duration = Duration::from_secs(1);

/// How long one question to the servers tries. Whoever looks again asks again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Upper bound on a reading, which asks several questions.
const READS_WITHIN: Duration = Duration::from_secs(5);

/// A fleet that people watch.
pub struct WatchedFleet {
    reader: StatusReader,
    /// The servers and the crawl, for people.
    described: String,
    /// Locked during a reading: who looks meanwhile gets its result.
    seen: Mutex<Seen>,
}

/// What the last reading has found.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// When it ended.
    read: Option<Instant>,
    /// The last status that the servers told, and when. It stays while they do not answer.
    pub told: Option<(SystemTime, FleetStatus)>,
    /// Why the last reading has found none, and since when there is none.
    pub fault: Option<(SystemTime, FleetError)>,
}

impl WatchedFleet {
    /// A fleet at an address, which may name the crawl; otherwise it is `name`. Asks no server yet.
    ///
    /// # Errors
    /// The address or the name cannot be used, or a certificate cannot be read.
    pub fn new(address: &str, name: &str) -> Result<Self, RunError> {
        let reader = StatusReader::new(address, name, PATIENCE).map_err(|error| RunError::Fleet(error.to_string()))?;
        Ok(Self {
            described: format!("{}, crawl {}", reader.address(), reader.name()),
            reader,
            seen: Mutex::default(),
        })
    }

    /// The servers and the crawl, for people: without a password.
    pub(super) fn described(&self) -> &str {
        &self.described
    }

    fn silence(&self) -> FleetError {
        FleetError::Unreachable {
            address: self.reader.address(),
            waited: READS_WITHIN,
            reason: "the answers come too slowly".to_owned(),
        }
    }

    /// What the servers tell now, or told less than a second ago.
    pub(super) async fn look(&self) -> Seen {
        let mut seen = self.seen.lock().await;
        if seen.read.is_none_or(|read| read.elapsed() >= SPACING) {
            let told = tokio::time::timeout(READS_WITHIN, self.reader.read()).await;
            let told = told.unwrap_or_else(|_late| Err(self.silence()));
            let now = SystemTime::now();
            seen.read = Some(Instant::now());
            match told {
                Ok(status) => {
                    seen.told = Some((now, status));
                    seen.fault = None;
                }
                Err(error) => {
                    tracing::debug!(%error, "the servers of the fleet do not tell its status");
                    let is_same = |(_, before): &&(_, FleetError)| before.is_transient() == error.is_transient();
                    let since = seen.fault.as_ref().filter(is_same).map_or(now, |(since, _)| *since);
                    seen.fault = Some((since, error));
                }
            }
        }
        seen.clone()
    }
}
