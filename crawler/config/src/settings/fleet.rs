//! The `[fleet]` section.

use std::fmt;
use std::time::Duration;

use super::{InvalidSetting, invalid};
use crate::sections::FleetSection;

/// The work on one crawl with other workers.
#[derive(Clone, PartialEq, Eq)]
pub struct FleetSettings {
    /// The address of the servers. It may hold a password.
    pub address: String,
    /// The name of the crawl there.
    pub name: String,
    /// Time after which other workers take over the hosts of a worker that is silent.
    pub lease: Duration,
    /// Entries of the log of kept pages in a segment. The log holds between one and two segments' worth; a worker that is no further behind
    /// needs no segment.
    pub segment_entries: usize,
}

impl fmt::Debug for FleetSettings {
    /// Without the address, because of its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetSettings")
            .field("name", &self.name)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

pub(super) fn fleet(config: &FleetSection) -> Result<Option<FleetSettings>, InvalidSetting> {
    if !(1..=3_600).contains(&config.lease_seconds) {
        return Err(invalid(
            "fleet.lease_seconds",
            config.lease_seconds,
            "must be from 1 to 3600",
        ));
    }
    if config.segment_entries == 0 {
        return Err(invalid("fleet.segment_entries", 0, "must be at least 1"));
    }
    if config.address.is_empty() {
        return Ok(None);
    }
    if config.name.is_empty() {
        return Err(invalid("fleet.name", "\"\"", "must not be empty"));
    }
    Ok(Some(FleetSettings {
        address: config.address.clone(),
        name: config.name.clone(),
        lease: Duration::from_secs(config.lease_seconds),
        segment_entries: config.segment_entries,
    }))
}
