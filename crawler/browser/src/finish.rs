//! When is a page finished?
//!
//! The browser runs on a clock of its own, the *virtual time* of CDP. It runs while the page has nothing to do, as fast as the page's timers can be
//! served, and stands still while a request of the page is open. So neither a slow machine nor a slow server makes a page seem finished, and
//! a page that waits for a second by a timer costs no second.
//!
//! The clock runs in steps ([`STEP`]) and stops after each. The page is finished if it looks the same after two steps. Frames are drawn in real
//! time, and lazy loading waits for them. So a step counts only when two frames were drawn since it began ([`MAX_WAIT_FOR_FRAMES`] at most), and
//! not before [`FRAMES`], or the whole quiet time if the page has workers, whose time is not virtual. The state machine has no clock of its own.

use std::time::{Duration, Instant};

/// A step of the page's clock. A page that changes by a timer of this length or less is seen to change.
pub(crate) const STEP: Duration = Duration::from_secs(2);

/// Real time of some frames.
const FRAMES: Duration = Duration::from_millis(100);

/// Real time after which a page that draws no frames is looked at all the same.
const MAX_WAIT_FOR_FRAMES: Duration = Duration::from_secs(1);

/// What a look at the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether the parser has read the whole document.
    pub is_parsed: bool,
    /// Whether the awaited element is there.
    pub is_found: bool,
    /// A digest of text, elements and links.
    pub digest: String,
    /// Whether two frames were drawn since the step began.
    pub has_drawn: bool,
}

/// What follows a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Another look soon, without a step.
    Wait,
    /// The clock runs on.
    GoOn,
    /// The page is finished.
    Finished,
    /// The page's clock has run for as long as it may.
    EndsUnfinished,
}

#[derive(Debug)]
pub(crate) struct Finish {
    quiet: Duration,
    /// Upper bound on the time of the page's clock, at first and after each restart.
    limit: Duration,
    /// The time that the page's clock has run since.
    ran: Duration,
    has_worker: bool,
    /// When the clock began to run.
    began: Option<Instant>,
    /// When the clock stopped; `None` while it runs.
    stopped: Option<Instant>,
    seen: Option<Look>,
}

impl Finish {
    /// A page whose clock may run for `limit`.
    pub fn new(quiet: Duration, limit: Duration) -> Self {
        Self {
            quiet,
            limit,
            ran: Duration::ZERO,
            has_worker: false,
            began: None,
            stopped: None,
            seen: None,
        }
    }

    /// The page has a worker or a frame.
    pub fn has_worker(&mut self) {
        self.has_worker = true;
    }

    /// The clock runs for a step.
    pub fn runs(&mut self, now: Instant) {
        self.began = Some(now);
        self.stopped = None;
    }

    /// The clock has stopped at the end of a step.
    pub fn paused(&mut self, now: Instant) {
        self.ran += STEP;
        self.stopped = Some(now);
    }

    /// The time of the next look; `None` while the clock runs.
    pub fn next_look(&self) -> Option<Instant> {
        let least = if self.has_worker { self.quiet } else { FRAMES };
        self.stopped
            .map(|stopped| stopped.max(self.began.map_or(stopped, |began| began + least)))
    }

    /// Takes a look at the page.
    pub fn looked(&mut self, look: Look, now: Instant) -> Step {
        let waited = self
            .began
            .map_or(MAX_WAIT_FOR_FRAMES, |began| now.saturating_duration_since(began));
        if !look.has_drawn && waited < MAX_WAIT_FOR_FRAMES {
            self.stopped = Some(now + FRAMES);
            return Step::Wait;
        }
        let is_same = self.seen.as_ref() == Some(&look);
        let is_finished = is_same && look.is_parsed && look.is_found;
        self.seen = Some(look);
        match is_finished {
            true => Step::Finished,
            false if self.ran >= self.limit => Step::EndsUnfinished,
            false => Step::GoOn,
        }
    }

    /// Something was done to the page, such as scrolling: it must look the same twice again, and its clock may run for as long again. A page
    /// that loads on eight times changes about as long after each scroll as at first.
    pub fn restart(&mut self) {
        self.seen = None;
        self.ran = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(500);

    fn look(digest: &str) -> Look {
        Look {
            is_parsed: true,
            is_found: true,
            digest: digest.into(),
            has_drawn: true,
        }
    }

    fn finish() -> (Finish, Instant) {
        (Finish::new(QUIET, 4 * STEP), Instant::now())
    }

    #[test]
    fn a_page_is_finished_when_it_looks_the_same_after_two_steps() {
        let (mut finish, now) = finish();
        assert_eq!(finish.looked(look("a"), now), Step::GoOn);
        assert_eq!(finish.looked(look("b"), now), Step::GoOn);
        assert_eq!(finish.looked(look("b"), now), Step::Finished);
        finish.restart();
        assert_eq!(finish.looked(look("b"), now), Step::GoOn);
    }

    #[test]
    fn a_step_without_frames_counts_only_after_a_while() {
        let (mut finish, now) = finish();
        finish.runs(now);
        finish.paused(now);
        let undrawn = Look {
            has_drawn: false,
            ..look("a")
        };
        assert_eq!(finish.looked(undrawn.clone(), now), Step::Wait);
        assert_eq!(finish.next_look(), Some(now + FRAMES));
        assert_eq!(finish.looked(undrawn, now + MAX_WAIT_FOR_FRAMES), Step::GoOn);
    }

    #[test]
    fn a_page_without_the_awaited_element_goes_on_until_its_time_is_up() {
        let (mut finish, now) = finish();
        let missing = Look {
            is_found: false,
            ..look("a")
        };
        for _ in 0..3 {
            finish.paused(now);
            assert_eq!(finish.looked(missing.clone(), now), Step::GoOn);
        }
        finish.paused(now);
        assert_eq!(finish.looked(missing.clone(), now), Step::EndsUnfinished);
        finish.restart();
        assert_eq!(finish.looked(missing, now), Step::GoOn);
    }

    #[test]
    fn no_look_is_taken_while_the_clock_runs_or_before_some_frames() {
        let (mut finish, now) = finish();
        assert_eq!(finish.next_look(), None);
        finish.runs(now);
        assert_eq!(finish.next_look(), None);
        let soon = now + Duration::from_millis(5);
        finish.paused(soon);
        assert_eq!(finish.next_look(), Some(now + FRAMES));
        finish.has_worker();
        assert_eq!(finish.next_look(), Some(now + QUIET));
    }
}
