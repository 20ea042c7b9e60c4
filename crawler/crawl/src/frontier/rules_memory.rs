//! Bounds the memory of the rules of robots.txt over all hosts. One file may take 4 MB, and a page can name thousands of hosts.

use super::Frontier;
use super::state::OriginState;

/// Bytes of rules in memory. The rules of an ordinary host take 1 kB, so all hosts in memory fit in; see
/// [`MAX_HOSTS`](super::intake::MAX_HOSTS).
pub(super) const MAX_RULES_BYTES: usize = 64 << 20;

impl Frontier {
    /// Notes that rules of `bytes` came into memory. Beyond the bound, the frontier forgets the largest rules until half of the bound is
    /// free. Their origins are then unknown again: before their next URL, the crawler reads their robots.txt from the store, or fetches
    /// it.
    pub(super) fn note_rules(&mut self, bytes: usize) {
        self.rules_bytes += bytes;
        if self.rules_bytes <= MAX_RULES_BYTES {
            return;
        }
        let mut all: Vec<(usize, String, String)> = Vec::new();
        for (name, host) in &self.hosts {
            for (origin, state) in &host.origins {
                if let OriginState::Open { robots, .. } = state {
                    all.push((robots.heap_bytes(), name.clone(), origin.clone()));
                }
            }
        }
        self.rules_bytes = all.iter().map(|(bytes, ..)| bytes).sum();
        if self.rules_bytes <= MAX_RULES_BYTES {
            return;
        }
        all.sort_unstable();
        while self.rules_bytes > MAX_RULES_BYTES / 2
            && let Some((bytes, name, origin)) = all.pop()
        {
            let host = self.host(&name);
            host.origins.remove(&origin);
            host.memory.may_have_answers = true;
            self.rules_bytes -= bytes;
        }
    }
}
