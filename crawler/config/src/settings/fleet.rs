//! The `[fleet]` section.

use std::fmt;
use std::time::Duration;

use super::adjustable::{self, KeyValue};
use super::{InvalidSetting, invalid};
use crate::keys::{keys, table};
use crate::{Config, FleetSegments, FleetVerdicts, secrets};

/// The work on one crawl with other workers.
#[derive(Clone, PartialEq, Eq)]
pub struct FleetSettings {
    /// The address of the servers. It may hold a password.
    pub address: String,
    /// The name of the crawl there.
    pub name: String,
    /// Time after which other workers take over the hosts of a worker that is silent.
    pub lease: Duration,
    /// Entries of the log of kept pages in a segment. The log usually holds between one and two segments' worth; a worker that is no further
    /// behind needs no segment.
    pub segment_entries: usize,
    /// The object store for the segments; `None`: they are on the servers, or there are none.
    pub segments_url: Option<String>,
    /// Among which pages the workers decide near-duplicates.
    pub verdicts: FleetVerdicts,
    /// How the workers fetch: the keys that all live workers must share, with their values.
    pub rules: Vec<(String, String)>,
    /// This worker's values of the keys that can change while it runs, and of those on which they depend.
    pub adjustable: Vec<KeyValue>,
}

/// The sections whose values all workers must share, because a host can move from one worker to another.
const SHARED: [&str; 6] = ["identity", "scope", "politeness", "canonicalize", "host", "extract"];

/// Keys of other sections that all workers must share: each worker judges the leases of the others by its own, and one log or one table of
/// digests has the claims of all.
const ALSO_SHARED: [&str; 3] = ["fleet.lease_seconds", "fleet.segment_entries", "fleet.verdicts"];

/// A limit that holds for one worker, and what tells the workers apart.
const OWN: [&str; 2] = ["scope.max_pages", "identity.contact_url"];

impl fmt::Debug for FleetSettings {
    /// Without the address, because of its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetSettings")
            .field("name", &self.name)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

pub(super) fn fleet(all: &Config) -> Result<Option<FleetSettings>, InvalidSetting> {
    let config = &all.fleet;
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
        segments_url: segments_url(all),
        verdicts: config.verdicts,
        rules: rules(all),
        adjustable: adjustable::values(all),
    }))
}

fn segments_url(config: &Config) -> Option<String> {
    let is_there = config.fleet.segments == FleetSegments::Archive && config.fleet.verdicts == FleetVerdicts::Fleet;
    // The names of objects follow the path.
    let url = config.storage.archive_url.split(['?', '#']).next()?;
    let url = url.trim_end_matches('/');
    (is_there && !url.is_empty()).then(|| url.to_owned())
}

/// The rules go to the servers and into messages, so they have no secret: workers may have header fields of their own.
fn rules(config: &Config) -> Vec<(String, String)> {
    let table = table(&secrets::without(config));
    let is_shared =
        |path: &str, section: &str| ALSO_SHARED.contains(&path) || (SHARED.contains(&section) && !OWN.contains(&path));
    let shared = keys().into_iter().filter(|key| is_shared(&key.path(), &key.section));
    let shared = shared.map(|key| {
        let value = key.value(&table).map_or_else(|| "[]".to_owned(), ToString::to_string);
        (key.path(), value)
    });
    // Each worker reads the segments that the others have written.
    let store = segments_url(config).map_or_else(|| "the servers".to_owned(), |url| format!("{url:?}"));
    let store = ("fleet.segments (with storage.archive_url)".to_owned(), store);
    shared.chain([store]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workers_share_how_they_ask_hosts_and_not_what_each_of_them_has() {
        let mut config = Config::default();
        config.politeness.delay_ms = 7;
        let rules = rules(&config);
        let value = |key: &str| rules.iter().find(|(of, _)| of == key).map(|(_, value)| value.as_str());
        assert_eq!(value("politeness.delay_ms"), Some("7"));
        assert_eq!(value("host"), Some("[]"));
        assert!(value("scope.max_depth").is_some() && value("identity.product").is_some());
        assert_eq!(value("fleet.lease_seconds"), Some("15"));
        assert_eq!(value("fleet.verdicts"), Some("\"fleet\""));
        for own in ["scope.max_pages", "fetch.parallel", "storage.data_dir", "fleet.address"] {
            assert_eq!(value(own), None, "{own}");
        }
    }

    #[test]
    fn the_workers_share_an_object_store_if_segments_go_there() {
        let url = |change: fn(&mut Config)| {
            let mut config = Config::default();
            config.fleet.address = "redis://host:6379".to_owned();
            config.storage.archive_url = "s3://bucket/crawls?versionId=1".to_owned();
            change(&mut config);
            let url = fleet(&config).unwrap().unwrap().segments_url;
            let rule = rules(&config)
                .into_iter()
                .find(|(key, _)| key.starts_with("fleet.segments"));
            let expected = url.as_ref().map_or("the servers".to_owned(), |url| format!("{url:?}"));
            assert_eq!(rule.map(|(_, value)| value), Some(expected));
            url
        };
        assert_eq!(url(|_| {}).as_deref(), Some("s3://bucket/crawls"));
        let with_slash = url(|config| config.storage.archive_url = "s3://bucket/crawls/".to_owned());
        assert_eq!(with_slash.as_deref(), Some("s3://bucket/crawls"));
        assert_eq!(url(|config| config.fleet.segments = FleetSegments::Redis), None);
        assert_eq!(url(|config| config.fleet.verdicts = FleetVerdicts::Worker), None);
        assert_eq!(url(|config| config.storage.archive_url.clear()), None);
    }

    #[test]
    fn the_rules_hold_no_secret() {
        let text = "[[host]]\nhost = \"a.example\"\nheaders = { Authorization = \"Bearer hidden\" }\n";
        let config = Config::parse(text, std::path::Path::new("config.toml")).unwrap();
        let rules = rules(&config);
        let (_, hosts) = rules.iter().find(|(key, _)| key == "host").unwrap();
        assert!(hosts.contains("a.example") && !hosts.contains("hidden"), "{hosts}");
    }
}
