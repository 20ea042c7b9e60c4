//! Notes about the runs of a crawl: whether one is under way, the dedup rules of all of them, the redecision, and which part of a crawl
//! by several folders this one is.

use serde::{Deserialize, Serialize};

use crate::commit::Piece;
use crate::error::StorageError;
use crate::format;
use crate::state::State;

/// Present while a run is under way.
const RUNNING: &[u8] = b"mrunning";

/// ⟨[String]⟩.
const RULES: &[u8] = b"mrules";

/// ⟨[`Redecided`]⟩.
const REDECIDED: &[u8] = b"mredecided";

/// ⟨u64⟩.
const ORDERS: &[u8] = b"morders";

/// ⟨u16⟩.
const WORKER: &[u8] = b"mworker";

/// ⟨u64⟩.
const TRIED_AGAIN: &[u8] = b"mtried-again";

/// Present while near-duplicates of other workers' pages are not decided.
const PROVISIONAL: &[u8] = b"mprovisional";

/// A redecision: how the new verdicts differ from the verdicts of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Redecided {
    /// When, milliseconds since the Unix epoch.
    pub at: u64,
    /// The schemes of the crawl's verdicts.
    pub schemes_before: Vec<String>,
    /// The new scheme.
    pub scheme: String,
    /// The new rule, in words.
    pub rule: String,
    /// Duplicates that are kept now.
    pub newly_kept: u64,
    /// Kept pages that are duplicates now.
    pub newly_dropped: u64,
    /// Duplicates of another page than before, or by another comparison.
    pub otherwise: u64,
    /// Pages that keep their verdicts because no text of theirs is archived.
    pub without_text: u64,
}

/// The notes. [`Store::run_notes`](crate::Store::run_notes) makes it.
pub struct RunNotes<'a> {
    state: &'a State,
}

impl<'a> RunNotes<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// Whether the last run was killed, or is still under way. The times of the last requests to hosts are then unknown.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn was_interrupted(&self) -> Result<bool, StorageError> {
        self.state.contains(RUNNING)
    }

    /// The dedup rules that decided the pages, in words, the earliest first; empty if no run noted one.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn rules(&self) -> Result<Vec<String>, StorageError> {
        let rules = self.state.row(RULES, "the row of rules")?;
        Ok(rules.unwrap_or_default())
    }

    /// The redecision, if there was one.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn redecided(&self) -> Result<Option<Redecided>, StorageError> {
        self.state.row(REDECIDED, "the row about the redecision")
    }

    /// When a refresh last queued the URLs without a page again, in milliseconds since the Unix epoch; `None` if no refresh did, and after a
    /// rebuild.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn tried_again(&self) -> Result<Option<u64>, StorageError> {
        self.state
            .row(TRIED_AGAIN, "the time of the last attempts at URLs without a page")
    }

    pub(crate) fn set_tried_again(at: u64, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(TRIED_AGAIN, format::encode(&at)?);
        Ok(())
    }

    /// The number of this folder in a crawl that has several; `None` for a crawl with one, and after a rebuild.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn worker(&self) -> Result<Option<u16>, StorageError> {
        self.state.row(WORKER, "the row of the worker's number")
    }

    /// Whether the workers of the crawl have decided near-duplicates among their own pages only, so that the verdicts across workers are
    /// provisional. Not known after a rebuild.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn are_provisional(&self) -> Result<bool, StorageError> {
        self.state.contains(PROVISIONAL)
    }

    pub(crate) fn set_provisional(are_provisional: bool, piece: &mut Piece) {
        if are_provisional {
            piece.set(PROVISIONAL, Vec::new());
        } else {
            piece.remove(PROVISIONAL);
        }
    }

    /// The number of the last order to the crawl that was taken, with its effects; `None` if there was none, and after a rebuild.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn orders(&self) -> Result<Option<u64>, StorageError> {
        self.state.row(ORDERS, "the row of the last order")
    }

    pub(crate) fn set_orders(up_to: u64, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(ORDERS, format::encode(&up_to)?);
        Ok(())
    }

    pub(crate) fn begin_run(piece: &mut Piece) {
        piece.set(RUNNING, Vec::new());
    }

    pub(crate) fn end_run(piece: &mut Piece) {
        piece.remove(RUNNING);
    }

    pub(crate) fn set_rules(rules: &[String], piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(RULES, format::encode(&rules)?);
        Ok(())
    }

    /// Notes a redecision, whose rule has decided all pages.
    pub(crate) fn set_redecided(redecided: &Redecided, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(REDECIDED, format::encode(redecided)?);
        Self::set_rules(std::slice::from_ref(&redecided.rule), piece)
    }

    pub(crate) fn set_worker(worker: u16, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(WORKER, format::encode(&worker)?);
        Ok(())
    }
}
