//! The validated form of the configuration: what the program uses.
//!
//! A [`Settings`] can only be made from a [`Config`] whose every value makes sense, so no stage checks again.

mod deduplication;

use std::time::Duration;

use url::Url;

use crate::config::{Config, ScopeMode};

/// What is in force for a crawl.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The User-Agent header: `product/version (+contact)`.
    pub user_agent: String,
    /// The product token that robots.txt groups are matched against.
    pub product: String,
    /// Whether `user_agent` tells a site's owner how to reach the operator.
    pub has_contact: bool,
    /// How far from the seeds' hosts.
    pub scope: ScopeMode,
    /// Bounds of the crawl.
    pub limits: Limits,
    /// How a host is treated.
    pub politeness: Politeness,
    /// How a response is fetched.
    pub fetch: Fetch,
    /// Which spellings of a URL are one URL.
    pub canonicalize: crate::canonicalize::Rules,
    /// How a text becomes a signature.
    pub scheme: dedup::Scheme,
    /// When two signatures are duplicates.
    pub rule: dedup::Rule,
    /// When a bucket of the index is split.
    pub bucket_skew: f64,
    /// What is written to the data folder.
    pub storage: Storage,
}

/// Bounds of the crawl; `None` is no limit.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Links from a seed.
    pub max_depth: u16,
    /// Pages decided in the whole crawl.
    pub max_pages: Option<u64>,
    /// Pages decided on one host.
    pub max_pages_per_host: Option<u64>,
    /// Time this run may take; from the command line only.
    pub max_duration: Option<Duration>,
}

/// How a host is treated.
#[derive(Debug, Clone, Copy)]
pub struct Politeness {
    /// Between the end of one request and the start of the next.
    pub delay: Duration,
    /// Requests open at one host at a time.
    pub parallel_per_host: usize,
    /// Bound on a robots.txt `Crawl-delay`.
    pub max_crawl_delay: Duration,
    /// Obey robots.txt.
    pub robots: bool,
    /// Read the sitemaps that robots.txt names.
    pub sitemaps: bool,
    /// Times a URL is tried again after a passing failure.
    pub max_retries: u8,
    /// How long a host rests after its first passing failure.
    pub retry_delay: Duration,
}

/// How a response is fetched.
#[derive(Debug, Clone, Copy)]
pub struct Fetch {
    /// Requests open at all hosts together.
    pub parallel: usize,
    /// To open a connection.
    pub connect_timeout: Duration,
    /// From the request's start to the last byte of the body.
    pub timeout: Duration,
    /// Bytes of body accepted, as sent and again after decompression.
    pub max_body_bytes: usize,
    /// Bytes of bodies and pages held between the network and the disk; see [`crate::memory_budget`].
    pub memory_bytes: usize,
    /// Redirects followed from one URL.
    pub max_redirects: u8,
    /// Connect to loopback, private and other special addresses.
    pub allow_private_addresses: bool,
}

/// What is written to the data folder.
#[derive(Debug, Clone, Copy)]
pub struct Storage {
    /// Bytes of memory for the state's page cache.
    pub cache_bytes: u64,
    /// Bytes after which a new WARC file is begun.
    pub warc_file_bytes: u64,
    /// Between a page's verdict and its being safe on disk, at most.
    pub commit_interval: Duration,
}

/// A value that cannot be used, by its key in `config.toml`.
#[derive(Debug, thiserror::Error)]
#[error("{key} = {value}: {reason}")]
pub struct InvalidSetting {
    key: &'static str,
    value: String,
    reason: String,
}

impl Settings {
    /// Validates `config`.
    ///
    /// # Errors
    /// The first value that cannot be used, with its key and the values that can.
    pub fn new(config: &Config) -> Result<Self, InvalidSetting> {
        let identity = &config.identity;
        let fetch = &config.fetch;
        check_product(&identity.product)?;
        let contact = check_contact(&identity.contact_url)?;
        check_bounds(config)?;
        let version = env!("CARGO_PKG_VERSION");
        let product = identity.product.clone();
        let scheme = deduplication::scheme(&config.dedup)?;
        let width = scheme.width;
        Ok(Self {
            user_agent: match &contact {
                Some(url) => format!("{product}/{version} (+{url})"),
                None => format!("{product}/{version}"),
            },
            has_contact: contact.is_some(),
            product,
            scope: config.scope.mode,
            limits: Limits {
                max_depth: config.scope.max_depth,
                max_pages: limit(config.scope.max_pages),
                max_pages_per_host: limit(config.scope.max_pages_per_host),
                max_duration: None,
            },
            politeness: politeness(&config.politeness),
            fetch: Fetch {
                parallel: fetch.parallel,
                connect_timeout: millis("fetch.connect_timeout_ms", fetch.connect_timeout_ms)?,
                timeout: millis("fetch.timeout_ms", fetch.timeout_ms)?,
                max_body_bytes: fetch.max_body_bytes,
                memory_bytes: fetch.memory_bytes,
                max_redirects: fetch.max_redirects,
                allow_private_addresses: fetch.allow_private_addresses,
            },
            canonicalize: config.canonicalize.clone(),
            scheme,
            rule: deduplication::rule(&config.dedup, width)?,
            bucket_skew: deduplication::bucket_skew(&config.dedup)?,
            storage: Storage {
                cache_bytes: config.storage.cache_bytes.max(1024 * 1024),
                warc_file_bytes: config.storage.warc_file_bytes.max(1024 * 1024),
                commit_interval: Duration::from_millis(config.storage.commit_interval_ms),
            },
        })
    }
}

impl Settings {
    /// Names the rules that a store's fingerprints and URLs are made by; a store keeps the ones it was begun with.
    #[must_use]
    pub fn store_scheme(&self) -> String {
        format!("{}; {}", self.scheme.id(), self.canonicalize.scheme())
    }
}

fn politeness(config: &crate::config::Politeness) -> Politeness {
    Politeness {
        delay: Duration::from_millis(config.delay_ms),
        parallel_per_host: config.parallel_per_host,
        max_crawl_delay: Duration::from_millis(config.max_crawl_delay_ms),
        robots: config.robots,
        sitemaps: config.sitemaps,
        max_retries: config.max_retries,
        retry_delay: Duration::from_millis(config.retry_delay_ms),
    }
}

fn check_product(product: &str) -> Result<(), InvalidSetting> {
    let token = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '-';
    if !product.is_empty() && product.chars().all(token) {
        return Ok(());
    }
    let reason = "must be a robots.txt product token: letters, '_' and '-' only (RFC 9309, section 2.2.1)";
    Err(invalid("identity.product", format!("{product:?}"), reason))
}

fn check_contact(contact: &str) -> Result<Option<String>, InvalidSetting> {
    if contact.is_empty() {
        return Ok(None);
    }
    let reason =
        "must be an absolute http, https or mailto URL in printable ASCII, for example https://example.org/bot";
    let url = Url::parse(contact).map_err(|_| invalid("identity.contact_url", format!("{contact:?}"), reason))?;
    if !matches!(url.scheme(), "http" | "https" | "mailto") {
        return Err(invalid("identity.contact_url", format!("{contact:?}"), reason));
    }
    Ok(Some(url.into()))
}

/// Bounds beyond which a value is a slip of the pen.
const MAX_PARALLEL: usize = 10_000;
const MAX_BODY_BYTES: usize = 1 << 30;
const MAX_MEMORY_BYTES: usize = 1 << 40;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

fn check_bounds(config: &Config) -> Result<(), InvalidSetting> {
    for (key, value, most) in [
        ("fetch.parallel", config.fetch.parallel, MAX_PARALLEL),
        (
            "politeness.parallel_per_host",
            config.politeness.parallel_per_host,
            MAX_PARALLEL,
        ),
        ("fetch.max_body_bytes", config.fetch.max_body_bytes, MAX_BODY_BYTES),
        ("fetch.memory_bytes", config.fetch.memory_bytes, MAX_MEMORY_BYTES),
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
    for (key, value) in [
        ("politeness.delay_ms", config.politeness.delay_ms),
        ("politeness.max_crawl_delay_ms", config.politeness.max_crawl_delay_ms),
        ("politeness.retry_delay_ms", config.politeness.retry_delay_ms),
        ("storage.commit_interval_ms", config.storage.commit_interval_ms),
    ] {
        if value > DAY_MS {
            return Err(invalid(key, value, "must be at most a day, 86400000 milliseconds"));
        }
    }
    Ok(())
}

fn millis(key: &'static str, value: u64) -> Result<Duration, InvalidSetting> {
    if (1..=DAY_MS).contains(&value) {
        return Ok(Duration::from_millis(value));
    }
    Err(invalid(key, value, "must be at least 1 millisecond and at most a day"))
}

fn limit(value: u64) -> Option<u64> {
    (value > 0).then_some(value)
}

fn invalid(key: &'static str, value: impl ToString, reason: impl Into<String>) -> InvalidSetting {
    InvalidSetting {
        key,
        value: value.to_string(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Config)) -> String {
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
        let agent = Settings::new(&config).unwrap().user_agent;
        assert!(
            agent.starts_with("crawler/") && agent.ends_with(" (+https://example.org/bot)"),
            "{agent}"
        );
    }

    #[test]
    fn unusable_values_name_their_key() {
        assert!(refused(|c| c.identity.product = "my bot/2".into()).starts_with("identity.product"));
        assert!(refused(|c| c.identity.contact_url = "call me".into()).starts_with("identity.contact_url"));
        assert!(refused(|c| c.fetch.parallel = 0).starts_with("fetch.parallel"));
        assert!(refused(|c| c.fetch.parallel = 1 << 40).starts_with("fetch.parallel"));
        assert!(refused(|c| c.politeness.delay_ms = u64::MAX).starts_with("politeness.delay_ms"));
        assert!(refused(|c| c.canonicalize.max_url_bytes = 100_000).starts_with("canonicalize.max_url_bytes"));
        assert!(refused(|c| c.dedup.max_distance = 40).starts_with("dedup.max_distance = 40"));
        assert!(refused(|c| c.dedup.min_similarity = f32::NAN).starts_with("dedup.min_similarity"));
    }
}
