//! The sections of `config.toml`, key by key, with the built-in defaults.
//!
//! Nothing here is interpreted: [`Settings`](super::settings::Settings) holds the validated form.

mod login;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use storage::warc::Compression;

pub use login::LoginEntry;

/// Declares a section of the file: its keys, each with its type and its built-in default.
macro_rules! section {
    ($(#[$of_section:meta])* pub struct $name:ident { $($(#[$of_key:meta])* pub $key:ident: $type:ty = $default:expr,)* }) => {
        $(#[$of_section])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$of_key])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }
    };
}

section! {
    /// `[identity]`: how the crawler introduces itself.
    pub struct IdentitySection {
        /// Product token: the first part of the User-Agent header, and the name that robots.txt groups are matched against.
        pub product: String = "crawler".into(),
        /// URL of a page about the operator; empty for none.
        pub contact_url: String = String::new(),
    }
}

/// Which hosts belong to the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeMode {
    /// Only the seeds' hosts.
    Host,
    /// The seeds' hosts without a leading `www.`, and every host below them.
    Subdomains,
}

/// Which links the crawl follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FollowedLinks {
    /// Links to documents.
    Documents,
    /// Links to documents and to embedded resources.
    All,
}

section! {
    /// `[scope]`: which URLs belong to the crawl.
    pub struct ScopeSection {
        /// Which hosts belong to the crawl.
        pub mode: ScopeMode = ScopeMode::Host,
        /// Which links the crawl follows.
        pub links: FollowedLinks = FollowedLinks::Documents,
        /// Also follow links that carry `rel=nofollow`.
        pub follow_nofollow: bool = true,
        /// The documents that are pages beside HTML.
        pub documents: Vec<page::documents::Kind> = page::documents::Kind::ALL.to_vec(),
        /// Patterns of URLs, `glob:…` or `regex:…`, of which each URL must match one; empty for all URLs.
        pub include: Vec<String> = Vec::new(),
        /// Patterns of URLs that do not belong to the crawl.
        pub exclude: Vec<String> = Vec::new(),
        /// Largest number of links between a seed and a page; a seed has depth 0.
        pub max_depth: u16 = 20,
        /// Upper bound on pages with a verdict, in all runs on one data folder; 0 for no limit.
        pub max_pages: u64 = 0,
        /// Upper bound on pages with a verdict, for each host; 0 for no limit.
        pub max_pages_per_host: u64 = 0,
        /// Upper bound on known URLs for each host; 0 for no limit.
        pub max_urls_per_host: u64 = 1_000_000,
        /// Upper bound on repetitions of a path segment that is not a number.
        pub max_segment_repeats: usize = 3,
        /// Upper bound on the parameters of a query.
        pub max_query_parameters: usize = 30,
        /// Hold back the rest of a host or folder if this share of its last pages said nothing new; 0 for never.
        pub max_duplicate_share: f64 = 0.0,
        /// The last pages of a host or folder that `max_duplicate_share` looks at.
        pub duplicate_window: usize = 500,
    }
}

section! {
    /// `[politeness]`: how often and how the crawler asks a host.
    pub struct PolitenessSection {
        /// Milliseconds between the end of one request to a host and the start of the next.
        pub delay_ms: u64 = 1_000,
        /// Requests open at one host at a time.
        pub parallel_per_host: usize = 1,
        /// Milliseconds between the starts of two requests to one address, for all its hosts; `delay_ms` caps it.
        pub address_delay_ms: u64 = 200,
        /// Requests open at one address at a time, for all its hosts; at least `parallel_per_host`.
        pub parallel_per_address: usize = 4,
        /// The delay is at least this many times the server's latency; 0 switches the rule off.
        pub latency_factor: f64 = 2.0,
        /// Upper bound on the adaptive delay, in milliseconds.
        pub max_delay_ms: u64 = 30_000,
        /// Upper bound on a `Crawl-delay` from robots.txt, in milliseconds.
        pub max_crawl_delay_ms: u64 = 60_000,
        /// Obey robots.txt.
        pub robots: bool = true,
        /// Read the sitemaps that robots.txt names.
        pub sitemaps: bool = true,
        /// Ask for `/sitemap.xml` where robots.txt names no sitemap.
        pub guess_sitemap: bool = true,
        /// Retries of a URL after a transient failure.
        pub max_retries: u8 = 2,
        /// Milliseconds that a host rests after a transient failure; each further failure in a row doubles the time.
        pub retry_delay_ms: u64 = 5_000,
        /// Longest time that a run waits for a resting host, in milliseconds.
        pub max_wait_ms: u64 = 600_000,
    }
}

section! {
    /// `[fetch]`: HTTP requests and their limits.
    pub struct FetchSection {
        /// Requests open at one time, over all hosts.
        pub parallel: usize = 32,
        /// Time limit for a connection, in milliseconds, including name resolution and TLS.
        pub connect_timeout_ms: u64 = 10_000,
        /// Time limit from the start of a request to the last byte of the body, in milliseconds.
        pub timeout_ms: u64 = 30_000,
        /// Largest body in bytes, both as sent and after decompression.
        pub max_body_bytes: usize = 10 * 1024 * 1024,
        /// Memory for bodies and pages between the network and the disk, in bytes; 0 leaves it to the machine.
        pub memory_bytes: usize = 0,
        /// Longest chain of redirects.
        pub max_redirects: u8 = 10,
        /// Recognise pages that stand in the way of the one that was asked for.
        pub walls: bool = true,
        /// Also connect to loopback, private and other special addresses.
        pub allow_private_addresses: bool = false,
        /// Keep cookies and send them back.
        pub cookies: bool = false,
        /// File with cookies in Netscape format; empty for none.
        pub cookies_file: PathBuf = PathBuf::new(),
        /// Keep the cookies of a run for the next one.
        pub keep_cookies: bool = false,
        /// URL of the proxy for all requests; empty for none.
        pub proxy: String = String::new(),
        /// PEM file with additional certificate authorities; empty for none.
        pub extra_root_certificates: PathBuf = PathBuf::new(),
        /// Additional header fields of every request.
        pub headers: BTreeMap<String, String> = BTreeMap::new(),
        /// Basic authentication for single hosts.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub credentials: Vec<CredentialsEntry> = Vec::new(),
        /// Log-ins by forms.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub login: Vec<LoginEntry> = Vec::new(),
    }
}

/// `[[fetch.credentials]]`: user and password for one host.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialsEntry {
    /// `example.org` for https, or an origin such as `http://localhost:8080`.
    pub host: String,
    /// User name.
    pub user: String,
    /// Password; exclusive with `password_env`.
    pub password: Option<String>,
    /// Environment variable with the password.
    pub password_env: Option<String>,
}

/// Leaves the password out.
impl fmt::Debug for CredentialsEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CredentialsEntry");
        shown.field("host", &self.host).field("user", &self.user);
        shown.field("password_env", &self.password_env).finish_non_exhaustive()
    }
}

/// Which probable duplicates are held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leave {
    /// None: all of them are fetched last.
    Nothing,
    /// URLs of traps, except a sample; the others are fetched last.
    Traps,
    /// URLs of every rule that no page contradicted, except a sample.
    Snoozed,
}

section! {
    /// `[steering]`: how verdicts change the order of the queue.
    pub struct SteeringSection {
        /// Deprioritise URLs that are probably duplicates.
        pub enabled: bool = true,
        /// Duplicates that must confirm a rule before the crawler uses it.
        pub min_confirmed: u32 = 3,
        /// Pages after the first that a pattern needs before the crawler judges it.
        pub min_pattern_pages: u32 = 10,
        /// Which probable duplicates are held back.
        pub leave: Leave = Leave::Traps,
        /// Rules, as `crawler rules` prints them, whose URLs are held back without a sample.
        pub apply: Vec<String> = Vec::new(),
    }
}

section! {
    /// `[refresh]`: when `crawler run --refresh` visits a page again. Times are written `12h` or `7d`.
    pub struct RefreshSection {
        /// Shortest time between two visits of a page.
        pub min_interval: String = "1d".into(),
        /// Time between the first and the second visit, where the age of the page is unknown.
        pub first_interval: String = "7d".into(),
        /// Longest time between two visits of a page.
        pub max_interval: String = "90d".into(),
    }
}

/// Among which pages the workers of a fleet decide near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FleetVerdicts {
    /// Those of the whole fleet.
    Fleet,
    /// Those of one worker.
    Worker,
}

/// Where a fleet keeps the segments of its log of kept pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FleetSegments {
    /// In the object store of `storage.archive_url`, if it is set; otherwise in Redis.
    Archive,
    /// In Redis.
    Redis,
}

section! {
    /// `[fleet]`: the work on one crawl with other workers.
    pub struct FleetSection {
        /// Address of the Redis servers, such as `redis://host:6379`; "" for a crawl by one process.
        pub address: String = String::new(),
        /// Name of the crawl on these servers.
        pub name: String = "crawl".into(),
        /// Time after which other workers take over the hosts of a worker that is silent.
        pub lease_seconds: u64 = 15,
        /// Entries of the log of kept pages in a segment.
        pub segment_entries: usize = 16_384,
        /// Where the segments are.
        pub segments: FleetSegments = FleetSegments::Archive,
        /// Among which pages the workers decide near-duplicates.
        pub verdicts: FleetVerdicts = FleetVerdicts::Fleet,
    }
}

/// Which pages a browser renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RenderMode {
    /// None.
    Off,
    /// Those of the patterns where a sample said more after its scripts had run.
    Auto,
    /// All.
    Always,
}

section! {
    /// `[render]`: which pages a browser renders.
    pub struct RenderSection {
        /// Which pages a browser renders.
        pub mode: RenderMode = RenderMode::Off,
        /// The program; empty for the Chromium or Chrome in the search path.
        pub browser: PathBuf = PathBuf::new(),
        /// Pages that the browser has open at one time.
        pub tabs: usize = 2,
        /// Time limit of a page in seconds, without the time that its requests wait for their turn.
        pub timeout_seconds: u64 = 20,
        /// How often a page is scrolled to its end, at most.
        pub scroll: usize = 0,
        /// Most requests that the scripts of a page may make.
        pub max_requests: usize = 100,
        /// Most bytes of the answers to these requests.
        pub max_bytes: usize = 20 * 1024 * 1024,
        /// By pattern of the URL, `glob:…` or `regex:…`: the CSS selector of an element without which a page is not finished.
        pub wait_for: BTreeMap<String, String> = BTreeMap::new(),
    }
}

section! {
    /// `[dedup]`: which pages are duplicates.
    pub struct DedupSection {
        /// Largest Hamming distance between the fingerprints of near-duplicates, in bits.
        pub max_distance: u32 = dedup::DuplicateRule::default().max_distance,
        /// What confirms a candidate as a duplicate.
        pub confirm: ConfirmBy = ConfirmBy::Sketch,
        /// Smallest Jaccard similarity, estimated from sketches, that confirms a near-duplicate.
        pub min_similarity: f32 = dedup::MIN_SIMILARITY,
        /// Weight of the fingerprints in the combined rule.
        pub combined_weight: f32 = dedup::PAPER_WEIGHT,
        /// Smallest sum that confirms a near-duplicate by the combined rule.
        pub combined_bound: f32 = dedup::PAPER_BOUND,
        /// Smallest exact Jaccard similarity that confirms a short text as a near-duplicate.
        pub min_similarity_short: f32 = dedup::DuplicateRule::default().min_similarity_short,
        /// Texts with different numbers (prices, model numbers) are not near-duplicates.
        pub numbers_must_match: bool = dedup::DuplicateRule::default().numbers_must_match,
        /// Pages of one host with other headings and this many words of their own each are not near-duplicates; 0 is off.
        pub min_own_words: u32 = dedup::DuplicateRule::default().min_own_words,
        /// A page replaces its kept duplicate if that duplicate names it as its canonical URL.
        pub prefer_canonical: bool = true,
        /// Where the candidates of a check come from.
        pub candidates: dedup::Candidates = dedup::Candidates::Auto,
        /// μ: the index splits a bucket with more than 1 + μ times the mean.
        pub bucket_skew: f64 = dedup::DEFAULT_SKEW,
        /// Ignore dates and clock times in texts.
        pub mask_dates: bool = dedup::Scheme::default().mask_dates,
        /// Bits of a fingerprint.
        pub bits: u32 = dedup::Scheme::default().width.bits(),
        /// Features of a text, such as `words`.
        pub features: String = dedup::Scheme::default().features.to_string(),
        /// How words are found in scripts that do not separate them.
        pub segmenter: String = dedup::Scheme::default().segmenter.to_string(),
        /// Weight of a feature, such as `tf`.
        pub weights: String = dedup::Scheme::default().weights.weighting().to_string(),
        /// IDF table for the weights that need one; empty for none.
        pub idf_table: PathBuf = PathBuf::new(),
    }
}

/// What confirms a candidate as a duplicate: see [`dedup::Confirm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmBy {
    /// The Hamming distance alone.
    Distance,
    /// The similarity of the texts' sketches.
    Sketch,
    /// The Hamming distance and the similarity of the metadata.
    Combined,
}

/// `[[extract]]`: what is the content of some pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtractEntry {
    /// The host of the pages, such as `example.org` or `*.example.org`; `None` for every host.
    pub host: Option<String>,
    /// A pattern of the pages' URLs; without `glob:` a regular expression of a part of the URL. `None` for every URL.
    #[serde(rename = "match")]
    pub pattern: Option<String>,
    /// CSS selectors of the elements that are content; empty to find the content as without a rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<String>,
    /// CSS selectors of the elements that are no content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// What the choice of the content prefers; `None`: balanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favor: Option<FavorBy>,
}

/// What the choice of the content prefers: see [`page::Favor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FavorBy {
    /// Less text that is not content.
    Precision,
    /// Both alike.
    Balanced,
    /// Less content that is missing.
    Recall,
}

/// `[[host]]`: the treatment of some hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostEntry {
    /// The hosts, such as `example.org` or `*.example.org`.
    pub host: String,
    /// As `politeness.delay_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// As `politeness.parallel_per_host`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<usize>,
    /// Additional header fields of requests to these hosts; they may be secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Patterns of URLs as in `scope.include`, for URLs of these hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Patterns of URLs as in `scope.exclude`, for URLs of these hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}

/// What the archive holds of a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duplicates {
    /// The difference of its text, and a `revisit` if its bytes are those of the kept page.
    Difference,
    /// Its whole response, and a `revisit` if its bytes are those of the kept page.
    Body,
    /// Only that it is a duplicate.
    Nothing,
}

section! {
    /// `[storage]`: the data folder.
    pub struct StorageSection {
        /// Memory for the page cache of the state, in bytes.
        pub cache_bytes: u64 = 64 * 1024 * 1024,
        /// Size at which the crawler starts a new WARC file, in bytes; 0 for a usual size.
        pub warc_file_bytes: u64 = 0,
        /// Compression of the WARC files that this run writes.
        pub compression: Compression = Compression::Gzip,
        /// What the archive holds of duplicates.
        pub duplicates: Duplicates = Duplicates::Difference,
        /// Upper bound on the time between a verdict and the begin of its commit to the disk, in milliseconds.
        pub commit_interval_ms: u64 = 250,
        /// Pages after which a run writes what it has learned from the verdicts.
        pub checkpoint_pages: usize = 5_000,
        /// Object store for full WARC files: `s3://`, `gs://`, `az://` or `file://`; empty for none.
        pub archive_url: String = String::new(),
    }
}
