//! Takes the orders of a run: reads the journal, has the recorder apply what is new, and writes the answers.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, TryRecvError, bounded};
use tokio::sync::oneshot;
use url::Url;
use web::memory_budget::Claim;

use super::answer::{Answer, Effect, Refused};
use super::entry::Ordered;
use super::in_force::InForce;
use super::journal::{Entries, Journal, NAME, Reader, micros};
use super::order::Order;
use super::steer::Steer;
use super::target::Target;
use crate::delays;
use crate::messages::{Event, Record, Taken, TakenOrder, Wanted};
use crate::record_channel::RecordSender;
use crate::recorder::intake::{NewSeeds, new_seeds};
use crate::scope::Scope;
use crate::seeds::Seeds;
use crate::stats::Stats;
use config::settings::Settings;
use error::RunError;
use terminal::commands::command;
use terminal::units::utc;

/// Time between two looks at the journal. A look reads the length of a file.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Upper bound on the wait for the last answers at the end of a run. A journal that another process has locked takes five seconds.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// Time between two looks whether the thread has ended.
const POLL: Duration = Duration::from_millis(2);

/// The answer to an order that was taken by a run which could not say what it did.
const TAKEN_BEFORE: &str = "taken by an earlier run, which was ended before it could say what the order did";

/// The answer to orders of hosts in a crawl by several processes.
const OF_HOSTS_AMONG_SEVERAL: &str =
    "not done: a host belongs to no process of this crawl for long, so an order to one would not hold";

/// The answer to an old stop.
const NO_LONGER: &str = "not done: the run to which it was given has ended";

/// The orders to a run, before it begins.
#[derive(Debug)]
pub(crate) struct Orders {
    reader: Reader,
    journal: Journal,
    settings: Settings,
    scope: Arc<Scope>,
    stats: Arc<Stats>,
    in_force: InForce,
    /// Not yet taken.
    waiting: Vec<Ordered>,
    /// Taken before the run began, and not yet answered: with their effects, and the URLs that they could not add.
    first: Vec<((Ordered, Effect), Vec<Refused>)>,
    /// Taken by an earlier run that did not answer.
    unanswered: Vec<u64>,
    /// The number of the last order that was taken, or is waiting.
    last: u64,
    /// Whether the frontier does not know yet what stands.
    is_untold: bool,
    /// The sitemaps that earlier runs have added. No run keeps them in the store, so each reads them, as with those of a seeds file.
    sitemaps: Vec<Url>,
    /// When the run began, as the number of an order.
    began: u64,
}

/// The thread that takes orders. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Taker {
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    has_stopped: Arc<AtomicBool>,
}

impl Orders {
    /// The orders in the data folder, which this process holds. Those up to `taken` have had their effects. The hosts of added URLs enter the scope.
    ///
    /// # Errors
    /// The journal cannot be read, or others may write to it.
    pub fn open(
        dir: &Path,
        taken: Option<u64>,
        (settings, scope, stats): (&Settings, &Arc<Scope>, &Arc<Stats>),
        began: SystemTime,
    ) -> Result<Self, RunError> {
        let journal = Journal::in_folder(dir);
        let mut reader = Reader::of(journal.clone());
        let entries = reader.read_on().map_err(|source| unreadable(&journal, source))?;
        warn_of_damage(&entries);
        let answered: HashSet<u64> = entries.answered().collect();
        let is_taken = |ordered: &&Ordered| taken.is_some_and(|taken| ordered.id <= taken);
        let unanswered = entries.orders().filter(is_taken).map(|ordered| ordered.id);
        let numbers = entries.orders().map(|ordered| ordered.id);
        let mut orders = Self {
            in_force: InForce::of(entries.orders()),
            last: numbers.chain(taken).max().unwrap_or_default(),
            is_untold: false,
            sitemaps: Vec::new(),
            unanswered: unanswered.filter(|id| !answered.contains(id)).collect(),
            waiting: entries.orders().filter(|ordered| !is_taken(ordered)).cloned().collect(),
            settings: settings.clone(),
            scope: scope.clone(),
            stats: stats.clone(),
            first: Vec::new(),
            began: micros(began),
            reader,
            journal,
        };
        for ordered in entries.orders().filter(is_taken) {
            orders.add_again(ordered, entries.answer_to(ordered.id));
        }
        orders.show_pause();
        Ok(orders)
    }

    /// Treats what an earlier run has added as seeds: a run without the seeds of the earlier ones follows the links of added pages, too.
    fn add_again(&mut self, ordered: &Ordered, answer: Option<&Answer>) {
        let Order::Add { urls } = &ordered.order else {
            return;
        };
        if !self.settings.is_alone() || answer.is_some_and(|answer| !answer.done) {
            return;
        }
        let refused = answer.iter().flat_map(|answer| &answer.refused);
        let refused: HashSet<&str> = refused.map(|refused| refused.url.as_str()).collect();
        let (mut seeds, _) = Seeds::in_texts(urls, &self.settings);
        seeds.retain(|seed| !refused.contains(seed.url.as_str()));
        self.sitemaps.extend(new_seeds(seeds, &self.scope).sitemaps);
    }

    /// The sitemaps that earlier runs have added.
    pub fn sitemaps(&mut self) -> Vec<Url> {
        std::mem::take(&mut self.sitemaps)
    }

    /// What stands.
    pub fn steer(&self) -> Steer {
        if !self.settings.is_alone() {
            let mut of_worker = self.in_force.clone();
            of_worker.dropped.clear();
            of_worker.delays.clear();
            return Steer::of(&of_worker);
        }
        Steer::of(&self.in_force)
    }

    /// Starts to take orders, those first that came before the run. Returns the receiver of a stop, which fails if none is ordered.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(self, records: RecordSender) -> Result<(Taker, oneshot::Receiver<()>), RunError> {
        let (running, ended) = bounded(0);
        let (stop_in, stop) = oneshot::channel();
        let has_stopped = Arc::new(AtomicBool::default());
        let mut taking = Taking {
            orders: self,
            records,
            ended,
            stop: Some(stop_in),
            has_stopped: has_stopped.clone(),
            has_complained: false,
        };
        let thread = thread::Builder::new()
            .name("orders".to_owned())
            .spawn(move || taking.run())
            .map_err(|source| RunError::io("start", "the thread that takes orders", source))?;
        let taker = Taker {
            running: Some(running),
            thread: Some(thread),
            has_stopped,
        };
        Ok((taker, stop))
    }

    /// Has `apply` take the orders that came before the run, before the frontier is filled: it must not find that nothing is left to do.
    /// Returns the event for the frontier, which takes the URLs from the store.
    ///
    /// # Errors
    /// Those of `apply`.
    pub fn take_first(
        &mut self,
        apply: impl FnOnce(Taken) -> Result<Event, RunError>,
    ) -> Result<Option<Event>, RunError> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(None);
        }
        let (taken, refused, _done) = self.taken(&waiting);
        let Event::Ordered(mut orders) = apply(taken)? else {
            return Ok(None);
        };
        let effects = orders.done.take().map(|done| done.effects).unwrap_or_default();
        self.first = waiting.into_iter().zip(effects).zip(refused).collect();
        // Their hosts are hosts of seeds.
        orders.known.extend(orders.queued.drain(..).map(|queued| queued.host));
        orders.restored.clear();
        Ok(Some(Event::Ordered(orders)))
    }

    /// What the recorder is to do, the refused URLs of each order, and the receiver of the effects.
    fn taken(&self, waiting: &[Ordered]) -> (Taken, Vec<Vec<Refused>>, Receiver<Vec<Effect>>) {
        let mut refused = Vec::with_capacity(waiting.len());
        let mut orders = Vec::with_capacity(waiting.len());
        let steer = self.steer();
        for ordered in waiting {
            let (wanted, no) = self.wanted(&ordered.order, &steer);
            orders.push(TakenOrder { id: ordered.id, wanted });
            refused.push(no);
        }
        let (done_in, done) = bounded(1);
        let taken = Taken {
            orders,
            steer,
            scope: self.scope.clone(),
            done: done_in,
        };
        (taken, refused, done)
    }

    /// What an order wants of the store, and the URLs that the crawl does not take.
    fn wanted(&self, order: &Order, steer: &Steer) -> (Wanted, Vec<Refused>) {
        if !self.settings.is_alone() && order.is_of_hosts() {
            return (Wanted::Nothing, Vec::new());
        }
        match order {
            Order::Pause | Order::Resume | Order::Stop | Order::Delay { .. } => (Wanted::Nothing, Vec::new()),
            Order::Add { urls } => {
                let (NewSeeds { pages, sitemaps }, refused) = self.seeds(urls, steer);
                (Wanted::Seeds { pages, sitemaps }, refused)
            }
            Order::Drop { what } => (Wanted::Count(targets(what).collect()), Vec::new()),
            Order::Restore { what } => {
                // A later order may have dropped it again.
                let free = targets(what).filter(|target| !self.in_force.is_dropped(target.as_str()));
                let reasons = free.map(|target| target.reason()).collect();
                (Wanted::Restore(reasons), Vec::new())
            }
        }
    }

    /// The seeds among the texts that rules and drops let pass.
    fn seeds(&self, texts: &[String], steer: &Steer) -> (NewSeeds, Vec<Refused>) {
        let (seeds, bad) = Seeds::in_texts(texts, &self.settings);
        let bad = bad.into_iter().map(|bad| Refused {
            url: bad.text,
            reason: bad.reason,
        });
        let mut refused: Vec<Refused> = bad.collect();
        let (mut taken, mut urls) = (Vec::new(), HashSet::new());
        for seed in seeds {
            let url = seed.url.url();
            if let Some(reason) = steer.drops.refusal(url) {
                let url = url.to_string();
                refused.push(Refused { url, reason });
            } else if urls.insert(url.to_string()) {
                taken.push(seed);
            }
        }
        (new_seeds(taken, &self.scope), refused)
    }

    /// Takes in what the journal has more than before. Another journal says by itself what stands, but none of its orders is taken twice.
    fn take_in(&mut self, entries: &Entries) {
        let was_paused = self.in_force.paused.is_some();
        if entries.is_another {
            tracing::warn!("{NAME} was removed or replaced: from now on, only what it says now stands");
            self.in_force = InForce::default();
            self.is_untold = true;
        }
        for ordered in entries.orders() {
            self.in_force.apply(ordered);
            self.is_untold = true;
            if ordered.id > self.last {
                self.last = ordered.id;
                self.waiting.push(ordered.clone());
            }
        }
        if self.in_force.paused.is_some() != was_paused {
            self.show_pause();
        }
    }

    fn show_pause(&self) {
        let since = self.in_force.paused;
        self.stats.set_paused(since.is_some());
        if let Some(since) = since {
            tracing::warn!(
                "the crawl is paused since {}, and starts no request until `{}`",
                utc(since / 1_000),
                command("control", &["resume"])
            );
        }
    }
}

impl Taker {
    /// Ends the thread. Returns whether the user ordered a stop.
    pub fn end(mut self) -> bool {
        self.join();
        self.has_stopped.load(Ordering::Relaxed)
    }

    fn join(&mut self) {
        drop(self.running.take());
        let Some(thread) = self.thread.take() else {
            return;
        };
        let began = Instant::now();
        while !thread.is_finished() && began.elapsed() < ENDS_WITHIN {
            thread::sleep(POLL);
        }
        if !thread.is_finished() {
            tracing::warn!("the journal of orders does not respond; the run ends without the last answers");
        } else if thread.join().is_err() {
            tracing::debug!("the thread that takes orders panicked");
        }
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        self.join();
    }
}

/// The work of the thread.
struct Taking {
    orders: Orders,
    records: RecordSender,
    ended: Receiver<()>,
    stop: Option<oneshot::Sender<()>>,
    has_stopped: Arc<AtomicBool>,
    /// Whether a fault of the journal was told.
    has_complained: bool,
}

impl Taking {
    fn run(&mut self) {
        for id in std::mem::take(&mut self.orders.unanswered) {
            let answer = Answer {
                done: true,
                ..Answer::refusal(TAKEN_BEFORE)
            };
            self.answer(id, answer);
        }
        for ((ordered, effect), refused) in std::mem::take(&mut self.orders.first) {
            let is_of_earlier_run = ordered.order == Order::Stop && ordered.id < self.orders.began;
            if is_of_earlier_run {
                self.answer(ordered.id, Answer::refusal(NO_LONGER));
            } else {
                self.end(&ordered, effect, refused);
            }
        }
        loop {
            if !self.take_waiting() {
                return;
            }
            match self.ended.recv_timeout(LOOK_EVERY) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
            }
            self.look();
        }
    }

    /// Reads what came since the last look.
    fn look(&mut self) {
        let entries = match self.orders.reader.read_on() {
            Ok(entries) => entries,
            Err(source) => {
                if !std::mem::replace(&mut self.has_complained, true) {
                    tracing::warn!("{}", unreadable(&self.orders.journal, source));
                }
                return;
            }
        };
        warn_of_damage(&entries);
        self.orders.take_in(&entries);
    }

    /// Has the waiting orders applied, and answers them. `false` if the run has ended.
    fn take_waiting(&mut self) -> bool {
        let waiting = std::mem::take(&mut self.orders.waiting);
        // What the frontier has excluded until it knows of a restore must reach the recorder before it looks for exclusions.
        let restores = waiting
            .iter()
            .any(|ordered| matches!(ordered.order, Order::Restore { .. }));
        let is_untold = std::mem::take(&mut self.orders.is_untold);
        if (restores || is_untold && waiting.is_empty()) && self.apply(&[]).is_none() {
            return false;
        }
        if waiting.is_empty() {
            return true;
        }
        let Some((effects, refused)) = self.apply(&waiting) else {
            return false;
        };
        for ((ordered, effect), refused) in waiting.into_iter().zip(effects).zip(refused) {
            self.end(&ordered, effect, refused);
        }
        true
    }

    /// Has the recorder apply orders, and the frontier take what stands. Returns their effects and the refused URLs; `None` if the run has ended.
    fn apply(&mut self, waiting: &[Ordered]) -> Option<(Vec<Effect>, Vec<Vec<Refused>>)> {
        let (taken, refused, done) = self.orders.taken(waiting);
        let mut record = (Record::Orders(Box::new(taken)), Claim::default());
        loop {
            match self.records.send_timeout(record, LOOK_EVERY) {
                Ok(()) => break,
                Err(SendTimeoutError::Disconnected(_)) => return None,
                Err(SendTimeoutError::Timeout(_)) if self.has_ended() => return None,
                Err(SendTimeoutError::Timeout(unsent)) => record = unsent,
            }
        }
        Some((self.await_effects(&done)?, refused))
    }

    fn has_ended(&self) -> bool {
        matches!(self.ended.try_recv(), Err(TryRecvError::Disconnected))
    }

    /// The effects of orders; `None` if the run ends before the recorder comes to them. They then wait for the next run.
    fn await_effects(&self, done: &Receiver<Vec<Effect>>) -> Option<Vec<Effect>> {
        loop {
            match done.recv_timeout(LOOK_EVERY) {
                Ok(effects) => return Some(effects),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if self.has_ended() {
                        // The recorder may have applied them in its last moment.
                        return done.try_recv().ok();
                    }
                }
            }
        }
    }

    /// Logs and answers an order that has had this effect.
    fn end(&mut self, ordered: &Ordered, effect: Effect, refused: Vec<Refused>) {
        let answer = self.conclude(&ordered.order, effect, refused);
        tracing::info!(
            order = ordered.order.word(),
            at = ordered.at,
            answer = answer.text,
            "order taken"
        );
        self.answer(ordered.id, answer);
    }

    /// The answer to an order that has had this effect.
    fn conclude(&mut self, order: &Order, effect: Effect, refused: Vec<Refused>) -> Answer {
        if !self.orders.settings.is_alone() && order.is_of_hosts() {
            return Answer::refusal(OF_HOSTS_AMONG_SEVERAL);
        }
        if *order == Order::Stop {
            self.has_stopped.store(true, Ordering::Relaxed);
            if let Some(stop) = self.stop.take()
                && stop.send(()).is_err()
            {
                tracing::debug!("the run has ended before it was stopped");
            }
        }
        let now = match order {
            Order::Delay { host, .. } => delays::now(&self.orders.stats.snapshot().standing, host),
            _ => None,
        };
        Answer::of(order, effect, refused).with_delays(now)
    }

    fn answer(&mut self, id: u64, answer: Answer) {
        if let Err(source) = self.orders.journal.answer(id, answer)
            && !std::mem::replace(&mut self.has_complained, true)
        {
            tracing::warn!(
                "an order was taken, but not answered: {}",
                unreadable(&self.orders.journal, source)
            );
        }
    }
}

fn targets(what: &[String]) -> impl Iterator<Item = Target> + '_ {
    what.iter().filter_map(|what| Target::parse(what).ok())
}

fn unreadable(journal: &Journal, source: io::Error) -> RunError {
    RunError::io("use", journal.path().display().to_string(), source)
}

fn warn_of_damage(entries: &Entries) {
    if entries.damaged > 0 {
        tracing::warn!(
            "{NAME}: lines that are no orders, so that they have no effect: {}",
            entries.damaged
        );
    }
}

#[cfg(test)]
mod tests;
