//! `crawler control`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `crawler control`
#[derive(Debug, Args)]
#[command(
    after_help = "The command writes the order to control.jsonl in the data folder, and waits some seconds for the answer of the crawl. If \
    no crawl runs, the order takes effect with the next run. Orders survive a kill; pause, drop and delay stand until resume, restore and \
    `delay HOST default`. Only the owner of the data folder can give orders.\n\
    A paused crawl does not end, also when it is killed and started again. Its time counts for --max-duration.\n\
    Exit codes: 0 done, or written down for the crawl to take, 1 the crawl refused it, or the command could not continue, 2 an argument is \
    invalid. A run that `stop` ends has exit code 130, as after Ctrl-C.\n\
    Examples:\n  \
    crawler control pause                               start no request until `crawler control resume`\n  \
    crawler control add https://example.org/new         queue a URL as if it were a seed\n  \
    crawler control drop example.org 'regex:[?]sort='   fetch nothing more of a host, and no URL with ?sort=\n  \
    crawler control delay example.org 5                 five seconds between two requests\n  \
    crawler control status                              what is in force"
)]
pub struct ControlArgs {
    /// Data folder of the crawl.
    #[arg(long, value_name = "DIR", default_value = "data", global = true)]
    pub data: PathBuf,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = ControlFormat::Text, global = true)]
    pub format: ControlFormat,
    /// The order.
    #[command(subcommand)]
    pub action: ControlAction,
}

/// The forms of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ControlFormat {
    /// One line; `status` has some.
    Text,
    /// One JSON object.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum ControlAction {
    /// Start no request. Those under way end, and everything is committed.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End the run as Ctrl-C does. What is queued waits for the next run.
    Stop,
    /// Queue URLs as seeds: with depth 0, their hosts belong to the crawl. scope.include and scope.exclude hold.
    Add(ControlAddArgs),
    /// Fetch nothing more of hosts, or of URLs that match a pattern. What is stored stays; what is queued is excluded.
    Drop(ControlTargets),
    /// Take drops back, and queue again what they excluded.
    Restore(ControlTargets),
    /// Set the time between two requests to a host, from now on. A longer delay still counts if its robots.txt, its latency or its answers
    /// 429 and 503 ask for it.
    Delay(ControlDelayArgs),
    /// Show what is in force, and the orders that the crawl has not taken yet.
    Status,
}

/// `crawler control add`
#[derive(Debug, Args)]
pub struct ControlAddArgs {
    /// URLs or domains, each as in a line of a seeds file.
    #[arg(value_name = "URL", required_unless_present = "file")]
    pub urls: Vec<String>,
    /// File with more of them, one a line.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// `crawler control drop` and `restore`
#[derive(Debug, Args)]
pub struct ControlTargets {
    /// A host (example.org, example.org:8080, '*.example.org') or a pattern of URLs as in scope.exclude (glob:… or regex:…).
    #[arg(value_name = "HOST-OR-PATTERN", required = true)]
    pub what: Vec<String>,
}

/// `crawler control delay`
#[derive(Debug, Args)]
pub struct ControlDelayArgs {
    /// A host, as in a [[host]] section: example.org, example.org:8080, '*.example.org'.
    #[arg(value_name = "HOST")]
    pub host: String,
    /// Seconds, such as 5 or 0.5, or a time such as 250ms; `default` for the value of the configuration.
    #[arg(value_name = "SECONDS", allow_negative_numbers = true)]
    pub seconds: String,
}
