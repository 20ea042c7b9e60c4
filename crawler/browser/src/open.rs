//! The time that requests of a page are open.

use std::time::{Duration, Instant};

/// The time that requests of a page are open, and the part of it in which they waited for their turn. Times that overlap count once.
#[derive(Debug, Default)]
pub(crate) struct Open {
    requests: usize,
    /// When the first of the open requests was made.
    since: Option<Instant>,
    /// The time before.
    total: Duration,
    waited: Duration,
    waited_until: Option<Instant>,
}

impl Open {
    /// A request is made.
    pub fn asked(&mut self, now: Instant) {
        self.requests += 1;
        self.since.get_or_insert(now);
    }

    /// A request that was made at `asked` is answered. It waited for so long.
    pub fn answered(&mut self, asked: Instant, waited: Duration, now: Instant) {
        self.requests = self.requests.saturating_sub(1);
        if self.requests == 0 {
            self.total = self.total(now);
            self.since = None;
        }
        let end = (asked + waited).min(now);
        let start = self.waited_until.map_or(asked, |until| until.max(asked));
        self.waited += end.saturating_duration_since(start);
        self.waited_until = Some(self.waited_until.map_or(end, |until| until.max(end)));
    }

    /// The open requests.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// How long requests were open.
    pub fn total(&self, now: Instant) -> Duration {
        self.total
            + self
                .since
                .map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// How long they waited for their turn.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// How long their servers took.
    pub fn served(&self, now: Instant) -> Duration {
        self.total(now).saturating_sub(self.waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn requests_that_are_open_at_the_same_time_count_once() {
        let now = Instant::now();
        let at = |seconds| now + seconds * SECOND;
        let mut open = Open::default();
        for _ in 0..3 {
            open.asked(at(0));
        }
        open.answered(at(0), 2 * SECOND, at(3));
        open.answered(at(0), 5 * SECOND, at(6));
        assert_eq!((open.requests(), open.total(at(7))), (1, 7 * SECOND));
        open.answered(at(0), 8 * SECOND, at(9));
        assert_eq!((open.waited(), open.served(at(20))), (8 * SECOND, SECOND));
        open.asked(at(30));
        open.answered(at(30), Duration::ZERO, at(34));
        assert_eq!((open.waited(), open.served(at(40))), (8 * SECOND, 5 * SECOND));
    }
}
