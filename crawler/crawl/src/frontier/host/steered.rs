//! What the standing orders of the user mean for one host.

use std::sync::Arc;
use std::time::Duration;

use url::Url;
use web::politeness::{Now, Politeness};

use super::super::queue::Next;
use super::Host;
use crate::control::steer::{Drops, Steer};
use crate::messages::{Errand, Step};
use crate::trap;
use config::settings::{Settings, TrapLimits, UrlRules};

/// What bars URLs from being fetched, on any host.
#[derive(Debug, Clone)]
pub(in crate::frontier) struct Bars {
    traps: TrapLimits,
    urls: UrlRules,
    /// What the user has dropped.
    pub drops: Drops,
}

impl Bars {
    /// Those of the configuration.
    pub fn of(settings: &Settings) -> Self {
        Self {
            traps: settings.limits.traps,
            urls: settings.urls.clone(),
            drops: Drops::default(),
        }
    }

    /// The drop, the pattern or the trap that bars the URL.
    pub fn refusal(&self, url: &Url) -> Option<String> {
        let refusal = self.drops.refusal(url).or_else(|| self.urls.refusal(url));
        refusal.or_else(|| trap::found(url, &self.traps))
    }
}

impl Host {
    /// Applies the orders that stand now. `delay` is the one of the configuration or of an order. Returns whether the host may have its
    /// next turn earlier than it is scheduled.
    pub(in crate::frontier) fn steer(
        &mut self,
        name: &str,
        (steer, bars): (&Steer, &Arc<Bars>),
        delay: Duration,
        now: Now,
    ) -> bool {
        let is_sooner = |host: &Self| host.gate.ready_at();
        let (before, was_dropped) = (is_sooner(self), self.is_dropped);
        self.bars = bars.clone();
        self.is_dropped = steer.drops.refusal_of_host(name).is_some();
        self.is_paused = steer.is_paused;
        self.gate.set_delay(delay, now);
        is_sooner(self) < before || self.is_dropped && !was_dropped
    }

    /// Takes over other delays and bounds. Returns whether the host may have its next turn earlier than it is scheduled.
    pub(in crate::frontier) fn adopt(&mut self, politeness: &Politeness, max_pages: Option<u64>, now: Now) -> bool {
        let before = self.gate.ready_at();
        self.max_pages = max_pages;
        self.gate.adopt(politeness, now);
        self.gate.ready_at() < before
    }

    /// Whether the host has nothing to do but to exclude its URLs, for which it needs neither an address nor its gate.
    pub(in crate::frontier) fn only_excludes(&self) -> bool {
        self.is_dropped && !self.is_paused && !self.has_urgent_errand()
    }

    /// Why the user does not want this URL any more; `None` if nobody has dropped it.
    pub(super) fn is_dropped_for(&self, url: &Url) -> Option<String> {
        self.bars.drops.refusal(url)
    }

    /// The next sitemap that nobody has dropped.
    pub(super) fn next_sitemap(&mut self) -> Option<Errand> {
        loop {
            let errand = self.sitemaps.pop_front()?;
            match self.bars.drops.refusal(errand.url()) {
                None => return Some(errand),
                Some(reason) => tracing::debug!(url = %errand.url(), reason, "sitemap skipped"),
            }
        }
    }

    /// The step of a dropped host: it excludes one URL after the other, and needs no gate for that.
    pub(super) fn exclude_dropped(&mut self, name: &str) -> Option<Step> {
        let reason = self.bars.drops.refusal_of_host(name)?;
        self.sitemaps.clear();
        self.sitemaps_to_recall.clear();
        let queued = if let Some(waiting) = self.queue.visits.take() {
            waiting.queued
        } else if let Some((queued, _)) = self.respelled.pop_front() {
            queued
        } else {
            match self.queue.take() {
                Next::Url(waiting) => waiting.queued,
                Next::AwaitsVerdict => {
                    self.awaits_verdict = true;
                    return None;
                }
                Next::Empty => return None,
            }
        };
        Some(self.exclude(queued, reason))
    }
}
