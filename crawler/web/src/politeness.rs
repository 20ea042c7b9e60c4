//! How often a server may be asked: the gates that every request passes, be it for a page, robots.txt, a sitemap, the
//! next hop of a redirect or another try. `docs/src/politeness.md` tells the rules as a site's owner sees them.
//!
//! A request passes two gates: its host's, [`Gate`], and, as soon as it is known, that of the address that answers for
//! the host, an [`AddressGate`], for a hundred names may be one machine.
//!
//! - `pacer`: requests open at a time, and the time between two. [`governor`] keeps it (GCRA, a cell a delay).
//! - `pace`: how long that time is just now: longer for a server that is slow or has said that it is too much.
//! - `backoff`: how long a failure or a `Retry-After` silences a host.
//!
//! Time and chance are arguments everywhere: no test of politeness sleeps, and each can be repeated.

mod address;
mod backoff;
mod gate;
mod pace;
mod pacer;
mod settings;

use std::net::IpAddr;
use std::time::Duration;

use governor::clock::FakeRelativeClock;

pub use address::{AddressGate, AddressKey};
pub use gate::{Gate, GateMemory};
pub use settings::Politeness;

/// Time since the run began.
pub type Now = Duration;

/// Longest rest that a server can ask for. A `Retry-After` of a year is a slip of somebody's pen.
pub const MAX_REST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a finished request says of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSignal {
    /// It answered.
    Answered,
    /// It asked for rest (429, 503), with its `Retry-After` where it gave one.
    Busy {
        /// From the response's arrival.
        retry_after: Option<Duration>,
    },
    /// No connection, or none that lasted.
    Unreachable,
}

/// With whom a request came into contact; nothing where no answer came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contact {
    /// The address really connected to; `None` also behind a proxy.
    pub address: Option<IpAddr>,
    /// From the request to the head of its answer.
    pub latency: Option<Duration>,
}

/// The clock of all gates of a crawl: it shows what [`CrawlClock::set`] last said.
///
/// governor's own clock for tests is just that, a clock moved by hand.
#[derive(Debug, Clone, Default)]
pub struct CrawlClock {
    clock: FakeRelativeClock,
    shown: Now,
}

impl CrawlClock {
    /// What it shows.
    #[must_use]
    pub fn now(&self) -> Now {
        self.shown
    }

    /// Moves the clock forward to `now`; it never goes back.
    pub fn set(&mut self, now: Now) {
        let step = now.saturating_sub(self.shown);
        self.clock.advance(step);
        self.shown += step;
    }
}
