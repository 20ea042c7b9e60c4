//! Numbers of seconds in files and header fields that servers write freely: `Crawl-delay` and `Retry-After`.

use std::time::Duration;

/// Stands for a number that is larger: 136 years. It is beyond every cap of the crawler, and every sum of times can hold it.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// The seconds at the start of `text`: a number with an optional fraction and exponent, at most [`LONGEST`]. `None` if the text begins
/// otherwise, for example with a sign.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let number = &text[..number_bytes(text.as_bytes())];
    // A number of any size is one for the parser; the largest are infinite.
    let seconds: f64 = number.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
}

/// The length of the number at the start of a text; 0 if there is none.
fn number_bytes(text: &[u8]) -> usize {
    let digits_from = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    let mut digits = end;
    if text.get(end) == Some(&b'.') {
        let fraction = digits_from(end + 1);
        digits += fraction;
        if digits > 0 {
            end += 1 + fraction;
        }
    }
    if digits > 0 && matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = if end + 1 + sign <= text.len() {
            digits_from(end + 1 + sign)
        } else {
            0
        };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_seconds_may_be_of_any_size() {
        for (text, millis) in [
            ("10", Some(10_000)),
            ("0", Some(0)),
            ("2.5", Some(2_500)),
            (".5", Some(500)),
            ("3.", Some(3_000)),
            ("1e2", Some(100_000)),
            ("1E-3", Some(1)),
            ("1e", Some(1_000)),
            ("1e+", Some(1_000)),
            ("7 s", Some(7_000)),
            ("1,5", Some(1_000)),
            ("1e-400", Some(0)),
            ("4294967295", Some(u64::from(u32::MAX) * 1_000)),
            ("4294967296", Some(u64::from(u32::MAX) * 1_000)),
            ("18446744073709551616", Some(u64::from(u32::MAX) * 1_000)),
            ("1e400", Some(u64::from(u32::MAX) * 1_000)),
            ("", None),
            (".", None),
            ("e5", None),
            ("-1", None),
            ("+1", None),
            ("inf", None),
            ("NaN", None),
            ("٣", None),
        ] {
            let found = seconds(text).map(|time| time.as_millis() as u64);
            assert_eq!(found, millis, "{text}");
        }
    }
}
