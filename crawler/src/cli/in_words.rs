//! Comparisons in words, for people.

use dedup::{Confirm, DuplicateRule};

use crate::study::nearest::{Check, Likeness};

/// When two texts are duplicates by `rule`.
pub(super) fn rule_in_words(rule: &DuplicateRule) -> String {
    let confirm = match rule.confirm {
        Confirm::Distance => "nothing more is asked".to_owned(),
        Confirm::Sketch { min_similarity } => format!("confirmed by a similarity of at least {min_similarity}"),
        Confirm::Combined { weight, bound } => {
            format!(
                "confirmed by {weight} / (1 + distance) + {:.2} × likeness of titles and links of at least {bound}",
                1.0 - weight
            )
        }
    };
    let numbers = if rule.numbers_must_match {
        ", and the same numbers"
    } else {
        ""
    };
    format!("at most {} bits apart, {confirm}{numbers}", rule.max_distance)
}

/// When two texts are duplicates of which one is too short for a fingerprint.
pub(super) fn short_rule_in_words(rule: &DuplicateRule) -> String {
    let numbers = if rule.numbers_must_match {
        ", and the same numbers"
    } else {
        ""
    };
    format!(
        "without a fingerprint, a Jaccard index of the runs of five words of at least {}{numbers}",
        rule.min_similarity_short
    )
}

/// How two texts compare, and by how much each thing that is asked is met or missed.
pub(super) fn likeness(likeness: &Likeness) -> String {
    if likeness.is_exact {
        return "the very same text".to_owned();
    }
    if likeness.checks.is_empty() {
        return format!(
            "not compared by the rule, as one of the two is too short for a fingerprint; exact similarity {:.3}",
            likeness.similarity
        );
    }
    let mut parts: Vec<String> = likeness.checks.iter().map(check).collect();
    if likeness.distance.is_some() && likeness.checks.iter().all(|check| check.name != "similarity") {
        parts.push(format!("similarity {:.2}", likeness.similarity));
    }
    let verdict = if likeness.is_duplicate {
        "duplicate"
    } else {
        "no duplicate"
    };
    format!("{verdict}: {}", parts.join("; "))
}

fn check(check: &Check) -> String {
    let Check { value, bound, .. } = *check;
    let margin = (value - bound).abs();
    match check.name {
        "distance" if check.is_met => format!("{} apart, at most {bound} allowed", bits(value)),
        "distance" => format!("{} apart, {margin} more than allowed", bits(value)),
        "numbers" if check.is_met => "the same numbers".to_owned(),
        "numbers" => "other numbers".to_owned(),
        name => {
            let name = match name {
                "combined" => "combined measure",
                "similarity_short" => "exact similarity",
                _ => "similarity",
            };
            let side = if check.is_met { "over" } else { "short of" };
            format!("{name} {value:.3}, {margin:.3} {side} the {bound} needed")
        }
    }
}

fn bits(distance: f32) -> String {
    counted(distance as usize, "bit")
}

/// A share of 1.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        all if all >= 100.0 => "all".to_owned(),
        most if most > 99.0 => "over 99 %".to_owned(),
        none if none <= 0.0 => "nothing".to_owned(),
        little if little < 1.0 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// A number of things.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// How long a text is.
pub(super) fn text_size(words: usize, characters: usize) -> String {
    let in_characters = || format!("{} of scripts without spaces", counted(characters, "character"));
    match (words, characters) {
        (_, 0) => counted(words, "word"),
        (0, _) => in_characters(),
        _ => format!("{} and {}", counted(words, "word"), in_characters()),
    }
}
