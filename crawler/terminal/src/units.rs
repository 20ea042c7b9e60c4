//! Numbers, sizes and times as people read them.

use jiff::Timestamp;

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 page`, `3 pages`: a number with its noun.
pub fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// `1 dropped page is`, `3 dropped pages are`: a number with its noun and the verb.
pub fn counted_are(count: u64, noun: &str) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(count, noun))
}

/// `1.2 MB`, in decimal units.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    // 999.95 kB would be rounded to 1000.0 kB.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{value:.digits$} {}", UNITS[unit])
}

/// `2 d 3 h`, `4 min 5 s`: the two largest units.
pub fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// A time (Unix ms) in RFC 3339, UTC, rounded up to the second.
pub fn utc(unix_ms: u64) -> String {
    let seconds = i64::try_from(unix_ms.div_ceil(1_000)).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).map_or_else(|_| "the end of time".into(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sizes_and_times_have_their_units() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!([999, 1_234, 5_000_000].map(bytes), ["999 bytes", "1.2 kB", "5.0 MB"]);
        assert_eq!(
            [999_949, 999_950, 999_999_999].map(bytes),
            ["999.9 kB", "1.0 MB", "1.0 GB"]
        );
        assert_eq!(
            [0, 1, 2].map(|count| counted(count, "page")),
            ["0 pages", "1 page", "2 pages"]
        );
        let durations = [5, 65, 3_660, 100_000].map(duration);
        assert_eq!(durations, ["5 s", "1 min 5 s", "1 h 1 min", "1 d 3 h"]);
    }

    #[test]
    fn a_time_that_no_calendar_holds_has_a_text() {
        assert_eq!(utc(3_600_500), "1970-01-01T01:00:01Z");
        assert_eq!(utc(u64::MAX), "the end of time");
    }
}
