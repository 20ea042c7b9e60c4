//! Decodes the lines of a block.

use data_encoding::BASE64;

use super::value::{read_rendering, read_verdict, unescape};
use super::{DecidedBy, Event, Metadata, Records};
use crate::frontier::{Discovered, Validators, Via};
use crate::page::{Fate, PageRecord, Replaced, Verdict};
use crate::revisits::Visit;
use crate::warc::record::{Record, read_digest};
use crate::worker::Worker;

/// Decodes a `metadata` record of this crate.
///
/// # Errors
/// The name of the line that is missing or cannot be read.
pub(crate) fn decode(record: &Record) -> Result<Metadata, String> {
    let block = std::str::from_utf8(&record.block).map_err(|_| "it is not UTF-8".to_owned())?;
    let fields = Fields::of(block);
    let event = fields.event()?;
    let outlinks = fields.lines.iter().filter(|(name, _)| *name == "outlink");
    let outlinks = outlinks.map(|(_, value)| read_outlink(value).ok_or_else(|| bad("outlink")));
    Ok(Metadata {
        records: match event {
            Event::Page { .. } => fields.records(),
            _ => Records::default(),
        },
        event,
        outlinks: outlinks.collect::<Result<_, _>>()?,
    })
}

/// More commits than any crawl makes: a higher number is damage, and could not be counted on from.
const MAX_COMMIT: u64 = u64::MAX / 2;

/// The number of the commit in a metadata record of this crate.
pub fn commit_of(record: &Record) -> Option<u64> {
    if record.kind() != "metadata" {
        return None;
    }
    let block = std::str::from_utf8(&record.block).ok()?;
    let fields = Fields::of(block);
    fields
        .optional_number("commit")
        .ok()?
        .filter(|commit| *commit <= MAX_COMMIT)
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
pub(super) struct Fields<'a> {
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Fields<'a> {
    pub fn of(block: &'a str) -> Self {
        Self {
            lines: block.split("\r\n").filter_map(|line| line.split_once(": ")).collect(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.lines
            .iter()
            .find(|(have, _)| *have == name)
            .map(|(_, value)| *value)
    }

    fn required(&self, name: &str) -> Result<&'a str, String> {
        self.get(name).ok_or_else(|| bad(name))
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        self.required(name)?.parse().map_err(|_| bad(name))
    }

    fn optional_number(&self, name: &str) -> Result<Option<u64>, String> {
        self.get(name)
            .map(|value| value.parse().map_err(|_| bad(name)))
            .transpose()
    }

    pub fn text(&self, name: &str) -> Result<Option<String>, String> {
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

    fn records(&self) -> Records {
        let mut records = Records::default();
        for (_, kind) in self.lines.iter().filter(|(name, _)| *name == "archived") {
            match *kind {
                "response" => records.response = true,
                "conversion" => records.text = true,
                "revisit" => records.revisit = true,
                _ => {}
            }
        }
        records
    }

    fn event(&self) -> Result<Event, String> {
        match self.required("event")? {
            "page" => self.page(),
            "unchanged" => self.visit(Visit::Unchanged),
            "missing" => self.visit(Visit::Missing),
            "unanswered" => self.visit(Visit::Unanswered),
            "moved" => self.departure(),
            "yielded" => Ok(Event::Yielded {
                page: self.number("page")?,
                verdict: self.verdict("verdict")?,
            }),
            other => Err(format!("its event {other:?} is not known")),
        }
    }

    fn visit(&self, visit: Visit) -> Result<Event, String> {
        Ok(Event::Visited {
            page: self.number("page")?,
            visit,
            at: self.number("visited-at")?,
            wire_bytes: self.number("wire-bytes")?,
            status: self.number("status")?,
        })
    }

    fn departure(&self) -> Result<Event, String> {
        let page = self.number("page")?;
        Ok(match self.text("to")? {
            Some(to) => Event::Redirected {
                page,
                to,
                status: self.number("status")?,
            },
            None => Event::Excluded {
                page,
                reason: self.required_text("excluded")?,
            },
        })
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
            None => self.text("via")?.map(|url| Via::Url(url.into())),
        };
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
            payload_digest: read_digest(self.required("payload-digest")?).ok_or_else(|| bad("payload-digest"))?,
            previous: self.optional_number("previous")?,
            fate: Fate::Current,
            response: None,
            text: None,
            revisit: None,
            page_type: self.text("page-type")?,
            rendering: match self.get("rendering") {
                Some(value) => Some(read_rendering(value).ok_or_else(|| bad("rendering"))?),
                None => None,
            },
            logged_in: self.optional_number("logged-in")?.is_some(),
            is_incomplete: self.optional_number("incomplete")?.is_some(),
        };
        Ok(Event::Page {
            sequence: self.number("page")?,
            page: Box::new(page),
            replaced,
        })
    }
}

/// What the `warcinfo` at the head of a file says about the crawl.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// Start of the crawl, milliseconds since the Unix epoch.
    pub started_at: Option<u64>,
    /// The scheme of the verdicts.
    pub decided_by: Option<DecidedBy>,
    /// The worker that wrote the file.
    pub worker: Worker,
}

/// Reads the lines that [`crawl_fields`](super::crawl_fields) wrote, and those of a [`Worker`].
pub(crate) fn read_head(record: &Record) -> Head {
    let block = String::from_utf8_lossy(&record.block);
    let fields = Fields::of(&block);
    let scheme = fields.text("crawl-scheme").unwrap_or_default();
    let redecided_at = fields.optional_number("crawl-decided-anew-ms").unwrap_or_default();
    Head {
        started_at: fields.optional_number("crawl-started-ms").unwrap_or_default(),
        decided_by: scheme.map(|scheme| DecidedBy { scheme, redecided_at }),
        worker: Worker {
            number: fields.number(Worker::NUMBER_FIELD).unwrap_or_default(),
            crawl: fields.get(Worker::CRAWL_FIELD).unwrap_or_default().to_owned(),
        },
    }
}
