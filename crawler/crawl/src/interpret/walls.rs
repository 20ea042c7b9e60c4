//! Pages that stand in the way of the one that was asked for: they are blocked, and some are asked for again.
//!
//! A wall has the outcome `failed`, of a kind such as `blocked_captcha`. Its text is stored nowhere: no verdict, no rule and no other page
//! learns from it. A wall that may pass is tried again as often as a response with status 429, and its host rests before each try, each time
//! for longer. If a host answers with nothing but walls, further tries are in vain: each further URL of the host is asked for once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use page::{Answer, Page, Wall};
use reqwest::header::HeaderMap;
use storage::{Outcome, QueuedUrl, stored_text};
use url::Url;
use web::fetch::Response;

use super::Interpreter;
use crate::messages::{Meaning, Record};
use crate::walls::{self, IN_A_ROW};

/// Bound on the hosts whose walls are counted.
const MAX_HOSTS: usize = 1 << 16;

/// The hosts whose last page was a wall, with the number of such pages in a row.
#[derive(Debug, Default)]
pub(super) struct Walls {
    hosts: Mutex<HashMap<String, u32>>,
}

impl Walls {
    /// Notes a wall. Returns whether another try may bring the page.
    fn note(&self, host: &str) -> bool {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS && !hosts.contains_key(host) {
            hosts.clear();
        }
        let in_a_row = hosts.entry(host.to_owned()).or_default();
        *in_a_row = in_a_row.saturating_add(1);
        *in_a_row < IN_A_ROW
    }

    /// Notes another page.
    pub(super) fn note_page(&self, host: &str) {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        // Most crawls meet no wall.
        if !hosts.is_empty() {
            hosts.remove(host);
        }
    }
}

impl Interpreter {
    /// The wall that a page is; `None` for every other page, and if the user wants none recognised.
    pub(super) fn wall(&self, url: &Url, headers: &HeaderMap, body: &[u8], page: &Page) -> Option<Wall> {
        let answer = Answer { url, headers, body };
        self.settings.walls.then(|| page::wall(&answer, page)).flatten()
    }

    /// The notice that a page is; `None` for every other page, and if the user wants no wall recognised.
    pub(super) fn notice(&self, url: &Url, headers: &HeaderMap, body: &[u8], page: &Page) -> Option<walls::Notice> {
        let answer = Answer { url, headers, body };
        self.settings.walls.then(|| walls::Notice::of(&answer, page)).flatten()
    }

    /// The meaning of a wall.
    pub(super) fn blocked(&self, queued: QueuedUrl, wall: &Wall, response: &Response, page: Page) -> Meaning {
        let may_pass = self.walls.note(&queued.host) && wall.kind.is_passing();
        tracing::debug!(url = %queued.url, %wall, attempts = queued.attempts, "blocked");
        if may_pass && queued.attempts < self.settings.politeness.max_retries {
            return Meaning::Blocked(queued);
        }
        let outlinks = if wall.kind.has_links_of_site() && queued.revisits.is_none() {
            let robots = page.robots.all();
            self.outlinks(page.outlinks.into_iter().chain(page.header_outlinks), robots, &queued)
        } else {
            Vec::new()
        };
        Meaning::Record(Record::Outcome {
            queued,
            outcome: Outcome::Failed {
                kind: walls::failure(wall.kind),
                status: Some(response.status),
                detail: stored_text(&wall.to_string()),
            },
            outlinks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_with_nothing_but_walls_gets_no_further_tries_until_it_sends_a_page() {
        let walls = Walls::default();
        let tried = |_| walls.note("a.example");
        assert_eq!((0..IN_A_ROW + 5).filter(|n| tried(*n)).count() as u32, IN_A_ROW - 1);
        assert!(walls.note("b.example"));
        walls.note_page("a.example");
        assert!(walls.note("a.example"));
    }
}
