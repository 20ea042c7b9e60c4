//! The answer for people.

use dedup::Confirm;

use super::answer::Answer;
use super::changes::Change;
use super::{IN_FORCE, table};
use crate::study::replay::{Cell, Comparison, Evidence, Reason};
use crate::terminal::text::terminal_text;

/// Characters of a URL that are shown.
const URL_CHARS: usize = 160;

/// Contradicted labels that are named.
const NAMED_LABELS: usize = 10;

pub(super) fn text(answer: &Answer<'_>) -> String {
    let mut parts = vec![heading(answer)];
    if !answer.crawl.pages.is_empty() {
        parts.push(tables(answer));
        parts.extend(labels(answer));
    }
    parts.push(format!("Recommended: {}", reason(answer)));
    parts.extend(changes(answer));
    parts.extend(written(answer));
    parts.join("\n\n")
}

fn heading(answer: &Answer<'_>) -> String {
    let pages = answer.crawl.pages.len();
    let mut lines = vec![format!(
        "{pages} pages replayed at {} settings. In force: {}, which drops {} of them.",
        answer.grid.cells().len(),
        named(answer.grid.cells()[IN_FORCE]),
        answer.in_force().dropped,
    )];
    let others = pages - answer.as_stored();
    if others > 0 {
        lines.push(format!(
            "{others} of them have another verdict in the crawl: it was given by another rule, or pages have changed since."
        ));
    }
    if answer.crawl.past > 0 {
        lines.push(format!(
            "{} pages are left out: they are of an earlier version of their URL, or have moved or gone since.",
            answer.crawl.past
        ));
    }
    let scored = answer.in_force().scored;
    if scored.judged() > 0 || scored.not_judged() > 0 {
        let of = if answer.is_limited { "a sample of " } else { "" };
        let mut line = format!(
            "Precision, recall and F1 are estimated from {of}{} pages, by their exact texts",
            scored.judged()
        );
        if scored.unknown > 0 {
            line += &format!(
                "; {} more, duplicates most of them, cannot be judged: texts that it takes are not stored (a crawl of an older version), so \
                 recall is too high",
                scored.unknown
            );
        }
        if scored.crowded > 0 {
            line += &format!(
                "; {} cannot be judged since more kept pages are like them than are compared",
                scored.crowded
            );
        }
        lines.push(line + ".");
    }
    lines.join("\n")
}

fn tables(answer: &Answer<'_>) -> String {
    let recommended = answer.recommendation.cell;
    let (measured, rows) = (answer.measured, &answer.measured.rows);
    let in_force = answer.grid.cells()[IN_FORCE];
    let has_labels = !answer.labels.labels.is_empty();
    let places = || rows.iter().enumerate();
    let mut parts = vec![format!(
        "Pages dropped, by the largest distance (down) and the smallest similarity (across; any: by distance alone).\n\
         * in force, < recommended\n{}",
        table::matrix(measured, recommended, |row| row.dropped.to_string())
    )];
    if rows.iter().any(|row| row.scored.shares()[2].is_some()) {
        parts.push(format!(
            "F1 of the same\n{}",
            table::matrix(measured, recommended, |row| {
                let [.., f1] = row.scored.shares();
                f1.map_or("–".to_owned(), |(f1, _)| format!("{f1:.3}"))
            })
        ));
    }
    let mut by_distance: Vec<_> = places()
        .filter(|(_, row)| row.cell.confirm == in_force.confirm)
        .collect();
    by_distance.sort_by_key(|(_, row)| row.cell.max_distance);
    parts.push(format!(
        "By distance, {}\n{}",
        confirmed(in_force.confirm),
        table::list(by_distance.into_iter(), recommended, has_labels, |row| format!(
            "≤{}",
            row.cell.max_distance
        ))
    ));
    let order = measured.confirms();
    let mut by_similarity: Vec<_> = places()
        .filter(|(_, row)| row.cell.max_distance == in_force.max_distance)
        .collect();
    by_similarity.sort_by_key(|(_, row)| order.iter().position(|confirm| *confirm == row.cell.confirm));
    parts.push(format!(
        "By similarity, at a distance of at most {}\n{}",
        in_force.max_distance,
        table::list(by_similarity.into_iter(), recommended, has_labels, |row| {
            match row.cell.confirm {
                Confirm::Sketch { min_similarity } => format!("≥{min_similarity}"),
                Confirm::Distance => "any".to_owned(),
                Confirm::Combined { .. } => "combined".to_owned(),
            }
        })
    ));
    parts.join("\n\n")
}

fn labels(answer: &Answer<'_>) -> Option<String> {
    let pairs = answer.labels.labels.len();
    if pairs == 0 {
        return None;
    }
    let mut lines = vec![format!(
        "Of {pairs} labelled pairs {} are contradicted in force, {} at {}",
        answer.in_force().contradicted,
        answer.row(answer.chosen).contradicted,
        named(answer.grid.cells()[answer.chosen]),
    )];
    let against = answer
        .contradicted
        .iter()
        .filter(|(_, _, cells)| cells.contains(answer.chosen));
    for (a, b, _) in against.take(NAMED_LABELS) {
        lines.push(format!("  {}  {}", shown(answer.url(*a)), shown(answer.url(*b))));
    }
    Some(lines.join("\n"))
}

/// The recommendation and its reason.
pub(super) fn reason(answer: &Answer<'_>) -> String {
    let setting = named(answer.grid.cells()[answer.recommendation.cell]);
    let f1 = |cell: usize| {
        let [.., f1] = answer.row(cell).scored.shares();
        f1.map_or("–".to_owned(), |(f1, _)| format!("{f1:.4}"))
    };
    let cell = answer.recommendation.cell;
    match &answer.recommendation.reason {
        Reason::NothingJudged => format!("stays at {setting}: no page could be judged, so nothing speaks for another."),
        Reason::NoneBetter if answer.has_no_pairs() => format!(
            "stays at {setting}: no page of the sample has a duplicate or is dropped at any setting, so nothing could be judged and \
             nothing speaks for another."
        ),
        Reason::NoneBetter => format!("stays at {setting}: no other setting is better."),
        Reason::MaybeChance {
            best,
            comparison,
            at_most,
        } => format!(
            "stays at {setting}: no other is better by more than the sample can tell. The best, {} (F1 {} against {}), is {}.",
            named(answer.grid.cells()[*best]),
            f1(*best),
            f1(IN_FORCE),
            compared(comparison, *at_most),
        ),
        Reason::Labels { contradicted, in_force } => format!(
            "{setting}: it contradicts {contradicted} of your labels, the one in force {in_force}; its F1 is {} against {}.",
            f1(cell),
            f1(IN_FORCE),
        ),
        Reason::Better { comparison, at_most } => {
            let grey = |cell: usize| answer.row(cell).scored.score.grey;
            format!(
                "{setting}: F1 {} against {}; it is {}. Of the pages that are neither duplicates nor different it drops {}, \
                 the one in force {}.",
                f1(cell),
                f1(IN_FORCE),
                compared(comparison, *at_most),
                grey(cell),
                grey(IN_FORCE),
            )
        }
    }
}

fn compared(comparison: &Comparison, at_most: f64) -> String {
    format!(
        "right on {} pages where the one in force is wrong, wrong on {} where that is right (by chance alone: p = {}; among so many \
         settings no more than {} counts)",
        comparison.better,
        comparison.worse,
        probability(comparison.chance()),
        probability(at_most),
    )
}

/// With two digits that say something.
fn probability(p: f64) -> String {
    match p {
        0.1.. => format!("{p:.2}"),
        0.001.. => format!("{p:.3}"),
        _ => format!("{p:.1e}"),
    }
}

fn changes(answer: &Answer<'_>) -> Option<String> {
    if answer.chosen == IN_FORCE {
        return None;
    }
    let (all, dropped) = (answer.changes.all.len(), answer.changes.dropped());
    let at = named(answer.grid.cells()[answer.chosen]);
    if all == 0 {
        return Some(format!("At {at} no page would be decided otherwise."));
    }
    let mut lines = vec![format!(
        "At {at}, {dropped} more pages would be dropped and {} more kept; the most doubtful first:",
        all - dropped
    )];
    lines.extend(
        answer
            .shown
            .iter()
            .map(|(change, jaccard)| changed(answer, change, *jaccard)),
    );
    if all > answer.shown.len() {
        lines.push(format!("  and {} more (--show N shows more)", all - answer.shown.len()));
    }
    Some(lines.join("\n"))
}

fn changed(answer: &Answer<'_>, change: &Change, jaccard: Option<f32>) -> String {
    let what = if change.is_dropped {
        "kept → dropped"
    } else {
        "dropped → kept"
    };
    let how = match change.evidence {
        Evidence::Exact => "the same text".to_owned(),
        Evidence::Near {
            distance: Some(distance),
            similarity,
        } => format!("distance {distance}, similarity {similarity:.3}"),
        Evidence::Near {
            distance: None,
            similarity,
        } => format!("short, similarity {similarity:.3}"),
    };
    let exact = jaccard.map_or("texts not stored".to_owned(), |jaccard| format!("exactly {jaccard:.3}"));
    format!(
        "  {what}  {how}, {exact}\n    {}\n    {}",
        shown(answer.url(change.page)),
        shown(answer.url(change.of))
    )
}

fn written(answer: &Answer<'_>) -> Option<String> {
    let Some(written) = answer.written else {
        let is_other = answer.chosen != IN_FORCE;
        return is_other.then(|| "Nothing is written; --write puts it into the configuration.".to_owned());
    };
    let path = written.path.display();
    if written.changes.is_empty() {
        return Some(format!("{path} stays as it is."));
    }
    let keys = written.changes.iter().map(|change| match &change.from {
        Some(from) => format!("  {} = {} (it was {from})", change.key, change.to),
        None => format!("  {} = {} (it was not there)", change.key, change.to),
    });
    let keys: Vec<String> = keys.collect();
    Some(format!(
        "Written to {path}:\n{}\nThe next run decides by it and makes its index anew for it; verdicts that are given stay. crawler \
         rebuild --redecide gives them anew.",
        keys.join("\n")
    ))
}

/// A setting in words.
fn named(cell: Cell) -> String {
    let distance = cell.max_distance;
    match cell.confirm {
        Confirm::Sketch { min_similarity } => format!("distance {distance}, similarity {min_similarity}"),
        Confirm::Distance => format!("distance {distance} alone"),
        Confirm::Combined { .. } => format!("distance {distance}, the combined rule"),
    }
}

fn confirmed(confirm: Confirm) -> String {
    match confirm {
        Confirm::Sketch { min_similarity } => format!("at a similarity of at least {min_similarity}"),
        Confirm::Distance => "which alone decides".to_owned(),
        Confirm::Combined { .. } => "by the combined rule".to_owned(),
    }
}

fn shown(url: &str) -> String {
    terminal_text(url, URL_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_probability_is_not_rounded_up_to_a_hundredth() {
        let of = |better, worse| probability(Comparison { better, worse }.chance());
        assert_eq!([of(34, 0), of(9, 1), of(3, 3)], ["5.8e-11", "0.011", "0.66"]);
    }
}
