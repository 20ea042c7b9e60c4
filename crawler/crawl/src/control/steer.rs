//! The standing orders for the frontier, which knows nothing of the journal.

use std::sync::Arc;
use std::time::Duration;

use url::Url;
use web::host_pattern::{HostPattern, parse_host};

use super::in_force::InForce;
use super::target::Target;

/// The standing orders. Clones are cheap: each host has one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Steer {
    /// Whether no request may start.
    pub is_paused: bool,
    /// What is dropped.
    pub drops: Drops,
    /// The delays of hosts.
    pub delays: Delays,
}

/// The hosts and URLs of which nothing is fetched. `None` as long as there are none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drops(Option<Arc<Vec<Target>>>);

/// The delays that were ordered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delays(Arc<[(HostPattern, Duration)]>);

impl Steer {
    /// Compiles what stands. A line that this version cannot read stands for nothing.
    pub fn of(in_force: &InForce) -> Self {
        let targets = in_force.dropped.iter();
        let targets: Vec<Target> = targets
            .filter_map(|dropped| read(&dropped.what, Target::parse(&dropped.what)))
            .collect();
        // The latest order on a host comes first.
        let delays = in_force.delays.iter().rev().filter_map(|delayed| {
            let pattern = read(&delayed.host, parse_host(&delayed.host))?;
            let delay = Duration::try_from_secs_f64(delayed.seconds).ok()?;
            Some((pattern, delay))
        });
        Self {
            is_paused: in_force.paused.is_some(),
            drops: Drops((!targets.is_empty()).then(|| Arc::new(targets))),
            delays: Delays(delays.collect()),
        }
    }
}

fn read<T>(text: &str, parsed: Result<T, String>) -> Option<T> {
    match parsed {
        Ok(parsed) => Some(parsed),
        Err(reason) => {
            tracing::warn!("an order in {} has no effect: {text:?}: {reason}", super::journal::NAME);
            None
        }
    }
}

impl Drops {
    fn targets(&self) -> impl Iterator<Item = &Target> {
        self.0.iter().flat_map(|targets| targets.iter())
    }

    /// Why the URL is not fetched; `None` if it may be.
    pub fn refusal(&self, url: &Url) -> Option<String> {
        self.targets().find(|target| target.takes(url)).map(Target::reason)
    }

    /// Why no URL of the host is fetched; `None` if some may be.
    pub fn refusal_of_host(&self, host: &str) -> Option<String> {
        self.targets()
            .find(|target| target.takes_host(host))
            .map(Target::reason)
    }
}

impl Delays {
    /// The delay that was ordered for this host.
    pub fn of(&self, host: &str) -> Option<Duration> {
        let ordered = self.0.iter().find(|(pattern, _)| pattern.takes(host));
        ordered.map(|(_, delay)| *delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::in_force::{Delayed, Dropped};

    #[test]
    fn the_first_drop_gives_the_reason_and_the_last_delay_holds() {
        let dropped = |what: &str| Dropped {
            what: what.to_owned(),
            since: 1,
        };
        let delayed = |host: &str, seconds| Delayed {
            host: host.to_owned(),
            seconds,
            since: 1,
        };
        let steer = Steer::of(&InForce {
            dropped: vec![dropped("regex:("), dropped("a.example"), dropped("glob:/x/**")],
            delays: vec![delayed("*.example", 9.0), delayed("a.example", 0.5)],
            ..InForce::default()
        });
        let refusal = |url: &str| steer.drops.refusal(&Url::parse(url).unwrap());
        let by_host = "dropped by the order: a.example";
        assert_eq!(refusal("https://a.example/x/y").as_deref(), Some(by_host));
        assert_eq!(steer.drops.refusal_of_host("a.example").as_deref(), Some(by_host));
        assert!(refusal("https://b.example/x/y").unwrap().ends_with(": glob:/x/**"));
        assert_eq!(refusal("https://b.example/y"), None);
        assert_eq!(steer.delays.of("a.example"), Some(Duration::from_millis(500)));
        assert_eq!(steer.delays.of("b.example"), Some(Duration::from_secs(9)));
        assert_eq!(steer.delays.of("example"), None);
    }
}
