//! Bounds the memory of the rules of robots.txt over all hosts. One file may take 4 MB, and a page can name thousands of hosts.

use std::collections::HashMap;

use super::host::Host;
use super::state::OriginState;

/// Bytes of rules in memory. The rules of an ordinary host take 1 kB, so all hosts in memory fit in; see
/// [`MAX_HOSTS`](super::intake::MAX_HOSTS).
pub(super) const MAX_RULES_BYTES: usize = 64 << 20;

/// The memory of the rules.
#[derive(Debug, Default)]
pub(super) struct RulesMemory {
    /// Upper bound on their bytes.
    bytes: usize,
}

impl RulesMemory {
    /// Notes that rules of `bytes` came into memory. Beyond the bound, the largest rules of `hosts` are forgotten until half of the bound is
    /// free. Their origins are then unknown again: before their next URL, the crawler reads their robots.txt from the store, or fetches
    /// it.
    pub fn note(&mut self, hosts: &mut HashMap<String, Box<Host>>, bytes: usize) {
        self.bytes += bytes;
        if self.bytes <= MAX_RULES_BYTES {
            return;
        }
        let mut all: Vec<(usize, String, String)> = Vec::new();
        for (name, host) in hosts.iter() {
            for (origin, state) in &host.origins {
                if let OriginState::Open { robots, .. } = state {
                    all.push((robots.heap_bytes(), name.clone(), origin.clone()));
                }
            }
        }
        self.bytes = all.iter().map(|(bytes, ..)| bytes).sum();
        if self.bytes <= MAX_RULES_BYTES {
            return;
        }
        all.sort_unstable();
        while self.bytes > MAX_RULES_BYTES / 2
            && let Some((bytes, name, origin)) = all.pop()
        {
            if let Some(host) = hosts.get_mut(&name) {
                host.origins.remove(&origin);
                host.memory.may_have_answers = true;
            }
            self.bytes -= bytes;
        }
    }
}
