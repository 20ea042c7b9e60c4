//! `crawler fleet`

use ::fleet::{Forgotten, Order, WorkerNumber};

use crate::cli::arguments::{
    FleetAction, FleetAddress, FleetArgs, FleetDrainArgs, FleetForgetArgs, FleetFormat, FleetStatusArgs,
};
use error::RunError;

pub(super) fn execute(args: &FleetArgs) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the connection to the fleet", source))?;
    match &args.action {
        FleetAction::Status(args) => runtime.block_on(status(args)),
        FleetAction::Drain(args) => runtime.block_on(drain(args)),
        FleetAction::Pause(fleet) => runtime.block_on(pause(fleet, true)),
        FleetAction::Resume(fleet) => runtime.block_on(pause(fleet, false)),
        FleetAction::Forget(args) => runtime.block_on(forget(args)),
    }
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
            "Worker {worker} is forgotten. The other workers fetch its kept pages again; if none runs, the next one that starts."
        ),
        Forgotten::Before => format!("Worker {worker} was forgotten before."),
    };
    super::output::say(&text)
}

async fn order(fleet: &FleetAddress, order: Order, on: bool) -> Result<(), RunError> {
    let ordered = ::fleet::order(&fleet.address, &fleet.name, order, on).await;
    ordered.map_err(|error| RunError::Fleet(error.to_string()))
}
