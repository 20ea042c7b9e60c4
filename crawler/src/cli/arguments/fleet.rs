//! `crawler fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ConfigFile;

/// `crawler fleet`
#[derive(Debug, Args)]
#[command(
    after_help = "A worker is `crawler run --fleet ADDRESS`; docs/src/fleet.md explains a fleet.\n\
    Exit codes: 0 success, 1 the servers do not answer, or do not know the crawl.\n\
    Examples:\n  \
    crawler fleet status redis://host:6379        show the workers, the queue and the log\n  \
    crawler fleet pause redis://host:6379         let all workers wait, for example while a site complains\n  \
    crawler fleet drain redis://host:6379         let all workers end what is under way, and stop\n  \
    crawler fleet forget redis://host:6379 3      the disk of worker 3 is lost: the others fetch its pages again\n  \
    crawler fleet seeds add redis://host:6379 https://example.org/\n  \
    crawler fleet delete redis://host:6379        nobody needs the crawl any more: remove its keys"
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
    /// Give a running crawl more seeds.
    Seeds(FleetSeedsArgs),
    /// Show the settings on which the workers agree, as the servers hold them, or change some of them for all workers.
    Config(FleetConfigArgs),
    /// Delete a crawl that nobody needs any more from the servers, and its segments from an object store.
    Delete(FleetDeleteArgs),
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
    /// Plain text.
    Text,
    /// One JSON object.
    Json,
}

/// `crawler fleet forget`
#[derive(Debug, Args)]
#[command(
    after_help = "With fleet.verdicts = \"fleet\", the others fetch the kept pages of the worker again, and their own pages that were duplicates of these. The number of the worker \
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

/// `crawler fleet seeds`
#[derive(Debug, Args)]
pub struct FleetSeedsArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub action: FleetSeedsAction,
}

/// Actions of `crawler fleet seeds`.
#[derive(Debug, Subcommand)]
pub enum FleetSeedsAction {
    /// Add seeds to a crawl that runs, or that has workers which will start again.
    Add(FleetSeedsAddArgs),
}

/// `crawler fleet seeds add`
#[derive(Debug, Args)]
#[command(
    after_help = "The seeds go to the queues on the servers. The worker that owns the host of a seed gets the seed within a third of a lease. A seed widens \
    the scope of that worker while its run lasts; add it to the seeds of every worker, too, so that it does so after a restart. A URL that the crawl knows changes nothing.\n\
    The URLs are written by the rules of the section [canonicalize]. So the command needs the configuration of the workers, and says which keys \
    differ.\n\
    Exit codes: 0 success; 1 the servers do not answer, or do not know the crawl, or the workers write URLs by other rules; 2 a URL or the file holds no seed.\n\
    Examples:\n  \
    crawler fleet seeds add redis://host:6379 https://example.org/\n  \
    crawler fleet seeds add redis://host:6379 --seeds more.txt --config config.toml"
)]
pub struct FleetSeedsAddArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// URLs or domains, each written as in a line of a seeds file.
    #[arg(value_name = "URL", required_unless_present = "seeds")]
    pub urls: Vec<String>,
    /// Text file with one seed per line, as for `crawler run --seeds`, without sitemaps. A line that holds no seed is skipped, and named with its number.
    #[arg(long, value_name = "FILE")]
    pub seeds: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler fleet config`
#[derive(Debug, Args)]
#[command(
    after_help = "Every worker takes a change over when it next renews its lease, within a third of fleet.lease_seconds. The value on the \
    servers wins: a worker that joins later with another value takes over the value on the servers, and says so. KEY=default takes a \
    change back: the value with which the workers started holds again. These keys can change: politeness.delay_ms, \
    politeness.address_delay_ms, politeness.parallel_per_host, \
    politeness.parallel_per_address, politeness.latency_factor, politeness.max_delay_ms, politeness.retry_delay_ms, \
    politeness.max_wait_ms, scope.max_pages and scope.max_pages_per_host. For the last two, each worker counts its own pages. The \
    command refuses other keys, and says why; docs/src/fleet.md says how to change them. While other workers live, the fleet refuses a \
    worker with another value of any key that the workers share, unless that key was changed in this way.\n\
    Exit codes: 0 success; 1 the servers do not answer, or do not know the crawl; 2 a change is refused, and no change was made.\n\
    Examples:\n  \
    crawler fleet config redis://host:6379\n  \
    crawler fleet config redis://host:6379 politeness.delay_ms=2000 politeness.parallel_per_host=1\n  \
    crawler fleet config redis://host:6379 politeness.delay_ms=default"
)]
pub struct FleetConfigArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// Changes for all workers: keys of the configuration with their values, as in config.toml.
    #[arg(value_name = "KEY=VALUE")]
    pub changes: Vec<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = FleetFormat::Text)]
    pub format: FleetFormat,
}

/// `crawler fleet delete`
#[derive(Debug, Args)]
#[command(
    after_help = "While a crawl is on the servers, a worker can come back to it, so nothing else removes its keys and segments. This command removes the \
    keys of the crawl, and its folder fleet-ID in each object store that --store names, where ID is the identity of the crawl. This folder may also have objects of \
    workers that were killed while they wrote a segment. Data folders and WARC files stay. If you want one folder of all, merge the data folders first.\n\
    A crawl with a worker that lives is not deleted. Do not start a worker while the command runs. A worker that starts later with its data folder brings the \
    crawl back, as after a loss of all data of Redis.\n\
    Exit codes: 0 success; 1 a worker lives, the servers do not know the crawl, or the servers or an object store do not answer (the same command then removes what \
    is left); 2 the crawl has segments in an object store that the command does not name, and nothing was deleted.\n\
    Examples:\n  \
    crawler fleet delete redis://host:6379\n  \
    crawler fleet delete redis://host:6379 --store s3://bucket/crawls"
)]
pub struct FleetDeleteArgs {
    #[command(flatten)]
    pub fleet: FleetAddress,
    /// Object store with segments of the crawl, as in storage.archive_url. The environment has the credentials, as for a worker. May be given several times.
    #[arg(long = "store", value_name = "URL")]
    pub stores: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use config::settings::ADJUSTABLE;

    #[test]
    fn the_help_names_every_key_that_can_change() {
        let command = FleetConfigArgs::augment_args(clap::Command::new("config"));
        let help = command.get_after_help().unwrap().to_string();
        for key in ADJUSTABLE {
            assert!(help.contains(key), "{key}");
        }
    }
}
