//! Follow one URL from the seeds to the archive: the stages of a crawl, and the channels that join them.
//!
//! ```text
//!               tasks           answers              records
//!   frontier ──────────▶ fetch ──────────▶ interpret ──────────▶ recorder ──▶ catalogue, archive
//!      ▲                   │                   │                    │
//!      └───────────────────┴───── events ──────┴────────────────────┘
//! ```
//!
//! 1. **Seed.** [`fill`](fill::fill) puts the URLs that earlier runs left in the store into the frontier. A thread of
//!    [`seeding`] reads the seeds file; the recorder stores its URLs batch by batch, and an event brings the new ones to the frontier.
//! 2. **Frontier.** [`Frontier::next`] chooses the next URL. Robots.txt, politeness and steering decide when it goes, or whether
//!    it is held back. Before the first request to a host, the crawler looks up its name ([`Network::look_up`]). [`drive`](drive::drive)
//!    carries out each step of the frontier, and passes it the events of all stages.
//! 3. **Fetch.** [`Network::fetch`] makes the request in a tokio task
//!    ([`Fetcher::get_by`](web::fetch::Fetcher::get_by)). An event tells the frontier that the request has ended. A
//!    small answer goes to the channel `small`, a large one to the queue `large` ([`Lane`](super::interpret::Lane)).
//! 4. **Interpret.** A parse thread turns the answer into a record ([`Interpreter::interpret`]): a redirect, a
//!    failure, or a page, which [`page::read`] reads. The record of a page has the text, the signature, the
//!    outlinks within the scope, and the compressed records for the archive. A document goes on to the queue `documents`, because its thread
//!    waits for another process. In the queues of the slow lanes, the hosts take turns ([`fair_queue`](super::fair_queue)). With `render.mode`, some pages go to a browser first, and come
//!    back to a parse thread ([`render`]).
//! 5. **Recorder.** One thread decides on the pages in turn ([`Recorder::run`]): it asks the dedup index for the
//!    verdict, archives the page, and commits the outcome together with the outlinks. An event brings the new URLs to
//!    the frontier, where they start at step 2. The answers of earlier runs are read beside it ([`recalling`]).
//!
//! Each job holds one of the frontier's `window` tickets, and every channel has room for as many messages as there are tickets, so
//! no stage waits for a stage that waits for it. [`MemoryBudget`] bounds the bytes in flight. Parsing has threads of its own, so
//! that it never holds up the network.
//!
//! The network and the parse threads grow with the cores of the machine. The recorder has one thread, so its work on a page bounds the
//! rate of a crawl on many cores; everything that can be done before the verdict is done on the parse threads.

mod browser;
mod checkpoints;
mod drive;
mod fill;
mod join;
mod kept_cookies;
mod network;
mod parse_threads;
mod reading_memory;
mod recalling;
mod seeding;
mod spans;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::bounded;
use storage::Counts;
use tokio::sync::{mpsc, oneshot};
use web::fetch::{FetchError, Response};
use web::memory_budget::MemoryBudget;

use crate::archiving::Archiving;
use crate::control::taker::Orders;
use crate::fair_queue::fair_queue;
use crate::frontier::{Frontier, MAX_LOOKUPS};
use crate::interpret::{Interpreter, RobotsReader};
use crate::messages::{Ending, Event, GivenUp, Task};
use crate::recall::Recall;
use crate::record_channel::record_channel;
use crate::recorder::{Books, Judge, Local, Recorder};
use crate::render::{self, Rendering};
use crate::scope::Scope;
use crate::seeds::Seeds;
use crate::stats::Stats;
use crate::steering::Steering;
use crate::watch::{self, PATIENCE_AFTER_STOP, Watch, Watched};
use crate::watchdog::{Stops, Watchdog};
use checkpoints::Checkpoints;
use config::settings::Settings;
use drive::{Others, Recording, drive};
use error::RunError;
use fill::{fill, keep_settings, open_store};
use join::Joining;
use kept_cookies::KeptCookies;
use network::Network;
use parse_threads::ParseThreads;
use reading_memory::ReadingMemory;

/// Tickets beyond two per open request. While the store flushes the disk, decided pages wait with their tickets; the
/// extra tickets let fetching and parsing continue.
const HEADROOM: usize = 128;

/// Pages that come back from the browser, beyond the window.
const MAX_RENDERED: usize = render::MAX_PAGES;

/// Bound on the messages without a ticket: one that asks for seeds, one that asks for hosts, the save of the hosts, a checkpoint, the orders
/// of the user, and the stop.
const WITHOUT_TICKET: usize = 6;

/// The result of a run.
#[derive(Debug)]
pub struct Summary {
    /// Why it ended.
    pub ending: Ending,
    /// The counts of the whole crawl, earlier runs included.
    pub counts: Counts,
    /// Hosts that this run left unfinished.
    pub given_up: Vec<GivenUp>,
    /// The number of further hosts, which are too many to name.
    pub further_given_up: u64,
    /// Whether other processes work on the same crawl.
    pub has_others: bool,
    /// Whether other processes that work on the same crawl have kept pages.
    pub others_have_pages: bool,
    /// Whether `crawler control stop` asked the run to stop.
    pub stopped_by_order: bool,
    /// Whether the run was stopped before it had read its seeds file to the end.
    pub has_unread_seeds: bool,
    /// Steering with its rules and counts, if it holds URLs back.
    pub holds_back: Option<Steering>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Summary {
    /// Why a finished crawl has no page; `None` if it has one, or nothing was asked for. The hosts of one process may all have failed although
    /// others have pages of the crawl.
    #[must_use]
    pub fn without_page(&self) -> Option<WithoutPage> {
        // A host and its origin can both be among them.
        let hosts = self.given_up.iter();
        let hosts: HashSet<&str> = hosts
            .filter_map(|given_up| given_up.host.rsplit("://").next())
            .collect();
        let given_up = hosts.len() as u64 + self.further_given_up;
        let is_empty = self.ending == Ending::Exhausted && self.counts.fetched() == 0 && !self.others_have_pages;
        let why = WithoutPage {
            failed: self.counts.failed,
            // What other processes fetch is excluded here, and may be the pages of the crawl.
            excluded: if self.has_others { 0 } else { self.counts.excluded },
            given_up,
        };
        Some(why).filter(|why| is_empty && *why != WithoutPage::default())
    }
}

/// Why a crawl has no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WithoutPage {
    /// URLs that failed.
    pub failed: u64,
    /// URLs that a rule excludes: robots.txt, `noindex`, their type.
    pub excluded: u64,
    /// Hosts that were given up.
    pub given_up: u64,
}

/// From the network to the parse threads.
type Answer = (Task, Result<Response, FetchError>);

/// Crawls from `seeds`, or without them only the known URLs, into the data folder `dir`. Continues where an earlier run stopped. Ends
/// when nothing is left, a limit is reached, or `stop` completes.
///
/// # Errors
/// The store or the index failed. Everything committed before is safe, and the next run continues from there.
pub fn run(
    settings: &Settings,
    seeds: Option<Seeds>,
    dir: &Path,
    stats: &Arc<Stats>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<Summary, RunError> {
    let (start, began) = (Instant::now(), SystemTime::now());
    let watch = Watch::new(silence_limit());
    let settings = &network::within_open_files(settings)?;
    let scope = Arc::new(Scope::new(settings.scope, settings.limits.max_depth));

    stats.may_have_open(settings.fetch.parallel);

    // The recorder owns the store and the index; the frontier owns the order.
    let mut store = open_store(settings, seeds.is_some(), dir, stats)?;
    if let Some(seeds) = &seeds {
        fill::note_other_sites(&store, seeds.named_hosts(), dir)?;
    }
    keep_settings(settings, dir, began);
    let archive_url = settings.storage.archive_url.as_deref();
    let archiving = archive_url.map(|url| Archiving::start(&mut store, url)).transpose()?;
    let mut books = Books::open(store, settings, stats.clone())?;
    let window = 2 * settings.fetch.parallel + HEADROOM;
    let taken = books.store().run_notes().orders()?;
    let mut orders = Orders::open(dir, taken, (settings, &scope, stats), began)?;
    let frontier = Frontier::new(settings, window, books.store().counts().fetched());
    let mut frontier = frontier.begun_at(began).steered_by(orders.steer());

    // The channels. A ticket has at most six events: its request has ended, its answer has entered and left each of two slow lanes, and its
    // URL has an outcome. A look-up has one.
    let (small_in, small) = bounded::<Answer>(window);
    let (large_in, large) = fair_queue::<Answer>(parse_threads::large_pages_of_host());
    let (documents_in, documents) = fair_queue::<Answer>(parse_threads::documents_of_host());
    let (records_in, records) = record_channel(window + MAX_RENDERED + WITHOUT_TICKET);
    let (events_in, events) = mpsc::channel::<Event>(6 * window + MAX_LOOKUPS + MAX_RENDERED + WITHOUT_TICKET);

    let joined = join::join(settings, &mut books, &scope, &events_in, stats, (start, &watch))?;
    let (judge, membership): (Box<dyn Judge>, _) = match joined {
        None => (Box::new(Local::open(books.store_mut(), settings)?), None),
        Some(joined) => {
            frontier = frontier.admitted_by(joined.admission);
            (joined.judge, Some(joined.membership))
        }
    };
    let mut recorder = Recorder::new(books, judge, settings);
    // What a run that was killed left to do, and what a greater `scope.max_depth` brings.
    recorder.follow_lowered()?;
    let first = orders.take_first(|taken| recorder.take_orders(taken))?;
    let seeds = seeds.map(|seeds| seeding::start(seeds, &scope, stats)).transpose()?;
    let seeds = fill(&mut frontier, recorder.store_mut(), seeds, settings, &scope)?;
    seeds.into_iter().for_each(|seeds| recorder.takes_seeds(seeds));
    frontier.add_sitemaps(orders.sitemaps(), Duration::ZERO);
    first.into_iter().for_each(|event| frontier.on(event, Duration::ZERO));

    // The stages.
    let runtime = network::runtime()?;
    let half = settings.fetch.memory_bytes / 2;
    let rendering = Rendering::new(&settings.render).map(Arc::new);
    if let Some(rendering) = &rendering {
        rendering.replay(recorder.store_mut())?;
    }
    let browser = browser::start(rendering.as_ref(), settings, &scope, &runtime, &events_in, stats);
    let robots = RobotsReader::new(&settings.product, scope.clone());
    let recall = Recall::new(recorder.store_mut().answers(), robots);
    let recalling = recalling::start(recall, window, events_in.clone(), &watch)?;
    ParseThreads {
        interpreter: Arc::new(Interpreter::new(settings.clone(), scope, stats.clone()).with_browser(rendering)),
        large: Some(large_in.clone()),
        documents: Some(documents_in),
        reading: ReadingMemory::new(settings.fetch.max_body_bytes, settings.fetch.memory_bytes),
        read: MemoryBudget::new(half),
        runtime: runtime.handle().clone(),
        records: records_in.clone(),
        events: events_in.clone(),
        jobs: browser.jobs,
        watch: watch.clone(),
    }
    .start(&small, &large, &documents, browser.finished)?;
    let network = Network::new(settings, half, small_in, large_in, events_in.clone(), stats.clone())?;
    let keeps = settings.fetch.keep_cookies;
    let cookies = keeps.then(|| KeptCookies::restore(dir, network.fetcher()));
    let max_duration = settings.limits.max_duration;
    let (taker, ordered) = orders.start(records_in.clone())?;
    let (watchdog, silent) = Watchdog::start(
        watch.clone(),
        Stops {
            wish: either(stop, ordered),
            max_duration,
        },
        events_in.clone(),
        stats.clone(),
    )?;
    let ended = runtime.block_on(async {
        if let Some(cookies) = cookies.clone() {
            tokio::spawn(cookies.keep());
        }
        tokio::spawn(watch.thread("network", watch::LIMIT).beat_for_ever());
        let watched = watch.thread_of_the_end("recorder", watch::LIMIT);
        let recorder = start_recorder(recorder, watched, recalling.thread, move |recorder, watched| {
            recorder.run(&records, &events_in, watched)
        })?;
        let others = Others {
            recorder,
            recall: recalling.failed,
            silent,
            checkpoints: Checkpoints::new(&mut frontier, settings.storage.checkpoint_pages),
            watch: watch.clone(),
        };
        let recording = Recording {
            records: records_in,
            recalls: recalling.errands,
        };
        drive(&mut frontier, network, recording, events, start, others).await
    });
    watch.waits_for("the browser", PATIENCE_AFTER_STOP);
    runtime.block_on(browser::end(browser.stage));
    let stopped_by_order = taker.end();
    // An abandoned request or name look-up must not delay the end.
    runtime.shutdown_background();
    if let Some(cookies) = cookies {
        cookies.write();
    }
    let left = match ended {
        // They may wait for the thread that stands still.
        Err(RunError::Silent { .. }) => Ok(()),
        _ => leave(membership, archiving, &watch),
    };
    drop(watchdog);
    let (ending, counts) = ended?;
    left?;

    stats.ended(ending, &counts);
    Ok(Summary {
        ending,
        counts,
        given_up: frontier.given_up(),
        further_given_up: frontier.further_given_up(),
        has_others: stats.worker().standing().is_some(),
        others_have_pages: stats.worker().others_have_kept(),
        stopped_by_order,
        has_unread_seeds: frontier.has_unread_seeds(),
        holds_back: frontier.into_holder(),
        elapsed: start.elapsed(),
    })
}

/// Completes when the user wishes to stop, by a signal or by an order.
async fn either(signal: impl Future<Output = ()>, ordered: oneshot::Receiver<()>) {
    let ordered = async {
        if ordered.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! { () = signal => {}, () = ordered => {} }
}

/// Lets the threads end that work for other machines.
fn leave(membership: Option<Joining>, archiving: Option<Archiving>, watch: &Watch) -> Result<(), RunError> {
    let left = membership.map_or(Ok(()), |membership| membership.leave(watch));
    if let Some(archiving) = archiving {
        watch.waits_for("the object store", Archiving::PATIENCE);
        archiving.finish();
    }
    left
}

/// Starts the thread of the recorder, which ends after the thread that `recalls`. Returns the receiver of its result, which fails if the thread panics.
fn start_recorder(
    mut recorder: Recorder,
    watched: Watched,
    recalls: JoinHandle<()>,
    run: impl FnOnce(&mut Recorder, &Watched) -> Result<Counts, RunError> + Send + 'static,
) -> Result<oneshot::Receiver<Result<Counts, RunError>>, RunError> {
    let (ended_in, ended) = oneshot::channel();
    thread::Builder::new()
        // It has a name, so that its processor time can be seen: it is the only stage with one thread.
        .name("recorder".into())
        .spawn(spans::within_current(move || {
            let ended = run(&mut recorder, &watched);
            let _unit = watched.begin();
            if ended.is_err() {
                // The run must not wait for the store to close: the disk may be gone.
                return ended_in.send(ended).is_ok();
            }
            // The next command may open the store at once. The other reader ends with the loop that feeds both; a panic of it is no failure
            // of a run that has ended.
            let _panic = recalls.join();
            drop(recorder);
            ended_in.send(ended).is_ok()
        }))
        .map_err(|source| RunError::io("start", "the thread of the recorder", source))?;
    Ok(ended)
}

/// Environment variable with another limit for all threads, in seconds. For tests, which make a thread stand still.
const SILENCE_VARIABLE: &str = "CRAWLER_SILENCE_SECONDS";

fn silence_limit() -> Option<Duration> {
    let seconds = std::env::var(SILENCE_VARIABLE).ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The number of cores; `otherwise` if the system does not report it.
fn cores(otherwise: usize) -> usize {
    thread::available_parallelism().map_or(otherwise, usize::from)
}
