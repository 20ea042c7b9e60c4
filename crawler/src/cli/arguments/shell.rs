//! `crawler completions` and `crawler man`, generated from the definition of the command line.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `crawler completions`
#[derive(Debug, Args)]
#[command(
    after_help = "bash: crawler completions bash > ~/.local/share/bash-completion/completions/crawler\n\
    zsh: crawler completions zsh > \"${fpath[1]}/_crawler\"\n\
    fish: crawler completions fish > ~/.config/fish/completions/crawler.fish"
)]
pub struct CompletionsArgs {
    /// Shell for which to print the script.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `crawler man`
#[derive(Debug, Args)]
#[command(after_help = "Read all pages: crawler man | man -l -\n\
    Install them: crawler man --output ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages, one file per command. The command creates a missing folder. Default: print all pages to standard
    /// output.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
