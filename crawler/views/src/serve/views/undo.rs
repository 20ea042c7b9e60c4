//! What one can do who thinks that a page should not have been dropped.

use crate::serve::model::Row;
use study::explain::{ComparedPage, Remedy};
use terminal::commands::command;

/// What keeps a dropped page.
pub(super) struct Undo {
    /// The view in which the pair is labelled.
    pub pair: String,
    /// The setting nearest to the one in force that keeps the page: its address in the view Tune, if Tune varies it, and its words. `None` if no
    /// setting keeps the page.
    pub setting: Option<(Option<String>, String)>,
    pub is_exact: bool,
    /// Whether a label keeps it.
    pub by_label: bool,
    /// Whether the two pages have this label already.
    pub is_labelled: bool,
    /// Whether `dedup.numbers_must_match` keeps it.
    pub by_numbers: bool,
    /// The command that continues the crawl.
    pub run: String,
}

impl Undo {
    /// For the row of a page that was dropped because of the other one.
    pub fn of(row: &Row, other: &ComparedPage, remedy: &Remedy) -> Self {
        let setting = remedy.setting.as_ref();
        Self {
            pair: format!("/duplicates/pair?kept={}&other={}", other.page.number, row.id),
            setting: setting.map(|setting| {
                let link = setting.argument().map(|argument| format!("/tune#{argument}"));
                (link, setting.words.clone())
            }),
            is_exact: remedy.is_exact,
            by_label: remedy.exception.is_some(),
            is_labelled: remedy.is_labelled,
            by_numbers: remedy.by_numbers,
            run: command("run", &[]),
        }
    }
}
