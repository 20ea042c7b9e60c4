//! The flags of the status server.

use std::time::Duration;

use clap::Args;

use super::duration;
use crate::live::status;

/// Showing the run over HTTP.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Serve a live page (/), its figures (/status.json) and Prometheus metrics (/metrics) at this address while the crawl
    /// runs: `127.0.0.1:9100`, `[::1]:9100`; port 0 takes a free one, which is told on standard error.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub status: Option<status::Address>,
    /// Serve it at an address that other machines can reach. Nobody has to log in: it names the hosts of the crawl.
    #[arg(long, requires = "status")]
    pub status_public: bool,
    /// Go on serving it for this long after the crawl is over, or until Ctrl-C: 90s, 10m, 2h.
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "status")]
    pub status_linger: Option<Duration>,
}
