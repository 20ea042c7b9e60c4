//! Orders as people write them, checked before they are written down. Each reason is a sentence.

use super::in_force::InForce;
use super::order::Order;
use super::target::Target;
use crate::seeds::Seeds;
use config::settings::Settings;
use web::host_pattern::parse_host;

/// URLs of one order. More belong into a seeds file, which is read as a stream.
pub const MAX_URLS: usize = 10_000;

/// Bytes of their texts.
pub const MAX_BYTES: usize = 4 << 20;

/// Drops in force. More are a slip of the pen, as in the configuration.
const MAX_DROPS: usize = 1_000;

/// The longest delay, as in the configuration: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Hosts or patterns to drop or to restore, each once.
///
/// # Errors
/// One is neither a host nor a pattern.
pub fn targets(written: &[String]) -> Result<Vec<String>, String> {
    let mut texts: Vec<String> = Vec::new();
    for text in written {
        let target = Target::parse(text).map_err(|reason| format!("{text:?}: {reason}"))?;
        if !texts.iter().any(|known| known == target.as_str()) {
            texts.push(target.as_str().to_owned());
        }
    }
    Ok(texts)
}

/// The order of a delay: `seconds` is a number, or `default`.
///
/// # Errors
/// `host` is no host, or `seconds` no delay.
pub fn delay(host: &str, seconds: &str) -> Result<Order, String> {
    parse_host(host).map_err(|reason| format!("{host:?}: {reason}"))?;
    let seconds = match seconds {
        "default" => None,
        text => {
            let seconds = seconds_of(text).filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
            Some(seconds.ok_or_else(|| {
                format!(
                    "{text:?} is no delay: write seconds from 0 to {MAX_SECONDS}, such as 5 or 0.5, a time such as 250ms, or default"
                )
            })?)
        }
    };
    let host = host.to_lowercase();
    Ok(Order::Delay { host, seconds })
}

/// Seconds, with or without a unit.
fn seconds_of(text: &str) -> Option<f64> {
    let with_unit = || Some(humantime::parse_duration(text).ok()?.as_secs_f64());
    text.parse().ok().or_else(with_unit)
}

/// Refuses what is no URL by any configuration; the crawl checks the rest by its own.
///
/// # Errors
/// One of the URLs is none.
pub fn check_urls(urls: &[String], settings: &Settings) -> Result<(), String> {
    match Seeds::in_texts(urls, settings).1.into_iter().next() {
        None => Ok(()),
        Some(bad) => Err(format!("{:?} is no URL to add: {}", bad.text, bad.reason)),
    }
}

/// The order to add checked URLs.
///
/// # Errors
/// There are too many for one order.
pub fn add(urls: Vec<String>) -> Result<Order, String> {
    if urls.len() > MAX_URLS || urls.iter().map(String::len).sum::<usize>() > MAX_BYTES {
        return Err(format!(
            "there are too many URLs for one order, which takes {MAX_URLS} or 4 MiB: divide them, or start a run with a seeds file"
        ));
    }
    Ok(Order::Add { urls })
}

/// Refuses to restore what is not dropped.
pub(super) fn check_dropped(what: &[String], in_force: &InForce) -> Result<(), String> {
    let Some(other) = what.iter().find(|what| !in_force.is_dropped(what)) else {
        return Ok(());
    };
    let dropped: Vec<&str> = in_force.dropped.iter().map(|dropped| dropped.what.as_str()).collect();
    Err(if dropped.is_empty() {
        format!("{other} is not dropped; nothing is")
    } else {
        format!(
            "{other} is not dropped; write it as it was dropped: {}",
            dropped.join(", ")
        )
    })
}

/// Bounds the number of drops, each of which is compared with every URL.
pub(super) fn check_number(what: &[String], in_force: &InForce) -> Result<(), String> {
    if in_force.dropped.len() + what.len() <= MAX_DROPS {
        return Ok(());
    }
    Err(format!(
        "more than {MAX_DROPS} hosts and patterns cannot be dropped; one regex: can stand for many, and scope.exclude holds for the next run"
    ))
}
