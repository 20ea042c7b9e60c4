//! The name of the field with the text may be wrong: then no record has it, and this is one error, not one for each record.

use crate::cli::error::UsageError;
use files::Fault;

/// With so many records without the field, and none with it, the name is wrong.
const ENOUGH: usize = 1_000;

/// Records without the field, as long as no record has it.
#[derive(Debug, Default)]
pub(super) struct Lacking {
    first: Option<Fault>,
    held: Vec<Fault>,
}

impl Lacking {
    /// The faults that can be reported now: none of records without the field, before there is a document.
    ///
    /// # Errors
    /// There are enough of them.
    pub(super) fn hold(&mut self, faults: &[Fault], documents: u64) -> Result<Vec<Fault>, UsageError> {
        if documents > 0 {
            return Ok(self.held.drain(..).chain(faults.iter().cloned()).collect());
        }
        let (lacking, others): (Vec<&Fault>, Vec<&Fault>) = faults.iter().partition(|fault| fault.lacks_text);
        self.first = self.first.take().or_else(|| lacking.first().copied().cloned());
        self.held.extend(lacking.into_iter().cloned());
        if self.held.len() >= ENOUGH {
            self.refuse()?;
        }
        Ok(others.into_iter().cloned().collect())
    }

    /// # Errors
    /// A record lacked the field.
    pub(super) fn refuse(&mut self) -> Result<(), UsageError> {
        match self.first.take() {
            Some(first) => Err(UsageError::Argument(format!("{}: {}", first.place, first.reason))),
            None => Ok(()),
        }
    }
}
