//! `crawler completions`, `crawler man`: made of the command line's own definition.

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
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `crawler man`
#[derive(Debug, Args)]
#[command(
    after_help = "Without --output all pages go to standard output, one after the other: crawler man | man -l -\n\
    With it, each is a file: crawler man --output ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// Folder for the pages, one for the program and one for each command; it is made where it is missing.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
