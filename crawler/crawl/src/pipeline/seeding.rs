//! The thread that reads the seeds, so that reading and storing overlap.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Sender, bounded};

use crate::recorder::intake::{SeedBatch, SeedInbox, new_seeds};
use crate::scope::Scope;
use crate::seeds::Seeds;
use crate::stats::Stats;
use error::RunError;

/// Batches that wait for the recorder.
const AHEAD: usize = 4;

/// Starts to read the seeds. Their hosts enter the scope as they are read.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn start(seeds: Seeds, scope: &Arc<Scope>, stats: &Arc<Stats>) -> Result<SeedInbox, RunError> {
    let (batches_in, batches) = bounded(AHEAD);
    scope.set_growing(true);
    let inbox = SeedInbox::new(batches, scope.clone());
    let (scope, stats) = (scope.clone(), stats.clone());
    thread::Builder::new()
        .name("seeds".into())
        .spawn(move || read_all(seeds, &scope, &stats, &batches_in))
        .map_err(|source| RunError::io("start", "the thread that reads the seeds", source))?;
    Ok(inbox)
}

fn read_all(mut seeds: Seeds, scope: &Scope, stats: &Stats, batches: &Sender<SeedBatch>) {
    loop {
        let batch = match seeds.next_batch() {
            Ok(None) => break,
            Ok(Some(batch)) => Ok(new_seeds(batch, scope)),
            Err(error) => Err(RunError::Seeds(error.to_string())),
        };
        stats.seeds_read(Some(seeds.lines()));
        let is_over = batch.is_err();
        // The run may have ended.
        if batches.send(batch).is_err() || is_over {
            break;
        }
    }
    stats.seeds_read(None);
}
