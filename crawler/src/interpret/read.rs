//! A page: from bytes to text, signature and links.

use bytes::Bytes;
use storage::{Discovered, Outcome, PageDraft, QueuedUrl, Verdict};
use url::Url;

use super::{Interpreter, PRIORITY_LINK};
use crate::content_seen::Record;
use crate::fetch::{FetchError, Response};
use crate::parse::RobotsDirectives;
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

/// What was found in a body.
struct Content {
    title: String,
    text: String,
    heading: Option<String>,
    lang: Option<String>,
    noindex: bool,
    /// What is said about the page: its title's words, keywords, the documents that it names.
    metadata: Option<dedup::Sketch>,
    links: Vec<Url>,
}

impl Interpreter {
    pub(super) fn read(&self, queued: QueuedUrl, url: &Url, response: Response, body: Bytes) -> Record {
        let decoded = decode::decode(&body, response.charset());
        let limit = self.settings.fetch.max_body_bytes;
        if decoded.text.len() > limit / 2 * 3 {
            return self.failed_fetch(queued, &FetchError::BodyTooLarge { limit });
        }
        let plain = response
            .media_type()
            .is_some_and(|media_type| media_type == "text/plain");
        let mut content = if plain {
            plain_text(&decoded.text)
        } else {
            self.html(&decoded.text, url)
        };
        let header = x_robots_tag(&response, &self.settings.product);
        if header.nofollow {
            content.links.clear();
        }
        content.noindex |= header.noindex;
        let outlinks = self.discover(
            content.links.into_iter(),
            queued.depth.saturating_add(1),
            0,
            PRIORITY_LINK,
        );
        if content.noindex {
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
            wire_bytes: response.wire_bytes,
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

    fn html(&self, html: &str, url: &Url) -> Content {
        let document = parse::parse(html);
        if let Some(truncation) = document.truncated {
            tracing::info!(%url, ?truncation, "page cut short; what came before is used");
        }
        let facts = parse::facts(&document, url, &self.settings.product);
        let references = facts.outlinks.iter().map(|link| link.url.as_str());
        let keywords = facts.keywords.iter().map(String::as_str);
        let about = facts.title.split_whitespace().chain(keywords).chain(references);
        let metadata = self.analyzer.metadata(about);
        let links = if facts.robots.nofollow {
            Vec::new()
        } else {
            facts.outlinks
        };
        Content {
            text: extract::main_text(&document).text,
            title: facts.title,
            heading: facts.first_heading,
            lang: facts.lang,
            noindex: facts.robots.noindex,
            metadata,
            links: links.into_iter().map(|link| link.url).collect(),
        }
    }
}

/// The directives of the `X-Robots-Tag` headers that are for everybody or for `product`: `noindex`, or `bot: noindex`.
fn x_robots_tag(response: &Response, product: &str) -> RobotsDirectives {
    let mut directives = RobotsDirectives::default();
    let values = response.headers.get_all("x-robots-tag").iter();
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

fn plain_text(text: &str) -> Content {
    Content {
        title: String::new(),
        text: text.trim().to_owned(),
        heading: None,
        lang: None,
        noindex: false,
        metadata: None,
        links: Vec::new(),
    }
}

fn unix_millis(time: std::time::SystemTime) -> u64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
