//! The standing orders of the user: pause, drops, delays.
//!
//! They come as one value that says all that stands ([`Steer`]), so an order that comes twice changes nothing. A paused crawl starts no
//! request, and does not end for want of work. The requests of pages in the browser go on, because a page that is under way
//! would otherwise be judged without them.

use std::collections::HashSet;
use std::sync::Arc;

use web::politeness::{Now, Politeness};

use super::host::{Bars, Host};
use super::state::{Line, LineEvent};
use super::{Frontier, FrontierSettings};
use crate::control::steer::Steer;
use crate::messages::Orders;

impl FrontierSettings {
    fn set_steer(&mut self, steer: Steer) {
        let mut bars = Bars::clone(&self.bars);
        bars.drops = steer.drops.clone();
        self.bars = Arc::new(bars);
        self.steer = steer;
    }

    /// The delays and bounds of a host, with what was ordered for it.
    pub(super) fn politeness_of(&self, name: &str) -> Politeness {
        let mut politeness = self.hosts.politeness(name, &self.politeness);
        if let Some(delay) = self.steer.delays.of(name) {
            politeness.delay = delay;
        }
        politeness
    }
}

impl Frontier {
    /// With the orders that stand when the run begins.
    #[must_use]
    pub(crate) fn steered_by(mut self, steer: Steer) -> Self {
        self.settings.set_steer(steer);
        self
    }

    pub(super) fn is_paused(&self) -> bool {
        self.settings.steer.is_paused
    }

    /// Takes in what stands from now on, and the URLs that orders have queued.
    pub(super) fn on_ordered(&mut self, orders: Orders, now: Now) {
        self.steer(orders.steer, now);
        self.add(orders.queued, now);
        for host in &orders.known {
            self.want(host, now);
        }
        self.add_sitemaps(orders.sitemaps, now);
        for (host, urls) in orders.restored {
            self.add_restored(&host, urls, now);
        }
    }

    fn steer(&mut self, steer: Steer, now: Now) {
        self.settings.set_steer(steer);
        self.change_hosts(now, |name, host, settings| {
            let delay = settings.politeness_of(name).delay;
            host.steer(name, (&settings.steer, &settings.bars), delay, now)
        });
    }

    /// Changes every host, and schedules it anew. `change` returns whether the host may have its next turn earlier than it is scheduled.
    pub(super) fn change_hosts(
        &mut self,
        now: Now,
        mut change: impl FnMut(&str, &mut Host, &FrontierSettings) -> bool,
    ) {
        let mut sooner = HashSet::new();
        for (name, host) in &mut self.hosts {
            if change(name, host, &self.settings) && host.line == Line::Due {
                host.line = host.line.on(LineEvent::CalledUp);
                sooner.insert(name.clone());
            }
        }
        self.schedule.forget(&sooner);
        let names: Vec<String> = self.hosts.keys().cloned().collect();
        names.iter().for_each(|name| self.schedule(name, now));
    }

    /// The store has queued so many URLs of a host again.
    fn add_restored(&mut self, name: &str, urls: u64, now: Now) {
        if !self.has_place_for(name) {
            return;
        }
        let host = self.host(name);
        host.urls += urls;
        host.queue.note_stored();
        self.schedule(name, now);
    }
}
