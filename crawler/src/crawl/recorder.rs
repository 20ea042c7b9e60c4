//! The sole owner of the dedup index and the store: decides, one page after the other, whether a page says anything
//! new, and records what became of every URL.
//!
//! One owner makes check-and-insert one step: of two near-duplicates in flight at once exactly one is kept. The order
//! of a commit makes the catalogue the truth: first the pages are durable, then their fingerprints enter the index's
//! trees, so no page can be dropped as a duplicate of itself or of a page that was lost.

pub(crate) mod archive;
mod budget;
pub(crate) mod departures;
mod kept_texts;
mod redirects;
mod versions;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use dedup::{Deduplicator, DocId, SledIndex};
use storage::{Counts, Discovered, Fate, Outcome, QueuedUrl, Store, Verdict, Visit};
use tokio::sync::mpsc::Sender;
use web::memory_budget::Claim;

use crate::config::settings::Settings;
use crate::crawl::canonical::{self, Decided, KeptPage, Named};
use crate::crawl::clock::unix_millis;
use crate::crawl::index::{self, encode_signature, stored};
use crate::crawl::interpret::RobotsReader;
use crate::crawl::messages::{Errand, Event, Record, Refill, RobotsAnswer, UndecidedPage};
use crate::crawl::revisits::PRIORITY_VISIT;
use crate::crawl::stats::Stats;
use crate::crawl::steering::{DuplicateOf, JudgedPage};
use crate::error::RunError;
use archive::ArchivedRequests;
use budget::UrlBudget;
use kept_texts::KeptTexts;
use redirects::Redirects;
use versions::Unchanged;

/// See the module's text.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    dedup: Deduplicator<SledIndex>,
    redirects: Redirects,
    requests: ArchivedRequests,
    kept_texts: KeptTexts,
    prefer_canonical: bool,
    /// Something that is staged, or was committed, takes a page out of the index.
    has_departures: bool,
    /// Superseded, gone and moved pages that are in the index until the next commit.
    departing: HashSet<u64>,
    url_budget: UrlBudget,
    stats: Arc<Stats>,
    commit_interval: Duration,
    committed_at: Instant,
}

/// A commit costs a flush of the disk, so even an idle crawl makes no more than one in this time.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);

/// URLs of a sitemap that are taken in at a time, and visits that are ended.
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
        Ok(Self {
            url_budget: UrlBudget::open(&store, settings.limits.max_urls_per_host)?,
            store,
            dedup,
            redirects: Redirects::default(),
            requests: ArchivedRequests::new(settings),
            kept_texts: KeptTexts::default(),
            prefer_canonical: settings.prefer_canonical,
            has_departures: false,
            departing: HashSet::new(),
            stats,
            commit_interval: settings.storage.commit_interval,
            committed_at: Instant::now(),
        })
    }

    /// The store, for what is read before the crawl starts.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Records what comes in until every sender is gone, then commits and returns the counts of the whole crawl.
    ///
    /// # Errors
    /// The store or the index failed; what was committed before is safe.
    pub fn run(
        mut self,
        records: &Receiver<(Record, Claim)>,
        events: &Sender<Event>,
        robots: &RobotsReader,
    ) -> Result<Counts, RunError> {
        loop {
            match records.recv_timeout(self.until_commit()) {
                Ok((record, claim)) => {
                    let event = self.record(record, robots)?;
                    drop(claim);
                    // The frontier takes events as long as it waits for any; without it nobody needs them.
                    if let Some(event) = event
                        && events.blocking_send(event).is_err()
                    {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.commit()?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.committed_at.elapsed() >= self.commit_interval {
                self.commit()?;
            }
        }
        self.commit()?;
        self.dedup.index_mut().settle()?;
        self.write_index();
        Ok(self.store.counts())
    }

    /// The index of the archive is derived: the crawl is no worse for the lack of it, and the next run writes it again.
    fn write_index(&mut self) {
        let start = Instant::now();
        match storage::cdxj::write_index(&mut self.store) {
            Ok(path) => {
                tracing::debug!(path = %path.display(), elapsed_ms = start.elapsed().as_millis(), "index of the archive written");
            }
            Err(error) => {
                tracing::warn!("the index of the archive was not written: {error}; the next run writes it again")
            }
        }
    }

    /// Whether there is something for a commit to do: the store may have committed by itself, without the index.
    fn is_commit_due(&self) -> bool {
        self.store.pending() > 0 || self.has_departures || self.dedup.index().applied() + 1 < self.store.next_page_id()
    }

    /// While nothing waits to be committed, there is no hurry; otherwise a lull is used for a commit.
    fn until_commit(&self) -> Duration {
        if !self.is_commit_due() {
            return Duration::from_secs(3_600);
        }
        MIN_COMMIT_INTERVAL
            .min(self.commit_interval)
            .saturating_sub(self.committed_at.elapsed())
    }

    fn commit(&mut self) -> Result<(), RunError> {
        let rows = self.store.pending();
        if self.is_commit_due() {
            let start = Instant::now();
            let durable = self.store.commit()?;
            self.redirects.committed();
            let stored_ms = start.elapsed().as_millis();
            let departed = match self.has_departures {
                true => departures::carry_out(&self.store, &self.dedup)?,
                false => Vec::new(),
            };
            self.dedup.index_mut().persist(durable)?;
            self.store.forget_departed(&departed)?;
            self.has_departures = false;
            self.departing.clear();
            self.stats.commit(start.elapsed());
            tracing::debug!(rows, stored_ms, elapsed_ms = start.elapsed().as_millis(), "committed");
        }
        self.committed_at = Instant::now();
        Ok(())
    }

    fn record(&mut self, record: Record, reader: &RobotsReader) -> Result<Option<Event>, RunError> {
        let event = match record {
            Record::Page(page) => self.page(*page)?,
            Record::Outcome {
                queued,
                outcome,
                outlinks,
            } => {
                let outcome = self.redirects.judge(&self.store, &queued, outcome)?;
                self.finish(&queued, outcome, &outlinks, None)?
            }
            Record::NotModified { queued, response } => {
                let visit = Unchanged {
                    response: &response,
                    fetched_at: unix_millis(response.fetched_at),
                    asked: None,
                    payload: None,
                };
                self.unchanged(&queued, &visit, &[])?
            }
            Record::EndVisits => {
                self.end_visits()?;
                return Ok(None);
            }
            Record::Sitemap { via, urls, further } => {
                let mut queued = Vec::new();
                // In slices, so that the store can make room between them.
                for slice in urls.chunks(SLICE) {
                    let admitted = self.url_budget.admit(slice);
                    self.stats.links_over_budget(slice.len() - admitted.len());
                    let fresh = self.store.discover_from(&admitted, Some(&via))?;
                    self.url_budget.spend(&fresh);
                    queued.extend(fresh);
                }
                Event::Sitemap { queued, further }
            }
            Record::Robots { errand, answer, stored } => {
                if let Errand::Robots { for_host, origin, .. } = &errand {
                    self.store.record_robots(for_host, origin, stored.as_ref())?;
                }
                Event::Robots { errand, answer }
            }
            Record::Recall(errand) => {
                let stored = match &errand {
                    Errand::Robots { for_host, origin, .. } => self.store.robots(for_host, origin)?,
                    Errand::Sitemap { .. } => None,
                };
                let answer = stored.map_or(RobotsAnswer::Forgotten, |stored| reader.read(errand.url(), &stored));
                Event::Robots { errand, answer }
            }
            Record::Hosts { states, is_last } => {
                self.store.record_hosts(&states)?;
                if is_last {
                    self.store.end_run()?;
                }
                return Ok(None);
            }
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
        self.tell();
        Ok(Some(event))
    }

    fn tell(&self) {
        self.stats.decided(&self.store.counts());
        self.stats.refreshed(self.store.refresh());
    }

    fn page(&mut self, mut page: UndecidedPage) -> Result<Event, RunError> {
        if let Some(revisit) = &page.queued.revisits
            && versions::says_nothing_new(&self.store, revisit, &page)?
        {
            let visit = Unchanged {
                response: &page.response,
                fetched_at: page.draft.fetched_at,
                asked: Some(&page.asked),
                payload: Some((page.draft.body_bytes, page.draft.payload_digest)),
            };
            return self.unchanged(&page.queued, &visit, &page.outlinks);
        }
        let id = self.store.next_page_id();
        let verdict = self.verdict(DocId(id), &page)?;
        tracing::debug!(url = %page.queued.url, status = page.draft.status, bytes = page.draft.body_bytes,
            elapsed_ms = page.draft.elapsed_ms, ?verdict, "decided");
        let decided = self.decide(id, &page, stored(verdict))?;
        page.draft.verdict = decided.verdict;
        page.draft.replaces = decided.replaced;
        self.has_departures |= decided.replaced.is_some();
        self.stats.verdict(&page.draft.verdict);
        let capture = archive::encoded(&page, &self.store, &self.requests, &mut self.kept_texts)?;
        // The first version has taught what there is to learn of the URL.
        let decision = match page.queued.revisits {
            None => Some(self.decision(id, &page)?),
            Some(_) => None,
        };
        let mut draft = page.draft;
        draft.signature = encode_signature(&page.signature)?;
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture,
        };
        self.finish(&page.queued, outcome, &page.outlinks, decision)
    }

    /// The verdict on a page, which enters the index if it is unique; a new version is not compared with the one before it.
    fn verdict(&mut self, id: DocId, page: &UndecidedPage) -> Result<dedup::Verdict, RunError> {
        let verdict = self.compare(id, page)?;
        let is_departing = verdict.of().is_some_and(|of| self.departing.contains(&of.0));
        if !is_departing {
            return Ok(verdict);
        }
        // What it is a duplicate of is not kept any more. It leaves the index when that is durable: now.
        self.commit()?;
        self.compare(id, page)
    }

    /// The decision by the verdict: the page may take the place of the page that it duplicates.
    fn decide(&self, id: u64, page: &UndecidedPage, verdict: Verdict) -> Result<Decided, RunError> {
        if !self.prefer_canonical {
            return Ok(Decided {
                verdict,
                replaced: None,
            });
        }
        let named = Named {
            url: &page.queued.url,
            canonical: page.draft.canonical.as_deref(),
        };
        let kept_page = |of| Ok(self.store.latest_page(of)?.and_then(KeptPage::of));
        canonical::decide(&self.dedup, id, named, &page.signature, verdict, kept_page)
    }

    fn compare(&self, id: DocId, page: &UndecidedPage) -> Result<dedup::Verdict, RunError> {
        let Some(revisit) = &page.queued.revisits else {
            return Ok(self.dedup.check_and_insert(id, &page.signature)?);
        };
        let verdict = self.dedup.check_except(&page.signature, DocId(revisit.page))?;
        if verdict == dedup::Verdict::Unique {
            self.dedup.insert(id, &page.signature)?;
        }
        Ok(verdict)
    }

    /// Records that a visit found the page as it was. It may have other links than the last time.
    fn unchanged(
        &mut self,
        queued: &QueuedUrl,
        visit: &Unchanged<'_>,
        outlinks: &[Discovered],
    ) -> Result<Event, RunError> {
        let outcome = Outcome::Visited {
            visit: Visit::Unchanged,
            at: visit.fetched_at,
            wire_bytes: visit.response.wire_bytes,
            capture: versions::record(&self.store, &self.requests, queued, visit)?,
        };
        self.finish(queued, outcome, outlinks, None)
    }

    /// Ends the visits that wait, such as those to hosts that were given up: the pages are due again at the next refresh.
    fn end_visits(&mut self) -> Result<(), RunError> {
        let at = unix_millis(SystemTime::now());
        self.commit()?;
        let hosts = self.store.hosts_with_queue();
        let hosts = hosts.filter(|row| row.as_ref().map_or(true, |(_, counts)| counts.due > 0));
        for (host, _) in hosts.collect::<Result<Vec<_>, _>>()? {
            self.end_visits_to(&host, at)?;
        }
        self.tell();
        Ok(())
    }

    /// The same of one host. What is new there, and waits before the visits, is passed over unread.
    fn end_visits_to(&mut self, host: &str, at: u64) -> Result<(), RunError> {
        let mut from = (PRIORITY_VISIT, 0, 0);
        loop {
            let waiting = self.store.refill_behind(host, Some(from), SLICE, &HashSet::new())?;
            let Some(last) = waiting.last() else { return Ok(()) };
            from = (last.priority, last.depth, last.seq);
            for queued in waiting.iter().filter(|queued| queued.revisits.is_some()) {
                let outcome = Outcome::Visited {
                    visit: Visit::Unanswered,
                    at,
                    wire_bytes: 0,
                    capture: None,
                };
                self.store.finish(queued, outcome, &[])?;
            }
        }
    }

    /// What the verdict on a page teaches; a page that takes another's place says no more than that one.
    fn decision(&self, id: u64, page: &UndecidedPage) -> Result<JudgedPage, RunError> {
        let (queued, draft) = (&page.queued, &page.draft);
        let verdict = draft.replaces.map_or(draft.verdict, |replaced| replaced.verdict);
        let of = draft.replaces.map(|replaced| replaced.page).or(draft.verdict.of());
        let kept = of.map_or(Ok(None), |of| self.store.latest_page(of))?;
        let duplicate_of = kept.map(|kept| DuplicateOf::new(kept.url, &verdict));
        Ok(JudgedPage::new(id, &queued.url, queued.via.as_ref(), duplicate_of))
    }

    fn finish(
        &mut self,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
        page: Option<JudgedPage>,
    ) -> Result<Event, RunError> {
        let admitted = self.url_budget.admit(outlinks);
        self.stats.links_over_budget(outlinks.len() - admitted.len());
        let failed = match &outcome {
            Outcome::Failed { kind, .. } if queued.revisits.is_none() => Some(kind.clone()),
            _ => None,
        };
        let finished = self.store.finish(queued, outcome, &admitted)?;
        if let Some(kind) = failed {
            self.stats.failure(&kind);
        }
        self.url_budget.spend(&finished.newly_queued);
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
        Ok(Event::Decided {
            host: queued.host.clone(),
            seq: queued.seq,
            page,
            is_visit: queued.revisits.is_some(),
            queued: again,
        })
    }
}

#[cfg(test)]
mod tests;
