//! Selects the pages to export by when they say that they were published.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::cli::arguments::ExportArgs;

/// The time of publication that `--since-published` and `--until-published` ask for, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Published {
    since: Option<i64>,
    until: Option<i64>,
}

impl Published {
    /// The filter, if one of its flags is given.
    pub fn asked(args: &ExportArgs) -> Option<Self> {
        let (since, until) = (args.since_published, args.until_published);
        (since.is_some() || until.is_some()).then_some(Self { since, until })
    }

    /// Whether a page passes that says this date of itself. A page without a date does not pass: the filter selects pages whose date is known.
    pub fn takes(self, said: Option<&str>) -> bool {
        let Some((first, last)) = said.and_then(span) else {
            return false;
        };
        self.since.is_none_or(|since| last >= since) && self.until.is_none_or(|until| first <= until)
    }
}

/// The first and the last millisecond that a day or a time of ISO 8601 can mean. A day and a time without an offset are read as UTC.
fn span(said: &str) -> Option<(i64, i64)> {
    if let Ok(time) = said.parse::<Timestamp>() {
        return Some((time.as_millisecond(), time.as_millisecond()));
    }
    let start = |time: DateTime| Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond());
    if said.len() <= 10 {
        let day: Date = said.parse().ok()?;
        let next = day.checked_add(1.day()).ok()?;
        return Some((start(day.into())?, start(next.into())? - 1));
    }
    let at = start(said.parse().ok()?)?;
    Some((at, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Option<i64> {
        time.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
    }

    #[test]
    fn a_page_passes_if_its_day_or_time_lies_within_both_ends() {
        let filter = Published {
            since: at("2026-03-01T00:00:00Z"),
            until: at("2026-03-31T23:59:59.999Z"),
        };
        for (said, passes) in [
            (Some("2026-03-01"), true),
            (Some("2026-03-31"), true),
            (Some("2026-02-28"), false),
            (Some("2026-04-01"), false),
            (Some("2026-03-31T23:59:59"), true),
            (Some("2026-04-01T01:00:00+02:00"), true),
            (Some("2026-04-01T01:00+02:00"), true),
            (Some("2026-03-01T01:00:00+02:00"), false),
            (Some("2026-03-01T00:00:00Z"), true),
            (Some("last week"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(filter.takes(said), passes, "{said:?}");
        }
    }

    #[test]
    fn a_day_passes_if_a_part_of_it_does() {
        let filter = Published {
            since: at("2026-03-01T18:00:00Z"),
            until: None,
        };
        assert!(filter.takes(Some("2026-03-01")));
        assert!(!filter.takes(Some("2026-03-01T17:59:59Z")));
    }
}
