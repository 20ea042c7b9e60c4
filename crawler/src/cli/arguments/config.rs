//! `crawler config`, and the flags that override keys of the configuration.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::ConfigFile;
use super::values::{parse_delay, parse_pages};

/// `crawler config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The action.
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// Actions of `crawler config`.
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// List every fault in a configuration file.
    Check(ConfigCheckArgs),
    /// Show every key with its value in force and the origin of the value.
    Show(ConfigShowArgs),
    /// Explain keys: their meaning, the value in force and its origin.
    Explain(ConfigExplainArgs),
}

/// `crawler config check`
#[derive(Debug, Args)]
#[command(
    after_help = "The command also checks the environment variables that begin with CRAWLER_. Each line of the output names the \
    place and the allowed values.\n\
    Exit codes: 0 no fault, 2 at least one fault."
)]
pub struct ConfigCheckArgs {
    /// Configuration file.
    #[arg(value_name = "FILE", default_value = "config.toml", conflicts_with = "config")]
    pub file: PathBuf,
    /// Configuration file, as for the other commands; replaces FILE.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `crawler config explain`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    crawler config explain latency_factor        one key, with or without its section\n  \
    crawler config explain politeness            all keys of a section\n\
    `crawler config show --comments` explains every key.")]
pub struct ConfigExplainArgs {
    /// Keys such as politeness.delay_ms or delay_ms, or sections such as politeness.
    #[arg(value_name = "KEY", required = true)]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// The forms of `crawler config show`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfigFormat {
    /// A configuration file, with the origin of each value as a comment.
    Toml,
    /// One JSON object: `value` and `origin` for each key.
    Json,
}

/// `crawler config show`
#[derive(Debug, Args)]
#[command(
    after_help = "A flag overrides the environment, the environment overrides the file, and the file overrides the built-in default. \
    The environment variable of a key is CRAWLER_SECTION_KEY, for example CRAWLER_DEDUP_MAX_DISTANCE=5. Write its value as in the \
    file; text needs no quotes. The command hides passwords and the values of header fields."
)]
pub struct ConfigShowArgs {
    #[command(flatten)]
    pub config: ConfigFile,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Explain each key in a comment, as the sample config.toml does.
    #[arg(long)]
    pub comments: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = ConfigFormat::Toml)]
    pub format: ConfigFormat,
}

/// Flags of `crawler run` that override a key of the configuration.
#[derive(Debug, Clone, Args)]
pub struct Overrides {
    /// Stop after this many pages with a verdict, in all runs on the data folder; overrides scope.max_pages.
    #[arg(long, value_name = "N", value_parser = parse_pages)]
    pub max_pages: Option<u64>,
    /// Time between two requests to a host, such as 250ms or 2s; overrides politeness.delay_ms. A longer Crawl-delay of robots.txt counts.
    #[arg(long, value_name = "TIME", value_parser = parse_delay)]
    pub delay: Option<Duration>,
    /// Also connect to loopback, private and other special addresses; overrides fetch.allow_private_addresses.
    #[arg(long)]
    pub allow_private: bool,
}

impl Overrides {
    /// The flags that are given, as words of a command line; those that are not, from the words of an earlier one.
    pub(crate) fn words(&self, earlier: &[String]) -> Vec<String> {
        let given = [
            ("--max-pages", self.max_pages.map(|pages| pages.to_string())),
            (
                "--delay",
                self.delay
                    .map(|delay| humantime::format_duration(delay).to_string().replace(' ', "")),
            ),
            ("--allow-private", self.allow_private.then(String::new)),
        ];
        let mut words = Vec::new();
        for (flag, value) in given {
            let at = earlier.iter().position(|word| word == flag);
            let before = || match flag {
                "--allow-private" => at.map(|_| String::new()),
                _ => earlier.get(at? + 1).cloned(),
            };
            let Some(value) = value.or_else(before) else {
                continue;
            };
            words.push(flag.to_owned());
            words.extend((!value.is_empty()).then_some(value));
        }
        words
    }

    /// Applies the flags to `config`. Returns each changed key with its flag.
    pub(crate) fn apply(&self, config: &mut config::Config) -> Vec<(&'static str, &'static str)> {
        let mut set = Vec::new();
        if let Some(pages) = self.max_pages {
            config.scope.max_pages = pages;
            set.push(("scope.max_pages", "--max-pages"));
        }
        if let Some(delay) = self.delay {
            config.politeness.delay_ms = delay.as_millis() as u64;
            set.push(("politeness.delay_ms", "--delay"));
        }
        if self.allow_private {
            config.fetch.allow_private_addresses = true;
            set.push(("fetch.allow_private_addresses", "--allow-private"));
        }
        set
    }
}
