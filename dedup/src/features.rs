//! The features of a text: words, runs of words, runs of characters, or several of these.

use crate::hash::{hash_run, hash_word};
use crate::scheme::{Feature, Features, Segmenter};
use crate::units::{Unit, UnitKind};

/// The part of the text that a feature is made of, to show it or to weigh its length.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'a> {
    Units(&'a [Unit]),
    /// A part of the text, or of its words joined by spaces.
    Text(&'a str),
}

impl Piece<'_> {
    /// Number of characters, without the spaces between words.
    pub fn characters(&self, text: &str) -> u32 {
        let count = match self {
            Self::Units(units) => units.iter().map(|unit| unit.shown(text).chars().count()).sum(),
            Self::Text(text) => text.chars().count(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The feature as it reads in the normalised text.
    pub fn shown(&self, text: &str) -> String {
        match self {
            Self::Units(units) => joined(text, units),
            Self::Text(text) => text.replace(DATE_CHARACTER, crate::units::DATE),
        }
    }
}

/// Replaces a masked date in runs of characters; no normalised text contains it.
const DATE_CHARACTER: char = '\u{1}';

/// Kinds for [`hash_run`], so that equal runs of words and of characters have different hashes. The caller adds the
/// run's size.
const SHINGLE: u64 = 1 << 8;
const NGRAM: u64 = 2 << 8;

/// Calls `take` with the hash of every feature of the text, once per occurrence.
pub(crate) fn each(
    (kinds, segmenter): (&Features, Segmenter),
    text: &str,
    units: &[Unit],
    mut take: impl FnMut(u64, Piece<'_>),
) {
    for kind in kinds.kinds() {
        match *kind {
            Feature::Words => match segmenter {
                Segmenter::Pairs => words_and_pairs(units, &mut take),
                #[cfg(feature = "dictionary")]
                Segmenter::Dictionary => words_of_dictionary(text, units, &mut take),
            },
            Feature::Shingles(words) => shingles(units, words.into(), |run| {
                let hashes = run.iter().map(|unit| unit.hash);
                take(hash_run(SHINGLE + run.len() as u64, hashes), Piece::Units(run));
            }),
            Feature::Ngrams(characters) => ngrams(&joined_for_ngrams(text, units), characters.into(), |run| {
                let kind = NGRAM + u64::from(characters);
                take(hash_run(kind, [hash_word(run.as_bytes())]), Piece::Text(run));
            }),
        }
    }
}

/// Takes words, numbers and dates, and pairs of neighbouring characters. Takes a character without a neighbour alone.
fn words_and_pairs(units: &[Unit], take: &mut impl FnMut(u64, Piece<'_>)) {
    let mut after_character = false;
    for (at, unit) in units.iter().enumerate() {
        let is_character = unit.is(UnitKind::Character);
        match units.get(at + 1) {
            Some(next) if is_character && next.is(UnitKind::Character) => {
                take(hash_run(0, [unit.hash, next.hash]), Piece::Units(&units[at..at + 2]));
            }
            _ if is_character && after_character => {}
            _ => take(unit.hash, Piece::Units(&units[at..=at])),
        }
        after_character = is_character;
    }
}

/// Takes words, numbers and dates, and the words of the dictionary in runs of characters.
#[cfg(feature = "dictionary")]
fn words_of_dictionary(text: &str, units: &[Unit], take: &mut impl FnMut(u64, Piece<'_>)) {
    let stand_together =
        |a: &Unit, b: &Unit| a.is(UnitKind::Character) && b.is(UnitKind::Character) && a.end() == b.start();
    for run in units.chunk_by(stand_together) {
        let [first, .., last] = run else {
            run.iter().for_each(|unit| take(unit.hash, Piece::Units(run)));
            continue;
        };
        let run = text.get(first.start()..last.end()).unwrap_or("");
        let mut start = 0;
        crate::dictionary::each_word_end(run, |end| {
            let word = &run[std::mem::replace(&mut start, end)..end];
            take(hash_word(word.as_bytes()), Piece::Text(word));
        });
    }
}

/// Calls `take` with every run of `size` units, or with all units if there are fewer.
pub(crate) fn shingles<'a>(units: &'a [Unit], size: usize, take: impl FnMut(&'a [Unit])) {
    if !units.is_empty() {
        units.windows(size.clamp(1, units.len())).for_each(take);
    }
}

/// Calls `take` with every run of `size` characters, or with the whole text if it has fewer.
fn ngrams(text: &str, size: usize, mut take: impl FnMut(&str)) {
    let starts = text.char_indices().map(|(at, _)| at);
    let ends = starts.clone().skip(size).chain([text.len()]);
    starts.zip(ends).for_each(|(start, end)| take(&text[start..end]));
}

/// The units joined: with one space where the text has anything between two units, but without a space between
/// characters of scripts without spaces.
fn joined(text: &str, units: &[Unit]) -> String {
    join(text, units, crate::units::DATE)
}

fn joined_for_ngrams(text: &str, units: &[Unit]) -> String {
    join(text, units, DATE_CHARACTER.encode_utf8(&mut [0; 4]))
}

fn join(text: &str, units: &[Unit], date: &str) -> String {
    let mut out = String::new();
    let mut last: Option<&Unit> = None;
    for unit in units {
        if let Some(last) = last {
            let characters = last.is(UnitKind::Character) && unit.is(UnitKind::Character);
            if last.end() < unit.start() && !characters {
                out.push(' ');
            }
        }
        out.push_str(if unit.is(UnitKind::Date) {
            date
        } else {
            unit.shown(text)
        });
        last = Some(unit);
    }
    out
}
