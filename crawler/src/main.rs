//! The command line: from arguments to an exit code.

mod allocator;

use std::process::ExitCode;

use clap::Parser;
use crawler::cli::Cli;
use crawler::error::Error;
use crawler::log;
use crawler::panics;
use crawler::shutdown;
use crawler::tell::tell;

#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

/// Exit code after a panic, as Rust has it.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = log::start(&cli) {
        return failed(&error.into());
    }
    shutdown::outlive_file_size_limits();
    panics::quiet_those_of_the_database();
    let ended = std::panic::catch_unwind(|| crawler::commands::execute(cli));
    log::tell_lost();
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Error::Answer(code))) => ExitCode::from(code),
        Ok(Err(error)) => failed(&error),
        Err(_panic) => match panics::of_the_database() {
            Some(text) => {
                tell(format_args!("crawler: {text}"));
                ExitCode::FAILURE
            }
            None => ExitCode::from(PANICKED),
        },
    }
}

fn failed(error: &Error) -> ExitCode {
    // A stage that ended before its time says less than what ended it.
    let of_the_database = panics::of_the_database().filter(|_| error.is_unexplained());
    let text = of_the_database.unwrap_or_else(|| error.to_string());
    tell(format_args!("crawler: {text}"));
    ExitCode::from(error.exit_code())
}
