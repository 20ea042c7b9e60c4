//! Why a run is no faster, in words.

use crawl::stats::RunNow;
use crawl::{HostStanding, HostStateKind, Standing};

/// What the hosts do: `4 hosts have queued URLs: 1 fetching, 3 waiting for the politeness delay.`
pub(crate) fn hosts(standing: &Standing) -> String {
    let counts = HostStateKind::ALL.map(|state| (state, standing.count(state)));
    let all: u64 = counts.iter().map(|(_, hosts)| hosts).sum();
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, hosts)| *hosts > 0)
        .map(|(state, hosts)| format!("{hosts} {}", state.meaning()))
        .collect();
    match all {
        0 => "No host has queued URLs.".to_owned(),
        1 => format!("1 host has queued URLs: {}.", parts.join(", ")),
        _ => format!("{all} hosts have queued URLs: {}.", parts.join(", ")),
    }
}

/// What bounds the rate of a run.
pub(crate) fn bound(now: &RunNow) -> String {
    let standing = &now.standing;
    if now.stopping {
        return "The run ends: it finishes the URLs in process.".to_owned();
    }
    if now.paused {
        return "The crawl is paused: no request starts until it is resumed.".to_owned();
    }
    if now.parallel > 0 && now.open_requests >= now.parallel {
        return format!(
            "All {} requests that fetch.parallel allows are under way: a larger fetch.parallel allows more.",
            now.parallel
        );
    }
    let asked = standing.count(HostStateKind::Fetching) + standing.waiting();
    if asked == 0 {
        return "No host may be asked for anything in this run.".to_owned();
    }
    if let Some(rate) = rate_by_delays(standing, asked) {
        let hosts = if asked == 1 {
            "one host"
        } else {
            &format!("{asked} hosts")
        };
        return format!(
            "The politeness delay of {hosts} allows at most {rate:.1} requests a second. A shorter delay, or more hosts, would allow more."
        );
    }
    if standing.count(HostStateKind::Resting) * 2 > asked {
        return "Most hosts rest, because they failed or asked the crawler to wait.".to_owned();
    }
    "No delay bounds the rate: it is what the servers and this machine can do.".to_owned()
}

/// The requests a second that the delays of all hosts allow. `None` if a host has no delay, or not all hosts are named.
fn rate_by_delays(standing: &Standing, asked: u64) -> Option<f64> {
    let is_asked = |host: &&HostStanding| host.state.is_waiting() || host.state == HostStateKind::Fetching;
    let delays = standing
        .largest
        .iter()
        .filter(is_asked)
        .map(|host| host.delay.as_secs_f64());
    let delays: Vec<f64> = delays.collect();
    let is_whole = delays.len() as u64 == asked && delays.iter().all(|delay| *delay > 0.0);
    is_whole.then(|| delays.iter().map(|delay| 1.0 / delay).sum())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A run with one host in each of the states, with this delay.
    fn run(states: &[HostStateKind], delay: u64) -> RunNow {
        let named = states.iter().map(|state| HostStanding {
            host: "a.example".into(),
            urls: 7,
            state: *state,
            open: 0,
            delay: Duration::from_secs(delay),
            until: None,
            failure: None,
        });
        RunNow {
            parallel: 8,
            standing: Standing::of_hosts(named.collect()),
            ..RunNow::default()
        }
    }

    #[test]
    fn what_bounds_the_rate_is_named() {
        use HostStateKind::{Delay, Fetching, GivenUp, Resting};
        for (now, part) in [
            (
                run(&[Delay, Fetching, GivenUp], 4),
                "delay of 2 hosts allows at most 0.5",
            ),
            (run(&[Delay], 1), "delay of one host allows at most 1.0"),
            (run(&[Fetching], 0), "No delay bounds the rate"),
            (run(&[Resting, Resting, Fetching], 0), "Most hosts rest"),
            (run(&[GivenUp], 1), "No host may be asked"),
            (
                RunNow {
                    open_requests: 8,
                    ..run(&[Fetching], 0)
                },
                "All 8 requests",
            ),
            (
                RunNow {
                    paused: true,
                    ..run(&[Delay], 1)
                },
                "paused",
            ),
        ] {
            assert!(bound(&now).contains(part), "{part} is not in {}", bound(&now));
        }
        assert_eq!(
            hosts(&run(&[Delay, Delay, Fetching], 1).standing),
            "3 hosts have queued URLs: 1 fetching, 2 waiting for the politeness delay."
        );
        assert_eq!(hosts(&Standing::default()), "No host has queued URLs.");
    }
}
