//! The part of one host in the browser.

use std::collections::VecDeque;

use crate::render::subrequest::Subrequest;

/// A host's part in the browser.
#[derive(Debug)]
pub(super) struct BrowserPart {
    /// What its pages, or pages of other hosts, ask for.
    pub subrequests: VecDeque<Subrequest>,
    /// Its pages in the browser.
    pub pages: usize,
    /// Bound on `pages`. Its other pages wait.
    max_pages: usize,
    /// Whether a page of it has ever been in the browser.
    pub has_pages: bool,
    /// Whether its pages wait because the browser has enough pages of all hosts.
    pub waits: bool,
}

impl BrowserPart {
    /// The part of a host that had none until now.
    pub fn new(max_pages: usize) -> Self {
        Self {
            subrequests: VecDeque::new(),
            pages: 0,
            max_pages,
            has_pages: false,
            waits: false,
        }
    }

    /// Whether another page may start: it may end up in the browser.
    pub fn lets_pages_start(&self) -> bool {
        !self.waits && self.pages < self.max_pages
    }
}
