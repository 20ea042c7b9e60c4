//! The validated settings of politeness.

use std::time::Duration;

/// The settings of politeness.
#[derive(Debug, Clone, Copy)]
pub struct Politeness {
    /// Time between the end of one request to a host and the start of the next.
    pub delay: Duration,
    /// Most open requests to one host.
    pub parallel_per_host: usize,
    /// Time between two requests to one address, counted as for a host. At most `delay`, so that a single host never waits for
    /// its address, and a site without a delay has none here either.
    pub address_delay: Duration,
    /// Most open requests to one address. At least `parallel_per_host`.
    pub parallel_per_address: usize,
    /// The delay is at least this multiple of the latency; 0 for a site that needs no delay.
    pub latency_factor: f64,
    /// Upper bound on the adaptive delay.
    pub max_delay: Duration,
    /// Upper bound on the `Crawl-delay` of a robots.txt.
    pub max_crawl_delay: Duration,
    /// Whether to obey robots.txt.
    pub robots: bool,
    /// Whether to read the sitemaps that robots.txt names.
    pub sitemaps: bool,
    /// Whether to request `/sitemap.xml` if robots.txt names no sitemap.
    pub guess_sitemap: bool,
    /// Most retries of a URL after transient failures.
    pub max_retries: u8,
    /// Rest of a host after its first transient failure.
    pub retry_delay: Duration,
    /// Longest time that a run waits for a host that failed or asked for rest.
    pub max_wait: Duration,
}

impl Default for Politeness {
    /// One request at a time, and one second between the end of one and the start of the next.
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
