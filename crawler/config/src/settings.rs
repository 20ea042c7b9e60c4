//! The validated form of the configuration, which the program uses.
//!
//! [`Settings::new`] is the only way to make a [`Settings`] and checks every value, so no other part of the program checks again.

mod adjustable;
mod bounds;
mod data_folder;
mod deduplication;
mod extract;
mod fetching;
mod fleet;
mod hosts;
mod identity;
mod logins;
mod machine;
mod politeness;
mod refresh;
mod render;
mod scope;
mod steering;
mod url_rules;

use std::borrow::Cow;
use std::time::Duration;

pub use adjustable::{ADJUSTABLE, Adjustable, KeyValue, parse_change, valid_changes};
pub(super) use extract::rule as extract_rule;
pub use extract::{ExtractRules, NamedRule};
pub use fleet::FleetSettings;
pub(super) use hosts::host_entry;
pub use hosts::{HostRule, HostRules};
pub(super) use logins::login_entry;
pub use logins::{LoginRule, Logins};
pub use machine::most_memory;
pub use refresh::{Intervals, RefreshSettings};
pub use render::RenderSettings;
pub use scope::{CrawlLimits, DuplicateShare, LinkSettings, TrapLimits};
pub use steering::SteeringSettings;
use storage::warc::Compression;
use url::Url;
pub use url_rules::{Ruling, UrlRules};
use web::fetch::FetchSettings;
use web::politeness::Politeness;

use crate::{Config, Duplicates, Record, ScopeMode};

/// Validated settings of a crawl.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Product token for robots.txt groups.
    pub product: String,
    /// The User-Agent header names a way to reach the operator.
    pub has_contact: bool,
    /// Which hosts belong to the crawl.
    pub scope: ScopeMode,
    /// Which links the crawl follows.
    pub links: LinkSettings,
    /// Which documents are pages beside HTML.
    pub documents: page::documents::Kinds,
    /// Which URLs the user includes and excludes.
    pub urls: UrlRules,
    /// Bounds of the crawl.
    pub limits: CrawlLimits,
    /// How often and how the crawler asks a host.
    pub politeness: Politeness,
    /// How the crawler treats some hosts.
    pub hosts: HostRules,
    /// How verdicts change the order of the queue.
    pub steering: SteeringSettings,
    /// Times between two visits of a page.
    pub intervals: Intervals,
    /// Set for a run that refreshes; from the command line only.
    pub refresh: Option<RefreshSettings>,
    /// HTTP requests and their limits.
    pub fetch: FetchSettings,
    /// Whether pages that stand in the way of the one that was asked for are recognised.
    pub walls: bool,
    /// Which pages a browser renders.
    pub render: RenderSettings,
    /// The log-ins by forms.
    pub logins: Logins,
    /// Rules of the canonical URL.
    pub canonicalize: web::canonicalize::CanonicalRules,
    /// How a text becomes a signature.
    pub scheme: dedup::Scheme,
    /// When two signatures are duplicates.
    pub rule: dedup::DuplicateRule,
    /// A page replaces its kept duplicate if that duplicate names it as its canonical URL.
    pub prefer_canonical: bool,
    /// Where the candidates of a check come from. Blocks if bands cannot give any by this rule, would not pay, or if the crawl is a
    /// fleet's: the workers would not agree on which pairs the bands miss.
    pub candidates: dedup::Candidates,
    /// μ: the index splits a bucket with more than 1 + μ times the mean.
    pub bucket_skew: f64,
    /// What the user declares to be the content of pages.
    pub extract: ExtractRules,
    /// The data folder.
    pub storage: StorageSettings,
    /// The work on one crawl with other workers; `None` for a crawl by one process.
    pub fleet: Option<FleetSettings>,
    /// What the data folder keeps of the configuration; set for a run only.
    pub record: Option<Record>,
}

/// Settings of the data folder.
#[derive(Debug, Clone)]
pub struct StorageSettings {
    /// The object store for full WARC files, if there is one.
    pub archive_url: Option<String>,
    /// Memory for the page cache of the state, in bytes.
    pub cache_bytes: u64,
    /// Size at which the crawler starts a new WARC file, in bytes.
    pub warc_file_bytes: u64,
    /// Compression of the WARC files that this run writes.
    pub compression: Compression,
    /// What the archive holds of duplicates.
    pub duplicates: Duplicates,
    /// Upper bound on the time between a verdict and the begin of its commit to the disk.
    pub commit_interval: Duration,
    /// Pages after which a run writes what it has learned from the verdicts; more for a large crawl.
    pub checkpoint_pages: u64,
}

/// An invalid value. The message names its key.
#[derive(Debug, thiserror::Error)]
#[error("{key} = {value}: {reason}")]
pub struct InvalidSetting {
    key: Cow<'static, str>,
    value: String,
    reason: String,
}

impl InvalidSetting {
    /// The key, such as `scope.max_pages`, or `extract[2].content` in the second rule.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl Settings {
    /// Validates `config`. Reads the files that it names and the environment variables with passwords.
    ///
    /// # Errors
    /// The first invalid value, with its key and the allowed values.
    pub fn new(config: &Config) -> Result<Self, InvalidSetting> {
        let identity = identity::identity(&config.identity)?;
        bounds::check(config)?;
        let scheme = deduplication::scheme(&config.dedup)?;
        let width = scheme.width;
        let rule = deduplication::rule(&config.dedup, width)?;
        let fleet = fleet::fleet(config)?;
        let hosts = HostRules::new(config)?;
        let logins = Logins::new(&config.fetch)?;
        Ok(Self {
            product: config.identity.product.clone(),
            has_contact: identity.has_contact,
            scope: config.scope.mode,
            links: scope::links(&config.scope),
            documents: config.scope.documents.iter().copied().collect(),
            urls: UrlRules::new(&config.scope, hosts::urls(&config.host)?)?,
            limits: scope::limits(&config.scope),
            politeness: politeness::politeness(&config.politeness)?,
            steering: steering::steering(&config.steering, scope::duplicate_share(&config.scope)?)?,
            intervals: refresh::intervals(&config.refresh)?,
            refresh: None,
            fetch: fetching::fetch(
                &config.fetch,
                hosts.headers(),
                logins.for_requests(),
                identity.user_agent,
            )?,
            walls: config.fetch.walls,
            logins,
            hosts,
            render: render::render(&config.render)?,
            canonicalize: config.canonicalize.clone(),
            scheme,
            candidates: deduplication::candidates(&config.dedup, width, &rule)?,
            rule,
            prefer_canonical: config.dedup.prefer_canonical,
            bucket_skew: deduplication::bucket_skew(&config.dedup)?,
            extract: extract::rules(&config.extract)?,
            fleet,
            record: None,
            storage: data_folder::storage(config),
        })
    }

    /// Turns the texts of the crawl into signatures, with bands if these may give candidates.
    #[must_use]
    pub fn analyzer(&self) -> dedup::Analyzer {
        let analyzer = dedup::Analyzer::new(&self.scheme);
        match self.candidates {
            dedup::Candidates::Blocks => analyzer,
            dedup::Candidates::Auto | dedup::Candidates::Bands => analyzer.with_bands(),
        }
    }

    /// Options for reading the page at `url`.
    #[must_use]
    pub fn reading(&self, url: &Url) -> page::Options<'_> {
        let named = self.extract.of_page(url);
        page::Options {
            agent: &self.product,
            embedded: self.links.embedded,
            // Decoding lengthens a body: one byte of a legacy encoding may become three bytes of UTF-8.
            max_text_bytes: self.fetch.max_body_bytes / 2 * 3,
            extract: named.and_then(|named| named.rule.as_ref()),
            favor: named.map(|named| named.favor).unwrap_or_default(),
            documents: page::Documents::of(self.documents),
            markdown: None,
            metadata: None,
        }
    }

    /// The request for a page: which bodies are read.
    #[must_use]
    pub fn wanted_page(&self) -> web::fetch::Wanted {
        let documents = self.documents;
        web::fetch::Wanted::Page {
            is_page: web::fetch::IsPage(std::sync::Arc::new(move |headers| page::is_page(headers, documents))),
        }
    }

    /// Whether one process does the whole crawl.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.fleet.is_none()
    }

    /// Name of the rules for fingerprints and URLs. A store keeps the rules of its first run.
    #[must_use]
    pub fn store_scheme(&self) -> String {
        format!("{}; {}", self.scheme.id(), self.canonicalize.scheme())
    }
}

fn invalid(key: impl Into<Cow<'static, str>>, value: impl ToString, reason: impl Into<String>) -> InvalidSetting {
    InvalidSetting {
        key: key.into(),
        value: value.to_string(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config::default();
        change(&mut config);
        Settings::new(&config).unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_valid_and_polite() {
        let settings = Settings::new(&Config::default()).unwrap();
        assert_eq!(settings.politeness.parallel_per_host, 1);
        assert_eq!(settings.politeness.delay, Duration::from_secs(1));
        assert!(settings.politeness.robots && !settings.fetch.allow_private_addresses);
    }

    #[test]
    fn a_contact_url_is_in_the_user_agent() {
        let mut config = Config::default();
        config.identity.contact_url = "https://example.org/bot".into();
        let agent = Settings::new(&config).unwrap().fetch.user_agent;
        assert!(
            agent.starts_with("crawler/") && agent.ends_with(" (+https://example.org/bot)"),
            "{agent}"
        );
    }

    #[test]
    fn an_address_never_has_a_stricter_bound_than_one_of_its_hosts() {
        let politeness = |change: fn(&mut crate::sections::PolitenessSection)| {
            let mut config = Config::default();
            change(&mut config.politeness);
            Settings::new(&config).unwrap().politeness
        };
        let usual = politeness(|_| {});
        assert!(usual.address_delay < usual.delay && usual.parallel_per_address > usual.parallel_per_host);
        assert_eq!(politeness(|c| c.delay_ms = 20).address_delay, Duration::from_millis(20));
        assert_eq!(politeness(|c| c.parallel_per_host = 9).parallel_per_address, 9);
        let own = politeness(|c| c.delay_ms = 0);
        assert_eq!((own.address_delay, own.latency_factor), (Duration::ZERO, 0.0));
    }

    #[test]
    fn the_error_for_an_invalid_value_names_its_key() {
        assert!(fault(|c| c.identity.product = "my bot/2".into()).starts_with("identity.product"));
        assert!(fault(|c| c.identity.contact_url = "call me".into()).starts_with("identity.contact_url"));
        assert!(fault(|c| c.fetch.parallel = 0).starts_with("fetch.parallel"));
        assert!(fault(|c| c.fetch.parallel = 1 << 40).starts_with("fetch.parallel"));
        assert!(fault(|c| c.politeness.delay_ms = u64::MAX).starts_with("politeness.delay_ms"));
        assert!(fault(|c| c.politeness.latency_factor = f64::NAN).starts_with("politeness.latency_factor = NaN"));
        assert!(fault(|c| c.politeness.max_wait_ms = u64::MAX).starts_with("politeness.max_wait_ms"));
        assert!(fault(|c| c.politeness.parallel_per_address = 0).starts_with("politeness.parallel_per_address"));
        assert!(fault(|c| c.canonicalize.max_url_bytes = 100_000).starts_with("canonicalize.max_url_bytes"));
        assert!(fault(|c| c.dedup.max_distance = 40).starts_with("dedup.max_distance = 40"));
        assert!(fault(|c| c.dedup.min_similarity = f32::NAN).starts_with("dedup.min_similarity"));
    }
}
