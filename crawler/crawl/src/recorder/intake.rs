//! Stores seeds, and reads hosts from the store for the frontier.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crossbeam_channel::Receiver;
use storage::{Counts, Discovered, QueuedUrl, Store, UrlState};
use url::Url;
use web::host_key::HostKey;

use super::Judge;
use super::books::Books;
use crate::interpret::PRIORITY_LINK;
use crate::messages::{BY_ROBOTS, Event, HostsWanted, StoredHost};
use crate::scope::{LISTED, Scope};
use crate::seeds::{Seed, SeedKind};
use error::RunError;

/// Bound on the redirects of a seed that the recorder follows in the store.
const MAX_SEED_REDIRECTS: usize = 20;

/// Bound on the rows of hosts that the recorder reads for one answer, so that pages do not wait for it.
const MAX_ROWS: usize = 10_000;

/// The recorder sends a host with more queued URLs than this without its URLs, and the frontier asks for them.
const MAX_URLS_WITH_HOST: u64 = 16;

/// Seeds of a batch, or the reason why the file cannot be read further.
pub type SeedBatch = Result<NewSeeds, RunError>;

/// Seeds that were read from their file.
#[derive(Debug, Default)]
pub struct NewSeeds {
    /// Pages.
    pub pages: Vec<Discovered>,
    /// Sitemaps whose URLs are to be queued.
    pub sitemaps: Vec<Url>,
}

/// Batches of seeds from the thread that reads their file.
#[derive(Debug)]
pub struct SeedInbox {
    batches: Receiver<SeedBatch>,
    scope: Arc<Scope>,
    /// Seeds that failed in this run. A second line with the same URL does not try them again.
    failed: HashSet<String>,
}

/// A batch of seeds that the store has taken.
#[derive(Debug, Default)]
pub struct StoredSeeds {
    /// The seeds that are new to the crawl, and the seeds that it tries again.
    pub queued: Vec<QueuedUrl>,
    /// The hosts of the other seeds, and the hosts to which these seeds redirected in an earlier run.
    pub known: Vec<String>,
    /// Sitemaps to read.
    pub sitemaps: Vec<Url>,
}

/// The seeds that the frontier asks for.
#[derive(Debug, Default)]
pub(super) struct Intake {
    /// Seeds that are still to be read.
    seeds: Option<SeedInbox>,
    /// Whether the frontier waits for seeds.
    is_asked: bool,
}

impl Intake {
    /// Takes the seeds that the frontier will ask for.
    pub fn takes(&mut self, seeds: SeedInbox) {
        self.seeds = Some(seeds);
    }

    /// The frontier asks for seeds.
    pub fn ask(&mut self) {
        self.is_asked = true;
    }

    /// The batches that the frontier waits for.
    pub fn awaited(&self) -> Option<&Receiver<SeedBatch>> {
        self.seeds.as_ref().filter(|_| self.is_asked).map(SeedInbox::batches)
    }

    /// Notes that a URL failed in this run.
    pub fn note_failed(&mut self, queued: &QueuedUrl) {
        if let Some(seeds) = &mut self.seeds {
            seeds.note_failed(queued);
        }
    }

    /// Stores seeds; `None` means that there are no more.
    pub fn store(
        &mut self,
        books: &mut Books,
        judge: &mut dyn Judge,
        batch: Option<SeedBatch>,
    ) -> Result<Event, RunError> {
        self.is_asked = false;
        let more = batch.is_some();
        let mut stored = StoredSeeds::default();
        if let (Some(batch), Some(seeds)) = (batch, &mut self.seeds) {
            let mut batch = batch?;
            batch.pages = books.own(judge, Cow::Owned(batch.pages), true)?.into_owned();
            stored = seeds.store(books.store_mut(), batch)?;
            books.spend(&stored.queued)?;
            stored.queued.extend(books.follow_lowered(judge)?);
        } else {
            // The scope has its last host.
            self.seeds = None;
        }
        let StoredSeeds {
            queued,
            known,
            sitemaps,
        } = stored;
        Ok(Event::SeedsRead {
            queued,
            known,
            sitemaps,
            more,
        })
    }
}

impl SeedInbox {
    /// The seeds that `batches` brings. The scope waits for its last host until the inbox is dropped.
    #[must_use]
    pub fn new(batches: Receiver<SeedBatch>, scope: Arc<Scope>) -> Self {
        Self {
            batches,
            scope,
            failed: HashSet::new(),
        }
    }

    /// The batches; the channel ends with the file.
    #[must_use]
    pub fn batches(&self) -> &Receiver<SeedBatch> {
        &self.batches
    }

    /// Stores all seeds at once. Returns the sitemaps among them.
    ///
    /// # Errors
    /// The file cannot be read, or the store cannot be written.
    pub fn store_all(self, store: &mut Store) -> Result<Vec<Url>, RunError> {
        let mut sitemaps = Vec::new();
        while let Ok(batch) = self.batches.recv() {
            sitemaps.extend(self.store(store, batch?)?.sitemaps);
        }
        Ok(sitemaps)
    }

    /// As [`store_seeds`].
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn store(&self, store: &mut Store, seeds: NewSeeds) -> Result<StoredSeeds, RunError> {
        store_seeds(store, seeds, Tries::NotIn(&self.failed), &self.scope)
    }

    /// Notes that a URL failed in this run.
    fn note_failed(&mut self, queued: &QueuedUrl) {
        if matches!(queued.depth, 0 | LISTED) {
            self.failed.insert(queued.url.clone());
        }
    }
}

/// Which known seeds are tried again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tries<'a> {
    /// All that have no page, because the user asks for these URLs now.
    Any,
    /// Those whose outcome may have passed, except the ones that failed in this run.
    NotIn(&'a HashSet<String>),
}

/// Queues the seeds that the store does not know, and the known seeds that `tries` selects.
///
/// # Errors
/// The store cannot be written.
pub(super) fn store_seeds(
    store: &mut Store,
    seeds: NewSeeds,
    tries: Tries<'_>,
    scope: &Scope,
) -> Result<StoredSeeds, RunError> {
    let NewSeeds { pages, sitemaps } = seeds;
    let seeds = &pages;
    let mut queued = store.discover(seeds)?;
    let fresh: HashSet<&str> = queued.iter().map(|queued| queued.url.as_str()).collect();
    let known: Vec<&Discovered> = seeds.iter().filter(|seed| !fresh.contains(seed.url.as_str())).collect();
    drop(fresh);
    let mut hosts = Vec::new();
    for seed in known {
        hosts.push(seed.host.clone());
        queued.extend(known_again(seed, store, (tries, scope), &mut hosts)?);
    }
    hosts.sort_unstable();
    hosts.dedup();
    Ok(StoredSeeds {
        queued,
        known: hosts,
        sitemaps,
    })
}

/// Treats a seed that the store knows. Queues it again if it failed in a way that may have passed: a user who names a failed seed again may
/// have removed the cause, such as a wrong setting, host name or certificate.
fn known_again(
    seed: &Discovered,
    store: &mut Store,
    (tries, scope): (Tries<'_>, &Scope),
    hosts: &mut Vec<String>,
) -> Result<Option<QueuedUrl>, RunError> {
    if let Some(UrlState::Redirect { to, .. }) = store.url_state(&seed.host, &seed.url)?
        && seed.depth == 0
    {
        widen_by_redirects(scope, store, to, hosts)?;
    }
    Ok(store.try_again(seed, |state| match tries {
        Tries::Any => true,
        Tries::NotIn(failed) => !failed.contains(&seed.url) && may_have_passed(state),
    })?)
}

/// Adds to the scope, and to `hosts`, the hosts to which a seed redirected in an earlier run: a seed that has moved is still a seed.
fn widen_by_redirects(scope: &Scope, store: &Store, mut to: String, hosts: &mut Vec<String>) -> Result<(), RunError> {
    for _ in 0..MAX_SEED_REDIRECTS {
        let Some(host) = Url::parse(&to).ok().as_ref().and_then(HostKey::from_url) else {
            break;
        };
        scope.add_host(&host);
        hosts.push(host.as_str().to_owned());
        let Some(UrlState::Redirect { to: next, .. }) = store.url_state(host.as_str(), &to)? else {
            break;
        };
        to = next;
    }
    Ok(())
}

/// The seeds for the recorder. The hosts of pages and sitemaps enter the scope; the host of a URL without its links does not.
pub fn new_seeds(batch: Vec<Seed>, scope: &Scope) -> NewSeeds {
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

impl Drop for SeedInbox {
    fn drop(&mut self) {
        self.scope.set_growing(false);
    }
}

/// Whether another attempt may bring an answer, or a different one: after no answer, a refusal, an error of the server, and a robots.txt that
/// forbade the URL.
fn may_have_passed(state: &UrlState) -> bool {
    match state {
        UrlState::Failed(failure) => {
            let status = failure.status;
            status.is_none_or(|status| matches!(status, 401 | 403 | 429 | 500..=599))
                || failure.kind == "body_too_large"
        }
        UrlState::Excluded { reason } => reason.starts_with(BY_ROBOTS),
        UrlState::Redirect { .. } | UrlState::Page(_) | UrlState::Queued => false,
    }
}

/// Reads the hosts for which the frontier asks.
pub(super) fn load(store: &mut Store, wanted: HostsWanted) -> Result<Event, RunError> {
    // The commit writes the rows and counts of the staged URLs.
    store.commit()?;
    let mut hosts = Vec::new();
    let mut behind = None;
    match wanted {
        HostsWanted::Named(names) => {
            for name in names {
                // A host without URLs may be wanted for an errand.
                let counts = store.hosts().of(&name)?.unwrap_or_default();
                hosts.push(stored_host(store, name, counts)?);
            }
        }
        HostsWanted::Behind { name, limit } => {
            let mut found = Vec::new();
            for (row, rows) in store.hosts().behind(&name).zip(1..) {
                let (name, counts) = row?;
                behind = (found.len() >= limit || rows >= MAX_ROWS).then(|| name.clone());
                if has_work(&counts) {
                    found.push((name, counts));
                }
                if behind.is_some() {
                    break;
                }
            }
            for (name, counts) in found {
                hosts.push(stored_host(store, name, counts)?);
            }
        }
    }
    Ok(Event::HostsLoaded { hosts, behind })
}

fn has_work(counts: &Counts) -> bool {
    counts.queued + counts.due > 0
}

fn stored_host(store: &mut Store, name: String, counts: Counts) -> Result<StoredHost, RunError> {
    let record = store.host_memory().record(&name)?;
    let is_untouched = record.is_none() && counts.queued == counts.discovered;
    let urls = if is_untouched && counts.queued <= MAX_URLS_WITH_HOST {
        store.refill(&name, MAX_URLS_WITH_HOST as usize, &HashSet::new())?
    } else {
        Vec::new()
    };
    Ok(StoredHost {
        name,
        counts,
        record,
        urls,
    })
}
