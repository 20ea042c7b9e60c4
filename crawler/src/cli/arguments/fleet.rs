//! `crawler fleet`.

use clap::{Args, Subcommand, ValueEnum};

/// `crawler fleet`
#[derive(Debug, Args)]
#[command(
    after_help = "A worker is `crawler run --fleet ADDRESS`; docs/src/fleet.md explains a fleet.\n\
    Exit codes: 0 success, 1 the servers do not answer, or do not know the crawl.\n\
    Examples:\n  \
    crawler fleet status redis://host:6379        show the workers, the queue and the log\n  \
    crawler fleet pause redis://host:6379         let all workers wait, for example while a site complains\n  \
    crawler fleet drain redis://host:6379         let all workers end what is under way, and stop"
)]
pub struct FleetArgs {
    /// The question or order.
    #[command(subcommand)]
    pub action: FleetAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum FleetAction {
    /// Show the workers of a crawl, their leases and figures, the waiting URLs, and the log of kept pages.
    Status(FleetStatusArgs),
    /// Let all workers end the requests under way, and stop. What waits stays on the servers, and a worker that starts stops at once, until --resume.
    Drain(FleetDrainArgs),
    /// Let all workers make no requests. They keep their hosts, and go on at `crawler fleet resume`.
    Pause(FleetAddress),
    /// Let the workers make requests again after `crawler fleet pause`.
    Resume(FleetAddress),
}

/// Where the fleet is.
#[derive(Debug, Args)]
pub struct FleetAddress {
    /// Address of the servers: `redis://host:6379`, or `redis://host:6379,host:6380` for a cluster.
    #[arg(value_name = "ADDRESS")]
    pub address: String,
    /// Name of the crawl on the servers, as in fleet.name.
    #[arg(long, value_name = "NAME", default_value = "crawl")]
    pub name: String,
}

/// `crawler fleet status`
#[derive(Debug, Args)]
pub struct FleetStatusArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = FleetFormat::Text)]
    pub format: FleetFormat,
}

/// The forms of `crawler fleet status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// A table of the workers, and the sums.
    Text,
    /// One JSON object.
    Json,
}

/// `crawler fleet drain`
#[derive(Debug, Args)]
pub struct FleetDrainArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// Take the order back: workers that start from now on crawl.
    #[arg(long)]
    pub resume: bool,
}
