//! `crawler config`, and the flags that are stronger than the configuration.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ConfigFile;

/// `crawler config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// What `crawler config` does.
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Say everything that is wrong with a configuration file.
    Check(ConfigCheckArgs),
    /// Show every key with the value in force and where it comes from.
    Show(ConfigShowArgs),
}

/// `crawler config check`
#[derive(Debug, Args)]
#[command(
    after_help = "The environment (variables that begin with CRAWLER_) is looked at as well, with the file and alone. Exit codes: 0 they \
    can be used, 2 they cannot; each line says where and what is allowed."
)]
pub struct ConfigCheckArgs {
    /// Configuration file; without it `config.toml` in the current folder.
    #[arg(value_name = "FILE", default_value = "config.toml", conflicts_with = "config")]
    pub file: PathBuf,
    /// The same as FILE.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// The forms of `crawler config show`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfigFormat {
    /// A configuration file with the origin of each value as a comment.
    Toml,
    /// One JSON object: by key, `value` and `origin`.
    Json,
}

/// `crawler config show`
#[derive(Debug, Args)]
#[command(
    after_help = "From weak to strong: the built-in default, the file, the environment, flags. The environment variable of a key \
    is CRAWLER_, its section, _ and its name in capitals: CRAWLER_DEDUP_MAX_DISTANCE=5. Its value is as in the file; text needs no \
    quotes. Passwords and the values of header fields are not shown."
)]
pub struct ConfigShowArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// See `--help` of the group.
    #[command(flatten)]
    pub overrides: Overrides,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = ConfigFormat::Toml)]
    pub format: ConfigFormat,
}

/// Flags of `crawler run` that stand for a key of the configuration, and are stronger.
#[derive(Debug, Clone, Args)]
pub struct Overrides {
    /// Stop when this many pages are decided, earlier runs on the same data folder included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_pages: Option<u64>,
    /// Connect to loopback, private and other special addresses too.
    #[arg(long)]
    pub allow_private: bool,
}

impl Overrides {
    /// Applies them; gives the keys that they have set, with the flags.
    pub(crate) fn apply(&self, config: &mut crate::config::Config) -> Vec<(&'static str, &'static str)> {
        let mut set = Vec::new();
        if let Some(pages) = self.max_pages {
            config.scope.max_pages = pages;
            set.push(("scope.max_pages", "--max-pages"));
        }
        if self.allow_private {
            config.fetch.allow_private_addresses = true;
            set.push(("fetch.allow_private_addresses", "--allow-private"));
        }
        set
    }
}
