//! The addresses that the frontier asks, for the desk: other workers may ask them too.

use std::collections::HashSet;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use web::politeness::AddressKey;

/// The addresses that were asked since somebody looked. Its clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    addresses: Arc<Mutex<HashSet<AddressKey>>>,
}

impl Asked {
    /// A request to an address starts.
    pub fn note(&self, address: AddressKey) {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        addresses.insert(address);
    }

    /// The addresses that were asked since the last call.
    pub fn take(&self) -> HashSet<AddressKey> {
        mem::take(&mut self.addresses.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
