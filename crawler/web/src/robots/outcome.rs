//! What the attempt to fetch a robots.txt means for the crawl (RFC 9309 §2.3.1).

use super::Robots;

/// The rules to go by after an attempt to fetch a robots.txt, and why they are what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsOutcome {
    /// The rules that hold until the next attempt.
    pub robots: Robots,
    /// What came of this one.
    pub availability: Availability,
}

/// What came of an attempt to fetch a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    /// It was there, and its rules hold.
    Found,
    /// There is none, or it is not shown to us, or it hides behind too many redirects: everything is allowed.
    Unavailable,
    /// The server failed, could not be reached, or said "not now": everything is forbidden until it has been tried again.
    Unreachable,
}

impl Availability {
    /// Whether to try again soon (with backoff) instead of keeping the outcome for as long as a cache may (24 hours, §2.4).
    #[must_use]
    pub fn is_to_be_retried(self) -> bool {
        self == Self::Unreachable
    }
}

impl RobotsOutcome {
    /// What a response means, after redirects have been followed: 2xx is read, 3xx (redirects given up on) and 4xx allow
    /// everything, but 429, 5xx and anything else forbid everything until retried.
    #[must_use]
    pub fn from_status(status: u16, body: &[u8], agent: &str) -> Self {
        match status {
            200..=299 => Self {
                robots: Robots::parse(body, agent),
                availability: Availability::Found,
            },
            429 => Self::unreachable("HTTP status 429"),
            300..=499 => Self {
                robots: Robots::allow_all(),
                availability: Availability::Unavailable,
            },
            _ => Self::unreachable(&format!("HTTP status {status}")),
        }
    }

    /// What a failed attempt means (no connection, no answer in time, TLS, a forbidden address): everything is forbidden until
    /// retried. The reason becomes the rule that decisions name.
    #[must_use]
    pub fn unreachable(reason: &str) -> Self {
        Self {
            robots: Robots::disallow_all(reason),
            availability: Availability::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_decides_between_reading_allowing_and_waiting() {
        for (status, availability, allowed) in [
            (200, Availability::Found, false),
            (204, Availability::Found, false),
            (301, Availability::Unavailable, true),
            (401, Availability::Unavailable, true),
            (403, Availability::Unavailable, true),
            (404, Availability::Unavailable, true),
            (410, Availability::Unavailable, true),
            (429, Availability::Unreachable, false),
            (500, Availability::Unreachable, false),
            (503, Availability::Unreachable, false),
            (101, Availability::Unreachable, false),
            (999, Availability::Unreachable, false),
        ] {
            let outcome = RobotsOutcome::from_status(status, b"user-agent: *\ndisallow: /", "FooBot");
            assert_eq!(outcome.availability, availability, "{status}");
            assert_eq!(outcome.robots.decide_target("/x").allowed, allowed, "{status}");
            assert_eq!(
                outcome.availability.is_to_be_retried(),
                availability == Availability::Unreachable
            );
        }
    }

    #[test]
    fn an_unreachable_file_is_named_as_the_reason() {
        let outcome = RobotsOutcome::unreachable("connection refused");
        assert_eq!(
            outcome.robots.decide_target("/").rule.as_deref(),
            Some("connection refused")
        );
        assert!(outcome.robots.decide_target("/robots.txt").allowed);
    }
}
