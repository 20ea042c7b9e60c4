//! Files that are one document: a page, a text, a PDF.

use std::io::Read;
use std::ops::ControlFlow;

use storage::stored_text;

use super::batch::Batcher;
use super::body::Body;
use super::format::Format;
use super::mime;
use super::place::{At, Fault};
use super::reading::Reading;
use super::walk::Source;

/// A text of this size and more is rarely one document. A novel of 400 pages has 800 kB.
const MANY_BYTES: usize = 1 << 20;

/// A text with fewer lines is no list of documents.
const MANY_LINES: usize = 1_000;

/// Reads a file that is one page or one text.
pub(super) fn read(
    input: impl Read,
    source: &Source,
    format: Format,
    reading: &Reading,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let limit = reading.limits.max_document_bytes;
    let mut bytes = Vec::new();
    match input.take(limit as u64 + 1).read_to_end(&mut bytes) {
        Ok(length) if length > limit => return batcher.fault(too_long(source, format, limit)),
        Ok(_) => {}
        Err(error) => return batcher.fault(source.failed(&error)),
    }
    if format == Format::Text && !reading.is_again {
        warn_of_many_lines(source, &bytes);
    }
    let whole = |bytes: Vec<u8>, content_type: &str, url| Body {
        place: source.place(At::Whole),
        id: Some(source.name.to_string()),
        url,
        content_type: content_type.to_owned(),
        codings: None,
        digest: None,
        head_bytes: 0,
        bytes: bytes.into(),
    };
    match format {
        Format::Mime => match mime::main_part(&bytes) {
            Ok(part) => batcher.body(whole(part.bytes, &part.content_type, part.url)),
            Err(reason) => batcher.fault(Fault::new(source.place(At::Whole), reason)),
        },
        format => batcher.body(whole(bytes, format.media_type(), None)),
    }
}

fn too_long(source: &Source, format: Format, limit: usize) -> Fault {
    let mut fault = Fault::too_long(source.place(At::Whole), limit);
    if format == Format::Text {
        fault.reason += "; --split lines reads each of its lines as a document";
    }
    fault
}

/// One large document may be many small ones. The program cannot know it, so it asks.
fn warn_of_many_lines(source: &Source, bytes: &[u8]) {
    if bytes.len() < MANY_BYTES {
        return;
    }
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    if lines >= MANY_LINES {
        tracing::warn!(
            "{}: it is read as one document of {:.1} MB with {lines} lines; if each line is a document, give --split lines",
            stored_text(&source.name),
            bytes.len() as f64 / 1e6,
        );
    }
}
