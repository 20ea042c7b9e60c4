//! The thread that reads the seeds, so that reading and storing overlap.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Sender, bounded};
use storage::Discovered;

use crate::interpret::PRIORITY_LINK;
use crate::recorder::intake::{NewSeeds, SeedBatch, SeedInbox};
use crate::scope::{LISTED, Scope};
use crate::seeds::{Seed, SeedKind, Seeds};
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

/// The seeds for the recorder. The hosts of pages and sitemaps enter the scope; the host of a URL without its links does not.
fn new_seeds(batch: Vec<Seed>, scope: &Scope) -> NewSeeds {
    let mut seeds = NewSeeds::default();
    for Seed { url, host, kind } in batch {
        if kind != SeedKind::Only {
            scope.add_host(&host);
        }
        match kind {
            SeedKind::Sitemap => seeds.sitemaps.push(url.into_url()),
            SeedKind::Page | SeedKind::Only => seeds.pages.push(Discovered {
                url: url.as_str().to_owned(),
                host: host.as_str().to_owned(),
                priority: PRIORITY_LINK,
                depth: if kind == SeedKind::Only { LISTED } else { 0 },
                ..Discovered::default()
            }),
        }
    }
    seeds
}
