//! Text above or below the line. Markdown has no mark for it, and 2⁸ is not 28. Unicode has characters for digits; the rest stands between
//! parentheses.

use super::line::{Ink, Raise, Raised};

/// Characters that Unicode has above and below the line ("Superscripts and Subscripts", U+2070 to U+209F, and Latin-1).
const CHARACTERS: [(char, char, char); 16] = [
    ('0', '⁰', '₀'),
    ('1', '¹', '₁'),
    ('2', '²', '₂'),
    ('3', '³', '₃'),
    ('4', '⁴', '₄'),
    ('5', '⁵', '₅'),
    ('6', '⁶', '₆'),
    ('7', '⁷', '₇'),
    ('8', '⁸', '₈'),
    ('9', '⁹', '₉'),
    ('+', '⁺', '₊'),
    ('-', '⁻', '₋'),
    // The minus sign of typesetters.
    ('−', '⁻', '₋'),
    ('=', '⁼', '₌'),
    ('(', '⁽', '₍'),
    (')', '⁾', '₎'),
];

/// How words above or below the line are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As they are.
    Plain,
    /// With the characters above.
    Characters(String),
    /// Between parentheses, with a mark before them, as by Pandoc: `x_(max)`, `10^(n−1)`.
    Parentheses(Raise),
}

/// The notation of words. With characters, if all of the words have one and no link is around them only: the text of a link is the name of a
/// note. Else between parentheses, where the words would read as a part of the word before them: numbers, and what is below the line. Letters above
/// the line are mostly endings and abbreviations (1st, Mme).
pub(super) fn notation(words: &str, ink: &Ink) -> Notation {
    let Some(raised) = ink.raised.filter(|_| ink.code.is_none()) else {
        return Notation::Plain;
    };
    let has_link_within = ink.link.is_some() && !raised.is_in_link;
    let character = |c: char| {
        let (_, above, below) = CHARACTERS.iter().find(|(plain, _, _)| *plain == c)?;
        Some(match raised.to {
            Raised::Super => *above,
            Raised::Sub => *below,
        })
    };
    let with_characters = words.chars().map(character).collect::<Option<String>>();
    if let Some(words) = with_characters.filter(|_| !has_link_within) {
        return Notation::Characters(words);
    }
    let reads_as_word = match raised.to {
        Raised::Super => words.contains(char::is_numeric),
        Raised::Sub => words.contains(char::is_alphanumeric),
    };
    // A link between the parentheses of another one reads as a note to some programs: `[^(1a)](…)`.
    if reads_as_word && !raised.is_in_link && !words.starts_with(['[', '(']) {
        Notation::Parentheses(raised)
    } else {
        Notation::Plain
    }
}
