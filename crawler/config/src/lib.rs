//! What did the user configure, and is every value usable?
//!
//! A [`Config`] holds the values of `config.toml` key by key; [`settings::Settings`] is its validated form, which the program uses.
//! The sample `config.toml` at the top of the repository is the manual: it shows every key at its default, and a test
//! compares it with the built-in defaults.
//!
//! - [`sections`]: the keys of each section and their defaults
//! - `file`: reads a `config.toml`
//! - `sources`: where each value comes from: default, file, environment or flag
//! - `check`: every fault in a file; `wording`: types in words; `lines`: where the keys stand
//! - `manual`: the meaning of each key, from the sample file
//! - `record`: the configuration that a data folder keeps of its last run
//! - `url_pattern`, `page_pattern`: URLs and pages by their names

mod check;
mod error;
mod file;
mod keys;
mod lines;
mod manual;
mod page_pattern;
mod record;
mod secrets;
pub mod sections;
pub mod settings;
mod sources;
mod url_pattern;
mod wording;

use serde::{Deserialize, Serialize};

pub use check::check;
pub use error::ConfigError;
pub use keys::{Key, nearest};
pub use manual::{Meaning, meanings};
pub use record::{Kept, Record};
use sections::{
    DedupSection, ExtractEntry, FetchSection, FleetSection, HostEntry, IdentitySection, PolitenessSection,
    RefreshSection, RenderSection, ScopeSection, SteeringSection, StorageSection,
};
pub use sections::{Duplicates, FleetSegments, FleetVerdicts, Leave, RenderMode, ScopeMode};
pub use sources::{Origin, Sources};
pub use url_pattern::UrlPattern;

/// Every key of `config.toml`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How the crawler introduces itself.
    pub identity: IdentitySection,
    /// Which URLs belong to the crawl.
    pub scope: ScopeSection,
    /// How often and how the crawler asks a host.
    pub politeness: PolitenessSection,
    /// How verdicts change the order of the queue.
    pub steering: SteeringSection,
    /// When a refresh visits a page again.
    pub refresh: RefreshSection,
    /// HTTP requests and their limits.
    pub fetch: FetchSection,
    /// Which pages a browser renders.
    pub render: RenderSection,
    /// Rules of the canonical URL.
    pub canonicalize: web::canonicalize::CanonicalRules,
    /// Which pages are duplicates.
    pub dedup: DedupSection,
    /// What is the content of some pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extract: Vec<ExtractEntry>,
    /// How the crawler treats some hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostEntry>,
    /// The data folder.
    pub storage: StorageSection,
    /// The work on one crawl with other workers.
    pub fleet: FleetSection,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_sample_file_shows_every_key_at_its_default() {
        let sample = include_str!("../../../config.toml");
        assert_eq!(
            Config::parse(sample, Path::new("config.toml")).unwrap(),
            Config::default()
        );
        let shown: toml::Table = sample.parse().unwrap();
        let built_in = toml::Table::try_from(Config::default()).unwrap();
        for (section, keys) in &built_in {
            for key in keys.as_table().unwrap().keys() {
                assert!(
                    shown.get(section).and_then(|s| s.get(key)).is_some(),
                    "config.toml does not show {section}.{key}"
                );
            }
        }
    }
}
