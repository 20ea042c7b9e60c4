//! The reason for the recommendation, as a word and as a sentence.

use dedup::Confirm;

use super::answer::{Recommended, SettingResult};
use terminal::commands::command;
use terminal::units::counted;

use crate::replay::{Comparison, IN_FORCE, Reason, Recommendation, Thresholds};

/// Labels that are enough for a recommendation, as the help of `crawler label` says.
const ENOUGH_LABELS: usize = 20;

/// The recommendation with its reason.
pub(super) fn recommended(results: &[SettingResult], recommendation: &Recommendation, labels: usize) -> Recommended {
    let result = &results[recommendation.cell];
    Recommended {
        setting: result.thresholds,
        stays: result.is_in_force,
        why: why(results, &recommendation.reason),
        alike: alike(results).count(),
        reason: sentence(results, recommendation, labels) + &inseparable(results, labels),
    }
}

/// The reason as one word of the JSON.
fn why(results: &[SettingResult], reason: &Reason) -> &'static str {
    match reason {
        Reason::NoneBetter if has_no_pairs(results) => "nothing_judged",
        Reason::NothingJudged => "nothing_judged",
        Reason::NoneBetter => "none_better",
        Reason::MaybeChance { .. } => "maybe_chance",
        Reason::OneLabel { .. } => "one_label",
        Reason::Labels { .. } => "labels",
        Reason::Better { .. } => "better",
    }
}

fn sentence(results: &[SettingResult], recommendation: &Recommendation, labels: usize) -> String {
    let cell = recommendation.cell;
    let setting = named(results[cell].thresholds);
    let f1 = |cell: usize| {
        let f1 = results[cell].f1;
        f1.map_or("–".to_owned(), |f1| format!("{:.4}", f1.estimate))
    };
    match &recommendation.reason {
        Reason::NothingJudged => {
            format!("stay at {setting}: no page could be judged, so there is no evidence for another setting.")
        }
        Reason::NoneBetter if has_no_pairs(results) => format!(
            "stay at {setting}: no page of the sample has a duplicate, and no setting drops one, so nothing could be judged."
        ),
        Reason::NoneBetter => format!("stay at {setting}: no other setting is better.{}", as_good(results)),
        Reason::OneLabel { other } => format!(
            "stay at {setting}: one of your labels is against it, which is too little evidence for another setting of the whole crawl. \
             The nearest setting that agrees with it is {}.{}",
            named(results[*other].thresholds),
            few(labels),
        ),
        Reason::MaybeChance {
            best,
            comparison,
            at_most,
        } => format!(
            "stay at {setting}: the sample does not show that another setting is better. The best of the others, {} (F1 {} against {}), \
             is {}.",
            named(results[*best].thresholds),
            f1(*best),
            f1(IN_FORCE),
            compared(comparison, *at_most),
        ),
        Reason::Labels { contradicted, in_force } => format!(
            "{setting}: it contradicts {contradicted} of your labels, and the setting in force contradicts {in_force}. Its F1 is {} \
             against {}.{}",
            f1(cell),
            f1(IN_FORCE),
            few(labels),
        ),
        Reason::Better { comparison, at_most } => format!(
            "{setting}: F1 {} against {}. It is {}. Of the pages that are neither duplicates nor different it drops {}, and the \
             setting in force drops {}.",
            f1(cell),
            f1(IN_FORCE),
            compared(comparison, *at_most),
            results[cell].grey,
            results[IN_FORCE].grey,
        ),
    }
}

/// The other settings with the verdicts of the one in force, on every page of the crawl.
fn alike(results: &[SettingResult]) -> impl Iterator<Item = &SettingResult> {
    results
        .iter()
        .filter(|result| !result.is_in_force && result.newly_dropped == 0 && result.newly_kept == 0)
}

/// That other settings do the same, so that the crawl shows no difference between them.
fn as_good(results: &[SettingResult]) -> String {
    let alike: Vec<Thresholds> = alike(results).map(|result| result.thresholds).collect();
    let Some(in_force) = results.get(IN_FORCE).filter(|_| !alike.is_empty()) else {
        return String::new();
    };
    // Along each line through the setting in force: not every combination of two such values does the same.
    let of = |thresholds: &Thresholds| (thresholds.max_distance, similarity(thresholds));
    let (distance, same) = of(&in_force.thresholds);
    let others = alike.iter().map(of);
    let distances = others
        .clone()
        .filter(|(_, other)| *other == same)
        .map(|(distance, _)| distance);
    let similarities = others
        .filter(|(other, _)| *other == distance)
        .filter_map(|(_, other)| other);
    let mut which = Vec::new();
    let (least, most) = distances.fold((distance, distance), |(least, most), other| {
        (least.min(other), most.max(other))
    });
    if least < most {
        let with = same.map_or(String::new(), |same| format!("with similarity {same}, "));
        which.push(format!("{with}distances {least} to {most}"));
    }
    if let Some(same) = same {
        let (lowest, highest) = similarities.fold((same, same), |(low, high), other| (low.min(other), high.max(other)));
        if lowest < highest {
            which.push(format!("with distance {distance}, similarities {lowest} to {highest}"));
        }
    }
    let which = if which.is_empty() {
        String::new()
    } else {
        format!(" ({})", which.join("; "))
    };
    format!(
        " {} of the {} others give every page the same verdict{which}, so this crawl is too little evidence to choose between them.",
        alike.len(),
        results.len() - 1,
    )
}

/// The similarity that a setting requires, if its rule has one.
fn similarity(thresholds: &Thresholds) -> Option<f32> {
    match thresholds.confirm {
        Confirm::Sketch { min_similarity } => Some(min_similarity),
        Confirm::Distance | Confirm::Combined { .. } => None,
    }
}

/// That no setting agrees with every label: thresholds cannot tell the labelled pairs apart, and exceptions can.
fn inseparable(results: &[SettingResult], labels: usize) -> String {
    let best = results.iter().min_by_key(|result| result.labels_contradicted);
    let Some(best) = best.filter(|best| best.labels_contradicted > 0) else {
        return String::new();
    };
    format!(
        " No setting agrees with all of your {}: {} contradicts {}, the fewest. A pair labelled as different is kept all the same when all \
         pages are decided again.",
        counted(labels as u64, "label"),
        named(best.thresholds),
        best.labels_contradicted,
    )
}

/// That the labels are few.
fn few(labels: usize) -> String {
    if labels >= ENOUGH_LABELS {
        return String::new();
    }
    format!(
        " That rests on {}; {ENOUGH_LABELS} are enough: `{}` asks for more.",
        counted(labels as u64, "label"),
        command("label", &[])
    )
}

/// Whether no page of the sample has a duplicate and no setting drops one: then there is no estimate.
fn has_no_pairs(results: &[SettingResult]) -> bool {
    !results.iter().any(SettingResult::has_estimate)
}

fn compared(comparison: &Comparison, at_most: f64) -> String {
    format!(
        "right on {} pages where the setting in force is wrong, and wrong on {} where the setting in force is right (by chance alone: \
         p = {}; with so many settings, p must be at most {})",
        comparison.better,
        comparison.worse,
        probability(comparison.chance()),
        probability(at_most),
    )
}

/// With two significant digits.
fn probability(p: f64) -> String {
    match p {
        0.1.. => format!("{p:.2}"),
        0.001.. => format!("{p:.3}"),
        _ => format!("{p:.1e}"),
    }
}

/// A setting in words.
pub fn named(thresholds: Thresholds) -> String {
    let distance = thresholds.max_distance;
    match thresholds.confirm {
        Confirm::Sketch { min_similarity } => format!("distance {distance}, similarity {min_similarity}"),
        Confirm::Distance => format!("distance {distance} alone"),
        Confirm::Combined { .. } => format!("distance {distance}, the combined rule"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_the_same_are_counted_with_their_ranges() {
        let result = |max_distance, min_similarity, newly_dropped| {
            let thresholds = Thresholds {
                max_distance,
                confirm: Confirm::Sketch { min_similarity },
            };
            let mut result = SettingResult::new(thresholds, &crate::replay::Scored::default(), 0);
            result.newly_dropped = newly_dropped;
            result
        };
        let mut results = vec![result(10, 0.76, 0), result(2, 0.6, 1)];
        results[IN_FORCE].is_in_force = true;
        assert_eq!(as_good(&results), "");
        results.push(result(9, 0.9, 0));
        assert!(as_good(&results).starts_with(" 1 of the 2 others give every page the same verdict, so"));
        results.extend([result(2, 0.76, 0), result(10, 0.6, 0)]);
        assert!(as_good(&results).starts_with(
            " 3 of the 4 others give every page the same verdict (with similarity 0.76, distances 2 to 10; with distance 10, \
             similarities 0.6 to 0.76), so"
        ));
        assert_eq!(inseparable(&results, 2), "");
        results.iter_mut().for_each(|result| result.labels_contradicted = 1);
        let told = inseparable(&results, 2);
        assert!(
            told.contains(
                "No setting agrees with all of your 2 labels: distance 10, similarity 0.76 contradicts 1, the fewest"
            ),
            "{told}"
        );
        assert!(few(1).contains("rests on 1 label; 20 are enough") && few(20).is_empty());
    }

    #[test]
    fn a_small_probability_is_not_rounded_up_to_a_hundredth() {
        let of = |better, worse| probability(Comparison { better, worse }.chance());
        assert_eq!([of(34, 0), of(9, 1), of(3, 3)], ["5.8e-11", "0.011", "0.66"]);
    }
}
