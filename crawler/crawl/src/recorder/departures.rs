//! Departures: pages that are not kept any more, because they were superseded, moved, gone, or replaced by their canonical page.
//!
//! The catalogue changes first and lists them ([`Catalogue::departed`](storage::Catalogue::departed)). When that is durable, they leave the index.
//! When the index is written too, the catalogue drops the list ([`Store::forget_departed`](storage::Store::forget_departed)). So a crash
//! leaves at most a list with pages that have left already, and removing a page twice does no harm.

use dedup::{Deduplicator, DocId, SledIndex};

use error::RunError;

/// Removes the departed pages of the durable catalogue from the index.
pub(crate) fn remove(dedup: &Deduplicator<SledIndex>, departed: &[u64]) -> Result<(), RunError> {
    for &page in departed {
        dedup.remove(DocId(page))?;
    }
    Ok(())
}
