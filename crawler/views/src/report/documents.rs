//! How many pages the crawl has of each kind of document.

use page::content_type::media_type;
use page::documents::Kind;
use serde::Serialize;
use storage::PageRecord;

/// The pages of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentCount {
    /// `html`, or the name of the kind in `scope.documents`.
    pub kind: &'static str,
    /// Pages with a verdict.
    pub fetched: u64,
    /// Pages that say something new.
    pub kept: u64,
}

const HTML: &str = "html";

/// The kind of a page by its content type, as in [`DocumentCount`].
pub(crate) fn kind_of(content_type: &str) -> &'static str {
    let kind = media_type(content_type).and_then(|media_type| Kind::of_media_type(&media_type));
    kind.map_or(HTML, Kind::name)
}

/// Counts pages by kind.
#[derive(Debug, Default)]
pub(super) struct Documents {
    counts: Vec<DocumentCount>,
}

impl Documents {
    pub fn add(&mut self, page: &PageRecord) {
        let kind = kind_of(&page.content_type);
        let at = self
            .counts
            .iter()
            .position(|count| count.kind == kind)
            .unwrap_or_else(|| {
                self.counts.push(DocumentCount {
                    kind,
                    fetched: 0,
                    kept: 0,
                });
                self.counts.len() - 1
            });
        self.counts[at].fetched += 1;
        self.counts[at].kept += u64::from(page.is_kept());
    }

    /// The kinds with pages, the one with most pages first.
    pub fn counts(mut self) -> Vec<DocumentCount> {
        self.counts
            .sort_by_key(|count| (std::cmp::Reverse(count.fetched), count.kind));
        self.counts
    }
}

/// A sentence about the kinds; `None` if all pages are HTML.
pub(super) fn sentence(counts: &[DocumentCount]) -> Option<String> {
    let others: Vec<String> = counts
        .iter()
        .filter(|count| count.kind != HTML)
        .map(|count| format!("{} {} ({} kept)", count.fetched, count.kind, count.kept))
        .collect();
    (!others.is_empty()).then(|| format!("Documents that are not HTML: {}.", others.join(", ")))
}
