//! The last orders of the journal, with what became of each.

use std::time::SystemTime;

use serde_json::{Value, json};

use crate::report::html::cut;
use crate::serve::moment::Moment;
use crawl::control::answer::Answer;
use crawl::control::entry::Ordered;
use crawl::control::giver::Giver;
use crawl::control::order::Order;
use crawl::control::status::time;
use error::RunError;

/// Orders that the view and the answer for programs have.
pub(super) const SHOWN: usize = 50;

/// URLs, hosts or patterns of one order that the view names.
const NAMED: usize = 3;

const CHARS: usize = 300;
const ANSWER_CHARS: usize = 1_000;

/// An order as the view shows it.
#[derive(Debug)]
pub(super) struct GivenOrder {
    pub at: Moment,
    pub word: &'static str,
    /// The URLs, hosts or patterns; empty for an order of the whole crawl.
    pub what: String,
    pub further: usize,
    pub state: &'static str,
    pub class: &'static str,
    pub answer: String,
}

/// An order with what became of it.
struct Last<'a> {
    ordered: &'a Ordered,
    answer: Option<&'a Answer>,
    is_taken: bool,
}

impl Last<'_> {
    fn state(&self) -> &'static str {
        match self.answer {
            Some(answer) if answer.done => "done",
            Some(_) => "refused",
            None if self.is_taken => "taken",
            None => "waiting",
        }
    }
}

impl Last<'_> {
    /// The answer; empty for an order that waits for a run, which the view says once.
    fn words(&self, is_running: bool) -> String {
        match self.answer {
            Some(answer) => cut(&answer.text, ANSWER_CHARS),
            None if self.is_taken => "The crawl has taken it, and its answer is not there yet.".to_owned(),
            None if is_running => "The crawl has not taken it yet.".to_owned(),
            None => String::new(),
        }
    }
}

/// The last orders, the newest first.
fn last_of<'a>(crawl: &'a Giver<'_>) -> Result<Vec<Last<'a>>, RunError> {
    let taken = crawl.store.run_notes().orders()?.unwrap_or_default();
    let mut orders: Vec<&Ordered> = crawl.entries.orders().collect();
    orders.reverse();
    orders.truncate(SHOWN);
    let last = orders.into_iter().map(|ordered| {
        let answer = crawl.entries.answer_to(ordered.id);
        Last {
            ordered,
            answer,
            is_taken: answer.is_some() || ordered.id <= taken,
        }
    });
    Ok(last.collect())
}

fn what(order: &Order) -> (String, usize) {
    let texts = match order {
        Order::Pause | Order::Resume | Order::Stop => &[][..],
        Order::Add { urls } => urls,
        Order::Drop { what } | Order::Restore { what } => what,
        Order::Delay {
            host,
            seconds: Some(seconds),
        } => return (format!("{}: {seconds} s", cut(host, CHARS)), 0),
        Order::Delay { host, seconds: None } => return (format!("{}: default", cut(host, CHARS)), 0),
    };
    let named: Vec<String> = texts.iter().take(NAMED).map(|text| cut(text, CHARS)).collect();
    (named.join(", "), texts.len().saturating_sub(NAMED))
}

/// For the view.
pub(super) fn last(crawl: &Giver<'_>, now: SystemTime) -> Result<Vec<GivenOrder>, RunError> {
    let shown = last_of(crawl)?.into_iter().map(|last| {
        let (what, further) = what(&last.ordered.order);
        let state = last.state();
        GivenOrder {
            at: Moment::of(&time(last.ordered.id), now),
            word: last.ordered.order.word(),
            what,
            further,
            state,
            class: if state == "refused" { "failed" } else { "" },
            answer: last.words(crawl.is_running()),
        }
    });
    Ok(shown.collect())
}

/// For programs: the lines of the journal, each order with its answer.
pub(super) fn last_json(crawl: &Giver<'_>) -> Result<Vec<Value>, RunError> {
    let lines = last_of(crawl)?.into_iter();
    let lines = lines.map(|last| json!({"ordered": last.ordered, "state": last.state(), "answer": last.answer}));
    Ok(lines.collect())
}
