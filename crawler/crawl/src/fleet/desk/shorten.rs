//! Keeps the log of kept pages short: writes the segments that take entries out of it, and lets this worker wait with its requests while too
//! many entries stay in it. One worker of the fleet writes at a time; the recorder says which pages of the log are kept.

use std::time::Duration;

use fleet::{Draft, FleetError, PageId};
use tokio::sync::oneshot;

use super::super::messages::FromDesk;
use super::super::ownership::Pause;
use super::Desk;
use super::store::Errand;

/// Time between two looks at the length of the log. Not the same for all workers, so that they do not all begin at once.
const PAUSE_MS: std::ops::Range<u64> = 500..1_500;

/// Pages that the recorder judges at a time.
const PAGES: usize = 256;

impl Desk {
    /// Watches over the length of the log while the run lasts. Without a log, looks whether any worker has kept a page.
    pub(super) async fn keep_short(&self) -> Result<(), FleetError> {
        if self.has_log {
            return self.shorten_log().await;
        }
        loop {
            let claimed = self.answer(self.fleet.claimed_digests().await).await?;
            if claimed.is_some_and(|pages| pages > 0) {
                self.state().has_digests = true;
                return std::future::pending().await;
            }
            tokio::time::sleep(Duration::from_millis(fastrand::u64(PAUSE_MS))).await;
        }
    }

    /// Looks at the length of the log also while a segment is on its way to an object store that does not answer.
    async fn shorten_log(&self) -> Result<(), FleetError> {
        let looking = async {
            loop {
                tokio::time::sleep(Duration::from_millis(fastrand::u64(PAUSE_MS))).await;
                if let Some(end) = self.answer(self.fleet.log_end().await).await? {
                    self.state().log_end = end;
                    self.slow_down();
                }
            }
        };
        let writing = async {
            loop {
                tokio::time::sleep(Duration::from_millis(fastrand::u64(PAUSE_MS))).await;
                while self.write_segment().await? {}
            }
        };
        tokio::select! {
            ended = looking => ended,
            ended = writing => ended,
        }
    }

    /// Lets the requests of this worker wait for the log, or go on.
    fn slow_down(&self) {
        let entries = self.fleet.uncovered();
        let was_paused = self.ownership.is_paused_for(Pause::Log);
        let is_paused = self.fleet.is_log_too_long(was_paused, self.segment);
        match (was_paused, is_paused) {
            (false, true) => tracing::warn!(
                entries,
                "the log of kept pages is too long: the workers decide on its pages more slowly than the fleet finds them, or cannot shorten it; this worker makes no requests until it is short again"
            ),
            (true, false) => tracing::info!(entries, "the log is short again; the requests go on"),
            _ => return,
        }
        self.ownership.pause(Pause::Log, is_paused);
    }

    /// Writes the next segment, if it is due and no other worker does so. Usually a worker at the end of the log does. If none of them is there,
    /// any worker writes up to its own place, as long as that is worth a segment.
    async fn write_segment(&self) -> Result<bool, FleetError> {
        let (uncovered, segment) = (self.fleet.uncovered(), self.segment as u64);
        let (applied, forgot_at) = {
            let state = self.state();
            let is_late = uncovered >= 2 * segment;
            let applied = state.applied.filter(|_| state.is_log_read || is_late);
            (applied, state.forgot_at)
        };
        if uncovered < segment {
            // Another worker has written it.
            self.store.are_over(Errand::Write);
        }
        let Some(applied) = applied.filter(|_| uncovered >= segment) else {
            return Ok(false);
        };
        let begun = self.fleet.begin_segment_up_to(applied, self.segment, forgot_at).await;
        let begun = self.answer_with_store(Errand::Write, begun).await?;
        let Some(draft) = begun.flatten() else {
            return Ok(false);
        };
        if draft.pages().len() < self.segment / 2 {
            self.answer(self.fleet.leave_segment(draft).await).await?;
            return Ok(false);
        }
        let Some(kept) = self.judge(&draft).await else {
            return Ok(false);
        };
        let written = self.fleet.end_segment(draft, &kept).await;
        let written = self.answer_with_store(Errand::Write, written).await?;
        if written.is_some() {
            self.store_answers(Errand::Write);
        }
        Ok(written.unwrap_or(false))
    }

    /// Which pages of the draft are kept; `None` if the recorder has ended, or has lost the log meanwhile.
    async fn judge(&self, draft: &Draft) -> Option<Vec<bool>> {
        let mut kept = Vec::with_capacity(draft.pages().len());
        let pages: Vec<PageId> = draft.pages().collect();
        for pages in pages.chunks(PAGES) {
            let (answer, judged) = oneshot::channel();
            let pages = pages.to_vec();
            let end = draft.end();
            self.tell(FromDesk::Judge { pages, end, answer }).await;
            kept.extend(judged.await.ok()?);
        }
        Some(kept)
    }
}
