//! What the orders come to: a fold over the journal, without files and without time.

use super::entry::Ordered;
use super::order::Order;

/// The orders that stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InForce {
    /// The number of the order by which the crawl is paused.
    pub paused: Option<u64>,
    /// The hosts and patterns of which nothing is fetched, each once, the earliest first.
    pub dropped: Vec<Dropped>,
    /// The delays of hosts, each host once, the latest order last.
    pub delays: Vec<Delayed>,
    /// The number of the last stop.
    pub stopped: Option<u64>,
}

/// A drop that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// As in [`Target`](super::target::Target).
    pub what: String,
    /// The number of its order.
    pub since: u64,
}

/// A delay that stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Delayed {
    /// The host.
    pub host: String,
    /// The seconds between two requests.
    pub seconds: f64,
    /// The number of its order.
    pub since: u64,
}

impl InForce {
    /// What these orders come to, in their order.
    pub fn of<'a>(orders: impl IntoIterator<Item = &'a Ordered>) -> Self {
        let mut in_force = Self::default();
        orders.into_iter().for_each(|ordered| in_force.apply(ordered));
        in_force
    }

    /// Adds the next order.
    pub fn apply(&mut self, Ordered { id, order, .. }: &Ordered) {
        match order {
            Order::Pause => self.paused = self.paused.or(Some(*id)),
            Order::Resume => self.paused = None,
            Order::Stop => self.stopped = Some(*id),
            Order::Add { .. } => {}
            Order::Drop { what } => {
                for what in what {
                    if !self.is_dropped(what) {
                        self.dropped.push(Dropped {
                            what: what.clone(),
                            since: *id,
                        });
                    }
                }
            }
            Order::Restore { what } => self.dropped.retain(|dropped| !what.contains(&dropped.what)),
            Order::Delay { host, seconds } => {
                self.delays.retain(|delayed| delayed.host != *host);
                self.delays.extend(seconds.map(|seconds| Delayed {
                    host: host.clone(),
                    seconds,
                    since: *id,
                }));
            }
        }
    }

    /// Whether this host or pattern is dropped.
    #[must_use]
    pub fn is_dropped(&self, what: &str) -> bool {
        self.dropped.iter().any(|dropped| dropped.what == what)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn order() -> impl Strategy<Value = Order> {
        let name = prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
        let names = prop::collection::vec(name.clone(), 0..3);
        prop_oneof![
            Just(Order::Pause),
            Just(Order::Resume),
            Just(Order::Stop),
            names.clone().prop_map(|urls| Order::Add { urls }),
            names.clone().prop_map(|what| Order::Drop { what }),
            names.prop_map(|what| Order::Restore { what }),
            (name, prop::option::of(0.0..9.0)).prop_map(|(host, seconds)| Order::Delay { host, seconds }),
        ]
    }

    fn numbered(orders: Vec<Order>) -> Vec<Ordered> {
        let numbered = orders.into_iter().zip(1..).map(|(order, id)| Ordered {
            id,
            at: String::new(),
            order,
        });
        numbered.collect()
    }

    proptest! {
        #[test]
        fn the_last_word_on_each_thing_stands(orders in prop::collection::vec(order(), 0..40)) {
            let orders = numbered(orders);
            let in_force = InForce::of(&orders);
            let mut is_paused = false;
            let (mut dropped, mut delays) = (HashMap::new(), HashMap::new());
            for Ordered { order, .. } in &orders {
                match order.clone() {
                    Order::Pause => is_paused = true,
                    Order::Resume => is_paused = false,
                    Order::Drop { what } => dropped.extend(what.into_iter().map(|what| (what, true))),
                    Order::Restore { what } => dropped.extend(what.into_iter().map(|what| (what, false))),
                    Order::Delay { host, seconds } => {
                        delays.insert(host, seconds);
                    }
                    Order::Stop | Order::Add { .. } => {}
                }
            }
            prop_assert_eq!(in_force.paused.is_some(), is_paused);
            for what in ["a", "b", "c"] {
                prop_assert_eq!(in_force.is_dropped(what), dropped.get(what).copied().unwrap_or_default());
                let delay = in_force.delays.iter().find(|delayed| delayed.host == what);
                prop_assert_eq!(delay.map(|delayed| delayed.seconds), delays.get(what).copied().flatten());
            }
            prop_assert!(in_force.dropped.len() <= 3 && in_force.delays.len() <= 3, "each once");
        }

        #[test]
        fn a_journal_read_in_parts_comes_to_the_same(
            orders in prop::collection::vec(order(), 0..40),
            at in 0..40_usize,
        ) {
            let orders = numbered(orders);
            let (before, after) = orders.split_at(at.min(orders.len()));
            let mut in_force = InForce::of(before);
            after.iter().for_each(|ordered| in_force.apply(ordered));
            prop_assert_eq!(in_force, InForce::of(&orders));
        }
    }

    #[test]
    fn a_second_pause_keeps_the_time_of_the_first() {
        let orders = numbered(vec![Order::Resume, Order::Pause, Order::Pause]);
        assert_eq!(InForce::of(&orders).paused, Some(2));
    }
}
