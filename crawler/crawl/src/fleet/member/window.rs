//! Claims the kept pages of a folder that is brought back, some at a time. Claims on their way are in memory, in the outbox, and in the mark
//! of the index, which every commit writes. A folder may have 10^8 kept pages.
//!
//! While a folder is brought back, its worker makes no request. So no page is compared with the kept pages that are not claimed yet. If the worker is
//! killed, the next run begins anew.

use std::collections::BTreeSet;

use storage::Store;

use super::{Claims, Member};
use crate::watch;
use error::RunError;

/// The kept pages that are still to be claimed.
#[derive(Debug)]
pub(in crate::fleet) struct ToClaim {
    /// Those from this number on; `None` if there are none.
    from: Option<u64>,
    /// Claims on their way at most.
    window: usize,
}

impl ToClaim {
    /// All pages, if the folder is brought back; else none.
    pub fn new(restores: bool, window: usize) -> Self {
        Self {
            from: restores.then_some(1),
            window,
        }
    }

    /// Whether none is left.
    pub fn is_over(&self) -> bool {
        self.from.is_none()
    }
}

impl<C: Claims> Member<C> {
    /// Claims the next kept pages whose claims nobody has, if half of those before have come back.
    ///
    /// # Errors
    /// The index or the store cannot be read or written.
    pub(in crate::fleet) fn claim_next(&mut self, store: &mut Store) -> Result<(), RunError> {
        let on_their_way = self.verdicts.claimed().len();
        let Some(from) = self.to_claim.from else {
            return Ok(());
        };
        if on_their_way > self.to_claim.window / 2 {
            return Ok(());
        }
        self.to_claim.from = None;
        let mut pages = BTreeSet::new();
        for row in store.pages_from(from) {
            let (id, page) = row?;
            watch::beat();
            if on_their_way + pages.len() == self.to_claim.window {
                self.to_claim.from = Some(id);
                break;
            }
            // An earlier run may have claimed it.
            if page.is_kept() && !self.verdicts.is_claimed(id) && !self.verdicts.is_confirmed(&self.dedup, id)? {
                self.is_on_its_way(id, &page)?;
                pages.insert(id);
            }
        }
        self.claim_again(store, pages)
    }
}
