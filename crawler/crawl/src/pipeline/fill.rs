//! The start of a run: opens the store, and fills the frontier from it. The seeds follow while the run is under way.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use storage::{Holder, OpenOptions, StorageError, Store};
use web::host_key::HostKey;
use web::politeness::Now;

use crate::folder_wait::FolderWait;
use crate::frontier::{Frontier, MAX_HOSTS};
use crate::recorder::intake::SeedInbox;
use crate::scope::Scope;
use crate::stats::{RunNow, Stats};
use crate::{pageless, revisits, steering};
use config::settings::Settings;
use error::RunError;

/// Hosts of a crawl that a warning names.
const MAX_SITES: usize = 3;

/// The commands that keep a data folder for long.
const WRITERS: [&str; 4] = ["crawler run", "crawler demo", "crawler rebuild", "crawler gc"];

/// Opens the store in `dir`, and lends it to the commands that read it, which also learn what the run does. Without seeds, a run can only continue a crawl, so the store
/// must exist.
pub(super) fn open_store(
    settings: &Settings,
    has_seeds: bool,
    dir: &Path,
    stats: &Arc<Stats>,
) -> Result<Store, RunError> {
    let mut options = OpenOptions::new(settings.store_scheme());
    options.cache_bytes = settings.storage.cache_bytes;
    options.roll_bytes = settings.storage.warc_file_bytes;
    options.compression = Some(settings.storage.compression);
    options.create = has_seeds;
    options.warcinfo = vec![
        (
            "robots",
            if settings.politeness.robots { "obey" } else { "ignore" }.to_owned(),
        ),
        ("http-header-user-agent", settings.fetch.user_agent.clone()),
    ];
    options.command = "crawler run".to_owned();
    // What is in the object store never changes there.
    options.closes_files = settings.storage.archive_url.is_some();
    let mut store = open_after_readers(dir, &options)?;
    if settings.is_alone()
        && let Some(worker) = store.run_notes().worker()?
    {
        let dir = store.dir().to_owned();
        return Err(RunError::WorkerAlone { dir, worker });
    }
    let stats = stats.clone();
    if let Err(error) = store.lend_and_tell(move || RunNow::of(&stats).to_bytes()) {
        tracing::warn!("{error}; commands that read this crawl must wait until it ends");
    }
    Ok(store)
}

/// Writes the configuration to the data folder, which this process holds. A crawl goes on without it.
pub(super) fn keep_settings(settings: &Settings, dir: &Path, now: SystemTime) {
    if let Some(record) = &settings.record
        && let Err(error) = record.write(dir, now)
    {
        let dir = dir.display();
        tracing::warn!("{dir} does not keep the settings of this run, {error}; commands that read it need --config");
    }
}

/// Opens the store. If a command that reads it has it open, waits for that command to end.
fn open_after_readers(dir: &Path, options: &OpenOptions) -> Result<Store, StorageError> {
    let wait = FolderWait::begin();
    loop {
        match Store::open(dir, options) {
            Err(StorageError::Locked {
                holder: Some(holder), ..
            }) if is_reader(&holder) && wait.goes_on() => {}
            opened => return opened,
        }
    }
}

fn is_reader(holder: &Holder) -> bool {
    let reads = |command: &String| !WRITERS.contains(&command.as_str());
    holder.command.as_ref().is_some_and(reads)
}

/// Warns if sites that the user names come into the crawl of others.
///
/// # Errors
/// The store cannot be read.
pub(super) fn note_other_sites(store: &Store, hosts: &[HostKey], dir: &Path) -> Result<(), RunError> {
    let mut new = Vec::new();
    for host in hosts {
        if store.hosts().of(host.as_str())?.is_none() {
            new.push(host.as_str());
        }
    }
    let known = store.hosts().all().take(MAX_SITES).collect::<Result<Vec<_>, _>>()?;
    if new.is_empty() || known.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = known.iter().map(|(host, _)| host.as_str()).collect();
    tracing::warn!(
        "{} holds a crawl of {}{}; {} will be in the same crawl. --data names another folder",
        dir.display(),
        known.join(", "),
        if known.len() == MAX_SITES { ", …" } else { "" },
        new.join(", ")
    );
    Ok(())
}

/// Puts the URLs and hosts that earlier runs left in the store into the frontier, as far as there is room. Returns the seeds that are
/// still to be read.
pub(super) fn fill(
    frontier: &mut Frontier,
    store: &mut Store,
    mut seeds: Option<SeedInbox>,
    settings: &Settings,
    scope: &Scope,
) -> Result<Option<SeedInbox>, RunError> {
    let is_interrupted = store.run_notes().was_interrupted()?;
    if is_interrupted {
        frontier.was_interrupted();
    }
    store.begin_run()?;
    store.note_rule(&settings.rule.to_string())?;
    store.commit()?;
    let is_without_seeds = seeds.is_none();
    let mut sitemaps = Vec::new();
    // A refresh visits the pages within the scope, so all seeds come first.
    if settings.refresh.is_some()
        && let Some(inbox) = seeds.take()
    {
        sitemaps = inbox.store_all(store)?;
        store.commit()?;
    }
    queue_revisits(store, is_without_seeds, settings, scope)?;
    steering::replay(store, frontier.steering_mut())?;
    if frontier.has_groups() {
        // The hosts come from the store with their groups.
        frontier.add_sitemaps(sitemaps, Now::ZERO);
        if seeds.is_some() {
            frontier.reads_seeds();
        }
        return Ok(seeds);
    }
    let has_room = store.hosts().all().take(MAX_HOSTS + 1).count() <= MAX_HOSTS;
    if has_room {
        fill_with_all_hosts(frontier, store, is_interrupted)?;
    } else {
        frontier.loads_hosts(store.counts().due);
    }
    frontier.add_sitemaps(sitemaps, Now::ZERO);
    if seeds.is_some() {
        frontier.reads_seeds();
    }
    Ok(seeds)
}

fn fill_with_all_hosts(frontier: &mut Frontier, store: &Store, is_interrupted: bool) -> Result<(), RunError> {
    for row in store.host_memory().records() {
        let (host, state) = row?;
        frontier.restore(&host, &state);
    }
    for row in store.hosts().all() {
        let (host, counts) = row?;
        if counts.queued > 0 || counts.fetched() > 0 || is_interrupted {
            frontier.add_stored_host(&host, &counts);
            frontier.add_stored_visits(&host, counts.due);
        }
    }
    Ok(())
}

fn queue_revisits(
    store: &mut Store,
    is_without_seeds: bool,
    settings: &Settings,
    scope: &Scope,
) -> Result<(), RunError> {
    // A run without seeds stays on the known hosts.
    if is_without_seeds {
        revisits::restore_scope(store, scope)?;
    }
    if let Some(refresh) = &settings.refresh {
        let due = revisits::begin(refresh, store, scope, &settings.urls)?;
        tracing::info!(due, waiting = store.counts().due, "pages are due for a revisit");
        let again = pageless::try_again(refresh, store, scope, (&settings.urls, &settings.limits))?;
        tracing::info!(again, "URLs without a page are tried again");
    }
    let bodies = revisits::queue_missing_bodies(store)?;
    if bodies > 0 {
        tracing::info!(bodies, "kept pages without a body are queued for a revisit");
    }
    Ok(())
}
