//! Times for people: short in the page, whole in the title.

use std::time::{Duration, SystemTime};

use crate::report::html::utc;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// An instant in four forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    /// RFC 3339, UTC.
    pub stamp: String,
    /// As `2026-03-21 09:30:00 UTC`.
    pub full: String,
    /// `just now`, `3 min ago`, `09:30`, `21 Mar 09:30` or `21 Mar 2025`, whichever says enough.
    pub short: String,
    /// `09:30:00`, with the day if it is another one.
    pub clock: String,
}

impl Moment {
    /// The instant `stamp` (RFC 3339, UTC) as seen at `now`. Another text stays as it is.
    pub fn of(stamp: &str, now: SystemTime) -> Self {
        let parsed = humantime::parse_rfc3339(stamp).ok();
        let short = parsed.and_then(|at| short(stamp, at, now));
        Self {
            full: utc(stamp).unwrap_or_else(|| stamp.to_owned()),
            short: short.unwrap_or_else(|| stamp.to_owned()),
            clock: parsed
                .and_then(|at| clock(stamp, at, now))
                .unwrap_or_else(|| stamp.to_owned()),
            stamp: stamp.to_owned(),
        }
    }
}

fn short(stamp: &str, at: SystemTime, now: SystemTime) -> Option<String> {
    // Two clocks differ by a moment; what lies further ahead has no age.
    let now = now.max(at.min(now + Duration::from_secs(MINUTE)));
    let age = now.duration_since(at).ok().map(|age| age.as_secs());
    let time = stamp.get(11..16)?;
    let (day, month, year) = date(stamp)?;
    Some(match age {
        Some(age) if age < MINUTE => "just now".to_owned(),
        Some(age) if age < HOUR => format!("{} min ago", age / MINUTE),
        _ if days(at) == days(now) => time.to_owned(),
        Some(age) if age < 300 * DAY => format!("{day} {month} {time}"),
        _ => format!("{day} {month} {year}"),
    })
}

/// The time of day, with the day if it is another than that of `now`.
fn clock(stamp: &str, at: SystemTime, now: SystemTime) -> Option<String> {
    let time = stamp.get(11..19)?;
    if days(at) == days(now) {
        return Some(time.to_owned());
    }
    let (day, month, year) = date(stamp)?;
    Some(match now.duration_since(at) {
        Ok(age) if age.as_secs() >= 300 * DAY => format!("{day} {month} {year} {time}"),
        _ => format!("{day} {month} {time}"),
    })
}

/// Day, month and year.
fn date(stamp: &str) -> Option<(&str, &'static str, &str)> {
    let month = MONTHS.get(stamp.get(5..7)?.parse::<usize>().ok()?.checked_sub(1)?)?;
    Some((stamp.get(8..10)?.trim_start_matches('0'), month, stamp.get(..4)?))
}

/// Days since the Unix epoch.
fn days(at: SystemTime) -> u64 {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    since.as_secs() / DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_as_short_as_its_age_allows() {
        let now = humantime::parse_rfc3339("2026-03-21T15:00:00Z").unwrap();
        for (stamp, short) in [
            ("2026-03-21T14:59:30Z", "just now"),
            ("2026-03-21T15:00:02Z", "just now"),
            ("2026-03-21T14:57:00Z", "3 min ago"),
            ("2026-03-21T09:30:00Z", "09:30"),
            ("2026-03-21T16:30:00Z", "16:30"),
            ("2026-03-04T09:30:00Z", "4 Mar 09:30"),
            ("2024-12-21T09:30:00Z", "21 Dec 2024"),
            ("never", "never"),
        ] {
            assert_eq!(Moment::of(stamp, now).short, short, "{stamp}");
        }
        for (stamp, clock) in [
            ("2026-03-21T14:59:30Z", "14:59:30"),
            ("2026-03-04T09:30:00Z", "4 Mar 09:30:00"),
            ("2024-12-21T09:30:00Z", "21 Dec 2024 09:30:00"),
            ("never", "never"),
        ] {
            assert_eq!(Moment::of(stamp, now).clock, clock, "{stamp}");
        }
        assert_eq!(Moment::of("2026-03-21T09:30:00Z", now).full, "2026-03-21 09:30:00 UTC");
    }
}
