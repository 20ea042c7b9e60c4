//! The reason for the recommendation, as a word and as a sentence.

use dedup::Confirm;

use super::answer::{Recommended, SettingResult};
use crate::replay::{Comparison, IN_FORCE, Reason, Recommendation, Thresholds};

/// The recommendation with its reason.
pub(super) fn recommended(results: &[SettingResult], recommendation: &Recommendation) -> Recommended {
    let result = &results[recommendation.cell];
    Recommended {
        setting: result.thresholds,
        stays: result.is_in_force,
        why: why(results, &recommendation.reason),
        reason: sentence(results, recommendation),
    }
}

/// The reason as one word of the JSON.
fn why(results: &[SettingResult], reason: &Reason) -> &'static str {
    match reason {
        Reason::NoneBetter if has_no_pairs(results) => "nothing_judged",
        Reason::NothingJudged => "nothing_judged",
        Reason::NoneBetter => "none_better",
        Reason::MaybeChance { .. } => "maybe_chance",
        Reason::Labels { .. } => "labels",
        Reason::Better { .. } => "better",
    }
}

fn sentence(results: &[SettingResult], recommendation: &Recommendation) -> String {
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
        Reason::NoneBetter => format!("stay at {setting}: no other setting is better."),
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
             against {}.",
            f1(cell),
            f1(IN_FORCE),
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
    fn a_small_probability_is_not_rounded_up_to_a_hundredth() {
        let of = |better, worse| probability(Comparison { better, worse }.chance());
        assert_eq!([of(34, 0), of(9, 1), of(3, 3)], ["5.8e-11", "0.011", "0.66"]);
    }
}
