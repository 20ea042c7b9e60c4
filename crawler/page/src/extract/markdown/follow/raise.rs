//! Texts above and below the line.

use super::super::line::{Gap, Ink, Line, Raise, Raised};
use super::super::raised::{Notation, notation};
use super::Follow;

impl Follow<'_, '_> {
    /// Ends a text above or below the line.
    pub(super) fn end_raised(&mut self) {
        if let Some(raise) = self.parenthesis.take() {
            self.line.push_words(")", Gap::None, &around(raise));
        }
    }
}

/// Adds words, in the notation for texts above and below the line if they are one. `open` is the one that has an open parenthesis.
pub(super) fn push(line: &mut Line, open: &mut Option<Raise>, words: &str, gap: Gap, ink: &Ink) {
    if open.is_some() {
        return line.push_words(words, gap, ink);
    }
    match notation(words, ink) {
        Notation::Plain => line.push_words(words, gap, ink),
        Notation::Characters(words) => line.push_words(&words, gap, ink),
        Notation::Parentheses(raise) => {
            let mark = match raise.to {
                Raised::Super => "^(",
                Raised::Sub => "_(",
            };
            line.push_words(mark, gap, &around(raise));
            line.push_words(words, Gap::None, ink);
            *open = Some(raise);
        }
    }
}

/// How the parentheses are written.
fn around(raise: Raise) -> Ink {
    Ink {
        style: raise.style,
        ..Ink::default()
    }
}
