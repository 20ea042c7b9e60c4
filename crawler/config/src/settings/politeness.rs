//! The `[politeness]` section.

use std::time::Duration;

use web::politeness::Politeness;

use super::{InvalidSetting, invalid};
use crate::sections::PolitenessSection;

/// A larger factor is a slip of the pen.
const MAX_LATENCY_FACTOR: f64 = 1_000.0;

pub(super) fn politeness(config: &PolitenessSection) -> Result<Politeness, InvalidSetting> {
    let has_delay = config.delay_ms > 0;
    let factor = config.latency_factor;
    if !(0.0..=MAX_LATENCY_FACTOR).contains(&factor) {
        let reason = format!("must be at least 0 (off) and at most {MAX_LATENCY_FACTOR}");
        return Err(invalid("politeness.latency_factor", factor, reason));
    }
    Ok(Politeness {
        delay: Duration::from_millis(config.delay_ms),
        parallel_per_host: config.parallel_per_host,
        address_delay: Duration::from_millis(config.address_delay_ms.min(config.delay_ms)),
        parallel_per_address: config.parallel_per_address.max(config.parallel_per_host),
        latency_factor: if has_delay { factor } else { 0.0 },
        max_delay: Duration::from_millis(config.max_delay_ms),
        max_crawl_delay: Duration::from_millis(config.max_crawl_delay_ms),
        robots: config.robots,
        sitemaps: config.sitemaps,
        guess_sitemap: config.sitemaps && config.guess_sitemap,
        max_retries: config.max_retries,
        retry_delay: Duration::from_millis(config.retry_delay_ms),
        max_wait: Duration::from_millis(config.max_wait_ms),
    })
}
