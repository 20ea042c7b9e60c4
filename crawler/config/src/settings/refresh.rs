//! The `[refresh]` section.

use std::time::{Duration, SystemTime};

use super::{InvalidSetting, invalid};
use crate::sections::RefreshSection;

/// Times between two visits of a page. `min ≤ first ≤ max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    /// Shortest time.
    pub min: Duration,
    /// Time between the first and the second visit, where the age of the page is unknown.
    pub first: Duration,
    /// Longest time.
    pub max: Duration,
}

/// Settings of a run that refreshes.
#[derive(Debug, Clone, Copy)]
pub struct RefreshSettings {
    /// Times between two visits of a page.
    pub intervals: Intervals,
    /// The run visits pages that are due at this time; `None` for now.
    pub as_of: Option<SystemTime>,
}

pub(super) fn intervals(config: &RefreshSection) -> Result<Intervals, InvalidSetting> {
    let time = |key, text: &String| {
        let parsed = humantime::parse_duration(text);
        parsed.map_err(|_| invalid(key, format!("{text:?}"), "must be a time such as 12h, 7d or 0s"))
    };
    let min = time("refresh.min_interval", &config.min_interval)?;
    let first = time("refresh.first_interval", &config.first_interval)?;
    let max = time("refresh.max_interval", &config.max_interval)?;
    if !(min..=max).contains(&first) {
        let reason = format!(
            "must be at least refresh.min_interval ({}) and at most refresh.max_interval ({})",
            config.min_interval, config.max_interval
        );
        let value = format!("{:?}", config.first_interval);
        return Err(invalid("refresh.first_interval", value, reason));
    }
    Ok(Intervals { min, first, max })
}
