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
    crawler fleet drain redis://host:6379         let all workers end what is under way, and stop\n  \
    crawler fleet forget redis://host:6379 3      the disk of worker 3 is lost: the others fetch its pages again"
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
    /// Say that a worker will not come back, because its data folder is lost: the others fetch its pages again.
    Forget(FleetForgetArgs),
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

/// `crawler fleet forget`
#[derive(Debug, Args)]
#[command(
    after_help = "The others fetch the kept pages of the worker again, and their own pages that were duplicates of these. The number of the worker \
    is never given again. If its folder is found later, `crawler merge` takes it like any other; as a worker, it is not let in.\n\
    A worker that lives cannot be forgotten: stop it, and wait until its lease has run out (fleet.lease_seconds).\n\
    After Redis has lost all data, the workers wait until all of them have brought back what their folders know. This command says which \
    of them they are not to wait for.\n\
    Exit codes: 0 success, also if the worker was forgotten before; 1 the worker lives, the crawl has no such worker, or the servers do not answer.\n\
    Example:\n  \
    crawler fleet forget redis://host:6379 3      the disk of worker 3 is lost"
)]
pub struct FleetForgetArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// Number of the worker, as `crawler fleet status` shows it.
    #[arg(value_name = "WORKER", value_parser = clap::value_parser!(u16).range(1..))]
    pub worker: u16,
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
