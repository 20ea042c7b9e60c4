//! A page: from bytes to text, signature and links.

use bytes::Bytes;
use dedup::Analyzer;
use reqwest::header::HeaderMap;
use storage::{Discovered, Outcome, PageDraft, QueuedUrl, Verdict};
use url::Url;

use super::{Interpreter, PRIORITY_LINK};
use crate::content_seen::Record;
use crate::fetch::Response;
use crate::parse::{Outlink, RobotsDirectives, Truncation};
use crate::settings::Settings;
use crate::stored_text::stored_text;
use crate::{decode, extract, language, parse, soft_404};

/// A page that has been read and waits for its verdict.
#[derive(Debug)]
pub struct ReadPage {
    /// Its row in the frontier.
    pub queued: QueuedUrl,
    /// What the catalogue will hold; the verdict is still to be set.
    pub draft: PageDraft,
    /// What the verdict goes by.
    pub signature: dedup::Signature,
    /// The extracted text.
    pub text: String,
    /// The response's head, for the archive.
    pub response: Response,
    /// The body without its Content-Encoding.
    pub body: Bytes,
    /// Links that belong to the crawl.
    pub outlinks: Vec<Discovered>,
}

/// What was found in a body: what a crawl goes by, and what `crawler inspect page` shows.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub title: String,
    pub text: String,
    pub heading: Option<String>,
    /// The declared language.
    pub lang: Option<String>,
    pub robots: RobotsDirectives,
    pub canonical: Option<Url>,
    /// What is said about the page: its title's words, keywords, the documents that it names.
    pub metadata: Option<dedup::Sketch>,
    pub links: Vec<Outlink>,
    /// Why what comes later in the page was left unread.
    pub truncated: Option<Truncation>,
}

impl Interpreter {
    pub(super) fn read(&self, queued: QueuedUrl, url: &Url, response: Response, body: Bytes) -> Record {
        let decoded = decode::decode(&body, response.charset());
        let plain = response
            .media_type()
            .is_some_and(|media_type| media_type == "text/plain");
        let mut content = if plain {
            Content::of_text(&decoded.text)
        } else {
            Content::of_html(&decoded.text, url, &self.settings, &self.analyzer)
        };
        let header = x_robots_tag(&response.headers, &self.settings.product);
        if header.nofollow || content.robots.nofollow {
            content.links.clear();
        }
        let outlinks = self.discover(
            content.links.into_iter().map(|link| link.url),
            queued.depth.saturating_add(1),
            0,
            PRIORITY_LINK,
        );
        if header.noindex || content.robots.noindex {
            return Record::Outcome {
                queued,
                outcome: Outcome::Excluded {
                    reason: "noindex".into(),
                },
                outlinks,
            };
        }
        if soft_404::is_soft_404(&content.title, content.heading.as_deref(), &content.text) {
            let detail = format!("status {}, but the page says: {}", response.status, content.title);
            return Record::Outcome {
                queued,
                outcome: Outcome::Failed {
                    kind: "soft_404".into(),
                    status: Some(response.status),
                    detail: stored_text(&detail),
                },
                outlinks,
            };
        }
        let content_type = response.header(&reqwest::header::CONTENT_TYPE).unwrap_or_default();
        let draft = PageDraft {
            title: content.title,
            fetched_at: unix_millis(response.fetched_at),
            status: response.status,
            content_type: stored_text(content_type),
            encoding: decoded.encoding.to_owned(),
            body_bytes: body.len() as u64,
            wire_bytes: response.body.as_ref().map_or(0, |wire| wire.len() as u64),
            text_chars: content.text.chars().count() as u64,
            language: language::detect(&content.text, content.lang.as_deref()),
            verdict: Verdict::Unique,
            signature: Vec::new(),
            elapsed_ms: u32::try_from(response.elapsed.as_millis()).unwrap_or(u32::MAX),
        };
        Record::Page(Box::new(ReadPage {
            queued,
            draft,
            signature: dedup::Signature {
                metadata: content.metadata,
                ..self.analyzer.analyze(&content.text)
            },
            text: content.text,
            response,
            body,
            outlinks,
        }))
    }
}

impl Content {
    /// Reads a page that was fetched from `url`.
    pub(crate) fn of_html(html: &str, url: &Url, settings: &Settings, analyzer: &Analyzer) -> Self {
        let document = parse::parse(html);
        if let Some(truncation) = document.truncated {
            tracing::info!(%url, ?truncation, "page cut short; what came before is used");
        }
        let facts = parse::facts(&document, url, &settings.product);
        let references = facts.outlinks.iter().map(|link| link.url.as_str());
        let keywords = facts.keywords.iter().map(String::as_str);
        let about = facts.title.split_whitespace().chain(keywords).chain(references);
        let metadata = analyzer.metadata(about);
        Self {
            text: extract::main_text(&document).text,
            title: facts.title,
            heading: facts.first_heading,
            lang: facts.lang,
            robots: facts.robots,
            canonical: facts.canonical,
            metadata,
            links: facts.outlinks,
            truncated: document.truncated,
        }
    }

    /// Reads a plain text.
    pub(crate) fn of_text(text: &str) -> Self {
        Self {
            text: text.trim().to_owned(),
            ..Self::default()
        }
    }
}

/// The directives of the `X-Robots-Tag` headers that are for everybody or for `product`: `noindex`, or `bot: noindex`.
pub(crate) fn x_robots_tag(headers: &HeaderMap, product: &str) -> RobotsDirectives {
    let mut directives = RobotsDirectives::default();
    let values = headers.get_all("x-robots-tag").iter();
    for value in values.filter_map(|value| value.to_str().ok()) {
        match value.split_once(':') {
            Some((agent, list)) if agent.trim().eq_ignore_ascii_case(product) => directives.add(list),
            // A colon that ends no agent's name: the directive `unavailable_after: date`.
            Some((before, _)) if before.contains(',') || before.trim() == "unavailable_after" => directives.add(before),
            Some(_) => {}
            None => directives.add(value),
        }
    }
    directives
}

fn unix_millis(time: std::time::SystemTime) -> u64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
