//! Rules, comparisons and counts in words.

use dedup::normalize::normalize;
use dedup::segment::{TokenKind, tokens};
use dedup::{Confirm, DuplicateRule};

use terminal::units::counted;

use crate::nearest::{Check, Likeness};

/// The condition under which two texts are duplicates by `rule`.
pub fn rule_in_words(rule: &DuplicateRule) -> String {
    let confirm = match rule.confirm {
        Confirm::Distance => "without further confirmation".to_owned(),
        Confirm::Sketch { min_similarity } => format!("confirmed by a similarity of at least {min_similarity}"),
        Confirm::Combined { weight, bound } => {
            format!(
                "confirmed by {weight} / (1 + distance) + {:.2} × likeness of titles and links of at least {bound}",
                1.0 - weight
            )
        }
    };
    format!(
        "at most {} apart, {confirm}{}",
        counted(rule.max_distance.into(), "bit"),
        further_conditions(rule)
    )
}

/// The conditions that hold for texts of any length.
fn further_conditions(rule: &DuplicateRule) -> String {
    let mut conditions = String::new();
    if rule.numbers_must_match {
        conditions.push_str(", and equal numbers");
    }
    if rule.min_own_words > 0 {
        conditions.push_str(&format!(
            ", and for pages of one host with other headings fewer than {} own words",
            rule.min_own_words
        ));
    }
    conditions
}

/// The condition under which two texts are duplicates by `rule`, if one of them is too short for a fingerprint.
pub fn short_rule_in_words(rule: &DuplicateRule) -> String {
    format!(
        "for a short text, a Jaccard index of the runs of five words of at least {}{}",
        rule.min_similarity_short,
        further_conditions(rule)
    )
}

/// The comparison of two texts, with the margin of each check of the rule.
pub fn likeness(likeness: &Likeness) -> String {
    if likeness.is_exact {
        return "the same text".to_owned();
    }
    if likeness.checks.is_empty() {
        return format!(
            "not compared by the rule, because one of the two texts is too short for a fingerprint; exact similarity {:.3}",
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
        "not a duplicate"
    };
    format!("{verdict}: {}", parts.join("; "))
}

fn check(check: &Check) -> String {
    let Check { value, bound, .. } = *check;
    let margin = (value - bound).abs();
    match check.name {
        "distance" if check.is_met => format!("{} apart, at most {bound} allowed", bits(value)),
        "distance" => format!("{} apart, {margin} more than allowed", bits(value)),
        "numbers" if check.is_met => "equal numbers".to_owned(),
        "numbers" => "different numbers".to_owned(),
        "own_words" if check.is_met => format!("other headings, but only {} of its own", counted(value as u64, "word")),
        "own_words" => format!(
            "other headings and {} of their own, at most {bound} allowed",
            counted(value as u64, "word")
        ),
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
    counted(distance as u64, "bit")
}

/// A share from 0 to 1, in percent.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        all if all >= 100.0 => "all".to_owned(),
        most if most > 99.0 => "over 99 %".to_owned(),
        none if none <= 0.0 => "nothing".to_owned(),
        little if little < 1.0 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// What a text needs for a fingerprint, under the floor of a scheme.
pub fn fingerprint_floor(min_words: usize) -> String {
    format!(
        "a fingerprint needs {min_words} words (or {} Chinese characters)",
        6 * min_words
    )
}

/// The length of a text, as its reader counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSize {
    /// Words and numbers.
    pub words: usize,
    /// Characters of scripts without spaces.
    pub characters: usize,
}

impl TextSize {
    /// The length of this text.
    pub fn of(text: &str) -> Self {
        let text = normalize(text);
        let mut size = Self {
            words: 0,
            characters: 0,
        };
        for token in tokens(&text) {
            match token.kind {
                TokenKind::Character => size.characters += 1,
                TokenKind::Word | TokenKind::Number => size.words += 1,
            }
        }
        size
    }
}

/// The length of a text, in words.
pub fn text_size(words: usize, characters: usize) -> String {
    let in_characters = || format!("{} of scripts without spaces", counted(characters as u64, "character"));
    match (words, characters) {
        (_, 0) => counted(words as u64, "word"),
        (0, _) => in_characters(),
        _ => format!("{} and {}", counted(words as u64, "word"), in_characters()),
    }
}
