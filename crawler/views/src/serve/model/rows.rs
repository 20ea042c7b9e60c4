//! The current pages as rows, and the search among them.

use memchr::memmem::Finder;
use serde::Serialize;
use storage::{Fate, Store};

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
    pub language: Option<Box<str>>,
    /// RFC 3339, UTC.
    pub fetched_at: String,
    /// The number of the kept page of its cluster; null if the page has no duplicate and is none.
    pub cluster: Option<u64>,
    /// URL and title in lower case.
    #[serde(skip)]
    key: Box<str>,
}

/// The verdicts that a search selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerdictFilter {
    Kept,
    Dropped,
    Exact,
    Near,
}

impl VerdictFilter {
    pub const ALL: [(&'static str, Self); 4] = [
        ("kept", Self::Kept),
        ("dropped", Self::Dropped),
        ("exact", Self::Exact),
        ("near", Self::Near),
    ];

    fn takes(self, verdict: &str) -> bool {
        match self {
            Self::Kept => verdict == "kept",
            Self::Dropped => verdict != "kept",
            Self::Exact => verdict == "exact",
            Self::Near => verdict == "near",
        }
    }
}

/// What to look for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    /// Words; each must occur in the URL or the title.
    pub words: String,
    pub host: Option<String>,
    pub language: Option<String>,
    pub verdict: Option<VerdictFilter>,
}

impl Query {
    /// The pages that match, in their order.
    pub fn find<'r>(&self, rows: &'r [Row]) -> Vec<&'r Row> {
        let words = self.words.to_lowercase();
        let words: Vec<Finder<'_>> = words.split_whitespace().map(Finder::new).collect();
        let is_match = |row: &&Row| {
            self.verdict.is_none_or(|verdict| verdict.takes(row.verdict))
                && self.host.as_ref().is_none_or(|host| **host == *row.host)
                && self
                    .language
                    .as_deref()
                    .is_none_or(|language| row.language.as_deref() == Some(language))
                && words.iter().all(|word| word.find(row.key.as_bytes()).is_some())
        };
        rows.iter().filter(is_match).collect()
    }
}

/// The rows of the current pages; their clusters are not known yet.
pub(super) fn read(store: &Store) -> Result<Vec<Row>, RunError> {
    let mut rows = Vec::new();
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if page.fate != Fate::Current {
            continue;
        }
        let verdict = page.verdict.kind().name();
        rows.push(Row::new(
            id,
            page.url,
            page.title,
            page.host,
            verdict,
            page.language,
            page.fetched_at,
        ));
    }
    Ok(rows)
}

impl Row {
    fn new(
        id: u64,
        url: String,
        title: String,
        host: String,
        verdict: &'static str,
        language: Option<String>,
        fetched_at: u64,
    ) -> Self {
        Self {
            id,
            key: format!("{url}\n{title}").to_lowercase().into(),
            url: url.into(),
            title: title.into(),
            host: host.into(),
            verdict,
            language: language.map(Into::into),
            fetched_at: utc(fetched_at),
            cluster: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |id, url: &str, title: &str, verdict, language: Option<&str>| {
            let host = url.split('/').nth(2).unwrap_or_default().to_owned();
            let language = language.map(str::to_owned);
            Row::new(id, url.to_owned(), title.to_owned(), host, verdict, language, 0)
        };
        vec![
            row(1, "http://a.example/tides", "Tide tables", "kept", Some("en")),
            row(2, "http://a.example/print", "TIDE TABLES", "exact", Some("en")),
            row(3, "http://b.example/", "Gezeiten", "near", Some("de")),
            row(4, "http://b.example/ÄRA", "", "kept", None),
        ]
    }

    fn found(query: &Query) -> Vec<u64> {
        query.find(&rows()).iter().map(|row| row.id).collect()
    }

    #[test]
    fn every_word_is_looked_for_in_url_and_title_without_case() {
        let words = |words: &str| {
            found(&Query {
                words: words.to_owned(),
                ..Query::default()
            })
        };
        assert_eq!(words("tide"), [1, 2]);
        assert_eq!(words("  Tables   print "), [2]);
        assert_eq!(words("ära"), [4]);
        assert_eq!(words(""), [1, 2, 3, 4]);
        assert!(words("tides print").is_empty());
    }

    #[test]
    fn filters_select_together() {
        let dropped = Query {
            verdict: Some(VerdictFilter::Dropped),
            ..Query::default()
        };
        assert_eq!(found(&dropped), [2, 3]);
        let german = Query {
            language: Some("de".to_owned()),
            ..dropped.clone()
        };
        assert_eq!(found(&german), [3]);
        let elsewhere = Query {
            host: Some("a.example".to_owned()),
            ..german
        };
        assert!(found(&elsewhere).is_empty());
        let kept = Query {
            verdict: Some(VerdictFilter::Kept),
            host: Some("b.example".to_owned()),
            ..Query::default()
        };
        assert_eq!(found(&kept), [4]);
    }
}
