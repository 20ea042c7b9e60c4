//! The date of a cookie's expiry. Servers write it in many forms, so RFC 6265, section 5.1.1, has an algorithm that reads nearly all.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// A `Set-Cookie` field whose dates all have the form of HTTP. A date that cannot be read is left out, so that it changes nothing.
pub(super) fn with_http_dates(field: &str) -> Cow<'_, str> {
    let is_expires = |attribute: &str| {
        let name = attribute.split('=').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("expires")
    };
    if !field.split(';').skip(1).any(is_expires) {
        return Cow::Borrowed(field);
    }
    let mut written = String::with_capacity(field.len());
    for (number, attribute) in field.split(';').enumerate() {
        let value = attribute.split_once('=').map_or("", |(_, value)| value);
        if number == 0 {
            written.push_str(attribute);
        } else if !is_expires(attribute) {
            written.push(';');
            written.push_str(attribute);
        } else if let Some(time) = cookie_date(value) {
            written.push_str("; Expires=");
            written.push_str(&httpdate::fmt_http_date(time));
        }
    }
    Cow::Owned(written)
}

/// The time of a date; `None` for a text that is none. Times before 1970 count as its first moment: both are over.
pub(in crate::fetch) fn cookie_date(text: &str) -> Option<SystemTime> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        if time.is_none()
            && let Some(found) = time_of(token)
        {
            time = Some(found);
        } else if day.is_none()
            && let Some(found) = number(token, 1..=2)
        {
            day = Some(found);
        } else if month.is_none()
            && let Some(found) = month_of(token)
        {
            month = Some(found);
        } else if year.is_none()
            && let Some(found) = number(token, 2..=4)
        {
            year = Some(found);
        }
    }
    let ((hour, minute, second), day, month) = (time?, day?, month?);
    let year = match year? {
        year @ 70..=99 => year + 1900,
        year @ 0..=69 => year + 2000,
        year => year,
    };
    let is_possible =
        (1..=days_of(month, year)).contains(&day) && year >= 1601 && hour <= 23 && minute <= 59 && second <= 59;
    let seconds = ((hour * 60) + minute) * 60 + second;
    if year < 1970 {
        return is_possible.then_some(SystemTime::UNIX_EPOCH);
    }
    if !is_possible {
        return None;
    }
    let days = days_before(year, month) + u64::from(day) - 1;
    let since_1970 = Duration::from_secs(days * 24 * 60 * 60 + u64::from(seconds));
    Some(SystemTime::UNIX_EPOCH + since_1970)
}

/// The days of a month, counted from 0, in the Gregorian calendar.
fn days_of(month: usize, year: u32) -> u32 {
    match month {
        1 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// The days from 1970 to a month of this or a later year.
fn days_before(year: u32, month: usize) -> u64 {
    let months = |year: u32, until: usize| (0..until).map(|month| u64::from(days_of(month, year))).sum::<u64>();
    (1970..year).map(|year| months(year, 12)).sum::<u64>() + months(year, month)
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '\t' | ' '..='/' | ';'..='@' | '['..='`' | '{'..='~')
}

/// The number at the start of a token, if it has so many digits and no more.
fn number(token: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let length = token.bytes().take_while(u8::is_ascii_digit).count();
    digits.contains(&length).then(|| token[..length].parse().ok()).flatten()
}

fn time_of(token: &str) -> Option<(u32, u32, u32)> {
    let mut parts = token.splitn(3, ':');
    let mut whole = || {
        let part = parts.next()?;
        number(part, 1..=2).filter(|_| part.len() <= 2)
    };
    let (hour, minute) = (whole()?, whole()?);
    Some((hour, minute, number(parts.next()?, 1..=2)?))
}

/// The month, from 0, by the first three letters.
fn month_of(token: &str) -> Option<usize> {
    let start = token.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// The dates of the IETF's http-state working group, one JSON object a line, as the npm package tough-cookie 1.2.0 has them in
    /// `test/ietf_data/dates` (BSD-3-Clause).
    const DATES: &str = include_str!("../../../tests/data/cookie-dates-http-state.jsonl");

    #[derive(Deserialize)]
    struct Case {
        date: String,
        time: Option<String>,
    }

    #[test]
    fn every_date_of_the_http_state_suite_is_read_as_expected() {
        let mut read = 0;
        for line in DATES.lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let found = cookie_date(&case.date).map(httpdate::fmt_http_date);
            assert_eq!(found, case.time, "{}", case.date);
            read += 1;
        }
        assert_eq!(read, 70);
    }

    #[test]
    fn a_field_keeps_everything_but_the_form_of_its_dates() {
        for (field, expected) in [
            ("a=b; Path=/", "a=b; Path=/"),
            ("expires=b", "expires=b"),
            (
                "a=b; EXPIRES =Sat 15-Apr-17 21:01:22; Path=/",
                "a=b; Expires=Sat, 15 Apr 2017 21:01:22 GMT; Path=/",
            ),
            ("a=b; Expires=0; Secure", "a=b; Secure"),
            ("a=b; Expires; Secure", "a=b; Secure"),
            (
                "a=b; Expires=Thu, 01 Jan 1903 00:00:00 GMT",
                "a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            ),
            ("a=b; Expires=29 Feb 2100 00:00:00", "a=b"),
            (
                "a=b; Expires=29 Feb 2104 00:00:00",
                "a=b; Expires=Fri, 29 Feb 2104 00:00:00 GMT",
            ),
            (
                "a=b; Expires=31 Dec 9999 23:59:59",
                "a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT",
            ),
            ("a=\u{e9}; expires=\u{e9}", "a=\u{e9}"),
        ] {
            assert_eq!(with_http_dates(field), expected, "{field}");
        }
    }
}
