//! Text above or below the line, where Unicode has characters for it. Markdown has no mark for it, and 2⁸ is not 28.

use std::borrow::Cow;

use super::line::{Ink, Raised};

/// Characters that Unicode has above and below the line ("Superscripts and Subscripts", U+2070 to U+209F, and Latin-1).
const CHARACTERS: [(char, char, char); 15] = [
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
    ('=', '⁼', '₌'),
    ('(', '⁽', '₍'),
    (')', '⁾', '₎'),
];

/// The words with these characters, if all of them have one. The text of a link is the name of a note.
pub(super) fn written<'w>(words: &'w str, ink: &Ink) -> Cow<'w, str> {
    let Some(raised) = ink.raised.filter(|_| ink.link.is_none() && ink.code.is_none()) else {
        return words.into();
    };
    let character = |c: char| {
        let (_, above, below) = CHARACTERS.iter().find(|(plain, _, _)| *plain == c)?;
        Some(match raised {
            Raised::Super => *above,
            Raised::Sub => *below,
        })
    };
    let raised = words.chars().map(character).collect::<Option<String>>();
    raised.map_or(words.into(), Cow::Owned)
}
