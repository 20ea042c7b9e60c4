//! The archive records of a decided page: those that are prepared for a kept page, a revisit record for a duplicate.

use storage::warc::{DuplicateText, EncodedCapture, RefersTo, RevisitCapture, RevisitProfile};
use storage::{PageRecord, Store, Verdict};

use super::kept_texts::KeptTexts;
use crate::crawl::exchange::{self, Exchange, Prepared};
use crate::crawl::messages::UndecidedPage;
use crate::error::RunError;

/// The records of a decided page, from those that are `prepared`.
pub(super) fn encoded(
    page: &UndecidedPage,
    prepared: Prepared,
    store: &Store,
    texts: &mut KeptTexts,
) -> Result<Option<EncodedCapture>, RunError> {
    let Some(of) = page.draft.verdict.of() else {
        let exchange = Exchange {
            queued: &page.queued,
            draft: &page.draft,
            response: &page.response,
            // Its records are made before.
            rendered: None,
            text: &page.text,
            request: None,
        };
        return prepared.kept(&exchange).map(Some);
    };
    let Some(request) = prepared.request() else {
        return Ok(None);
    };
    let encoded = if page.draft.verdict.of_foreign().is_some() {
        // Its text must be readable without the folder of the other worker.
        revisit(page, None, Some(DuplicateText::Whole(&page.text))).encode_after(request)
    } else {
        let Some(kept) = store.latest_page(of)? else {
            return Ok(None);
        };
        let base = texts.of(store, of, &kept)?;
        let text = base.map(|base| DuplicateText::Difference {
            of,
            base,
            text: &page.text,
        });
        revisit(page, Some(&kept), text).encode_after(request)
    };
    encoded.map(Some).map_err(RunError::Encode)
}

/// The revisit record of a duplicate; `kept` is the page that it duplicates, if it is in this folder.
fn revisit<'a>(
    page: &'a UndecidedPage,
    kept: Option<&'a PageRecord>,
    text: Option<DuplicateText<'a>>,
) -> RevisitCapture<'a> {
    let is_identical = kept.is_some_and(|kept| page.draft.payload_digest == kept.payload_digest);
    let profile = match page.draft.verdict {
        _ if is_identical => RevisitProfile::IdenticalPayload,
        Verdict::Near {
            distance, similarity, ..
        } => RevisitProfile::NearDuplicate { distance, similarity },
        Verdict::Exact { .. } | Verdict::Unique => RevisitProfile::SameText,
    };
    RevisitCapture {
        url: &page.queued.url,
        fetched_at: page.draft.fetched_at,
        ip: exchange::address(&page.response),
        // It is compressed already.
        request: None,
        status: page.draft.status,
        reason: exchange::reason(page.draft.status),
        headers: exchange::headers(&page.response),
        payload_bytes: Some(page.draft.body_bytes),
        payload_digest: page.draft.payload_digest,
        profile,
        refers_to: kept.map(|kept| RefersTo {
            url: &kept.url,
            fetched_at: kept.fetched_at,
        }),
        text,
    }
}
