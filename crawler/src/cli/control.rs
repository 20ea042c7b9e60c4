//! `crawler control`

mod orders;
mod status;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use storage::{StorageError, Store};

use crate::cli::arguments::{ControlArgs, ControlFormat};
use crate::cli::error::{Error, UsageError};
use crawl::control::answer::Answer;
use crawl::control::in_force::InForce;
use crawl::control::journal::{Entries, Journal, Reader};
use crawl::control::order::Order;
use error::RunError;
use terminal::commands::command;
use terminal::text::terminal_text;

/// How long the command waits for the crawl to take an order. A crawl takes it within a second, unless its disk is slow.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Time between two looks for the answer.
const POLL: Duration = Duration::from_millis(50);

/// Bound on the characters of an answer.
const ANSWER_CHARS: usize = 2_000;

/// What the command says of an order.
#[derive(Debug, Serialize)]
struct Told {
    order: &'static str,
    /// `done`, `refused`, `waiting` or `unchanged`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(flatten)]
    answer: Answer,
}

/// A crawl, which runs or does not.
struct Crawl<'a> {
    dir: &'a Path,
    store: Store,
    is_running: bool,
    journal: Journal,
    reader: Reader,
    entries: Entries,
    in_force: InForce,
}

pub(super) fn execute(args: &ControlArgs) -> Result<(), Error> {
    let order = orders::of(&args.action)?;
    if order.is_some() {
        check_writable(&args.data)?;
    }
    let mut crawl = Crawl::open(&args.data)?;
    let Some(order) = order else {
        status::show(&crawl, args.format)?;
        super::store::leave_open(crawl.store);
        return Ok(());
    };
    crawl.check(&order)?;
    let told = match crawl.no_need(&order) {
        Some(text) => Told {
            order: order.word(),
            state: "unchanged",
            id: None,
            answer: said(text),
        },
        None => crawl.give(order)?,
    };
    let text = match args.format {
        ControlFormat::Text => terminal_text(&told.answer.text, ANSWER_CHARS),
        ControlFormat::Json => json(&told)?,
    };
    super::output::say(&text)?;
    super::store::leave_open(crawl.store);
    if told.state == "refused" {
        return Err(Error::Answer(1));
    }
    Ok(())
}

/// Refuses to give orders to a crawl whose data folder this process may only read.
fn check_writable(dir: &Path) -> Result<(), UsageError> {
    match storage::why_not_writable(dir).filter(|_| dir.is_dir()) {
        None => Ok(()),
        Some(fault) => Err(UsageError::Argument(format!(
            "{} cannot be written to ({fault}); only the owner of the data folder can give orders to its crawl",
            dir.display()
        ))),
    }
}

fn json(value: &impl Serialize) -> Result<String, RunError> {
    terminal::json::to_string_pretty(value).map_err(|error| RunError::Render(error.to_string()))
}

fn said(text: impl Into<String>) -> Answer {
    Answer {
        done: true,
        text: text.into(),
        ..Answer::default()
    }
}

impl<'a> Crawl<'a> {
    /// Opens the crawl in `dir`. If none runs there, this process holds the folder, so that none begins before the order is written.
    fn open(dir: &'a Path) -> Result<Self, Error> {
        let store = super::store::open_again(dir)?;
        let journal = Journal::in_folder(dir);
        let mut reader = Reader::of(journal.clone());
        let entries = reader
            .read_on()
            .map_err(|source| RunError::io("use", journal.path().display(), source))?;
        Ok(Self {
            dir,
            is_running: store.as_of().is_some(),
            in_force: InForce::of(entries.orders()),
            store,
            journal,
            reader,
            entries,
        })
    }

    /// Refuses what makes no sense here.
    fn check(&self, order: &Order) -> Result<(), Error> {
        if order.is_of_hosts()
            && let Some(worker) = self.store.run_notes().worker().map_err(RunError::from)?
        {
            return Err(UsageError::Argument(orders::not_in_fleet(order, worker)).into());
        }
        if let Order::Restore { what } = order {
            orders::check_dropped(what, &self.in_force)?;
        }
        if let Order::Drop { what } = order {
            orders::check_number(what, &self.in_force)?;
        }
        Ok(())
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
            Order::Stop if !self.is_running => Some(format!(
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
    fn give(&mut self, order: Order) -> Result<Told, Error> {
        let word = order.word();
        let taken = self.store.run_notes().orders().map_err(RunError::from)?;
        let id = self
            .journal
            .order(order, taken.unwrap_or_default())
            .map_err(|source| RunError::io("write", self.journal.path().display(), source))?;
        let (state, answer) = if self.is_running {
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
