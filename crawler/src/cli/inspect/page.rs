//! `crawler inspect page`

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::SystemTime;

use ::page::sniff::is_binary;
use ::page::{ExtractRule, InvalidSelector, MarkdownOptions, NotAPage, Truncation, declared_media_type};
use ::url::Url;
use ::web::canonicalize::canonicalize;
use ::web::fetch::Response;
use ::web::host_key::HostKey;
use bytes::Bytes;
use dedup::{About, Analyzer, Signature, Subject};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use super::answer::{Extract, HtmlRedirect, Link, PageAnswer, Robots, Unread, WallAnswer};
use super::source::{self, Source};
use super::web::{Web, decoded_body};
use super::{page_text, settings, shown};
use crate::cli::arguments::{InspectFormat, InspectPageArgs, InspectPageFormat};
use crate::cli::error::{Error, UsageError};
use crate::cli::output::Output;
use config::settings::{ExtractRules, Settings};
use crawl::canonical;
use error::RunError;
use files::{DEFAULT_MAX_DOCUMENT_BYTES, Format, PLACEHOLDER, main_part, unpacked};
use study::said::Said;
use terminal::commands::command;
use terminal::tell::tell;

pub(super) fn execute(args: &InspectPageArgs) -> Result<(), Error> {
    let base = base(args)?;
    let mut settings = settings(&args.fetching)?;
    if let Some(rule) = rule(args)? {
        settings.extract = ExtractRules::of_all_pages("the command line", rule);
    }
    let mut inspector = Inspector {
        analyzer: Analyzer::new(&settings.scheme),
        settings,
        ignore_robots: args.ignore_robots,
        markdown: Some(MarkdownOptions::default()),
        web: None,
    };
    let mut output = Output::open(None)?;
    let (mut faults, mut output_is_begun) = (0, false);
    for argument in &args.pages {
        let answer = match inspector.find(argument, base.as_ref())? {
            Ok(page) => shown_page(&page, args.format, output_is_begun),
            Err(unread) => {
                faults += 1;
                shown_fault(&unread, args.format)
            }
        };
        let answer = answer?;
        output_is_begun |= !answer.is_empty();
        output.write(answer)?;
        // The next page may take long.
        output.flush()?;
    }
    output.finish()?;
    Error::of_faults(faults)
}

fn shown_page(page: &PageAnswer, format: InspectPageFormat, is_next: bool) -> Result<String, RunError> {
    let text = || page_text::page(page);
    match format {
        InspectPageFormat::Text => shown(page, InspectFormat::Text, text),
        InspectPageFormat::Json | InspectPageFormat::Jsonl => shown(page, InspectFormat::Json, text),
        InspectPageFormat::Markdown => {
            let between = if is_next { "\n---\n\n" } else { "" };
            let markdown = page.markdown.as_deref().filter(|markdown| !markdown.is_empty());
            Ok(markdown.map_or_else(String::new, |markdown| between.to_owned() + &without_controls(markdown)))
        }
    }
}

/// A terminal would obey the control characters of a page.
fn without_controls(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// A page that cannot be read has no Markdown: a message says so.
fn shown_fault(unread: &Unread, format: InspectPageFormat) -> Result<String, RunError> {
    let text = || page_text::unread(unread);
    match format {
        InspectPageFormat::Text => shown(unread, InspectFormat::Text, text),
        InspectPageFormat::Json | InspectPageFormat::Jsonl => shown(unread, InspectFormat::Json, text),
        InspectPageFormat::Markdown => {
            tell(text().trim_end());
            Ok(String::new())
        }
    }
}

/// Reads one page like a crawl with these settings; `url` is the URL of a page from a file.
///
/// # Errors
/// `url` is invalid, or the HTTP client cannot be set up. A page that cannot be read is no error but an answer.
pub(in crate::cli) fn read_one(
    argument: &Path,
    url: Option<&str>,
    settings: &Settings,
    ignore_robots: bool,
) -> Result<Result<PageAnswer, Unread>, Error> {
    let base = url.map(absolute).transpose()?;
    let mut inspector = Inspector {
        analyzer: Analyzer::new(&settings.scheme),
        settings: settings.clone(),
        ignore_robots,
        markdown: None,
        web: None,
    };
    Ok(inspector.find(argument, base.as_ref())?)
}

/// The rule of `--content` and `--drop`.
fn rule(args: &InspectPageArgs) -> Result<Option<ExtractRule>, UsageError> {
    let unusable = |flag: &str, selector: &str, error: InvalidSelector| {
        UsageError::Argument(format!("{flag} {selector:?}: {error}"))
    };
    let mut rule = ExtractRule::new();
    for selector in &args.content {
        rule.content(selector)
            .map_err(|error| unusable("--content", selector, error))?;
    }
    for selector in &args.drop {
        rule.drop(selector)
            .map_err(|error| unusable("--drop", selector, error))?;
    }
    let is_given = !args.content.is_empty() || !args.drop.is_empty();
    Ok(is_given.then_some(rule))
}

fn base(args: &InspectPageArgs) -> Result<Option<Url>, UsageError> {
    let Some(text) = &args.url else { return Ok(None) };
    if args.pages.len() > 1 {
        let message = "--url applies to a single page; give only one page, or omit --url";
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

/// A body with its URL, status and headers.
struct Found {
    /// `None` for a file without a given URL.
    url: Option<Url>,
    status: Option<u16>,
    /// For a file, the media type of its name or content.
    headers: HeaderMap,
    body: Bytes,
}

/// Reads pages. Sets up the HTTP client when it fetches the first page.
struct Inspector {
    settings: Settings,
    analyzer: Analyzer,
    ignore_robots: bool,
    /// Whether the answers have Markdown, and of which kind; only those with Markdown have what a page says about itself.
    markdown: Option<MarkdownOptions>,
    web: Option<Web>,
}

impl Inspector {
    fn find(&mut self, argument: &Path, base: Option<&Url>) -> Result<Result<PageAnswer, Unread>, RunError> {
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
            if !response.has_content() {
                return Err(format!("HTTP status {}: no content", response.status));
            }
            if response.body.is_none() {
                let media_type = declared_media_type(&response.headers).unwrap_or_default();
                return Err(format!("{}: not a page", NotAPage::MediaType(media_type)));
            }
            let body = decoded_body(&response, limit).map_err(|error| error.to_string())?;
            let Response { status, headers, .. } = response;
            Ok(Found {
                url: Some(url),
                status: Some(status),
                headers,
                body,
            })
        }))
    }

    fn read(&self, source: &str, found: Found) -> Result<PageAnswer, String> {
        let placeholder = || Url::parse(PLACEHOLDER).map_err(|error| error.to_string());
        let url = found.url.clone().map_or_else(placeholder, Ok)?;
        let options = ::page::Options {
            markdown: self.markdown,
            metadata: self.markdown.map(|_| SystemTime::now()),
            ..self.settings.reading(&url)
        };
        // As in a crawl, a panic of the parser concerns only this page.
        let read = || ::page::read(&found.body, &found.headers, &url, &options);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(page) => page
                .map(|page| self.answer(source, &url, found, page))
                .map_err(|error| error.to_string()),
            Err(_panic) => Err("the parser panicked; please report this page".into()),
        }
    }

    fn wall(&self, url: &Url, found: &Found, page: &::page::Page) -> Option<::page::Wall> {
        let answer = ::page::Answer {
            url,
            headers: &found.headers,
            body: &found.body,
        };
        self.settings.walls.then(|| ::page::wall(&answer, page)).flatten()
    }

    fn answer(&self, source: &str, url: &Url, found: Found, page: ::page::Page) -> PageAnswer {
        let rules = &self.settings.canonicalize;
        let host = found.url.as_ref().and_then(HostKey::from_url);
        let about = About {
            group: host.as_ref().map_or("", HostKey::as_str),
            heading: &page.telling_heading(),
        };
        let signature = Signature {
            metadata: self.analyzer.metadata(page.metadata()),
            subject: Subject::new(about, &page.text),
            ..self.analyzer.analyze(&page.text)
        };
        let in_canonical_form = |url: &Url| canonicalize(url, rules).ok().map(String::from);
        PageAnswer {
            source: source.to_owned(),
            status: found.status,
            media_type: declared_media_type(&found.headers),
            charset: page.encoding,
            charset_source: page.encoding_source.name(),
            charset_errors: page.had_encoding_errors,
            language: page.language(),
            page_type: page.page_type.name(),
            document: page.kind.map(::page::documents::Kind::name),
            pages: page.pages,
            canonical: canonical::named(&page.canonical, url, rules),
            canonical_url: found.url.as_ref().and_then(in_canonical_form),
            robots: Robots::of(page.robots),
            fingerprint: signature.fingerprint.map(|fingerprint| fingerprint.to_string()),
            digest: signature.digest.map(|digest| format!("{:032x}", digest.0)),
            similarity: similarity(&signature),
            word_count: signature.tokens,
            min_words: self.analyzer.scheme().min_words,
            soft_404: page.is_soft_404(),
            wall: self.wall(url, &found, &page).map(WallAnswer::from),
            redirect: page.redirect.map(HtmlRedirect::from),
            truncated: page.truncated.map(Truncation::name),
            outlinks: [page.outlinks, page.embedded, page.header_outlinks]
                .into_iter()
                .flatten()
                .map(Link::from)
                .collect(),
            extract: page
                .rule_effect
                .zip(self.settings.extract.of_page(url))
                .map(|(effect, named)| Extract {
                    rule: named.name.clone(),
                    effect,
                }),
            missing_parts: page.missing_parts,
            metadata: page.said.map(Said),
            title: page.title,
            text: page.text,
            markdown: page.markdown,
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
    let format = Format::of_content(&body, path)?;
    if format.is_collection() {
        return Err(format!(
            "it holds many documents: {} reads each of them",
            command("dedup", &[])
        ));
    }
    if format.is_text() && is_binary(&body) {
        return Err("it is neither HTML nor text, nor a document of a known kind".into());
    }
    let (body, content_type, url) = match format {
        Format::Mime => {
            let part = main_part(&body)?;
            (part.bytes, part.content_type, part.url)
        }
        format => (body, format.media_type().to_owned(), None),
    };
    let url = url.and_then(|url| absolute(&url).ok());
    Ok(Found {
        url: base.cloned().or(url),
        status: None,
        headers: HeaderMap::from_iter(
            HeaderValue::from_str(&content_type)
                .ok()
                .map(|value| (CONTENT_TYPE, value)),
        ),
        body: body.into(),
    })
}

/// The measure that confirms near-duplicates of a text.
fn similarity(signature: &Signature) -> &'static str {
    if signature.sketch.is_some() {
        "sketch"
    } else if signature.digest.is_some() {
        "short"
    } else {
        "none"
    }
}
