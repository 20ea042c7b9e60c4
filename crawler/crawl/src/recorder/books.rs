//! What the recorder must remember until a commit, and the commit itself.
//!
//! A commit first makes the rows of the store durable, and then lets the judge write its index. So no page can be a duplicate of a page that
//! was lost. Pages that are not kept any more leave the index between the two.
//!
//! Most commits are written beside the recorder: it goes on with the next pages, and hears of the end at its next commit.

mod judge;
mod post;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::{Discovered, Fate, Letter, Outcome, Placed, QueuedUrl, StorageError, Store, Via};

use super::budget::UrlBudget;
use super::redirects::Redirects;
use crate::failures::FailedSeed;
use crate::scope::LISTED;
use crate::stats::Stats;
use crate::watch;
use config::settings::Settings;
use error::RunError;
pub(crate) use judge::{Judge, Ruling};
pub(crate) use post::{News, Post, Share};

/// Shortest time between two commits: each costs a flush of the disk, in an idle crawl too.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);

/// A commit in a pause waits so many times as long as the last commit took, so that a slow disk does not keep the recorder from its pages.
const PAUSE_PER_COMMIT: u32 = 4;

/// The longest time for which the recorder goes on while a commit is written. Then it waits, so that a disk that does not answer is noticed.
const MAX_BESIDE: Duration = Duration::from_secs(10);

/// The store, and what the next commit is to do.
#[derive(Debug)]
pub(crate) struct Books {
    store: Store,
    stats: Arc<Stats>,
    url_budget: UrlBudget,
    redirects: Redirects,
    /// Whether a staged or committed change takes a page out of the index.
    has_departures: bool,
    /// Superseded, gone and moved pages that stay in the index until the next commit.
    departing: HashSet<u64>,
    /// The commit whose rows are written beside the recorder.
    beside: Option<Begun>,
    max_depth: u16,
    commit_interval: Duration,
    committed_at: Instant,
    /// How long the last commit took.
    commit_took: Duration,
}

/// A commit that began.
#[derive(Debug)]
struct Begun {
    rows: usize,
    span: tracing::Span,
    at: Instant,
    /// How long the recorder took to begin it.
    took: Duration,
}

impl Books {
    /// The books of a run that continues the crawl in `store`.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn open(mut store: Store, settings: &Settings, stats: Arc<Stats>) -> Result<Self, RunError> {
        store.set_max_depth(settings.limits.max_depth)?;
        let books = Self {
            store,
            stats,
            url_budget: UrlBudget::new(settings.limits.max_urls_per_host),
            redirects: Redirects::default(),
            has_departures: false,
            departing: HashSet::new(),
            beside: None,
            max_depth: settings.limits.max_depth,
            commit_interval: settings.storage.commit_interval,
            committed_at: Instant::now(),
            commit_took: Duration::ZERO,
        };
        books.show();
        Ok(books)
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, to write rows that no other method writes.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The figures of the run.
    pub(super) fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether the link is not too deep for the crawl.
    pub(super) fn is_within_depth(&self, link: &Discovered) -> bool {
        link.depth <= self.max_depth
    }

    /// Shows the counts of the crawl.
    pub fn show(&self) {
        self.stats.decided(&self.store.counts());
        self.stats.refreshed(self.store.refresh());
    }

    /// The cookies of the latest redirects, with the store.
    pub(super) fn redirects(&mut self) -> (&mut Redirects, &Store) {
        (&mut self.redirects, &self.store)
    }

    /// A change takes pages out of the index.
    pub fn note_departures(&mut self) {
        self.has_departures = true;
    }

    /// Whether the page is kept no more, but is in the index until the next commit.
    pub fn is_departing(&self, page: u64) -> bool {
        self.departing.contains(&page)
    }

    /// Whether there is something to commit. The store may have committed by itself, without the index.
    fn is_commit_due(&self, judge: &dyn Judge) -> bool {
        self.store.pending() > 0
            || self.beside.is_some()
            || judge.has_letters_to_give(&self.store)
            || self.has_departures
            || judge.is_behind(&self.store)
    }

    /// Whether the commit cannot wait for a pause between messages.
    pub(super) fn is_overdue(&self) -> bool {
        self.committed_at.elapsed() >= self.commit_interval
    }

    /// The time to wait for a message before a commit. A pause between messages is used for a commit, if there is
    /// something to commit.
    pub(super) fn until_commit(&self, judge: &dyn Judge) -> Duration {
        if !self.is_commit_due(judge) {
            return Duration::from_secs(3_600);
        }
        if self.beside.is_some() {
            return MIN_COMMIT_INTERVAL;
        }
        MIN_COMMIT_INTERVAL
            .max(PAUSE_PER_COMMIT * self.commit_took)
            .min(self.commit_interval)
            .saturating_sub(self.committed_at.elapsed())
    }

    /// Commits, if there is something to commit. Everything recorded before is durable then.
    ///
    /// # Errors
    /// The store or the index failed. Everything committed before is safe.
    pub fn commit(&mut self, judge: &mut dyn Judge) -> Result<(), RunError> {
        watch::beat();
        if self.is_commit_due(judge) {
            let commit = self.written(Store::commit)?;
            self.beside = None;
            self.end(judge, &commit)?;
        }
        // The store may have committed letters by itself.
        judge.give(&self.store)?;
        self.committed_at = Instant::now();
        Ok(())
    }

    /// As [`commit`](Self::commit), but does not wait for the rows. If those of the commit before are still being written, the next call
    /// commits.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn commit_beside(&mut self, judge: &mut dyn Judge) -> Result<(), RunError> {
        // Pages that leave the index do so right after their rows are durable.
        if !judge.may_commit_beside() || self.has_departures || self.url_budget.is_full() {
            return self.commit(judge);
        }
        watch::beat();
        if self.store.is_committing()? {
            let is_stuck = self
                .beside
                .as_ref()
                .is_some_and(|commit| commit.at.elapsed() > MAX_BESIDE);
            return if is_stuck { self.commit(judge) } else { Ok(()) };
        }
        if let Some(begun) = self.beside.take() {
            self.ended(&begun, begun.took + self.store.commit_took(), Duration::ZERO);
        }
        self.committed_at = Instant::now();
        if self.store.pending() > 0 {
            let index = judge.begin_persist(self.store.durable())?;
            self.beside = Some(self.written(|store| store.begin_commit_with(index))?);
        } else if self.is_commit_due(judge) {
            self.commit(judge)?;
        }
        Ok(())
    }

    /// Has the store `write` what is staged.
    fn written<T>(&mut self, write: impl FnOnce(&mut Store) -> Result<T, StorageError>) -> Result<Begun, RunError> {
        let rows = self.store.pending();
        let span = tracing::debug_span!("commit", rows);
        let start = Instant::now();
        span.in_scope(|| write(&mut self.store))?;
        Ok(Begun {
            rows,
            span,
            at: start,
            took: start.elapsed(),
        })
    }

    /// The rows of a commit of everything are durable.
    fn end(&mut self, judge: &mut dyn Judge, commit: &Begun) -> Result<(), RunError> {
        let start = Instant::now();
        self.url_budget.committed();
        let mut departed = Vec::new();
        if self.has_departures {
            departed = self.store.catalogue().departed()?;
            judge.departed(&departed)?;
        }
        judge.persist(self.store.durable())?;
        self.store.forget_departed(&departed)?;
        self.has_departures = false;
        self.departing.clear();
        self.ended(commit, commit.took, start.elapsed());
        Ok(())
    }

    /// Notes how long a commit took: until its rows were durable, and for the index.
    fn ended(&mut self, commit: &Begun, stored: Duration, indexed: Duration) {
        let _span = commit.span.enter();
        self.commit_took = stored + indexed;
        self.stats.commit(self.commit_took);
        tracing::debug!(
            rows = commit.rows,
            stored_ms = stored.as_millis(),
            elapsed_ms = self.commit_took.as_millis(),
            "committed"
        );
    }

    /// Queues URLs at hosts within their budgets, and tells others of those that are new as `tell` says.
    fn discover(
        &mut self,
        links: &[Discovered],
        via: Option<&Via>,
        tell: impl FnOnce(&[&QueuedUrl]) -> Vec<Letter>,
    ) -> Result<Vec<QueuedUrl>, RunError> {
        let admitted = self.url_budget.admit(&self.store, links)?;
        self.stats.links_over_budget(links.len() - admitted.len());
        let fresh = self.store.discover_with(&admitted, via, tell)?;
        self.url_budget.spend(&self.store, &fresh)?;
        Ok(fresh)
    }

    /// Queues URLs that others have found. They need not be told.
    ///
    /// # Errors
    /// The store failed.
    pub fn take_in(&mut self, links: &[Discovered]) -> Result<Vec<QueuedUrl>, RunError> {
        self.discover(links, None, |_| Vec::new())
    }

    /// Queues those of the found URLs that belong into this store. Returns those that are new.
    ///
    /// # Errors
    /// The store failed.
    pub fn queue(
        &mut self,
        judge: &mut dyn Judge,
        found: &[Discovered],
        via: Option<&Via>,
    ) -> Result<Vec<QueuedUrl>, RunError> {
        let own = self.own(judge, Cow::Borrowed(found), false)?;
        self.discover(&own, via, |links| judge.of_queued(links))
    }

    /// Those of the found URLs that belong into this store. The others are on their way from now on.
    pub(super) fn own<'a>(
        &mut self,
        judge: &mut dyn Judge,
        found: Cow<'a, [Discovered]>,
        are_seeds: bool,
    ) -> Result<Cow<'a, [Discovered]>, RunError> {
        let share = judge.divide(found, are_seeds)?;
        if !share.letters.is_empty() {
            self.store.mail(share.letters)?;
        }
        Ok(share.own)
    }

    /// Counts seeds that are queued.
    pub(super) fn spend(&mut self, queued: &[QueuedUrl]) -> Result<(), RunError> {
        self.url_budget.spend(&self.store, queued)
    }

    /// Follows the links of all URLs whose depths have sunk. Returns the URLs that are new to the crawl, because they were too deep before.
    ///
    /// # Errors
    /// The store failed.
    pub fn follow_lowered(&mut self, judge: &mut dyn Judge) -> Result<Vec<QueuedUrl>, RunError> {
        let mut queued = Vec::new();
        while let Some(mut lowered) = self.store.next_lowered()? {
            // There may be as many as there are pages.
            watch::beat();
            let own = self.own(judge, Cow::Borrowed(&lowered.links), false)?;
            let are_all_own = own.len() == lowered.links.len();
            queued.extend(self.discover(&own, None, |links| judge.of_queued(links))?);
            if !are_all_own {
                lowered.come_again();
            }
            self.store.end_lowered(&lowered)?;
        }
        Ok(queued)
    }

    /// Records the outcome of a URL together with its outlinks. Returns the URLs that are new to the crawl, or queued again.
    pub(super) fn finish(
        &mut self,
        judge: &mut dyn Judge,
        queued: &QueuedUrl,
        outcome: Outcome,
        outlinks: &[Discovered],
    ) -> Result<Vec<QueuedUrl>, RunError> {
        let placed = self.store.placed(queued, outlinks)?;
        let share = judge.divide(placed.within, false)?;
        let admitted = self.url_budget.admit(&self.store, &share.own)?;
        self.stats.links_over_budget(share.own.len() - admitted.len());
        let mut letters = share.letters;
        letters.extend(judge.of_outcome(queued, &outcome, self.store.next_page_id())?);
        if queued.revisits.is_none() {
            self.count_failure(queued, &outcome);
        }
        let mut beyond = placed.beyond;
        // What a seed links to cannot sink, nor the page to which it redirects.
        let least = u16::from(!matches!(outcome, Outcome::Redirect { .. }));
        beyond.extend(
            share
                .others
                .into_iter()
                .filter(|link| link.depth > least)
                .map(Cow::Owned),
        );
        let placed = Placed {
            within: admitted,
            beyond,
        };
        let finished = self.store.finish_with(queued, outcome, &placed, |ended| {
            letters.extend(judge.of_queued(&ended.links));
            letters
        })?;
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
        again.extend(self.follow_lowered(judge)?);
        Ok(again)
    }

    /// Takes a page back, and returns its URL, which is queued again: see [`Store::take_back`].
    pub(super) fn take_back(&mut self, page: u64) -> Result<Option<QueuedUrl>, RunError> {
        let queued = self.store.take_back(page)?;
        if queued.is_some() {
            self.departing.insert(page);
            self.has_departures = true;
        }
        Ok(queued)
    }

    fn count_failure(&self, queued: &QueuedUrl, outcome: &Outcome) {
        let (kind, detail) = match outcome {
            Outcome::Failed { kind, detail, .. } => {
                self.stats.failure(kind);
                (Some(kind), detail)
            }
            Outcome::Excluded { reason } => (None, reason),
            _ => return,
        };
        // A seed, or the target of redirects from one.
        if matches!(queued.depth, 0 | LISTED) {
            self.stats.failed_seed(|| FailedSeed {
                url: queued.url.clone(),
                kind: kind.cloned(),
                detail: detail.clone(),
            });
        }
    }
}
