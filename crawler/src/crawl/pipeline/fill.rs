//! The start of a run: opens the store, and fills the frontier from the store and from the seeds.

use std::path::Path;

use storage::{Discovered, OpenOptions, Store};
use url::Url;

use crate::config::settings::Settings;
use crate::crawl::frontier::Frontier;
use crate::crawl::scope::Scope;
use crate::crawl::{interpret, revisits, steering};
use crate::error::RunError;

/// Opens the store in `dir`. Without seeds, a run can only continue a crawl, so the store must exist.
pub(super) fn open_store(settings: &Settings, seeds: &[Url], dir: &Path) -> Result<Store, RunError> {
    let mut options = OpenOptions::new(settings.store_scheme());
    options.cache_bytes = settings.storage.cache_bytes;
    options.roll_bytes = settings.storage.warc_file_bytes;
    options.create = !seeds.is_empty();
    options.warcinfo = vec![
        (
            "robots",
            if settings.politeness.robots { "obey" } else { "ignore" }.to_owned(),
        ),
        ("http-header-user-agent", settings.fetch.user_agent.clone()),
    ];
    Ok(Store::open(dir, &options)?)
}

/// Puts the seeds, and everything that earlier runs left in the store, into the frontier.
pub(super) fn fill(
    frontier: &mut Frontier,
    store: &mut Store,
    seeds: &[Url],
    settings: &Settings,
    scope: &Scope,
) -> Result<(), RunError> {
    let seeds = interpret::seeds(seeds, &settings.canonicalize, scope);
    for seed in &seeds {
        frontier.want(&seed.host);
        interpret::widen_by_redirects(store, seed, scope)?;
    }
    let is_interrupted = store.was_interrupted()?;
    if is_interrupted {
        frontier.was_interrupted();
    }
    for row in store.host_records() {
        let (host, state) = row?;
        frontier.restore(&host, &state);
    }
    store.begin_run()?;
    store.note_rule(&settings.rule.to_string())?;
    discover_seeds(store, &seeds)?;
    queue_revisits(store, seeds.is_empty(), settings, scope)?;
    steering::replay(store, frontier.steering_mut())?;
    for row in store.hosts() {
        let (host, counts) = row?;
        if counts.queued > 0 || counts.fetched() > 0 || is_interrupted {
            frontier.add_stored_host(&host, &counts);
            frontier.add_stored_visits(&host, counts.due);
        }
    }
    Ok(())
}

fn discover_seeds(store: &mut Store, seeds: &[Discovered]) -> Result<(), RunError> {
    store.discover(seeds)?;
    store.commit()?;
    for seed in seeds {
        // A user who names a failed seed again may have removed the cause, such as a wrong setting, host name or
        // certificate.
        store.try_again(seed, |failure| failure.status.is_none())?;
    }
    store.commit()?;
    Ok(())
}

fn queue_revisits(
    store: &mut Store,
    is_without_seeds: bool,
    settings: &Settings,
    scope: &Scope,
) -> Result<(), RunError> {
    if let Some(refresh) = &settings.refresh {
        if is_without_seeds {
            revisits::restore_scope(store, scope)?;
        }
        let due = refresh.begin(store, scope)?;
        tracing::info!(due, waiting = store.counts().due, "pages are due for a revisit");
    }
    let bodies = revisits::queue_missing_bodies(store)?;
    if bodies > 0 {
        tracing::info!(bodies, "kept pages without a body are queued for a revisit");
    }
    Ok(())
}
