//! Which of several like documents is kept: the first in an order, in which they are then decided.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The document with the most characters.
    Longest,
    /// The document with the latest time.
    Newest,
    /// The document with the greatest number.
    Best,
}

impl Choice {
    /// What the order goes by, the greatest first; `None` for a document without it, which comes last.
    pub(super) fn key(self, text: &str, score: Option<&str>) -> Option<f64> {
        let key = match self {
            Self::Longest => Some(text.chars().count() as f64),
            Self::Newest => time(score?),
            Self::Best => score?.trim().parse().ok(),
        };
        key.filter(|key| !key.is_nan())
    }
}

/// A number as it is; a date, or a time with or without an offset, in seconds since the Unix epoch.
fn time(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let in_utc = |time: DateTime| time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let time = text.parse::<Timestamp>().ok();
    let time = time.or_else(|| in_utc(text.parse::<DateTime>().ok()?));
    let time = time.or_else(|| in_utc(text.parse::<Date>().ok()?.into()));
    Some(time?.as_millisecond() as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_the_one_with_the_latest_time() {
        let ascending = [
            "2024-12-31",
            "2025-01-01T00:00:01Z",
            "2025-01-01 00:00:02",
            "2025-01-01T02:00:03+02:00",
            "2025-01-01T00:00:03.5Z",
            "1735689604",
        ];
        let keys = ascending.map(|text| Choice::Newest.key("", Some(text)).unwrap());
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        for bad in ["", "yesterday", "NaN"] {
            assert_eq!(Choice::Newest.key("", Some(bad)), None, "{bad}");
        }
    }

    #[test]
    fn the_longest_has_the_most_characters_and_the_best_the_greatest_number() {
        assert!(Choice::Longest.key("äöü", None) < Choice::Longest.key("abcd", None));
        assert!(Choice::Best.key("", Some("-1e3")) < Choice::Best.key("", Some(" 2 ")));
        assert_eq!(Choice::Best.key("", Some("high")), None);
        assert_eq!(Choice::Best.key("", None), None);
    }
}
