//! Revisits: whether the page says anything new compared with its last version, and the archive record of an unchanged
//! page.

use storage::warc::{Compression, EncodedCapture, RefersTo, RevisitCapture, RevisitProfile};
use storage::{PageRecord, QueuedUrl, Revisit, Store, Verdict};
use url::Url;
use web::fetch::Response;

use crate::exchange::{self, ArchivedRequests};
use crate::index::decode_signature;
use crate::messages::UndecidedPage;
use config::Duplicates;
use error::RunError;

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
    if last.verdict.is_duplicate() && store.catalogue().kept_representative_of(revisit.page)?.is_none() {
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

/// The archive records of an unchanged page.
pub(super) enum VisitRecord {
    /// These, or none.
    Encoded(Option<EncodedCapture>),
    /// The whole response, because no other capture has its bytes.
    Whole,
}

/// The records of an unchanged page: a `revisit` that refers to the capture with the same bytes, or what `duplicates` says about other bytes
/// with the same text. None if no capture stands for the page.
pub(super) fn record(
    store: &Store,
    requests: &ArchivedRequests,
    queued: &QueuedUrl,
    visit: &Unchanged<'_>,
    (duplicates, compression): (Duplicates, Compression),
) -> Result<VisitRecord, RunError> {
    let last = queued.revisits.as_ref().map(|revisit| store.latest_page(revisit.page));
    let Some(last) = last.transpose()?.flatten() else {
        return Ok(VisitRecord::Encoded(None));
    };
    let stands_for_it = archived(store, &last)?;
    let digest = visit.payload.map_or(last.payload_digest, |(_, digest)| digest);
    let has_bytes = stands_for_it.as_ref().is_some_and(|of| of.payload_digest == digest);
    let is_duplicate = last.response.is_none();
    match duplicates {
        Duplicates::Body if !has_bytes && visit.payload.is_some() => return Ok(VisitRecord::Whole),
        Duplicates::Nothing if is_duplicate => return Ok(VisitRecord::Encoded(None)),
        _ => {}
    }
    let Some(stands_for_it) = stands_for_it else {
        return Ok(VisitRecord::Encoded(None));
    };
    let record_id = match stands_for_it.response {
        Some(response) => store.archive().record_id(response)?,
        None => None,
    };
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
        profile: match last.verdict {
            _ if !is_duplicate && visit.payload.is_none() => RevisitProfile::ServerNotModified,
            _ if has_bytes => RevisitProfile::IdenticalPayload,
            Verdict::Near { .. } if is_duplicate => RevisitProfile::NearDuplicate,
            _ => RevisitProfile::SameText,
        },
        refers_to: Some(RefersTo {
            url: &stands_for_it.url,
            fetched_at: stands_for_it.fetched_at,
            record_id: record_id.as_deref(),
        }),
        // The text is that of the last version.
        text: None,
    };
    Ok(VisitRecord::Encoded(Some(
        record.encode(compression).map_err(RunError::Encode)?,
    )))
}

/// The page itself if its response is in the archive, or else its representative.
fn archived(store: &Store, page: &PageRecord) -> Result<Option<PageRecord>, RunError> {
    if page.response.is_some() {
        return Ok(Some(page.clone()));
    }
    let of = page.verdict.of().map_or(Ok(None), |of| store.latest_page(of))?;
    Ok(of.filter(|of| of.response.is_some()))
}
