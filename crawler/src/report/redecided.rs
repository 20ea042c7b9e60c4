//! What deciding all pages anew came to: `crawler rebuild` by another scheme or rule.

use serde::Serialize;
use storage::{Store, Verdict};

use super::hosts::utc;
use crate::error::RunError;

/// The pages that are decided otherwise than when they were crawled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Redecided {
    /// When all pages were decided anew, RFC 3339.
    pub at: String,
    /// What made fingerprints comparable when they were crawled.
    pub schemes_before: Vec<String>,
    /// The same since.
    pub scheme: String,
    /// The rule since, in words.
    pub rule: String,
    /// Pages that were dropped and are kept.
    pub newly_kept: u64,
    /// Pages that were kept and are dropped.
    pub newly_dropped: u64,
    /// Pages that are dropped as they were, but for another reason: of another page, or by another comparison.
    pub otherwise: u64,
    /// Duplicates that stay as they were because their texts were not kept.
    pub without_text: u64,
    /// Pages that are kept by their texts alone: the next run fetches their bodies.
    pub without_body: u64,
    /// Those that were dropped and are kept, or the reverse, in the order they were decided.
    pub changed: Vec<Changed>,
}

/// A page with another verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// Its URL.
    pub url: String,
    /// `kept`, `exact` or `near`: when it was crawled.
    pub was: &'static str,
    /// The same now.
    pub verdict: &'static str,
    /// The page that it is a duplicate of now, or was; null where that one is not there.
    pub of: Option<String>,
    /// Sequence number of the page.
    #[serde(skip)]
    pub id: u64,
}

impl Redecided {
    /// `None` for a crawl whose pages are as they were decided when they were crawled.
    pub(super) fn read(store: &Store) -> Result<Option<Self>, RunError> {
        let Some(stored) = store.redecided()? else {
            return Ok(None);
        };
        let mut without_body = 0;
        for row in store.pages_from(0) {
            without_body += u64::from(row?.1.is_kept_without_body());
        }
        let mut changed = Vec::new();
        for row in store.redecisions() {
            let (id, was) = row?;
            let Some(page) = store.page(id)? else { continue };
            if was.of().is_some() == page.verdict.of().is_some() {
                continue;
            }
            let of = page.verdict.of().or(was.of());
            let of = of.map_or(Ok(None), |of| store.page(of))?;
            changed.push(Changed {
                url: page.url,
                was: word(was),
                verdict: word(page.verdict),
                of: of.map(|page| page.url),
                id,
            });
        }
        Ok(Some(Self {
            at: utc(stored.at),
            schemes_before: stored.schemes_before,
            scheme: stored.scheme,
            rule: stored.rule,
            newly_kept: stored.newly_kept,
            newly_dropped: stored.newly_dropped,
            otherwise: stored.otherwise,
            without_text: stored.without_text,
            without_body,
            changed,
        }))
    }

    /// In one sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let bodies = match self.without_body {
            0 => String::new(),
            pages => format!(" {pages} are kept by their texts alone; the next run fetches their bodies."),
        };
        format!(
            "All pages were decided anew at {} ({}): {} that were dropped are kept, {} that were kept are dropped, {} are dropped for \
             other reasons.{bodies}",
            self.at, self.rule, self.newly_kept, self.newly_dropped, self.otherwise
        )
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unique => "kept",
        Verdict::Exact { .. } => "exact",
        Verdict::Near { .. } => "near",
    }
}
