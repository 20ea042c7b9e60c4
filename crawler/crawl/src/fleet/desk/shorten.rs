//! Writes the segments by which the log of kept pages is shortened. One worker of the fleet writes at a time; the recorder says which pages of
//! the log are kept.

use std::time::Duration;

use fleet::{Draft, FleetError, PageId};
use tokio::sync::oneshot;

use super::super::messages::FromDesk;
use super::Desk;

/// Time between two looks at the length of the log. Not the same for all workers, so that they do not all begin at once.
const PAUSE_MS: std::ops::Range<u64> = 500..1_500;

/// Pages that the recorder judges at a time.
const PAGES: usize = 256;

impl Desk {
    /// Writes segments while the run lasts.
    pub(super) async fn shorten_log(&self) -> Result<(), FleetError> {
        loop {
            tokio::time::sleep(Duration::from_millis(fastrand::u64(PAUSE_MS))).await;
            while self.write_segment().await? {}
        }
    }

    /// Writes the next segment, if it is due and no other worker does so. Only a worker that has read the log to its end does.
    async fn write_segment(&self) -> Result<bool, FleetError> {
        let applied = {
            let state = self.state();
            state.applied.filter(|_| state.is_log_read)
        };
        let Some(applied) = applied.filter(|_| self.fleet.uncovered() >= self.segment as u64) else {
            return Ok(false);
        };
        let begun = self
            .answer(self.fleet.begin_segment(applied, self.segment).await)
            .await?;
        let Some(draft) = begun.flatten() else {
            return Ok(false);
        };
        let Some(kept) = self.judge(&draft).await else {
            return Ok(false);
        };
        let written = self.answer(self.fleet.end_segment(draft, &kept).await).await?;
        Ok(written.unwrap_or(false))
    }

    /// Which pages of the draft are kept; `None` if the recorder has ended.
    async fn judge(&self, draft: &Draft) -> Option<Vec<bool>> {
        let mut kept = Vec::with_capacity(draft.pages().len());
        let pages: Vec<PageId> = draft.pages().collect();
        for pages in pages.chunks(PAGES) {
            let (answer, judged) = oneshot::channel();
            let pages = pages.to_vec();
            self.tell(FromDesk::Judge { pages, answer }).await;
            kept.extend(judged.await.ok()?);
        }
        Some(kept)
    }
}
