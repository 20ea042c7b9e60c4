//! Decides one document after the other, in input order or in the order of a choice, and writes the verdicts in input order.

use super::analysis::{Analyzed, Item, Signed};
use super::decided::{Answer, Decided};
use super::judge::{Added, Judge};
use super::lines::{Line, Outcome, Writes, wall_json};
use super::ordered::Ordered;
use super::tally::Tally;
use error::RunError;
use files::{At, Fault, Place};

/// The stage that decides.
#[derive(Debug)]
pub(super) struct Decider {
    pub judge: Judge,
    pub writes: Writes,
    /// The documents so far, if they are decided in an order that is known only at the end.
    pub ordered: Option<Ordered>,
}

impl Decider {
    /// Decides on a batch, or keeps it for the end.
    pub(super) fn decide(&mut self, mut analyzed: Analyzed, tally: &Tally) -> Result<Decided, RunError> {
        let mut decided = Decided::default();
        tally.add_analyzed(&analyzed);
        for item in std::mem::take(&mut analyzed.items) {
            match item {
                Item::Document(document) => self.document(&analyzed, &document, tally, &mut decided)?,
                Item::Wall(blocked) => {
                    let (id, wall) = (analyzed.id_of_wall(&blocked), wall_json(&blocked.wall));
                    let line = Line {
                        id,
                        record: analyzed.record_of_wall(&blocked),
                        outcome: Outcome::Blocked(wall.as_bytes()),
                    };
                    match &mut self.ordered {
                        Some(ordered) => ordered.push_blocked(&line, tally),
                        None => {
                            tally.add_blocked();
                            line.write(self.writes, &mut decided);
                        }
                    }
                }
                Item::Fault(fault) => {
                    tally.add_fault();
                    decided.faults.push(fault);
                }
            }
        }
        if let Some(ordered) = &mut self.ordered {
            ordered.spill()?;
        }
        self.judge.spill_ids()?;
        self.judge.save_at_times()?;
        Ok(decided)
    }

    fn document(
        &mut self,
        analyzed: &Analyzed,
        document: &Signed,
        tally: &Tally,
        decided: &mut Decided,
    ) -> Result<(), RunError> {
        let (id, record) = (analyzed.id(document), analyzed.record(document));
        if let Some(ordered) = &mut self.ordered {
            return ordered.push(id, record, document, tally);
        }
        match self.judge.add(id, &document.signature)? {
            Added::Decided(verdict, of) => {
                tally.add_verdict(&verdict);
                let outcome = Outcome::Decided(verdict, &of);
                Line { id, record, outcome }.write(self.writes, decided);
            }
            Added::OtherText => {
                tally.add_fault();
                decided.faults.push(other_text(id));
            }
            Added::LeftOut => tally.add_left_out(),
        }
        Ok(())
    }

    /// Decides on the documents that were kept for the end. Returns whether it came to the end.
    pub(super) fn finish(
        &mut self,
        tally: &Tally,
        is_stopped: &dyn Fn() -> bool,
        answer: &mut Answer<'_>,
    ) -> Result<bool, RunError> {
        let (Some(ordered), Judge::Memory { dedup, .. }) = (&mut self.ordered, &self.judge) else {
            return Ok(true);
        };
        Ok(ordered.decide(dedup, is_stopped)? && ordered.write(self.writes, tally, is_stopped, answer)?)
    }
}

fn other_text(id: &[u8]) -> Fault {
    let place = Place {
        source: String::from_utf8_lossy(id).into(),
        at: At::Whole,
    };
    Fault::new(
        place,
        "the index has this id with another text: give the document another id, or use another index",
    )
}
