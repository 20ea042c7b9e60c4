//! The orders of the command line, checked before they are written down.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::cli::arguments::{ControlAction, ControlAddArgs};
use crate::cli::error::UsageError;
use config::Config;
use config::settings::Settings;
use crawl::control::order::Order;
use crawl::control::written;
use crawl::seeds::Seeds;

/// The order; `None` for the question about the status.
pub(super) fn of(action: &ControlAction) -> Result<Option<Order>, UsageError> {
    let targets = |what: &[String]| written::targets(what).map_err(UsageError::Argument);
    Ok(Some(match action {
        ControlAction::Pause => Order::Pause,
        ControlAction::Resume => Order::Resume,
        ControlAction::Stop => Order::Stop,
        ControlAction::Add(args) => written::add(urls(args)?).map_err(UsageError::Argument)?,
        ControlAction::Drop(args) => Order::Drop {
            what: targets(&args.what)?,
        },
        ControlAction::Restore(args) => Order::Restore {
            what: targets(&args.what)?,
        },
        ControlAction::Delay(args) => written::delay(&args.host, &args.seconds).map_err(UsageError::Argument)?,
        ControlAction::Status => return Ok(None),
    }))
}

fn urls(args: &ControlAddArgs) -> Result<Vec<String>, UsageError> {
    let settings = Settings::new(&Config::default()).map_err(|source| UsageError::Setting {
        origin: "the built-in values".to_owned(),
        source,
    })?;
    let mut urls = args.urls.clone();
    written::check_urls(&urls, &settings).map_err(UsageError::Argument)?;
    if let Some(file) = &args.file {
        let most = (written::MAX_URLS + 1).saturating_sub(urls.len());
        urls.extend(lines(file, most, &settings)?);
    }
    if urls.is_empty() {
        return Err(UsageError::Argument(
            "there is no URL to add: the file has none".to_owned(),
        ));
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
        if urls.len() == most || bytes > written::MAX_BYTES {
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
