//! A page that a verdict or the index names: of this folder, or of another worker of a fleet.
//!
//! A worker's folder has the URL and the signature of every page that the fleet keeps. The texts and titles of those pages lie in the
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
            }));
        };
        let record = store.pages_elsewhere().page(number)?;
        let (url, signature) = record.map_or((format!("{page} of the fleet"), None), |record| {
            (record.url, Some(record.signature))
        });
        Ok(Some(Self {
            url,
            title: String::new(),
            worker: Some(page.worker),
            signature,
        }))
    }

    /// Its URL; `None` if this folder does not have it.
    pub fn into_url(self) -> Option<String> {
        self.signature.map(|_| self.url)
    }
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
