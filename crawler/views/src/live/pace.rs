//! Why a run is no faster, in words.

use std::time::Duration;

use crawl::delays;
use crawl::stats::{RunNow, about};
use crawl::{HostStanding, HostStateKind, Standing};
use terminal::units::{counted, grouped, utc};
use web::politeness::Delays;

/// A shorter time for the URLs of a host is not shown.
const SHORTEST_QUEUE: Duration = Duration::from_secs(60);

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

/// How long the host with the most URLs takes at least, if that is long.
pub(crate) fn longest_queue(now: &RunNow) -> Option<String> {
    let host = now.standing.largest.first().filter(|_| !now.paused && !now.stopping)?;
    let least = host.at_least().filter(|least| *least >= SHORTEST_QUEUE)?;
    let urls = counted(host.urls, "URL");
    Some(format!("The {urls} of {} take at least {}.", host.host, about(least)))
}

/// How many pages the run read without their scripts, which may say more; the words of the summary at its end.
pub(crate) fn unrendered(now: &RunNow) -> Option<String> {
    let have = if now.unrendered == 1 { "has" } else { "have" };
    let pages = counted(now.unrendered, "page");
    (now.unrendered > 0).then(|| {
        format!(
            "{pages} of this run {have} scripts and hardly any text; render.mode decides whether a browser runs them."
        )
    })
}

/// URLs that fail in a row, from which on the run says so.
const FAILING: u64 = 10;

/// That the last URLs failed, if most did: then no delay says why the crawl is no faster.
pub(crate) fn failing(now: &RunNow) -> Option<String> {
    let lately = &now.lately;
    let since = match lately.last_page_ms {
        Some(at) => format!("no page since {} UTC", utc(at).get(11..19)?),
        None => "no page in this run so far".to_owned(),
    };
    if lately.failed_in_a_row >= FAILING {
        let urls = grouped(lately.failed_in_a_row);
        return Some(format!("The last {urls} URLs failed ({}); {since}.", lately.kind));
    }
    let (failed, of) = lately.failed_of_last();
    (failed >= FAILING && failed * 4 >= of * 3).then(|| {
        format!(
            "{failed} of the last {of} URLs failed, the last one by {}.",
            lately.kind
        )
    })
}

/// What bounds the rate of a run, after what is wrong with it.
pub(crate) fn bound(now: &RunNow) -> String {
    let parts = [failing(now), Some(limit(now))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What bounds the rate of a run.
pub(crate) fn limit(now: &RunNow) -> String {
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
    if let Some(told) = by_parallel(standing, asked) {
        return told;
    }
    if let Some(rate) = rate_by_delays(standing, asked) {
        let hosts = if asked == 1 {
            "one host"
        } else {
            &format!("{asked} hosts")
        };
        return format!(
            "The politeness delay of {hosts} allows at most {rate:.1} requests a second. {}",
            by_rule(standing)
        );
    }
    if standing.count(HostStateKind::Resting) * 2 > asked {
        return "Most hosts rest, because they failed or asked the crawler to wait.".to_owned();
    }
    "No delay bounds the rate: it is what the servers and this machine can do.".to_owned()
}

/// Says so if all hosts have as many requests under way as they may have, and take longer to answer these than the delays last.
fn by_parallel(standing: &Standing, asked: u64) -> Option<String> {
    let hosts: Vec<&HostStanding> = standing.largest.iter().filter(is_asked).collect();
    let is_full = |host: &&HostStanding| {
        let parallel = host.delays.parallel.max(1);
        let answers = host.delays.latency.unwrap_or_default();
        let delays = host
            .delays
            .longest()
            .saturating_mul(u32::try_from(parallel).unwrap_or(u32::MAX));
        host.open >= parallel as u64 && answers > delays
    };
    let host = hosts.first()?;
    (hosts.len() as u64 == asked && hosts.iter().all(is_full)).then(|| {
        let allowed = host.delays.parallel.max(1);
        format!(
            "{} of {} requests that {} may have are under way, and each takes about {}: a larger politeness.parallel_per_host allows more from the \
             next run on, if the host can bear it. More hosts would allow more, too.",
            host.open,
            allowed,
            host.host,
            delays::seconds(host.delays.latency.unwrap_or_default())
        )
    })
}

/// The rule that sets the delays of most hosts, and what makes them shorter.
fn by_rule(standing: &Standing) -> String {
    let mut rules: Vec<(&HostStanding, u64)> = Vec::new();
    for host in standing.largest.iter().filter(is_asked) {
        match rules
            .iter_mut()
            .find(|(other, _)| delays::rule(other) == delays::rule(host))
        {
            Some((_, hosts)) => *hosts += 1,
            None => rules.push((host, 1)),
        }
    }
    // Of rules with the same number of hosts, the one of the host with the most URLs stays first.
    rules.sort_by_key(|(_, hosts)| std::cmp::Reverse(*hosts));
    let Some((host, _)) = rules.first() else {
        return String::new();
    };
    let advice = delays::advice(host);
    let more = "More hosts would allow more, too.";
    if rules.len() == 1 && rules[0].1 == 1 {
        return format!("{} waits {}: {advice}. {more}", host.host, delays::reason(host));
    }
    let named: Vec<String> = rules
        .iter()
        .map(|(host, hosts)| format!("{} ({})", delays::rule(host), counted(*hosts, "host")))
        .collect();
    format!(
        "The delays are set by {}. For {}: {advice}. {more}",
        named.join(", "),
        delays::rule(host)
    )
}

fn is_asked(host: &&HostStanding) -> bool {
    host.state.is_waiting() || host.state == HostStateKind::Fetching
}

/// The requests a second that the delays of all hosts allow, with the time of their answers. `None` if a host has no delay, or not all hosts are named.
fn rate_by_delays(standing: &Standing, asked: u64) -> Option<f64> {
    let delays = standing.largest.iter().filter(is_asked).map(|host| host.delays);
    let delays: Vec<Delays> = delays.collect();
    let is_whole = delays.len() as u64 == asked && delays.iter().all(|delays| !delays.longest().is_zero());
    is_whole.then(|| delays.iter().map(|delays| 1.0 / delays.interval().as_secs_f64()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with one host in each of the states, with this delay.
    fn run(states: &[HostStateKind], delay: u64) -> RunNow {
        let named = states.iter().map(|state| HostStanding {
            host: "a.example".into(),
            urls: 7,
            state: *state,
            open: 0,
            delays: Delays::of_configuration(Duration::from_secs(delay)),
            is_ordered: false,
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
    fn a_run_whose_urls_fail_says_so_first() {
        let stats = crawl::stats::Stats::default();
        let told = |stats: &crawl::stats::Stats| bound(&RunNow::of(stats));
        (1..FAILING).for_each(|_| stats.failure("dns"));
        assert!(!told(&stats).contains("failed"), "{}", told(&stats));
        stats.failure("http_404");
        assert!(
            told(&stats).starts_with("The last 10 URLs failed (http_404); no page in this run so far. No host"),
            "{}",
            told(&stats)
        );
        stats.verdict(&storage::Verdict::Unique);
        assert!(told(&stats).starts_with("10 of the last 11 URLs failed, the last one by http_404."));
        (0..28).for_each(|_| stats.failure("http_404"));
        let mut now = RunNow::of(&stats);
        now.lately.last_page_ms = Some(1_774_000_000_000);
        assert_eq!(
            failing(&now).unwrap(),
            "The last 28 URLs failed (http_404); no page since 09:46:40 UTC."
        );
        (0..10).for_each(|_| stats.verdict(&storage::Verdict::Unique));
        assert_eq!(failing(&RunNow::of(&stats)), None);
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
        let slow = |crawl_delay, by_latency| {
            let mut now = run(&[Delay], 1);
            now.standing.largest[0].delays = Delays {
                crawl_delay: Duration::from_secs(crawl_delay),
                by_latency: Duration::from_secs(by_latency),
                latency: Some(Duration::from_millis(2_500)),
                latency_factor: 2.0,
                parallel: 1,
                ..now.standing.largest[0].delays
            };
            bound(&now)
        };
        let by_latency = slow(4, 5);
        assert!(
            by_latency.contains("at most 0.1 requests a second. a.example waits 5.0 s by its latency"),
            "{by_latency}"
        );
        assert!(by_latency.contains("robots.txt asks for 4.0 s"), "{by_latency}");
        assert!(
            by_latency.contains("a smaller politeness.latency_factor shortens it"),
            "{by_latency}"
        );
        let mut full = run(&[Fetching], 1);
        full.standing.largest[0].open = 4;
        full.standing.largest[0].delays = Delays {
            set: Duration::from_millis(200),
            latency: Some(Duration::from_millis(2_500)),
            parallel: 4,
            ..Delays::default()
        };
        let by_parallel = bound(&full);
        assert!(
            by_parallel
                .starts_with("4 of 4 requests that a.example may have are under way, and each takes about 2.5 s"),
            "{by_parallel}"
        );
        full.standing.largest[0].delays.set = Duration::from_millis(700);
        assert!(bound(&full).contains("at most 1.4 requests"), "the delay bounds it");
        let by_robots = slow(4, 3);
        assert!(
            by_robots.contains("politeness.max_crawl_delay_ms bounds it"),
            "{by_robots}"
        );
        assert_eq!(longest_queue(&run(&[Delay], 1)), None, "seven seconds");
        let long = longest_queue(&run(&[Delay], 20)).unwrap();
        assert_eq!(long, "The 7 URLs of a.example take at least about 2 min.");
        let mut few = run(&[Delay], 1);
        assert_eq!(unrendered(&few), None);
        few.unrendered = 1;
        assert!(unrendered(&few).unwrap().starts_with("1 page of this run has scripts"));
        let two = bound(&run(&[Delay, Fetching], 4));
        assert!(two.contains("set by delay_ms of the configuration (2 hosts)"), "{two}");
        assert_eq!(
            hosts(&run(&[Delay, Delay, Fetching], 1).standing),
            "3 hosts have queued URLs: 1 fetching, 2 waiting for the politeness delay."
        );
        assert_eq!(hosts(&Standing::default()), "No host has queued URLs.");
    }
}
