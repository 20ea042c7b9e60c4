//! `crawler inspect`: how the crawler reads one page, robots.txt, URL or sitemap.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ConfigFile;

/// `crawler inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The kind of input.
    #[command(subcommand)]
    pub what: Inspected,
}

/// The kinds of input that the command can inspect.
#[derive(Debug, Subcommand)]
pub enum Inspected {
    /// Show how the crawler reads pages: encoding, text, language, links, directives, fingerprint.
    Page(InspectPageArgs),
    /// Show which URLs a robots.txt allows for an agent, with the deciding line.
    Robots(InspectRobotsArgs),
    /// Show the canonical form of URLs, their SURT, their host key, and the pattern that admits or excludes them.
    Url(InspectUrlArgs),
    /// Show the kind of a sitemap and its URLs.
    Sitemap(InspectSitemapArgs),
}

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line. Fields are only ever added.
    Json,
    /// The same as json.
    Jsonl,
}

/// The forms of the answer for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InspectPageFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line. Fields are only ever added.
    Json,
    /// The same as json.
    Jsonl,
    /// The main text as Markdown: headings, lists, tables, code, links. A rule stands between two pages.
    Markdown,
}

/// Settings for fetching a URL.
#[derive(Debug, Args)]
pub struct Fetching {
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also connect to loopback, private and other special addresses.
    #[arg(long)]
    pub allow_private: bool,
}

/// `crawler inspect page`
#[derive(Debug, Args)]
#[command(
    after_help = "JSON: {\"source\", \"url\", \"status\", \"media_type\", \"charset\": WHATWG name, \"charset_source\": \
    \"bom\"|\"header\"|\"meta\"|\"utf8\"|\"detected\", \"charset_errors\": true if some bytes were malformed, \"title\", \
    \"text\", \"markdown\": the same with its structure, \"extract\": null without a rule of [[extract]], otherwise {\"rule\", \"effect\": \
    \"content\"|\"drop\"|\"nothing\"}, \"word_count\": number of tokens in the text, where each date and each character of a script without spaces is one token, \
    \"min_words\": smallest number of words for a fingerprint, where six such characters count as one word, \"language\": ISO 639-1, \
    \"page_type\": \"article\"|\"listing\"|\"product\"|\"forum\"|\"documentation\"|\"service\"|\"unknown\", \"document\": kind of a document that is not HTML, \"pages\": its number of pages, \"missing_parts\": [names of parts that it lacks], \"outlinks\": [{\"url\", \"kind\", \"nofollow\"}], \"robots\": \
    {\"noindex\", \"nofollow\", \"unavailable_after\": date, \"meta\": {the same fields}, \"header\": {the same fields}}, \
    \"canonical\": URL of rel=canonical, if the page names exactly one, \"canonical_url\": canonical form of url, \
    \"fingerprint\": hexadecimal digits, \"digest\": digest of the normalised text, equal for exact duplicates, \"similarity\": \
    \"sketch\"|\"short\"|\"none\", the measure that confirms near-duplicates, \"soft_404\", \"wall\": {\"kind\", \"evidence\"} if it is no page but \
    stands in the way of one, \"redirect\": {\"to\", \"by\": \
    \"meta refresh\"|\"script\", \"delay_seconds\"} if the page only redirects, \"truncated\", \"metadata\": what an HTML page says about \
    itself, {\"title\" without the name of the site, \"authors\": [names], \"published\", \"modified\": ISO 8601, \"description\", \
    \"site_name\", \"language\", \"tags\": [..], \"section\", \"licence\", \"image\", \"type\"}, each {\"value\", \"source\"}, absent \
    without a value}. Unknown values are null. The answer for a page that could not be read is {\"source\", \"url\", \"error\"}. The kind of a link is its element (a, \
    area, frame, iframe, form, meta-refresh, link:next and other link types), its header (header:link and others), or css:url and \
    css:import.\n\
    A file has no URL: without --url, \"url\" is null and relative links are resolved against http://file.invalid/.\n\
    The command fetches a URL with the limits of a crawl, after its robots.txt.\n\
    Exit codes: 0 all pages were read, 1 the command could not continue, 2 an argument or the configuration is invalid, 3 some \
    pages could not be read."
)]
pub struct InspectPageArgs {
    /// Files with HTML, plain text or another document, also as gzip or zstd; http and https URLs; - for standard input.
    #[arg(value_name = "FILE|URL", required = true)]
    pub pages: Vec<PathBuf>,
    /// URL of the page, which completes its relative links. Only for a single page.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// CSS selector of elements that are the content, as in a rule of [[extract]], which this one replaces. Repeatable.
    #[arg(long, value_name = "CSS")]
    pub content: Vec<String>,
    /// CSS selector of elements that are no content, as in a rule of [[extract]]. Repeatable.
    #[arg(long, value_name = "CSS")]
    pub drop: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectPageFormat::Text)]
    pub format: InspectPageFormat,
    /// Fetch a URL even if its robots.txt forbids it.
    #[arg(long)]
    pub ignore_robots: bool,
    #[command(flatten)]
    pub fetching: Fetching,
}

/// `crawler inspect robots`
#[derive(Debug, Args)]
#[command(
    after_help = "Text: one line per URL: `allow` or `disallow`, a tab, the deciding rule (its line number and text, or `no rule`), \
    a tab, the URL. Without URLs: `agent`, `crawl-delay` and each `sitemap`, a tab, the value.\n\
    JSON: {\"url\", \"allowed\", \"rule\": text|null, \"line\": counted from 1|null, \"agent\": the product token in NAME, or * \
    without one, \"crawl_delay_ms\": milliseconds|null, \"sitemaps\": [..]}. Without URLs: {\"agent\", \"crawl_delay_ms\", \"sitemaps\"}. The answer for an invalid URL is {\"url\", \
    \"error\"}, or in text form a line on standard error.\n\
    Only the path and the query of a URL count. The command does not check that the robots.txt belongs to the host of the URL.\n\
    Exit codes: 0 all URLs are valid, 1 the command could not continue, 2 an argument or the configuration is invalid, 3 some \
    URLs are invalid."
)]
pub struct InspectRobotsArgs {
    /// The robots.txt: a file, its URL, the URL of its host, or - for standard input.
    #[arg(value_name = "FILE|URL")]
    pub robots: PathBuf,
    /// Name of the crawler or its User-Agent header. Only the product token at its start counts. Default: identity.product.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// URLs or paths; - to read one per line from standard input. Without any, the command shows the Crawl-delay and the sitemaps.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    #[command(flatten)]
    pub fetching: Fetching,
}

/// `crawler inspect url`
#[derive(Debug, Args)]
#[command(
    after_help = "Text: one line per URL: the canonical URL, a tab, the SURT, a tab, the host key. If the configuration has scope.include \
    or scope.exclude, a tab and `admitted` or `excluded` with the pattern that decides follow. If a section [[host]] holds for the \
    URL, a tab and the section follow. For a URL that cannot be crawled: \
    `error`, a tab, the reason, a tab, the URL.\n\
    JSON: {\"url\", \"canonical\", \"surt\", \"host_key\", \"rules\": version and names of the active rules, \
    \"admitted\": whether scope.include and scope.exclude admit the URL, \"pattern\": the pattern that decides, or null, \
    \"host_section\": {\"number\", \"host\", \"delay_ms\", \"parallel\", \"headers\": names} of the section [[host]], or null}, or {\"url\", \
    \"error\"}.\n\
    The section [canonicalize] of the configuration sets the rules.\n\
    Exit codes: 0 all URLs can be crawled, 1 the command could not continue, 2 an argument or the configuration is invalid, 3 some \
    URLs cannot be crawled."
)]
pub struct InspectUrlArgs {
    /// Absolute http and https URLs. Without URLs, or with -: one per line from standard input.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler inspect sitemap`
#[derive(Debug, Args)]
#[command(
    after_help = "Text: a line with the kind and the number of URLs, then one URL per line. Errors go to standard error.\n\
    JSON: one object {\"source\", \"url\", \"kind\": \"urlset\"|\"index\"|\"text\"|\"rss\"|\"atom\"|null, \"urls\": [..], \
    \"skipped\": number of empty or overlong entries, \"truncated\": true if the sitemap has more than 50,000 entries, \"error\": \
    reason|null}. For a broken sitemap, \"urls\" holds the entries before the fault.\n\
    Relative URLs of a fetched sitemap are resolved against its URL. Relative URLs of a file are shown unchanged.\n\
    Exit codes: 0 the sitemap was read, 1 the command could not continue, 2 an argument or the configuration is invalid, 3 the \
    sitemap is broken or could not be read."
)]
pub struct InspectSitemapArgs {
    /// The sitemap as XML, text, RSS or Atom, also as gzip: a file, its URL, or - for standard input.
    #[arg(value_name = "FILE|URL")]
    pub sitemap: PathBuf,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    #[command(flatten)]
    pub fetching: Fetching,
}
