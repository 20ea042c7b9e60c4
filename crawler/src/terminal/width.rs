//! How wide the terminal is.

use std::io;
use std::ops::RangeInclusive;

use terminal_size::{Width, terminal_size_of};

/// Columns where nobody says how many there are.
const DEFAULT: usize = 80;

/// Columns that are written for: in fewer nothing can be told, over more nobody reads.
const WRITTEN_FOR: RangeInclusive<usize> = 40..=240;

/// Columns of standard output, 40 to 240: `COLUMNS`, else those of the terminal, else 80.
#[must_use]
pub fn terminal_width() -> usize {
    let named = std::env::var("COLUMNS").ok();
    width(named.as_deref(), || {
        terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into())
    })
}

/// A terminal that does not know says 0, and so does `COLUMNS` in some shells.
fn width(named: Option<&str>, found: impl FnOnce() -> Option<usize>) -> usize {
    let named = named.and_then(|columns| columns.trim().parse().ok());
    let width = named.filter(|columns| *columns > 0).or_else(found);
    let width = width.filter(|columns| *columns > 0).unwrap_or(DEFAULT);
    width.clamp(*WRITTEN_FOR.start(), *WRITTEN_FOR.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_held_within_bounds() {
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
