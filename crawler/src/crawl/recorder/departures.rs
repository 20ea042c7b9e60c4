//! Departures: pages that are not kept any more, because they were superseded, moved, gone, or replaced by their canonical page.
//!
//! The catalogue changes first and lists them ([`storage::Catalogue::departed`]). When that is durable, they leave the index. When the index is
//! written too, the catalogue drops the list. So a crash leaves at most a list with pages that have left already, and removing a page
//! twice does no harm.

use dedup::{Deduplicator, DocId, SledIndex};
use storage::Store;

use crate::error::RunError;

/// Removes the departed pages of the durable catalogue from the index, and returns them. The caller persists the index, and
/// [forgets](Store::forget_departed) the pages after that.
pub(crate) fn carry_out(store: &Store, dedup: &Deduplicator<SledIndex>) -> Result<Vec<u64>, RunError> {
    let departed = store.catalogue().departed()?;
    for &page in &departed {
        dedup.remove(DocId(page))?;
    }
    Ok(departed)
}
