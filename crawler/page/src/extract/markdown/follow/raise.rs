//! Texts above and below the line.

use super::super::line::{Gap, Ink, Line, Raised};
use super::super::raised::{Notation, notation};
use super::Follow;

impl Follow<'_, '_> {
    /// Ends a text above or below the line.
    pub(super) fn end_raised(&mut self) {
        if std::mem::take(&mut self.has_parenthesis) {
            let ink = without_link(&self.ink());
            self.line.push_words(")", Gap::None, &ink);
        }
    }
}

/// Adds words, in the notation for texts above and below the line if they are one.
pub(super) fn push(line: &mut Line, has_parenthesis: &mut bool, words: &str, gap: Gap, ink: &Ink) {
    if *has_parenthesis {
        return line.push_words(words, gap, ink);
    }
    match notation(words, ink) {
        Notation::Plain => line.push_words(words, gap, ink),
        Notation::Characters(words) => line.push_words(&words, gap, ink),
        Notation::Parentheses(raised) => {
            let mark = match raised {
                Raised::Super => "^(",
                Raised::Sub => "_(",
            };
            line.push_words(mark, gap, &without_link(ink));
            line.push_words(words, Gap::None, ink);
            *has_parenthesis = true;
        }
    }
}

fn without_link(ink: &Ink) -> Ink {
    Ink {
        link: None,
        ..ink.clone()
    }
}
