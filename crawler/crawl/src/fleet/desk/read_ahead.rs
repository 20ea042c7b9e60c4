//! Reads several segments of the log at the same time. The recorder applies one while the next ones are on their way.

use std::collections::VecDeque;

use fleet::{Fleet, FleetError, Segment, SegmentRow};
use tokio::task::JoinHandle;

/// Segments that are read at the same time, and wait for the recorder. Each takes some megabytes.
const AHEAD: usize = 4;

/// A segment on its way.
struct Reading {
    row: SegmentRow,
    segment: JoinHandle<Result<Segment, FleetError>>,
}

impl Drop for Reading {
    /// Nobody waits for it any more.
    fn drop(&mut self) {
        self.segment.abort();
    }
}

/// The segments on their way, in the order of the log.
#[derive(Default)]
pub(super) struct ReadAhead {
    readings: VecDeque<Reading>,
}

impl ReadAhead {
    /// The segment of a row. Begins to read those behind it, because they are needed next.
    ///
    /// # Errors
    /// As [`Fleet::read_segment`] and [`Fleet::segments_behind`]. The next call begins anew.
    pub async fn segment(&mut self, fleet: &Fleet, row: SegmentRow) -> Result<Segment, FleetError> {
        if self.readings.front().is_none_or(|reading| reading.row != row) {
            self.readings.clear();
            self.begin(fleet, row);
        }
        if let Some(last) = self.readings.back() {
            let behind = fleet
                .segments_behind(last.row.end, AHEAD - self.readings.len().min(AHEAD))
                .await?;
            behind.into_iter().for_each(|row| self.begin(fleet, row));
        }
        let Some(mut first) = self.readings.pop_front() else {
            return Err(FleetError::Damaged("no segment is read".to_owned()));
        };
        (&mut first.segment)
            .await
            .unwrap_or_else(|ended| Err(FleetError::Damaged(format!("the reader of a segment ended: {ended}"))))
    }

    fn begin(&mut self, fleet: &Fleet, row: SegmentRow) {
        let (fleet, of) = (fleet.clone(), row.clone());
        let segment = tokio::spawn(async move { fleet.read_segment(&of).await });
        self.readings.push_back(Reading { row, segment });
    }
}
