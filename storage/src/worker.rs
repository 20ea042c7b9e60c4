//! The workers of a crawl by several: each has a data folder of its own, and names itself in the head of its WARC files, so that a merge
//! knows whose numbers the files have.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// One worker of a crawl by several. The [`Default`] is the only worker of a crawl, which names itself nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Worker {
    /// From 1; 0 for the only worker of a crawl.
    pub number: u16,
    /// A name that all workers of the crawl have in common, and no others; empty for the only worker of a crawl.
    pub crawl: String,
}

impl Worker {
    /// The field of the number, in decimal.
    pub(crate) const NUMBER_FIELD: &str = "crawler-worker";

    /// The field of the name of the crawl.
    pub(crate) const CRAWL_FIELD: &str = "crawler-fleet";

    /// The fields by which `warcinfo` records name it: see [`OpenOptions::warcinfo`](crate::OpenOptions::warcinfo).
    #[must_use]
    pub fn fields(self) -> Vec<(&'static str, String)> {
        if self.is_one_of_several() {
            vec![
                (Self::NUMBER_FIELD, self.number.to_string()),
                (Self::CRAWL_FIELD, self.crawl),
            ]
        } else {
            Vec::new()
        }
    }

    pub(crate) fn is_one_of_several(&self) -> bool {
        self.number > 0
    }

    /// Whether both are workers of one crawl by several, so that their verdicts agree.
    pub(crate) fn shares_its_crawl_with(&self, other: &Self) -> bool {
        self.is_one_of_several() && other.is_one_of_several() && self.crawl == other.crawl
    }
}

/// The workers of one crawl follow one another.
impl Ord for Worker {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.crawl, self.number).cmp(&(&other.crawl, other.number))
    }
}

impl PartialOrd for Worker {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
