//! The sole owner of the dedup index and of the store: decides, one page after the other, whether a page says anything
//! new, and records the outcome of every URL.
//!
//! Because there is one owner, check and insert are one step: of two near-duplicates in process at once, exactly one
//! is kept. A commit first makes the pages durable, and then writes their fingerprints to the trees of the index. So
//! no page can be dropped as a duplicate of itself, or of a page that was lost.

mod archive;
mod budget;
mod by_log;
mod cluster_links;
mod decide;
pub(crate) mod departures;
pub(crate) mod intake;
mod kept_texts;
mod lost_log;
mod lowered;
pub(crate) mod post;
mod recall;
mod redirects;
mod segments;
mod unanswered;
mod versions;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, never, select};
use dedup::{Deduplicator, SledIndex};
use storage::{Counts, Discovered, Fate, Outcome, Placed, QueuedUrl, Store};
use tokio::sync::mpsc::Sender;
use web::memory_budget::Claim;

use crate::config::Duplicates;
use crate::config::settings::Settings;
use crate::crawl::clock::unix_millis;
use crate::crawl::exchange::ArchivedRequests;
use crate::crawl::fleet::messages::FromDesk;
use crate::crawl::index;
use crate::crawl::interpret::RobotsReader;
use crate::crawl::messages::{Errand, Event, Record, Refill};
use crate::crawl::stats::Stats;
use crate::crawl::steering::JudgedPage;
use crate::crawl::watch::{self, Watched};
use crate::error::RunError;
use budget::UrlBudget;
use by_log::ByLog;
use cluster_links::ClusterLinks;
use intake::{SeedBatch, SeedInbox, StoredSeeds};
use kept_texts::KeptTexts;
use post::Post;
use redirects::Redirects;
use versions::Unchanged;

/// The owner of the index and the store.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    /// The kept pages of this folder; in a fleet, those of the log of claims.
    dedup: Deduplicator<SledIndex>,
    /// The decisions by the log of a fleet; `None` without one.
    by_log: Option<ByLog>,
    redirects: Redirects,
    requests: ArchivedRequests,
    kept_texts: KeptTexts,
    /// What the archive holds of duplicates.
    duplicates: Duplicates,
    cluster_links: ClusterLinks,
    prefer_canonical: bool,
    max_depth: u16,
    /// Whether a staged or committed change takes a page out of the index.
    has_departures: bool,
    /// Superseded, gone and moved pages that stay in the index until the next commit.
    departing: HashSet<u64>,
    url_budget: UrlBudget,
    /// The part of this worker in a fleet; `None` without one.
    post: Option<Post>,
    /// Seeds that are still to be read.
    seeds: Option<SeedInbox>,
    /// Whether the frontier waits for seeds.
    owes_seeds: bool,
    /// Whether the next run must assume that every host had a request a moment ago.
    stays_interrupted: bool,
    stats: Arc<Stats>,
    commit_interval: Duration,
    committed_at: Instant,
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
    /// News from the fleet.
    Desk(FromDesk),
    /// No record waits, so there is time for a commit.
    Pause,
    /// No sender is left.
    End,
}

/// Shortest time between two commits: each costs a flush of the disk, in an idle crawl too.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);

/// Number of a sitemap's URLs, or of revisits, that are recorded at a time, so that the store can make room in
/// between.
const SLICE: usize = 1_000;

impl Recorder {
    /// Opens the index in `store` and brings it up to the catalogue.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read.
    pub fn open(mut store: Store, settings: &Settings, stats: Arc<Stats>) -> Result<Self, RunError> {
        let dedup = index::open_up_to_date(&mut store, settings)?;
        stats.decided(&store.counts());
        stats.refreshed(store.refresh());
        store.set_max_depth(settings.limits.max_depth)?;
        Ok(Self {
            max_depth: settings.limits.max_depth,
            url_budget: UrlBudget::new(settings.limits.max_urls_per_host),
            store,
            dedup,
            by_log: None,
            redirects: Redirects::default(),
            requests: ArchivedRequests::new(settings),
            kept_texts: KeptTexts::default(),
            duplicates: settings.storage.duplicates,
            cluster_links: ClusterLinks::default(),
            prefer_canonical: settings.prefer_canonical,
            has_departures: false,
            departing: HashSet::new(),
            post: None,
            seeds: None,
            owes_seeds: false,
            stays_interrupted: false,
            stats,
            commit_interval: settings.storage.commit_interval,
            committed_at: Instant::now(),
        })
    }

    /// The store, for the preparation of the crawl.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Takes the seeds that the frontier will ask for.
    pub fn takes_seeds(&mut self, seeds: SeedInbox) {
        self.seeds = Some(seeds);
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
            RunError::Storage(error) => self.store.explained(error).into(),
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
        if self.by_log.is_none()
            && let Some(worker) = self.store.run_notes().worker()?
        {
            let dir = self.store.dir().to_owned();
            return Err(RunError::WorkerAlone { dir, worker });
        }
        loop {
            let input = self.next_input(records);
            let _unit = thread.begin();
            let event = match input {
                Input::Record(record, claim) => {
                    let is_last = matches!(record, Record::Hosts { is_last: true, .. });
                    let event = self.record(record, claim, robots)?;
                    // A parse thread that still reads an abandoned page has a sender, so the end of the channel may
                    // never come.
                    if is_last {
                        break;
                    }
                    event
                }
                Input::Seeds(batch) => Some(self.take_seeds(batch)?),
                Input::Desk(message) => {
                    for event in self.hear(message)? {
                        tell(events, event);
                    }
                    None
                }
                Input::Pause => {
                    self.commit()?;
                    None
                }
                Input::End => break,
            };
            // The frontier takes events until it has ended. After that nobody needs the events, but the last record is still to come: it
            // marks a regular end of the run.
            if let Some(event) = event {
                tell(events, event);
            }
            if self.committed_at.elapsed() >= self.commit_interval {
                self.commit()?;
            }
        }
        let _unit = thread.begin();
        self.commit()?;
        self.send_last_letters()?;
        self.dedup.index_mut().settle()?;
        self.write_index();
        Ok(self.store.counts())
    }

    /// Writes the index of the archive. Its data are derived: a failure loses nothing, and the next run writes it
    /// again.
    fn write_index(&mut self) {
        let start = Instant::now();
        match storage::cdxj::write_index_with(&mut self.store, &mut watch::beat) {
            Ok(path) => {
                tracing::debug!(path = %path.display(), elapsed_ms = start.elapsed().as_millis(), "index of the archive written");
            }
            Err(error) => {
                tracing::warn!("the index of the archive was not written: {error}; the next run writes it again")
            }
        }
    }

    /// Whether there is something to commit. The store may have committed by itself, without the index.
    fn is_commit_due(&self) -> bool {
        let has_unwritten_index = match &self.by_log {
            None => self.dedup.index().applied() + 1 < self.store.next_page_id(),
            Some(_) => self.has_unwritten_log(),
        };
        self.store.pending() > 0 || self.has_letters_to_give() || self.has_departures || has_unwritten_index
    }

    /// The time to wait for a message before a commit. A pause between messages is used for a commit, if there is
    /// something to commit.
    fn until_commit(&self) -> Duration {
        if !self.is_commit_due() {
            return Duration::from_secs(3_600);
        }
        MIN_COMMIT_INTERVAL
            .min(self.commit_interval)
            .saturating_sub(self.committed_at.elapsed())
    }

    fn commit(&mut self) -> Result<(), RunError> {
        watch::beat();
        let rows = self.store.pending();
        if self.is_commit_due() {
            let start = Instant::now();
            let durable = self.store.commit()?;
            self.redirects.committed();
            self.url_budget.committed();
            let stored_ms = start.elapsed().as_millis();
            let departed = match self.has_departures {
                true => departures::carry_out(&self.store, &self.dedup)?,
                false => Vec::new(),
            };
            self.persist_index(durable)?;
            self.store.forget_departed(&departed)?;
            self.has_departures = false;
            self.departing.clear();
            self.stats.commit(start.elapsed());
            tracing::debug!(rows, stored_ms, elapsed_ms = start.elapsed().as_millis(), "committed");
        }
        // The store may have committed letters by itself.
        self.give_letters()?;
        self.committed_at = Instant::now();
        Ok(())
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
                self.end_visits()?;
                return Ok(None);
            }
            Record::Sitemap {
                url,
                urls,
                further,
                fetched_at,
            } => self.sitemap(&url, &urls, further, fetched_at)?,
            Record::Robots { errand, answer, stored } => {
                if let Errand::Robots { for_host, origin, .. } = &errand {
                    self.store.record_robots(for_host, origin, stored.as_ref())?;
                }
                Event::Robots { errand, answer }
            }
            Record::Recall(errand) => self.recall(errand, reader)?,
            Record::Freed(partition) => {
                self.freed(partition)?;
                return Ok(None);
            }
            Record::Hosts { states, is_last } => {
                self.treated(&states)?;
                if is_last && !self.stays_interrupted {
                    self.store.end_run()?;
                }
                return Ok(None);
            }
            Record::StaysInterrupted => {
                self.stays_interrupted = true;
                return Ok(None);
            }
            Record::ReadSeeds => {
                self.owes_seeds = true;
                return Ok(None);
            }
            Record::LoadHosts(wanted) => intake::load(&mut self.store, wanted)?,
            Record::Refill(Refill {
                host,
                limit,
                skip,
                from,
            }) => {
                let urls = self.store.refill_behind(&host, from, limit, &skip)?;
                let more = urls.len() == limit;
                Event::Refilled { host, urls, more }
            }
        };
        self.update_stats();
        self.note_letters();
        Ok(Some(event))
    }

    /// Waits for a record, for news from a fleet, for seeds if the frontier asked for them, or for the time of a commit. Seeds may come slowly, for example from
    /// a pipe, so records never wait for them.
    fn next_input(&self, records: &Receiver<(Record, Claim)>) -> Input {
        let seeds = self.seeds.as_ref().filter(|_| self.owes_seeds);
        let record = match (seeds, &self.post) {
            (None, None) => records.recv_timeout(self.until_commit()),
            (seeds, post) => {
                let (no_seeds, no_desk) = (never(), never());
                let desk = post.as_ref().map_or(&no_desk, Post::news);
                select! {
                    recv(records) -> record => record.map_err(|_| RecvTimeoutError::Disconnected),
                    recv(seeds.map_or(&no_seeds, SeedInbox::batches)) -> batch => return Input::Seeds(batch.ok()),
                    recv(desk) -> message => match message {
                        Ok(message) => return Input::Desk(message),
                        // The thread of the desk has failed, and has stopped the run.
                        Err(_) => records.recv_timeout(self.until_commit()),
                    },
                    default(self.until_commit()) => Err(RecvTimeoutError::Timeout),
                }
            }
        };
        match record {
            Ok((record, claim)) => Input::Record(record, claim),
            Err(RecvTimeoutError::Timeout) => Input::Pause,
            Err(RecvTimeoutError::Disconnected) => Input::End,
        }
    }

    /// Stores seeds; `None` means that there are no more.
    fn take_seeds(&mut self, batch: Option<SeedBatch>) -> Result<Event, RunError> {
        self.owes_seeds = false;
        let more = batch.is_some();
        let mut stored = StoredSeeds::default();
        if let (Some(batch), Some(seeds)) = (batch, &mut self.seeds) {
            let mut batch = batch?;
            if let Some(post) = &mut self.post {
                let (own, letters) = post.divide(batch.pages, true)?;
                batch.pages = own;
                self.store.mail(letters)?;
            }
            stored = seeds.store(&mut self.store, batch)?;
            self.url_budget.spend(&self.store, &stored.queued)?;
            stored.queued.extend(self.follow_lowered()?);
        } else {
            // The scope has its last host.
            self.seeds = None;
        }
        self.update_stats();
        self.note_letters();
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

    fn update_stats(&self) {
        self.stats.decided(&self.store.counts());
        self.stats.refreshed(self.store.refresh());
    }

    /// Records the outcome of a URL together with its outlinks.
    fn finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
        page: Option<JudgedPage>,
    ) -> Result<Event, RunError> {
        let mut placed = self.store.placed(queued, outlinks)?;
        let mut letters = Vec::new();
        if let Some(post) = &mut self.post {
            let (own, of_others) = post.divide(placed.within.into_owned(), false)?;
            (placed.within, letters) = (Cow::Owned(own), of_others);
        }
        let own = placed.within;
        let admitted = self.url_budget.admit(&self.store, &own)?;
        self.stats.links_over_budget(own.len() - admitted.len());
        let is_in_fleet = self.post.is_some();
        if let Some(post) = self.post.as_ref().filter(|_| post::ends(&outcome)) {
            let page = matches!(outcome, Outcome::Page { .. }).then(|| self.store.next_page_id());
            letters.push(post.done(queued, page)?);
        }
        let failed = match &outcome {
            Outcome::Failed { kind, .. } if queued.revisits.is_none() => Some(kind.clone()),
            _ => None,
        };
        letters.extend(self.claim_of(queued, &outcome)?);
        let placed = Placed {
            within: admitted,
            beyond: placed.beyond,
        };
        let finished = self.store.finish_with(queued, outcome, &placed, |ended| {
            if is_in_fleet {
                letters.extend(post::queued_letters(&ended.links));
            }
            letters
        })?;
        if let Some(kind) = failed {
            self.stats.failure(&kind);
            if let Some(seeds) = &mut self.seeds {
                seeds.note_failed(queued);
            }
        }
        self.url_budget.spend(&self.store, &finished.newly_queued)?;
        if let Some(revisit) = &queued.revisits
            && self
                .store
                .latest_page(revisit.page)?
                .is_some_and(|page| page.fate != Fate::Current)
        {
            self.departing.insert(revisit.page);
            self.has_departures = true;
        }
        let mut again = finished.newly_queued;
        again.extend(finished.requeued);
        again.extend(self.follow_lowered()?);
        Ok(Event::Decided {
            host: queued.host.clone(),
            seq: queued.seq,
            page,
            is_visit: queued.revisits.is_some(),
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
