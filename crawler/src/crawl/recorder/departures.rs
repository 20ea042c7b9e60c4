//! Pages that were kept and are not any more: superseded, moved, gone, or replaced by their canonical page.
//!
//! The catalogue changes first and names them ([`Store::departed`]); when that is durable they leave the index; when that is
//! written too, the catalogue forgets the names. So a crash anywhere leaves at most a name too many, and to take out what is
//! out already does no harm.

use dedup::{Deduplicator, DocId, SledIndex};
use storage::Store;

use crate::error::RunError;

/// Takes out of the index what the durable catalogue says is to leave it; the index is to be persisted after it, and the
/// answer to be [forgotten](Store::forget_departed) after that.
pub(crate) fn carry_out(store: &Store, dedup: &Deduplicator<SledIndex>) -> Result<Vec<u64>, RunError> {
    let departed = store.departed()?;
    for &page in &departed {
        dedup.remove(DocId(page))?;
    }
    Ok(departed)
}
