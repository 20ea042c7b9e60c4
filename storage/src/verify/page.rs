//! Checks one page: its row against the rest of the state, its records against the archive.

use super::Check;
use super::findings::FindingKind;
use crate::error::StorageError;
use crate::page::{Fate, PageRecord};
use crate::url_state::UrlState;
use crate::warc::location::WarcLocation;
use crate::warc::metadata::duplicate;
use crate::warc::record::one_line_uri;
use crate::warc::{Record, payload_digest, shown_digest};

impl Check<'_> {
    /// The contradiction between a page's row and the rest of the state, if there is one.
    pub(super) fn wrong_with_row(self, sequence: u64, page: &PageRecord) -> Result<Option<String>, StorageError> {
        if sequence >= self.store.next_page_id() {
            return Ok(Some("its number was never given out".to_owned()));
        }
        let state = self.store.url_state(&page.host, &page.url)?;
        let wrong = match (page.fate, state) {
            (Fate::Current | Fate::Gone { .. }, Some(UrlState::Page(found))) if found == sequence => None,
            (Fate::Current | Fate::Gone { .. }, state) => Some(format!("its URL is known as {state:?}")),
            (Fate::Superseded { .. } | Fate::Moved, None) => Some("its URL is not known".to_owned()),
            (Fate::Superseded { by }, Some(_)) if self.store.page(by)?.is_none() => {
                Some(format!("it is superseded by page {by}, which is not there"))
            }
            (Fate::Superseded { .. } | Fate::Moved, Some(_)) => None,
        };
        if wrong.is_some() || page.verdict.of().is_none() {
            return Ok(wrong);
        }
        Ok(match self.store.catalogue().representative_of(sequence)? {
            Some(_) => None,
            None => Some("the page that it is a duplicate of is not there".to_owned()),
        })
    }

    /// The faults of the archived records of a page.
    pub(super) fn wrong_with_records(
        self,
        sequence: u64,
        page: &PageRecord,
    ) -> Result<Vec<(FindingKind, String)>, StorageError> {
        let mut wrong = Vec::new();
        // A redecision keeps a duplicate of the crawl by its text, until a visit brings the body.
        let has_body = page.response.is_some() || self.store.catalogue().is_redecided(sequence)?;
        if !page.verdict.is_duplicate() && (!has_body || page.text.is_none()) {
            wrong.push((
                FindingKind::Body,
                "it is kept, but its body or text was not archived".to_owned(),
            ));
        }
        let places = [
            ("response", page.response),
            ("conversion", page.text),
            ("revisit", page.revisit),
        ];
        for (kind, location) in places {
            if let Some(location) = location
                && let Some(what) = self.wrong_with_record(page, kind, location)?
            {
                wrong.push((FindingKind::Body, what));
            }
        }
        // The text of a duplicate is stored as the difference from another text.
        if wrong.is_empty()
            && page.response.is_none()
            && let Err(error) = self.store.text_of(page)
        {
            match error {
                StorageError::ArchiveDamaged { .. } | StorageError::Io { .. } => {
                    wrong.push((FindingKind::Body, error.to_string()));
                }
                error => return Err(error),
            }
        }
        Ok(wrong)
    }

    fn wrong_with_record(
        self,
        page: &PageRecord,
        kind: &str,
        location: WarcLocation,
    ) -> Result<Option<String>, StorageError> {
        let record = match self.store.archive().record(location) {
            Ok(record) => record,
            Err(error @ (StorageError::ArchiveDamaged { .. } | StorageError::Io { .. })) => {
                return Ok(Some(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let place = || format!("byte {} of file {:05}", location.offset, location.file);
        let is_text_of_duplicate = kind == "conversion" && duplicate::is_in(&record);
        if record.kind() != kind && !is_text_of_duplicate {
            return Ok(Some(format!(
                "{} is a {} record, not its {kind}",
                place(),
                record.kind()
            )));
        }
        if record.field("WARC-Target-URI") != Some(&one_line_uri(&page.url)) {
            return Ok(Some(format!("{} is another page's {kind}", place())));
        }
        Ok(wrong_with_digest(page, kind, &record).map(|what| format!("{}: {what}", place())))
    }
}

fn wrong_with_digest(page: &PageRecord, kind: &str, record: &Record) -> Option<String> {
    if kind == "conversion" || page.payload_digest == [0; 20] {
        return None;
    }
    let expected = shown_digest(&page.payload_digest);
    match record.field("WARC-Payload-Digest") {
        Some(found) if found != expected => {
            return Some(format!("its payload digest is {found}, the catalogue says {expected}"));
        }
        _ => {}
    }
    let payload = record.http_payload().filter(|_| kind == "response")?;
    let found = payload_digest(payload);
    (found != page.payload_digest).then(|| {
        format!(
            "its body has digest {}, the catalogue says {expected}",
            shown_digest(&found)
        )
    })
}
