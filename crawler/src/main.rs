//! The command line: from arguments to an exit code.

mod allocator;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use crawler::cli::Cli;
use crawler::error::Error;
use crawler::panics;
use crawler::shutdown;
use crawler::tell::tell;
use tracing_subscriber::EnvFilter;

#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

/// Exit code after a panic, as Rust has it.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr(&cli);
    shutdown::outlive_file_size_limits();
    panics::quiet_those_of_the_database();
    match std::panic::catch_unwind(|| crawler::commands::execute(cli)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Error::Answer(code))) => ExitCode::from(code),
        Ok(Err(error)) => {
            // A stage that ended before its time says less than what ended it.
            let of_the_database = panics::of_the_database().filter(|_| error.is_unexplained());
            tell(format_args!(
                "crawler: {}",
                of_the_database.unwrap_or_else(|| error.to_string())
            ));
            ExitCode::from(error.exit_code())
        }
        Err(_panic) => match panics::of_the_database() {
            Some(text) => {
                tell(format_args!("crawler: {text}"));
                ExitCode::FAILURE
            }
            None => ExitCode::from(PANICKED),
        },
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
        // Else a log that cannot be written is told by a panic.
        .log_internal_errors(false)
        .init();
}
