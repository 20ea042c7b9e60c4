//! The CDXJ index of the archive. Replay tools find captures by its lines.
//!
//! ```text
//! org,example)/a?b=1 20260321093000 {"url": "https://example.org/a?b=1", "mime": "text/html", "status": "200",
//!                                    "digest": "sha1:…", "length": "1234", "offset": "567", "filename": "crawl-….warc.gz"}
//! ```
//!
//! Each `response` and `revisit` has one line: the URL's [key](surt()), the date of the fetch, and a JSON object with the fields of cdxj-indexer in
//! its order. All values are strings. A revisit has the mime type `warc/revisit`. Lines are sorted bytewise.
//!
//! The index is derived from the catalogue alone, so it names no record that a crash lost. A run updates it at its end, in one
//! atomic step. After a crash it may lack later captures; the next run adds them.

mod difference;
mod file;
mod runs;
mod surt;

use std::fmt::Write;

use crate::error::StorageError;
use crate::page::PageRecord;
use crate::revisits::ArchivedVisit;
use crate::store::Store;
use crate::warc::compression::Compression;
use crate::warc::location::WarcLocation;
use crate::warc::record::{compact_date, without_userinfo};
use crate::warc::shown_digest;
pub(crate) use difference::{Difference, difference};
pub use file::{write_index, write_index_with};
use runs::Runs;
pub use runs::SortedLines;
pub use surt::surt;

/// The mime type of a revisit.
const REVISIT: &str = "warc/revisit";

/// The lines of all committed pages that `takes` accepts, without line ends, sorted bytewise. Sorting uses about 40 MB, and beyond
/// that temporary files in the data folder.
///
/// # Errors
/// Errors of the state; [`StorageError::Io`] if the temporary files cannot be written or read.
pub fn lines(store: &Store, mut takes: impl FnMut(u64, &PageRecord) -> bool) -> Result<SortedLines, StorageError> {
    let mut runs = Runs::new(store.dir());
    push_pages(store, 1, &mut takes, &mut runs)?;
    push_visits(store, &mut takes, &mut runs)?;
    runs.sorted()
}

type Takes<'a> = &'a mut dyn FnMut(u64, &PageRecord) -> bool;

/// Adds the lines of the pages from `from` on.
fn push_pages(store: &Store, from: u64, takes: Takes<'_>, runs: &mut Runs) -> Result<(), StorageError> {
    for row in store.pages_from(from) {
        let (id, page) = row?;
        if !takes(id, &page) {
            continue;
        }
        let own = |location: WarcLocation, mime| {
            let file = store.archive().name(location.file);
            line(&file, &page, page.fetched_at, page.status, mime, location)
        };
        if let Some(location) = page.response {
            runs.push(own(location, media_type(&page.content_type)))?;
        }
        if let Some(location) = page.revisit {
            runs.push(own(location, Some(REVISIT)))?;
        }
    }
    Ok(())
}

/// Adds the lines of visits that found their page unchanged.
fn push_visits(store: &Store, takes: Takes<'_>, runs: &mut Runs) -> Result<(), StorageError> {
    let mut last: Option<(u64, Option<PageRecord>)> = None;
    for row in store.revisits().archived() {
        let (id, at, visit) = row?;
        let page = match last.take() {
            Some((same, page)) if same == id => page,
            _ => store.page(id)?.filter(|page| takes(id, page)),
        };
        if let Some(page) = &page {
            let ArchivedVisit {
                status,
                location,
                digest,
                response_type,
            } = visit;
            let mime = response_type.as_deref().map_or(Some(REVISIT), media_type);
            let page = PageRecord {
                payload_digest: digest,
                ..page.clone()
            };
            let file = store.archive().name(location.file);
            runs.push(line(&file, &page, at, status, mime, location))?;
        }
        last = Some((id, page));
    }
    Ok(())
}

fn line(file: &str, page: &PageRecord, at: u64, status: u16, mime: Option<&str>, location: WarcLocation) -> String {
    let url = without_userinfo(&page.url);
    let mut line = String::with_capacity(2 * url.len() + 256);
    line.push_str(&surt(&url));
    line.push(' ');
    line.push_str(&compact_date(at));
    line.push_str(" {\"url\": ");
    push_json(&mut line, &url);
    if let Some(mime) = mime {
        line.push_str(", \"mime\": ");
        push_json(&mut line, mime);
    }
    // An empty block has no status. Writing to a string cannot fail.
    if status > 0 {
        let _ = write!(line, ", \"status\": \"{status}\"");
    }
    let _ = write!(
        line,
        ", \"digest\": \"{}\", \"length\": \"{}\", \"offset\": \"{}\", \"filename\": ",
        shown_digest(&page.payload_digest),
        location.length,
        location.offset,
    );
    push_json(&mut line, file);
    line.push('}');
    line
}

/// The file number and the offset of the capture that such a line names.
fn place_of(line: &str) -> Option<(u32, u64)> {
    let (_, line) = Compression::of_name(line.strip_suffix("\"}")?)?;
    let (rest, file) = line.rsplit_once('-')?;
    let (_, offset) = rest.rsplit_once("\"offset\": \"")?;
    Some((file.parse().ok()?, offset.split('"').next()?.parse().ok()?))
}

/// The media type in a Content-Type, by the rule of cdxj-indexer.
fn media_type(content_type: &str) -> Option<&str> {
    let media_type = content_type.split([';', ' ', '\t']).next()?;
    Some(media_type).filter(|media_type| !media_type.is_empty())
}

/// Appends a JSON string in ASCII, with other characters escaped, so that every tool sorts lines in the same order.
fn push_json(json: &mut String, text: &str) {
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            ' '..='~' => json.push(c),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::names::FileNames;

    #[test]
    fn a_line_has_the_fields_and_the_form_of_cdxj_indexer() {
        let page = PageRecord {
            url: "https://www.Example.org/ä\"?b".to_owned(),
            ..empty_page()
        };
        let location = WarcLocation {
            file: 3,
            offset: 567,
            length: 1234,
        };
        assert_eq!(
            line(
                &FileNames::new(0, []).of(3),
                &page,
                1_774_085_400_125,
                200,
                media_type("text/html;charset=x"),
                location
            ),
            "org,example)/%c3%a4\"?b 20260321093000 {\"url\": \"https://www.Example.org/\\u00e4\\\"?b\", \
             \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\", \
             \"length\": \"1234\", \"offset\": \"567\", \"filename\": \"crawl-19700101000000-00003.warc.gz\"}"
        );
        let without = line(
            "crawl-19700101000000-00003.warc.zst",
            &page,
            0,
            200,
            media_type(""),
            location,
        );
        assert!(!without.contains("mime"));
        assert_eq!(place_of(&without), Some((3, 567)));
    }

    fn empty_page() -> PageRecord {
        let queued = crate::QueuedUrl::new(&crate::Discovered::default(), None, 1);
        PageRecord::new(
            &queued,
            crate::PageDraft::default(),
            crate::warc::location::Archived::default(),
        )
    }
}
