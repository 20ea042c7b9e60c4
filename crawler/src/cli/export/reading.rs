//! What an export has of a page besides its text: the archived body is read again, so that a crawl does not pay for it.

use config::settings::Settings;
use error::RunError;
use export::{ExportedPage, Group, Metadata};
use page::{MarkdownOptions, Options};
use storage::{PageRecord, StorageError, Store};
use study::archived::ArchivedBody;

/// Reads the bodies of pages for the groups of fields that an export asks for.
pub(super) struct Reading<'a> {
    store: &'a Store,
    /// With the rules of `[[extract]]`, by which the crawl has found the texts.
    settings: Settings,
    groups: &'a [Group],
    /// Whether a filter needs the metadata, which the groups may leave out.
    selects_by_metadata: bool,
}

impl<'a> Reading<'a> {
    pub fn new(store: &'a Store, settings: Settings, groups: &'a [Group], selects_by_metadata: bool) -> Self {
        Self {
            store,
            settings,
            groups,
            selects_by_metadata,
        }
    }

    pub fn store(&self) -> &'a Store {
        self.store
    }

    /// Adds to the page what its body says. A page without an archived body stays as it is. The inner error concerns only this page.
    pub fn add(&self, record: &PageRecord, page: &mut ExportedPage) -> Result<Result<(), StorageError>, RunError> {
        if self.groups.is_empty() && !self.selects_by_metadata {
            return Ok(Ok(()));
        }
        let body = match ArchivedBody::of(self.store, record) {
            Ok(Some(body)) => body,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return super::of_this_page(error).map(Err),
        };
        let wants_metadata = self.selects_by_metadata || self.groups.contains(&Group::Metadata);
        let said = if self.groups.contains(&Group::Markdown) {
            let (markdown, said) = self.markdown(&body, page.text.as_deref(), wants_metadata);
            page.markdown = markdown;
            said
        } else {
            body.metadata()
        };
        page.metadata = said.map(metadata).unwrap_or_default();
        Ok(Ok(()))
    }

    /// The main text of a body as Markdown, and from the same parse what the page says about itself, if that is wanted. There is no Markdown if
    /// its text is not the one that the crawl has stored: the stored text comes from the rendered page, or from a reading by other rules.
    fn markdown(
        &self,
        body: &ArchivedBody,
        stored: Option<&str>,
        wants_metadata: bool,
    ) -> (Option<String>, Option<page::Metadata>) {
        let options = Options {
            markdown: Some(MarkdownOptions::default()),
            metadata: wants_metadata.then(|| body.fetched()),
            ..self.settings.reading(&body.url)
        };
        let Some(page) = body.read(&options) else {
            return (None, None);
        };
        let markdown = page.markdown.filter(|_| stored == Some(page.text.as_str()));
        (markdown, page.said)
    }
}

/// What a page says about itself, with its sources left out.
fn metadata(said: page::Metadata) -> Metadata {
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
