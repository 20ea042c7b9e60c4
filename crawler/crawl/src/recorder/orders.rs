//! Applies the orders of the user to the store.
//!
//! The number of the last order is staged behind the effects of all of them, and one commit makes both durable before the user gets the
//! answer. The recorder, which alone changes the store, applies them between two pages.

use super::Recorder;
use super::intake::{NewSeeds, StoredSeeds, Tries, store_seeds};
use storage::{Room, UrlState, stored_text};

use crate::control::answer::Effect;
use crate::control::target::Target;
use crate::interpret::PRIORITY_LINK;
use crate::messages::{Done, Event, Orders, Taken, Wanted};
use crate::scope::Scope;
use crate::watch;
use error::RunError;

impl Recorder {
    /// Applies orders, commits, and says what they did.
    pub(crate) fn take_orders(&mut self, taken: Taken) -> Result<Event, RunError> {
        let mut orders = Orders {
            steer: taken.steer,
            queued: Vec::new(),
            known: Vec::new(),
            sitemaps: Vec::new(),
            restored: Vec::new(),
            done: None,
        };
        let mut effects = Vec::with_capacity(taken.orders.len());
        let last = taken.orders.iter().map(|order| order.id).max();
        for order in taken.orders {
            effects.push(self.apply(order.wanted, &taken.scope, &mut orders)?);
        }
        if let Some(last) = last {
            self.books.store_mut().note_orders(last)?;
        }
        self.commit()?;
        self.note();
        orders.done = Some(Done {
            effects,
            to: taken.done,
        });
        Ok(Event::Ordered(Box::new(orders)))
    }

    fn apply(&mut self, wanted: Wanted, scope: &Scope, orders: &mut Orders) -> Result<Effect, RunError> {
        let mut effect = Effect::default();
        match wanted {
            Wanted::Nothing => {}
            Wanted::Count(targets) => effect.dropped = self.queued_at(&targets)?,
            Wanted::Seeds { pages, sitemaps } => {
                let named = pages.len() as u64;
                effect.sitemaps = sitemaps.len() as u64;
                let seeds = NewSeeds { pages, sitemaps };
                let StoredSeeds {
                    queued,
                    known,
                    sitemaps,
                } = store_seeds(self.books.store_mut(), seeds, Tries::Any, scope)?;
                self.books.spend(&queued)?;
                effect.queued = queued.len() as u64;
                effect.known = named.saturating_sub(effect.queued);
                orders.queued.extend(queued);
                orders.known.extend(known);
                orders.sitemaps.extend(sitemaps);
            }
            Wanted::Restore(reasons) => {
                // The rows must have what is staged.
                self.commit()?;
                let reasons: Vec<String> = reasons.iter().map(|reason| stored_text(reason)).collect();
                let is_restored =
                    |state: &UrlState| matches!(state, UrlState::Excluded { reason } if reasons.contains(reason));
                let store = self.books.store_mut();
                let restored =
                    store.try_all_again(is_restored, |_, _| true, Room::default(), PRIORITY_LINK, watch::beat)?;
                effect.queued = restored.values().sum();
                orders.restored.extend(restored);
            }
        }
        Ok(effect)
    }

    /// The number of queued URLs of these hosts.
    fn queued_at(&self, targets: &[Target]) -> Result<u64, RunError> {
        let mut queued = 0;
        let takes = |host: &str| targets.iter().any(|target| target.takes_host(host));
        for row in self.books.store().hosts().all() {
            let (host, counts) = row?;
            queued += if takes(&host) { counts.queued } else { 0 };
        }
        Ok(queued)
    }
}
