//! The orders of the command line, checked before they are written down.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::cli::arguments::{ControlAction, ControlAddArgs, ControlDelayArgs, ControlTargets};
use crate::cli::error::UsageError;
use config::Config;
use config::settings::Settings;
use crawl::control::in_force::InForce;
use crawl::control::order::Order;
use crawl::control::target::Target;
use crawl::seeds::Seeds;
use web::host_pattern::parse_host;

/// URLs of one order. More belong into a seeds file, which is read as a stream.
const MAX_URLS: usize = 10_000;

/// Bytes of their texts.
const MAX_BYTES: usize = 4 << 20;

/// Drops in force. More are a slip of the pen, as in the configuration.
const MAX_DROPS: usize = 1_000;

/// The longest delay, as in the configuration: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// The order; `None` for the question about the status.
pub(super) fn of(action: &ControlAction) -> Result<Option<Order>, UsageError> {
    Ok(Some(match action {
        ControlAction::Pause => Order::Pause,
        ControlAction::Resume => Order::Resume,
        ControlAction::Stop => Order::Stop,
        ControlAction::Add(args) => Order::Add { urls: urls(args)? },
        ControlAction::Drop(args) => Order::Drop { what: targets(args)? },
        ControlAction::Restore(args) => Order::Restore { what: targets(args)? },
        ControlAction::Delay(args) => delay(args)?,
        ControlAction::Status => return Ok(None),
    }))
}

fn targets(args: &ControlTargets) -> Result<Vec<String>, UsageError> {
    let mut texts: Vec<String> = Vec::new();
    for text in &args.what {
        let target = Target::parse(text).map_err(|reason| UsageError::Argument(format!("{text:?}: {reason}")))?;
        if !texts.iter().any(|known| known == target.as_str()) {
            texts.push(target.as_str().to_owned());
        }
    }
    Ok(texts)
}

fn delay(args: &ControlDelayArgs) -> Result<Order, UsageError> {
    parse_host(&args.host).map_err(|reason| UsageError::Argument(format!("{:?}: {reason}", args.host)))?;
    let seconds = match args.seconds.as_str() {
        "default" => None,
        text => {
            let seconds = text
                .parse()
                .ok()
                .filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
            Some(seconds.ok_or_else(|| {
                UsageError::Argument(format!(
                    "{text:?} is no delay: write seconds from 0 to {MAX_SECONDS}, such as 5 or 0.5, or default"
                ))
            })?)
        }
    };
    let host = args.host.to_lowercase();
    Ok(Order::Delay { host, seconds })
}

fn urls(args: &ControlAddArgs) -> Result<Vec<String>, UsageError> {
    let settings = Settings::new(&Config::default()).map_err(|source| UsageError::Setting {
        origin: "the built-in values".to_owned(),
        source,
    })?;
    let mut urls = args.urls.clone();
    // What is no URL by any configuration; the crawl checks the rest by its own.
    if let Some(bad) = Seeds::in_texts(&urls, &settings).1.into_iter().next() {
        return Err(UsageError::Argument(format!(
            "{:?} is no URL to add: {}",
            bad.text, bad.reason
        )));
    }
    if let Some(file) = &args.file {
        let most = (MAX_URLS + 1).saturating_sub(urls.len());
        urls.extend(lines(file, most, &settings)?);
    }
    if urls.is_empty() {
        return Err(UsageError::Argument(
            "there is no URL to add: the file has none".to_owned(),
        ));
    }
    if urls.len() > MAX_URLS || urls.iter().map(String::len).sum::<usize>() > MAX_BYTES {
        return Err(UsageError::Argument(format!(
            "there are too many URLs for one order, which takes {MAX_URLS} or 4 MiB: divide them, or start a run with a seeds file"
        )));
    }
    Ok(urls)
}

/// The first URLs of a file in the form of a seeds file, at most so many, and no more than are too long together.
fn lines(path: &Path, most: usize, settings: &Settings) -> Result<Vec<String>, UsageError> {
    let unreadable = |source| UsageError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let (mut urls, mut bytes) = (Vec::new(), 0);
    for (line, number) in BufReader::new(file).lines().zip(1..) {
        let line = line.map_err(unreadable)?;
        let line = line.trim();
        if urls.len() == most || bytes > MAX_BYTES {
            break;
        }
        bytes += line.len();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(bad) = Seeds::in_texts(&[line.to_owned()], settings).1.into_iter().next() {
            return Err(UsageError::BadLine {
                path: path.to_owned(),
                number,
                reason: format!("{:?}: {}", bad.text, bad.reason),
            });
        }
        urls.push(line.to_owned());
    }
    Ok(urls)
}

/// Refuses to restore what is not dropped.
pub(super) fn check_dropped(what: &[String], in_force: &InForce) -> Result<(), UsageError> {
    let Some(other) = what.iter().find(|what| !in_force.is_dropped(what)) else {
        return Ok(());
    };
    let dropped: Vec<&str> = in_force.dropped.iter().map(|dropped| dropped.what.as_str()).collect();
    Err(UsageError::Argument(if dropped.is_empty() {
        format!("{other} is not dropped; nothing is")
    } else {
        format!(
            "{other} is not dropped; write it as it was dropped: {}",
            dropped.join(", ")
        )
    }))
}

/// Bounds the number of drops, each of which is compared with every URL.
pub(super) fn check_number(what: &[String], in_force: &InForce) -> Result<(), UsageError> {
    if in_force.dropped.len() + what.len() <= MAX_DROPS {
        return Ok(());
    }
    Err(UsageError::Argument(format!(
        "more than {MAX_DROPS} hosts and patterns cannot be dropped; one regex: can stand for many, and scope.exclude holds for the next run"
    )))
}

/// Why a worker of a fleet does not take this order, and what to do instead.
pub(super) fn not_in_fleet(order: &Order, worker: u16) -> String {
    let instead = match order {
        Order::Add { .. } => "start a worker with a seeds file that has the URLs; the fleet divides them",
        Order::Delay { .. } => {
            "set delay_ms in a [[host]] section of the configuration of all workers, and start them again"
        }
        _ => "set scope.exclude in the configuration of all workers, and start them again",
    };
    format!(
        "this is the folder of worker {worker} of a fleet, where a host belongs to no worker for long, so `{}` for one worker would not hold; {instead}",
        order.word()
    )
}
