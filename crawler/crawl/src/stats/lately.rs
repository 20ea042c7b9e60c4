//! How the last URLs of a run ended: whether pages still come.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::clock::unix_millis;

/// The ends that [`Lately::failed_of_last`] looks at.
const LAST: u32 = 20;

/// How the last URLs of a run ended. Redirects and exclusions do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lately {
    /// URLs that failed since the last page.
    pub failed_in_a_row: u64,
    /// The kind of the last failure; empty without one.
    pub kind: String,
    /// When the last page of this run was decided, Unix ms.
    pub last_page_ms: Option<u64>,
    /// The last ends, the newest in the lowest bit: 1 is a failure.
    ends: u32,
    /// Ends so far.
    count: u64,
}

impl Lately {
    /// Notes a page.
    pub(super) fn page(&mut self) {
        self.failed_in_a_row = 0;
        self.last_page_ms = Some(unix_millis(SystemTime::now()));
        self.end(0);
    }

    /// Notes a URL that finally failed.
    pub(super) fn failed(&mut self, kind: &str) {
        self.failed_in_a_row += 1;
        if self.kind != kind {
            kind.clone_into(&mut self.kind);
        }
        self.end(1);
    }

    fn end(&mut self, bit: u32) {
        self.ends = self.ends << 1 | bit;
        self.count += 1;
    }

    /// How many of the last ends were failures, and of how many.
    #[must_use]
    pub fn failed_of_last(&self) -> (u64, u64) {
        let last = self.count.min(u64::from(LAST));
        let failed = (self.ends & ((1 << LAST) - 1)).count_ones();
        (u64::from(failed), last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_a_row_of_failures_and_old_ends_are_forgotten() {
        let mut lately = Lately::default();
        assert_eq!(lately.failed_of_last(), (0, 0));
        lately.failed("dns");
        assert_eq!((lately.failed_in_a_row, lately.last_page_ms), (1, None));
        lately.page();
        assert_eq!((lately.failed_in_a_row, lately.failed_of_last()), (0, (1, 2)));
        assert!(lately.last_page_ms.is_some());
        (0..30).for_each(|_| lately.failed("http_404"));
        assert_eq!((lately.failed_in_a_row, lately.failed_of_last()), (30, (20, 20)));
        assert_eq!(lately.kind, "http_404");
        (0..19).for_each(|_| lately.page());
        assert_eq!(lately.failed_of_last(), (1, 20));
    }
}
