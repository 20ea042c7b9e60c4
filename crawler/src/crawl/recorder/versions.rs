//! Revisits: whether the page says anything new compared with its last version, and the archive record of an unchanged
//! page.

use storage::warc::{EncodedCapture, RefersTo, RevisitCapture, RevisitProfile};
use storage::{PageRecord, QueuedUrl, Revisit, Store, Verdict};
use url::Url;
use web::fetch::Response;

use crate::crawl::exchange::{self, ArchivedRequests};
use crate::crawl::index::decode_signature;
use crate::crawl::messages::UndecidedPage;
use crate::error::RunError;

/// A revisit that found the page unchanged.
pub(super) struct Unchanged<'a> {
    pub response: &'a Response,
    /// When the request was sent, Unix ms.
    pub fetched_at: u64,
    /// The URL that was asked for; `None` for the page's own.
    pub asked: Option<&'a Url>,
    /// Length and SHA-1 of the decoded body; `None` if there was none (304).
    pub payload: Option<(u64, [u8; 20])>,
}

/// Whether the page says nothing new compared with its last version: it has the same bytes, or the same normalised
/// text.
///
/// It is `false` for a page that must be decided again, because no page in the crawl has its text.
pub(super) fn says_nothing_new(store: &Store, revisit: &Revisit, page: &UndecidedPage) -> Result<bool, RunError> {
    let (Some(digest), Some(last)) = (revisit.payload_digest, store.latest_page(revisit.page)?) else {
        return Ok(false);
    };
    // Its representative may have departed since the revisit was queued.
    if last.verdict != Verdict::Unique && store.kept_representative_of(revisit.page)?.is_none() {
        return Ok(false);
    }
    // The bytes of a page that needs its scripts do not say what it says.
    let is_rendered = last.is_rendered() || page.draft.rendering.is_some_and(|rendering| rendering.says_more);
    if digest == page.draft.payload_digest && !is_rendered {
        return Ok(true);
    }
    let text = decode_signature(&last.signature)?.digest;
    Ok(text.is_some() && text == page.signature.digest)
}

/// The `revisit` record of an unchanged page, which refers to the capture that has its text; `None` if there is none.
pub(super) fn record(
    store: &Store,
    requests: &ArchivedRequests,
    queued: &QueuedUrl,
    visit: &Unchanged<'_>,
) -> Result<Option<EncodedCapture>, RunError> {
    let Some(last) = queued.revisits.as_ref().map(|revisit| store.latest_page(revisit.page)) else {
        return Ok(None);
    };
    let Some(last) = last? else { return Ok(None) };
    let Some(stands_for_it) = archived(store, &last)? else {
        return Ok(None);
    };
    let digest = visit.payload.map_or(last.payload_digest, |(_, digest)| digest);
    let request = requests.of(queued, visit.asked);
    let record = RevisitCapture {
        url: &queued.url,
        fetched_at: visit.fetched_at,
        ip: exchange::address(visit.response),
        request: request.as_deref(),
        status: visit.response.status,
        reason: exchange::reason(visit.response.status),
        headers: exchange::headers(visit.response),
        payload_bytes: visit.payload.map(|(bytes, _)| bytes),
        payload_digest: digest,
        profile: profile(&last, &stands_for_it, visit.payload.is_none(), digest),
        refers_to: Some(RefersTo {
            url: &stands_for_it.url,
            fetched_at: stands_for_it.fetched_at,
        }),
        // The text is that of the last version.
        text: None,
    };
    Ok(Some(record.encode().map_err(RunError::Encode)?))
}

/// The page itself if its response is in the archive, or else its representative.
fn archived(store: &Store, page: &PageRecord) -> Result<Option<PageRecord>, RunError> {
    if page.response.is_some() {
        return Ok(Some(page.clone()));
    }
    let of = page.verdict.of().map_or(Ok(None), |of| store.latest_page(of))?;
    Ok(of.filter(|of| of.response.is_some()))
}

/// The profile of the revisit record of an unchanged page: the way in which the page equals the capture of `of`.
fn profile(last: &PageRecord, of: &PageRecord, is_not_modified: bool, digest: [u8; 20]) -> RevisitProfile {
    let is_itself = last.response.is_some();
    match last.verdict {
        _ if is_itself && is_not_modified => RevisitProfile::ServerNotModified,
        _ if digest == of.payload_digest => RevisitProfile::IdenticalPayload,
        Verdict::Near {
            distance, similarity, ..
        } if !is_itself => RevisitProfile::NearDuplicate { distance, similarity },
        _ => RevisitProfile::SameText,
    }
}
