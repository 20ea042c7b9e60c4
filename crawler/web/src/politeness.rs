//! The gates that limit how often the crawler sends requests to a server. Every request passes them: for a page, for robots.txt,
//! for a sitemap, for the next hop of a redirect, and for a retry. `docs/src/politeness.md` explains the rules to the owner of a site.
//!
//! A request passes two gates: the [`Gate`] of its host and, once the address of the host is known, the [`AddressGate`] of that
//! address, because one machine may serve many names.
//!
//! - `pacer`: the number of open requests, and the time between two. [`governor`] keeps it (GCRA, one cell for each delay).
//! - `pace`: the current delay, which is longer for a server that is slow or overloaded.
//! - `delay`: which rule sets that delay.
//! - `backoff`: the rest of a host after a failure or a `Retry-After`.
//!
//! Time and randomness are arguments everywhere, so tests of politeness do not sleep and are repeatable.

mod address;
mod backoff;
mod delay;
mod gate;
mod pace;
mod pacer;
mod settings;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::clock::Clock;
use governor::nanos::Nanos;

pub use address::{AddressGate, AddressKey};
pub use delay::{DelayRule, Delays};
pub use gate::{Gate, GateMemory};
pub use settings::Politeness;

/// Time since the run began.
pub type Now = Duration;

/// Longest rest that a server can ask for. A `Retry-After` of a year is a mistake.
const MAX_REST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The evidence of a finished request about its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSignal {
    /// The host answered.
    Answered,
    /// The host answered, and asked for this rest with a status that is neither a failure nor a fault (RFC 9110, section 10.2.3).
    Waits(Duration),
    /// The host answered with a fault that may concern this URL alone, or all of them while a service behind the server is away (500, 502,
    /// 504).
    Faulty {
        /// As in [`Busy`](Self::Busy).
        retry_after: Option<Duration>,
        /// The attempts at the URL before this one; `None` for a URL that is not tried again.
        attempts: Option<u8>,
    },
    /// The host asked for rest (429, 503).
    Busy {
        /// The `Retry-After`, counted from the arrival of the response.
        retry_after: Option<Duration>,
    },
    /// No connection was opened, or the connection broke.
    Unreachable,
    /// As [`Unreachable`](Self::Unreachable), and the network says that no server is there.
    Absent,
}

/// The address and the latency of a request; both `None` if no response arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contact {
    /// The address of the connection; `None` behind a proxy.
    pub address: Option<IpAddr>,
    /// Time from the request to the head of the response.
    pub latency: Option<Duration>,
}

/// The clock of all gates of a crawl, and of their limiters: it is a [`Clock`] of governor. Its clones show the same time.
///
/// The crawl moves it with the time of each event ([`CrawlClock::set`]), so a limiter sees the same moment as the code that asks it. The
/// events of a test bring their own times.
#[derive(Debug, Clone, Default)]
pub struct CrawlClock {
    /// Nanoseconds since the run began. They last for 584 years.
    shown: Arc<AtomicU64>,
}

impl CrawlClock {
    /// The time that it shows.
    #[must_use]
    pub fn now(&self) -> Now {
        Now::from_nanos(self.shown.load(Ordering::Relaxed))
    }

    /// Moves the clock forward to `now`. It never goes back.
    pub fn set(&self, now: Now) {
        let nanos = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.shown.fetch_max(nanos, Ordering::Relaxed);
    }
}

impl Clock for CrawlClock {
    /// Eight bytes in each limiter, of which there may be a million; a [`Now`] has sixteen.
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.shown.load(Ordering::Relaxed).into()
    }
}
