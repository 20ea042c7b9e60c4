//! The command line: from arguments to an exit code.

mod allocator;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use crawler::cli::Cli;
use tracing_subscriber::EnvFilter;

#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr(&cli);
    match crawler::commands::execute(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crawler: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// `RUST_LOG` decides where it is set, else -v and -q.
fn log_to_stderr(cli: &Cli) {
    let default = match (cli.quiet, cli.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "crawler=debug,info",
        (false, _) => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .compact()
        .init();
}
