//! Dates as programs write them: ISO 8601, seconds since 1970, parts of a path.

use jiff::civil::Date;
use url::Url;

use super::{MAX_TEXT_BYTES, Order, PageDate, date, shown};
use crate::metadata::text::cut;

/// The date that a program wrote: the text is the date, or begins with it.
pub(in super::super) fn declared(text: &str, order: Order) -> Option<PageDate> {
    let text = text.trim();
    iso(text)
        .or_else(|| compact(text))
        .or_else(|| unix_time(text))
        .or_else(|| of_mail(text))
        .or_else(|| shown(text, order))
}

/// The first and the last year of the eight digits of a path that are a day. Others are numbers of articles.
const YEARS_OF_PATH: std::ops::RangeInclusive<i64> = 1990..=2100;

/// The day in the path of a URL, such as `/2024/03/05/` or `/2024-03-05-title`.
pub(in super::super) fn in_path(url: &Url) -> Option<PageDate> {
    let path = cut(url.path(), MAX_TEXT_BYTES).as_bytes();
    (0..path.len()).find_map(|at| {
        let is_start = at > 0 && !path[at - 1].is_ascii_digit();
        let day = day_in_path(&path[at..]).filter(|_| is_start)?;
        Some(PageDate::of_day(day))
    })
}

/// The day at the start of a part of a path: `2024/03/05`, `2024-03-05`, `2024_03_05`, `20240305`; also `2024-03/05`, `2024/03-05`,
/// `2024/0305/` and `202403/05/`, as newspapers in China write it.
fn day_in_path(path: &[u8]) -> Option<Date> {
    let (year, rest) = number(path, 4, 4)?;
    let (first, rest) = separator(rest);
    let least = if first == Some(b'/') { 1 } else { 2 };
    let (month, rest) = number(rest, least, 2)?;
    let (second, rest) = separator(rest);
    let least = if second == Some(b'/') { least } else { 2 };
    let (day, rest) = number(rest, least, 2)?;
    let next = rest.first().copied();
    let is_form = match (first, second) {
        (None, None) => YEARS_OF_PATH.contains(&year),
        (None, Some(b'/')) | (Some(b'/'), None) => next == Some(b'/') && YEARS_OF_PATH.contains(&year),
        (Some(b'-'), Some(b'/')) | (Some(b'/'), Some(b'-')) => true,
        (first, second) => first == second,
    };
    let ends = !next.is_some_and(|byte| byte.is_ascii_digit());
    (is_form && ends).then(|| date(year, month, day)).flatten()
}

/// What separates the parts of a day in a path, and the rest.
fn separator(path: &[u8]) -> (Option<u8>, &[u8]) {
    match path {
        [byte @ (b'/' | b'-' | b'_'), rest @ ..] => (Some(*byte), rest),
        _ => (None, path),
    }
}

/// The number at the start of some bytes, and the rest.
fn number(bytes: &[u8], least: usize, most: usize) -> Option<(i64, &[u8])> {
    let digits = bytes.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    let value = digits
        .iter()
        .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    (digits.len() >= least).then_some((value, rest))
}

/// A date of ISO 8601 in its extended form, with a time and an offset if they are there.
fn iso(text: &str) -> Option<PageDate> {
    let bytes = text.as_bytes();
    let (year, rest) = number(bytes, 4, 4)?;
    let (month, rest) = number(rest.strip_prefix(b"-")?, 1, 2)?;
    let (day, rest) = number(rest.strip_prefix(b"-")?, 1, 2)?;
    let day = date(year, month, day)?;
    let time = rest
        .strip_prefix(b"T")
        .or_else(|| rest.strip_prefix(b"t"))
        .or_else(|| rest.strip_prefix(b" "));
    let iso = match time.and_then(iso_time) {
        Some(time) => format!("{day}T{time}"),
        None => day.to_string(),
    };
    Some(PageDate { day, iso })
}

/// A time with its offset: `10:05:00+01:00`. Fractions of seconds are left out.
fn iso_time(bytes: &[u8]) -> Option<String> {
    let (hour, rest) = number(bytes, 2, 2)?;
    let (minute, mut rest) = number(rest.strip_prefix(b":")?, 2, 2)?;
    let mut second = 0;
    if let Some((value, after)) = rest.strip_prefix(b":").and_then(|rest| number(rest, 2, 2)) {
        (second, rest) = (value, after);
    }
    if let [b'.' | b',', fraction @ ..] = rest {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &fraction[digits..];
    }
    time(hour, minute, second, rest)
}

/// An offset as ISO 8601 writes it; empty if there is none.
fn offset(bytes: &[u8]) -> String {
    let found = || {
        let (sign, rest) = match bytes.trim_ascii() {
            [b'Z' | b'z', ..] => return Some("Z".to_owned()),
            [sign @ (b'+' | b'-'), rest @ ..] => (char::from(*sign), rest),
            _ => return None,
        };
        let (hours, rest) = number(rest, 2, 2)?;
        let (minutes, _) = number(rest.strip_prefix(b":").unwrap_or(rest), 2, 2).unwrap_or((0, rest));
        (hours <= 14 && minutes <= 59).then(|| format!("{sign}{hours:02}:{minutes:02}"))
    };
    found().unwrap_or_default()
}

/// A date of ISO 8601 in its basic form: `20240305`, perhaps with a time: `20240305T100500Z`, `20240305100500`.
fn compact(text: &str) -> Option<PageDate> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let day = day_in_path(bytes.get(..8)?).filter(|_| matches!(digits, 8 | 12 | 14))?;
    let rest = &bytes[8..];
    let time = match rest {
        [b'T' | b't' | b' ', time @ ..] => time,
        [next, ..] if !next.is_ascii_digit() => return None,
        time => time,
    };
    let iso = match basic_time(time).or_else(|| iso_time(time)) {
        Some(time) => format!("{day}T{time}"),
        None => day.to_string(),
    };
    Some(PageDate { day, iso })
}

/// A time in the basic form: `100500+0100`, `1005`.
fn basic_time(bytes: &[u8]) -> Option<String> {
    let (hour, rest) = number(bytes, 2, 2)?;
    let (minute, rest) = number(rest, 2, 2)?;
    let (second, rest) = number(rest, 2, 2).unwrap_or((0, rest));
    time(hour, minute, second, rest)
}

/// A time as ISO 8601 writes it, if there is one. The offset follows in `rest`.
fn time(hour: i64, minute: i64, second: i64, rest: &[u8]) -> Option<String> {
    let is_time = hour <= 23 && minute <= 59 && second <= 60;
    is_time.then(|| format!("{hour:02}:{minute:02}:{second:02}{}", offset(rest)))
}

/// Seconds or milliseconds since 1970.
fn unix_time(text: &str) -> Option<PageDate> {
    let is_time = matches!(text.len(), 10 | 13) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = text.parse().ok().filter(|_| is_time)?;
    let seconds = if text.len() == 13 { number / 1000 } else { number };
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::UTC);
    Some(PageDate {
        day: time.date(),
        iso: format!("{}T{}Z", time.date(), time.time()),
    })
}

/// A date of RFC 5322, section 3.3: `Tue, 05 Mar 2024 10:05:00 +0100`.
fn of_mail(text: &str) -> Option<PageDate> {
    let parser = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let time = parser.parse_zoned(cut(text, MAX_TEXT_BYTES)).ok()?;
    Some(PageDate {
        day: time.date(),
        iso: time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
    })
}
