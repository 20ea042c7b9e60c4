//! What did the user ask for, and what does the program answer?
//!
//! [`main`] parses the command line, runs one command and returns its exit code. Each command has its own file. `arguments` defines
//! the flags; no other folder knows the argument parser. `configuration`, `store` and `output` hold the parts that all commands share.

mod address_space;
mod arguments;
mod check;
mod config;
mod configuration;
mod control;
mod counter;
mod dedup;
mod demo;
mod diff_text;
mod document_reader;
mod documents;
mod error;
mod evaluate;
mod explain;
mod export;
mod faults;
mod fingerprint;
mod fleet;
mod gc;
mod idf;
mod index;
mod init;
mod inspect;
mod label;
mod layouts;
mod merge;
mod otlp;
mod output;
mod panics;
mod plot;
mod rebuild;
mod report;
mod rules;
mod run;
mod screen;
mod serve;
mod shell;
mod store;
mod tune;
mod verify;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::arguments::{Cli, Command, LogFormat};
use crawl::shutdown;
use error::{Error, UsageError};
use terminal::colours::has_colours;
use terminal::commands;
use terminal::tell::tell;
use views::live::log;

/// What is said of a command that does not exist.
const UNKNOWN_COMMAND: &str = "\n`crawler run URL` crawls a site, and `crawler --help` lists all commands.\n";

/// Exit code of a Rust program after a panic.
const PANICKED: u8 = 101;

/// Whether this process is a child that reads documents for another one.
#[must_use]
pub fn is_child() -> bool {
    document_reader::bound_of_child().is_some()
}

/// Runs the command of the process's command line and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(max_memory_bytes) = document_reader::bound_of_child() {
        return ::documents::serve(max_memory_bytes);
    }
    address_space::become_frugal();
    document_reader::install();
    let cli = match Cli::try_parse_from(with_command(std::env::args_os().collect())) {
        Ok(cli) => cli,
        Err(answer) => return misunderstood(&answer),
    };
    let export = match start_logs(&cli) {
        Ok(export) => export,
        Err(error) => return failed(&error.into()),
    };
    shutdown::outlive_file_size_limits();
    panics::capture_database_panics();
    let ended = std::panic::catch_unwind(|| {
        address_space::check(&cli.command)?;
        execute(cli)
    });
    if let Some(export) = export {
        export.finish();
    }
    log::tell_lost();
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) if error.is_only_a_code() => ExitCode::from(error.exit_code()),
        Ok(Err(error)) => failed(&error),
        Err(_panic) => match panics::database_failure() {
            Some(text) => {
                tell(format_args!("crawler: {text}"));
                ExitCode::FAILURE
            }
            None => ExitCode::from(PANICKED),
        },
    }
}

/// Tells what the command line asks for in place of a command (help, the version), or what is wrong with it. All errors of the program
/// begin with its name.
fn misunderstood(answer: &clap::Error) -> ExitCode {
    if !answer.use_stderr() {
        answer.exit();
    }
    let text = if has_colours(&std::io::stderr()) {
        answer.render().ansi().to_string()
    } else {
        answer.render().to_string()
    };
    // The help in place of a missing command is no error.
    let text = match answer.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => text,
        ErrorKind::InvalidSubcommand => text.replacen("error:", "crawler:", 1) + UNKNOWN_COMMAND,
        _ => text.replacen("error:", "crawler:", 1),
    };
    // `tell` would show the escape sequences of the colours as text.
    if let Err(error) = std::io::stderr().write_all(text.as_bytes()) {
        tracing::debug!("the error was not shown: {error}");
    }
    ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(u8::MAX))
}

/// Starts the log, and the export of spans if the command asks for it.
fn start_logs(cli: &Cli) -> Result<Option<otlp::Export>, UsageError> {
    let export = cli.command.collector().map(otlp::Export::start).transpose()?;
    log::start(log_options(cli), export.as_ref().map(otlp::Export::layer))?;
    Ok(export)
}

fn log_options(cli: &Cli) -> log::LogOptions<'_> {
    log::LogOptions {
        file: cli.logging.log_file.as_deref(),
        form: match cli.logging.log_format {
            LogFormat::Text => log::Form::Text,
            LogFormat::Json => log::Form::Json,
        },
        quiet: cli.quiet,
        verbose: cli.verbose,
    }
}

/// The arguments of the process, with the command `run` if they begin with a URL, perhaps behind `-q` or `-v`: that is what people type
/// first. A domain needs the command, because `pages.jsonl` may be one.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    const FLAGS: [&str; 5] = ["-q", "--quiet", "-v", "-vv", "--verbose"];
    let first = (1..arguments.len()).find(|at| !FLAGS.iter().any(|flag| arguments[*at] == *flag));
    let is_url = |at: &usize| {
        let text = arguments[*at].to_str();
        text.is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
    };
    if let Some(first) = first.filter(is_url) {
        arguments.insert(first, "run".into());
    }
    arguments
}

fn failed(error: &Error) -> ExitCode {
    // The panic explains more than the error of the stage that it ended.
    let database_failure = panics::database_failure().filter(|_| error.is_unexplained());
    let text = database_failure.unwrap_or_else(|| error.to_string());
    tell(format_args!("crawler: {text}"));
    ExitCode::from(error.exit_code())
}

/// Runs one command. An error carries the exit code.
fn execute(cli: Cli) -> Result<(), Error> {
    name_crawl(&cli.command);
    match cli.command {
        Command::Init(args) => init::execute(&args, cli.quiet),
        Command::Run(args) => run::execute(&args, cli.quiet),
        Command::Report(args) => report::execute(&args, cli.quiet),
        Command::Serve(args) => serve::execute(args, cli.quiet),
        Command::Control(args) => control::execute(&args),
        Command::Explain(args) => explain::execute(&args),
        Command::Check(args) => check::execute(&args),
        Command::Rules(args) => rules::execute(&args),
        Command::Export(args) => export::execute(&args, cli.quiet),
        Command::Verify(args) => verify::execute(&args, cli.quiet),
        Command::Rebuild(args) => rebuild::execute(&args, cli.quiet),
        Command::Merge(args) => merge::execute(&args, cli.quiet),
        Command::Gc(args) => Ok(gc::execute(&args, cli.quiet)?),
        Command::Evaluate(args) => evaluate::execute(&args, cli.quiet),
        Command::Tune(args) => tune::execute(&args, cli.quiet),
        Command::Label(args) => label::execute(&args, cli.quiet),
        Command::Inspect(args) => inspect::execute(&args),
        Command::Fingerprint(args) => fingerprint::execute(&args, cli.quiet),
        Command::Idf(args) => idf::execute(&args, cli.quiet),
        Command::Layouts(args) => layouts::execute(&args),
        Command::Dedup(args) => dedup::execute(&args, cli.quiet),
        Command::Demo(args) => demo::execute(&args, cli.quiet),
        Command::Fleet(args) => fleet::execute(&args),
        Command::Config(args) => config::execute(&args),
        Command::Completions(args) => Ok(shell::completions(&args)?),
        Command::Man(args) => Ok(shell::man(&args)?),
    }
}

/// Sets the crawl that the suggestions of the command name. The demo sets its own, whose folder it creates.
fn name_crawl(command: &Command) {
    if let Command::Merge(args) = command {
        return commands::set_crawl(&args.data, args.config.config.as_deref());
    }
    if let Command::Control(args) = command {
        return commands::set_crawl(&args.data, None);
    }
    if let Command::Serve(args) = command {
        let data = args.folder();
        return data
            .iter()
            .for_each(|data| commands::set_crawl(&data.data, args.config.config.as_deref()));
    }
    let (data, config) = match command {
        Command::Run(args) => (&args.data, Some(&args.config)),
        Command::Report(args) => (&args.data, Some(&args.config)),
        Command::Explain(args) => (&args.data, Some(&args.config)),
        Command::Check(args) => (&args.data, Some(&args.fetching.config)),
        Command::Rules(args) => (&args.data, Some(&args.config)),
        Command::Tune(args) => (&args.data, Some(&args.config)),
        Command::Label(args) => (&args.data, Some(&args.config)),
        Command::Verify(args) => (&args.data, Some(&args.config)),
        Command::Rebuild(args) => (&args.data, Some(&args.config)),
        Command::Export(args) => (&args.data, None),
        Command::Gc(args) => (&args.data, None),
        _ => return,
    };
    commands::set_crawl(&data.data, config.and_then(|file| file.config.as_deref()));
}
