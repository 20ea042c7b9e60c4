//! The archive records of a decided page: those that are prepared for a kept page; for a duplicate, what `storage.duplicates` says.

use storage::warc::{
    Compression, DuplicateText, EncodedCapture, EncodedRequest, RefersTo, RevisitCapture, RevisitProfile,
};
use storage::{PageRecord, QueuedUrl, Store, Verdict};

use super::kept_texts::KeptTexts;
use super::versions::{self, Unchanged, VisitRecord};
use crate::exchange::{self, ArchivedRequests, Exchange, Prepared};
use crate::messages::UndecidedPage;
use config::Duplicates;
use config::settings::Settings;
use error::RunError;

/// Makes the records of decided pages.
#[derive(Debug)]
pub(super) struct Archive {
    requests: ArchivedRequests,
    kept_texts: KeptTexts,
    /// What the archive holds of duplicates.
    duplicates: Duplicates,
    compression: Compression,
}

impl Archive {
    pub fn new(settings: &Settings) -> Self {
        Self {
            requests: ArchivedRequests::new(settings),
            kept_texts: KeptTexts::default(),
            duplicates: settings.storage.duplicates,
            compression: settings.storage.compression,
        }
    }

    /// The records of a decided page, from those that are `prepared`. `kept` is the page that it repeats.
    pub fn encoded(
        &mut self,
        page: &UndecidedPage,
        prepared: Prepared,
        kept: Option<&PageRecord>,
        store: &Store,
    ) -> Result<Option<EncodedCapture>, RunError> {
        let Some(of) = page.draft.verdict.of() else {
            return prepared.kept(&exchange(page)).map(Some);
        };
        // A page of another worker has no row here, and nothing here can refer to its capture.
        let kept = kept.filter(|_| page.draft.verdict.of_elsewhere().is_none());
        self.duplicate(page, prepared, kept.map(|kept| (of, kept)), store)
    }

    /// The records of a page that repeats another one: `kept` and its number, if it has a row here.
    fn duplicate(
        &mut self,
        page: &UndecidedPage,
        prepared: Prepared,
        kept: Option<(u64, &PageRecord)>,
        store: &Store,
    ) -> Result<Option<EncodedCapture>, RunError> {
        let same_bytes = kept.and_then(|(_, kept)| {
            let response = kept.response?;
            (kept.payload_digest == page.draft.payload_digest).then_some(response)
        });
        match self.duplicates {
            Duplicates::Nothing => return Ok(None),
            Duplicates::Body if same_bytes.is_none() => return prepared.kept(&exchange(page)).map(Some),
            Duplicates::Body | Duplicates::Difference => {}
        }
        let Some(request) = prepared.request() else {
            return Ok(None);
        };
        let record_id = match same_bytes {
            Some(response) => self.kept_texts.record_id(store, response)?,
            None => None,
        };
        let profile = match page.draft.verdict {
            _ if same_bytes.is_some() => RevisitProfile::IdenticalPayload,
            Verdict::Near { .. } => RevisitProfile::NearDuplicate,
            Verdict::Exact { .. } | Verdict::Unique => RevisitProfile::SameText,
        };
        let refers_to = kept.map(|(_, kept)| RefersTo {
            url: &kept.url,
            fetched_at: kept.fetched_at,
            record_id: record_id.as_deref(),
        });
        let text = match kept {
            Some((of, kept)) => self
                .kept_texts
                .of(store, of, kept)?
                .map(|base| DuplicateText::Difference {
                    of,
                    base,
                    text: &page.text,
                }),
            // It must be readable without the folder of the other worker.
            None => Some(DuplicateText::Whole(&page.text)),
        };
        revisit(page, profile, refers_to, text, request).map(Some)
    }

    /// The records of a revisit that found the page unchanged.
    pub fn visit(&self, store: &Store, queued: &QueuedUrl, visit: &Unchanged<'_>) -> Result<VisitRecord, RunError> {
        let form = (self.duplicates, self.compression);
        versions::record(store, &self.requests, queued, visit, form)
    }
}

/// The page as it is archived when it is kept.
pub(super) fn exchange(page: &UndecidedPage) -> Exchange<'_> {
    Exchange {
        queued: &page.queued,
        draft: &page.draft,
        response: &page.response,
        // Its records are made before.
        rendered: None,
        text: &page.text,
        request: None,
    }
}

/// The records of a duplicate without its body.
fn revisit(
    page: &UndecidedPage,
    profile: RevisitProfile,
    refers_to: Option<RefersTo<'_>>,
    text: Option<DuplicateText<'_>>,
    request: EncodedRequest,
) -> Result<EncodedCapture, RunError> {
    let capture = RevisitCapture {
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
        refers_to,
        text,
    };
    capture.encode_after(request).map_err(RunError::Encode)
}
