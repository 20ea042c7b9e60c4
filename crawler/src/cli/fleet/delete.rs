//! `crawler fleet delete`

use ::fleet::{Deletion, FleetError};
use archive::{ArchiveError, Objects};

use crate::cli::arguments::FleetDeleteArgs;
use crate::cli::error::{Error, UsageError};
use crate::cli::output::say;
use error::RunError;
use terminal::commands::command;
use terminal::units::counted;

/// Removes a crawl from the servers, and its segments from the object stores that the user names.
pub(super) async fn execute(args: &FleetDeleteArgs) -> Result<(), Error> {
    let failed = |error: FleetError| RunError::Fleet(error.to_string());
    let deletion = Deletion::of(&args.fleet.address, &args.fleet.name).await;
    let deletion = deletion.map_err(failed)?;
    let stores: Vec<&str> = args.stores.iter().map(|url| url.trim_end_matches('/')).collect();
    // A URL that only the servers name may be anybody's.
    let unnamed = deletion.stores().iter().filter(|url| !stores.contains(&url.as_str()));
    let unnamed: Vec<&str> = unnamed.map(String::as_str).collect();
    if !unnamed.is_empty() {
        return Err(UsageError::Argument(format!(
            "the crawl has segments in an object store that the command does not name, and nothing was deleted. If the store is yours, add --store {}",
            unnamed.join(" --store ")
        ))
        .into());
    }
    deletion.begin().await.map_err(failed)?;
    let (objects, mut removed) = (Objects::default(), 0);
    for store in stores {
        let folder = format!("{store}/{}", deletion.folder());
        removed += objects
            .remove_folder(&folder)
            .await
            .map_err(|error| begun(&error, args))?;
    }
    let keys = deletion.end().await.map_err(failed)?;
    say(&format!(
        "The crawl {} is deleted: {} in Redis, and {} in object stores. The data folders and the WARC files stay.",
        deletion.name(),
        counted(keys, "key"),
        counted(removed, "object"),
    ))?;
    Ok(())
}

/// The error of a store, after the deletion has begun.
fn begun(error: &ArchiveError, args: &FleetDeleteArgs) -> RunError {
    let resume = command("fleet", &["drain", "--resume", &args.fleet.address]);
    RunError::Fleet(format!(
        "{error}. The deletion has begun, so workers that start now stop at once. Repeat the command; or keep the crawl: {resume} lets workers run again"
    ))
}
