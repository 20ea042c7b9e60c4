//! Reads the log of kept pages, and what its segments say of the pages before, for the recorder, which applies both.

use std::time::Duration;

use fleet::{FleetError, LogSlice};

use super::super::messages::FromDesk;
use super::Desk;
use super::read_ahead::ReadAhead;
use super::store::Errand;

/// Entries that are read at a time: up to some 800 kB. The recorder decides on them with all cores, and each time begins threads for it.
const ENTRIES: usize = 2_000;

/// Time between two looks at the end of the log while pages are decided.
const PAUSE: Duration = Duration::from_millis(200);

/// The same while the log stands still and this worker has sent nothing.
const LONG_PAUSE: Duration = Duration::from_millis(500);

impl Desk {
    /// Reads the log while the run lasts, if the worker has one.
    pub(super) async fn keep_reading(&self) -> Result<(), FleetError> {
        if !self.has_log {
            return std::future::pending().await;
        }
        match self.read_log().await {
            Err(error @ FleetError::StoreRefuses { .. }) => {
                self.fails(error).await;
                std::future::pending().await
            }
            ended => ended,
        }
    }

    /// Reads the log behind what the recorder has, for ever.
    async fn read_log(&self) -> Result<(), FleetError> {
        let mut ahead = ReadAhead::default();
        loop {
            let at = {
                let state = self.state();
                match state.applied {
                    None => None,
                    // The recorder is behind; the entries in the channel are enough.
                    Some(applied) if applied < state.read && !state.is_log_read => None,
                    Some(applied) => Some(state.read.max(applied)),
                }
            };
            let Some(at) = at else {
                tokio::time::sleep(super::RETRY).await;
                continue;
            };
            let Some(slice) = self.answer(self.fleet.read_log(at, ENTRIES).await).await? else {
                continue;
            };
            let entries = match slice {
                LogSlice::Entries(entries) => entries,
                LogSlice::Segment(row) => {
                    let is_in_store = row.place().is_some();
                    let read = ahead.segment(&self.fleet, row).await;
                    let Some(segment) = self.answer_with_store(Errand::Read, read).await? else {
                        continue;
                    };
                    if is_in_store {
                        self.store_answers(Errand::Read);
                    }
                    {
                        let mut state = self.state();
                        state.read = segment.end;
                        state.is_log_read = false;
                    }
                    self.tell(FromDesk::Segment(segment)).await;
                    continue;
                }
                LogSlice::Lost => {
                    self.state().log_is_lost();
                    self.tell(FromDesk::LogLost).await;
                    continue;
                }
            };
            let is_end = entries.len() < ENTRIES;
            let is_new = !entries.is_empty();
            {
                let mut state = self.state();
                state.read = entries.last().map_or(at, |(position, _)| *position);
                state.is_log_read = is_end;
            }
            if is_new {
                self.tell(FromDesk::Log(entries)).await;
            }
            if is_end {
                self.tell(FromDesk::LogEnd).await;
                self.tell_log_of_forgotten().await?;
                let is_awaited = is_new || self.sign.letters() > 0;
                tokio::time::sleep(if is_awaited { PAUSE } else { LONG_PAUSE }).await;
            }
        }
    }
}
