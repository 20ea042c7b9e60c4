//! Rows about the runs of a crawl: whether one is under way, and the dedup rules of all of them.

use crate::error::StorageError;
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
}
