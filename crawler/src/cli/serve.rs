//! `crawler serve`

use storage::StorageError;

use super::configuration;
use super::rebuild::{self, Step};
use crate::cli::arguments::{ConfigFile, DataFolder, RebuildArgs, RunArgs, ServeArgs};
use crate::cli::error::{Error, UsageError};
use crawl::folder_wait::FolderWait;
use crawl::shutdown;
use error::RunError;
use terminal::tell::tell;
use terminal::units::{bytes, grouped};
use views::live::listen::{self, Flags};
use views::live::status;
use views::serve::{FLAGS, FLEET_FLAGS, Program, Server, WatchedFleet};

pub(super) fn execute(args: ServeArgs, quiet: bool) -> Result<(), Error> {
    let fleet = fleet(&args)?;
    let data = args.folder();
    if let Some(data) = &data {
        // An unusable configuration or folder ends the command before it listens.
        configuration::settings_for_crawl(&args.config, &data.data)?;
        drop(super::store::open_to_read(&data.data)?);
    }
    let flags = if data.is_some() { FLAGS } else { FLEET_FLAGS };
    let listener = listen::listen(args.listen, flags, args.public).map_err(UsageError::from)?;
    let crawl = data.as_ref().map(|data| program(data, &args.config));
    let server = Server::start(listener, crawl, fleet, args.public)?;
    if !quiet || args.listen.takes_any_port() {
        tell(format_args!("crawler serve: {}", status::url(server.address())));
    }
    wait_for_the_end()
}

/// The fleet that the user asks for. Its servers may be away.
fn fleet(args: &ServeArgs) -> Result<Option<WatchedFleet>, UsageError> {
    let watched = |address: &str, name: &str| {
        let watched = WatchedFleet::new(address, name);
        watched
            .map(Some)
            .map_err(|error| UsageError::Argument(error.to_string()))
    };
    let name = args.name.as_deref();
    match &args.fleet {
        None => Ok(None),
        Some(Some(address)) => watched(address, name.unwrap_or(::fleet::DEFAULT_NAME)),
        Some(None) => {
            let (config, _) = configuration::read(&args.config)?;
            if config.fleet.address.is_empty() {
                return Err(UsageError::Argument(
                    "--fleet needs an address, such as redis://host:6379, or a configuration file with fleet.address"
                        .to_owned(),
                ));
            }
            watched(&config.fleet.address, name.unwrap_or(&config.fleet.name))
        }
    }
}

/// Starts the server beside a run, if the user asks for it. The views read the rows that the run lends.
pub(super) fn beside_run(args: &RunArgs, quiet: bool) -> Result<Option<Server>, Error> {
    let Some(address) = args.views.serve else {
        return Ok(None);
    };
    let flags = Flags {
        address: "--serve",
        public: "--serve-public",
        ..FLAGS
    };
    let listener = listen::listen(address, flags, args.views.serve_public).map_err(UsageError::from)?;
    // The run reads the file in the current folder, whatever an earlier run has read.
    let config = ConfigFile {
        config: configuration::config_path(&args.config),
    };
    let crawl = program(&args.data, &config);
    let server = Server::start(listener, Some(crawl), None, args.views.serve_public)?;
    if !quiet || address.takes_any_port() {
        tell(format_args!("views: {}", status::url(server.address())));
    }
    Ok(Some(server))
}

fn program(data: &DataFolder, config: &ConfigFile) -> Program {
    let (file, found) = (config.clone(), config.clone());
    let (dir, found_dir) = (data.data.clone(), data.data.clone());
    let rebuild = RebuildArgs {
        data: data.clone(),
        config: config.clone(),
        redecide: true,
    };
    Program {
        read_text: Box::new(|file, url, settings| {
            super::check::read_file(file, url, settings).map_err(|error| error.to_string())
        }),
        redecide: Box::new(move |tell| redecide(&rebuild, tell).map_err(|error| error.to_string())),
        data: data.data.clone(),
        open: super::store::open_again,
        settings: Box::new(move || configuration::settings_again(&file, &dir).map_err(|error| error.to_string())),
        configuration_file: Box::new(move || {
            configuration::writable_file(&found, &found_dir).map_err(|error| error.to_string())
        }),
    }
}

/// Decides again. If this process reads the folder at the moment, waits until it has read.
fn redecide(args: &RebuildArgs, tell: &(dyn Fn(String) + Sync)) -> Result<String, Error> {
    let watch = |step| {
        tell(match step {
            Step::Read { bytes: read, of } => format!("{} of {} of the archive read", bytes(read), bytes(of)),
            Step::Decided { pages, of } => format!("{} of {} pages decided", grouped(pages), grouped(of)),
        });
    };
    let wait = FolderWait::begin();
    loop {
        match rebuild::rebuild(args, true, &watch) {
            Err(Error::Run(RunError::Storage(StorageError::Locked { holder, .. })))
                if holder.as_ref().map(|holder| holder.pid) == Some(std::process::id()) && wait.goes_on() => {}
            ended => return ended,
        }
    }
}

fn wait_for_the_end() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the wait for Ctrl-C", source))?;
    runtime.block_on(shutdown::requested_or_end("the labels are safe"));
    Ok(())
}
