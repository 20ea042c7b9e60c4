//! The way of a page, joined in one place:
//!
//! ```text
//!            tasks            answers             records
//! frontier ───────▶ fetch ───────────▶ interpret ─────────▶ recorder
//!     ▲                │                    │                     │
//!     └────────────────┴────── events ──────┴─────────────────────┘
//! ```
//!
//! Fetching is tokio tasks, interpreting is threads (a page's parse must not hold up the network; large pages have one of
//! their own, see [`Lane`]), deciding and storing is one thread. Each job holds one of the frontier's `window` tickets, and every channel has room for as many
//! messages as there can be tickets, so no stage ever waits for the one that waits for it; the bytes in flight are
//! bounded by [`web::memory_budget`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, Sender, bounded};
use reqwest::header::HeaderMap;
use storage::{Counts, OpenOptions, Outcome, QueuedUrl, Store, Visit};
use tokio::sync::mpsc;
use url::Url;
use web::fetch::{FetchError, Fetcher, Response, Wanted};
use web::memory_budget::{Claim, MemoryBudget};
use web::politeness::{Contact, HostSignal};

use crate::config::settings::Settings;
use crate::crawl::clock::unix_millis;
use crate::crawl::frontier::Frontier;
use crate::crawl::interpret::{self, Interpreter, Lane, RobotsReader};
use crate::crawl::messages::{Ending, Errand, Event, GivenUp, Meaning, Record, Step, Task};
use crate::crawl::recorder::Recorder;
use crate::crawl::scope::Scope;
use crate::crawl::stats::Stats;
use crate::crawl::{revisits, steering};
use crate::error::RunError;

/// Stack of a parse thread: html5ever and the walks over its tree are not recursive, but libraries below may be.
const PARSE_STACK: usize = 16 * 1024 * 1024;

/// Tickets beyond those of the open requests: pages that wait while the store flushes the disk, so that fetching and
/// parsing go on meanwhile.
const HEADROOM: usize = 128;

/// Between two times that the treatment of hosts is saved, at least. What a kill loses of it, the next run makes up for.
const SAVE_INTERVAL: Duration = Duration::from_millis(250);

/// Between two times that is worked out, for whoever looks, what the hosts are doing: at least this long, and so long that
/// it takes no more than a fiftieth of the time.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
const LOOK_SHARE: u32 = 50;

/// What a run came to.
#[derive(Debug)]
pub struct Summary {
    /// Why it ended.
    pub ending: Ending,
    /// The whole crawl, earlier runs included.
    pub counts: Counts,
    /// Hosts that this run left alone.
    pub given_up: Vec<GivenUp>,
    /// Whether URLs are left in the queue because the verdicts on their like foretell duplicates.
    pub holds_urls_back: bool,
    /// How long it took.
    pub elapsed: Duration,
}

type Answer = (Task, Result<Response, FetchError>);
type Weighed = (Record, Claim);

/// Crawls from `seeds` into the data folder `dir`, going on where an earlier run stopped, until nothing is left, a
/// limit is reached, or `stop` completes.
///
/// # Errors
/// The store or the index failed. What was committed before is safe, and the next run goes on from there.
pub fn run(
    settings: &Settings,
    seeds: &[Url],
    dir: &Path,
    stats: &Arc<Stats>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<Summary, RunError> {
    let (start, began) = (Instant::now(), SystemTime::now());
    let scope = Arc::new(Scope::new(settings.scope, settings.limits.max_depth));
    let mut recorder = Recorder::open(open_store(settings, seeds, dir)?, settings, stats.clone())?;
    let window = 2 * settings.fetch.parallel + HEADROOM;
    let mut frontier = Frontier::new(settings, window, recorder.store_mut().counts().fetched()).begun_at(began);
    fill(&mut frontier, recorder.store_mut(), seeds, settings, &scope)?;

    let (answers_in, answers) = bounded::<Answer>(window);
    let (large_in, large) = bounded::<Answer>(window);
    let (records_in, records) = bounded::<Weighed>(window);
    // A ticket has at most two events: its request has ended, and it is decided.
    let (events_in, events) = mpsc::channel::<Event>(2 * window + 2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(thread::available_parallelism().map_or(2, |n| n.get().min(4)))
        .build()
        .map_err(|source| RunError::io("start", "the network threads", source))?;
    let robots = RobotsReader::new(&settings.product, scope.clone());
    let interpreter = Arc::new(Interpreter::new(settings.clone(), scope, stats.clone()));
    let half = settings.fetch.memory_bytes / 2;
    let interpreting = Interpreting {
        interpreter,
        large: large_in.clone(),
        read: MemoryBudget::new(half),
        runtime: runtime.handle().clone(),
        records: records_in.clone(),
        events: events_in.clone(),
    };
    interpreting.start(&answers, &large)?;
    drop(interpreting);
    let stages = Stages {
        fetcher: Fetcher::new(&settings.fetch, MemoryBudget::new(half)).map_err(RunError::Client)?,
        answers: answers_in,
        large: large_in,
        records: records_in,
        events: events_in.clone(),
        stats: stats.clone(),
    };
    let counts_of = runtime.block_on(async {
        let max_duration = settings.limits.max_duration;
        tokio::spawn(forward_stop(stop, max_duration, events_in.clone(), stats.clone()));
        let decider = tokio::task::spawn_blocking(move || recorder.run(&records, &events_in, &robots));
        drive(&mut frontier, stages, events, start, decider).await
    });
    let (ending, counts) = counts_of?;
    stats.ended(ending, &counts);
    Ok(Summary {
        ending,
        counts,
        given_up: frontier.given_up(),
        holds_urls_back: frontier.holds_urls_back(),
        elapsed: start.elapsed(),
    })
}

/// The edges that the frontier's steps go out by.
struct Stages {
    fetcher: Fetcher,
    answers: Sender<Answer>,
    large: Sender<Answer>,
    records: Sender<Weighed>,
    events: mpsc::Sender<Event>,
    stats: Arc<Stats>,
}

type Decider = tokio::task::JoinHandle<Result<Counts, RunError>>;

/// Carries out the frontier's steps until it is finished, then lets the stages run empty.
async fn drive(
    frontier: &mut Frontier,
    stages: Stages,
    mut events: mpsc::Receiver<Event>,
    start: Instant,
    mut decider: Decider,
) -> Result<(Ending, Counts), RunError> {
    let mut saved_at = Duration::ZERO;
    let mut look_at = Duration::ZERO;
    let is_watched = stages.stats.is_watched();
    let ending = loop {
        let is_looked_at = is_watched && start.elapsed() >= look_at;
        if is_looked_at {
            look_at = look(frontier, &stages.stats, start);
        }
        let save_at = saved_at + SAVE_INTERVAL;
        if frontier.has_unsaved() && start.elapsed() >= save_at && !stages.records.is_full() {
            saved_at = start.elapsed();
            stages.save(frontier, false);
        }
        let until = match frontier.next(start.elapsed()) {
            Step::Finished(ending) => break ending,
            Step::Wait(until) => until,
            Step::Start(task) => {
                stages.fetch(task);
                continue;
            }
            Step::Refill(refill) => {
                stages.record(Record::Refill(refill));
                continue;
            }
            Step::Recall(errand) => {
                stages.record(Record::Recall(errand));
                continue;
            }
            Step::Exclude { queued, reason } => {
                stages.exclude(queued, reason);
                continue;
            }
            Step::Fail { queued, unfit } => {
                let failed = Outcome::Failed {
                    kind: unfit.kind.to_owned(),
                    status: None,
                    detail: unfit.detail,
                };
                stages.conclude(queued, failed);
                continue;
            }
            Step::Postpone { queued, priority } => {
                stages.conclude(queued, Outcome::Postponed { priority });
                continue;
            }
        };
        let until = match until {
            Some(until) if frontier.has_unsaved() => Some(until.min(save_at)),
            None if frontier.has_unsaved() => Some(save_at),
            until => until,
        };
        // What happened since the last look is shown even if nothing more happens for long.
        let until = match until {
            until if !is_watched || is_looked_at => until,
            Some(until) => Some(until.min(look_at)),
            None => Some(look_at),
        };
        tokio::select! {
            event = events.recv() => if let Some(event) = event { frontier.on(event, start.elapsed()) },
            () = sleep_until(until.map(|until| start + until)) => {}
            ended = &mut decider => {
                // It ends by itself only when it fails.
                return Err(joined(ended).err().unwrap_or(RunError::Stage("deciding")));
            }
        }
    };
    if ending != Ending::Stopped {
        // Nothing more comes of the visits that are left; an interrupted run leaves its own to the next.
        stages.record(Record::EndVisits);
    }
    stages.save(frontier, true);
    look(frontier, &stages.stats, start);
    drop(stages);
    // Nothing holds a ticket, so nothing waits to be read; closing lets a late event go to nobody.
    events.close();
    joined(decider.await).map(|counts| (ending, counts))
}

/// Tells what the hosts are doing; says when to do so again.
fn look(frontier: &Frontier, stats: &Stats, start: Instant) -> Duration {
    let now = start.elapsed();
    stats.stands(frontier.standing(now));
    let ended = start.elapsed();
    ended + LOOK_INTERVAL.max(LOOK_SHARE * (ended - now))
}

fn joined(ended: Result<Result<Counts, RunError>, tokio::task::JoinError>) -> Result<Counts, RunError> {
    ended.map_err(|_panic| RunError::Stage("deciding"))?
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}

/// Turns a signal, or the end of the time given to the run, into the event that stops it.
async fn forward_stop(
    stop: impl Future<Output = ()>,
    max_duration: Option<Duration>,
    events: mpsc::Sender<Event>,
    stats: Arc<Stats>,
) {
    let time_is_up = async {
        match max_duration {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! { () = stop => {}, () = time_is_up => {} }
    stats.set_stopping();
    if events.send(Event::Stop).await.is_err() {
        tracing::debug!("asked to stop after the end");
    }
}

impl Stages {
    fn fetch(&self, task: Task) {
        let (fetcher, events) = (self.fetcher.clone(), self.events.clone());
        let (small, large) = (self.answers.clone(), self.large.clone());
        let stats = self.stats.clone();
        tokio::spawn(async move {
            let mut conditions = HeaderMap::new();
            let (url, wanted, host) = match &task {
                Task::Page { queued, url } => {
                    conditions = revisits::conditions(queued, url)
                        .map(revisits::fields)
                        .unwrap_or_default();
                    (url, Wanted::Page { is_page: page::is_page }, &queued.host)
                }
                Task::Errand { host, errand } => {
                    let is_sitemap = matches!(errand, Errand::Sitemap { .. });
                    let wanted = if is_sitemap { Wanted::Sitemap } else { Wanted::Robots };
                    (errand.url(), wanted, host)
                }
            };
            let url = url.clone();
            let began = Instant::now();
            // In a task of its own, so that a panic below us costs this request and not its ticket.
            let answer = tokio::spawn(async move { fetcher.get_if(&url, wanted, conditions).await }).await;
            let answer = answer.unwrap_or_else(|panic| Err(FetchError::Protocol(panic.to_string())));
            let body_bytes = answer
                .as_ref()
                .ok()
                .and_then(|response| response.body.as_ref())
                .map_or(0, |b| b.len());
            stats.request(began.elapsed(), body_bytes as u64);
            let ended = Event::RequestEnded {
                host: host.clone(),
                signal: signal(&task, &answer),
                failure: failure(&answer),
                contact: contact(&answer),
            };
            let answers = match Lane::of(&answer) {
                Lane::Small => small,
                Lane::Large => large,
            };
            // Both go nowhere only when the run has failed already.
            if events.send(ended).await.is_err() || answers.send((task, answer)).is_err() {
                tracing::debug!("an answer came after the end");
            }
        });
    }

    fn save(&self, frontier: &mut Frontier, is_last: bool) {
        let states = frontier.take_unsaved();
        self.record(Record::Hosts { states, is_last });
    }

    /// Records that a URL is not to be fetched. Of a page that was fetched before, that says nothing: it stays.
    fn exclude(&self, queued: QueuedUrl, reason: String) {
        if queued.revisits.is_none() {
            return self.conclude(queued, Outcome::Excluded { reason });
        }
        tracing::info!(url = %queued.url, reason, "not visited again");
        let unanswered = Outcome::Visited {
            visit: Visit::Unanswered,
            at: unix_millis(SystemTime::now()),
            wire_bytes: 0,
            capture: None,
        };
        self.conclude(queued, unanswered);
    }

    /// Records what became of a URL without a request.
    fn conclude(&self, queued: QueuedUrl, outcome: Outcome) {
        self.record(Record::Outcome {
            queued,
            outcome,
            outlinks: Vec::new(),
        });
    }

    /// There is room for every ticket; what is saved beside them may wait a moment for the deciding stage, which never
    /// waits for us.
    fn record(&self, record: Record) {
        if self.records.send((record, Claim::default())).is_err() {
            tracing::debug!("the deciding stage has ended; the run is about to end too");
        }
    }
}

/// What an answer says of its host.
fn signal(task: &Task, answer: &Result<Response, FetchError>) -> HostSignal {
    match answer {
        Ok(response) if matches!(response.status, 429 | 503) => HostSignal::Busy {
            retry_after: response.retry_after(),
        },
        // Without robots.txt nothing of the host may be fetched, so its failure is the host's.
        Ok(response) if response.status >= 500 && is_robots(task) => HostSignal::Unreachable,
        Err(error) if error.is_the_hosts() => HostSignal::Unreachable,
        _ => HostSignal::Answered,
    }
}

fn contact(answer: &Result<Response, FetchError>) -> Contact {
    answer.as_ref().map_or_else(
        |_failed| Contact::default(),
        |response| Contact {
            address: response.remote.map(|remote| remote.ip()),
            latency: Some(response.latency),
        },
    )
}

fn failure(answer: &Result<Response, FetchError>) -> Option<String> {
    match answer {
        Ok(response) if response.status == 429 || response.status >= 500 => {
            Some(format!("HTTP status {}", response.status))
        }
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
}

fn is_robots(task: &Task) -> bool {
    matches!(
        task,
        Task::Errand {
            errand: Errand::Robots { .. },
            ..
        }
    )
}

fn open_store(settings: &Settings, seeds: &[Url], dir: &Path) -> Result<Store, RunError> {
    let mut options = OpenOptions::new(settings.store_scheme());
    options.cache_bytes = settings.storage.cache_bytes;
    options.roll_bytes = settings.storage.warc_file_bytes;
    // Without a seed there is nothing to begin with.
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

/// Puts the seeds and what earlier runs left into the frontier.
fn fill(
    frontier: &mut Frontier,
    store: &mut Store,
    seeds: &[Url],
    settings: &Settings,
    scope: &Scope,
) -> Result<(), RunError> {
    let seeds = interpret::seeds(seeds, &settings.canonicalize, scope);
    for seed in &seeds {
        interpret::widen_by_redirects(store, seed, scope)?;
    }
    let is_interrupted = store.was_interrupted()?;
    if is_interrupted {
        frontier.was_interrupted();
    }
    for row in store.host_states() {
        let (host, state) = row?;
        frontier.restore(&host, &state);
    }
    store.begin_run()?;
    store.note_rule(&settings.rule.to_string())?;
    store.discover(&seeds)?;
    store.commit()?;
    for seed in &seeds {
        // Whoever names a seed again may have mended what was in its way: a setting, a name, a certificate.
        store.try_again(seed, |failure| failure.status.is_none())?;
    }
    store.commit()?;
    if let Some(refresh) = &settings.refresh {
        if seeds.is_empty() {
            revisits::restore_scope(store, scope)?;
        }
        let due = refresh.begin(store, scope)?;
        tracing::info!(due, waiting = store.counts().due, "pages to be visited again");
    }
    let bodies = revisits::queue_missing_bodies(store)?;
    if bodies > 0 {
        tracing::info!(bodies, "pages that are kept by their texts are to be fetched");
    }
    steering::replay(store, frontier.steering_mut())?;
    for row in store.hosts() {
        let (host, counts) = row?;
        if counts.queued > 0 || counts.fetched() > 0 || is_interrupted {
            frontier.add_stored_host(&host, counts.queued, counts.fetched());
            frontier.add_stored_visits(&host, counts.due);
        }
    }
    Ok(())
}

/// What a parse thread needs, and the edges that it hands on by.
#[derive(Clone)]
struct Interpreting {
    interpreter: Arc<Interpreter>,
    large: Sender<Answer>,
    /// Claimed by what has been read, until it is recorded.
    read: MemoryBudget,
    runtime: tokio::runtime::Handle,
    records: Sender<Weighed>,
    events: mpsc::Sender<Event>,
}

impl Interpreting {
    /// Starts a thread a core for small pages, and one for large pages.
    fn start(&self, small: &Receiver<Answer>, large: &Receiver<Answer>) -> Result<(), RunError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        for number in 0..threads {
            self.start_thread(format!("parse-{number}"), small, Lane::Small)?;
        }
        self.start_thread("parse-large".into(), large, Lane::Large)
    }

    fn start_thread(&self, name: String, answers: &Receiver<Answer>, lane: Lane) -> Result<(), RunError> {
        let (mut this, answers) = (self.clone(), answers.clone());
        if lane == Lane::Large {
            // Nobody hands anything to the large lane but the small one, with whose last thread it ends.
            this.large = bounded(0).0;
        }
        thread::Builder::new()
            .name(name)
            .stack_size(PARSE_STACK)
            .spawn(move || this.interpret_all(&answers, lane))
            .map(drop)
            .map_err(|source| RunError::io("start", "a parse thread", source))
    }

    fn interpret_all(&self, answers: &Receiver<Answer>, lane: Lane) {
        for (task, answer) in answers {
            let spare = task.clone();
            // No input is known to make a parser panic; if one does, it costs that page and not the run.
            let meaning = catch_unwind(AssertUnwindSafe(|| self.interpreter.interpret(task, answer, lane)))
                .unwrap_or_else(|_panic| interpret::panicked(spare));
            let delivered = match meaning {
                Meaning::Record(record) => self.deliver(record),
                Meaning::Event(event) => self.events.blocking_send(event).is_ok(),
                Meaning::Large(task, response) => self.large.send((task, Ok(response))).is_ok(),
            };
            if !delivered {
                return;
            }
        }
    }

    /// Hands on what has been read once there is room for it. What its body held while it arrived it then holds no more.
    fn deliver(&self, mut record: Record) -> bool {
        let claim = self.runtime.block_on(self.read.claim(record.held_bytes()));
        if let Record::Page(page) = &mut record {
            page.response.claim = Claim::default();
        }
        self.records.send((record, claim)).is_ok()
    }
}
