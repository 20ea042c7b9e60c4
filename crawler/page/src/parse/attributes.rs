//! Detects a tag with too many attributes while the tokenizer is still inside it.
//!
//! The tokenizer compares each attribute with all previous ones and reports nothing before the end of the tag, so a hundred
//! thousand attributes cause five thousand million comparisons. From outside, only the absence of tokens is visible. This module
//! then follows the text itself. It does not know where the open tag began, so it follows *every* possible beginning at once,
//! as a nondeterministic automaton whose states carry the number of attributes. A beginning that reaches its `>` is dropped,
//! because a token would have arrived. The true beginning is always among the others, so the count is never too low.

use super::MAX_ATTRIBUTES;

/// A position within a tag (WHATWG HTML, sections 13.2.5.8 and 13.2.5.32 to 13.2.5.39).
#[derive(Clone, Copy)]
enum State {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

const STATES: [State; 8] = [
    State::TagName,
    State::BeforeName,
    State::Name,
    State::AfterName,
    State::BeforeValue,
    State::DoubleQuoted,
    State::SingleQuoted,
    State::Unquoted,
];

/// For each state, the most attributes of any beginning in it.
type Beginnings = [Option<usize>; STATES.len()];

/// Follows the text of a token that is longer than a chunk.
#[derive(Default)]
pub(super) struct AttributeFlood {
    beginnings: Beginnings,
    after_less_than: bool,
}

impl AttributeFlood {
    /// A token has arrived, so there is no tag to follow.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Takes further text since the last token. True if an open tag has too many attributes.
    pub(super) fn follow(&mut self, text: &str) -> bool {
        self.read(text);
        self.beginnings
            .iter()
            .flatten()
            .any(|&attributes| attributes > MAX_ATTRIBUTES)
    }

    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            let mut next = Beginnings::default();
            for (state, attributes) in STATES.iter().zip(self.beginnings) {
                let Some(attributes) = attributes else { continue };
                if let Some((state, attributes)) = step(*state, attributes, byte) {
                    let slot = &mut next[state as usize];
                    *slot = (*slot).max(Some(attributes));
                }
            }
            if self.after_less_than && byte.is_ascii_alphabetic() {
                let slot = &mut next[State::TagName as usize];
                *slot = (*slot).max(Some(0));
            }
            self.after_less_than = byte == b'<';
            self.beginnings = next;
        }
    }
}

/// The state after one more byte; `None` at the end of the tag.
fn step(state: State, attributes: usize, byte: u8) -> Option<(State, usize)> {
    use State::{AfterName, BeforeName, BeforeValue, DoubleQuoted, Name, SingleQuoted, TagName, Unquoted};
    let space = matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ');
    let next = match (state, byte) {
        (DoubleQuoted, b'"') | (SingleQuoted, b'\'') => BeforeName,
        (DoubleQuoted | SingleQuoted, _) => state,
        (_, b'>') => return None,
        (BeforeValue, b'"') => DoubleQuoted,
        (BeforeValue, b'\'') => SingleQuoted,
        (BeforeValue, _) if space => BeforeValue,
        (Unquoted, _) if space => BeforeName,
        (BeforeValue | Unquoted, _) => Unquoted,
        (Name | AfterName, b'=') => BeforeValue,
        (Name | AfterName, _) if space => AfterName,
        (TagName | BeforeName, _) if space => BeforeName,
        (_, b'/') => BeforeName,
        (TagName | Name, _) => state,
        (BeforeName | AfterName, _) => return Some((Name, attributes + 1)),
    };
    Some((next, attributes))
}
