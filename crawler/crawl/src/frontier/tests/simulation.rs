//! A crawl in simulated time. Servers answer late, are busy or break off, and the crawler is killed and restarted. No request may come
//! earlier than politeness allows, and no host may be forgotten.

mod leases;
mod world;

use proptest::prelude::*;
use web::politeness::Now;

use self::world::World;
use super::settings;
use crate::frontier::MAX_HOSTS;
use crate::messages::Event;
use config::settings::Settings;

#[derive(Debug, Clone)]
struct Plan {
    seed: u64,
    hosts: usize,
    addresses: u8,
    delay_ms: u64,
    address_delay_ms: u64,
    parallel_per_host: usize,
    parallel_per_address: usize,
    latency_factor: f64,
    /// Whether the crawler looks up a name before the first request to its host.
    looks_up: bool,
    /// Whether all names are new names of one domain.
    is_one_domain: bool,
    /// Failing requests in percent.
    failing: u32,
    /// Pages in percent that a slow lane reads.
    slow: u32,
    /// Number of hosts for which the memory has room.
    room: usize,
    /// Whether other workers of a fleet take partitions, and ask their hosts.
    has_fleet: bool,
    /// After this many requests the crawler is killed (`true`) or stopped.
    restarts: Vec<(u64, bool)>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let restart = (1_u64..60, any::<bool>());
    (
        (any::<u64>(), 1_usize..9, 1_u8..4, 0_u32..40, 0_u32..100),
        (
            prop_oneof![Just(0_u64), Just(90), Just(1_000)],
            0_u64..400,
            1_usize..4,
            1_usize..5,
        ),
        (prop_oneof![Just(0.0), Just(2.0)], any::<bool>(), any::<bool>()),
        prop_oneof![1_usize..4, Just(MAX_HOSTS)],
        any::<bool>(),
        proptest::collection::vec(restart, 0..3),
    )
        .prop_map(
            |(
                (seed, hosts, addresses, failing, slow),
                delays,
                (latency_factor, looks_up, is_one_domain),
                room,
                has_fleet,
                restarts,
            )| {
                Plan {
                    seed,
                    hosts,
                    addresses,
                    delay_ms: delays.0,
                    address_delay_ms: delays.1,
                    parallel_per_host: delays.2,
                    parallel_per_address: delays.3,
                    latency_factor,
                    looks_up,
                    is_one_domain,
                    failing,
                    slow,
                    room,
                    has_fleet,
                    restarts,
                }
            },
        )
}

impl Plan {
    fn settings(&self) -> Settings {
        settings(|config| {
            let politeness = &mut config.politeness;
            politeness.robots = true;
            politeness.delay_ms = self.delay_ms;
            politeness.address_delay_ms = self.address_delay_ms;
            politeness.parallel_per_host = self.parallel_per_host;
            politeness.parallel_per_address = self.parallel_per_address;
            politeness.latency_factor = self.latency_factor;
            if self.looks_up {
                config.fetch.proxy = String::new();
            }
            // Some pages of a domain on trial are duplicates. They must not change the order.
            config.steering.enabled = !self.is_one_domain;
        })
    }
}

/// Crawls by the plan, and fails if a request comes too early or a host is forgotten.
fn hold(plan: &Plan) {
    let mut world = World::new(plan);
    let mut frontier = world.frontier();
    // The hosts of a fleet come from the store, with their partitions.
    for server in world.servers.iter().filter(|_| !plan.has_fleet) {
        let mut urls: Vec<_> = server.left.values().cloned().collect();
        urls.sort_by_key(|url| url.seq);
        frontier.add(urls, Now::ZERO);
    }
    let mut wall = world.started_at;
    for (requests, is_killed) in plan.restarts.clone() {
        let until = world.requests + requests;
        wall = world.run(&mut frontier, wall, until);
        if !is_killed {
            frontier.on(Event::Stop, world.now(wall));
            wall = world.run(&mut frontier, wall, u64::MAX);
        }
        let is_killed = is_killed || !frontier.knows_all_requests();
        frontier = world.restart(wall, is_killed);
        wall = world.started_at;
    }
    let end = world.run(&mut frontier, wall, u64::MAX);
    assert!(end >= wall);
    let given_up: Vec<_> = frontier.given_up().into_iter().map(|gone| gone.host).collect();
    for server in &world.servers {
        let is_given_up = given_up.iter().any(|gone| gone.ends_with(&server.name));
        assert!(
            server.left.is_empty() || is_given_up,
            "{} has {} URLs left and was not given up: {given_up:?}",
            server.name,
            server.left.len()
        );
        assert!(server.left.is_empty() || world.saved[&server.name].retired);
    }
}

/// The second run ends before it asks every host that the killed one may have asked, so it must pass on what it assumed of them.
#[test]
fn a_run_that_follows_a_killed_one_and_ends_soon_loses_no_delay() {
    for seed in 0..500 {
        hold(&Plan {
            seed,
            hosts: 5,
            addresses: 1,
            delay_ms: 0,
            address_delay_ms: 0,
            parallel_per_host: 1,
            parallel_per_address: 4,
            latency_factor: 0.0,
            looks_up: false,
            is_one_domain: false,
            failing: 5,
            slow: 30,
            room: MAX_HOSTS,
            has_fleet: false,
            restarts: vec![(12, true), (1, false)],
        });
    }
}

/// The second run has room for one host. Its first request to the address must keep the delay after the last request to another host.
#[test]
fn a_run_that_has_not_loaded_every_host_keeps_the_delay_of_their_address() {
    for seed in 0..500 {
        hold(&Plan {
            seed,
            hosts: 4,
            addresses: 1,
            delay_ms: 1_000,
            address_delay_ms: 247,
            parallel_per_host: 1,
            parallel_per_address: 1,
            latency_factor: 0.0,
            looks_up: false,
            is_one_domain: false,
            failing: 33,
            slow: 30,
            room: 1,
            has_fleet: false,
            restarts: vec![(12, false)],
        });
    }
}

/// Each partition comes and goes many times, and other workers ask its hosts in between.
#[test]
fn partitions_come_and_go_with_their_delays_and_no_request_is_made_without_a_lease() {
    for seed in 0..500 {
        hold(&Plan {
            seed,
            hosts: 8,
            addresses: 3,
            delay_ms: 1_000,
            address_delay_ms: 0,
            parallel_per_host: 1,
            parallel_per_address: 4,
            latency_factor: 0.0,
            looks_up: true,
            is_one_domain: false,
            failing: 10,
            slow: 30,
            room: MAX_HOSTS,
            has_fleet: true,
            restarts: vec![(20, seed % 2 == 0)],
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_no_request_comes_too_early_and_no_host_is_forgotten(plan in plan()) {
        hold(&plan);
    }
}
