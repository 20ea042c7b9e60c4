//! What the operator sets about politeness, validated.

use std::time::Duration;

/// How a host is treated.
#[derive(Debug, Clone, Copy)]
pub struct Politeness {
    /// Between the end of one request and the start of the next.
    pub delay: Duration,
    /// Requests open at one host at a time.
    pub parallel_per_host: usize,
    /// Between two requests to one address, counted as for a host. At most `delay`, so that a single host never waits
    /// for its address, and a site of one's own that needs no delay has none.
    pub address_delay: Duration,
    /// Requests open at one address at a time. At least `parallel_per_host`.
    pub parallel_per_address: usize,
    /// The delay is at least this many times the latency; 0 for a site that needs no delay.
    pub latency_factor: f64,
    /// Bound on what latency, 429 and 503 make of a delay.
    pub max_delay: Duration,
    /// Bound on a robots.txt `Crawl-delay`.
    pub max_crawl_delay: Duration,
    /// Obey robots.txt.
    pub robots: bool,
    /// Read the sitemaps that robots.txt names.
    pub sitemaps: bool,
    /// Where robots.txt names none, ask for `/sitemap.xml`.
    pub guess_sitemap: bool,
    /// Times a URL is tried again after a passing failure.
    pub max_retries: u8,
    /// How long a host rests after its first passing failure.
    pub retry_delay: Duration,
    /// The longest that a run waits for a host that failed or asked for rest.
    pub max_wait: Duration,
}

impl Default for Politeness {
    /// One request at a time, and a second between the end of one and the start of the next.
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            parallel_per_host: 1,
            address_delay: Duration::from_millis(200),
            parallel_per_address: 4,
            latency_factor: 2.0,
            max_delay: Duration::from_secs(30),
            max_crawl_delay: Duration::from_secs(60),
            robots: true,
            sitemaps: true,
            guess_sitemap: true,
            max_retries: 2,
            retry_delay: Duration::from_secs(5),
            max_wait: Duration::from_secs(600),
        }
    }
}
