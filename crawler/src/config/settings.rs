//! The validated form of the configuration: what the program uses.
//!
//! A [`Settings`] can only be made from a [`Config`] whose every value makes sense, so no stage checks again.

mod deduplication;
mod fetching;

use std::time::{Duration, SystemTime};

use url::Url;
use web::fetch::FetchSettings;
use web::politeness::Politeness;
use web::url_rule::{HostRule, InvalidRule};

use crate::config::{self, Config, Leave, ScopeMode};

/// What is in force for a crawl.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The product token that robots.txt groups are matched against.
    pub product: String,
    /// Whether the User-Agent header tells a site's owner how to reach the operator.
    pub has_contact: bool,
    /// How far from the seeds' hosts.
    pub scope: ScopeMode,
    /// Which links of a page are followed.
    pub links: Links,
    /// Bounds of the crawl.
    pub limits: Limits,
    /// How a host is treated.
    pub politeness: Politeness,
    /// What the verdicts mean for the URLs that wait.
    pub steering: Policy,
    /// How often pages are looked at again.
    pub intervals: Intervals,
    /// Whether this run looks at pages again; from the command line only.
    pub refresh: Option<Refresh>,
    /// How a response is fetched.
    pub fetch: FetchSettings,
    /// Which spellings of a URL are one URL.
    pub canonicalize: web::canonicalize::CanonicalRules,
    /// How a text becomes a signature.
    pub scheme: dedup::Scheme,
    /// When two signatures are duplicates.
    pub rule: dedup::Rule,
    /// Keep the page that another names as its canonical URL in that one's place.
    pub prefer_canonical: bool,
    /// When a bucket of the index is split.
    pub bucket_skew: f64,
    /// What is written to the data folder.
    pub storage: Storage,
}

/// Which links of a page are followed. A page's own `nofollow`, in a robots meta or header, is always obeyed.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    /// Those to what is embedded in the page too: images, scripts, style sheets, media.
    pub embedded: bool,
    /// Those that carry `rel=nofollow`.
    pub follow_nofollow: bool,
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
    /// URLs known of one host.
    pub max_urls_per_host: Option<u64>,
    /// What a URL may have before it is taken for part of a trap.
    pub traps: TrapLimits,
    /// Time this run may take; from the command line only.
    pub max_duration: Option<Duration>,
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

/// How the verdicts steer.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Whether they do.
    pub enabled: bool,
    /// Tests that a rule must have passed before it is believed.
    pub min_confirmed: u32,
    /// Pages after the first that a pattern must have before it is judged.
    pub min_pattern_pages: u32,
    /// What is not fetched at all.
    pub leave: Leave,
    /// Rules that the user has asked to be applied: their URLs are not even kept in the queue.
    pub apply: Vec<HostRule>,
}

/// What a URL may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrapLimits {
    /// Times the same segment, other than a number, may stand in a path.
    pub max_segment_repeats: usize,
    /// Parameters in a query.
    pub max_query_parameters: usize,
}

/// How often pages are looked at again. `min ≤ first ≤ max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    /// At least this long between two visits of a page.
    pub min: Duration,
    /// Until the second visit of a page of which nothing is known.
    pub first: Duration,
    /// At most this long.
    pub max: Duration,
}

/// What a run is to look at again.
#[derive(Debug, Clone, Copy)]
pub struct Refresh {
    /// How often.
    pub intervals: Intervals,
    /// The time by which pages must be due; `None` is now.
    pub as_of: Option<SystemTime>,
}

/// A value that cannot be used, by its key in `config.toml`.
#[derive(Debug, thiserror::Error)]
#[error("{key} = {value}: {reason}")]
pub struct InvalidSetting {
    key: &'static str,
    value: String,
    reason: String,
}

impl InvalidSetting {
    /// The key, as in `scope.max_pages`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }
}

impl Settings {
    /// Validates `config`.
    ///
    /// # Errors
    /// The first value that cannot be used, with its key and the values that can.
    pub fn new(config: &Config) -> Result<Self, InvalidSetting> {
        let identity = &config.identity;
        check_product(&identity.product)?;
        let contact = check_contact(&identity.contact_url)?;
        check_bounds(config)?;
        let version = env!("CARGO_PKG_VERSION");
        let product = identity.product.clone();
        let user_agent = match &contact {
            Some(url) => format!("{product}/{version} (+{url})"),
            None => format!("{product}/{version}"),
        };
        let scheme = deduplication::scheme(&config.dedup)?;
        let width = scheme.width;
        Ok(Self {
            has_contact: contact.is_some(),
            product,
            scope: config.scope.mode,
            links: Links {
                embedded: config.scope.links == config::Links::All,
                follow_nofollow: config.scope.follow_nofollow,
            },
            limits: Limits {
                max_depth: config.scope.max_depth,
                max_pages: limit(config.scope.max_pages),
                max_pages_per_host: limit(config.scope.max_pages_per_host),
                max_urls_per_host: limit(config.scope.max_urls_per_host),
                traps: TrapLimits {
                    max_segment_repeats: config.scope.max_segment_repeats,
                    max_query_parameters: config.scope.max_query_parameters,
                },
                max_duration: None,
            },
            politeness: politeness(&config.politeness)?,
            steering: steering(&config.steering)?,
            intervals: intervals(&config.refresh)?,
            refresh: None,
            fetch: fetching::fetch(&config.fetch, user_agent)?,
            canonicalize: config.canonicalize.clone(),
            scheme,
            rule: deduplication::rule(&config.dedup, width)?,
            prefer_canonical: config.dedup.prefer_canonical,
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
    /// How pages are read.
    #[must_use]
    pub fn reading(&self) -> page::Options<'_> {
        page::Options {
            agent: &self.product,
            embedded: self.links.embedded,
            // Decoding lengthens: one byte of a legacy encoding may be three of UTF-8.
            max_text_bytes: self.fetch.max_body_bytes / 2 * 3,
        }
    }

    /// Names the rules that a store's fingerprints and URLs are made by; a store keeps the ones it was begun with.
    #[must_use]
    pub fn store_scheme(&self) -> String {
        format!("{}; {}", self.scheme.id(), self.canonicalize.scheme())
    }
}

fn politeness(config: &crate::config::Politeness) -> Result<Politeness, InvalidSetting> {
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

fn steering(config: &crate::config::Steering) -> Result<Policy, InvalidSetting> {
    let parsed = config.apply.iter().map(|text| {
        let invalid = |error: InvalidRule| invalid("steering.apply", format!("{text:?}"), error.to_string());
        text.parse().map_err(invalid)
    });
    Ok(Policy {
        enabled: config.enabled,
        min_confirmed: config.min_confirmed,
        min_pattern_pages: config.min_pattern_pages,
        leave: config.leave,
        apply: parsed.collect::<Result<_, _>>()?,
    })
}

fn intervals(config: &crate::config::Refresh) -> Result<Intervals, InvalidSetting> {
    let time = |key, text: &String| {
        let parsed = humantime::parse_duration(text);
        parsed.map_err(|_| invalid(key, format!("{text:?}"), "must be a time such as 12h, 7d or 0s"))
    };
    let min = time("refresh.min_interval", &config.min_interval)?;
    let first = time("refresh.first_interval", &config.first_interval)?;
    let max = time("refresh.max_interval", &config.max_interval)?;
    if first < min || first > max {
        let reason = format!(
            "must be at least refresh.min_interval ({}) and at most refresh.max_interval ({})",
            config.min_interval, config.max_interval
        );
        let value = format!("{:?}", config.first_interval);
        return Err(invalid("refresh.first_interval", value, reason));
    }
    Ok(Intervals { min, first, max })
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
const MAX_LATENCY_FACTOR: f64 = 1_000.0;
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
        (
            "scope.max_segment_repeats",
            config.scope.max_segment_repeats,
            MAX_PARALLEL,
        ),
        (
            "scope.max_query_parameters",
            config.scope.max_query_parameters,
            MAX_PARALLEL,
        ),
        (
            "steering.min_confirmed",
            config.steering.min_confirmed as usize,
            MAX_PARALLEL,
        ),
        (
            "steering.min_pattern_pages",
            config.steering.min_pattern_pages as usize,
            MAX_PARALLEL,
        ),
        (
            "politeness.parallel_per_address",
            config.politeness.parallel_per_address,
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
        ("politeness.address_delay_ms", config.politeness.address_delay_ms),
        ("politeness.max_delay_ms", config.politeness.max_delay_ms),
        ("politeness.max_wait_ms", config.politeness.max_wait_ms),
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
        let agent = Settings::new(&config).unwrap().fetch.user_agent;
        assert!(
            agent.starts_with("crawler/") && agent.ends_with(" (+https://example.org/bot)"),
            "{agent}"
        );
    }

    #[test]
    fn an_address_is_never_asked_less_than_one_of_its_hosts_may_be() {
        let politeness = |change: fn(&mut crate::config::Politeness)| {
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
    fn unusable_values_name_their_key() {
        assert!(refused(|c| c.identity.product = "my bot/2".into()).starts_with("identity.product"));
        assert!(refused(|c| c.identity.contact_url = "call me".into()).starts_with("identity.contact_url"));
        assert!(refused(|c| c.fetch.parallel = 0).starts_with("fetch.parallel"));
        assert!(refused(|c| c.fetch.parallel = 1 << 40).starts_with("fetch.parallel"));
        assert!(refused(|c| c.politeness.delay_ms = u64::MAX).starts_with("politeness.delay_ms"));
        assert!(refused(|c| c.politeness.latency_factor = f64::NAN).starts_with("politeness.latency_factor = NaN"));
        assert!(refused(|c| c.politeness.max_wait_ms = u64::MAX).starts_with("politeness.max_wait_ms"));
        assert!(refused(|c| c.politeness.parallel_per_address = 0).starts_with("politeness.parallel_per_address"));
        assert!(refused(|c| c.canonicalize.max_url_bytes = 100_000).starts_with("canonicalize.max_url_bytes"));
        assert!(refused(|c| c.dedup.max_distance = 40).starts_with("dedup.max_distance = 40"));
        assert!(refused(|c| c.dedup.min_similarity = f32::NAN).starts_with("dedup.min_similarity"));
    }
}
