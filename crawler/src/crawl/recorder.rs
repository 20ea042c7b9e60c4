//! The sole owner of the store: decides, one page after the other, whether a page says anything new, and records the outcome of every URL.
//!
//! - `books`: the store, what it must remember until a commit, and the commit; `budget` and `redirects` are parts of it
//! - `local`: the verdicts of a crawl by one process; `departures`: what leaves its index
//! - `decide`: the way of a page; `verdict`: the pages that wait for their verdicts, and what steering learns; `cluster_links`: the links of
//!   pages with one text
//! - `archive`: the archive records of a page; `versions`: those of a page that was visited again; `kept_texts`: what they refer to
//! - `intake`: seeds, and hosts from the store; `recall`: sitemaps, and the errands of earlier runs; `unanswered`: the end of the revisits
//!
//! Because there is one owner, check and insert are one step: of two near-duplicates in process at once, exactly one
//! is kept. The recorder asks a [`Judge`] for each verdict, and does not know which one answers. What others have to know goes through its
//! [`Post`].

mod archive;
mod books;
mod budget;
mod cluster_links;
mod decide;
pub(crate) mod departures;
pub(crate) mod intake;
mod kept_texts;
mod local;
mod recall;
mod redirects;
mod unanswered;
mod verdict;
mod versions;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Select, TryRecvError};
use storage::{Counts, Discovered, HostRecord, Letter, Outcome, QueuedUrl, Store, Verdict};
use tokio::sync::mpsc::Sender;
use web::memory_budget::Claim;

use crate::config::settings::Settings;
use crate::crawl::admission::HostGroup;
use crate::crawl::canonical::Decided;
use crate::crawl::clock::unix_millis;
use crate::crawl::interpret::RobotsReader;
use crate::crawl::messages::{Errand, Event, Record, Refill, UndecidedPage};
use crate::crawl::steering::JudgedPage;
use crate::crawl::watch::{self, Watched};
use crate::error::RunError;
use archive::Archive;
pub(crate) use books::Books;
use intake::{Intake, SeedBatch, SeedInbox};
pub(crate) use local::Local;
use verdict::Verdicts;
use versions::Unchanged;

/// The ruling on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ruling {
    /// The decision.
    Now(Decided),
    /// It can be told after the next commit.
    AfterCommit,
    /// It can be told when the verdict on this own page is certain.
    WaitFor(u64),
}

impl Ruling {
    /// The verdict on a page that takes no other's place.
    pub fn now(verdict: Verdict) -> Self {
        let replaced = None;
        Self::Now(Decided { verdict, replaced })
    }
}

/// Decides whether pages say anything new, with an index of the kept pages.
pub(crate) trait Judge: Post {
    /// The ruling on a page. If it is kept, it is page number `id` of the store, and in the index from now on.
    ///
    /// # Errors
    /// The index or the store cannot be read or written.
    fn decide(&mut self, books: &Books, id: u64, page: &UndecidedPage) -> Result<Ruling, RunError>;

    /// Whether the index on the disk lacks something.
    fn is_behind(&self, store: &Store) -> bool;

    /// These pages are not kept any more, and the store has that on the disk.
    ///
    /// # Errors
    /// The index cannot be written.
    fn departed(&mut self, pages: &[u64]) -> Result<(), RunError>;

    /// Writes the index to the disk. The store has all rows up to page number `durable` there.
    ///
    /// # Errors
    /// The index cannot be written.
    fn persist(&mut self, durable: u64) -> Result<(), RunError>;

    /// Leaves the index as the next run likes to find it.
    ///
    /// # Errors
    /// The index cannot be written.
    fn settle(&mut self) -> Result<(), RunError>;

    /// The index.
    #[cfg(test)]
    fn dedup(&self) -> &dedup::Deduplicator<dedup::SledIndex>;
}

/// Found URLs, by who stores them.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    /// Those for the store of this process.
    pub own: Cow<'a, [Discovered]>,
    /// What others are to know about the rest.
    pub letters: Vec<Letter>,
}

/// What came from others, for the recorder to go on with.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Own pages whose verdicts are certain now, or that are withdrawn. Others may wait for these verdicts.
    pub ended: BTreeSet<u64>,
    /// For the frontier.
    pub events: Vec<Event>,
}

/// What others have to know, and what they say. The letters are durable together with what they tell of.
///
/// The methods do nothing for a process that crawls alone.
pub(crate) trait Post: fmt::Debug + Send {
    /// Divides found URLs into those for the store of this process and those for others.
    ///
    /// # Errors
    /// A letter cannot be written.
    fn divide<'a>(&mut self, found: Cow<'a, [Discovered]>, _are_seeds: bool) -> Result<Share<'a>, RunError> {
        let (own, letters) = (found, Vec::new());
        Ok(Share { own, letters })
    }

    /// The letters about the outcome of a URL. If it is a page, it will have the number `page`.
    ///
    /// # Errors
    /// A letter cannot be written.
    fn of_outcome(&self, _queued: &QueuedUrl, _outcome: &Outcome, _page: u64) -> Result<Vec<Letter>, RunError> {
        Ok(Vec::new())
    }

    /// The letters about URLs that are new in the store.
    fn of_queued(&self, _urls: &[&QueuedUrl]) -> Vec<Letter> {
        Vec::new()
    }

    /// The letters about the treatment of hosts.
    ///
    /// # Errors
    /// A letter cannot be written.
    fn of_hosts(&self, _states: &[(String, HostRecord)]) -> Result<Vec<Letter>, RunError> {
        Ok(Vec::new())
    }

    /// Whether committed letters can go out.
    fn has_letters_to_give(&self, _store: &Store) -> bool {
        false
    }

    /// Lets the committed letters go out.
    ///
    /// # Errors
    /// The store cannot be read.
    fn give(&mut self, _store: &Store) -> Result<(), RunError> {
        Ok(())
    }

    /// Something was recorded. The frontier does not know it yet.
    fn note(&mut self, _store: &Store) {}

    /// The frontier has left a group of hosts, and what it did there is committed.
    fn frees(&mut self, _group: HostGroup, _store: &Store) {}

    /// Listens to others. Returns the place of their channel.
    fn listen<'a>(&'a self, _select: &mut Select<'a>) -> Option<usize> {
        None
    }

    /// Takes in the next message of others, if there is one.
    ///
    /// # Errors
    /// The store or the index failed.
    fn hear(&mut self, _books: &mut Books) -> Result<News, RunError> {
        Ok(News::default())
    }

    /// Waits for the next message after the end of the run, which was at `ended_at`. `None` when everything has arrived, or the time is up.
    ///
    /// # Errors
    /// As [`hear`](Self::hear).
    fn hear_last(&mut self, _books: &mut Books, _ended_at: Instant) -> Result<Option<News>, RunError> {
        Ok(None)
    }

    /// The recorder has ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn ends(&mut self, _books: &mut Books) -> Result<(), RunError> {
        Ok(())
    }
}

/// The owner of the store.
#[derive(Debug)]
pub struct Recorder {
    books: Books,
    judge: Box<dyn Judge>,
    archive: Archive,
    verdicts: Verdicts,
    intake: Intake,
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
            intake: Intake::default(),
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
        records: &Receiver<(Record, Claim)>,
        events: &Sender<Event>,
        robots: &RobotsReader,
        thread: &Watched,
    ) -> Result<Counts, RunError> {
        let recorded = self.record_all(records, events, robots, thread);
        recorded.map_err(|error| match error {
            RunError::Storage(error) => self.books.store().explained(error).into(),
            error => error,
        })
    }

    fn record_all(
        &mut self,
        records: &Receiver<(Record, Claim)>,
        events: &Sender<Event>,
        robots: &RobotsReader,
        thread: &Watched,
    ) -> Result<Counts, RunError> {
        loop {
            let input = self.next_input(records);
            let _unit = thread.begin();
            // The frontier takes events until it has ended. After that nobody needs the events, but the last record is still to come: it
            // marks a regular end of the run.
            match input {
                Input::Record(record, claim) => {
                    let is_last = matches!(record, Record::Hosts { is_last: true, .. });
                    if let Some(event) = self.record(record, claim, robots)? {
                        tell(events, event);
                    }
                    // A parse thread that still reads an abandoned page has a sender, so the end of the channel may
                    // never come.
                    if is_last {
                        break;
                    }
                }
                Input::Seeds(batch) => {
                    let event = self.intake.store(&mut self.books, &mut *self.judge, batch)?;
                    self.note();
                    tell(events, event);
                }
                Input::News => {
                    let news = self.judge.hear(&mut self.books)?;
                    for event in self.on_news(news)? {
                        tell(events, event);
                    }
                }
                Input::Pause => self.commit()?,
                Input::End => break,
            }
            if self.books.is_overdue() {
                self.commit()?;
            }
        }
        let _unit = thread.begin();
        self.commit()?;
        self.end_post()?;
        self.judge.settle()?;
        self.write_index();
        Ok(self.books.store().counts())
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
        self.books.commit(&mut *self.judge)
    }

    /// Something was recorded: the figures show it, and others learn of it before the frontier.
    fn note(&mut self) {
        self.books.show();
        self.judge.note(self.books.store());
    }

    /// Records one message, which occupies `memory`. Returns the event for the frontier, if the message has a ticket and need not wait.
    fn record(&mut self, record: Record, memory: Claim, reader: &RobotsReader) -> Result<Option<Event>, RunError> {
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
            } => recall::sitemap(&mut self.books, &mut *self.judge, (&url, fetched_at), urls, further)?,
            Record::Robots { errand, answer, stored } => {
                if let Errand::Robots { for_host, origin, .. } = &errand {
                    let store = self.books.store_mut();
                    store.record_robots(for_host, origin, stored.as_ref())?;
                }
                Event::Robots { errand, answer }
            }
            Record::Recall(errand) => recall::recall(self.books.store(), errand, reader)?,
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
            Record::StaysInterrupted => {
                self.stays_interrupted = true;
                return Ok(None);
            }
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
    fn next_input(&self, records: &Receiver<(Record, Claim)>) -> Input {
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
            select.recv(records);
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

/// Sends an event to the frontier, if it has not ended.
fn tell(events: &Sender<Event>, event: Event) {
    if events.blocking_send(event).is_err() {
        tracing::debug!("an event came after the end of the frontier");
    }
}

#[cfg(test)]
mod rate;
#[cfg(test)]
mod tests;
