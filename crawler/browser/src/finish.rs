//! When is a page finished?
//!
//! No request is open, none was for the quiet time, and the tree is the same at two looks: half-way through the quiet time, and at its end.
//! The state machine has no clock of its own.

use std::time::{Duration, Instant};

/// What a look at the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether the parser has read the whole document.
    pub is_parsed: bool,
    /// Whether the awaited element is there.
    pub is_found: bool,
    /// A digest of text, elements and links.
    pub digest: String,
}

#[derive(Debug)]
pub(crate) struct Finish {
    quiet: Duration,
    open: usize,
    /// The last change: a request began or ended, or a look showed another tree.
    changed: Instant,
    seen: Option<Look>,
}

impl Finish {
    /// A page that starts now.
    pub fn new(quiet: Duration, now: Instant) -> Self {
        Self {
            quiet,
            open: 0,
            changed: now,
            seen: None,
        }
    }

    /// A request begins.
    pub fn begins(&mut self, now: Instant) {
        self.open += 1;
        self.changed = now;
    }

    /// A request ends.
    pub fn ends(&mut self, now: Instant) {
        self.open = self.open.saturating_sub(1);
        self.changed = now;
        self.seen = None;
    }

    /// The time of the next look; `None` while a request is open.
    pub fn next_look(&self) -> Option<Instant> {
        let wait = if self.seen.is_some() {
            self.quiet
        } else {
            self.quiet / 2
        };
        (self.open == 0).then(|| self.changed + wait)
    }

    /// Takes a look at the page. Returns whether the page is finished.
    pub fn looked(&mut self, look: Look, now: Instant) -> bool {
        let is_quiet = self.open == 0 && now >= self.changed + self.quiet;
        let is_same = self.seen.as_ref() == Some(&look);
        if is_quiet && is_same && look.is_parsed && look.is_found {
            return true;
        }
        if !is_same {
            // The first look changes nothing: only a difference between two looks is a change.
            if self.seen.is_some() {
                self.changed = now;
            }
            self.seen = Some(look);
        } else if is_quiet {
            // The same as before, and still not what is awaited.
            self.changed = now;
        }
        false
    }

    /// Something was done to the page, such as scrolling: it must become quiet again.
    pub fn restart(&mut self, now: Instant) {
        self.changed = now;
        self.seen = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(500);

    fn look(digest: &str) -> Look {
        Look {
            is_parsed: true,
            is_found: true,
            digest: digest.into(),
        }
    }

    #[test]
    fn a_page_is_finished_after_two_equal_looks_in_the_quiet_time() {
        let start = Instant::now();
        let mut finish = Finish::new(QUIET, start);
        assert_eq!(finish.next_look(), Some(start + QUIET / 2));
        assert!(!finish.looked(look("a"), start + QUIET / 2));
        assert_eq!(finish.next_look(), Some(start + QUIET));
        assert!(finish.looked(look("a"), start + QUIET));
    }

    #[test]
    fn an_open_request_or_another_text_puts_the_end_off() {
        let start = Instant::now();
        let mut finish = Finish::new(QUIET, start);
        finish.begins(start);
        assert_eq!(finish.next_look(), None);
        finish.ends(start + QUIET);
        assert!(!finish.looked(look("a"), start + 2 * QUIET));
        assert!(!finish.looked(look("b"), start + 2 * QUIET));
        assert_eq!(finish.next_look(), Some(start + 3 * QUIET));
        assert!(finish.looked(look("b"), start + 3 * QUIET));
    }

    #[test]
    fn a_page_without_the_awaited_element_is_not_finished() {
        let start = Instant::now();
        let mut finish = Finish::new(QUIET, start);
        let missing = Look {
            is_found: false,
            ..look("a")
        };
        for looks in 1..10 {
            assert!(!finish.looked(missing.clone(), start + looks * QUIET));
        }
    }
}
