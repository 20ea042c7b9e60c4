//! A text as a sequence of units: its tokens, each date or clock time as one if the scheme masks them.

use crate::dates::date_length;
use crate::hash::{hash_word, hash64};
use crate::segment::{Token, TokenKind, tokens};

/// What a masked date or clock time is shown as.
pub(crate) const DATE: &str = "<date>";

/// A token, or a masked date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub hash: u64,
    /// Where it stands in the normalised text.
    pub start: usize,
    pub length: u32,
    pub kind: UnitKind,
    /// A number, or a word with a digit in it.
    pub is_number: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A word or a number.
    Word,
    /// A character of a script without spaces.
    Character,
    /// Any date or clock time.
    Date,
}

impl Unit {
    pub fn end(&self) -> usize {
        self.start + self.length as usize
    }

    /// What it reads as.
    pub fn shown<'a>(&self, text: &'a str) -> &'a str {
        match self.kind {
            UnitKind::Date => DATE,
            _ => text.get(self.start..self.end()).unwrap_or(""),
        }
    }
}

/// Cuts a normalised text into `units`.
pub(crate) fn cut(text: &str, mask_dates: bool, units: &mut Vec<Unit>) {
    units.clear();
    if !mask_dates {
        return units.extend(tokens(text).map(|token| unit(&token)));
    }
    // A date is at most this many tokens long, so no more are looked at ahead.
    const AHEAD: usize = 6;
    let date = hash64(DATE.as_bytes());
    let mut window: Vec<Token<'_>> = Vec::with_capacity(2 * AHEAD);
    let mut all = tokens(text);
    let mut at = 0;
    loop {
        if window.len() < at + AHEAD {
            window.drain(..at);
            at = 0;
            window.extend(all.by_ref().take(AHEAD * 8));
        }
        let Some(token) = window.get(at) else { return };
        match date_length(text, &window[at..]) {
            0 => {
                units.push(unit(token));
                at += 1;
            }
            length => {
                let last = &window[at + length - 1];
                units.push(Unit {
                    hash: date,
                    start: token.start,
                    length: u32::try_from(last.start + last.text.len() - token.start).unwrap_or(u32::MAX),
                    kind: UnitKind::Date,
                    is_number: false,
                });
                at += length;
            }
        }
    }
}

fn unit(token: &Token<'_>) -> Unit {
    let has_digit = || token.text.bytes().any(|b| b.is_ascii_digit());
    Unit {
        hash: hash_word(token.text.as_bytes()),
        start: token.start,
        length: u32::try_from(token.text.len()).unwrap_or(u32::MAX),
        kind: match token.kind {
            TokenKind::Character => UnitKind::Character,
            TokenKind::Word | TokenKind::Number => UnitKind::Word,
        },
        is_number: token.kind == TokenKind::Number || token.kind == TokenKind::Word && has_digit(),
    }
}
