//! The virtual time of a page, beside the real time.
//!
//! The browser draws frames of a page only while its virtual time is ahead of the real time: a frame of the future is put off. The virtual time
//! stands still while requests are open and falls behind on a busy machine. So each step makes up for it, and another step follows when the
//! lead is used up before enough frames are drawn.

use std::time::{Duration, Instant};

/// A step of the virtual time, and its lead over the real time after a step.
pub(crate) const STEP: Duration = Duration::from_secs(2);

/// The lead that is left when another step begins.
const LEAST_LEAD: Duration = Duration::from_millis(500);

/// The clock of a page.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// When it began to run.
    began: Option<Instant>,
    /// The virtual time since, at the end of the last step.
    ran: Duration,
    /// Whether it stands still, at the end of a step.
    has_stopped: bool,
}

impl Clock {
    /// It runs for a step. Returns its length.
    pub fn runs(&mut self, now: Instant) -> Duration {
        let began = *self.began.get_or_insert(now);
        let behind = now.saturating_duration_since(began).saturating_sub(self.ran);
        // Whole milliseconds, as the browser counts them.
        let step = Duration::from_millis(u64::try_from((STEP + behind).as_millis()).unwrap_or(u64::MAX));
        self.ran += step;
        self.has_stopped = false;
        step
    }

    /// The step is over.
    pub fn stopped(&mut self) {
        self.has_stopped = true;
    }

    /// Whether it stands still, at the end of a step.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    /// The virtual time at the end of the last step.
    pub fn ran(&self) -> Duration {
        self.ran
    }

    /// When the next step must begin so that frames are drawn on.
    pub fn needs_step(&self) -> Option<Instant> {
        let began = self.began.filter(|_| self.has_stopped)?;
        Some(began + self.ran.saturating_sub(LEAST_LEAD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_virtual_time_stays_ahead_of_the_real_time() {
        let now = Instant::now();
        let mut clock = Clock::default();
        assert_eq!(clock.needs_step(), None);
        assert_eq!(clock.runs(now), STEP);
        assert_eq!((clock.needs_step(), clock.has_stopped()), (None, false));
        clock.stopped();
        assert_eq!(clock.needs_step(), Some(now + STEP - LEAST_LEAD));
        // Ahead: a plain step. Behind, after a long request: what is missing and a step.
        assert_eq!(clock.runs(now + SECOND), STEP);
        assert_eq!(clock.runs(now + 30 * SECOND), 26 * SECOND + STEP);
        clock.stopped();
        assert_eq!(clock.needs_step(), Some(now + 30 * SECOND + STEP - LEAST_LEAD));
        assert_eq!(clock.ran(), 32 * SECOND);
    }
}
