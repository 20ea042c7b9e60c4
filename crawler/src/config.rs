//! What did the user configure, and is every value usable?
//!
//! `config.toml`, key by key, with the built-in defaults, and the validated form of all of it.
//!
//! Nothing here is interpreted; [`crate::config::settings`] validates a [`Config`] and turns it into the form the program uses.
//! The sample `config.toml` at the top of the repository is the manual: it shows every key at its default, and a test
//! holds it to this file.
//!
//! - [`keys`](fn@keys) there are, [`Sources`] of their values: default, file, environment, flag
//! - [`check`](fn@check) says all that is wrong with a file
//!
//! Uses: dedup, page, storage, web.

mod check;
mod keys;
mod secrets;
pub mod settings;
mod sources;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use web::canonicalize;

pub use check::{Finding, check};
pub use keys::{Key, keys};
pub use sources::{Origin, Sources};

/// Everything `config.toml` can say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Who the crawler says it is.
    pub identity: Identity,
    /// Which URLs belong to the crawl.
    pub scope: Scope,
    /// How a host is treated.
    pub politeness: Politeness,
    /// What the verdicts mean for the URLs that wait.
    pub steering: Steering,
    /// When pages are looked at again.
    pub refresh: Refresh,
    /// How a response is fetched.
    pub fetch: Fetch,
    /// Which spellings of a URL are one URL.
    pub canonicalize: canonicalize::CanonicalRules,
    /// When a page says nothing new.
    pub dedup: Dedup,
    /// What is written to the data folder.
    pub storage: Storage,
}

/// `[identity]`: the User-Agent header and the robots.txt product token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Identity {
    /// Product token: what robots.txt groups are matched against.
    pub product: String,
    /// A page that says who crawls and how to reach them; empty for none.
    pub contact_url: String,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            product: "crawler".into(),
            contact_url: String::new(),
        }
    }
}

/// How far from the seeds' hosts the crawl may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeMode {
    /// The seeds' hosts alone.
    Host,
    /// The seeds' hosts (without a leading `www.`) and everything below them.
    Subdomains,
}

/// Which links of a page are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Links {
    /// Those that name documents.
    Documents,
    /// Those to what is embedded in the page too.
    All,
}

/// `[scope]`: which URLs belong to the crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// How far from the seeds' hosts.
    pub mode: ScopeMode,
    /// Which links of a page are followed.
    pub links: Links,
    /// Follow links that carry `rel=nofollow`.
    pub follow_nofollow: bool,
    /// Links from a seed; a seed has depth 0.
    pub max_depth: u16,
    /// Pages decided in the whole crawl, over all runs on one data folder; 0 is no limit.
    pub max_pages: u64,
    /// Pages decided on one host; 0 is no limit.
    pub max_pages_per_host: u64,
    /// URLs that are known of one host; 0 is no limit.
    pub max_urls_per_host: u64,
    /// Times the same segment, other than a number, may stand in the path of a URL.
    pub max_segment_repeats: usize,
    /// Parameters that the query of a URL may have.
    pub max_query_parameters: usize,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            mode: ScopeMode::Host,
            links: Links::Documents,
            follow_nofollow: true,
            max_depth: 20,
            max_pages: 0,
            max_pages_per_host: 0,
            max_urls_per_host: 1_000_000,
            max_segment_repeats: 3,
            max_query_parameters: 30,
        }
    }
}

/// `[politeness]`: how a host is treated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Politeness {
    /// Milliseconds between the end of one request to a host and the start of the next.
    pub delay_ms: u64,
    /// Requests open at one host at a time.
    pub parallel_per_host: usize,
    /// Milliseconds between the starts of two requests to one address, whatever the hosts; never more than `delay_ms`.
    pub address_delay_ms: u64,
    /// Requests open at one address at a time, whatever the hosts; never fewer than `parallel_per_host`.
    pub parallel_per_address: usize,
    /// The delay is at least this many times the server's latency; 0 switches that off.
    pub latency_factor: f64,
    /// Most milliseconds that latency, 429 and 503 make of the delay.
    pub max_delay_ms: u64,
    /// A robots.txt `Crawl-delay` longer than this many milliseconds is cut to it.
    pub max_crawl_delay_ms: u64,
    /// Obey robots.txt.
    pub robots: bool,
    /// Read the sitemaps that robots.txt names.
    pub sitemaps: bool,
    /// Where robots.txt names none, ask for `/sitemap.xml`.
    pub guess_sitemap: bool,
    /// Times a URL is tried again after a passing failure.
    pub max_retries: u8,
    /// Milliseconds a host rests after its first passing failure; doubled at each further one in a row.
    pub retry_delay_ms: u64,
    /// Most milliseconds that a run waits for a host that failed or asked for rest.
    pub max_wait_ms: u64,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            delay_ms: 1_000,
            parallel_per_host: 1,
            address_delay_ms: 200,
            parallel_per_address: 4,
            latency_factor: 2.0,
            max_delay_ms: 30_000,
            max_crawl_delay_ms: 60_000,
            robots: true,
            sitemaps: true,
            guess_sitemap: true,
            max_retries: 2,
            retry_delay_ms: 5_000,
            max_wait_ms: 600_000,
        }
    }
}

/// `[fetch]`: how a response is fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fetch {
    /// Requests open at all hosts together.
    pub parallel: usize,
    /// Milliseconds to open a connection, name look-up and TLS included.
    pub connect_timeout_ms: u64,
    /// Milliseconds from the request's start to the last byte of the body.
    pub timeout_ms: u64,
    /// Bytes of body accepted, as sent and again after decompression.
    pub max_body_bytes: usize,
    /// Bytes of bodies and pages held between the network and the disk.
    pub memory_bytes: usize,
    /// Redirects followed from one URL.
    pub max_redirects: u8,
    /// Connect to loopback, private and other special addresses.
    pub allow_private_addresses: bool,
    /// Keep and send back cookies.
    pub cookies: bool,
    /// URL of the proxy that all requests go through; empty for none.
    pub proxy: String,
    /// PEM file with certificates of authorities to trust besides the usual ones; empty for none.
    pub extra_root_certificates: PathBuf,
    /// Header fields added to every request.
    pub headers: BTreeMap<String, String>,
    /// Basic authentication by host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Credentials>,
}

/// `[[fetch.credentials]]`: a user and a password for one host.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// `example.org` for https, or an origin such as `http://localhost:8080`.
    pub host: String,
    /// The user.
    pub user: String,
    /// The password; this or `password_env`.
    pub password: Option<String>,
    /// The environment variable that holds the password.
    pub password_env: Option<String>,
}

/// Without the password.
impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Credentials");
        shown.field("host", &self.host).field("user", &self.user);
        shown.field("password_env", &self.password_env).finish_non_exhaustive()
    }
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            parallel: 32,
            connect_timeout_ms: 10_000,
            timeout_ms: 30_000,
            max_body_bytes: 10 * 1024 * 1024,
            memory_bytes: 32 * 1024 * 1024,
            max_redirects: 10,
            allow_private_addresses: false,
            cookies: false,
            proxy: String::new(),
            extra_root_certificates: PathBuf::new(),
            headers: BTreeMap::new(),
            credentials: Vec::new(),
        }
    }
}

/// What happens to URLs that will most likely turn out duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leave {
    /// All are fetched, after everything else.
    Nothing,
    /// Those of traps stay in the queue, but for a sample; the others are fetched, after everything else.
    Traps,
    /// Those of rules that were never wrong stay in the queue, but for a sample.
    Snoozed,
}

/// `[steering]`: what the verdicts mean for the URLs that wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Steering {
    /// URLs that will most likely turn out duplicates go last.
    pub enabled: bool,
    /// Duplicates that must have confirmed a rule before it is believed.
    pub min_confirmed: u32,
    /// Pages after the first that a pattern must have before it is judged.
    pub min_pattern_pages: u32,
    /// What is not fetched at all.
    pub leave: Leave,
    /// Rules, as `crawler rules` prints them, whose URLs are left without a test.
    pub apply: Vec<String>,
}

impl Default for Steering {
    fn default() -> Self {
        Self {
            enabled: true,
            min_confirmed: 3,
            min_pattern_pages: 10,
            leave: Leave::Traps,
            apply: Vec::new(),
        }
    }
}

/// `[refresh]`: when `crawler run --refresh` looks at a page again; times such as `12h` or `7d`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Refresh {
    /// At least this long after the last time.
    pub min_interval: String,
    /// The second time, where the server does not tell the page's age.
    pub first_interval: String,
    /// At most this long after the last time.
    pub max_interval: String,
}

impl Default for Refresh {
    fn default() -> Self {
        Self {
            min_interval: "1d".into(),
            first_interval: "7d".into(),
            max_interval: "90d".into(),
        }
    }
}

/// `[dedup]`: when a page says nothing new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dedup {
    /// Largest Hamming distance between the fingerprints of near-duplicates, in bits of 64.
    pub max_distance: u32,
    /// What confirms a candidate.
    pub confirm: ConfirmBy,
    /// Smallest estimated Jaccard similarity that confirms a near-duplicate, by sketches.
    pub min_similarity: f32,
    /// Part of the fingerprints in the combined rule.
    pub combined_weight: f32,
    /// Smallest sum that confirms by the combined rule.
    pub combined_bound: f32,
    /// The same for short texts, whose similarity is computed exactly.
    pub min_similarity_short: f32,
    /// Keep pages apart whose numbers (prices, model numbers) differ.
    pub numbers_must_match: bool,
    /// Keep the page that another names as its canonical URL in that one's place.
    pub prefer_canonical: bool,
    /// μ: a bucket of the index with more than 1 + μ times the mean is split a second time.
    pub bucket_skew: f64,
    /// Ignore recognised dates and clock times when texts are compared.
    pub mask_dates: bool,
    /// Bits of a fingerprint.
    pub bits: u32,
    /// What a text is made of.
    pub features: String,
    /// How words are found in scripts without spaces.
    pub segmenter: String,
    /// What a feature weighs.
    pub weights: String,
    /// File of the IDF table that `weights` needs; empty for none.
    pub idf_table: PathBuf,
}

/// What confirms a candidate: see [`dedup::Confirm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmBy {
    /// Its distance alone.
    Distance,
    /// The similarity of the texts' sketches.
    Sketch,
    /// Distance and metadata together.
    Combined,
}

impl Default for Dedup {
    fn default() -> Self {
        let (rule, scheme) = (dedup::Rule::default(), dedup::Scheme::default());
        Self {
            max_distance: rule.max_distance,
            confirm: ConfirmBy::Sketch,
            min_similarity: dedup::rule::MIN_SIMILARITY,
            combined_weight: dedup::rule::PAPER_WEIGHT,
            combined_bound: dedup::rule::PAPER_BOUND,
            min_similarity_short: rule.min_similarity_short,
            numbers_must_match: rule.numbers_must_match,
            prefer_canonical: true,
            bucket_skew: dedup::DEFAULT_SKEW,
            mask_dates: scheme.mask_dates,
            bits: scheme.width.bits(),
            features: scheme.features.to_string(),
            segmenter: scheme.segmenter.to_string(),
            weights: scheme.weights.weighting().to_string(),
            idf_table: PathBuf::new(),
        }
    }
}

/// `[storage]`: what is written to the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Storage {
    /// Bytes of memory for the state's page cache.
    pub cache_bytes: u64,
    /// Bytes after which a new WARC file is begun.
    pub warc_file_bytes: u64,
    /// Milliseconds at most between a page's verdict and its being safe on disk.
    pub commit_interval_ms: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * 1024 * 1024,
            warc_file_bytes: 1_000_000_000,
            commit_interval_ms: 250,
        }
    }
}

/// Why a `config.toml` could not be used. The message names file, line and key.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("cannot read the configuration {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not TOML, an unknown key or a value of the wrong type.
    #[error("{path}, line {line}: {message}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong and, for an unknown key, which keys there are.
        message: String,
    },
    /// An environment variable with a value that its key does not take.
    #[error("the environment variable {variable} (for {key}): {message}")]
    Variable {
        /// The variable.
        variable: String,
        /// The key that it stands for.
        key: String,
        /// What is wrong and what is allowed.
        message: String,
    },
}

impl Config {
    /// Reads a `config.toml`. Keys that are not given have their defaults.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or has an unknown key or a value of the wrong type.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(&Self::text(path)?, path)
    }

    /// The text of a `config.toml`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn text(path: &Path) -> Result<String, ConfigError> {
        std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.into(),
            source,
        })
    }

    /// As [`Config::read`], from text already at hand; `path` is for messages.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            ConfigError::Invalid {
                path: path.into(),
                line,
                message: on_line(text.lines().nth(line - 1).unwrap_or_default(), error.message()),
            }
        })
    }
}

/// The line of a place in the text, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|&&b| b == b'\n').count()
}

fn in_one_line(message: &str) -> String {
    message.trim_end().replace('\n', " ")
}

/// Characters of a line that a message shows.
const MAX_SHOWN: usize = 100;

/// What is wrong with a line, and what of it a message may show. toml names the key only where it is unknown; the line always does.
/// But what stands behind a key may be a secret, most of all where the key is misspelt: values are shown of keys that hold none.
fn on_line(line: &str, message: &str) -> String {
    let line: String = line.trim().chars().take(MAX_SHOWN).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = line.split('=').next().unwrap_or_default().trim();
    let names_key = line.contains('=') && !name.is_empty() && name.chars().all(is_name);
    let may_show_value = names_key
        && keys()
            .iter()
            .any(|key| (key.name == name || key.path() == name) && !secrets::may_hold(&key.path()));
    let section = line.trim_matches(['[', ']']).trim();
    let is_section = line.starts_with('[') && line.ends_with(']') && section.chars().all(is_name);
    let message = match message {
        // It holds the value.
        said if !may_show_value && said.starts_with("invalid ") && !said.starts_with("invalid type: map") => {
            "the value is not what this key takes, see config.toml".to_owned()
        }
        said => in_one_line(said),
    };
    if may_show_value || is_section {
        format!("`{line}`: {message}")
    } else if names_key {
        format!("`{name}`: {message}")
    } else {
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_shown_by_no_message() {
        for text in [
            "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npasswort = \"secret\"\n",
            "[fetch]\ncredentials = [{ host = \"a\", pass = \"secret\" }]\n",
            "[fetch]\nproxi = \"http://me:secret@proxy.example\"\n",
            "[fetch]\npasword = \"secret\"\n",
            "pasword = \"secret",
            "[fetch.headers]\nX-Key = \"secret\n",
            "[fetch.headers]\n\"secret\" = 3\n",
            "[fetch]\ncredentials = [\n{ host = \"a\", user = \"b\", pasword = \"secret\" },\n]\n",
            "[fetch]\ncredentials = [\n\"secret\"\n]\n",
            "[fetch]\nproxy = [\"secret\"]\n",
        ] {
            let error = Config::parse(text, Path::new("c.toml")).unwrap_err().to_string();
            assert!(
                !error.contains("secret") && error.starts_with("c.toml, line"),
                "{error}"
            );
        }
        let number = "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = 4711\n";
        let error = Config::parse(number, Path::new("c.toml")).unwrap_err().to_string();
        assert!(error.contains("`password`") && !error.contains("4711"), "{error}");
        let text = "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = \"secret\"\n";
        let config = Config::parse(text, Path::new("c.toml")).unwrap();
        assert_eq!(config.fetch.credentials[0].password.as_deref(), Some("secret"));
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn an_unknown_key_is_named_with_file_and_line() {
        let error = Config::parse("[scope]\n# fine\nmax_depht = 3\n", Path::new("my.toml")).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("my.toml, line 3: "), "{message}");
        assert!(
            message.contains("max_depht") && message.contains("max_depth"),
            "{message}"
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_its_line() {
        let error = Config::parse("[fetch]\nparallel = \"many\"\n", Path::new("c.toml")).unwrap_err();
        assert!(
            error.to_string().starts_with("c.toml, line 2: `parallel = \"many\"`: "),
            "{error}"
        );
    }

    #[test]
    fn the_sample_file_shows_every_key_at_its_default() {
        let sample = include_str!("../../config.toml");
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
