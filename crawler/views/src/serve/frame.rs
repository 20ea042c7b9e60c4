//! What stands around a view: the menu, the token, and the standing of the model.

use super::keeper::Current;

/// What stands around a view.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// The view that the menu marks.
    pub view: &'static str,
    /// For writes.
    pub token: &'a str,
    /// The data folder.
    pub data: String,
    /// `None` without a model.
    pub note: Option<Note>,
}

/// The standing of the model, under the menu.
#[derive(Debug)]
pub(super) struct Note {
    pub read_at: String,
    /// Counts the readings; a page that shows an older one says so.
    pub number: u64,
    pub is_reading: bool,
    pub problem: Option<String>,
}

impl Note {
    pub fn of(current: &Current) -> Self {
        Self {
            read_at: current.model.read_at.clone(),
            number: current.model.number,
            is_reading: current.is_reading,
            problem: current.problem.clone(),
        }
    }
}
