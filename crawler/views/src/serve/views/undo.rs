//! What one can do who thinks that a page should not have been dropped.

use crate::report::Report;
use crate::serve::model::{Outcome, Row};
use crate::serve::tuner::SIMILARITIES;
use study::explain::ComparedPage;

/// What keeps a dropped page.
pub(super) struct Undo {
    /// The view in which the pair is labelled.
    pub pair: String,
    /// The setting nearest to the one in force that keeps it, in the view Tune and in words; `None` for the same text, which every setting
    /// drops.
    pub setting: Option<(String, String)>,
    pub is_exact: bool,
}

impl Undo {
    /// For the row of a page that was dropped because of the other one; `None` for a kept page.
    pub fn of(row: &Row, other: &ComparedPage, report: &Report) -> Option<Self> {
        let is_exact = match row.outcome {
            Outcome::Exact => true,
            Outcome::Near => false,
            _ => return None,
        };
        Some(Self {
            pair: format!("/duplicates/pair?kept={}&other={}", other.page.number, row.id),
            setting: (!is_exact).then(|| setting(other, report)).flatten(),
            is_exact,
        })
    }
}

fn setting(other: &ComparedPage, report: &Report) -> Option<(String, String)> {
    let (likeness, rule) = (other.likeness.as_ref()?, &report.thresholds);
    let least = SIMILARITIES.into_iter().find(|least| *least > likeness.similarity);
    if let (Some(_), Some(least)) = (rule.min_similarity, least) {
        let words = format!("a smallest similarity of {least}");
        return Some((format!("/tune#{},{least}", rule.max_distance), words));
    }
    let distance = likeness.distance?.checked_sub(1)?;
    let least = rule.min_similarity.map(|least| format!(",{least}")).unwrap_or_default();
    let bits = if distance == 1 {
        "1 bit".to_owned()
    } else {
        format!("{distance} bits")
    };
    Some((
        format!("/tune#{distance}{least}"),
        format!("a largest distance of {bits}"),
    ))
}
