//! The addresses behind the hosts: their gates, and the hosts that wait there.
//!
//! Hosts wait at their address in the order of their arrival, so none is overtaken forever. Only the address is in the
//! heap of the schedule, so a thousand hosts at one address cost no more than one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use web::politeness::{AddressGate, AddressKey, Contact, CrawlClock, HostSignal, Now, Politeness};

/// All addresses that the crawl knows.
#[derive(Debug)]
pub(super) struct Addresses {
    addresses: HashMap<AddressKey, Address>,
    clock: CrawlClock,
    politeness: Politeness,
    /// Whether an earlier run may have asked hosts that are not in memory, until just before this run began.
    has_unknown_requests: bool,
}

#[derive(Debug)]
struct Address {
    gate: AddressGate,
    waiting: VecDeque<String>,
    /// Whether it is in the heap of the schedule.
    is_due: bool,
}

impl Addresses {
    pub fn new(clock: &CrawlClock, politeness: &Politeness) -> Self {
        Self {
            addresses: HashMap::new(),
            clock: clock.clone(),
            politeness: *politeness,
            has_unknown_requests: false,
        }
    }

    /// An earlier run may have asked hosts that are not in memory. So each address rests for its delay when this run begins.
    pub fn assume_requests(&mut self) {
        self.has_unknown_requests = true;
    }

    /// Whether a host of the address may be asked now without overtaking another.
    pub fn admits(&self, key: AddressKey, now: Now) -> bool {
        let Some(address) = self.addresses.get(&key) else {
            return Address::unseen(&self.clock, &self.politeness, self.has_unknown_requests).is_open(now);
        };
        address.waiting.is_empty() && address.is_open(now)
    }

    /// Adds a host to those that wait at the address.
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

    /// The time at which a host that waits at the address may be asked, for the caller to put the address into the
    /// heap. `None` if the address is in the heap already, or no host waits.
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

    /// So many processes ask the address, this one included.
    pub fn share(&mut self, key: AddressKey, sharers: u32) {
        if let Some(address) = self.addresses.get_mut(&key) {
            address.gate.share(sharers);
        }
    }

    /// Notes that a host with `open` requests has answered from the address `key` instead of `before`. The host no
    /// longer waits at `before`.
    pub fn moved(&mut self, host: &str, before: Option<AddressKey>, key: AddressKey, open: usize) {
        self.address(key).gate.join(open);
        if let Some(before) = before {
            let before = self.address(before);
            before.gate.leave(open);
            before.waiting.retain(|name| name != host);
        }
    }

    /// A host of the address was last asked `ago` before this run began.
    pub fn was_asked(&mut self, key: AddressKey, ago: Duration) {
        self.address(key).gate.was_asked(ago);
    }

    /// A host of the address was last asked at this time of the run, by somebody else.
    pub fn was_asked_at(&mut self, key: AddressKey, at: Now) {
        self.address(key).gate.was_asked_at(at);
    }

    /// Takes hosts out of the lines of all addresses.
    pub fn forget(&mut self, hosts: &HashSet<String>) {
        for address in self.addresses.values_mut() {
            address.waiting.retain(|name| !hosts.contains(name));
        }
    }

    /// Forgets each address that no host in memory has, if its gate would let a request pass.
    pub fn release(&mut self, needed: &HashSet<AddressKey>, now: Now) {
        let is_idle = |address: &Address| address.waiting.is_empty() && !address.is_due && address.is_open(now);
        self.addresses
            .retain(|key, address| needed.contains(key) || !is_idle(address));
    }

    fn address(&mut self, key: AddressKey) -> &mut Address {
        let (clock, politeness, has_unknown) = (&self.clock, &self.politeness, self.has_unknown_requests);
        let address = self.addresses.entry(key);
        address.or_insert_with(|| Address::unseen(clock, politeness, has_unknown))
    }
}

impl Address {
    /// An address that this run has not asked, and that an earlier run may have asked just before.
    fn unseen(clock: &CrawlClock, politeness: &Politeness, may_have_been_asked: bool) -> Self {
        let mut gate = AddressGate::new(clock, politeness);
        if may_have_been_asked {
            gate.was_asked(Duration::ZERO);
        }
        Self {
            gate,
            waiting: VecDeque::new(),
            is_due: false,
        }
    }

    fn is_open(&self, now: Now) -> bool {
        self.gate.ready_at().is_some_and(|at| at <= now)
    }
}
