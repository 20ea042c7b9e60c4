//! `Retry-After` (RFC 9110, section 10.2.3).

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::cookies::cookie_date;
use crate::seconds::{LONGEST, seconds};

/// The wait that a `Retry-After` of a response received at `now` asks for. A past date asks for none; a number or a year that is too large
/// asks for more than any cap. Dates are read as leniently as those of cookies, and those of ISO 8601 too.
#[must_use]
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    // A date may begin with a number, too.
    if let Some(date) = iso_date(value).or_else(|| cookie_date(value)) {
        return Some(date.duration_since(now).unwrap_or_default());
    }
    let is_far = value.contains(':') && value.split(|c: char| !c.is_ascii_digit()).any(|part| part.len() > 4);
    if is_far {
        return Some(LONGEST);
    }
    // The number at the beginning of `2026/11/29` or `0x10` is no number of seconds.
    let behind = value.trim_start_matches(|c: char| c.is_ascii_digit());
    seconds(value).filter(|_| !behind.starts_with(['-', '/', 'x', 'X']))
}

/// A date such as `2026-11-29T12:00:00Z`, in UTC if it names no zone.
fn iso_date(value: &str) -> Option<SystemTime> {
    let without_zone = || {
        Some(
            value
                .parse::<DateTime>()
                .ok()?
                .to_zoned(TimeZone::UTC)
                .ok()?
                .timestamp(),
        )
    };
    // The library also reads dates without hyphens, which could be numbers of seconds.
    let has_hyphen = value.as_bytes().get(4) == Some(&b'-');
    let date = value.parse::<Timestamp>().ok().or_else(without_zone);
    date.filter(|_| has_hyphen).map(SystemTime::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH;
        let wait = |value: &str| retry_after(value, now).map(|time| time.as_secs());
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("Thu, 01 Jan 1970 00:01:30 GMT"), Some(90));
        assert_eq!(wait("soon"), None);
        for (value, seconds) in [
            (" 120 ", Some(120)),
            ("1.5", Some(1)),
            ("2e2", Some(200)),
            ("120 seconds", Some(120)),
            ("01 Jan 1970 00:01:30 GMT", Some(90)),
            ("1 Jan 99999 00:01:30", Some(LONGEST.as_secs())),
            ("18446744073709551615", Some(LONGEST.as_secs())),
            ("99999999999999999999999999", Some(LONGEST.as_secs())),
            (&"9".repeat(5_000), Some(LONGEST.as_secs())),
            ("1e300", Some(LONGEST.as_secs())),
            ("1e999999999999", Some(LONGEST.as_secs())),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Fri, 31 Dec 99999 23:59:59 GMT", Some(LONGEST.as_secs())),
            (
                "Mon, 31 Dec 184467440737095516150 23:59:59 GMT",
                Some(LONGEST.as_secs()),
            ),
            ("Thu, 01 Jan 1960 00:01:30 GMT", Some(0)),
            ("Monday, 01-Jan-70 00:01:30", Some(90)),
            ("1970-01-01T00:01:30Z", Some(90)),
            ("1970-01-01T02:01:30+02:00", Some(90)),
            ("1970-01-01T00:01:30", Some(90)),
            ("1970-01-01 00:01:30.5Z", Some(90)),
            ("1970-01-02", Some(86_400)),
            ("1960-01-01T00:00:00Z", Some(0)),
            ("19700102", Some(19_700_102)),
            ("1970-13-01T00:00:00Z", None),
            ("2026/11/29", None),
            ("29-11-2026", None),
            ("0x10", None),
            ("-5", None),
            ("-99999999999999999999999999", None),
            ("inf", None),
            ("NaN", None),
            ("", None),
        ] {
            assert_eq!(wait(value), seconds, "{}", value.get(..40).unwrap_or(value));
        }
    }
}
