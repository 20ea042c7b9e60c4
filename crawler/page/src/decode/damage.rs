//! Bodies with a few damaged bytes, and bodies that are not in the UTF-8 that they declare.
//!
//! A program that cuts a text within a character, or joins texts in two encodings, leaves a sequence that the encoding does not have. The
//! detector then rules the encoding out, however long the rest is, and takes a page in Chinese for one in French. So each encoding gets the body
//! without the sequences that are damaged in it, if they are few, and must win there.

use std::sync::LazyLock;

use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_6, ISO_8859_7,
    ISO_8859_8, KOI8_U, SHIFT_JIS, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254,
    WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

/// Encodings that a damaged body may have.
const CANDIDATES: [&Encoding; 22] = [
    GBK,
    BIG5,
    SHIFT_JIS,
    EUC_JP,
    EUC_KR,
    WINDOWS_1251,
    KOI8_U,
    IBM866,
    WINDOWS_1256,
    WINDOWS_874,
    WINDOWS_1253,
    WINDOWS_1255,
    WINDOWS_1250,
    WINDOWS_1254,
    WINDOWS_1257,
    WINDOWS_1258,
    ISO_8859_2,
    ISO_8859_5,
    ISO_8859_6,
    ISO_8859_7,
    ISO_8859_8,
    WINDOWS_1252,
];

/// Fewest characters beyond ASCII by which the encoding of a damaged body is told.
const MIN_CHARACTERS: usize = 32;

/// One damaged sequence among so many characters is few.
const CHARACTERS_FOR_A_DAMAGE: usize = 50;

/// Fewest damaged sequences of a body that is not in UTF-8 although it declares it.
const MIN_SEQUENCES_OF_OTHERS: usize = 4;

/// For each candidate the bytes that a single-byte encoding has no letter for.
static DAMAGED_BYTES: LazyLock<[[bool; 256]; CANDIDATES.len()]> = LazyLock::new(|| CANDIDATES.map(damaged_bytes));

/// Decoders give control characters for such bytes, which no text has.
fn damaged_bytes(encoding: &'static Encoding) -> [bool; 256] {
    std::array::from_fn(|byte| {
        let byte = [byte as u8];
        let (text, _) = encoding.decode_without_bom_handling(&byte);
        !byte.is_ascii() && text.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER)
    })
}

/// The encoding that `guess` finds in the body without the sequences that are damaged in that encoding. The one with fewest damaged sequences
/// wins; else the encoding that `guess` `found` in the body as it is.
pub(super) fn guessed(
    body: &[u8],
    found: &'static Encoding,
    guess: impl Fn(&[u8]) -> &'static Encoding,
) -> &'static Encoding {
    let counts = counts(body);
    // Without one of its bytes, a sequence of several is damaged itself.
    let candidates = CANDIDATES
        .iter()
        .zip(&*DAMAGED_BYTES)
        .filter(|(encoding, _)| found.is_single_byte() || !encoding.is_single_byte());
    let mut damaged: Vec<_> = candidates
        .filter_map(|(encoding, damage)| {
            let few = if encoding.is_single_byte() {
                few_bytes(&counts, damage)
            } else {
                without_sequences(body, encoding).and_then(|(repaired, characters)| few(repaired.damaged, characters))
            };
            Some((few?, *encoding, damage))
        })
        .collect();
    // Stable: of those with as few, the first. A guess takes longer than all of the counts.
    damaged.sort_by_key(|(damaged, ..)| *damaged);
    let mut encodings = damaged.into_iter().map(|(_, encoding, damage)| (encoding, damage));
    let best = encodings.find(|(encoding, damage)| guess(&repaired(body, encoding, damage)) == *encoding);
    best.map_or(found, |(encoding, _)| encoding)
}

/// The number of damaged sequences beside so many characters beyond ASCII; `None` if there are none or many of them.
fn few(damaged: usize, characters: usize) -> Option<usize> {
    let is_few = characters >= MIN_CHARACTERS && damaged * CHARACTERS_FOR_A_DAMAGE <= characters;
    (damaged > 0 && is_few).then_some(damaged)
}

/// How often each byte is in the body.
fn counts(body: &[u8]) -> [usize; 256] {
    let mut counts = [0; 256];
    body.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// The number of the bytes that a single-byte encoding has no letter for, if they are few.
fn few_bytes(counts: &[usize; 256], is_damage: &[bool; 256]) -> Option<usize> {
    let beyond_ascii = || counts.iter().zip(is_damage).skip(0x80);
    let all: usize = beyond_ascii().map(|(count, _)| count).sum();
    let damaged = beyond_ascii()
        .filter(|(_, is_damage)| **is_damage)
        .map(|(count, _)| count)
        .sum();
    few(damaged, all - damaged)
}

/// The body without the sequences that are damaged in an encoding.
fn repaired(body: &[u8], encoding: &'static Encoding, is_damage: &[bool; 256]) -> Vec<u8> {
    if encoding.is_single_byte() {
        let bytes = body.iter().copied();
        bytes.filter(|byte| !is_damage[usize::from(*byte)]).collect()
    } else {
        without_sequences(body, encoding).map_or_else(Vec::new, |(repaired, _)| repaired.bytes)
    }
}

struct Repaired {
    bytes: Vec<u8>,
    damaged: usize,
}

/// The body without the damaged sequences of an encoding with sequences of several bytes, and the number of its other characters beyond ASCII;
/// `None` if many of them are damaged.
fn without_sequences(body: &[u8], encoding: &'static Encoding) -> Option<(Repaired, usize)> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut repaired = Repaired {
        bytes: Vec::with_capacity(body.len()),
        damaged: 0,
    };
    let mut characters = 0;
    let mut text = [0u8; 4096];
    // The end of the last damaged sequence, and how far the decoder is.
    let (mut kept_to, mut at) = (0, 0);
    loop {
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(&body[at..], &mut text, true);
        at += read;
        // No byte of UTF-8 begins two characters.
        characters += text[..written].iter().filter(|byte| **byte >= 0xc0).count();
        match result {
            DecoderResult::InputEmpty => break,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(len, after) => {
                let end = at - usize::from(after);
                let start = (end - usize::from(len)).max(kept_to);
                repaired.bytes.extend(&body[kept_to..start]);
                kept_to = end;
                repaired.damaged += 1;
                // So many that the rest cannot outweigh them.
                if repaired.damaged * CHARACTERS_FOR_A_DAMAGE > characters + body.len() - at {
                    return None;
                }
            }
        }
    }
    repaired.bytes.extend(&body[kept_to..]);
    Some((repaired, characters))
}

/// Whether a body that declares UTF-8 is in another encoding: of its sequences beyond ASCII, most are not UTF-8. Browsers show a replacement
/// character for each.
pub(super) fn belies_utf8(body: &[u8]) -> bool {
    let is_damaged = std::str::from_utf8(body).is_err_and(|error| error.error_len().is_some());
    if !is_damaged {
        return false;
    }
    let (well_formed, damaged) = sequences(body);
    damaged >= MIN_SEQUENCES_OF_OTHERS && well_formed * 2 <= damaged
}

/// The number of characters beyond ASCII in well-formed UTF-8, and that of the other sequences.
pub(super) fn sequences(body: &[u8]) -> (usize, usize) {
    let (mut well_formed, mut damaged) = (0, 0);
    for chunk in body.utf8_chunks() {
        well_formed += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        damaged += usize::from(!chunk.invalid().is_empty());
    }
    (well_formed, damaged)
}
