//! Of two pages with one text, the one that both name as canonical is the one to keep (RFC 6596).
//!
//! A print version is fetched, kept, and names another URL as its canonical one. When that is fetched, it is a duplicate by
//! its text, and yet the page that the site wants to be known: it takes the place of the first.
//!
//! ```text
//!            before                          after one batch of the catalogue
//! A  kept, names B                           exact or near of B, with the evidence
//! D  near of A                               near of A: read as of B (Store::representative_of)
//! B  exact or near of A, by its text         kept, with its body; notes that it replaces A
//! ```
//!
//! The catalogue changes first, the index after it: A leaves it when the batch is durable (see [`super::departures`]), and
//! until then may still be the answer for a third page, which is read like D.

use storage::{PageDraft, PageRecord, Replaced, Store, Verdict};

use crate::error::RunError;

/// The page whose place the one at `url` takes, which will be number `id` and whose verdict is in `draft`, if it takes one.
pub(super) fn replaced(store: &Store, id: u64, url: &str, draft: &PageDraft) -> Result<Option<Replaced>, RunError> {
    let duplicate = Named {
        url,
        canonical: draft.canonical.as_deref(),
    };
    let Some(kept) = draft.verdict.of().filter(|_| !duplicate.names_another()) else {
        return Ok(None);
    };
    let page = store.latest_page(kept)?;
    // A page that has lost its place already gives way to nobody: it was not compared with the one in its place.
    let gives_way = |page: &PageRecord| {
        let kept = Named {
            url: &page.url,
            canonical: page.canonical.as_deref(),
        };
        page.is_kept() && kept.gives_way_to(duplicate)
    };
    Ok(page.filter(gives_way).map(|_| Replaced {
        page: kept,
        verdict: of(draft.verdict, id),
    }))
}

/// A page's own URL, and the one that it names as canonical.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The URL it was fetched by.
    pub url: &'a str,
    /// The URL it names, its own included; `None` where it names none.
    pub canonical: Option<&'a str>,
}

impl Named<'_> {
    fn names_another(self) -> bool {
        self.canonical.is_some_and(|canonical| canonical != self.url)
    }

    /// Whether this page, while it is kept, gives its place to a duplicate of it.
    #[must_use]
    pub fn gives_way_to(self, duplicate: Named<'_>) -> bool {
        !duplicate.names_another() && self.url != duplicate.url && self.canonical == Some(duplicate.url)
    }
}

/// The same verdict seen from the other side; how far two pages are apart is the same from both.
fn of(verdict: Verdict, id: u64) -> Verdict {
    match verdict {
        Verdict::Unique => Verdict::Unique,
        Verdict::Exact { .. } => Verdict::Exact { of: id },
        Verdict::Near {
            distance, similarity, ..
        } => Verdict::Near {
            of: id,
            distance,
            similarity,
        },
    }
}
