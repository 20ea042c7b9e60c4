//! The result of an attempt to fetch a robots.txt (RFC 9309, section 2.3.1).

use super::Robots;

/// The rules after an attempt to fetch a robots.txt, and the reason for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsOutcome {
    /// The rules until the next attempt.
    pub robots: Robots,
    /// The result of this attempt.
    pub availability: Availability,
}

/// The result of an attempt to fetch a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    /// The file exists, and its rules hold.
    Found,
    /// There is no file, the server refuses it, or there are too many redirects: everything is allowed.
    Unavailable,
    /// The server failed, could not be reached, or is overloaded: everything is forbidden until the next attempt.
    Unreachable,
}

impl Availability {
    /// Whether to retry soon, with backoff, instead of caching the result for 24 hours (section 2.4).
    #[must_use]
    pub fn is_to_be_retried(self) -> bool {
        self == Self::Unreachable
    }
}

impl RobotsOutcome {
    /// The result of a response after its redirects. A 2xx response is parsed. 3xx (too many redirects) and 4xx allow everything.
    /// 429, 5xx and all other statuses forbid everything until the next attempt.
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

    /// The result of a failed request (no connection, a time-out, TLS, a forbidden address): everything is forbidden until the
    /// next attempt. Decisions name the reason as their rule.
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
    fn a_status_means_parse_or_allow_or_forbid() {
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
