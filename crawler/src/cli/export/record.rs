//! Converts a record of the catalogue to a page of the crate `export`.

use export::{ExportedPage, Fingerprint, Metadata};
use storage::warc::shown_digest;
use storage::{PageRecord, Store, Verdict};

use super::filter::fetched_at;
use crawl::index::decode_signature;
use error::RunError;
use study::named_page::NamedPage;

/// The page without its text.
pub(super) fn without_text(store: &Store, id: u64, page: PageRecord) -> Result<ExportedPage, RunError> {
    let (verdict, distance, similarity) = match page.verdict {
        Verdict::Unique => (export::Verdict::Kept, None, None),
        Verdict::Exact { .. } => (export::Verdict::Exact, Some(0), Some(1.0)),
        Verdict::Near {
            distance, similarity, ..
        } => (export::Verdict::Near, distance, Some(shortest(similarity))),
    };
    Ok(ExportedPage {
        fingerprint: fingerprint(&page)?,
        fetched_at: fetched_at(&page),
        duplicate_of: kept_page_of(store, id, &page)?,
        digest: shown_digest(&page.payload_digest),
        url: page.url,
        host: page.host,
        title: page.title,
        text: None,
        language: page.language,
        status: page.status,
        content_type: page.content_type,
        encoding: page.encoding,
        depth: page.depth,
        body_bytes: page.body_bytes,
        text_chars: page.text_chars,
        verdict,
        distance,
        similarity,
        canonical: page.canonical,
        is_rendered: page.rendering.is_some_and(|rendering| rendering.says_more),
        page_type: page.page_type,
        markdown: None,
        metadata: Metadata::default(),
    })
}

/// Width of the fingerprints of a crawl, in bits. All have the same scheme, so the first one decides.
pub(super) fn fingerprint_bits(store: &Store) -> Result<u32, RunError> {
    for row in store.pages_from(1) {
        let (_, page) = row?;
        if let Some(fingerprint) = fingerprint(&page)? {
            return Ok(fingerprint.bits);
        }
    }
    Ok(dedup::Width::W64.bits())
}

fn fingerprint(page: &PageRecord) -> Result<Option<Fingerprint>, RunError> {
    let fingerprint = decode_signature(&page.signature)?.fingerprint;
    Ok(fingerprint.map(|fingerprint| Fingerprint {
        value: fingerprint.bits(),
        bits: fingerprint.width().bits(),
    }))
}

/// URL of the representative of a duplicate, if it has one. It may be the page of another worker.
fn kept_page_of(store: &Store, id: u64, page: &PageRecord) -> Result<Option<String>, RunError> {
    if !page.verdict.is_duplicate() {
        return Ok(None);
    }
    let kept = store
        .catalogue()
        .kept_of(id)?
        .map(|kept| NamedPage::find(store, kept))
        .transpose()?;
    Ok(kept.flatten().and_then(NamedPage::into_url))
}

/// The double-precision number with the same decimal digits as `similarity`, so that every format shows the same digits.
fn shortest(similarity: f32) -> f64 {
    similarity.to_string().parse().unwrap_or_else(|_| similarity.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similarity_gains_no_digits() {
        assert_eq!(shortest(0.9), 0.9);
        assert_eq!(shortest(0.96875), 0.96875);
        assert_eq!(shortest(1.0), 1.0);
    }
}
