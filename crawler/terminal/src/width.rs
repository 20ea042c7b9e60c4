//! The width of the terminal.

use std::io;
use std::ops::RangeInclusive;

use terminal_size::{Width, terminal_size_of};

/// Columns if neither `COLUMNS` nor the terminal reports a number.
const DEFAULT: usize = 80;

/// Supported numbers of columns: tables do not fit in fewer, and longer lines are hard to read.
const SUPPORTED: RangeInclusive<usize> = 40..=240;

/// Columns of standard output, 40 to 240: from `COLUMNS`, else from the terminal, else 80.
#[must_use]
pub fn terminal_width() -> usize {
    let named = std::env::var("COLUMNS").ok();
    width(named.as_deref(), || {
        terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into())
    })
}

/// 0 means unknown: some terminals report it, and some shells set `COLUMNS` to it.
fn width(named: Option<&str>, found: impl FnOnce() -> Option<usize>) -> usize {
    let named = named.and_then(|columns| columns.trim().parse().ok());
    let width = named.filter(|columns| *columns > 0).or_else(found);
    let width = width.filter(|columns| *columns > 0).unwrap_or(DEFAULT);
    width.clamp(*SUPPORTED.start(), *SUPPORTED.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_reported_width_is_clamped() {
        let found = |columns| move || columns;
        for (named, expected) in [("100", 100), (" 100 ", 100), ("1", 40), ("1000000000", 240)] {
            assert_eq!(width(Some(named), found(Some(90))), expected, "{named:?}");
        }
        for unsaid in [None, Some("0"), Some(""), Some("wide"), Some("-1")] {
            assert_eq!(width(unsaid, found(Some(90))), 90, "{unsaid:?}");
            assert_eq!(width(unsaid, found(Some(0))), 80, "{unsaid:?}");
            assert_eq!(width(unsaid, found(None)), 80, "{unsaid:?}");
        }
        assert_eq!(width(None, found(Some(10))), 40);
    }
}
