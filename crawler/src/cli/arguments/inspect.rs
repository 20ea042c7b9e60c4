//! `crawler inspect`: what the crawler makes of one page, robots.txt, URL or sitemap.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ConfigFile;

/// `crawler inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// What to look at.
    #[command(subcommand)]
    pub what: Inspected,
}

/// What can be inspected.
#[derive(Debug, Subcommand)]
pub enum Inspected {
    /// Show what the crawler reads in pages: encoding, text, language, links, directives, fingerprint.
    Page(InspectPageArgs),
    /// Say which URLs a robots.txt allows an agent, and by which line.
    Robots(InspectRobotsArgs),
    /// Show the canonical form of URLs, their SURT and their host key.
    Url(InspectUrlArgs),
    /// Show what a sitemap is, and the URLs it names.
    Sitemap(InspectSitemapArgs),
}

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line. Fields are only ever added.
    Json,
    /// The same as json.
    Jsonl,
}

/// How URLs are fetched that are to be looked at.
#[derive(Debug, Args)]
pub struct Fetching {
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Connect to loopback, private and other special addresses too.
    #[arg(long)]
    pub allow_private: bool,
}

/// `crawler inspect page`
#[derive(Debug, Args)]
#[command(
    after_help = "As JSON: {\"source\", \"url\", \"status\", \"media_type\", \"charset\": WHATWG name, \"charset_source\": \
    \"bom\"|\"header\"|\"meta\"|\"utf8\"|\"detected\", \"charset_errors\": true if some bytes were malformed, \"title\", \
    \"text\", \"word_count\", \"language\": ISO 639-1, \"outlinks\": [{\"url\", \"kind\", \"nofollow\"}], \"robots\": \
    {\"noindex\", \"nofollow\", \"unavailable_after\": date, \"meta\": {the same}, \"header\": {the same}}, \
    \"canonical\": of rel=canonical where all that is named is one URL, \"canonical_url\": canonical form of url, \"fingerprint\": hexadecimal digits, \
    \"digest\": of the normalised text, equal for exact duplicates, \"similarity\": \"sketch\"|\"short\"|\"none\", what \
    near-duplicates are confirmed by, \"soft_404\", \"truncated\"}. What is not known is null. What could not be read is \
    {\"source\", \"url\", \"error\"}. The kind of a link is the element that names it (a, area, frame, iframe, form, \
    meta-refresh, link:next and its like) or the header (header:link, …).\n\
    A file has no URL of its own: without --url its relative links are shown against http://file.invalid/ and \"url\" is null.\n\
    A URL is fetched as a crawl does, with the same limits, after its robots.txt.\n\
    Exit codes: 0 all were read, 3 some could not be read, 1 it could not go on, 2 it was called with something unusable."
)]
pub struct InspectPageArgs {
    /// Files of HTML or plain text, also gzip or zstd; http and https URLs; - for standard input.
    #[arg(value_name = "FILE|URL", required = true)]
    pub pages: Vec<PathBuf>,
    /// The URL that the page is from: its links are relative to it. For a single page only.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    /// Fetch a URL although its robots.txt forbids it.
    #[arg(long)]
    pub ignore_robots: bool,
    /// See `--help` of the group.
    #[command(flatten)]
    pub fetching: Fetching,
}

/// `crawler inspect robots`
#[derive(Debug, Args)]
#[command(
    after_help = "A line a URL: `allow` or `disallow`, a tab, the rule that decided (its line number and text, or `no rule`), \
    a tab, the URL.\n\
    As JSON: {\"url\", \"allowed\", \"rule\": text|null, \"line\": counted from 1|null, \"agent\": the token that was looked \
    for, * where NAME holds none, \"crawl_delay_ms\": milliseconds|null, \"sitemaps\": [..]}. What is no URL is {\"url\", \
    \"error\"}, as text a line on standard error.\n\
    Only path and query of a URL count; that the robots.txt is that of its host is not checked.\n\
    Exit codes: 0 all was answered, 3 some lines are no URLs, 1 it could not go on, 2 it was called with something unusable."
)]
pub struct InspectRobotsArgs {
    /// The robots.txt: a file, its URL (that of a host alone will do), or - for standard input.
    #[arg(value_name = "FILE|URL")]
    pub robots: PathBuf,
    /// The crawler's name, or its whole User-Agent header: what counts is the product token that it begins with.
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// URLs to ask about, or their paths; - for one a line on standard input.
    #[arg(value_name = "URL", required = true)]
    pub urls: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    /// See `--help` of the group.
    #[command(flatten)]
    pub fetching: Fetching,
}

/// `crawler inspect url`
#[derive(Debug, Args)]
#[command(
    after_help = "A line a URL: the canonical form, a tab, the SURT, a tab, the host key; of what cannot be crawled `error`, \
    a tab, what is wrong, a tab, the text.\n\
    As JSON: {\"url\", \"canonical\", \"surt\", \"host_key\", \"rules\": version and names of the rules that are on}, or \
    {\"url\", \"error\"}.\n\
    The rules are those of [canonicalize] in the configuration.\n\
    Exit codes: 0 all are URLs that can be crawled, 3 some are not, 1 it could not go on, 2 it was called with something \
    unusable."
)]
pub struct InspectUrlArgs {
    /// Absolute http and https URLs; - or none for one a line on standard input.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler inspect sitemap`
#[derive(Debug, Args)]
#[command(
    after_help = "First a line with the kind and the number of URLs, then a URL a line; what is wrong goes to standard error.\n\
    As JSON, one object: {\"source\", \"url\", \"kind\": \"urlset\"|\"index\"|\"text\"|\"rss\"|\"atom\"|null, \"urls\": [..], \
    \"skipped\": addresses that were empty or too long, \"truncated\": true if there were more than 50,000, \"error\": what is \
    wrong|null}. Of a broken sitemap \"urls\" holds what came before.\n\
    Relative addresses of a sitemap that was fetched are joined with its URL; of a file they are shown as they stand.\n\
    Exit codes: 0 it was read, 3 it is broken or could not be read, 1 it could not go on, 2 it was called with something \
    unusable."
)]
pub struct InspectSitemapArgs {
    /// The sitemap, XML, text, RSS or Atom, also gzip: a file, its URL, or - for standard input.
    #[arg(value_name = "FILE|URL")]
    pub sitemap: PathBuf,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    /// See `--help` of the group.
    #[command(flatten)]
    pub fetching: Fetching,
}
