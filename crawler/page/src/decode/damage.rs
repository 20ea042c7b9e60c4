//! Bodies with a few damaged bytes, and bodies that are not in the UTF-8 that they declare.
//!
//! A program that cuts a text within a character, or joins texts in two encodings, leaves a sequence that the encoding does not have. The
//! detector then rules the encoding out, however long the rest is, and takes a page in Chinese for one in French. So each encoding gets the body
//! without the sequences that are damaged in it, if they are few, and must win there.

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

/// The encoding that `guess` finds in the body without the sequences that are damaged in that encoding. The one with fewest damaged sequences
/// wins; else the encoding that `guess` `found` in the body as it is.
pub(super) fn guessed(
    body: &[u8],
    found: &'static Encoding,
    guess: impl Fn(&[u8]) -> &'static Encoding,
) -> &'static Encoding {
    // Without one of its bytes, a sequence of several is damaged itself.
    let candidates = CANDIDATES
        .iter()
        .filter(|encoding| found.is_single_byte() || !encoding.is_single_byte());
    let repaired = candidates.filter_map(|encoding| {
        let repaired = repaired(body, encoding)?;
        (guess(&repaired.bytes) == *encoding).then_some((repaired.damaged, *encoding))
    });
    let best = repaired.min_by_key(|(damaged, _)| *damaged);
    best.map_or(found, |(_, encoding)| encoding)
}

struct Repaired {
    bytes: Vec<u8>,
    damaged: usize,
}

/// The body without the sequences that the encoding does not have; `None` if there are none or many of them.
fn repaired(body: &[u8], encoding: &'static Encoding) -> Option<Repaired> {
    let (repaired, characters) = if encoding.is_single_byte() {
        without_bytes(body, encoding)
    } else {
        without_sequences(body, encoding)?
    };
    let is_damaged = repaired.damaged > 0 && characters >= MIN_CHARACTERS;
    (is_damaged && repaired.damaged * CHARACTERS_FOR_A_DAMAGE <= characters).then_some(repaired)
}

/// The body without the bytes that a single-byte encoding has no letter for, and the number of its other characters beyond ASCII. Decoders give
/// control characters for them, which no text has.
fn without_bytes(body: &[u8], encoding: &'static Encoding) -> (Repaired, usize) {
    let is_damage = |byte: u8| {
        let byte = [byte];
        let (text, _) = encoding.decode_without_bom_handling(&byte);
        !byte.is_ascii() && text.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER)
    };
    let is_damage: Vec<bool> = (0u8..=0xff).map(is_damage).collect();
    let bytes: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| !is_damage[usize::from(*byte)])
        .collect();
    let characters = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let damaged = body.len() - bytes.len();
    (Repaired { bytes, damaged }, characters)
}

/// The same for an encoding with sequences of several bytes; `None` if many of them are damaged.
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
