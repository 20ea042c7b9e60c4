//! Whether a host can leave the memory.

use web::politeness::Now;

use super::super::state::{Line, Work};
use super::Host;

impl Host {
    /// Whether the store has everything that the memory has about the host, and the host waits for no answer.
    fn holds_nothing(&self) -> bool {
        self.holds_only_sitemaps() && self.sitemaps.is_empty() && self.sitemaps_to_recall.is_empty()
    }

    /// The same, except for sitemaps, which a later run can ask for.
    pub(in crate::frontier) fn holds_only_sitemaps(&self) -> bool {
        !self.memory.is_unsaved
            && !self.is_busy()
            && self.awaiting.is_empty()
            && self.respelled.is_empty()
            && self.first_errands.is_empty()
    }

    /// Whether the host has nothing left to do and waits for no answer, and the store knows its treatment.
    pub(in crate::frontier) fn is_idle(&self, takes_new: bool, now: Now) -> bool {
        // A pause leaves a host without work that has some again afterwards.
        !self.is_paused
            && self.line == Line::None
            && self.holds_nothing()
            && self.work(takes_new) == Work::Nothing
            && (self.is_given_up() || self.gate.ready_at().is_some_and(|at| at <= now))
    }
}
