//! The flags of `crawler run` for the status server.

use std::time::Duration;

use clap::Args;

use super::values::parse_duration;
use views::live::listen::Address;

/// The flags of the status server.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Serve a status page (/), its data (/status.json) and Prometheus metrics (/metrics) during the run, at an address such as
    /// 127.0.0.1:9100 or [::1]:9100. With port 0, the program selects a free port and prints it on standard error.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub status: Option<Address>,
    /// Allow a --status address that other machines can reach. The page names the hosts of the crawl and has no login.
    #[arg(long, requires = "status")]
    pub status_public: bool,
    /// Keep the status server running after the crawl for this time, such as 90s, 10m or 2h, or until Ctrl-C.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "status")]
    pub status_linger: Option<Duration>,
}
