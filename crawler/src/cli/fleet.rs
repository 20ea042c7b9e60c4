//! `crawler fleet`

use crate::cli::arguments::{FleetAction, FleetArgs, FleetDrainArgs, FleetFormat, FleetStatusArgs};
use error::RunError;

pub(super) fn execute(args: &FleetArgs) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the connection to the fleet", source))?;
    match &args.action {
        FleetAction::Status(args) => runtime.block_on(status(args)),
        FleetAction::Drain(args) => runtime.block_on(drain(args)),
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
    let drained = ::fleet::drain(&args.fleet.address, &args.fleet.name, !args.resume).await;
    drained.map_err(|error| RunError::Fleet(error.to_string()))?;
    super::output::say(if args.resume {
        "Workers that start from now on crawl."
    } else {
        "All workers end the requests under way, and stop. `crawler fleet drain --resume` takes the order back."
    })
}
