//! A text as a sequence of units: its tokens, with each date or clock time as one unit if the scheme masks them.

mod runs;

use crate::dates::{MOST_TOKENS, begins_like_date, date_length, may_begin, may_begin_with_character};
use crate::hash::{KEEP, SHORT, hash_short, hash_word, hash64, short_word};
use crate::segment::{Token, TokenKind, tokens};
use runs::each_run;

/// The text shown for a masked date or clock time.
pub(crate) const DATE: &str = "<date>";

/// A token, or a masked date. It takes 16 bytes, because a long text has millions of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub hash: u64,
    /// From the lowest bit: kind, [`NUMBER`], length in bytes, and position of the first byte in the normalised text. Lengths and positions
    /// that do not fit (128 MiB, 16 GiB) are saturated; only explanations, runs of characters and lengths of features use them.
    packed: u64,
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

/// The bits of the kind.
const KIND: u64 = 0b11;
/// Whether the unit is a number or a word with a digit.
const NUMBER: u64 = 1 << 2;
const LENGTH_SHIFT: u32 = 3;
const LENGTH_BITS: u32 = 27;
const START_SHIFT: u32 = LENGTH_SHIFT + LENGTH_BITS;
const MAX_LENGTH: u64 = (1 << LENGTH_BITS) - 1;
const MAX_START: u64 = u64::MAX >> START_SHIFT;

impl Unit {
    #[inline(always)]
    pub fn new(hash: u64, (start, length): (usize, usize), kind: UnitKind, is_number: bool) -> Self {
        let start = (start as u64).min(MAX_START) << START_SHIFT;
        let length = (length as u64).min(MAX_LENGTH) << LENGTH_SHIFT;
        let number = if is_number { NUMBER } else { 0 };
        Self {
            hash,
            packed: start | length | number | kind as u64,
        }
    }

    /// Position of its first byte in the normalised text.
    pub fn start(self) -> usize {
        (self.packed >> START_SHIFT) as usize
    }

    pub fn end(self) -> usize {
        self.start() + (self.packed >> LENGTH_SHIFT & MAX_LENGTH) as usize
    }

    #[inline(always)]
    pub fn is(self, kind: UnitKind) -> bool {
        self.packed & KIND == kind as u64
    }

    /// Whether it is a number or a word with a digit.
    #[inline(always)]
    pub fn is_number(self) -> bool {
        self.packed & NUMBER != 0
    }

    /// The unit as it reads in the normalised text.
    pub fn shown(self, text: &str) -> &str {
        if self.is(UnitKind::Date) {
            return DATE;
        }
        text.get(self.start()..self.end()).unwrap_or("")
    }
}

/// Replaces the contents of `units` with the units of a normalised text. The result equals [`tokens`] with dates
/// masked; the code for short ASCII words is faster.
pub(crate) fn cut(text: &str, mask_dates: bool, units: &mut Vec<Unit>) {
    units.clear();
    let mut cutter = Cutter {
        text,
        mask_dates,
        units,
        at: 0,
        ahead: Vec::new(),
    };
    each_run(text.as_bytes(), |start, end| cutter.run(start, end));
}

struct Cutter<'a> {
    text: &'a str,
    mask_dates: bool,
    units: &'a mut Vec<Unit>,
    /// Position up to which the text is cut.
    at: usize,
    ahead: Vec<Token<'a>>,
}

impl Cutter<'_> {
    /// Cuts a run of letters, digits and non-ASCII characters into units.
    #[inline(always)]
    fn run(&mut self, start: usize, end: usize) {
        // The previous unit may extend into this run, if it is a date or a number with a point.
        let start = start.max(self.at);
        if start >= end {
            return;
        }
        let (bytes, length) = (self.text.as_bytes(), end - start);
        if let Some(word) = short_word(&bytes[start..], length) {
            let keep = KEEP[length];
            let is_ascii = word & HIGH == 0;
            let maybe_date = || self.mask_dates && begins_like_date(word) && may_begin(bytes, start, end);
            if is_ascii && !number_goes_on(bytes, end) && !maybe_date() {
                let is_number = word & LETTER != LETTER & keep;
                let unit = Unit::new(hash_short(word), (start, length), UnitKind::Word, is_number);
                return self.units.push(unit);
            }
        }
        self.mixed_run(start, end);
    }

    /// Cuts a run of any kind.
    #[inline(never)]
    fn mixed_run(&mut self, start: usize, mut end: usize) {
        let bytes = self.text.as_bytes();
        while number_goes_on(bytes, end) {
            end += 1 + bytes[end + 1..].iter().take_while(|b| is_inside(**b)).count();
        }
        self.at = start;
        loop {
            self.ideographs();
            let Some(token) = self.text.get(self.at..end).and_then(|text| tokens(text).next()) else {
                break;
            };
            let (start, length) = (self.at + token.start, token.text.len());
            let date_length = self.date_length(start, length);
            self.units
                .push(date_length.map_or_else(|| unit(start, &token), |length| date(start, length)));
            self.at = start + date_length.unwrap_or(length);
        }
        self.at = self.at.max(end);
    }

    /// Cuts consecutive ideographs that have no marks and begin no dates.
    fn ideographs(&mut self) {
        let bytes = self.text.as_bytes();
        // U+4E00 to U+9FFF. No mark is ASCII or has a first byte of 0xe4 or more.
        while let [0xe4, 0xb8..=0xff, _, next, ..] | [0xe5..=0xe9, _, _, next, ..] = bytes[self.at..]
            && !(0x80..0xe4).contains(&next)
            && !(self.mask_dates && may_begin_with_character(&bytes[self.at..]))
            && let Some(word) = short_word(&bytes[self.at..], 3)
        {
            let unit = Unit::new(hash_short(word), (self.at, 3), UnitKind::Character, false);
            self.units.push(unit);
            self.at += 3;
        }
    }

    /// The length in bytes of the date that begins at `start` with a token of `length` bytes.
    fn date_length(&mut self, start: usize, length: usize) -> Option<usize> {
        if !self.mask_dates || !may_begin(self.text.as_bytes(), start, start + length) {
            return None;
        }
        self.ahead.clear();
        self.ahead.extend(tokens(self.text.get(start..)?).take(MOST_TOKENS));
        self.ahead.iter_mut().for_each(|token| token.start += start);
        let tokens = date_length(self.text, &self.ahead);
        let last = self.ahead.get(tokens.checked_sub(1)?)?;
        Some(last.start + last.text.len() - start)
    }
}

fn date(start: usize, length: usize) -> Unit {
    Unit::new(hash64(DATE.as_bytes()), (start, length), UnitKind::Date, false)
}

fn unit(start: usize, token: &Token<'_>) -> Unit {
    let has_digit = || token.text.bytes().any(|b| b.is_ascii_digit());
    let kind = match token.kind {
        TokenKind::Character => UnitKind::Character,
        TokenKind::Word | TokenKind::Number => UnitKind::Word,
    };
    let is_number = token.kind == TokenKind::Number || token.kind == TokenKind::Word && has_digit();
    let place = (start, token.text.len());
    Unit::new(hash_word(token.text.as_bytes()), place, kind, is_number)
}

/// The highest bit of each byte, which ASCII does not set.
const HIGH: u128 = u128::from_ne_bytes([0x80; SHORT]);
/// The bit of each byte that ASCII letters set and ASCII digits do not.
const LETTER: u128 = u128::from_ne_bytes([0x40; SHORT]);

/// Whether the run before `end` is a number that continues after a point or comma.
fn number_goes_on(bytes: &[u8], end: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    matches!(bytes.get(end), Some(b'.' | b',')) && digit(end - 1) && digit(end + 1)
}

/// Whether a byte of normalised text belongs to a run.
fn is_inside(b: u8) -> bool {
    b.is_ascii_alphanumeric() || !b.is_ascii()
}

#[cfg(test)]
mod tests;
