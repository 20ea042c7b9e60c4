//! What speaks for an encoding: the characters that the bytes give in it.
//!
//! The detector of browsers rules an encoding out by its first malformed sequence, and a declaration is believed whatever it gives. Here the
//! characters decide. A text in the right encoding mostly consists of the few most frequent characters of its language. In a wrong
//! one its bytes give rare characters, letters in odd places and replacement characters. (S. Li and K. Momoi, "A composite approach to
//! language/encoding detection", 2001, section 4.2: "character distribution method".)

mod common;

use encoding_rs::Encoding;

pub(super) use self::common::CANDIDATES;
use self::common::Letters;
use crate::map::Set;

/// Bytes beyond ASCII that are read. The shares of characters hardly change after a few thousand.
const MAX_BYTES: usize = 16 * 1024;

/// Bytes that are read to find them.
const MAX_SAMPLE_BYTES: usize = 256 * 1024;

/// Fewest letters beyond ASCII by which a text speaks for or against an encoding.
const MIN_LETTERS: usize = 8;

/// Fewest different ones of the frequent characters: a rule of one repeated sign is no text.
const MIN_DIFFERENT: usize = 5;

/// So many fewer suffice in Latin texts: one in French may have `é` and `à` only.
const FEWER_DIFFERENT_IN_LATIN: usize = 3;

/// Fewest letters for a malformed sequence: in a text in the encoding they are damage.
const LETTERS_FOR_A_MALFORMED: usize = 12;

/// So many times the share of another encoding outweighs it.
const OUTWEIGHS: f64 = 1.6;

/// The same if the other may be a text in capitals.
const OUTWEIGHS_CAPITALS: f64 = 1.2;

/// Most frequent letters that the letters of a Latin text stand beside in a row, as in `ação`.
const MAX_LATIN_RUN: usize = 3;

/// How the text in one encoding reads.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    /// Characters beyond ASCII, but for signs that all languages have.
    letters: usize,
    /// Those of them that texts of the encoding have often.
    frequent: usize,
    /// More of them that are capitals within a word. A text in capitals has them, and KOI8-R and windows-1251 have each other's capitals for
    /// small letters.
    inner_capitals: usize,
    /// The number of different frequent characters.
    different: usize,
    /// Malformed sequences, which are letters too.
    malformed: usize,
    /// From this share of frequent characters the encoding is plausible.
    plausible: f64,
}

impl Evidence {
    fn share(self) -> f64 {
        self.frequent as f64 / self.letters.max(1) as f64
    }

    fn share_if_in_capitals(self) -> f64 {
        (self.frequent + self.inner_capitals) as f64 / self.letters.max(1) as f64
    }

    fn is_plausible(self) -> bool {
        self.letters == 0 || self.share() >= self.plausible
    }

    /// Whether the bytes are surely in this encoding and not in that of the other.
    fn outweighs(self, other: Self) -> bool {
        self.letters >= MIN_LETTERS
            && self.different >= MIN_DIFFERENT
            && self.malformed * LETTERS_FOR_A_MALFORMED <= self.letters
            && self.is_plausible()
            && self.share() >= other.share() * OUTWEIGHS
            && self.share() >= other.share_if_in_capitals() * OUTWEIGHS_CAPITALS
    }
}

/// The encoding that the characters of the text clearly speak for, if that which the detector `found` is not plausible.
pub(super) fn outweighing(body: &[u8], found: &'static Encoding) -> Option<&'static Encoding> {
    let sample = sample(body);
    let of_found = evidence(sample, found).filter(|evidence| !evidence.is_plausible())?;
    let others = CANDIDATES
        .iter()
        .filter_map(|encoding| Some((evidence(sample, encoding)?, *encoding)));
    others
        .filter(|(of_other, _)| of_other.outweighs(of_found))
        // The first of equals: the rarer ones are last.
        .reduce(|best, other| if other.0.share() > best.0.share() { other } else { best })
        .map(|(_, encoding)| encoding)
}

/// Whether the bytes are surely not in the encoding that is `declared` for them, but in the one that `detect` finds.
pub(super) fn belies(body: &[u8], declared: &'static Encoding, detect: impl FnOnce() -> &'static Encoding) -> bool {
    let sample = sample(body);
    let Some(of_declared) = evidence(sample, declared).filter(|evidence| !evidence.is_plausible()) else {
        return false;
    };
    evidence(sample, detect()).is_some_and(|of_other| of_other.outweighs(of_declared))
}

/// The part of the body that is read: from the first byte beyond ASCII.
fn sample(body: &[u8]) -> &[u8] {
    let start = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(body.len());
    let sample = &body[start..body.len().min(start + MAX_SAMPLE_BYTES)];
    let last = sample
        .iter()
        .enumerate()
        .filter(|(_, byte)| !byte.is_ascii())
        .nth(MAX_BYTES);
    &sample[..last.map_or(sample.len(), |(at, _)| at)]
}

/// How the sample reads in an encoding; `None` if the encoding's languages are not known.
///
/// Running texts have two thirds to nine tenths of frequent characters. Lists of names and goods in ideographs have less than half of them,
/// which is still three times as many as bytes give by chance. Letters are few, and chance gives more of them.
fn evidence(sample: &[u8], encoding: &'static Encoding) -> Option<Evidence> {
    let letters = common::letters(encoding)?;
    let (text, _) = encoding.decode_without_bom_handling(sample);
    let (evidence, plausible) = match letters {
        Letters::Latin => (latin(&text), 0.5),
        Letters::Words(frequent) => (of_characters(&text, frequent, is_odd_in_word), 0.5),
        Letters::Ideographs(frequent) => (of_characters(&text, frequent, |_, _| false), 0.35),
    };
    Some(Evidence { plausible, ..evidence })
}

/// Counts the frequent characters, but for those that are odd between their neighbours. Repeated ones, as in a line of dashes, are one.
fn of_characters(text: &str, frequent: &str, is_odd: fn(char, char) -> bool) -> Evidence {
    let frequent: Set<char> = frequent.chars().collect();
    let mut found = Set::default();
    let mut evidence = Evidence::default();
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        if !c.is_ascii() && !is_sign(c) && c != before {
            evidence.letters += 1;
            evidence.malformed += usize::from(c == char::REPLACEMENT_CHARACTER);
            let small = c.to_lowercase().next().unwrap_or(c);
            if frequent.contains(&small) && !is_odd(before, after) {
                let is_inner_capital = small != c && before.is_alphabetic();
                evidence.frequent += usize::from(!is_inner_capital);
                evidence.inner_capitals += usize::from(is_inner_capital);
                found.insert(small);
            }
        }
        before = c;
    }
    evidence.different = found.len();
    evidence
}

/// Words of other scripts have no Latin letters.
fn is_odd_in_word(before: char, after: char) -> bool {
    before.is_ascii_alphabetic() || after.is_ascii_alphabetic()
}

/// Counts the characters that stand where a Latin text has them.
fn latin(text: &str) -> Evidence {
    let mut found = Set::default();
    let mut evidence = Evidence::default();
    let mut before = ' ';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if is_plain(first) {
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (run, behind) = rest.split_at(rest.find(is_plain).unwrap_or(rest.len()));
        let after = behind.chars().next().unwrap_or(' ');
        for c in run.chars() {
            let fits = fits_latin(before, run, c, after);
            // A sign in its place speaks for no encoding.
            evidence.letters += usize::from(c.is_alphabetic() || !fits);
            if fits && c.is_alphabetic() {
                evidence.frequent += 1;
                found.insert(c);
            }
        }
        rest = behind;
    }
    evidence.different = found.len() + FEWER_DIFFERENT_IN_LATIN;
    evidence
}

/// Whether a Latin text has such a character in a run between these neighbours: a letter alone, or two or three in a row in a word whose
/// other letters are ASCII; a sign alone, and not within a word.
fn fits_latin(before: char, run: &str, c: char, after: char) -> bool {
    let is_alone = run.chars().nth(1).is_none();
    if c.is_alphabetic() {
        let is_in_word = before.is_ascii_alphabetic() || after.is_ascii_alphabetic();
        let is_inner_capital = before.is_ascii_lowercase() && c.is_uppercase();
        (is_alone || is_in_word) && run.chars().nth(MAX_LATIN_RUN).is_none() && !is_inner_capital
    } else {
        let is_within_word = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
        let is_quotation_or_dash = matches!(c, '\u{2010}'..='\u{2027}' | '«' | '»');
        let is_sign = !c.is_control() && c != char::REPLACEMENT_CHARACTER;
        is_sign && (is_quotation_or_dash || (is_alone && !is_within_word)) && run.chars().nth(MAX_LATIN_RUN).is_none()
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii() || c == '\u{a0}'
}

/// Whether texts in all languages have this sign, so that it speaks for none: spaces, quotation marks, dashes, bullets, CJK punctuation and
/// full-width ASCII.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{a0}'..='\u{bf}' | '×' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{203b}' | '\u{2116}' | '\u{2122}'
        | '\u{3000}'..='\u{301f}' | '\u{ff01}'..='\u{ff5e}')
}
