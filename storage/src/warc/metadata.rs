//! What the catalogue holds of a page and its archive records do not: one `metadata` record for each thing that happens to a
//! page, so that the catalogue can be made anew from the WARC files alone.
//!
//! ```text
//! response, conversion │ revisit │ nothing     what was archived of the page
//! metadata             WARC-Concurrent-To it   event: page · what the catalogue says · the URLs first found on it
//! metadata             event: unchanged        a later visit to a page that found no other one
//! metadata             event: missing          … that found 404 or 410
//! metadata             event: moved            … that was sent elsewhere, or may not be stored any more
//! ```
//!
//! The block is `application/warc-fields` (ISO 28500:2017, annex B): lines `name: value` in UTF-8, in the order below; unknown names
//! are passed over. Values come from the web: a backslash, a control character and white space other than a single space
//! within the value are written as Rust escapes them (`\\`, `\u{a}`), so that no value ends its line, and every value is read back as
//! it was. `outlink` has several values with spaces between (the URL, links from a seed, priority, redirects, host key, and what
//! links to it if that is not the page itself); the spaces within them are escaped too.

use std::fmt::Write;
use std::io;

use data_encoding::BASE64;

use super::record::{NewRecord, Record, new_record_id, shown_digest};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::Visit;
use crate::page::{Fate, PageRecord, Replaced, Validators, Verdict};
use crate::warc::EncodedCapture;

/// zlib level of these records: most of one is a signature, which does not compress.
const LEVEL: u32 = 1;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A page was decided.
    Page {
        /// Its sequence number.
        sequence: u64,
        /// What is known of it; its places in the archive say which records there are, and are not read back.
        page: Box<PageRecord>,
        /// The page whose place it took, as it is from then on.
        replaced: Option<Replaced>,
    },
    /// A page was visited again without another page.
    Visited {
        page: u64,
        visit: Visit,
        /// Milliseconds since the Unix epoch.
        at: u64,
        wire_bytes: u64,
        /// HTTP status of the `revisit` record archived with it, 0 where there is none.
        status: u16,
    },
    /// The URL of a page leads elsewhere now.
    Redirected { page: u64, to: String, status: u16 },
    /// The page must not be stored any more.
    Excluded { page: u64, reason: String },
}

/// Which records of a page were archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Records {
    pub response: bool,
    pub text: bool,
    pub revisit: bool,
}

/// A metadata record as it is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    pub event: Event,
    /// Of a page.
    pub records: Records,
    /// The URLs that were not known before.
    pub outlinks: Vec<Discovered>,
}

/// The record of `event` at `url`, which found the URLs `fresh`. `own_via` is what these have as their via if nothing else is said.
/// `concurrent_to` is the id of the record archived with it.
pub(crate) fn encode<'a>(
    url: &str,
    at: u64,
    event: &Event,
    fresh: impl Iterator<Item = &'a QueuedUrl>,
    own_via: &Via,
    concurrent_to: Option<&str>,
) -> io::Result<EncodedCapture> {
    let block = write_block(event, fresh, own_via);
    let mut bytes = Vec::with_capacity(512 + block.len());
    let mut record = NewRecord::new("metadata", &new_record_id(), at)
        .uri_field("WARC-Target-URI", url)
        .field("Content-Type", "application/warc-fields");
    if let Some(id) = concurrent_to {
        record = record.field("WARC-Concurrent-To", id);
    }
    record.write(&[block.as_bytes()], LEVEL, &mut bytes)?;
    Ok(EncodedCapture::of_bytes(bytes))
}

fn write_block<'a>(event: &Event, fresh: impl Iterator<Item = &'a QueuedUrl>, own_via: &Via) -> String {
    let mut lines = Lines(String::with_capacity(2_048));
    match event {
        Event::Page {
            sequence,
            page,
            replaced,
        } => lines.page(*sequence, page, replaced.as_ref()),
        Event::Visited {
            page,
            visit,
            at,
            wire_bytes,
            status,
        } => {
            lines.put(
                "event",
                match visit {
                    Visit::Unchanged => "unchanged",
                    Visit::Missing => "missing",
                    Visit::Unanswered => "unanswered",
                },
            );
            lines.put("page", page);
            lines.put("visited-at", at);
            lines.put("wire-bytes", wire_bytes);
            lines.put("status", status);
        }
        Event::Redirected { page, to, status } => {
            lines.put("event", "moved");
            lines.put("page", page);
            lines.put("status", status);
            lines.text("to", to);
        }
        Event::Excluded { page, reason } => {
            lines.put("event", "moved");
            lines.put("page", page);
            lines.text("excluded", reason);
        }
    }
    for link in fresh {
        lines.outlink(link, own_via);
    }
    lines.0
}

/// Lines of a block.
struct Lines(String);

impl Lines {
    /// A value of ours: a number or a word.
    fn put(&mut self, name: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _infallible = write!(self.0, "{name}: {value}\r\n");
    }

    /// A value from elsewhere.
    fn text(&mut self, name: &str, value: &str) {
        self.0.push_str(name);
        self.0.push_str(": ");
        escape(value, false, &mut self.0);
        self.0.push_str("\r\n");
    }

    fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn page(&mut self, sequence: u64, page: &PageRecord, replaced: Option<&Replaced>) {
        self.put("event", "page");
        self.put("page", sequence);
        self.text("url", &page.url);
        self.text("host", &page.host);
        self.put("hops", page.depth);
        match &page.via {
            None => {}
            Some(Via::Page(sequence)) => self.put("via-page", sequence),
            Some(Via::Url(url)) => self.text("via", url),
        }
        let archived = [
            ("response", page.response),
            ("conversion", page.text),
            ("revisit", page.revisit),
        ];
        for (kind, _) in archived.iter().filter(|(_, location)| location.is_some()) {
            self.put("archived", kind);
        }
        self.put("fetched-at", page.fetched_at);
        self.put("elapsed-ms", page.elapsed_ms);
        self.put("status", page.status);
        self.text("title", &page.title);
        self.text("content-type", &page.content_type);
        self.text("encoding", &page.encoding);
        self.optional("language", page.language.as_deref());
        self.put("body-bytes", page.body_bytes);
        self.put("wire-bytes", page.wire_bytes);
        self.put("text-chars", page.text_chars);
        self.put("payload-digest", shown_digest(&page.payload_digest));
        self.optional("etag", page.validators.etag.as_deref());
        self.optional("last-modified", page.validators.last_modified.as_deref());
        self.optional("canonical", page.canonical.as_deref());
        self.put("verdict", shown_verdict(&page.verdict));
        if let Some(replaced) = replaced {
            self.put("replaces", replaced.page);
            self.put("replaced-is", shown_verdict(&replaced.verdict));
        }
        if let Some(previous) = page.previous {
            self.put("previous", previous);
        }
        self.put("signature", BASE64.encode(&page.signature));
    }

    fn outlink(&mut self, link: &QueuedUrl, own_via: &Via) {
        self.0.push_str("outlink: ");
        escape(&link.url, true, &mut self.0);
        // Writing to a string cannot fail.
        let _infallible = write!(self.0, " {} {} {} ", link.depth, link.priority, link.redirects);
        escape(&link.host, true, &mut self.0);
        match &link.via {
            Some(via) if via == own_via => {}
            Some(Via::Url(url)) => {
                self.0.push(' ');
                escape(url, true, &mut self.0);
            }
            Some(Via::Page(_)) | None => {}
        }
        self.0.push_str("\r\n");
    }
}

/// `kept`, `exact of 3`, `near of 3 at 2 bits, similarity 0.91`, where `-` stands for no distance.
fn shown_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Unique => "kept".to_owned(),
        Verdict::Exact { of } => format!("exact of {of}"),
        Verdict::Near {
            of,
            distance,
            similarity,
        } => {
            let distance = distance.map_or_else(|| "-".to_owned(), |bits| bits.to_string());
            format!("near of {of} at {distance} bits, similarity {similarity}")
        }
    }
}

fn read_verdict(text: &str) -> Option<Verdict> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["kept"] => Some(Verdict::Unique),
        ["exact", "of", of] => Some(Verdict::Exact { of: of.parse().ok()? }),
        ["near", "of", of, "at", distance, "bits,", "similarity", similarity] => Some(Verdict::Near {
            of: of.parse().ok()?,
            distance: match distance {
                "-" => None,
                bits => Some(bits.parse().ok()?),
            },
            similarity: similarity.parse().ok()?,
        }),
        _ => None,
    }
}

/// Appends `value` so that it has no control character, no backslash of its own, and no white space but single spaces between other
/// characters; with `all_spaces` none at all.
fn escape(value: &str, all_spaces: bool, out: &mut String) {
    let mut rest = value.chars().peekable();
    let mut after_space = true;
    while let Some(c) = rest.next() {
        let plain_space = c == ' ' && !all_spaces && !after_space && rest.peek().is_some();
        match c {
            '\\' => out.push_str("\\\\"),
            ' ' if plain_space => out.push(' '),
            c if c.is_control() || c.is_whitespace() || is_line_like(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
        after_space = plain_space;
    }
}

/// Line and paragraph separators, and marks that some readers take for one or drop.
fn is_line_like(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn unescape(value: &str) -> Option<String> {
    if !value.contains('\\') {
        return Some(value.to_owned());
    }
    let mut out = String::with_capacity(value.len());
    let mut parts = value.chars();
    while let Some(c) = parts.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match parts.next()? {
            '\\' => out.push('\\'),
            'u' => {
                let code = parts.as_str().strip_prefix('{')?;
                let (code, rest) = code.split_once('}')?;
                out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                parts = rest.chars();
            }
            _ => return None,
        }
    }
    Some(out)
}

/// What a `metadata` record of this crate says.
///
/// # Errors
/// Which line is missing or cannot be read.
pub(crate) fn decode(record: &Record) -> Result<Metadata, String> {
    let block = std::str::from_utf8(&record.block).map_err(|_| "it is not UTF-8".to_owned())?;
    let fields = Fields {
        lines: block.split("\r\n").filter_map(|line| line.split_once(": ")).collect(),
    };
    let mut records = Records::default();
    let event = match fields.required("event")? {
        "page" => {
            for (_, kind) in fields.lines.iter().filter(|(name, _)| *name == "archived") {
                match *kind {
                    "response" => records.response = true,
                    "conversion" => records.text = true,
                    "revisit" => records.revisit = true,
                    _ => {}
                }
            }
            fields.page()?
        }
        kind @ ("unchanged" | "missing" | "unanswered") => Event::Visited {
            page: fields.number("page")?,
            visit: match kind {
                "unchanged" => Visit::Unchanged,
                "missing" => Visit::Missing,
                _ => Visit::Unanswered,
            },
            at: fields.number("visited-at")?,
            wire_bytes: fields.number("wire-bytes")?,
            status: fields.number("status")?,
        },
        "moved" => {
            let page = fields.number("page")?;
            match fields.text("to")? {
                Some(to) => Event::Redirected {
                    page,
                    to,
                    status: fields.number("status")?,
                },
                None => Event::Excluded {
                    page,
                    reason: fields.required_text("excluded")?,
                },
            }
        }
        other => return Err(format!("its event {other:?} is not known")),
    };
    let outlinks = fields.lines.iter().filter(|(name, _)| *name == "outlink");
    let outlinks = outlinks.map(|(_, value)| read_outlink(value).ok_or_else(|| bad("outlink")));
    Ok(Metadata {
        event,
        records,
        outlinks: outlinks.collect::<Result<_, _>>()?,
    })
}

fn read_outlink(value: &str) -> Option<Discovered> {
    let mut words = value.split(' ');
    let link = Discovered {
        url: unescape(words.next()?)?,
        depth: words.next()?.parse().ok()?,
        priority: words.next()?.parse().ok()?,
        redirects: words.next()?.parse().ok()?,
        host: unescape(words.next()?)?,
        via: match words.next() {
            Some(via) => Some(unescape(via)?),
            None => None,
        },
    };
    Some(link)
}

fn bad(name: &str) -> String {
    format!("its line {name:?} is missing or cannot be read")
}

/// Lines of a block, as written.
struct Fields<'a> {
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        self.lines
            .iter()
            .find(|(have, _)| *have == name)
            .map(|(_, value)| *value)
    }

    fn required(&self, name: &str) -> Result<&'a str, String> {
        self.get(name).ok_or_else(|| bad(name))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        self.required(name)?.parse().map_err(|_| bad(name))
    }

    fn optional_number(&self, name: &str) -> Result<Option<u64>, String> {
        self.get(name)
            .map(|value| value.parse().map_err(|_| bad(name)))
            .transpose()
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        self.get(name)
            .map(|value| unescape(value).ok_or_else(|| bad(name)))
            .transpose()
    }

    fn required_text(&self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| bad(name))
    }

    fn verdict(&self, name: &str) -> Result<Verdict, String> {
        read_verdict(self.required(name)?).ok_or_else(|| bad(name))
    }

    fn page(&self) -> Result<Event, String> {
        let replaced = match self.optional_number("replaces")? {
            Some(page) => Some(Replaced {
                page,
                verdict: self.verdict("replaced-is")?,
            }),
            None => None,
        };
        let via = match self.optional_number("via-page")? {
            Some(sequence) => Some(Via::Page(sequence)),
            None => self.text("via")?.map(Via::Url),
        };
        let digest = self.required("payload-digest")?.strip_prefix("sha1:");
        let digest = digest.and_then(|digest| data_encoding::BASE32.decode(digest.as_bytes()).ok());
        let page = PageRecord {
            url: self.required_text("url")?,
            host: self.required_text("host")?,
            depth: self.number("hops")?,
            via,
            title: self.required_text("title")?,
            fetched_at: self.number("fetched-at")?,
            status: self.number("status")?,
            content_type: self.required_text("content-type")?,
            encoding: self.required_text("encoding")?,
            body_bytes: self.number("body-bytes")?,
            wire_bytes: self.number("wire-bytes")?,
            text_chars: self.number("text-chars")?,
            language: self.text("language")?,
            verdict: self.verdict("verdict")?,
            signature: BASE64
                .decode(self.required("signature")?.as_bytes())
                .map_err(|_| bad("signature"))?,
            elapsed_ms: self.number("elapsed-ms")?,
            canonical: self.text("canonical")?,
            replaces: replaced.map(|replaced| replaced.page),
            validators: Validators {
                etag: self.text("etag")?,
                last_modified: self.text("last-modified")?,
            },
            payload_digest: digest
                .and_then(|digest| digest.try_into().ok())
                .ok_or_else(|| bad("payload-digest"))?,
            previous: self.optional_number("previous")?,
            fate: Fate::Current,
            response: None,
            text: None,
            revisit: None,
        };
        Ok(Event::Page {
            sequence: self.number("page")?,
            page: Box::new(page),
            replaced,
        })
    }
}

/// The lines that the `warcinfo` of a file has for rebuilding: when the crawl began, and its scheme.
pub(crate) fn crawl_fields(started_at: u64, scheme: &str) -> String {
    let mut lines = Lines(String::new());
    lines.put("crawl-started-ms", started_at);
    lines.text("crawl-scheme", scheme);
    lines.0
}

/// What [`crawl_fields`] wrote, as far as it is there.
pub(crate) fn read_crawl_fields(record: &Record) -> (Option<u64>, Option<String>) {
    let block = String::from_utf8_lossy(&record.block);
    let fields = Fields {
        lines: block.split("\r\n").filter_map(|line| line.split_once(": ")).collect(),
    };
    let started = fields.optional_number("crawl-started-ms").unwrap_or_default();
    (started, fields.text("crawl-scheme").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reader::{DEFAULT_MAX_RECORD_BYTES, decode_member};
    use super::*;
    use crate::page::WarcLocation;

    fn verdicts() -> impl Strategy<Value = Verdict> {
        prop_oneof![
            Just(Verdict::Unique),
            any::<u64>().prop_map(|of| Verdict::Exact { of }),
            (any::<u64>(), any::<Option<u32>>(), 0_f32..=1.0).prop_map(|(of, distance, similarity)| Verdict::Near {
                of,
                distance,
                similarity
            }),
        ]
    }

    /// Also what a hostile server sends: line ends, escapes, other white space.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[ a\\\\\r\n\t:\u{85}\u{2028}{}u]{0,12}",
            Just("x\r\nsignature: AAAA\r\n\r\n".to_owned()),
        ]
    }

    fn vias() -> impl Strategy<Value = Option<Via>> {
        prop_oneof![
            Just(None),
            any::<u64>().prop_map(|page| Some(Via::Page(page))),
            texts().prop_map(|url| Some(Via::Url(url))),
        ]
    }

    prop_compose! {
        fn of_text()(url in texts(), host in texts(), title in texts(), content_type in texts(), encoding in texts(),
                     language in proptest::option::of(texts()), canonical in proptest::option::of(texts()),
                     etag in proptest::option::of(texts()), last_modified in proptest::option::of(texts()), via in vias())
            -> PageRecord {
            PageRecord { url, host, depth: 0, via, title, fetched_at: 0, status: 0, content_type, encoding, body_bytes: 0,
                wire_bytes: 0, text_chars: 0, language, verdict: Verdict::Unique, signature: Vec::new(), elapsed_ms: 0,
                canonical, replaces: None, validators: Validators { etag, last_modified }, payload_digest: [0; 20],
                previous: None, fate: Fate::Current, response: None, text: None, revisit: None }
        }
    }

    prop_compose! {
        fn pages()(page in of_text(), depth: u16, fetched_at: u64, status: u16, bytes: [u64; 3], verdict in verdicts(),
                   signature in proptest::collection::vec(any::<u8>(), 0..300), elapsed_ms: u32, payload_digest: [u8; 20],
                   previous: Option<u64>, replaces: Option<u64>)
            -> PageRecord {
            let [body_bytes, wire_bytes, text_chars] = bytes;
            PageRecord { depth, fetched_at, status, body_bytes, wire_bytes, text_chars, verdict, signature, elapsed_ms,
                payload_digest, previous, replaces, ..page }
        }
    }

    prop_compose! {
        fn links()(url in texts(), host in texts(), depth: u16, priority: u8, redirects: u8,
                   via in proptest::option::of(texts()))
            -> Discovered {
            Discovered { url, host, depth, redirects, priority, via }
        }
    }

    fn read(encoded: &EncodedCapture) -> Metadata {
        let record = decode_member(&encoded.bytes, DEFAULT_MAX_RECORD_BYTES).unwrap();
        assert_eq!(record.kind(), "metadata");
        decode(&record).unwrap()
    }

    proptest! {
        #[test]
        fn a_page_written_is_the_page_read(
            page in pages(), sequence: u64, verdict in verdicts(), links in proptest::collection::vec(links(), 0..4),
            archived: [bool; 3],
        ) {
            let replaced = page.replaces.map(|page| Replaced { page, verdict });
            let [response, text, revisit] = archived;
            let at = |is_there: bool| is_there.then_some(WarcLocation { file: 1, offset: 2, length: 3 });
            let written = PageRecord {
                response: at(response), text: at(text), revisit: at(revisit), ..page.clone()
            };
            let event = Event::Page { sequence, page: Box::new(written), replaced };
            let own = Via::Page(sequence);
            let queued: Vec<_> = links.iter().map(|link| QueuedUrl::new(link, Some(&own), 7)).collect();
            let encoded = encode(&page.url, page.fetched_at, &event, queued.iter(), &own, Some("<urn:uuid:1>")).unwrap();
            let found = read(&encoded);
            prop_assert_eq!(found.event, Event::Page { sequence, page: Box::new(page), replaced });
            prop_assert_eq!(found.records, Records { response, text, revisit });
            prop_assert_eq!(found.outlinks, links);
        }

        #[test]
        fn an_event_written_is_the_event_read(page: u64, number: u64, status: u16, text in texts()) {
            let visited = |visit| Event::Visited { page, visit, at: number, wire_bytes: number, status };
            for event in [
                visited(Visit::Unchanged), visited(Visit::Missing), visited(Visit::Unanswered),
                Event::Redirected { page, to: text.clone(), status }, Event::Excluded { page, reason: text.clone() },
            ] {
                let encoded = encode("u", 0, &event, [].iter(), &Via::Page(1), None).unwrap();
                prop_assert_eq!(read(&encoded).event, event);
            }
        }

        #[test]
        fn no_value_ends_its_line(value in texts()) {
            let mut line = String::new();
            escape(&value, false, &mut line);
            prop_assert_eq!(line.trim(), &line);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert_eq!(unescape(&line), Some(value));
        }
    }
}
