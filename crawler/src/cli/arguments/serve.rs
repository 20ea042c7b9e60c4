//! `crawler serve`: the report in which one can work.

use clap::Args;

use super::{ConfigFile, DataFolder};
use views::live::listen::Address;

/// `crawler serve`
#[derive(Debug, Args)]
#[command(
    after_help = "Open the printed address in a browser on this machine. The command reads the data folder when it starts and when the \
    crawl has moved on, and holds it only while it reads; a crawl can start at any time. No request leaves the machine. /api/openapi.json \
    describes the same answers for programs. Ctrl-C ends the command."
)]
pub struct ServeArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Address of the server, such as 127.0.0.1:8800 or [::1]:8800. With port 0, the program selects a free port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8800")]
    pub listen: Address,
    /// Allow a --listen address that other machines can reach. The server has no login: everyone who reaches it can read the crawl
    /// and steer it, and change labels, config.toml and verdicts.
    #[arg(long)]
    pub public: bool,
}

/// The flags of `crawler run` for the views of `crawler serve`.
#[derive(Debug, Args)]
pub struct RunServeArgs {
    /// Serve the views of `crawler serve` during the run, at 127.0.0.1:8800 or at this address. They follow the crawl. With port 0, the
    /// program selects a free port and prints it on standard error.
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8800")]
    pub serve: Option<Address>,
    /// Allow a --serve address that other machines can reach. The server has no login.
    #[arg(long, requires = "serve")]
    pub serve_public: bool,
}
