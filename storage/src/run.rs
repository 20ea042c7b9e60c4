//! Rows about the runs of a crawl: whether one is under way, the dedup rules of all of them, and which worker of a crawl by several this is.

use crate::error::StorageError;
use crate::foreign::ForeignPage;
use crate::format;
use crate::store::Store;

impl Store {
    /// Notes the start of a run. Durable with the next commit, which must precede the run's first request.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_run(&mut self) -> Result<(), StorageError> {
        self.stage_rows(vec![(format::META_RUNNING.to_vec(), Some(Vec::new()))])
    }

    /// Notes the end of the run, after the caller has recorded all hosts. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_run(&mut self) -> Result<(), StorageError> {
        if self.closes_files {
            self.close_file()?;
        }
        self.stage_rows(vec![(format::META_RUNNING.to_vec(), None)])
    }

    /// Whether the last run was killed, or is still under way. The times of the last requests to hosts are then unknown.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn was_interrupted(&self) -> Result<bool, StorageError> {
        self.state.contains(format::META_RUNNING)
    }

    /// The dedup rules that decided the pages, in words, the earliest first; empty if no run noted one.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn rules(&self) -> Result<Vec<String>, StorageError> {
        match self.state.get(format::META_RULES)? {
            Some(row) => self.state.decode("the row of rules", &row),
            None => Ok(Vec::new()),
        }
    }

    /// Notes that `rule` decides pages from now on. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_rule(&mut self, rule: &str) -> Result<(), StorageError> {
        let mut rules = self.rules()?;
        // A rebuilt state has pages but no rules: the rules of those pages are unknown, so no list would be complete.
        if rules.iter().any(|known| known == rule) || rules.is_empty() && self.counts().fetched() > 0 {
            return Ok(());
        }
        rules.push(rule.to_owned());
        self.stage_rows(vec![(format::META_RULES.to_vec(), Some(format::encode(&rules)?))])
    }

    /// The number of this worker in a crawl by several; `None` for a crawl by one process, and after a rebuild.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn worker(&self) -> Result<Option<u16>, StorageError> {
        let row = self.state.get(format::META_WORKER)?;
        row.map(|row| self.state.decode("the row of the worker's number", &row))
            .transpose()
    }

    /// Notes the number of this worker. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_worker(&mut self, worker: u16) -> Result<(), StorageError> {
        self.stage_rows(vec![(format::META_WORKER.to_vec(), Some(format::encode(&worker)?))])
    }

    /// The number of a page in this catalogue, for a [packed](ForeignPage) number that the index of a worker holds. The number of another
    /// worker's page stays packed.
    #[must_use]
    pub fn own_number(number: u64, worker: Option<u16>) -> u64 {
        match ForeignPage::unpacked(number) {
            Some(page) if Some(page.worker) == worker => page.sequence,
            _ => number,
        }
    }
}
