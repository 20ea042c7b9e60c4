//! `crawler fleet`

mod changes;
mod delete;

use ::fleet::{Forgotten, Order, Visitor, WaitingUrl, WorkerNumber};

use crate::cli::arguments::{
    FleetAction, FleetAddress, FleetArgs, FleetDrainArgs, FleetForgetArgs, FleetFormat, FleetSeedsAction,
    FleetSeedsAddArgs, FleetStatusArgs,
};
use crate::cli::configuration;
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use crawl::seeds::{SeedKind, Seeds};
use error::RunError;
use web::domain_of_host;

pub(super) fn execute(args: &FleetArgs) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the connection to the fleet", source))?;
    match &args.action {
        FleetAction::Status(args) => runtime.block_on(status(args))?,
        FleetAction::Drain(args) => runtime.block_on(drain(args))?,
        FleetAction::Pause(fleet) => runtime.block_on(pause(fleet, true))?,
        FleetAction::Resume(fleet) => runtime.block_on(pause(fleet, false))?,
        FleetAction::Forget(args) => runtime.block_on(forget(args))?,
        FleetAction::Config(args) => runtime.block_on(changes::execute(args))?,
        FleetAction::Delete(args) => runtime.block_on(delete::execute(args))?,
        FleetAction::Seeds(args) => {
            let FleetSeedsAction::Add(args) = &args.action;
            let settings = settings(args)?;
            let seeds = seeds(args, &settings)?;
            runtime.block_on(add_seeds(args, &settings, seeds))?;
        }
    }
    Ok(())
}

/// The settings of a worker of this crawl.
fn settings(args: &FleetSeedsAddArgs) -> Result<Settings, UsageError> {
    let (mut config, path) = configuration::read(&args.config)?;
    config.fleet.address.clone_from(&args.fleet.address);
    configuration::validate(&config, path)
}

/// The seeds that `args` name, of which there is at least one.
fn seeds(args: &FleetSeedsAddArgs, settings: &Settings) -> Result<Seeds, UsageError> {
    let named = (!args.urls.is_empty()).then(|| Seeds::of_arguments(&args.urls, settings));
    let of_file = args
        .seeds
        .as_deref()
        .map(|file| Seeds::open(file, SeedKind::Page, settings));
    let seeds = [named.transpose()?, of_file.transpose()?].into_iter().flatten();
    let seeds = seeds.reduce(Seeds::and_then);
    seeds.ok_or_else(|| UsageError::Argument("name a URL, or a file with --seeds".to_owned()))
}

async fn add_seeds(args: &FleetSeedsAddArgs, settings: &Settings, mut seeds: Seeds) -> Result<(), RunError> {
    let failed = |error: ::fleet::FleetError| RunError::Fleet(error.to_string());
    let visitor = Visitor::new(&args.fleet.address, &args.fleet.name)
        .await
        .map_err(failed)?;
    let rules = settings.fleet.as_ref().map_or(&[][..], |fleet| &fleet.rules);
    if let Some(differences) = visitor.differences(rules, "canonicalize") {
        return Err(RunError::Fleet(format!(
            "the workers write URLs by other rules than this command: {differences}; name their configuration file with --config"
        )));
    }
    let (mut given, mut new, mut sitemaps) = (0, 0, 0);
    while let Some(batch) = seeds.next_batch().map_err(|error| RunError::Seeds(error.to_string()))? {
        let mut rows = Vec::with_capacity(batch.len());
        for seed in batch {
            let Some(depth) = seed.depth() else {
                sitemaps += 1;
                continue;
            };
            let waiting = WaitingUrl {
                url: seed.url.as_str().to_owned(),
                depth,
                redirects: 0,
                priority: 0,
                is_seed: true,
            };
            rows.push((domain_of_host(seed.host.as_str()).to_owned(), waiting));
        }
        given += rows.len() as u64;
        new += visitor.add(rows).await.map_err(failed)?;
    }
    if sitemaps > 0 {
        tracing::warn!(
            sitemaps,
            "a sitemap cannot be added to a running crawl, and was skipped; name its URLs, or start a worker with it"
        );
    }
    super::output::say(&format!(
        "{given} seeds: {new} are new to the crawl, and wait for the workers that own their hosts. The crawl knew {} of them before.",
        given.saturating_sub(new)
    ))
}

async fn status(args: &FleetStatusArgs) -> Result<(), RunError> {
    let status = ::fleet::status(&args.fleet.address, &args.fleet.name).await;
    let status = status.map_err(|error| RunError::Fleet(error.to_string()))?;
    let text = match args.format {
        FleetFormat::Text => status.to_string(),
        FleetFormat::Json => serde_json::to_string_pretty(&status)
            .map_err(|error| RunError::Fleet(format!("the status cannot be written: {error}")))?,
    };
    super::output::say(text.trim_end())
}

async fn drain(args: &FleetDrainArgs) -> Result<(), RunError> {
    order(&args.fleet, Order::Drain, !args.resume).await?;
    super::output::say(if args.resume {
        "Workers that start from now on crawl."
    } else {
        "All workers end the requests under way, and stop. `crawler fleet drain --resume` takes the order back."
    })
}

async fn pause(fleet: &FleetAddress, on: bool) -> Result<(), RunError> {
    order(fleet, Order::Pause, on).await?;
    super::output::say(if on {
        "All workers end the requests under way, and make no more until `crawler fleet resume`."
    } else {
        "The workers make requests again, within a third of a lease."
    })
}

async fn forget(args: &FleetForgetArgs) -> Result<(), RunError> {
    let worker = args.worker;
    let forgotten = ::fleet::forget(&args.fleet.address, &args.fleet.name, WorkerNumber(worker)).await;
    let text = match forgotten.map_err(|error| RunError::Fleet(error.to_string()))? {
        Forgotten::Now => format!(
            "Worker {worker} is forgotten. With fleet.verdicts = \"fleet\", the other workers fetch its kept pages again. If none runs, the next worker that starts does so."
        ),
        Forgotten::Before => format!("Worker {worker} was forgotten before."),
    };
    super::output::say(&text)
}

async fn order(fleet: &FleetAddress, order: Order, on: bool) -> Result<(), RunError> {
    let ordered = ::fleet::order(&fleet.address, &fleet.name, order, on).await;
    ordered.map_err(|error| RunError::Fleet(error.to_string()))
}
