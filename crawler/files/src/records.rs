//! The documents of a WARC file.
//!
//! A document is a `response` record with HTTP status 200, or a `resource` or `conversion` record, if its content is HTML, XHTML,
//! plain text or another document that the crawler reads. XML is one only if a `response` has a feed. A crawl stores its texts as `conversion` records, and so do Common Crawl's WET files. The reader skips the `conversion`
//! of a response that is already a document.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use page::content_type;
use page::documents::{Kind, Kinds};
use page::sniff::{is_xhtml, looks_like_html};
use storage::warc::{DamagedRecord, Record, StreamedRecord, WarcStream};

use super::batch::Batcher;
use super::body::{Body, Codings};
use super::http::Head;
use super::limits::InputLimits;
use super::place::{At, Fault};
use super::walk::Source;

/// Upper bound on the bytes of the HTTP head of a response.
const MAX_HTTP_HEAD_BYTES: u64 = 64 * 1024;

/// Reads `input`, which is decompressed, to its end.
pub(super) fn read(
    input: impl BufRead,
    source: &Source,
    limits: InputLimits,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut records = Records {
        stream: WarcStream::new(input),
        source,
        limit: limits.max_document_bytes,
        last_response: Vec::new(),
    };
    read_all(|| records.next(), source, batcher)
}

/// Reads the records of a file to its end.
pub(super) fn read_all(
    mut next: impl FnMut() -> io::Result<Option<Outcome>>,
    source: &Source,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    loop {
        match next() {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(Outcome::Skipped)) => {}
            Ok(Some(Outcome::Document(body))) => batcher.body(*body)?,
            Ok(Some(Outcome::Fault(fault))) => batcher.fault(fault)?,
            // The next call continues after the damage, or finds the end.
            Err(error) => batcher.fault(source.failed(&error))?,
        }
    }
}

struct Records<'a, R> {
    stream: WarcStream<R>,
    source: &'a Source,
    limit: usize,
    /// The ids of the last response that was a document, and of its conversions.
    last_response: Vec<String>,
}

/// The result of reading a record.
pub(super) enum Outcome {
    Document(Box<Body>),
    /// Not a document, and no fault.
    Skipped,
    Fault(Fault),
}

impl From<DamagedRecord> for Refused {
    fn from(damage: DamagedRecord) -> Self {
        Self::Damaged(damage)
    }
}

/// Why a record that should be a document is not one.
enum Refused {
    Damaged(DamagedRecord),
    TooLong,
    Reason(&'static str),
}

/// A record's content, described by its header or its HTTP head.
pub(super) struct Content {
    pub content_type: String,
    pub codings: Option<Codings>,
    pub head_bytes: usize,
}

impl Content {
    fn new(content_type: &str) -> Self {
        Self {
            content_type: content_type.to_owned(),
            codings: None,
            head_bytes: 0,
        }
    }
}

impl<R: BufRead> Records<'_, R> {
    fn next(&mut self) -> io::Result<Option<Outcome>> {
        let mut found = match self.stream.next_record()? {
            None => return Ok(None),
            Some(Err(damage)) => return Ok(Some(Outcome::Fault(self.fault(damage.offset, &damage.reason)))),
            Some(Ok(found)) => found,
        };
        Ok(Some(match self.take(&mut found)? {
            Ok(Some(content)) => Outcome::Document(Box::new(self.body(found, content))),
            Ok(None) => Outcome::Skipped,
            Err(Refused::Damaged(damage)) => Outcome::Fault(self.fault(damage.offset, &damage.reason)),
            Err(Refused::Reason(reason)) => Outcome::Fault(self.fault(found.offset, reason)),
            Err(Refused::TooLong) => {
                Outcome::Fault(Fault::too_long(self.source.place(At::Byte(found.offset)), self.limit))
            }
        }))
    }

    /// Reads the block of a record if it is a document.
    fn take(&mut self, found: &mut StreamedRecord) -> io::Result<Result<Option<Content>, Refused>> {
        let record = &found.record;
        let content = match record.kind() {
            "response" if is_http(record) => {
                if let Err(damage) = self.stream.read_block(found, MAX_HTTP_HEAD_BYTES)? {
                    return Ok(Err(damage.into()));
                }
                match Head::read(&found.record.block) {
                    Some(head) => response(&head, &found.record.block),
                    None => return Ok(Err(Refused::Reason("its block is not an HTTP response"))),
                }
            }
            "resource" => by_type(record.field("Content-Type")),
            "conversion" if is_of(record, &self.last_response) => {
                self.last_response
                    .extend(record.field("WARC-Record-ID").map(str::to_owned));
                None
            }
            "conversion" => by_type(record.field("Content-Type")),
            _ => None,
        };
        let Some(content) = content else {
            return Ok(Ok(None));
        };
        if found.block_bytes > self.limit as u64 {
            return Ok(Err(Refused::TooLong));
        }
        let read = self.stream.read_block(found, found.block_bytes)?;
        Ok(read.map(|()| Some(content)).map_err(Refused::from))
    }

    fn body(&mut self, found: StreamedRecord, content: Content) -> Body {
        let record = found.record;
        let field = |name| record.field(name).map(str::to_owned);
        if record.kind() == "response" {
            self.last_response = field("WARC-Record-ID").into_iter().collect();
        }
        // Some writers of WARC 1.0 put the URI in angle brackets.
        let url = record
            .field("WARC-Target-URI")
            .map(|uri| uri.trim_matches(['<', '>']).to_owned());
        Body {
            place: self.source.place(At::Byte(found.offset)),
            id: url.clone().or_else(|| field("WARC-Record-ID")),
            url,
            content_type: content.content_type,
            codings: content.codings,
            digest: field("WARC-Block-Digest"),
            head_bytes: content.head_bytes,
            bytes: record.block.into(),
        }
    }

    fn fault(&self, offset: u64, reason: &str) -> Fault {
        Fault::new(self.source.place(At::Byte(offset)), reason)
    }
}

/// Whether a conversion repeats one of the records with these ids.
fn is_of(conversion: &Record, ids: &[String]) -> bool {
    let of = conversion.field("WARC-Refers-To");
    of.is_some_and(|of| ids.iter().any(|id| id == of))
}

fn is_http(record: &Record) -> bool {
    let content_type = record.field("Content-Type").and_then(content_type::media_type);
    content_type.is_some_and(|media_type| media_type == "application/http")
}

/// The content of a response with a page. Without a content type, the body must look like HTML.
pub(super) fn response(head: &Head, block: &[u8]) -> Option<Content> {
    if head.status != 200 {
        return None;
    }
    // A type such as `*/*` declares nothing.
    let declared = head
        .field("Content-Type")
        .filter(|declared| content_type::media_type(declared).is_some());
    let content = match declared {
        None if looks_like_html(&block[head.bytes..]) => by_type(Some("text/html")),
        None => by_type(Kind::of_bytes(&block[head.bytes..]).map(Kind::media_type)),
        content_type => by_type(content_type).or_else(|| xml(content_type?, &block[head.bytes..])),
    };
    content.map(|content| Content {
        codings: Some(Codings {
            is_chunked: head.is_chunked(),
            content_encoding: head.field("Content-Encoding").map(str::to_owned),
        }),
        head_bytes: head.bytes,
        ..content
    })
}

fn by_type(content_type: Option<&str>) -> Option<Content> {
    let content_type = content_type?;
    let media_type = content_type::media_type(content_type)?;
    let is_other_xml = content_type::is_xml(&media_type) && media_type != "application/xhtml+xml";
    (!is_other_xml && page::is_page_type(&media_type, Kinds::ALL)).then(|| Content::new(content_type))
}

/// The content of this type of XML if the body is a feed or a page. Most XML is neither. A packed body cannot be told before it is read.
fn xml(content_type: &str, body: &[u8]) -> Option<Content> {
    let media_type = content_type::media_type(content_type)?;
    let is_page = content_type::is_xml(&media_type) && (Kind::Feed.fits(body) || is_xhtml(body));
    is_page.then(|| Content::new(content_type))
}
