//! What an export has of a page besides its text: the archived body is read again, so that a crawl does not pay for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, UNIX_EPOCH};

use config::settings::Settings;
use error::RunError;
use export::{ExportedPage, Group, Metadata};
use page::{MarkdownOptions, Options};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use storage::{PageRecord, StorageError, Store};
use url::Url;

/// Reads the bodies of pages for the groups of fields that an export asks for.
pub(super) struct Reading<'a> {
    store: &'a Store,
    /// With the rules of `[[extract]]`, by which the crawl has found the texts.
    settings: Settings,
    groups: &'a [Group],
}

/// A body with what a reading needs of its response.
struct Body {
    url: Url,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl<'a> Reading<'a> {
    pub fn new(store: &'a Store, settings: Settings, groups: &'a [Group]) -> Self {
        Self {
            store,
            settings,
            groups,
        }
    }

    pub fn store(&self) -> &'a Store {
        self.store
    }

    /// Adds to the page what its body says. A page without an archived body stays as it is. The inner error concerns only this page.
    pub fn add(&self, record: &PageRecord, page: &mut ExportedPage) -> Result<Result<(), StorageError>, RunError> {
        if self.groups.is_empty() {
            return Ok(Ok(()));
        }
        let body = match self.body(record) {
            Ok(Some(body)) => body,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return super::of_this_page(error).map(Err),
        };
        if self.groups.contains(&Group::Markdown) {
            page.markdown = self.markdown(&body, page.text.as_deref());
        }
        if self.groups.contains(&Group::Metadata) {
            page.metadata = metadata(&body, record);
        }
        Ok(Ok(()))
    }

    fn body(&self, page: &PageRecord) -> Result<Option<Body>, StorageError> {
        let (Some(location), Ok(url)) = (page.response, Url::parse(&page.url)) else {
            return Ok(None);
        };
        let record = self.store.archive().record(location)?;
        let content_type = HeaderValue::from_str(&page.content_type).ok();
        Ok(record.http_payload().map(|payload| Body {
            url,
            headers: content_type.map(|value| (CONTENT_TYPE, value)).into_iter().collect(),
            bytes: payload.to_vec(),
        }))
    }

    /// The main text of a body as Markdown. `None` if it is not the text that the crawl has stored: the stored text comes from the rendered page,
    /// or from a reading by other rules.
    fn markdown(&self, body: &Body, stored: Option<&str>) -> Option<String> {
        let options = Options {
            markdown: Some(MarkdownOptions::default()),
            ..self.settings.reading(&body.url)
        };
        let read = || page::read(&body.bytes, &body.headers, &body.url, &options);
        // As in a crawl, a panic of a parser concerns only this page.
        let page = catch_unwind(AssertUnwindSafe(read)).ok()?.ok()?;
        page.markdown.filter(|_| stored == Some(page.text.as_str()))
    }
}

/// What a body says about itself, with its sources left out.
fn metadata(body: &Body, record: &PageRecord) -> Metadata {
    let fetched = UNIX_EPOCH + Duration::from_millis(record.fetched_at);
    let read = || page::metadata(&body.bytes, &body.headers, &body.url, fetched);
    let said = catch_unwind(AssertUnwindSafe(read)).ok().flatten().unwrap_or_default();
    Metadata {
        headline: said.title.map(|said| said.value),
        authors: said.authors.map(|said| said.value).unwrap_or_default(),
        published: said.published.map(|said| said.value),
        modified: said.modified.map(|said| said.value),
        description: said.description.map(|said| said.value),
        site_name: said.site_name.map(|said| said.value),
        tags: said.tags.map(|said| said.value).unwrap_or_default(),
        section: said.section.map(|said| said.value),
        licence: said.licence.map(|said| said.value),
        image: said.image.map(|said| said.value),
        declared_type: said.page_type.map(|said| said.value),
    }
}
