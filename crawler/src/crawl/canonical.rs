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

use page::CanonicalLinks;
use storage::{PageDraft, PageRecord, Replaced, Store};
use url::Url;
use web::canonicalize::{CanonicalRules, canonicalize};
use web::site;

use crate::error::RunError;

/// The page whose place the one at `url` takes, which will be number `id` and whose verdict is in `draft`, if it takes one.
pub(crate) fn replaced(store: &Store, id: u64, url: &str, draft: &PageDraft) -> Result<Option<Replaced>, RunError> {
    let Some(kept) = draft.verdict.of() else {
        return Ok(None);
    };
    let page = store.latest_page(kept)?;
    Ok(page
        .filter(|page| gives_place(page, url, draft.canonical.as_deref()))
        .map(|_| Replaced {
            page: kept,
            // How far two pages are apart is the same from both sides.
            verdict: draft.verdict.with_of(id),
        }))
}

/// Whether a page that was kept gives its place to its duplicate at `url`, which names `canonical` itself.
///
/// A page that has lost its place already gives way to nobody: it was not compared with the one in its place.
pub(crate) fn gives_place(kept: &PageRecord, url: &str, canonical: Option<&str>) -> bool {
    kept.is_kept() && names_alone(&kept.url, kept.canonical.as_deref(), url, canonical)
}

/// Whether the page at `kept` names the one at `url` as its canonical one, which names no other.
pub(crate) fn names_alone(kept: &str, kept_names: Option<&str>, url: &str, names: Option<&str>) -> bool {
    kept != url && kept_names == Some(url) && names.is_none_or(|canonical| canonical == url)
}

/// The canonical URL that a page at `url` names, in canonical form: `None` if its document and its header name different
/// URLs, or one of another site, for which the page cannot speak.
pub(crate) fn named(links: &CanonicalLinks, url: &Url, rules: &CanonicalRules) -> Option<String> {
    if links.is_conflict {
        return None;
    }
    let mut named = [&links.document, &links.header].into_iter().flatten();
    let first = named.next()?;
    let canonical = canonicalize(first, rules).ok()?;
    let mut others = named.filter_map(|other| canonicalize(other, rules).ok());
    (others.all(|other| other == canonical) && site(first) == site(url)).then(|| canonical.into())
}
