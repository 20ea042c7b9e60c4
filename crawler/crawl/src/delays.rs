//! Why a host is asked no faster, in words: the rule that sets its delay, the other rules, and what changes it.

use std::time::Duration;

use web::host_pattern::parse_host;
use web::politeness::DelayRule;

use crate::frontier::{HostStanding, Standing};
use terminal::commands::command;

/// Hosts that a sentence names.
const NAMED: usize = 3;

/// A delay for people: `4.6 s`, `0.25 s`.
#[must_use]
pub fn seconds(delay: Duration) -> String {
    let seconds = delay.as_secs_f64();
    match seconds {
        0.0 => "0 s".to_owned(),
        1.0.. => format!("{seconds:.1} s"),
        0.01.. => format!("{seconds:.2} s"),
        _ => format!("{seconds:.3} s"),
    }
}

/// The word of a rule for programs: a documented value of the JSON.
#[must_use]
pub fn word(host: &HostStanding) -> &'static str {
    match host.delays.rule() {
        DelayRule::Set if host.is_ordered => "order",
        DelayRule::Set => "configuration",
        DelayRule::CrawlDelay => "robots",
        DelayRule::Latency => "latency",
        DelayRule::Slowed => "slowed",
    }
}

/// The rule that sets the delay of a host: `its latency`.
#[must_use]
pub fn rule(host: &HostStanding) -> &'static str {
    name(host, host.delays.rule())
}

fn name(host: &HostStanding, rule: DelayRule) -> &'static str {
    match rule {
        DelayRule::Set if host.is_ordered => "your order",
        DelayRule::Set => "delay_ms of the configuration",
        DelayRule::CrawlDelay => "the Crawl-delay of its robots.txt",
        DelayRule::Latency => "its latency",
        DelayRule::Slowed => "its answers 429 or 503",
    }
}

/// The delay of a host with the rule that sets it, and what the other rules ask for: `5.0 s by its latency (2.5 s × politeness.latency_factor
/// 2); the Crawl-delay of its robots.txt asks for 4.0 s, your order for 0.10 s`.
#[must_use]
pub fn reason(host: &HostStanding) -> String {
    let rule = host.delays.rule();
    let mut text = format!("{} by {}", seconds(host.delays.longest()), name(host, rule));
    if rule == DelayRule::Latency {
        text.push_str(&by_latency(host));
    }
    let mut others: Vec<DelayRule> = DelayRule::ALL.to_vec();
    others.retain(|other| *other != rule && !host.delays.of(*other).is_zero());
    others.sort_by_key(|other| std::cmp::Reverse(host.delays.of(*other)));
    for (at, other) in others.into_iter().enumerate() {
        let (before, asks) = if at == 0 { ("; ", " asks") } else { (", ", "") };
        let delay = seconds(host.delays.of(other));
        text.push_str(&format!("{before}{}{asks} for {delay}", name(host, other)));
    }
    text
}

/// How the delay by the latency comes about.
fn by_latency(host: &HostStanding) -> String {
    let delays = &host.delays;
    let latency = delays.latency.unwrap_or_default();
    let mut text = format!(
        " ({} × politeness.latency_factor {}",
        seconds(latency),
        delays.latency_factor
    );
    if delays.parallel > 1 {
        text.push_str(&format!(" / {} parallel requests", delays.parallel));
    }
    if latency.mul_f64(delays.latency_factor / delays.parallel.max(1) as f64) > delays.by_latency {
        text.push_str(", at most politeness.max_delay_ms");
    }
    text.push(')');
    text
}

/// What makes the delay of a host shorter.
#[must_use]
pub fn advice(host: &HostStanding) -> String {
    let order = command("control", &["delay", "HOST", "SECONDS"]);
    match host.delays.rule() {
        DelayRule::Set if host.is_ordered => format!("`{order}` changes it at once"),
        DelayRule::Set => format!("`{order}` changes it at once, and delay_ms from the next run on"),
        DelayRule::CrawlDelay => {
            "politeness.max_crawl_delay_ms bounds it, for all hosts and from the next run on; another delay_ms changes nothing".to_owned()
        }
        DelayRule::Latency => {
            "a smaller politeness.latency_factor shortens it from the next run on; another delay_ms changes nothing"
                .to_owned()
        }
        DelayRule::Slowed => {
            "each good answer shortens it by a tenth, and politeness.max_delay_ms bounds it; another delay_ms changes nothing"
                .to_owned()
        }
    }
}

/// The delays of the named hosts that a host or pattern of an order takes. `None` if none is among them.
#[must_use]
pub(crate) fn now(standing: &Standing, ordered: &str) -> Option<String> {
    let pattern = parse_host(ordered).ok()?;
    let taken = standing.largest.iter().filter(|host| pattern.takes(&host.host));
    let taken: Vec<String> = taken
        .take(NAMED)
        .map(|host| format!("{} waits {}", host.host, reason(host)))
        .collect();
    (!taken.is_empty()).then(|| taken.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::HostStateKind;
    use web::politeness::Delays;

    fn host(delays: Delays, is_ordered: bool) -> HostStanding {
        HostStanding {
            host: "a.example".to_owned(),
            urls: 1,
            state: HostStateKind::Delay,
            open: 0,
            delays,
            is_ordered,
            until: None,
            failure: None,
        }
    }

    #[test]
    fn the_rule_that_counts_comes_first_and_the_others_say_what_they_ask_for() {
        let ms = Duration::from_millis;
        let mut delays = Delays {
            set: ms(100),
            crawl_delay: ms(4_000),
            by_latency: ms(5_000),
            latency: Some(ms(2_500)),
            latency_factor: 2.0,
            parallel: 1,
            ..Delays::default()
        };
        let slow = host(delays, true);
        assert_eq!(
            reason(&slow),
            "5.0 s by its latency (2.5 s × politeness.latency_factor 2); the Crawl-delay of its robots.txt asks for 4.0 s, your order \
             for 0.10 s"
        );
        assert_eq!(word(&slow), "latency");
        assert!(advice(&slow).starts_with("a smaller politeness.latency_factor"));
        delays.by_latency = ms(3_000);
        let cut = host(delays, false);
        assert!(by_latency(&cut).ends_with("politeness.latency_factor 2, at most politeness.max_delay_ms)"));
        assert!(reason(&cut).starts_with("4.0 s by the Crawl-delay of its robots.txt; its latency asks for 3.0 s, "));
        assert_eq!(word(&cut), "robots");
        assert!(advice(&cut).starts_with("politeness.max_crawl_delay_ms"));
        let plain = host(Delays::of_configuration(ms(1_000)), false);
        assert_eq!(reason(&plain), "1.0 s by delay_ms of the configuration");
        assert!(advice(&plain).contains("control delay HOST SECONDS"));
        let standing = Standing::of_hosts(vec![plain]);
        let told = "a.example waits 1.0 s by delay_ms of the configuration";
        assert_eq!(now(&standing, "*.example").as_deref(), Some(told));
        assert_eq!(now(&standing, "b.example"), None);
    }
}
