//! Reads a page: from a response to text, signature and outlinks.

use bytes::Bytes;
use dedup::{About, Digest, Subject};
use page::{HtmlRedirect, Outlink, Page, RobotsDirectives};
use reqwest::header::{ETAG, HeaderMap, LAST_MODIFIED};
use storage::{Discovered, Outcome, PageDraft, QueuedUrl, Validators, Verdict, stored_text};
use url::Url;
use web::fetch::{FetchError, Response};

use super::redirect::Redirection;
use super::rendered::{Fetched, Reading};
use super::{Interpreter, PRIORITY_LINK, excluded, failed, missing};
use crate::canonical;
use crate::clock::unix_millis;
use crate::exchange::{Exchange, Prepared};
use crate::index::encode_signature;
use crate::messages::{Meaning, ReadPage, Record, UndecidedPage};
use crate::revisits;
use crate::scope::LISTED;
use config::Duplicates;

/// Bound on the bytes of an `ETag` or `Last-Modified` that is kept.
const MAX_VALIDATOR_BYTES: usize = 256;

/// A book without one of its chapters is read, but its text is not whole.
fn warn_of_missing_parts(url: &Url, page: &Page) {
    if let Some(parts) = page::missing_in_words(&page.missing_parts) {
        tracing::warn!(%url, parts, "the document lacks parts that it names; the others are read");
    }
}

impl Interpreter {
    pub(super) fn read(&self, queued: QueuedUrl, url: &Url, response: Response, body: Bytes) -> Meaning {
        let read = page::read(&body, &response.headers, url, &self.settings.reading(url));
        self.note_document(&queued, &read);
        let record = match read.inspect(|page| warn_of_missing_parts(url, page)) {
            Ok(page) => return self.page_or_wall(queued, url, response, body, page),
            Err(page::NotAPage::TooLong { .. }) => {
                let limit = self.settings.fetch.max_body_bytes;
                self.failed_fetch(queued, &FetchError::BodyTooLarge { limit })
            }
            Err(page::NotAPage::Document { fault, .. })
                if !matches!(fault, page::documents::Fault::WithoutText { .. }) =>
            {
                failed(queued, fault.kind(), Some(response.status), fault.to_string())
            }
            Err(error) => self.no_page(queued, url, &response, stored_text(&error.to_string())),
        };
        Meaning::Record(record)
    }

    /// The meaning of a page that was read without a browser. A wall comes before everything else that it says, such as a redirect.
    fn page_or_wall(&self, queued: QueuedUrl, url: &Url, response: Response, body: Bytes, mut page: Page) -> Meaning {
        let wall = self.wall(url, &response.headers, &body, &page);
        if let Some(wall) = wall.as_ref().filter(|wall| !wall.kind.may_yield_to_scripts()) {
            return self.blocked(queued, wall, &response, page);
        }
        if let Some(redirect) = page.redirect.take().filter(|_| wall.is_none()) {
            return self.redirect_in_html(queued, url, redirect, page, &response);
        }
        let fetched = Fetched {
            queued: &queued,
            url,
            response: &response,
            body: &body,
        };
        match (self.wants_browser(&fetched, &page), wall) {
            (Some(wanted), _) => Meaning::Render(Box::new(wanted.job(queued, url, response, body, page))),
            (None, Some(wall)) => self.blocked(queued, &wall, &response, page),
            (None, None) => Meaning::Record(self.page_record(queued, url, response, body, Reading::plain(page))),
        }
    }

    /// The meaning of a page that has left the browser: a page, or a wall that did not yield to scripts.
    pub(super) fn rendered_or_wall(
        &self,
        queued: QueuedUrl,
        url: &Url,
        response: Response,
        body: Bytes,
        reading: Reading,
    ) -> Meaning {
        // The header speaks of the page before its scripts ran.
        let wall = match &reading.html {
            Some(html) => self.wall(url, &HeaderMap::new(), html.as_bytes(), &reading.page),
            None => self.wall(url, &response.headers, &body, &reading.page),
        };
        match wall {
            Some(wall) => self.blocked(queued, &wall, &response, reading.page),
            None => Meaning::Record(self.page_record(queued, url, response, body, reading)),
        }
    }

    /// Notes what the document cost, if the page is one.
    fn note_document(&self, queued: &QueuedUrl, read: &Result<Page, page::NotAPage>) {
        match read {
            Ok(page) if page.kind.is_some_and(page::documents::Kind::is_dangerous) => {
                self.costly_documents.note(&queued.host, None)
            }
            Err(page::NotAPage::Document { fault, .. }) => self.costly_documents.note(&queued.host, Some(fault)),
            // Only a child process that reads a document costs more than the reading of a page.
            _ => {}
        }
    }

    /// The meaning of a page that consists of a redirect. Nothing of the page is stored, so `noindex` changes nothing. `nofollow`
    /// forbids the target as it forbids the other links.
    fn redirect_in_html(
        &self,
        queued: QueuedUrl,
        url: &Url,
        redirect: HtmlRedirect,
        page: Page,
        response: &Response,
    ) -> Meaning {
        tracing::debug!(url = %queued.url, to = %redirect.url, kind = redirect.kind.name(), "redirect in HTML");
        let robots = page.robots.all();
        let links = page.outlinks.into_iter().chain(page.header_outlinks);
        let others = links.filter(|link| link.url != redirect.url);
        let others = self.outlinks(others, robots, &queued);
        let redirection = Redirection::of_html(redirect, !robots.nofollow, others);
        self.redirect(queued, url, redirection, response)
    }

    fn page_record(
        &self,
        queued: QueuedUrl,
        url: &Url,
        mut response: Response,
        body: Bytes,
        reading: Reading,
    ) -> Record {
        let Reading {
            mut page,
            html,
            rendering,
            is_incomplete,
        } = reading;
        self.walls.note_page(&queued.host);
        let robots = page.robots.all();
        let metadata = self.analyzer.metadata(page.metadata());
        let heading = page.telling_heading();
        let notice = self.notice(
            url,
            &response.headers,
            html.as_deref().map_or(&body, str::as_bytes),
            &page,
        );
        let links = std::mem::take(&mut page.outlinks);
        let others = std::mem::take(&mut page.embedded);
        let in_header = std::mem::take(&mut page.header_outlinks);
        let outlinks = self.outlinks(links.into_iter().chain(others).chain(in_header), robots, &queued);
        if let Some(reason) = robots.why_not_stored(response.fetched_at) {
            return excluded(queued, reason.into(), outlinks);
        }
        if page.is_soft_404() {
            return soft_404(queued, &response, &page.title, outlinks);
        }
        let content_type = response.header(&reqwest::header::CONTENT_TYPE).unwrap_or_default();
        let about = About {
            group: &queued.host,
            heading: &heading,
        };
        let signature = dedup::Signature {
            metadata,
            subject: Subject::new(about, &page.text),
            ..self.analyzer.analyze(&page.text)
        };
        // Here, because the recorder has only one thread.
        let (signature_row, unencoded) = match encode_signature(&signature) {
            Ok(row) => (row, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let draft = PageDraft {
            fetched_at: unix_millis(response.fetched_at),
            status: response.status,
            content_type: stored_text(content_type),
            encoding: page.encoding.to_owned(),
            body_bytes: body.len() as u64,
            wire_bytes: response.wire_bytes,
            text_chars: page.text.chars().count() as u64,
            language: page.language(),
            page_type: Some(page.page_type.name().to_owned()),
            rendering,
            verdict: Verdict::Unique,
            signature: signature_row,
            elapsed_ms: u32::try_from(response.elapsed.as_millis()).unwrap_or(u32::MAX),
            canonical: canonical::named(&page.canonical, url, &self.settings.canonicalize),
            replaces: None,
            // That the response has not changed says nothing about a page that needs its scripts, or that was given up.
            validators: if html.is_some() || is_incomplete {
                Validators::default()
            } else {
                validators(&response)
            },
            payload_digest: storage::warc::payload_digest(&body),
            logged_in: response.logged_in,
            is_incomplete,
            title: page.title,
        };
        response.body = None;
        let exchange = Exchange {
            queued: &queued,
            draft: &draft,
            response: &response,
            rendered: html.as_deref(),
            text: &page.text,
            request: Some(&self.requests.head(url, revisits::conditions(&queued, url))),
        };
        // The recorder has no rendered page, so it could not make the records of one.
        let is_probably_duplicate = html.is_none() && self.is_probably_duplicate(&queued, &draft, &signature);
        let compression = self.settings.storage.compression;
        let prepared = match unencoded {
            None => Prepared::new(&exchange, body, is_probably_duplicate, compression),
            Some(error) => Err(error),
        };
        Record::Page(Box::new(ReadPage {
            page: UndecidedPage {
                queued,
                asked: url.clone(),
                draft,
                signature,
                text: page.text,
                response,
                outlinks,
                notice: notice.filter(|_| !is_incomplete),
            },
            prepared,
        }))
    }

    /// Whether the archive will probably not need the body, because the page says nothing new. The body is then not compressed before the
    /// verdict.
    fn is_probably_duplicate(&self, queued: &QueuedUrl, draft: &PageDraft, signature: &dedup::Signature) -> bool {
        let last = queued.revisits.as_ref().and_then(|revisit| revisit.payload_digest);
        let text = signature.digest.map(|text| match self.settings.storage.duplicates {
            Duplicates::Body => Digest(u128::from_le_bytes(
                *draft.payload_digest.first_chunk().unwrap_or(&[0; 16]),
            )),
            Duplicates::Difference | Duplicates::Nothing => text,
        });
        let is_seen = text.is_some_and(|text| self.seen_texts.note(text));
        is_seen || last == Some(draft.payload_digest)
    }

    /// The outlinks in the header of a document that is not a page, or whose body was not read.
    pub(super) fn links_of_header(&self, queued: &QueuedUrl, url: &Url, response: &Response) -> Vec<Discovered> {
        let links = page::header_links(&response.headers, url, self.settings.links.embedded).outlinks;
        self.outlinks(links, self.x_robots_tag(response), queued)
    }

    /// The outlinks of a page that the crawl follows.
    pub(super) fn outlinks(
        &self,
        links: impl IntoIterator<Item = Outlink>,
        robots: RobotsDirectives,
        from: &QueuedUrl,
    ) -> Vec<Discovered> {
        if from.depth == LISTED {
            return Vec::new();
        }
        let follow_nofollow = self.settings.links.follow_nofollow;
        let may_follow = |link: &Outlink| !robots.nofollow && (follow_nofollow || !link.nofollow);
        let (followed, others): (Vec<Outlink>, Vec<Outlink>) = links.into_iter().partition(may_follow);
        self.stats.links_of_nofollow(others.len());
        let depth = from.depth.saturating_add(1);
        self.discover(followed.into_iter().map(|link| link.url), depth, 0, PRIORITY_LINK)
    }

    fn x_robots_tag(&self, response: &Response) -> RobotsDirectives {
        page::x_robots_tag(&response.headers, &self.settings.product)
    }
}

/// The record of a page with the words "not found" and a status of success. A revisit counts as missing and not as
/// excluded, because the page may be back the next time.
fn soft_404(queued: QueuedUrl, response: &Response, title: &str, outlinks: Vec<Discovered>) -> Record {
    if queued.revisits.is_some() {
        return missing(queued, response, Vec::new());
    }
    let detail = format!("status {}, but the page says: {title}", response.status);
    Record::Outcome {
        queued,
        outcome: Outcome::Failed {
            kind: "soft_404".into(),
            status: Some(response.status),
            detail: stored_text(&detail),
        },
        outlinks,
    }
}

/// `ETag` and `Last-Modified` as received. An empty or overlong one is dropped.
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
