//! The result of deciding all pages again: `crawler rebuild` with another scheme or rule.

use serde::Serialize;
use storage::Store;

use error::RunError;
use study::named_page::NamedPage;
use terminal::units::{counted_are, utc};

/// The pages whose verdict is not the one of the crawl.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Redecided {
    /// When the rebuild decided all pages again, RFC 3339.
    pub at: String,
    /// The schemes of the fingerprints before.
    pub schemes_before: Vec<String>,
    /// The scheme since then.
    pub scheme: String,
    /// The rule since then, in words.
    pub rule: String,
    /// Pages that the crawl dropped and the rebuild kept.
    pub newly_kept: u64,
    /// Pages that the crawl kept and the rebuild dropped.
    pub newly_dropped: u64,
    /// Pages that stay dropped, but as duplicates of another page or by another comparison.
    pub otherwise: u64,
    /// Duplicates that keep their verdict because the store does not have their texts.
    pub without_text: u64,
    /// Pages kept with their text alone; the next run fetches their bodies.
    pub without_body: u64,
    /// Pages that changed between kept and dropped, in the order of their verdicts.
    pub changed: Vec<ChangedVerdict>,
}

/// A page that changed between kept and dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ChangedVerdict {
    pub url: String,
    /// The verdict of the crawl: `kept`, `exact` or `near`.
    pub was: &'static str,
    /// The verdict now.
    pub verdict: &'static str,
    /// The page that it duplicates, or duplicated; null if the store does not have it.
    pub of: Option<String>,
    /// Sequence number of the page.
    #[serde(skip)]
    pub id: u64,
}

impl Redecided {
    /// `None` if every page has the verdict of the crawl.
    pub(super) fn read(store: &Store) -> Result<Option<Self>, RunError> {
        let Some(stored) = store.run_notes().redecided()? else {
            return Ok(None);
        };
        let mut without_body = 0;
        for row in store.pages_from(0) {
            without_body += u64::from(row?.1.is_kept_without_body());
        }
        let mut changed = Vec::new();
        for row in store.catalogue().redecisions() {
            let (id, was) = row?;
            let Some(page) = store.page(id)? else { continue };
            if was.of().is_some() == page.verdict.of().is_some() {
                continue;
            }
            let of = page.verdict.of().or(was.of());
            let of = of.map_or(Ok(None), |of| NamedPage::find(store, of))?;
            changed.push(ChangedVerdict {
                url: page.url,
                was: was.kind().name(),
                verdict: page.verdict.kind().name(),
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

    /// The result in one or two sentences.
    #[must_use]
    pub fn summary(&self) -> String {
        let bodies = match self.without_body {
            0 => String::new(),
            1 => " 1 is kept with its text alone; the next run fetches its body.".to_owned(),
            pages => format!(" {pages} are kept with their text alone; the next run fetches their bodies."),
        };
        format!(
            "A rebuild decided all pages again at {} ({}): {} now kept, {} now dropped, {} dropped for another reason.{bodies}",
            self.at,
            self.rule,
            counted_are(self.newly_kept, "dropped page"),
            counted_are(self.newly_dropped, "kept page"),
            match self.otherwise {
                1 => "1 page stays".to_owned(),
                pages => format!("{pages} pages stay"),
            }
        )
    }
}
