//! Sitemaps: the addresses that a site offers to be crawled, in any of the formats of the sitemap protocol (sitemaps.org).
//!
//! XML (`urlset` and `sitemapindex`), plain text with an address a line, RSS and Atom; each also in gzip, told by its first
//! bytes and not by its name. Without I/O, and bounded whatever the file: see the constants. What is broken yields what came
//! before the break, and says what broke.

mod source;
mod text;
mod xml;

use source::Source;

/// Most addresses taken from one sitemap (the protocol's own limit).
pub const MAX_SITEMAP_URLS: usize = 50_000;

/// Most bytes read of one sitemap, after inflation (the protocol's own limit of 50 MB).
pub const MAX_SITEMAP_BYTES: usize = 50 * 1024 * 1024;

/// Longest address taken, in bytes (the protocol's own limit).
pub const MAX_LOCATION_BYTES: usize = 2_048;

/// The addresses in a sitemap, in the order of the file and as they stand in it: to be joined with its own address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sitemap {
    /// Of pages.
    Urls(Vec<String>),
    /// Of further sitemaps.
    Index(Vec<String>),
}

/// A sitemap as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedSitemap {
    /// What it says: nothing, if it is no sitemap.
    pub sitemap: Sitemap,
    /// What it is; `None` if no sitemap could be recognised.
    pub format: Option<SitemapFormat>,
    /// Addresses passed over: empty, longer than [`MAX_LOCATION_BYTES`], or, in plain text, no http URL.
    pub skipped: usize,
    /// Whether reading stopped because there were as many addresses as were asked for.
    pub truncated: bool,
    /// What is wrong with the file; `sitemap` holds what came before.
    pub broken: Option<String>,
}

/// The format of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SitemapFormat {
    /// `<urlset>`.
    UrlSet,
    /// `<sitemapindex>`: its addresses are sitemaps.
    Index,
    /// Plain text, an address a line.
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
    /// The addresses, whatever they are of.
    #[must_use]
    pub fn locations(&self) -> &[String] {
        match self {
            Self::Urls(locations) | Self::Index(locations) => locations,
        }
    }

    /// The same, given away.
    #[must_use]
    pub fn into_locations(self) -> Vec<String> {
        match self {
            Self::Urls(locations) | Self::Index(locations) => locations,
        }
    }
}

/// Reads a sitemap, up to `max_urls` addresses and never more than [`MAX_SITEMAP_URLS`].
#[must_use]
pub fn parse_sitemap(body: &[u8], max_urls: usize) -> ParsedSitemap {
    let mut locations = Locations {
        format: None,
        found: Vec::new(),
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

/// The addresses as they are found.
struct Locations {
    format: Option<SitemapFormat>,
    found: Vec<String>,
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

    /// Whether an address has come that there was no more room for.
    fn is_full(&self) -> bool {
        self.has_more
    }
}

fn is_too_long(address: &str) -> bool {
    address.len() > MAX_LOCATION_BYTES
}

#[cfg(test)]
mod tests;
