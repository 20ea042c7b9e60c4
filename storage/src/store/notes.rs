//! Stages rows that change neither the queue nor the counts.

use super::Store;
use crate::catalogue::Catalogue;
use crate::commit::Piece;
use crate::elsewhere::{KeptElsewhere, PageElsewhere};
use crate::error::StorageError;
use crate::host_memory::{HostMemory, HostRecord, StoredRobots};
use crate::new_links::NewLinks;
use crate::noted_pages::PagesElsewhere;
use crate::outbox::{Letter, Sealed};
use crate::run_notes::RunNotes;
use crate::sitemaps::{Sitemaps, StoredSitemap};

/// Rows in a piece.
const ROWS_A_PIECE: usize = 100;

impl Store {
    /// Stages a piece that has nothing but rows, however many. Cannot fail.
    pub(crate) fn note(&mut self, rows: Piece) {
        for piece in rows.divided(ROWS_A_PIECE) {
            self.staged.push(piece);
        }
    }

    /// Stages the rows that `write` writes.
    pub(crate) fn note_with(
        &mut self,
        write: impl FnOnce(&Self, &mut Piece) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        self.make_room()?;
        let mut piece = self.piece();
        write(self, &mut piece)?;
        self.note(piece);
        Ok(())
    }

    /// Records how hosts were treated. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] for a host that cannot be a key; errors of the state.
    pub fn record_hosts(&mut self, hosts: &[(String, HostRecord)]) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            let mut hosts = hosts.iter();
            hosts.try_for_each(|(host, record)| HostMemory::set(host, record, piece))
        })
    }

    /// Replaces the robots.txt of an origin of the host. `None`, or one longer than
    /// [`MAX_STORED_ROBOTS_BYTES`](crate::MAX_STORED_ROBOTS_BYTES), removes it. Durable with the next commit.
    ///
    /// # Errors
    /// As [`record_hosts`](Self::record_hosts).
    pub fn record_robots(
        &mut self,
        host: &str,
        origin: &str,
        robots: Option<&StoredRobots>,
    ) -> Result<(), StorageError> {
        self.note_with(|_, piece| HostMemory::set_robots(host, origin, robots, piece))
    }

    /// Records that the crawler has read a sitemap of the host. The record becomes durable with the next commit, as do the pages
    /// discovered before it. A sitemap that leads to too many others gets no record.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] for a host or URL that cannot be a key; errors of the state.
    pub fn record_sitemap(&mut self, host: &str, url: &str, sitemap: &StoredSitemap) -> Result<(), StorageError> {
        self.note_with(|_, piece| Sitemaps::set(host, url, sitemap, piece))
    }

    /// Records the new links of page number `page`, a duplicate. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn record_new_links(&mut self, page: u64, links: &[String]) -> Result<(), StorageError> {
        self.note_with(|_, piece| NewLinks::set(page, links, piece))
    }

    /// Notes a page that another worker keeps. Durable with the next commit. Does no harm if the page is noted already.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_elsewhere(&mut self, page: PageElsewhere, record: &KeptElsewhere) -> Result<(), StorageError> {
        self.note_with(|_, piece| PagesElsewhere::set(page, record, piece))
    }

    /// Forgets pages that another worker kept. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn forget_elsewhere(&mut self, pages: &[PageElsewhere]) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            pages.iter().for_each(|page| PagesElsewhere::remove(*page, piece));
            Ok(())
        })
    }

    /// Notes whether the verdicts across workers are [provisional](RunNotes::are_provisional). Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_provisional(&mut self, are_provisional: bool) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            RunNotes::set_provisional(are_provisional, piece);
            Ok(())
        })
    }

    /// Confirms that these pages are durably out of the index. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn forget_departed(&mut self, pages: &[u64]) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            pages.iter().for_each(|page| Catalogue::has_departed(*page, piece));
            Ok(())
        })
    }

    /// Notes the start of a run. Durable with the next commit, which must precede the run's first request.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_run(&mut self) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            RunNotes::begin_run(piece);
            Ok(())
        })
    }

    /// Notes the end of the run, after the caller has recorded all hosts. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_run(&mut self) -> Result<(), StorageError> {
        if self.closes_files {
            self.close_file()?;
        }
        self.note_with(|_, piece| {
            RunNotes::end_run(piece);
            Ok(())
        })
    }

    /// Notes that `rule` decides pages from now on. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_rule(&mut self, rule: &str) -> Result<(), StorageError> {
        let mut rules = self.run_notes().rules()?;
        // A rebuilt state has pages but no rules: the rules of those pages are unknown, so no list would be complete.
        if rules.iter().any(|known| known == rule) || rules.is_empty() && self.counts().fetched() > 0 {
            return Ok(());
        }
        rules.push(rule.to_owned());
        self.note_with(|_, piece| RunNotes::set_rules(&rules, piece))
    }

    /// Notes that the orders up to this number were taken, and that their effects are staged. Durable with the next commit, after the
    /// effects.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_orders(&mut self, up_to: u64) -> Result<(), StorageError> {
        self.note_with(|_, piece| RunNotes::set_orders(up_to, piece))
    }

    /// Notes when a refresh has queued the URLs without a page again, in milliseconds since the Unix epoch. Durable with the next commit,
    /// after what is staged.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_tried_again(&mut self, at: u64) -> Result<(), StorageError> {
        self.note_with(|_, piece| RunNotes::set_tried_again(at, piece))
    }

    /// Notes the number of this worker. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_worker(&mut self, worker: u16) -> Result<(), StorageError> {
        self.note_with(|_, piece| RunNotes::set_worker(worker, piece))
    }

    /// Adds fields to the `warcinfo` records of later WARC files: see [`OpenOptions::warcinfo`](crate::OpenOptions::warcinfo).
    pub fn describe_files(&mut self, fields: Vec<(&'static str, String)>) {
        self.archive.describe(fields);
    }

    /// Ends the WARC file that grows. Durable with the next commit; the next record begins another file.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn close_file(&mut self) -> Result<(), StorageError> {
        self.make_room()?;
        self.archive.close_file();
        let mut piece = self.piece();
        piece.end_archive_at(self.archive.end());
        self.stage(piece);
        Ok(())
    }

    /// Puts letters into the outbox that tell of no outcome. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn mail(&mut self, letters: Vec<Letter>) -> Result<(), StorageError> {
        self.make_room()?;
        let letters = Sealed::of(letters)?;
        self.stage_letters(letters);
        Ok(())
    }

    /// Stages letters. Cannot fail.
    pub(super) fn stage_letters(&mut self, letters: Sealed) {
        if !letters.is_empty() {
            let mut piece = self.piece();
            self.outbox.put(letters, &mut piece);
            self.stage(piece);
        }
    }

    /// Removes the committed letters up to row number `up_to`: they have arrived. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn sent(&mut self, up_to: u64) -> Result<(), StorageError> {
        self.note_with(|store, piece| store.outbox.remove(up_to, piece))?;
        self.outbox.removed(up_to);
        Ok(())
    }
}
