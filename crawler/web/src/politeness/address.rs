//! The gate of one address, shared by all hosts that it serves.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use super::pace::Pace;
use super::pacer::Pacer;
use super::settings::Politeness;
use super::{CrawlClock, HostSignal, Now};

/// A server: a machine and one of its ports. The requests to a server are counted together.
///
/// Ports 80 and 443 count as one. Every other port is a separate server and does not delay the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressKey {
    machine: Machine,
    /// `None` for the default port of the scheme.
    port: Option<u16>,
}

/// An IPv4 address, or the /64 network of an IPv6 address, which belongs to one machine or customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Machine {
    /// An IPv4 address, also one that was written as an IPv6 address.
    V4(Ipv4Addr),
    /// The first 64 bits.
    V6(u64),
}

impl From<IpAddr> for Machine {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => Self::V6((address.to_bits() >> 64) as u64),
        }
    }
}

impl AddressKey {
    /// The key of the server at `address` that serves `host`, a host key such as `example.org:8080`.
    #[must_use]
    pub fn new(address: IpAddr, host: &str) -> Self {
        let after_address = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
        let port = after_address.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        Self {
            machine: address.into(),
            port: port.filter(|port| ![80, 443].contains(port)),
        }
    }

    /// The key of a host that is an address in the form of a host key: `192.0.2.1:8080`, `[2001:db8::1]`.
    #[must_use]
    pub fn of_literal(host: &str) -> Option<Self> {
        let bare = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?.0,
            None => host.split_once(':').map_or(host, |(address, _port)| address),
        };
        bare.parse().ok().map(|address| Self::new(address, host))
    }
}

/// `192.0.2.1`, `192.0.2.1:8080`, `[2001:db8:1:2::]`: equal for equal keys, on every machine.
impl fmt::Display for AddressKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machine {
            Machine::V4(address) => write!(f, "{address}")?,
            Machine::V6(network) => write!(f, "[{}]", Ipv6Addr::from_bits(u128::from(network) << 64))?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The gate of one address. It spaces the requests to all its hosts and slows down with the server. Rests after failures are
/// the matter of the hosts' own gates.
#[derive(Debug)]
pub struct AddressGate {
    pacer: Pacer,
    pace: Pace,
    delay: Duration,
    /// The requests that may be open at a time, of all processes that ask the address.
    parallel: usize,
    /// How many processes ask the address, this one included.
    sharers: u32,
}

impl AddressGate {
    /// The gate of an address without any request so far.
    #[must_use]
    pub fn new(clock: &CrawlClock, rules: &Politeness) -> Self {
        Self {
            pacer: Pacer::new(clock, rules.parallel_per_address),
            pace: Pace::new(rules),
            delay: rules.address_delay,
            parallel: rules.parallel_per_address,
            sharers: 1,
        }
    }

    /// The delay of this process. Whatever decides it, it is that of one process alone times the number of those that share the address.
    fn delay(&self) -> Duration {
        self.delay_of_all().saturating_mul(self.sharers)
    }

    /// The delay between two requests of all processes together.
    fn delay_of_all(&self) -> Duration {
        self.pace.delay(self.delay, self.parallel)
    }

    /// So many processes ask the address, this one included. Each of them makes that part of the requests that one alone would make.
    pub fn share(&mut self, sharers: u32, now: Now) {
        self.change(now, |gate| gate.sharers = sharers.max(1));
    }

    /// Takes over other delays and bounds, as [`Gate::adopt`](super::Gate::adopt) does.
    pub fn adopt(&mut self, rules: &Politeness, now: Now) {
        self.change(now, |gate| {
            gate.pace.adopt(rules);
            (gate.delay, gate.parallel) = (rules.address_delay, rules.parallel_per_address);
        });
    }

    fn change(&mut self, now: Now, change: impl FnOnce(&mut Self)) {
        let before = self.delay();
        change(self);
        let parallel = (self.parallel / self.sharers as usize).max(1);
        self.pacer.set_parallel(parallel, now, before);
        self.pacer.change_delay(before, self.delay(), now);
    }

    /// The time at which the next request may start; `None` while as many requests are open as permitted.
    #[must_use]
    pub fn ready_at(&self) -> Option<Now> {
        self.pacer.ready_at()
    }

    /// A request starts.
    pub fn start(&mut self, now: Now) {
        self.pacer.start(now, self.delay());
    }

    /// A request has ended; its response took `latency`.
    pub fn finish(&mut self, now: Now, signal: HostSignal, latency: Option<Duration>) {
        match signal {
            HostSignal::Answered | HostSignal::Waits(_) | HostSignal::Faulty { .. } => self.pace.answered(latency),
            HostSignal::Busy { .. } => self.pace.busy(self.delay_of_all(), now),
            HostSignal::Unreachable | HostSignal::Absent => {}
        }
        self.pacer.finish(now, self.delay());
    }

    /// A host with this many open requests turns out to be at this address.
    pub fn join(&mut self, open: usize) {
        self.pacer.join(open);
    }

    /// A host with this many open requests turns out to be at another address.
    pub fn leave(&mut self, open: usize) {
        self.pacer.leave(open);
    }

    /// The last request to a host of the address was `ago` before this run began.
    pub fn was_asked(&mut self, ago: Duration) {
        self.pacer.was_asked(ago, self.delay());
    }

    /// The last request to a host of the address was made at this time of the run, by somebody else.
    pub fn was_asked_at(&mut self, at: Now) {
        self.pacer.was_asked_at(at, self.delay());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_machine_and_a_port() {
        let key = |text: &str, host: &str| AddressKey::new(text.parse().unwrap(), host);
        assert_eq!(key("::ffff:192.0.2.1", "a"), key("192.0.2.1", "b"));
        assert_ne!(key("192.0.2.1", "a"), key("192.0.2.2", "a"));
        assert_eq!(key("2001:db8:1:2::1", "a"), key("2001:db8:1:2:ffff::9", "a"));
        assert_ne!(key("2001:db8:1:2::1", "a"), key("2001:db8:1:3::1", "a"));
        assert_eq!(key("192.0.2.1", "a:443"), key("192.0.2.1", "b:80"));
        assert_eq!(key("192.0.2.1", "a:8080"), key("192.0.2.1", "b:8080"));
        assert_ne!(key("192.0.2.1", "a:8080"), key("192.0.2.1", "a"));
    }

    #[test]
    fn the_text_of_an_address_tells_servers_apart() {
        let text = |address: &str, host: &str| AddressKey::new(address.parse().unwrap(), host).to_string();
        assert_eq!(text("::ffff:192.0.2.1", "a:443"), "192.0.2.1");
        assert_eq!(text("192.0.2.1", "a:8080"), "192.0.2.1:8080");
        assert_eq!(text("2001:db8:1:2:ffff::9", "a"), "[2001:db8:1:2::]");
        assert_eq!(text("2001:db8:1:2::9", "a:81"), "[2001:db8:1:2::]:81");
    }

    #[test]
    fn those_that_share_an_address_divide_its_delay_and_its_requests() {
        let rules = Politeness {
            address_delay: Duration::from_millis(200),
            parallel_per_address: 5,
            ..Politeness::default()
        };
        let at = |ms| Now::ZERO + Duration::from_millis(ms);
        let mut gate = AddressGate::new(&CrawlClock::default(), &rules);
        gate.start(at(1_000));
        assert_eq!(gate.ready_at(), Some(at(1_200)));
        gate.share(3, at(1_005));
        assert_eq!(gate.ready_at(), None, "one of five is open");
        gate.finish(at(1_010), HostSignal::Answered, None);
        assert_eq!(gate.ready_at(), Some(at(1_610)), "from the end of the request");
        gate.share(1, at(1_020));
        assert_eq!(gate.ready_at(), Some(at(1_210)));
        gate.share(0, at(1_030));
        (0..4).for_each(|number| gate.start(at(2_000 + number * 200)));
        assert_eq!(gate.ready_at(), Some(at(2_800)), "four of five are open");
    }

    #[test]
    fn those_that_share_a_slow_or_overloaded_server_divide_its_rate_too() {
        let rules = Politeness {
            address_delay: Duration::from_millis(200),
            parallel_per_address: 4,
            latency_factor: 2.0,
            ..Politeness::default()
        };
        let seconds = |seconds| Now::ZERO + Duration::from_secs(seconds);
        let mut gate = AddressGate::new(&CrawlClock::default(), &rules);
        gate.start(seconds(1));
        gate.finish(seconds(4), HostSignal::Answered, Some(Duration::from_secs(3)));
        assert_eq!(
            gate.delay(),
            Duration::from_millis(1_500),
            "twice 3 s, for four at a time"
        );
        gate.share(30, seconds(4));
        assert_eq!(gate.delay(), Duration::from_secs(45));
        gate.start(seconds(100));
        gate.finish(seconds(101), HostSignal::Busy { retry_after: None }, None);
        assert_eq!(
            gate.delay(),
            Duration::from_secs(90),
            "twice the delay that was too short, for each"
        );
    }

    #[test]
    fn a_literal_host_names_its_address() {
        for (host, address) in [
            ("192.0.2.1", Some("192.0.2.1")),
            ("192.0.2.1:8080", Some("192.0.2.1")),
            ("[2001:db8::1]", Some("2001:db8::1")),
            ("[2001:db8::1]:8080", Some("2001:db8::1")),
            ("example.org", None),
            ("example.org:80", None),
            ("1.example", None),
            ("[broken", None),
        ] {
            let expected = address.map(|address| AddressKey::new(address.parse().unwrap(), host));
            assert_eq!(AddressKey::of_literal(host), expected, "{host}");
        }
        assert_ne!(
            AddressKey::of_literal("[2001:db8::1]:8080"),
            AddressKey::of_literal("[2001:db8::1]")
        );
    }
}
