//! The exchange: of two pages with one text, the crawl keeps the one that both name as canonical (RFC 6596).
//!
//! For example, the crawl has kept a print version that names another URL as canonical. When it fetches that URL, the
//! page there is a duplicate of the print version, although the site prefers it. So the new page takes the place of
//! the print version.
//!
//! ```text
//!            before                          after one batch of the catalogue
//! A  kept, names B                           exact or near of B, with the evidence
//! D  near of A                               near of A: read as of B (Catalogue::representative_of)
//! B  exact or near of A, by its text         kept, with its body; notes that it replaces A
//! ```
//!
//! The crawl, a new decision on stored pages (`study::redecide`) and the replay of other thresholds (`study::replay`) all ask
//! [`exchange`]. The first two carry it out with [`decide`].
//!
//! In a crawl, the catalogue changes first and the index second: A leaves the index when the batch is durable (see
//! [`departures`](super::recorder::departures)). Until then, a third page may still become a duplicate of A, and is
//! read like D.

use dedup::{Deduplicator, DocId, Index, Signature};
use page::CanonicalLinks;
use storage::{PageRecord, Replaced, Verdict};
use url::Url;
use web::canonicalize::{CanonicalRules, canonicalize};
use web::site;

use error::RunError;

/// The URL of a page, and the URL that it names as canonical.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The page's own.
    pub url: &'a str,
    /// The one that it names.
    pub canonical: Option<&'a str>,
}

impl Named<'_> {
    /// Whether the page may stand for others: one that names another page does not.
    fn names_no_other(self) -> bool {
        self.canonical.is_none_or(|canonical| canonical == self.url)
    }
}

/// The page that stays kept, out of a kept page and its duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// The kept page.
    Kept,
    /// The duplicate takes the place of the kept page.
    Duplicate,
}

/// The duplicate stays if the kept page names it as canonical, and the duplicate names no other page.
pub fn exchange(kept: Named<'_>, duplicate: Named<'_>) -> Stays {
    let is_named = kept.url != duplicate.url && kept.canonical == Some(duplicate.url);
    if is_named && duplicate.names_no_other() {
        Stays::Duplicate
    } else {
        Stays::Kept
    }
}

/// The decision on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided {
    /// The verdict on the page.
    pub verdict: Verdict,
    /// The page whose place it takes, with the new verdict on that page.
    pub replaced: Option<Replaced>,
}

/// A page that is kept at the moment.
#[derive(Debug, Clone)]
pub struct KeptPage {
    /// Its URL.
    pub url: String,
    /// The URL that it names as canonical.
    pub canonical: Option<String>,
}

impl KeptPage {
    /// `None` for a page that is no longer kept. Its duplicate cannot take a place, because it was not compared with the
    /// page that is kept now.
    pub fn of(record: PageRecord) -> Option<Self> {
        record.is_kept().then_some(Self {
            url: record.url,
            canonical: record.canonical,
        })
    }
}

/// Turns the verdict on page number `id` into the decision. A page that takes another's place enters the index; the
/// caller removes the replaced page from the index. `kept_page` looks up a page by its number.
pub fn decide<I: Index>(
    dedup: &Deduplicator<I>,
    id: u64,
    page: Named<'_>,
    signature: &Signature,
    verdict: Verdict,
    kept_page: impl FnOnce(u64) -> Result<Option<KeptPage>, RunError>,
) -> Result<Decided, RunError> {
    let is_duplicate = Decided {
        verdict,
        replaced: None,
    };
    // Most copies of a page name it, and need no look at the row of the kept page.
    let Some(of) = verdict.of().filter(|_| page.names_no_other()) else {
        return Ok(is_duplicate);
    };
    let Some(kept) = kept_page(of)? else {
        return Ok(is_duplicate);
    };
    let kept = Named {
        url: &kept.url,
        canonical: kept.canonical.as_deref(),
    };
    match exchange(kept, page) {
        Stays::Kept => Ok(is_duplicate),
        Stays::Duplicate => {
            dedup.insert(DocId(id), signature)?;
            Ok(Decided {
                verdict: Verdict::Unique,
                replaced: Some(Replaced {
                    page: of,
                    // The distance is symmetric.
                    verdict: verdict.with_of(id),
                }),
            })
        }
    }
}

/// The URL that the page at `url` names as canonical, in canonical form. `None` if its document and its header name different
/// URLs, or if the URL is on another site, for which the page cannot speak.
pub fn named(links: &CanonicalLinks, url: &Url, rules: &CanonicalRules) -> Option<String> {
    if links.is_conflict {
        return None;
    }
    let mut named = [&links.document, &links.header].into_iter().flatten();
    let first = named.next()?;
    let canonical = canonicalize(first, rules).ok()?;
    let mut others = named.filter_map(|other| canonicalize(other, rules).ok());
    (others.all(|other| other == canonical) && site(first) == site(url)).then(|| canonical.into())
}

#[cfg(test)]
mod tests;
