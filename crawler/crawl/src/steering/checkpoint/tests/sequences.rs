//! Random sequences of verdicts, of sites with duplicates of every kind that steering knows.

use std::collections::HashMap;

use crate::steering::{DuplicateOf, JudgedPage};

/// A page before its verdict: its URL and its text.
type Page = (String, String);

/// The pages of a crawl of two hosts.
pub(super) struct Sequence {
    random: fastrand::Rng,
    /// The kept page of each text.
    kept: HashMap<String, (u64, String)>,
    days: u32,
    /// The last page of the maze and of the calendar of each host.
    trails: HashMap<String, u64>,
}

impl Sequence {
    pub fn of(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            kept: HashMap::new(),
            days: 0,
            trails: HashMap::new(),
        }
    }

    /// The first pages, each with its host.
    pub fn take(mut self, pages: usize) -> Vec<(String, JudgedPage)> {
        (1..=pages as u64).map(|id| self.next(id)).collect()
    }

    fn next(&mut self, id: u64) -> (String, JudgedPage) {
        let host = format!("h{}", self.random.u32(..2));
        let (url, text) = self.page(&host);
        let duplicate_of = self.kept.get(&text).cloned().map(|(page, url)| DuplicateOf {
            page,
            url,
            is_exact: self.random.u32(..20) > 0,
            new_links: self.new_links(&host),
        });
        if duplicate_of.is_none() {
            self.kept.insert(text, (id, url.clone()));
        }
        // Mazes and calendars are found page by page, and most other pages on the first one.
        let trail = ["maze", "calendar"].into_iter().find(|trail| url.contains(trail));
        let via = match (self.random.u32(..40), trail) {
            (0, _) => None,
            (1 | 2, _) => Some(self.random.u64(..id)),
            (_, Some(trail)) => self.trails.insert(format!("{host} {trail}"), id),
            (_, None) => Some(1),
        };
        let page = JudgedPage {
            page: id,
            url,
            via,
            duplicate_of,
            is_incomplete: self.random.u32(..40) == 0,
        };
        (host, page)
    }

    fn page(&mut self, host: &str) -> Page {
        let (kind, doc, any) = (self.random.u32(..16), self.random.u32(..40), self.random.u32(..100_000));
        let doc_text = format!("{host} doc {doc}");
        match kind {
            0 => (format!("https://{host}/doc/{doc}"), doc_text),
            1 => (format!("http://{host}/doc/{doc}"), doc_text),
            2 | 3 => (format!("https://{host}/doc/{doc}?sid={any}"), doc_text),
            4 => (format!("https://{host}/print/doc/{doc}"), doc_text),
            5 => (format!("https://{host}/doc/{doc}?sort={}", doc % 3), doc_text),
            // A calendar, each page on the one before.
            6 | 7 => {
                self.days += 1;
                let (year, month) = (2_000 + self.days / 12, self.days % 12);
                (
                    format!("https://{host}/calendar/{year}/{month}"),
                    format!("{host} calendar"),
                )
            }
            // A trap without a rule.
            8..=13 => (
                format!("https://{host}/maze/{:x}/{:x}", any, self.random.u32(..)),
                format!("{host} maze"),
            ),
            14 => (format!("https://{host}/list?page={any}"), format!("{host} list")),
            _ => (format!("https://{host}/new/{any}"), format!("new {any}")),
        }
    }

    fn new_links(&mut self, host: &str) -> Option<Vec<String>> {
        match self.random.u32(..60) {
            0 => None,
            1 => Some(vec![
                format!("https://{host}/doc/{}", self.random.u32(..40)),
                format!("https://{host}/maze/{:x}/a", self.random.u32(..)),
            ]),
            2 => Some(vec![format!("https://{host}/new/{}", self.random.u32(..))]),
            _ => Some(Vec::new()),
        }
    }
}
