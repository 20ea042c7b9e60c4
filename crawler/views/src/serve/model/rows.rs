//! The current pages as rows, and the search among all URLs.

use std::cmp::Ordering;

use memchr::memmem::Finder;
use serde::Serialize;
use storage::{Fate, PageRecord, Store};

use super::others::{Other, Others, Source};
use super::outcome::{Outcome, OutcomeFilter};
use crate::report::kind_of;
use error::RunError;
use terminal::units::utc;

/// A current page.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// Its number in the catalogue.
    pub id: u64,
    pub url: Box<str>,
    pub title: Box<str>,
    pub host: Box<str>,
    /// `kept`, `exact` or `near`.
    pub verdict: &'static str,
    pub outcome: Outcome,
    pub language: Option<Box<str>>,
    /// `html`, or the name of the kind in `scope.documents`.
    pub kind: &'static str,
    /// RFC 3339, UTC.
    pub fetched_at: String,
    /// The number of the kept page of its cluster; null if the page has no duplicate and is none.
    pub cluster: Option<u64>,
    /// What led to it first; `None` for a seed.
    #[serde(skip)]
    pub via: Option<Source>,
    /// URL and title in lower case.
    #[serde(skip)]
    key: Box<str>,
}

/// A row of a search: a page, or another URL.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub(crate) enum Listed<'r> {
    Page(&'r Row),
    Other(&'r Other),
}

impl<'r> Listed<'r> {
    pub fn url(self) -> &'r str {
        match self {
            Self::Page(row) => &row.url,
            Self::Other(other) => &other.url,
        }
    }

    pub fn host(self) -> &'r str {
        match self {
            Self::Page(row) => &row.host,
            Self::Other(other) => &other.host,
        }
    }

    /// Empty without one.
    pub fn title(self) -> &'r str {
        match self {
            Self::Page(row) => &row.title,
            Self::Other(_) => "",
        }
    }

    pub fn outcome(self) -> Outcome {
        match self {
            Self::Page(row) => row.outcome,
            Self::Other(other) => other.outcome,
        }
    }

    /// Empty without one.
    pub fn language(self) -> &'r str {
        match self {
            Self::Page(row) => row.language.as_deref().unwrap_or_default(),
            Self::Other(_) => "",
        }
    }

    /// Empty for a URL without a page.
    pub fn fetched_at(self) -> &'r str {
        match self {
            Self::Page(row) => &row.fetched_at,
            Self::Other(_) => "",
        }
    }

    /// Why there is no page; empty for a page.
    pub fn note(self) -> &'r str {
        match self {
            Self::Page(_) => "",
            Self::Other(other) => &other.note,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Page(row) => row.kind,
            Self::Other(_) => "",
        }
    }

    fn key(self) -> &'r str {
        match self {
            Self::Page(row) => &row.key,
            Self::Other(other) => &other.key,
        }
    }
}

/// What the rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortKey {
    Url,
    Outcome,
    Language,
    Fetched,
}

impl SortKey {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "url" => Some(Self::Url),
            "outcome" => Some(Self::Outcome),
            "language" => Some(Self::Language),
            "fetched" => Some(Self::Fetched),
            _ => None,
        }
    }

    /// The order of two rows with these places in the order of URLs.
    fn compare(self, (a, at_a): (Listed<'_>, u32), (b, at_b): (Listed<'_>, u32)) -> Ordering {
        match self {
            Self::Url => at_a.cmp(&at_b),
            Self::Outcome => a.outcome().cmp(&b.outcome()),
            Self::Language => a.language().cmp(b.language()),
            Self::Fetched => a.fetched_at().cmp(b.fetched_at()),
        }
    }
}

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    /// Words; each must occur in the URL or the title.
    pub words: String,
    pub host: Option<String>,
    pub language: Option<String>,
    /// The kind of document.
    pub kind: Option<String>,
    pub outcome: OutcomeFilter,
    /// The key, and whether the last comes first; the order of decision without one.
    pub sort: Option<(SortKey, bool)>,
}

impl Query {
    /// The URLs that match, in their order. To compare a hundred thousand URLs takes longer than all the rest, so `by_url` gives the place of
    /// each row in their order.
    pub fn find<'r, 'p>(
        &self,
        rows: &'r [Row],
        others: &'r [Other],
        by_url: impl FnOnce() -> &'p [u32],
    ) -> Vec<Listed<'r>> {
        let words = self.words.to_lowercase();
        let words: Vec<Finder<'_>> = words.split_whitespace().map(Finder::new).collect();
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        let is_match = |row: &Listed<'_>| {
            self.outcome.takes(row.outcome())
                && is(&self.host, row.host())
                && is(&self.language, row.language())
                && is(&self.kind, row.kind())
                && words.iter().all(|word| word.find(row.key().as_bytes()).is_some())
        };
        let places = match self.sort {
            Some((SortKey::Url, _)) => by_url(),
            _ => &[],
        };
        let placed = all(rows, others)
            .enumerate()
            .map(|(at, row)| (row, places.get(at).copied().unwrap_or_default()));
        let mut found: Vec<(Listed<'r>, u32)> = placed.filter(|(row, _)| is_match(row)).collect();
        if let Some((key, is_descending)) = self.sort {
            found.sort_by(|a, b| key.compare(*a, *b));
            if is_descending {
                found.reverse();
            }
        }
        found.into_iter().map(|(row, _)| row).collect()
    }
}

fn all<'r>(rows: &'r [Row], others: &'r [Other]) -> impl Iterator<Item = Listed<'r>> {
    rows.iter().map(Listed::Page).chain(others.iter().map(Listed::Other))
}

/// The place of each row, and then of each other URL, in the order of all URLs.
pub(super) fn places_by_url(rows: &[Row], others: &[Other]) -> Vec<u32> {
    let urls: Vec<&str> = all(rows, others).map(Listed::url).collect();
    let mut order: Vec<u32> = (0..urls.len() as u32).collect();
    order.sort_by_key(|at| urls[*at as usize]);
    let mut places = vec![0; urls.len()];
    for (place, at) in (0..).zip(order) {
        places[at as usize] = place;
    }
    places
}

/// The rows of the current pages; their clusters are not known yet. The pages that are gone are added to `others`.
pub(super) fn read(store: &Store, others: &mut Others) -> Result<Vec<Row>, RunError> {
    let mut rows = Vec::new();
    for row in store.pages_from(0) {
        let (id, page) = row?;
        match page.fate {
            Fate::Current => rows.push(Row::new(id, page)),
            Fate::Gone { at } => {
                let via = Source::of(page.via.as_ref());
                others.add(page.url, page.host, Outcome::Gone, format!("since {}", utc(at)), via);
            }
            Fate::Superseded { .. } | Fate::Moved => {}
        }
    }
    Ok(rows)
}

impl Row {
    fn new(id: u64, page: PageRecord) -> Self {
        let verdict = page.verdict.kind();
        Self {
            id,
            key: format!("{}\n{}", page.url, page.title).to_lowercase().into(),
            kind: kind_of(&page.content_type),
            via: Source::of(page.via.as_ref()),
            url: page.url.into(),
            title: page.title.into(),
            host: page.host.into(),
            verdict: verdict.name(),
            outcome: Outcome::of(verdict),
            language: page.language.map(Into::into),
            fetched_at: utc(page.fetched_at),
            cluster: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |id, url: &str, title: &str, outcome: Outcome, language: Option<&str>| Row {
            id,
            key: format!("{url}\n{title}").to_lowercase().into(),
            url: url.into(),
            title: title.into(),
            host: url.split('/').nth(2).unwrap_or_default().into(),
            verdict: outcome.name(),
            outcome,
            language: language.map(Into::into),
            kind: "html",
            fetched_at: utc(0),
            cluster: None,
            via: None,
        };
        vec![
            row(1, "http://a.example/tides", "Tide tables", Outcome::Kept, Some("en")),
            row(2, "http://a.example/print", "TIDE TABLES", Outcome::Exact, Some("en")),
            row(3, "http://b.example/", "Gezeiten", Outcome::Near, Some("de")),
            row(4, "http://b.example/ÄRA", "", Outcome::Kept, None),
        ]
    }

    fn query() -> Query {
        Query {
            words: String::new(),
            host: None,
            language: None,
            kind: None,
            outcome: OutcomeFilter::Fetched,
            sort: None,
        }
    }

    fn found(query: &Query) -> Vec<String> {
        let mut others = Others::default();
        let [host, url] = ["b.example", "http://b.example/tides-lost"].map(str::to_owned);
        others.add(url, host, Outcome::Failed, String::new(), None);
        let rows = rows();
        let places = places_by_url(&rows, &others.rows);
        let found = query.find(&rows, &others.rows, || &places);
        found
            .iter()
            .map(|row| row.url().trim_start_matches("http://").to_owned())
            .collect()
    }

    #[test]
    fn every_word_is_looked_for_in_url_and_title_without_case() {
        let words = |words: &str| {
            found(&Query {
                words: words.to_owned(),
                ..query()
            })
        };
        assert_eq!(words("tide"), ["a.example/tides", "a.example/print"]);
        assert_eq!(words("  Tables   print "), ["a.example/print"]);
        assert_eq!(words("ära"), ["b.example/ÄRA"]);
        assert_eq!(words("").len(), 4);
        assert!(words("tides print").is_empty());
    }

    #[test]
    fn filters_select_together() {
        let dropped = Query {
            outcome: OutcomeFilter::Dropped,
            ..query()
        };
        assert_eq!(found(&dropped), ["a.example/print", "b.example/"]);
        let german = Query {
            language: Some("de".to_owned()),
            ..dropped.clone()
        };
        assert_eq!(found(&german), ["b.example/"]);
        let elsewhere = Query {
            host: Some("a.example".to_owned()),
            ..german
        };
        assert!(found(&elsewhere).is_empty());
        let kept = Query {
            outcome: OutcomeFilter::Only(Outcome::Kept),
            host: Some("b.example".to_owned()),
            ..query()
        };
        assert_eq!(found(&kept), ["b.example/ÄRA"]);
    }

    #[test]
    fn urls_without_a_page_are_found_by_their_outcome_and_sorted_with_the_pages() {
        let any = Query {
            words: "tides".to_owned(),
            outcome: OutcomeFilter::Any,
            sort: Some((SortKey::Url, true)),
            ..query()
        };
        assert_eq!(found(&any), ["b.example/tides-lost", "a.example/tides"]);
        let failed = Query {
            outcome: OutcomeFilter::Only(Outcome::Failed),
            ..query()
        };
        assert_eq!(found(&failed), ["b.example/tides-lost"]);
        assert_eq!(OutcomeFilter::named("unsure"), None);
    }
}
