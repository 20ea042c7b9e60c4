//! The addresses that answer for hosts: their gates, and the hosts that wait there.
//!
//! A host that is ready waits at its address in the order of its coming, so that none is overtaken for ever, and a
//! thousand hosts of one address cost no more than one: only the address stands in the heap of what is due.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use web::politeness::{AddressGate, AddressKey, Contact, CrawlClock, HostSignal, Now, Politeness};

/// See the module's text.
#[derive(Debug)]
pub(super) struct Addresses {
    addresses: HashMap<AddressKey, Address>,
    clock: CrawlClock,
    rules: Politeness,
}

#[derive(Debug)]
struct Address {
    gate: AddressGate,
    waiting: VecDeque<String>,
    /// It stands in the heap of what is due.
    is_due: bool,
}

impl Addresses {
    pub fn new(clock: &CrawlClock, rules: &Politeness) -> Self {
        Self {
            addresses: HashMap::new(),
            clock: clock.clone(),
            rules: *rules,
        }
    }

    /// Whether a host of the address may be asked now and overtakes nobody who waits.
    pub fn admits(&self, key: AddressKey, now: Now) -> bool {
        let Some(address) = self.addresses.get(&key) else {
            return true;
        };
        address.waiting.is_empty() && address.is_open(now)
    }

    /// A host waits for its turn.
    pub fn wait(&mut self, key: AddressKey, host: &str) {
        self.address(key).waiting.push_back(host.to_owned());
    }

    /// The host whose turn it is, if the address is free.
    pub fn next(&mut self, key: AddressKey, now: Now) -> Option<String> {
        let address = self.address(key);
        address.is_due = false;
        if !address.is_open(now) {
            return None;
        }
        address.waiting.pop_front()
    }

    /// When a host that waits there may be asked, if the address does not stand in the heap: now it does.
    pub fn schedule(&mut self, key: AddressKey) -> Option<Now> {
        let address = self.addresses.get_mut(&key)?;
        if address.is_due || address.waiting.is_empty() {
            return None;
        }
        let at = address.gate.ready_at()?;
        address.is_due = true;
        Some(at)
    }

    pub fn start(&mut self, key: AddressKey, now: Now) {
        self.address(key).gate.start(now);
    }

    pub fn finish(&mut self, key: AddressKey, now: Now, signal: HostSignal, contact: Contact) {
        self.address(key).gate.finish(now, signal, contact.latency);
    }

    /// A host with so many requests open turns out to be here, and not `before`. Whether it waited there.
    pub fn moved(&mut self, host: &str, before: Option<AddressKey>, key: AddressKey, open: usize) -> bool {
        self.address(key).gate.join(open);
        let Some(before) = before else { return false };
        let before = self.address(before);
        before.gate.leave(open);
        let waiting = before.waiting.len();
        before.waiting.retain(|name| name != host);
        before.waiting.len() < waiting
    }

    /// A host of the address was last asked `ago` before this run began.
    pub fn was_asked(&mut self, key: AddressKey, ago: Duration) {
        self.address(key).gate.was_asked(ago);
    }

    fn address(&mut self, key: AddressKey) -> &mut Address {
        self.addresses.entry(key).or_insert_with(|| Address {
            gate: AddressGate::new(&self.clock, &self.rules),
            waiting: VecDeque::new(),
            is_due: false,
        })
    }
}

impl Address {
    fn is_open(&self, now: Now) -> bool {
        self.gate.ready_at().is_some_and(|at| at <= now)
    }
}
