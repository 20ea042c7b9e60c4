//! `crawler inspect page`

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ::url::Url;
use dedup::{Analyzer, Signature};
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use super::answer::{Link, Page, Robots, Unread};
use super::source::{self, Source};
use super::web::{Web, decoded_body};
use super::{done, page_text, settings, shown};
use crate::canonicalize::canonicalize;
use crate::cli::InspectPage;
use crate::commands::Output;
use crate::error::{Error, RunError, UsageError};
use crate::fetch::Response;
use crate::inputs::{DEFAULT_MAX_DOCUMENT_BYTES, Format, unpacked};
use crate::interpret::{Content, is_binary, named_canonical, x_robots_tag};
use crate::parse::{Truncation, header_links};
use crate::settings::Settings;
use crate::{content_type, decode, language, soft_404};

/// What the relative links of a file are shown against where nobody says what its URL is. `.invalid` leads nowhere
/// (RFC 6761, section 6.4).
pub(super) const PLACEHOLDER: &str = "http://file.invalid/";

pub(super) fn execute(args: &InspectPage) -> Result<(), Error> {
    let base = base(args)?;
    let settings = settings(&args.fetching)?;
    let mut inspector = Inspector {
        analyzer: Analyzer::new(&settings.scheme),
        settings,
        ignore_robots: args.ignore_robots,
        web: None,
    };
    let mut output = Output::open(None)?;
    let mut faults = 0;
    for argument in &args.pages {
        let answer = match inspector.find(argument, base.as_ref())? {
            Ok(page) => shown(&page, args.format, || page_text::page(&page)),
            Err(unread) => {
                faults += 1;
                shown(&unread, args.format, || page_text::unread(&unread))
            }
        };
        output.write(answer?)?;
        // The next one may take long to come.
        output.flush()?;
    }
    output.finish()?;
    done(faults)
}

/// A single page, read as a crawl by `settings` reads it; `url` says where one from a file is from.
///
/// # Errors
/// What fetches pages cannot be set up. Why there is no page is an answer.
pub(in crate::commands) fn read_one(
    argument: &Path,
    url: Option<&str>,
    settings: &Settings,
    ignore_robots: bool,
) -> Result<Result<Page, Unread>, Error> {
    let base = url.map(absolute).transpose()?;
    let mut inspector = Inspector {
        analyzer: Analyzer::new(&settings.scheme),
        settings: settings.clone(),
        ignore_robots,
        web: None,
    };
    Ok(inspector.find(argument, base.as_ref())?)
}

fn base(args: &InspectPage) -> Result<Option<Url>, UsageError> {
    let Some(text) = &args.url else { return Ok(None) };
    if args.pages.len() > 1 {
        let message = "--url says where a single page is from; give one page, or leave --url out";
        return Err(UsageError::Argument(message.into()));
    }
    absolute(text).map(Some)
}

fn absolute(text: &str) -> Result<Url, UsageError> {
    let unusable = |reason: String| UsageError::Argument(format!("--url {text}: {reason}"));
    let url = Url::parse(text).map_err(|error| unusable(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable("give an absolute http or https URL".into()));
    }
    Ok(url)
}

/// Bytes and what is known of them.
struct Found {
    /// `None` for a file of which nobody says where it is from.
    url: Option<Url>,
    status: Option<u16>,
    headers: HeaderMap,
    /// Of a file what its name says.
    media_type: Option<String>,
    body: bytes::Bytes,
}

/// Reads pages, with what it takes to fetch them set up when the first is to be fetched.
struct Inspector {
    settings: Settings,
    analyzer: Analyzer,
    ignore_robots: bool,
    web: Option<Web>,
}

impl Inspector {
    fn find(&mut self, argument: &Path, base: Option<&Url>) -> Result<Result<Page, Unread>, RunError> {
        let source = argument.display().to_string();
        let unread = |error: String| Unread {
            source: source.clone(),
            url: base.map(Url::to_string),
            error,
        };
        let found = match Source::of(argument) {
            Ok(Source::Web(url)) => self.fetch(&url)?.map(|found| Found {
                url: base.cloned().or(found.url),
                ..found
            }),
            Ok(Source::File(path)) => read_file(Some(path), base),
            Ok(Source::Stdin) => read_file(None, base),
            Err(reason) => Err(reason),
        };
        Ok(found.and_then(|found| self.read(&source, found)).map_err(unread))
    }

    fn fetch(&mut self, url: &Url) -> Result<Result<Found, String>, RunError> {
        let web = match &mut self.web {
            Some(web) => web,
            None => self.web.insert(Web::new(&self.settings)?),
        };
        let limit = self.settings.fetch.max_body_bytes;
        Ok(web.page(url, self.ignore_robots).and_then(|(url, response)| {
            if !response.is_success() {
                return Err(format!("HTTP status {}", response.status));
            }
            let media_type = response.media_type();
            if response.body.is_none() {
                return Err(format!("content type {}: not a page", media_type.unwrap_or_default()));
            }
            let body = decoded_body(&response, limit).map_err(|error| error.to_string())?;
            let Response { status, headers, .. } = response;
            Ok(Found {
                url: Some(url),
                status: Some(status),
                headers,
                media_type,
                body,
            })
        }))
    }

    fn read(&self, source: &str, found: Found) -> Result<Page, String> {
        if found.media_type.is_none() && is_binary(&found.body) && !is_utf16(&found.body) {
            return Err("it is neither HTML nor text".into());
        }
        // As in a crawl, a parser's panic costs the page and not the run.
        let page = catch_unwind(AssertUnwindSafe(|| self.page(source, found)));
        page.map_err(|_| "a parser panicked on it; please report it".into())
    }

    /// The way of a page through the crawl, as far as it depends on nothing but the page.
    fn page(&self, source: &str, found: Found) -> Page {
        let header = found.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let decoded = decode::decode(&found.body, header.and_then(content_type::charset));
        let is_fetched = found.status.is_some();
        let media_type = found.media_type.or_else(|| {
            // A response of no type is taken for a page, as in a crawl; a file without a telling name is one if it begins so.
            let is_html = decoded.text.trim_start().starts_with('<');
            (!is_fetched).then(|| if is_html { "text/html" } else { "text/plain" }.to_owned())
        });
        let base = found.url.clone().or_else(|| Url::parse(PLACEHOLDER).ok());
        let mut content = if media_type.as_deref() == Some("text/plain") {
            Content::of_text(&decoded.text)
        } else {
            match &base {
                Some(base) => Content::of_html(&decoded.text, base, &self.settings, &self.analyzer),
                None => Content::of_text(&decoded.text),
            }
        };
        let header = base.map(|base| header_links(&found.headers, &base)).unwrap_or_default();
        let in_header = (header.canonical, header.canonical_conflict);
        let named = named_canonical([&content.canonical, &in_header], &self.settings.canonicalize);
        let canonical = named.map(Url::to_string);
        content.links.extend(header.outlinks);
        let signature = Signature {
            metadata: content.metadata,
            ..self.analyzer.analyze(&content.text)
        };
        let in_canonical_form = |url: &Url| canonicalize(url, &self.settings.canonicalize).ok().map(String::from);
        Page {
            source: source.to_owned(),
            status: found.status,
            media_type,
            charset: decoded.encoding,
            charset_source: decoded.source.name(),
            charset_errors: decoded.had_errors,
            language: language::detect(&content.text, content.lang.as_deref()),
            canonical,
            canonical_url: found.url.as_ref().and_then(in_canonical_form),
            robots: Robots::of(content.robots, x_robots_tag(&found.headers, &self.settings.product)),
            fingerprint: signature.fingerprint.map(|fingerprint| fingerprint.to_string()),
            digest: signature.digest.map(|digest| format!("{:032x}", digest.0)),
            similarity: similarity(&signature),
            word_count: signature.tokens,
            soft_404: soft_404::is_soft_404(&content.title, content.heading.as_deref(), &content.text),
            truncated: content.truncated.map(Truncation::name),
            outlinks: content.links.into_iter().map(Link::from).collect(),
            title: content.title,
            text: content.text,
            url: found.url.map(String::from),
            signature,
        }
    }
}

fn read_file(path: Option<&Path>, base: Option<&Url>) -> Result<Found, String> {
    let limit = DEFAULT_MAX_DOCUMENT_BYTES;
    let body = source::open(path).and_then(unpacked);
    let body = body.and_then(|input| source::read(input, limit));
    let body = body.map_err(|error| format!("cannot be read: {error}"))?;
    if body.len() > limit {
        return Err(format!("longer than {limit} bytes"));
    }
    let media_type = match path.and_then(Format::of_name) {
        Some(Format::Html) => Some("text/html".to_owned()),
        Some(Format::Text) => Some("text/plain".to_owned()),
        _ => None,
    };
    Ok(Found {
        url: base.cloned(),
        status: None,
        headers: HeaderMap::new(),
        media_type,
        body: body.into(),
    })
}

/// UTF-16 without a mark has zero bytes, and yet is text.
fn is_utf16(body: &[u8]) -> bool {
    decode::decode(&body[..body.len().min(1_024)], None)
        .encoding
        .starts_with("UTF-16")
}

/// What near-duplicates of a text are confirmed by.
fn similarity(signature: &Signature) -> &'static str {
    if signature.sketch.is_some() {
        "sketch"
    } else if signature.digest.is_some() {
        "short"
    } else {
        "none"
    }
}
