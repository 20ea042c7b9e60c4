//! The text of a duplicate, stored as the difference from its kept page's text.
//!
//! The two texts differ little, so the duplicate's text is compressed with the kept page's text as prefix (a Zstandard frame,
//! RFC 8878, as `zstd --patch-from` makes it). It takes some tens or hundreds of bytes, and allows to show the difference, to compare
//! exactly, and to redecide by other rules.
//!
//! `metadata::duplicate` archives it.

use std::io::{self, Read};

use zstd::bulk::Compressor;
use zstd::stream::raw::CParameter;
use zstd::stream::read::Decoder;

/// The text of a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateText<'a> {
    /// As the difference from the archived text of an earlier page.
    Difference {
        /// Sequence number of the earlier page.
        of: u64,
        /// The earlier page's text.
        base: &'a str,
        /// The duplicate's text.
        text: &'a str,
    },
    /// Without another one, because the text that it repeats is not in this archive.
    Whole(&'a str),
}

/// Zstandard level. Texts have some kilobytes, so a better match costs less than it saves.
const LEVEL: i32 = 3;

/// Length of a prefix, in bytes, above which the level's own tables do not reach back to the matching part.
const FAR: usize = 128 << 10;

/// Binary logarithms of the smallest and the largest window of a frame.
const WINDOW_LOG: std::ops::RangeInclusive<u32> = 10..=27;

/// Upper bound on a text, in bytes: the longest block that is read from an archive.
const MAX_TEXT_BYTES: u64 = super::reader::MAX_RECORD_BYTES;

/// Compresses `text` with `base` as prefix.
///
/// # Errors
/// The compressor's errors.
pub fn between(base: &str, text: &str) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(LEVEL)?;
    let window = (base.len() + text.len()).max(1).ilog2() + 1;
    compressor.set_parameter(CParameter::WindowLog(
        window.clamp(*WINDOW_LOG.start(), *WINDOW_LOG.end()),
    ))?;
    if base.len() > FAR {
        compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
    }
    // The checksum detects a damaged frame, which would otherwise give another text.
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    let prefix = compressor.context_mut().ref_prefix(base.as_bytes());
    prefix.map_err(|code| io::Error::other(zstd::zstd_safe::get_error_name(code)))?;
    compressor.compress(text.as_bytes())
}

/// Decompresses a frame with `base` as prefix.
///
/// # Errors
/// In words: the frame is damaged, or was made with another base.
pub fn apply(base: &str, frame: &[u8]) -> Result<String, String> {
    let decoder = Decoder::with_ref_prefix(frame, base.as_bytes());
    let mut decoder = decoder.map_err(|error| error.to_string())?;
    decoder
        .window_log_max(*WINDOW_LOG.end())
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    decoder
        .take(MAX_TEXT_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| format!("it does not fit the text that it is a difference from: {error}"))?;
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(format!("its text is longer than {MAX_TEXT_BYTES} bytes"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_comes_back(base in "\\PC{0,400}", text in "\\PC{0,400}", shared in "\\PC{0,400}") {
            let (base, text) = (format!("{base}{shared}"), format!("{shared}{text}"));
            prop_assert_eq!(apply(&base, &between(&base, &text).unwrap()).unwrap(), text);
        }

        #[test]
        fn a_damaged_frame_gives_an_error_or_the_same_text(base in "[a-z ]{50,400}", at in any::<prop::sample::Index>(), flip in 1_u8..) {
            let mut frame = between(&base, &format!("{base}!")).unwrap();
            let at = at.index(frame.len());
            frame[at] ^= flip;
            // Some bits of the header do not matter.
            let is_detected = apply(&base, &frame).map_or(true, |read| read == format!("{base}!"));
            prop_assert!(is_detected);
        }
    }

    #[test]
    fn a_text_similar_to_its_base_takes_few_bytes() {
        for words in [200, 20_000, 400_000] {
            let base: String = (0..words)
                .map(|word: u64| format!("{:x} ", word.wrapping_mul(0x9E37_79B9)))
                .collect();
            let text = base.replacen("9e3779b9", "another", 1);
            assert_ne!(text, base);
            let frame = between(&base, &text).unwrap();
            assert!(
                frame.len() < 150 + base.len() / 5_000,
                "{} of {} bytes",
                frame.len(),
                base.len()
            );
            assert_eq!(apply(&base, &frame).unwrap(), text);
            assert!(apply(&base[..base.len() - 2], &frame).is_err());
        }
        assert_eq!(apply("", &between("", "").unwrap()).unwrap(), "");
    }
}
