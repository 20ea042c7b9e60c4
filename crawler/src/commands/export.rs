//! `crawler export`

use jiff::Timestamp;
use serde::Serialize;
use storage::PageRecord;

use crate::cli::{Export, ExportFormat};
use crate::content_seen::decode_signature;
use crate::error::RunError;

/// A kept page as one line of JSON. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: &'a str,
    title: &'a str,
    text: &'a str,
    /// ISO 639 code; null where it is not known.
    language: Option<&'a str>,
    /// RFC 3339, UTC.
    fetched_at: String,
    /// 16 hexadecimal digits; null for a text too short for a fingerprint.
    fingerprint: Option<String>,
    status: u16,
    content_type: &'a str,
    encoding: &'a str,
    depth: u16,
    body_bytes: u64,
    text_chars: u64,
}

pub(super) fn execute(args: &Export) -> Result<(), RunError> {
    let store = super::open_to_read(&args.data.data)?;
    let mut output = super::Output::open(args.output.as_deref())?;
    let ExportFormat::Jsonl = args.format;
    for row in store.pages_from(0) {
        let (_, page) = row?;
        if page.is_kept() {
            let text = store.text_of(&page)?.unwrap_or_default();
            output.write(&line(&page, &text)?)?;
        }
    }
    output.finish()
}

fn line(page: &PageRecord, text: &str) -> Result<String, RunError> {
    let fetched_at = i64::try_from(page.fetched_at)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let line = Line {
        url: &page.url,
        title: &page.title,
        text,
        language: page.language.as_deref(),
        fetched_at: fetched_at.unwrap_or_default().to_string(),
        fingerprint: decode_signature(&page.signature)?
            .fingerprint
            .map(|fingerprint| fingerprint.to_string()),
        status: page.status,
        content_type: &page.content_type,
        encoding: &page.encoding,
        depth: page.depth,
        body_bytes: page.body_bytes,
        text_chars: page.text_chars,
    };
    let mut json = serde_json::to_string(&line).map_err(|error| RunError::Render(error.to_string()))?;
    json.push('\n');
    Ok(json)
}
