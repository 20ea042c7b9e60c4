//! How long may a page take from the machine?
//!
//! The time of the machine does not tell whether a page is finished ([`finish`](crate::finish)), but a page may not hold its tab for ever. A page
//! that computes is given up after a limit of *processor time* of its process, which is the same on a machine with other work to do. A page that
//! computes less, and yet does not answer or draws no frame, is given up after [`STRETCH`] times as much real time: the machine did not give it
//! its time. The time in which requests are open does not count. It has a limit of its own ([`is_served_too_slowly`]).

use std::time::{Duration, Instant};

/// How much longer than the limit a page may take if it got less processor time.
const STRETCH: u32 = 6;

/// How much longer than the limit servers may take for all requests of a page.
const SLOW_SERVER: u32 = 3;

/// Time between two looks at the processor time, once the limit has passed.
const INTERVAL: Duration = Duration::from_millis(500);

/// What is left of the time of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// It has time.
    Some,
    /// It has used its time up.
    Used,
    /// The machine has given it less than its time, for too long.
    Withheld,
}

/// The patience with a page.
#[derive(Debug)]
pub(crate) struct Patience {
    limit: Duration,
    began: Instant,
    /// How long requests were open, and its processor time, when this began.
    open: Duration,
    used: Duration,
    checked: Option<Instant>,
}

impl Patience {
    /// Patience with a page whose requests were open for so long before, and which has used so much processor time.
    pub fn new(limit: Duration, began: Instant, open: Duration, used: Duration) -> Self {
        Self {
            limit,
            began,
            open,
            used,
            checked: None,
        }
    }

    /// When the processor time must be looked at next, if requests were open for `open` in all.
    pub fn next_check(&self, open: Duration) -> Instant {
        let first = self.began + self.limit + open.saturating_sub(self.open);
        self.checked.map_or(first, |checked| first.max(checked + INTERVAL))
    }

    /// What is left of the time of the page. `used` is its processor time until now; `None` if the browser does not tell.
    pub fn check(&mut self, now: Instant, open: Duration, used: Option<Duration>) -> Left {
        self.checked = Some(now);
        let took = now.saturating_duration_since(self.began);
        let took = took.saturating_sub(open.saturating_sub(self.open));
        let had_processor = used.is_some_and(|used| used.saturating_sub(self.used) >= self.limit);
        if took >= self.limit && had_processor {
            Left::Used
        } else if took >= self.limit * STRETCH {
            Left::Withheld
        } else {
            Left::Some
        }
    }
}

/// Whether servers took so long for the requests of a page that the page is given up.
pub(crate) fn is_served_too_slowly(limit: Duration, served: Duration) -> bool {
    served >= limit * SLOW_SERVER
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_page_is_given_up_by_its_processor_time_and_otherwise_much_later() {
        let now = Instant::now();
        let mut patience = Patience::new(10 * SECOND, now, SECOND, 2 * SECOND);
        for (took, open, used, expected) in [
            (9, 1, Some(30), Left::Some),
            (10, 1, Some(12), Left::Used),
            (10, 1, Some(11), Left::Some),
            (10, 1, None, Left::Some),
            (20, 21, Some(30), Left::Some),
            (59, 1, Some(3), Left::Some),
            (60, 1, Some(3), Left::Withheld),
            (60, 1, Some(12), Left::Used),
            (60, 1, None, Left::Withheld),
            (79, 21, None, Left::Some),
        ] {
            let used = used.map(|used| used * SECOND);
            let left = patience.check(now + took * SECOND, open * SECOND, used);
            assert_eq!(left, expected, "{took} s, open {open} s, used {used:?}");
        }
    }

    #[test]
    fn the_processor_time_is_looked_at_from_the_limit_on_and_now_and_then() {
        let now = Instant::now();
        let mut patience = Patience::new(10 * SECOND, now, SECOND, Duration::ZERO);
        assert_eq!(patience.next_check(6 * SECOND), now + 15 * SECOND);
        patience.check(now + 20 * SECOND, SECOND, None);
        assert_eq!(patience.next_check(6 * SECOND), now + 20 * SECOND + INTERVAL);
    }
}
