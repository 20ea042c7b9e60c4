//! Parses the values of flags.

use std::time::Duration;

use dedup::{Confirm, Features, Segmenter, Weighting, Width};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use url::Url;

const DATE_HINT: &str = "write a date or a time in UTC, such as 2026-03-31 or 2026-03-31T09:30:00Z (RFC 3339)";

/// Parses a duration greater than zero.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time > Duration::ZERO => Ok(time),
        Ok(_) => Err("must be greater than zero".into()),
        Err(_) => Err("this is no time; write one such as 90s, 10m or 2h".to_owned()),
    }
}

/// Parses a number of pages, at least 1.
pub(crate) fn parse_pages(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(pages) if pages > 0 => Ok(pages),
        _ => Err("write a whole number from 1, such as 1000".to_owned()),
    }
}

/// Parses a number of bytes with its unit.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let hint = || "write a number with a unit, such as 8GiB or 500MB".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let (_, bytes) = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .ok_or_else(hint)?;
    let number: f64 = digits.trim_end().parse().map_err(|_| hint())?;
    let count = number * *bytes as f64;
    // 2^60 bytes are more than any machine has.
    if count.is_finite() && (0.0..=(1_u64 << 60) as f64).contains(&count) {
        Ok(count as u64)
    } else {
        Err(hint())
    }
}

/// Parses a delay in whole milliseconds; 0 needs no unit.
pub(crate) fn parse_delay(text: &str) -> Result<Duration, String> {
    let delay = humantime::parse_duration(text).map_err(|_| match text.parse::<f64>() {
        Ok(_) if text.starts_with('-') => "must not be negative; write a time such as 250ms or 2s".to_owned(),
        Ok(_) => format!("the unit is missing; write {text}s for seconds, or a time such as 250ms"),
        Err(_) => "this is no time; write one such as 250ms or 2s".to_owned(),
    })?;
    if delay.subsec_nanos() % 1_000_000 == 0 {
        Ok(delay)
    } else {
        Err("must be whole milliseconds".to_owned())
    }
}

/// Parses the URL of an OpenTelemetry collector.
pub(crate) fn parse_collector(text: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or("write the URL of a collector, such as http://127.0.0.1:4318")?;
    if url.username().is_empty() && url.password().is_none() {
        Ok(url)
    } else {
        // Other users of the machine can read a command line.
        Err("write a login into the environment variable OTEL_EXPORTER_OTLP_HEADERS, not into the URL".to_owned())
    }
}

/// Parses a language code of ISO 639-1.
pub(crate) fn parse_language(text: &str) -> Result<String, String> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("write a code of two letters, such as en, de or zh (ISO 639-1)".to_owned())
    }
}

/// Parses a time, or a date as its first millisecond. In milliseconds since the Unix epoch.
pub(crate) fn parse_since(text: &str) -> Result<i64, String> {
    match date(text) {
        Some(date) => start_of(date).ok_or_else(|| DATE_HINT.to_owned()),
        None => time(text),
    }
}

/// Parses a time, or a date as its last millisecond. In milliseconds since the Unix epoch.
pub(crate) fn parse_until(text: &str) -> Result<i64, String> {
    match date(text) {
        Some(date) => date
            .checked_add(1.day())
            .ok()
            .and_then(start_of)
            .map(|next| next - 1)
            .ok_or_else(|| DATE_HINT.to_owned()),
        None => time(text),
    }
}

/// Parses a `full-date` of RFC 3339 and rejects the other forms that the library accepts.
fn date(text: &str) -> Option<Date> {
    let is_date = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    text.parse().ok().filter(|_| is_date)
}

fn start_of(date: Date) -> Option<i64> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

fn time(text: &str) -> Result<i64, String> {
    let time: Result<Timestamp, _> = text.parse();
    time.map(Timestamp::as_millisecond).map_err(|_| DATE_HINT.to_owned())
}

/// Parses `distance`, `combined`, or a similarity.
pub(crate) fn parse_confirm(text: &str) -> Result<Confirm, String> {
    match text {
        "distance" => Ok(Confirm::Distance),
        "combined" => Ok(Confirm::PAPER),
        number => match number.parse() {
            Ok(min_similarity) if min_similarity > 0.0 && min_similarity <= 1.0 => {
                Ok(Confirm::Sketch { min_similarity })
            }
            _ => Err("write distance, combined, or a similarity above 0 and at most 1".into()),
        },
    }
}

pub(crate) fn parse_width(text: &str) -> Result<Width, String> {
    let width = text.parse().ok().and_then(Width::of_bits);
    width.ok_or_else(|| "write 32, 64 or 128".into())
}

pub(crate) fn parse_features(text: &str) -> Result<Features, String> {
    text.parse().map_err(|error: dedup::InvalidScheme| error.to_string())
}

pub(crate) fn parse_segmenter(text: &str) -> Result<Segmenter, String> {
    text.parse().map_err(|error: dedup::InvalidScheme| error.to_string())
}

pub(crate) fn parse_weights(text: &str) -> Result<Weighting, String> {
    text.parse().map_err(|error: dedup::UnknownWeighting| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_stands_for_its_whole_day_in_utc() {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        let since = parse_since("2026-03-21").unwrap();
        assert_eq!(since, 1_774_051_200_000);
        assert_eq!(parse_until("2026-03-21"), Ok(since + DAY_MS - 1));
        for time in ["2026-03-21T09:30:00.125Z", "2026-03-21T11:30:00.125+02:00"] {
            assert_eq!(parse_since(time), Ok(1_774_085_400_125));
            assert_eq!(parse_until(time), Ok(1_774_085_400_125));
        }
        for bad in [
            "",
            "yesterday",
            "2026-3-1",
            "2026-02-30",
            "2026-03",
            "2026-03-21T09:30:00",
            "21.03.2026",
        ] {
            assert!(parse_since(bad).unwrap_err().contains("RFC 3339"), "{bad}");
            assert!(parse_until(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_collector_is_an_http_url_without_a_login() {
        for good in ["http://127.0.0.1:4318", "https://otlp.example/v1/traces?key=1"] {
            assert!(parse_collector(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1:4318",
            "localhost:4318",
            "grpc://a.example:4317",
            "http://",
        ] {
            assert!(parse_collector(bad).unwrap_err().contains("127.0.0.1:4318"), "{bad}");
        }
        for login in [
            "http://user@a.example",
            "http://user:password@a.example",
            "http://:password@a.example",
        ] {
            assert!(
                parse_collector(login)
                    .unwrap_err()
                    .contains("OTEL_EXPORTER_OTLP_HEADERS"),
                "{login}"
            );
        }
    }

    #[test]
    fn a_size_has_a_number_and_a_unit() {
        for (text, bytes) in [("8GiB", 8 << 30), ("500MB", 500_000_000), ("1.5 kib", 1_536), ("0B", 0)] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for bad in ["", "8", "GiB", "8 G", "-1MB", "infMB", "nanB", "1e30TB", "8GiBs"] {
            assert!(parse_bytes(bad).unwrap_err().contains("8GiB"), "{bad}");
        }
    }

    #[test]
    fn an_invalid_language_is_rejected() {
        assert_eq!(parse_language("EN").as_deref(), Ok("en"));
        for bad in ["", "english", "e1", "eng"] {
            assert!(parse_language(bad).is_err(), "{bad}");
        }
    }
}
