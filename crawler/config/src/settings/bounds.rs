//! Bounds of single numbers.

use std::time::Duration;

use super::{InvalidSetting, invalid};
use crate::Config;

/// A larger value is a slip of the pen.
pub(super) const MAX_COUNT: usize = 10_000;
const MAX_BODY_BYTES: usize = 1 << 30;
const MAX_MEMORY_BYTES: usize = 1 << 40;
pub(super) const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Checks every number that has plain bounds.
pub(super) fn check(config: &Config) -> Result<(), InvalidSetting> {
    for (key, value, most) in [
        ("fetch.parallel", config.fetch.parallel, MAX_COUNT),
        (
            "politeness.parallel_per_host",
            config.politeness.parallel_per_host,
            MAX_COUNT,
        ),
        ("scope.max_segment_repeats", config.scope.max_segment_repeats, MAX_COUNT),
        (
            "scope.max_query_parameters",
            config.scope.max_query_parameters,
            MAX_COUNT,
        ),
        ("scope.duplicate_window", config.scope.duplicate_window, MAX_COUNT),
        (
            "steering.min_confirmed",
            config.steering.min_confirmed as usize,
            MAX_COUNT,
        ),
        (
            "steering.min_pattern_pages",
            config.steering.min_pattern_pages as usize,
            MAX_COUNT,
        ),
        ("storage.checkpoint_pages", config.storage.checkpoint_pages, MAX_COUNT),
        (
            "politeness.parallel_per_address",
            config.politeness.parallel_per_address,
            MAX_COUNT,
        ),
        ("fetch.max_body_bytes", config.fetch.max_body_bytes, MAX_BODY_BYTES),
        (
            "canonicalize.max_url_bytes",
            config.canonicalize.max_url_bytes,
            storage::MAX_URL_BYTES,
        ),
    ] {
        if !(1..=most).contains(&value) {
            return Err(invalid(key, value, format!("must be at least 1 and at most {most}")));
        }
    }
    if config.fetch.memory_bytes > MAX_MEMORY_BYTES {
        let reason = format!("must be at most {MAX_MEMORY_BYTES}; 0 leaves it to the machine");
        return Err(invalid("fetch.memory_bytes", config.fetch.memory_bytes, reason));
    }
    for (key, value) in [
        ("politeness.delay_ms", config.politeness.delay_ms),
        ("politeness.address_delay_ms", config.politeness.address_delay_ms),
        ("politeness.max_delay_ms", config.politeness.max_delay_ms),
        ("politeness.max_wait_ms", config.politeness.max_wait_ms),
        ("politeness.max_crawl_delay_ms", config.politeness.max_crawl_delay_ms),
        ("politeness.retry_delay_ms", config.politeness.retry_delay_ms),
        ("storage.commit_interval_ms", config.storage.commit_interval_ms),
    ] {
        if value > DAY_MS {
            return Err(invalid(key, value, "must be at most one day, 86400000 milliseconds"));
        }
    }
    Ok(())
}

/// A time limit, which cannot be zero.
pub(super) fn millis(key: &'static str, value: u64) -> Result<Duration, InvalidSetting> {
    if (1..=DAY_MS).contains(&value) {
        return Ok(Duration::from_millis(value));
    }
    Err(invalid(
        key,
        value,
        "must be at least 1 millisecond and at most one day",
    ))
}
