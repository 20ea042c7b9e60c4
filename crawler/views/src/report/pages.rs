//! One pass over the catalogue for the measures of every page.

use dedup::{DuplicateRule, Width};
use storage::Store;

use super::about::Seeds;
use super::documents::Documents;
use super::near_misses::NearMiss;
use super::near_misses::search::{Found, Search};
use super::rendering::Renderings;
use super::timeline::Fetch;
use super::variants::Variants;
use super::waiting::Waiting;
use crawl::index::decode_signature;
use error::RunError;

/// The measures of all pages.
#[derive(Debug)]
pub(super) struct Pages {
    /// Every fetched page, in any order.
    pub fetches: Vec<Fetch>,
    /// As in [`Saved`](super::saved::Saved).
    pub duplicate_bytes: u64,
    /// Kept pages compared with the pages kept before them.
    pub compared: u64,
    pub seeds: Seeds,
    pub renderings: Renderings,
    pub documents: Documents,
    /// As in [`Report`](super::Report).
    pub variants: u64,
    found: Vec<Found>,
}

impl Pages {
    pub fn read(store: &Store, rule: &DuplicateRule, waiting: &Waiting) -> Result<Self, RunError> {
        let mut near_misses = Search::new(rule, width(store.scheme()))
            .inspect_err(|error| tracing::warn!(%error, "cannot search for near misses"))
            .ok();
        let (mut fetches, mut duplicate_bytes, mut seeds) = (Vec::new(), 0, Seeds::default());
        let mut renderings = Renderings::default();
        let mut documents = Documents::default();
        let mut variants = Variants::default();
        for row in store.pages_from(0) {
            let (id, page) = row?;
            seeds.add(&page);
            renderings.add(&page);
            documents.add(&page);
            variants.add(id, &page)?;
            fetches.push(Fetch {
                at: page.fetched_at,
                elapsed_ms: page.elapsed_ms,
                verdict: page.verdict.kind(),
            });
            if page.response.is_none() && page.verdict.is_duplicate() {
                duplicate_bytes += page.body_bytes;
            }
            if page.is_kept()
                && let Some(near_misses) = &mut near_misses
            {
                near_misses.add(id, decode_signature(&page.signature)?)?;
            }
        }
        Ok(Self {
            fetches,
            duplicate_bytes,
            seeds,
            renderings,
            documents,
            variants: variants.count(),
            compared: near_misses.as_ref().map_or(0, Search::compared),
            found: match near_misses {
                Some(near_misses) => near_misses.find(waiting)?,
                None => Vec::new(),
            },
        })
    }

    /// The near misses with their URLs.
    pub fn near_misses(&self, store: &Store) -> Result<Vec<NearMiss>, RunError> {
        let mut near_misses = Vec::with_capacity(self.found.len());
        for found in &self.found {
            let (Some(page), Some(near)) = (store.page(found.id)?, store.page(found.near)?) else {
                continue;
            };
            near_misses.push(NearMiss {
                url: page.url,
                near: near.url,
                distance: found.distance,
                similarity: found.similarity,
                because: found.because,
                id: found.id,
                near_id: found.near,
            });
        }
        Ok(near_misses)
    }
}

/// The fingerprint width in a scheme's name; the default width if the name has none.
fn width(scheme: &str) -> Width {
    let bits = scheme.strip_prefix("simhash").and_then(|rest| rest.split(' ').next());
    let width = bits.and_then(|bits| bits.parse().ok()).and_then(Width::of_bits);
    width.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_every_scheme_has_its_width() {
        for width in Width::ALL {
            let scheme = dedup::Scheme {
                width,
                ..dedup::Scheme::default()
            };
            assert_eq!(super::width(&scheme.id()), width);
        }
        assert_eq!(width("synthetic"), Width::W64);
    }
}
