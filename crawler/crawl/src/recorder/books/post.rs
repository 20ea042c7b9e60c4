//! Who else must know: what the recorder tells others, and hears from them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use crossbeam_channel::Select;
use storage::{Discovered, HostRecord, Letter, Outcome, QueuedUrl, Store};

use super::Books;
use crate::admission::HostGroup;
use crate::messages::Event;
use error::RunError;

/// Found URLs, by who stores them.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    /// Those for the store of this process.
    pub own: Cow<'a, [Discovered]>,
    /// The rest.
    pub others: Vec<Discovered>,
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
        let (own, others, letters) = (found, Vec::new(), Vec::new());
        Ok(Share { own, others, letters })
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
