//! Sitemaps: the URLs that a site offers to crawlers, in the formats of the sitemap protocol (sitemaps.org).
//!
//! The formats are XML (`urlset` and `sitemapindex`), plain text with one URL a line, RSS and Atom; each also in gzip, which the
//! parser recognises by its first bytes. The parser does no I/O, and the constants bound it. A damaged file yields the URLs
//! before the damage, and the error.

mod source;
mod text;
mod xml;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use source::Source;

/// Most URLs of one sitemap (the limit of the protocol).
pub const MAX_SITEMAP_URLS: usize = 50_000;

/// Longest sitemap, in bytes after decompression (the limit of the protocol, 50 MB).
pub const MAX_SITEMAP_BYTES: usize = 50 * 1024 * 1024;

/// Most alternates of one sitemap that are looked at: pages in other languages. A site names each page in each of its languages.
const MAX_ALTERNATES: usize = 200_000;

/// Longest URL, in bytes (the limit of the protocol).
pub const MAX_LOCATION_BYTES: usize = 2_048;

/// The URLs of a sitemap, in the order of the file and as written. The caller resolves them against the sitemap's own URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sitemap {
    /// URLs of pages.
    Urls(Vec<String>),
    /// URLs of further sitemaps.
    Index(Vec<String>),
}

/// The result of parsing a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedSitemap {
    /// Its URLs; none if the file is not a sitemap.
    pub sitemap: Sitemap,
    /// Its format; `None` if the file is not a sitemap.
    pub format: Option<SitemapFormat>,
    /// Number of skipped URLs: empty, longer than [`MAX_LOCATION_BYTES`], or, in plain text, not http.
    pub skipped: usize,
    /// Whether the parser stopped at the requested number of URLs.
    pub truncated: bool,
    /// The error in the file; `sitemap` holds the URLs before it.
    pub broken: Option<String>,
}

/// The format of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SitemapFormat {
    /// `<urlset>`: the `loc` of each `url`, and its `xhtml:link` to the page in other languages.
    UrlSet,
    /// `<sitemapindex>`: its URLs are sitemaps.
    Index,
    /// Plain text, one URL a line.
    Text,
    /// RSS 0.9x, 1.0 or 2.0: the `link` of each `item`.
    Rss,
    /// Atom: the alternate `link` of each `entry`.
    Atom,
}

impl SitemapFormat {
    /// The name in lower case, as `crawler inspect sitemap` shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UrlSet => "urlset",
            Self::Index => "index",
            Self::Text => "text",
            Self::Rss => "rss",
            Self::Atom => "atom",
        }
    }
}

impl Sitemap {
    /// The URLs, of pages or of sitemaps.
    #[must_use]
    pub fn locations(&self) -> &[String] {
        match self {
            Self::Urls(locations) | Self::Index(locations) => locations,
        }
    }

    /// Converts into the URLs.
    #[must_use]
    pub fn into_locations(self) -> Vec<String> {
        match self {
            Self::Urls(locations) | Self::Index(locations) => locations,
        }
    }
}

/// Reads at most `max_urls` URLs of a sitemap, and never more than [`MAX_SITEMAP_URLS`].
#[must_use]
pub fn parse_sitemap(body: &[u8], max_urls: usize) -> ParsedSitemap {
    let mut locations = Locations {
        format: None,
        found: Vec::new(),
        alternates: Vec::new(),
        skipped: 0,
        limit: max_urls.min(MAX_SITEMAP_URLS),
        has_more: false,
    };
    let read = Source::new(body)
        .map_err(|error| error.to_string())
        .and_then(|mut source| {
            if source.begins_with_markup().map_err(|error| error.to_string())? {
                xml::read(source, &mut locations)
            } else {
                text::read(source, &mut locations)
            }
        });
    locations.take_alternates();
    ParsedSitemap {
        sitemap: match locations.format {
            Some(SitemapFormat::Index) => Sitemap::Index(locations.found),
            _ => Sitemap::Urls(locations.found),
        },
        format: locations.format,
        skipped: locations.skipped,
        truncated: locations.has_more,
        broken: read.err(),
    }
}

/// Collects the URLs.
struct Locations {
    format: Option<SitemapFormat>,
    found: Vec<String>,
    /// URLs of pages in other languages. They come after the others, because most of them are among these.
    alternates: Vec<String>,
    skipped: usize,
    limit: usize,
    has_more: bool,
}

impl Locations {
    fn add(&mut self, address: &str) {
        let address = address.trim();
        if address.is_empty() || is_too_long(address) {
            self.skipped += 1;
        } else if self.found.len() < self.limit {
            self.found.push(address.to_owned());
        } else {
            self.has_more = true;
        }
    }

    fn add_alternate(&mut self, address: &str) {
        let address = address.trim();
        if address.is_empty() || is_too_long(address) {
            self.skipped += 1;
        } else if self.alternates.len() < MAX_ALTERNATES.min(self.limit.saturating_mul(2)) {
            self.alternates.push(address.to_owned());
        }
    }

    /// Adds the alternates that are not among the URLs, as long as there is room.
    fn take_alternates(&mut self) {
        let key = RandomState::new();
        let mut known: HashSet<u64> = self.found.iter().map(|url| key.hash_one(url)).collect();
        for url in std::mem::take(&mut self.alternates) {
            if !known.insert(key.hash_one(&url)) {
                continue;
            }
            if self.found.len() == self.limit {
                self.has_more = true;
                break;
            }
            self.found.push(url);
        }
    }

    /// Whether there was a URL beyond the limit.
    fn is_full(&self) -> bool {
        self.has_more
    }
}

fn is_too_long(address: &str) -> bool {
    address.len() > MAX_LOCATION_BYTES
}

#[cfg(test)]
mod tests;
