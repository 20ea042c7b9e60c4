//! The date formats of pages.

use std::time::SystemTime;

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A date and time in the form of RFC 3339 or another profile of ISO 8601, RFC 2822 (and 822), RFC 850, or C's
/// `asctime`. Without a time zone it is UTC; without a time it is the end of the day.
pub(super) fn parse_date(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let iso = || text.parse::<Timestamp>().ok();
    let iso_utc = || {
        let local = text
            .parse::<DateTime>()
            .ok()
            .filter(|_| text.contains(['T', 't', ' ', ':']))?;
        in_utc(local)
    };
    let day = || in_utc(text.parse::<Date>().ok()?.tomorrow().ok()?.at(0, 0, 0, 0));
    let mail = || Some(parse_rfc2822(text)?.timestamp());
    let news = || Some(parse_rfc2822(&rfc_850_day(text)?)?.timestamp());
    let found = iso().or_else(iso_utc).or_else(day).or_else(mail).or_else(news);
    match found {
        Some(timestamp) => Some(timestamp.into()),
        None => httpdate::parse_http_date(text).ok(),
    }
}

fn in_utc(local: DateTime) -> Option<Timestamp> {
    local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// Parses a date of RFC 2822 and ignores a wrong weekday.
fn parse_rfc2822(text: &str) -> Option<Zoned> {
    const PARSER: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    PARSER.parse_zoned(text).ok()
}

/// `Friday, 25-Jun-10 15:00:00 PST` as `25 Jun 10 15:00:00 PST`.
fn rfc_850_day(text: &str) -> Option<String> {
    let date = text.split_once(',').map_or(text, |(_, date)| date).trim();
    let (day, time) = date.split_once(' ')?;
    Some(format!("{} {time}", day.replace('-', " ")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_usual_form_is_the_same_moment() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_277_506_800);
        for text in [
            "2010-06-25T23:00:00Z",
            "2010-06-25T15:00:00-08:00",
            "2010-06-25T23:00:00",
            "2010-06-25 23:00:00",
            "25 Jun 2010 15:00:00 PST",
            "25 Jun 10 15:00:00 PST",
            "Fri, 25 Jun 2010 23:00:00 GMT",
            "Fri, 25 Jun 2010 15:00:00 -0800",
            "Mon, 25 Jun 2010 23:00:00 GMT",
            "Friday, 25-Jun-10 23:00:00 GMT",
            "Friday, 25-Jun-10 15:00:00 PST",
            "Fri Jun 25 23:00:00 2010",
        ] {
            assert_eq!(parse_date(text), Some(moment), "{text}");
        }
        let midnight = moment + Duration::from_secs(3_600);
        assert_eq!(
            parse_date("2010-06-25"),
            Some(midnight),
            "a day ends when the next begins"
        );
        for text in ["", "soon", "25", "2010-13-01", "-", ",", "Fri,", "1-2-3 4"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
