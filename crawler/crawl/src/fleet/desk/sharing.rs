//! Addresses that several workers ask, because the addresses serve hosts of several partitions. Each worker learns how many workers ask an address,
//! and asks it at its share of the rate.
//!
//! The first requests of several workers to an address may come together: a worker learns of the others within half a second of its own first
//! request, and the others learn of it within some seconds.

use std::collections::HashMap;
use std::time::Duration;

use fleet::FleetError;
use tokio::time::Instant;
use web::politeness::AddressKey;

use super::{Call, Desk};
use crate::messages::GroupEvent;

/// Time between two looks at the addresses that were asked.
const PAUSE: Duration = Duration::from_millis(250);

/// After this part of a lease, a worker that still asks an address says so again, and learns how many do.
const AGAIN_AFTER: u32 = 3;

/// So long after its last word a worker counts as one that asks the address, and at least for four leases. It must be longer than the time
/// between two of its requests there: twenty workers at a server with a delay of 15 s.
const LASTS: Duration = Duration::from_secs(300);
const LASTS_FOR: u32 = 4;

/// What the servers have said of an address.
struct Told {
    at: Instant,
    sharers: u32,
}

impl Desk {
    /// Tells the servers which addresses this worker asks, and the frontier how many workers do, while the run lasts.
    pub(super) async fn share_addresses(&self) -> Result<(), FleetError> {
        let (again, lasts) = (
            self.fleet.lease() / AGAIN_AFTER,
            LASTS.max(self.fleet.lease() * LASTS_FOR),
        );
        let mut told: HashMap<AddressKey, Told> = HashMap::new();
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = Instant::now();
            told.retain(|_, told| now.duration_since(told.at) < lasts);
            let is_due = |address: &AddressKey| {
                let told = told.get(address);
                told.is_none_or(|told| now.duration_since(told.at) >= again)
            };
            let (addresses, known): (Vec<AddressKey>, Vec<AddressKey>) =
                self.asked.take().into_iter().partition(is_due);
            // The frontier may have released the address since, and begins with one that asks it.
            let known = known
                .into_iter()
                .filter_map(|address| Some((address, told.get(&address)?.sharers)));
            let mut shared: Vec<(AddressKey, u32)> = known.filter(|(_, sharers)| *sharers > 1).collect();
            let names: Vec<String> = addresses.iter().map(AddressKey::to_string).collect();
            let sharers = loop {
                let answer = self.fleet.share(&names, lasts).await;
                if let Some(sharers) = self.answer_to(Call::Share, answer).await? {
                    break sharers;
                }
            };
            for (address, sharers) in addresses.into_iter().zip(sharers) {
                let before = told.insert(address, Told { at: now, sharers });
                // Of an address that was not asked for long, the frontier may know an earlier number.
                if sharers > 1 || before.is_none_or(|before| before.sharers > 1) {
                    shared.push((address, sharers));
                }
            }
            if !shared.is_empty() {
                self.tell_frontier(GroupEvent::Shared(shared)).await;
            }
        }
    }
}
