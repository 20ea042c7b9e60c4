//! Gives orders: checks one against what stands, writes it down, and waits for the answer of a crawl that runs.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use storage::{StorageError, Store};

use super::answer::Answer;
use super::in_force::InForce;
use super::journal::{Entries, Journal, Reader};
use super::order::Order;
use super::target::Target;
use super::written;
use crate::stats::RunNow;
use error::{OrderOfWorker, RunError};
use terminal::commands::command;

/// How long an order waits for the crawl to take it. A crawl takes it within a second, unless its disk is slow.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Time between two looks for the answer.
const POLL: Duration = Duration::from_millis(50);

/// What became of an order, as its giver is told.
#[derive(Debug, Serialize)]
pub struct Told {
    /// Its word.
    pub order: &'static str,
    /// `done`, `refused`, `waiting` or `unchanged`.
    pub state: &'static str,
    /// Its number in the journal, if it stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The answer of the crawl, or what takes its place.
    #[serde(flatten)]
    pub answer: Answer,
}

/// Why an order was not given.
#[derive(Debug, thiserror::Error)]
pub enum NotGiven {
    /// It makes no sense here. A sentence.
    #[error("{0}")]
    Senseless(String),
    /// It is one of hosts, in the folder of a process that shares its crawl with others.
    #[error(transparent)]
    OfWorker(#[from] OrderOfWorker),
    /// The folder or the journal.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<StorageError> for NotGiven {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

/// A crawl, which runs or does not, and what was ordered of it.
pub struct Giver<'a> {
    /// The data folder, as the user names it.
    pub dir: &'a Path,
    /// Its store. If no crawl runs, this process holds the folder, so that none begins before the order is written.
    pub store: Store,
    /// All orders and answers.
    pub entries: Entries,
    /// What they come to.
    pub in_force: InForce,
    journal: Journal,
    reader: Reader,
}

impl<'a> Giver<'a> {
    /// Reads the journal beside this store.
    ///
    /// # Errors
    /// The journal cannot be read, or others than its owner may write to it.
    pub fn of(dir: &'a Path, store: Store) -> Result<Self, RunError> {
        let journal = Journal::in_folder(dir);
        let mut reader = Reader::of(journal.clone());
        let entries = reader
            .read_on()
            .map_err(|source| RunError::io("use", journal.path().display(), source))?;
        Ok(Self {
            dir,
            in_force: InForce::of(entries.orders()),
            store,
            journal,
            reader,
            entries,
        })
    }

    /// Whether a crawl runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.store.as_of().is_some()
    }

    /// What a crawl that runs does now; `None` if none runs, or if it does not say.
    #[must_use]
    pub fn run_now(&self) -> Option<RunNow> {
        let told = Store::told(self.dir).unwrap_or_else(|error| {
            tracing::debug!(%error, "the crawl does not say what it does");
            None
        });
        RunNow::from_bytes(&told?)
    }

    /// Gives an order. Waits for the answer of a crawl that runs, at most ten seconds.
    ///
    /// # Errors
    /// The order makes no sense here, or the journal cannot be written.
    pub fn give(&mut self, order: Order) -> Result<Told, NotGiven> {
        self.check(&order)?;
        match self.no_need(&order) {
            Some(text) => Ok(Told {
                order: order.word(),
                state: "unchanged",
                id: None,
                answer: said(text),
            }),
            None => {
                let unknown = self.unknown_hosts(&order)?;
                let mut told = self.write(order)?;
                told.answer.text.push_str(&unknown);
                Ok(told)
            }
        }
    }

    /// Refuses what makes no sense here.
    fn check(&self, order: &Order) -> Result<(), NotGiven> {
        if order.is_of_hosts()
            && let Some(worker) = self.store.run_notes().worker()?
        {
            let order = order.word();
            return Err(OrderOfWorker { order, worker }.into());
        }
        let checked = match order {
            Order::Restore { what } => written::check_dropped(what, &self.in_force),
            Order::Drop { what } => written::check_number(what, &self.in_force),
            _ => Ok(()),
        };
        checked.map_err(NotGiven::Senseless)
    }

    /// What to say of hosts that an order names and of which the crawl knows no URL.
    fn unknown_hosts(&self, order: &Order) -> Result<String, NotGiven> {
        let named = match order {
            Order::Delay { host, seconds: Some(_) } => std::slice::from_ref(host),
            Order::Drop { what } => what,
            _ => &[],
        };
        let mut unknown: Vec<_> = named
            .iter()
            .filter_map(|host| Target::parse(host).ok().filter(Target::names_hosts))
            .collect();
        if unknown.is_empty() {
            return Ok(String::new());
        }
        for known in self.store.hosts().all() {
            let (known, _) = known?;
            unknown.retain(|target| !target.takes_host(&known));
            if unknown.is_empty() {
                break;
            }
        }
        let unknown: Vec<&str> = unknown.iter().map(Target::as_str).collect();
        Ok(match *unknown {
            [] => String::new(),
            [host] => format!(". The crawl knows no URL of {host} yet, so check the name; the order waits for one"),
            _ => format!(
                ". The crawl knows no URL of {} yet, so check the names; the order waits for one",
                unknown.join(", ")
            ),
        })
    }

    /// What to say if the order would change nothing.
    fn no_need(&self, order: &Order) -> Option<String> {
        match order {
            Order::Pause => {
                let since = terminal::units::utc(self.in_force.paused? / 1_000);
                Some(format!(
                    "paused already, since {since}; `{}` goes on",
                    command("control", &["resume"])
                ))
            }
            Order::Resume if self.in_force.paused.is_none() => {
                Some("not paused, so there is nothing to resume".to_owned())
            }
            Order::Stop if !self.is_running() => Some(format!(
                "no crawl runs in {}, so there is nothing to stop",
                self.dir.display()
            )),
            Order::Drop { what } if what.iter().all(|what| self.in_force.is_dropped(what)) => {
                Some(format!("dropped already: {}", what.join(", ")))
            }
            _ => None,
        }
    }

    /// Writes the order down, and waits for the answer of a crawl that runs.
    fn write(&mut self, order: Order) -> Result<Told, RunError> {
        let word = order.word();
        let taken = self.store.run_notes().orders()?;
        let id = self
            .journal
            .order(order, taken.unwrap_or_default())
            .map_err(|source| RunError::io("write", self.journal.path().display(), source))?;
        let (state, answer) = if self.is_running() {
            self.answer(id)?
        } else {
            let text = format!(
                "written down; no crawl runs in {}, so `{word}` takes effect with the next run",
                self.dir.display()
            );
            ("waiting", said(text))
        };
        Ok(Told {
            order: word,
            state,
            id: Some(id),
            answer,
        })
    }

    /// Waits for the answer to an order.
    fn answer(&mut self, id: u64) -> Result<(&'static str, Answer), RunError> {
        let began = Instant::now();
        loop {
            let has_ended = matches!(self.store.run_notes().worker(), Err(StorageError::LenderGone { .. }));
            let entries = self
                .reader
                .read_on()
                .map_err(|source| RunError::io("read", self.journal.path().display(), source))?;
            if let Some(answer) = entries.answer_to(id) {
                return Ok((if answer.done { "done" } else { "refused" }, answer.clone()));
            }
            if has_ended {
                let text =
                    "written down, but the crawl ended before it took the order, which takes effect with the next run";
                return Ok(("waiting", said(text)));
            }
            if began.elapsed() >= ANSWER_WITHIN {
                let text = "written down; the crawl has not taken it yet, but will";
                let status = command("control", &["status"]);
                return Ok(("waiting", said(format!("{text}: `{status}` shows when"))));
            }
            thread::sleep(POLL);
        }
    }
}

fn said(text: impl Into<String>) -> Answer {
    Answer {
        done: true,
        text: text.into(),
        ..Answer::default()
    }
}

/// Why this process may only read the crawl in `dir`. A sentence; `None` if it may write there.
#[must_use]
pub fn why_read_only(dir: &Path) -> Option<String> {
    let fault = storage::why_not_writable(dir).filter(|_| dir.is_dir())?;
    Some(format!(
        "{} cannot be written to ({fault}); only the owner of the data folder can give orders to its crawl",
        dir.display()
    ))
}

/// Why this process may not give orders to the crawl in `dir`. A sentence; `None` if it may.
#[must_use]
pub fn why_not(dir: &Path) -> Option<String> {
    why_read_only(dir).or_else(|| Some(Journal::in_folder(dir).check_user().err()?.to_string()))
}
