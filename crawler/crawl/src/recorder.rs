//! The sole owner of the store: decides, one page after the other, whether a page says anything new, and records the outcome of every URL.
//!
//! - `books`: the store, what it must remember until a commit, and the commit; `budget` and `redirects` are parts of it
//! - `books::judge`: who decides; `books::post`: who else must know
//! - `local`: the verdicts of a crawl by one process; `departures`: what leaves its index
//! - `decide`: the way of a page; `repeats`: walls that no rule knows; `blocked`: their outcomes; `verdict`: the pages that wait for their verdicts, and what steering learns; `cluster_links`: the links of
//!   pages with one text
//! - `orders`: what the user orders of the store
//! - `archive`: the archive records of a page; `versions`: those of a page that was visited again; `kept_texts`: what they refer to
//! - `intake`: seeds, and hosts from the store; `sitemaps`: the URLs of sitemaps; `unanswered`: the end of the revisits
//!
//! Because there is one owner, check and insert are one step: of two near-duplicates in process at once, exactly one
//! is kept. The recorder asks a [`Judge`] for each verdict, and does not know which one answers. What others have to know goes through its
//! [`Post`].

mod archive;
mod blocked;
mod books;
mod budget;
mod cluster_links;
mod decide;
pub(crate) mod departures;
pub(crate) mod intake;
mod kept_texts;
mod local;
mod orders;
mod redirects;
mod repeats;
mod sitemaps;
mod unanswered;
mod verdict;
mod versions;

use std::time::Instant;

use crossbeam_channel::{RecvTimeoutError, Select, TryRecvError};
use storage::{Counts, Discovered, Outcome, QueuedUrl, Store};
use tokio::sync::mpsc::Sender;
use web::memory_budget::Claim;

use crate::clock::unix_millis;
use crate::messages::{Errand, Event, Record, Refill};
use crate::record_channel::RecordReceiver;
use crate::steering::{JudgedPage, Keeper};
use crate::watch::{self, Watched};
use archive::Archive;
use blocked::Blocked;
pub(crate) use books::{Books, Judge, News, Post, Ruling, Share};
use config::settings::Settings;
use error::RunError;
use intake::{Intake, SeedBatch, SeedInbox};
pub(crate) use local::Local;
use verdict::Verdicts;
use versions::Unchanged;

/// The owner of the store.
#[derive(Debug)]
pub struct Recorder {
    books: Books,
    judge: Box<dyn Judge>,
    archive: Archive,
    verdicts: Verdicts,
    blocked: Blocked,
    intake: Intake,
    /// Brings what steering learned to the disk.
    checkpoints: Keeper,
    /// Whether the next run must assume that every host had a request a moment ago.
    stays_interrupted: bool,
}

/// The next input of the recorder.
#[allow(
    clippy::large_enum_variant,
    reason = "one at a time is alive, for one turn of a loop"
)]
enum Input {
    Record(Record, Claim),
    /// Seeds that the frontier asked for; `None` at their end.
    Seeds(Option<SeedBatch>),
    /// Others have sent a message.
    News,
    /// No record waits, so there is time for a commit.
    Pause,
    /// No sender is left.
    End,
}

/// Number of a sitemap's URLs, or of revisits, that are recorded at a time, so that the store can make room in
/// between.
pub(crate) const SLICE: usize = 1_000;

impl Recorder {
    /// A recorder of what the `judge` decides.
    #[must_use]
    pub(crate) fn new(books: Books, judge: Box<dyn Judge>, settings: &Settings) -> Self {
        Self {
            books,
            judge,
            archive: Archive::new(settings),
            verdicts: Verdicts::default(),
            blocked: Blocked::new(settings),
            intake: Intake::default(),
            checkpoints: Keeper::new(settings.steering.clone()),
            stays_interrupted: false,
        }
    }

    /// The store, for the preparation of the crawl.
    pub fn store_mut(&mut self) -> &mut Store {
        self.books.store_mut()
    }

    /// Follows what an earlier run left to do: see [`Books::follow_lowered`].
    ///
    /// # Errors
    /// The store failed.
    pub fn follow_lowered(&mut self) -> Result<(), RunError> {
        self.books.follow_lowered(&mut *self.judge).map(drop)
    }

    /// Takes the seeds that the frontier will ask for.
    pub fn takes_seeds(&mut self, seeds: SeedInbox) {
        self.intake.takes(seeds);
    }

    /// Records messages until the last one of the run, then commits and returns the counts of the whole crawl.
    ///
    /// # Errors
    /// The store or the index failed. Everything committed before is safe.
    pub fn run(
        &mut self,
        records: &RecordReceiver,
        events: &Sender<Event>,
        thread: &Watched,
    ) -> Result<Counts, RunError> {
        let recorded = self.record_all(records, events, thread);
        recorded.map_err(|error| match error {
            RunError::Storage(error) => self.books.store().explained(error).into(),
            error => error,
        })
    }

    fn record_all(
        &mut self,
        records: &RecordReceiver,
        events: &Sender<Event>,
        thread: &Watched,
    ) -> Result<Counts, RunError> {
        let mut events = Outgoing::new(events);
        loop {
            if records.is_empty() {
                events.send();
            }
            let input = self.next_input(records);
            let _unit = thread.begin();
            // The frontier takes events until it has ended. After that nobody needs the events, but the last record is still to come: it
            // marks a regular end of the run.
            match input {
                Input::Record(record, claim) => {
                    if record.commits() {
                        events.send();
                    }
                    let is_last = matches!(record, Record::Hosts { is_last: true, .. });
                    let event = self.record(record, claim)?;
                    self.tell_all(&mut events, event);
                    // A parse thread that still reads an abandoned page has a sender, so the end of the channel may
                    // never come.
                    if is_last {
                        break;
                    }
                }
                Input::Seeds(batch) => {
                    let event = self.intake.store(&mut self.books, &mut *self.judge, batch)?;
                    self.note();
                    events.push(event);
                }
                Input::News => {
                    // It may be a whole segment.
                    events.send();
                    let news = self.judge.hear(&mut self.books)?;
                    let news = self.on_news(news)?;
                    self.tell_all(&mut events, news);
                }
                Input::Pause => self.commit_beside()?,
                Input::End => break,
            }
            if self.books.is_overdue() {
                // The commit may have to wait for the last one.
                events.send();
                self.commit_beside()?;
            }
        }
        let _unit = thread.begin();
        events.send();
        self.commit()?;
        self.end_post()?;
        self.judge.settle()?;
        self.write_index();
        self.checkpoints.end();
        Ok(self.books.store().counts())
    }

    /// Tells the frontier events: a host rests before its URL is queued again.
    fn tell_all(&mut self, events: &mut Outgoing<'_>, all: impl IntoIterator<Item = Event>) {
        let rests = self.blocked.take_rests();
        rests.chain(all).for_each(|event| events.push(event));
    }

    /// Others have sent news. Returns the events for the frontier.
    fn on_news(&mut self, news: News) -> Result<Vec<Event>, RunError> {
        let mut events = self.decide_waiting(news.ended)?;
        self.note();
        events.extend(news.events);
        Ok(events)
    }

    /// Lets the last letters go out, and hears what others say of them.
    fn end_post(&mut self) -> Result<(), RunError> {
        let ended_at = Instant::now();
        self.judge.give(self.books.store())?;
        while let Some(news) = self.judge.hear_last(&mut self.books, ended_at)? {
            // The frontier has ended, and the pages have their outcomes without it.
            let _events = self.on_news(news)?;
            self.commit()?;
        }
        self.judge.ends(&mut self.books)
    }

    /// Writes the index of the archive. Its data are derived: a failure loses nothing, and the next run writes it
    /// again.
    fn write_index(&mut self) {
        let start = Instant::now();
        match storage::cdxj::write_index_with(self.books.store_mut(), &mut watch::beat) {
            Ok(path) => {
                tracing::debug!(path = %path.display(), elapsed_ms = start.elapsed().as_millis(), "index of the archive written");
            }
            Err(error) => {
                tracing::warn!("the index of the archive was not written: {error}; the next run writes it again")
            }
        }
    }

    fn commit(&mut self) -> Result<(), RunError> {
        self.books.commit(&mut *self.judge)?;
        self.checkpoints.committed(self.books.store())
    }

    /// Commits beside the next messages. A checkpoint waits for a commit of everything recorded before it.
    fn commit_beside(&mut self) -> Result<(), RunError> {
        if self.checkpoints.is_waiting() {
            return self.commit();
        }
        self.books.commit_beside(&mut *self.judge)
    }

    /// Something was recorded: the figures show it, and others learn of it before the frontier.
    fn note(&mut self) {
        self.books.show();
        self.judge.note(self.books.store());
    }

    /// Records one message, which occupies `memory`. Returns the event for the frontier, if the message has a ticket and need not wait.
    fn record(&mut self, record: Record, memory: Claim) -> Result<Option<Event>, RunError> {
        let event = match record {
            Record::Page(read) => match self.page_or_hold(*read, memory)? {
                Some(event) => event,
                None => return Ok(None),
            },
            Record::Outcome {
                queued,
                outcome,
                outlinks,
            } => self.finish(&queued, outcome, &outlinks, None)?,
            Record::Redirect {
                queued,
                to,
                status,
                outlinks,
                cookies,
            } => self.redirect(&queued, (to, status), &outlinks, cookies)?,
            Record::NotModified { queued, response } => {
                let visit = Unchanged {
                    response: &response,
                    fetched_at: unix_millis(response.fetched_at),
                    asked: None,
                    payload: None,
                };
                self.not_modified(&queued, &visit)?
            }
            Record::EndVisits => {
                self.commit()?;
                unanswered::end_visits(self.books.store_mut())?;
                self.books.show();
                return Ok(None);
            }
            Record::Sitemap {
                url,
                urls,
                further,
                fetched_at,
            } => sitemaps::sitemap(&mut self.books, &mut *self.judge, (&url, fetched_at), urls, further)?,
            Record::Robots { errand, answer, stored } => {
                if let Errand::Robots { for_host, origin, .. } = &errand {
                    let store = self.books.store_mut();
                    store.record_robots(for_host, origin, stored.as_ref())?;
                }
                Event::Robots { errand, answer }
            }
            Record::Freed(group) => {
                self.commit()?;
                self.judge.frees(group, self.books.store());
                return Ok(None);
            }
            Record::Hosts { states, is_last } => {
                let letters = self.judge.of_hosts(&states)?;
                let store = self.books.store_mut();
                store.record_hosts(&states)?;
                if !letters.is_empty() {
                    store.mail(letters)?;
                }
                if is_last && !self.stays_interrupted {
                    store.end_run()?;
                }
                return Ok(None);
            }
            Record::Checkpoint(checkpoint) => {
                self.checkpoints.take(checkpoint);
                return Ok(None);
            }
            Record::LearnAgain(turn) => {
                self.checkpoints.learn_again(self.books.store(), turn)?;
                return Ok(None);
            }
            Record::StaysInterrupted => {
                self.stays_interrupted = true;
                return Ok(None);
            }
            Record::Orders(taken) => return self.take_orders(*taken).map(Some),
            Record::ReadSeeds => {
                self.intake.ask();
                return Ok(None);
            }
            Record::LoadHosts(wanted) => intake::load(self.books.store_mut(), wanted)?,
            Record::Refill(Refill {
                host,
                limit,
                skip,
                from,
            }) => {
                let urls = self.books.store_mut().refill_behind(&host, from, limit, &skip)?;
                let more = urls.len() == limit;
                Event::Refilled { host, urls, more }
            }
        };
        self.note();
        Ok(Some(event))
    }

    /// Waits for a record, for news from others, for seeds if the frontier asked for them, or for the time of a commit. Seeds may come
    /// slowly, for example from a pipe, so records never wait for them.
    fn next_input(&self, records: &RecordReceiver) -> Input {
        let until_commit = self.books.until_commit(&*self.judge);
        let seeds = self.intake.awaited();
        loop {
            let mut select = Select::new();
            let at_seeds = seeds.map(|seeds| select.recv(seeds));
            let at_news = self.judge.listen(&mut select);
            if at_seeds.is_none() && at_news.is_none() {
                return match records.recv_timeout(until_commit) {
                    Ok((record, claim)) => Input::Record(record, claim),
                    Err(RecvTimeoutError::Timeout) => Input::Pause,
                    Err(RecvTimeoutError::Disconnected) => Input::End,
                };
            }
            records.listen(&mut select);
            let Ok(ready) = select.ready_timeout(until_commit) else {
                return Input::Pause;
            };
            if at_news == Some(ready) {
                return Input::News;
            }
            if let Some(seeds) = seeds.filter(|_| at_seeds == Some(ready)) {
                match seeds.try_recv() {
                    Ok(batch) => return Input::Seeds(Some(batch)),
                    Err(TryRecvError::Disconnected) => return Input::Seeds(None),
                    // A select may say so without cause.
                    Err(TryRecvError::Empty) => continue,
                }
            }
            match records.try_recv() {
                Ok((record, claim)) => return Input::Record(record, claim),
                Err(TryRecvError::Disconnected) => return Input::End,
                Err(TryRecvError::Empty) => {}
            }
        }
    }

    /// Records the outcome of a URL together with its outlinks.
    fn finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
        page: Option<JudgedPage>,
    ) -> Result<Event, RunError> {
        let is_visit = queued.revisits.is_some();
        if matches!(outcome, Outcome::Failed { .. }) && !is_visit {
            self.intake.note_failed(queued);
        }
        let again = self.books.finish(&mut *self.judge, queued, outcome, outlinks)?;
        Ok(Event::Decided {
            host: queued.host.clone(),
            seq: queued.seq,
            page,
            is_visit,
            queued: again,
        })
    }
}

/// Most events that go out together: the first of them must not wait long for the last.
const EVENTS: usize = 16;

/// The events of the records that wait together. The frontier sleeps between two events, and to wake it for each costs a third of the
/// recorder's time.
struct Outgoing<'a> {
    frontier: &'a Sender<Event>,
    waiting: Vec<Event>,
}

impl<'a> Outgoing<'a> {
    fn new(frontier: &'a Sender<Event>) -> Self {
        Self {
            frontier,
            waiting: Vec::with_capacity(EVENTS),
        }
    }

    fn push(&mut self, event: Event) {
        self.waiting.push(event);
        if self.waiting.len() >= EVENTS {
            self.send();
        }
    }

    /// Sends what waits to the frontier, if that has not ended.
    fn send(&mut self) {
        for event in self.waiting.drain(..) {
            if self.frontier.blocking_send(event).is_err() {
                tracing::debug!("an event came after the end of the frontier");
            }
        }
    }
}

#[cfg(test)]
mod rate;
#[cfg(test)]
mod tests;
