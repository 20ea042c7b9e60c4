//! Encodes the lines of a block.

use std::fmt::Write;

use data_encoding::BASE64;

use super::value::{escape, shown_rendering, shown_verdict};
use super::{DecidedBy, Event};
use crate::frontier::{QueuedUrl, Via};
use crate::page::{PageRecord, Replaced};
use crate::revisits::Visit;
use crate::warc::record::shown_digest;

/// The lines of an event, and of the URLs first found there.
pub fn block<'a>(commit: u64, event: &Event, fresh: impl Iterator<Item = &'a QueuedUrl>, own_via: &Via) -> String {
    let mut lines = Lines(String::with_capacity(2_048));
    lines.put("commit", commit);
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
        Event::Yielded { page, verdict } => {
            lines.put("event", "yielded");
            lines.put("page", page);
            lines.put("verdict", shown_verdict(verdict));
        }
    }
    for link in fresh {
        lines.outlink(link, own_via);
    }
    lines.0
}

/// Lines of a block.
pub(super) struct Lines(String);

impl Lines {
    pub fn new() -> Self {
        Self(String::new())
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Writes a number or a word of this crate.
    pub fn put(&mut self, name: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _infallible = write!(self.0, "{name}: {value}\r\n");
    }

    /// Writes a value from the web.
    pub fn text(&mut self, name: &str, value: &str) {
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
        self.optional("page-type", page.page_type.as_deref());
        if let Some(rendering) = &page.rendering {
            self.put("rendering", shown_rendering(rendering));
        }
        if page.logged_in {
            self.put("logged-in", 1);
        }
        if page.is_incomplete {
            self.put("incomplete", 1);
        }
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

/// The lines for a rebuild in the `warcinfo` of a file: the start of the crawl, and the scheme of its verdicts.
pub(crate) fn crawl_fields(started_at: u64, decided_by: &DecidedBy) -> String {
    let mut lines = Lines::new();
    lines.put("crawl-started-ms", started_at);
    lines.text("crawl-scheme", &decided_by.scheme);
    if let Some(at) = decided_by.redecided_at {
        lines.put("crawl-decided-anew-ms", at);
    }
    lines.0
}
