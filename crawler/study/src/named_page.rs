//! A page that a verdict or the index names: of this folder, or of another worker of a fleet.
//!
//! A worker's folder has the URL and the signature of every page that the fleet keeps. If the workers decide among their own pages, it has the
//! signatures of those to which an own page has yielded, without their URLs. The texts and titles of those pages lie in the
//! folders of their workers, and the folder of `crawler merge` has everything.

use storage::{PageElsewhere, Store};

use error::RunError;

/// A page, as far as this folder has it.
#[derive(Debug, Clone)]
pub struct NamedPage {
    /// Its URL. For a page of another worker whose URL this folder does not have, its number in words.
    pub url: String,
    /// Empty if it has none, and for a page of another worker.
    pub title: String,
    /// The number of the worker whose folder holds the page; `None` for a page of this folder.
    pub worker: Option<u16>,
    /// As the catalogue has it; `None` if this folder does not have it.
    pub signature: Option<Vec<u8>>,
    /// Whether this folder has its URL.
    has_url: bool,
}

impl NamedPage {
    /// The page with this number, which is packed if it is another worker's; `None` if there is no such page.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn find(store: &Store, number: u64) -> Result<Option<Self>, RunError> {
        let Some(page) = PageElsewhere::unpacked(number) else {
            let page = store.page(number)?;
            return Ok(page.map(|page| Self {
                url: page.url,
                title: page.title,
                worker: None,
                signature: Some(page.signature),
                has_url: true,
            }));
        };
        let record = store.pages_elsewhere().page(number)?;
        let (url, signature) = record.map_or((String::new(), None), |record| (record.url, Some(record.signature)));
        let has_url = !url.is_empty();
        Ok(Some(Self {
            url: if has_url { url } else { in_words(page) },
            has_url,
            title: String::new(),
            worker: Some(page.worker),
            signature,
        }))
    }

    /// Its URL; `None` if this folder does not have it.
    pub fn into_url(self) -> Option<String> {
        self.has_url.then_some(self.url)
    }
}

/// A page of another worker whose URL this folder does not have.
pub(crate) fn in_words(page: PageElsewhere) -> String {
    format!("{page} of the fleet")
}

/// The worker whose folder holds the page with this number; `None` for a page of this folder.
pub fn worker_of(number: u64) -> Option<u16> {
    PageElsewhere::unpacked(number).map(|page| page.worker)
}

/// The sequence number of the page in the folder that holds it.
pub(crate) fn sequence_of(number: u64) -> u64 {
    PageElsewhere::unpacked(number).map_or(number, |page| page.sequence)
}

/// Where the text of another worker's page is, and how to get at it.
pub fn text_elsewhere(worker: u16) -> String {
    format!("its text is in the folder of worker {worker} of the fleet; crawler merge makes one folder of all")
}
