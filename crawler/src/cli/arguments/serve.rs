//! `crawler serve`: the report in which one can work.

use std::path::PathBuf;

use clap::Args;

use super::{ConfigFile, DEFAULT_DATA, DataFolder};
use views::live::listen::Address;

/// `crawler serve`
#[derive(Debug, Args)]
#[command(
    after_help = "Open the printed address in a browser on this machine. The command reads the data folder when it starts and when the \
    crawl has moved on, and holds it only while it reads; a crawl can start at any time. No request leaves the machine, except those to \
    the servers of --fleet. /api/openapi.json describes the same answers for programs. Ctrl-C ends the command.\n\
    Examples:\n  \
    crawler serve                                         the crawl in the folder data\n  \
    crawler serve --fleet redis://host:6379               the workers of a fleet, without a data folder\n  \
    crawler serve --fleet redis://host:6379 --data data   both: the fleet has the path /fleet"
)]
pub struct ServeArgs {
    /// Data folder of the crawl, with its state and its WARC files. Default: data; with --fleet, none.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Show the workers of a fleet, as `crawler fleet status` does: `redis://host:6379`, or `redis://host:6379,host:6380` for a cluster. The
    /// page asks for new figures every three seconds. Without an address, take fleet.address from the configuration: other users of the
    /// machine can see an address in the arguments.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1)]
    pub fleet: Option<Option<String>>,
    /// Name of the crawl on the servers of the fleet. Default: crawl; without an address, fleet.name in the configuration.
    #[arg(long, value_name = "NAME", requires = "fleet")]
    pub name: Option<String>,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Address of the server, such as 127.0.0.1:8800 or [::1]:8800. With port 0, the program selects a free port.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8800")]
    pub listen: Address,
    /// Allow a --listen address that other machines can reach. The server has no login: everyone who reaches it can read the crawl
    /// and steer it, and change labels, config.toml and verdicts. With --fleet and without --data, it only shows figures.
    #[arg(long)]
    pub public: bool,
}

impl ServeArgs {
    /// The data folder to show; `None` for a fleet alone.
    pub fn folder(&self) -> Option<DataFolder> {
        let data = match &self.data {
            None if self.fleet.is_some() => return None,
            None => PathBuf::from(DEFAULT_DATA),
            Some(data) => data.clone(),
        };
        Some(DataFolder { data })
    }
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
