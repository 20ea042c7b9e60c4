//! A page: from bytes to text, signature and links.

use bytes::Bytes;
use dedup::Analyzer;
use reqwest::header::{ETAG, HeaderMap, LAST_MODIFIED};
use storage::{Discovered, Outcome, PageDraft, QueuedUrl, Validators, Verdict};
use url::Url;

use super::{Interpreter, PRIORITY_LINK, missing};
use crate::content_seen::Record;
use crate::fetch::{FetchError, Response};
use crate::parse::{Outlink, RobotsDirectives, Truncation};
use crate::settings::Settings;
use crate::site::site;
use crate::stored_text::stored_text;
use crate::{canonicalize, decode, extract, language, parse, soft_404};

/// The longest `ETag` or `Last-Modified` that is kept.
const MAX_VALIDATOR_BYTES: usize = 256;

/// A page that has been read and waits for its verdict.
#[derive(Debug)]
pub struct ReadPage {
    /// Its row in the frontier.
    pub queued: QueuedUrl,
    /// The URL that was asked: another spelling of the row's, where the server wanted that.
    pub asked: Url,
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
    /// As in [`parse::PageFacts`]: the canonical URL, and whether several are named.
    pub canonical: (Option<Url>, bool),
    /// What is said about the page: its title's words, keywords, the documents that it names.
    pub metadata: Option<dedup::Sketch>,
    pub links: Vec<Outlink>,
    /// Why what comes later in the page was left unread.
    pub truncated: Option<Truncation>,
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
            Content::of_text(&decoded.text)
        } else {
            Content::of_html(&decoded.text, url, &self.settings, &self.analyzer)
        };
        content.robots.combine(self.x_robots_tag(&response));
        let header = parse::header_links(&response.headers, url);
        let canonical = self.canonical(
            url,
            [&content.canonical, &(header.canonical, header.canonical_conflict)],
        );
        content.links.extend(header.outlinks);
        let outlinks = self.outlinks(content.links, content.robots, &queued);
        if let Some(reason) = content.robots.why_not_stored(response.fetched_at) {
            return Record::Outcome {
                queued,
                outcome: Outcome::Excluded { reason: reason.into() },
                outlinks,
            };
        }
        if soft_404::is_soft_404(&content.title, content.heading.as_deref(), &content.text) {
            if queued.revisits.is_some() {
                return missing(queued, &response, Vec::new());
            }
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
            canonical,
            replaces: None,
            validators: validators(&response),
            payload_digest: storage::warc::payload_digest(&body),
        };
        Record::Page(Box::new(ReadPage {
            queued,
            asked: url.clone(),
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

    /// What the header of a document that is no page, or of which no body was read, leads to.
    pub(super) fn links_of_header(&self, queued: &QueuedUrl, url: &Url, response: &Response) -> Vec<Discovered> {
        let links = parse::header_links(&response.headers, url).outlinks;
        self.outlinks(links, self.x_robots_tag(response), queued)
    }

    /// Those of a page's links that are followed.
    fn outlinks(&self, links: Vec<Outlink>, robots: RobotsDirectives, from: &QueuedUrl) -> Vec<Discovered> {
        if robots.nofollow {
            return Vec::new();
        }
        let follow_nofollow = self.settings.links.follow_nofollow;
        let followed = links.into_iter().filter(|link| follow_nofollow || !link.nofollow);
        let depth = from.depth.saturating_add(1);
        self.discover(followed.map(|link| link.url), depth, 0, PRIORITY_LINK)
    }

    /// The canonical URL that a page names, if it is of the page's own site: for another's pages nobody can speak.
    fn canonical(&self, url: &Url, named: [&(Option<Url>, bool); 2]) -> Option<String> {
        let rules = &self.settings.canonicalize;
        let canonical = named_canonical(named, rules).filter(|canonical| site(canonical) == site(url))?;
        canonicalize::canonicalize(canonical, rules).ok().map(String::from)
    }

    fn x_robots_tag(&self, response: &Response) -> RobotsDirectives {
        x_robots_tag(&response.headers, &self.settings.product)
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
        let mut links = facts.outlinks;
        if settings.links.embedded {
            links.extend(parse::embedded(&document, url));
        }
        Self {
            text: extract::main_text(&document).text,
            title: facts.title,
            heading: facts.first_heading,
            lang: facts.lang,
            robots: facts.robots,
            canonical: (facts.canonical, facts.canonical_conflict),
            metadata,
            links,
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

/// The directives of the `X-Robots-Tag` headers.
pub(crate) fn x_robots_tag(headers: &HeaderMap, product: &str) -> RobotsDirectives {
    let mut directives = RobotsDirectives::default();
    for value in headers.get_all("x-robots-tag") {
        directives.add_header(&String::from_utf8_lossy(value.as_bytes()), product);
    }
    directives
}

/// The canonical URL (RFC 6596) that a page names, in its head, in its header or in both, if all that is said is one URL.
pub(crate) fn named_canonical<'a>(named: [&'a (Option<Url>, bool); 2], rules: &canonicalize::Rules) -> Option<&'a Url> {
    if named.iter().any(|(_, conflict)| *conflict) {
        return None;
    }
    let mut all = named.into_iter().filter_map(|(canonical, _)| canonical.as_ref());
    let first = all.next()?;
    let canonical = canonicalize::canonicalize(first, rules).ok()?;
    let mut others = all.filter_map(|other| canonicalize::canonicalize(other, rules).ok());
    others.all(|other| other == canonical).then_some(first)
}

/// `ETag` and `Last-Modified` as received; one that is empty, or too long to be sent back, is left out.
fn validators(response: &Response) -> Validators {
    let field = |name| {
        let value = response
            .header(&name)
            .filter(|value| (1..=MAX_VALIDATOR_BYTES).contains(&value.len()));
        value.map(str::to_owned)
    };
    Validators {
        etag: field(ETAG),
        last_modified: field(LAST_MODIFIED),
    }
}

pub(crate) fn unix_millis(time: std::time::SystemTime) -> u64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
