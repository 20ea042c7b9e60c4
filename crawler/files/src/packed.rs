//! Decompression of gzip and zstd, detected by the first bytes: any number of members (frames) in sequence.
//!
//! Damage loses one member: reading it is an error with the offset of the member, and the next read continues with the next member. A
//! file with a single member has no next one.
//!
//! A zstd file may begin with the dictionary of its frames, as `.warc.zst` files do (IIPC, "Zstandard Compression for WARC
//! Files 1.0", "Dictionary frame format").

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::lookahead::Lookahead;

/// Bytes that distinguish the start of a member from other bytes.
const HEADER_BYTES: usize = 10;

/// The magic number of the skippable frame around a dictionary (RFC 8878, section 3.1.2). Four bytes of length follow.
const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// Upper bound on a dictionary; common ones have about 100 kB.
const MAX_DICTIONARY_BYTES: u32 = 8 << 20;

/// Damage in compressed data, inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("the compressed data is damaged: {reason}")]
pub(super) struct Damage {
    /// Offset of the damaged member in the file.
    pub at: u64,
    reason: String,
}

/// The damage in `error`, if it is about damage.
pub(super) fn damage_of(error: &io::Error) -> Option<&Damage> {
    error.get_ref()?.downcast_ref()
}

/// An input without its compression.
pub(super) struct Unpacked<R: Read> {
    state: State<R>,
    /// The dictionary of the zstd frames; empty if there is none.
    dictionary: Vec<u8>,
    /// Offset of the current member.
    member_at: u64,
}

enum State<R: Read> {
    /// Not compressed.
    Plain(Lookahead<R>),
    Gzip(Box<GzDecoder<Lookahead<R>>>),
    Zstd(ZstdDecoder<'static, Lookahead<R>>),
    /// Between members: the next member or the end of the file follows.
    Between(Lookahead<R>),
    /// After damage: the start of the next member is unknown.
    Searching(Lookahead<R>),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
}

/// The compression of data with these first bytes (RFC 1952, section 2.3.1; RFC 8878, sections 3.1.1 and 3.1.2).
fn packing(start: &[u8]) -> Option<Packing> {
    match start {
        [0x1f, 0x8b, 8, ..] => Some(Packing::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
        _ => None,
    }
}

/// As [`packing`], but strict enough for bytes in the middle of damaged data.
fn packing_after_damage(start: &[u8]) -> Option<Packing> {
    packing(start).filter(|packing| match (packing, start) {
        // Reserved flags are zero; compressors set XFL to 0, 2 or 4, and OS to a number of the RFC's list.
        (Packing::Gzip, [_, _, _, flags, _, _, _, _, xfl, os, ..]) => {
            flags & 0xe0 == 0 && matches!(xfl, 0 | 2 | 4) && matches!(os, 0..=13 | 255)
        }
        (Packing::Zstd, [0x28, _, _, _, descriptor, ..]) => descriptor & 0x08 == 0,
        _ => false,
    })
}

impl<R: Read> Unpacked<R> {
    /// Detects the compression by the first bytes of `input`.
    pub fn new(input: R) -> io::Result<Self> {
        let mut input = Lookahead::new(input);
        let is_packed = packing(input.peek(4)?).is_some();
        let dictionary = dictionary(&mut input)?;
        Ok(Self {
            dictionary,
            state: if is_packed {
                State::Between(input)
            } else {
                State::Plain(input)
            },
            member_at: 0,
        })
    }

    /// Starts the next member; false if there is none.
    fn next_member(&mut self) -> io::Result<bool> {
        let (mut input, searching) = match std::mem::replace(&mut self.state, State::End) {
            State::Between(input) => (input, false),
            State::Searching(mut input) => {
                // A decoder that failed at once has consumed nothing. One byte further, the search finds another member.
                if input.offset() == self.member_at && !input.peek(1)?.is_empty() {
                    input.consume(1);
                }
                (input, true)
            }
            _ => return Ok(false),
        };
        let found = if searching {
            search(&mut input)?
        } else {
            padded(&mut input)?
        };
        self.member_at = input.offset();
        match found {
            Some(Packing::Gzip) => self.state = State::Gzip(Box::new(GzDecoder::new(input))),
            Some(Packing::Zstd) => {
                let decoder = ZstdDecoder::with_dictionary(input, &self.dictionary)?;
                self.state = State::Zstd(decoder.single_frame());
            }
            None if input.peek(1)?.is_empty() => return Ok(false),
            None => {
                self.state = State::Searching(input);
                return Err(self.damaged("other bytes follow it".into()));
            }
        }
        Ok(true)
    }

    fn damaged(&self, reason: String) -> io::Error {
        let at = self.member_at;
        io::Error::new(ErrorKind::InvalidData, Damage { at, reason })
    }

    /// Leaves the current member, which is complete or damaged.
    fn leave(&mut self, next: fn(Lookahead<R>) -> State<R>) {
        self.state = match std::mem::replace(&mut self.state, State::End) {
            State::Gzip(decoder) => next(decoder.into_inner()),
            State::Zstd(decoder) => next(decoder.finish()),
            other => other,
        };
    }
}

/// The dictionary at the start of the input; empty if there is none. Other content in its frame is skipped, as in any skippable frame.
fn dictionary<R: Read>(input: &mut Lookahead<R>) -> io::Result<Vec<u8>> {
    let length = match input.peek(8)? {
        [a, b, c, d, length @ ..] if [*a, *b, *c, *d] == DICTIONARY_FRAME && length.len() >= 4 => {
            u32::from_le_bytes([length[0], length[1], length[2], length[3]])
        }
        _ => return Ok(Vec::new()),
    };
    if length > MAX_DICTIONARY_BYTES {
        return Ok(Vec::new());
    }
    input.consume(8);
    let mut dictionary = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut dictionary)?;
    // A damaged dictionary becomes an error in the first frame that needs it.
    Ok(storage::warc::dictionary_in(dictionary).unwrap_or_default())
}

/// The member that starts here or after zeros, which pad files on tapes and block devices.
fn padded<R: Read>(input: &mut Lookahead<R>) -> io::Result<Option<Packing>> {
    loop {
        let start = input.peek(HEADER_BYTES)?;
        let zeros = start.iter().take_while(|&&b| b == 0).count();
        if zeros == 0 {
            return Ok(packing(start));
        }
        input.consume(zeros);
    }
}

/// Moves to the next start of a member.
fn search<R: Read>(input: &mut Lookahead<R>) -> io::Result<Option<Packing>> {
    loop {
        let here = input.peek(HEADER_BYTES)?;
        if here.is_empty() {
            return Ok(None);
        }
        if let Some(packing) = packing_after_damage(here) {
            return Ok(Some(packing));
        }
        let next = memchr::memchr2(0x1f, 0x28, &here[1..]);
        let step = next.map_or(here.len(), |at| at + 1);
        input.consume(step);
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let read = match &mut self.state {
                State::Plain(input) => input.read(into),
                State::Gzip(decoder) => decoder.read(into),
                State::Zstd(decoder) => decoder.read(into),
                State::Between(_) | State::Searching(_) => {
                    if !self.next_member()? {
                        return Ok(0);
                    }
                    continue;
                }
                State::End => return Ok(0),
            };
            match read {
                Ok(0) if matches!(self.state, State::Plain(_)) => return Ok(0),
                Ok(0) => self.leave(State::Between),
                Ok(length) => return Ok(length),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                // The file itself is unreadable. Another read would fail in the same way.
                Err(error) if error.raw_os_error().is_some() || matches!(self.state, State::Plain(_)) => {
                    self.state = State::End;
                    return Err(error);
                }
                Err(error) => {
                    self.leave(State::Searching);
                    return Err(self.damaged(error.to_string()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::bulk::compress(data, 3).unwrap()
    }

    /// The bytes read, and the offsets of reported damage.
    fn unpack(packed: &[u8]) -> (Vec<u8>, Vec<u64>) {
        let mut input = Unpacked::new(packed).unwrap();
        let (mut read, mut damaged) = (Vec::new(), Vec::new());
        while let Err(error) = input.read_to_end(&mut read) {
            damaged.push(damage_of(&error).unwrap().at);
        }
        (read, damaged)
    }

    #[test]
    fn frames_use_the_dictionary_before_them() {
        // Made by python-zstandard: a dictionary trained on such lines, and a frame for each of the first 20.
        let dictionary = include_bytes!("data/dictionary.bin");
        let frames = include_bytes!("data/with_dictionary.zst");
        let lines = (0..20).map(|n| format!("WARC/1.0 the record {n} of a site {}", n * 7));
        let whole = lines.collect::<String>().into_bytes();
        let frame = |content: &[u8]| {
            let length = u32::try_from(content.len()).unwrap().to_le_bytes();
            [&DICTIONARY_FRAME[..], &length, content].concat()
        };
        for first in [frame(dictionary), frame(&zstd(dictionary))] {
            assert_eq!(unpack(&[&first[..], frames].concat()), (whole.clone(), vec![]));
        }
        assert_eq!(unpack(frames).0, b"", "the dictionary is needed");
        // Frames without a dictionary are read after any first frame. A cut frame ends the file.
        for first in [frame(b"no dictionary"), frame(&zstd(b"none")), frame(b"")] {
            assert_eq!(unpack(&[first, zstd(&whole)].concat()), (whole.clone(), vec![]));
        }
        for cut in [&DICTIONARY_FRAME[..], &[0x5d, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1]] {
            assert!(unpack(cut).0.is_empty());
        }
    }

    /// Text that does not compress to nothing.
    fn text(seed: u32) -> Vec<u8> {
        let numbers = (0..3_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) ^ seed) % 9_973);
        numbers.map(|n| format!("{n} ")).collect::<String>().into_bytes()
    }

    #[test]
    fn any_number_of_members_of_either_compression_is_one_file() {
        let parts = [text(1), Vec::new(), text(2)];
        let whole = parts.concat();
        let skippable = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc", &zstd(&whole)].concat();
        for packed in [
            whole.clone(),
            gzip(&whole),
            zstd(&whole),
            parts.iter().flat_map(|part| gzip(part)).collect(),
            parts.iter().flat_map(|part| zstd(part)).collect(),
            [gzip(&parts[0]), zstd(&parts[2])].concat(),
            [gzip(&whole), vec![0; 512]].concat(),
            skippable,
        ] {
            assert_eq!(unpack(&packed), (whole.clone(), vec![]), "{} bytes", packed.len());
        }
        assert_eq!(unpack(b""), (vec![], vec![]));
    }

    #[test]
    fn damage_loses_one_member() {
        for pack in [gzip, zstd] {
            let [one, two, three] = [1, 2, 3].map(|seed| pack(&text(seed)));
            let mut bad = two.clone();
            let middle = bad.len() / 2;
            bad[middle..middle + 40].fill(0x55);
            let packed = [one.clone(), bad, three].concat();
            let (read, damaged) = unpack(&packed);
            assert_eq!(damaged, [one.len() as u64]);
            assert!(read.starts_with(&text(1)) && read.ends_with(&text(3)), "{}", read.len());
        }
    }

    #[test]
    fn a_cut_file_is_read_up_to_the_cut_and_reported() {
        for pack in [gzip, zstd] {
            let packed = [pack(&text(1)), pack(&text(2))].concat();
            let (read, damaged) = unpack(&packed[..packed.len() - 9]);
            assert_eq!(damaged, [pack(&text(1)).len() as u64]);
            assert!(read.starts_with(&text(1)));
        }
    }

    proptest! {
        #[test]
        fn a_file_with_any_damage_is_read_to_its_end(
            zipped in any::<bool>(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let pack = if zipped { gzip } else { zstd };
            let mut packed: Vec<u8> = (1..4).flat_map(|seed| pack(&text(seed)[..200])).collect();
            for (at, byte) in changes {
                let at = at.index(packed.len());
                packed[at] = byte;
            }
            packed.truncate(cut.index(packed.len()) + 1);
            let mut input = Unpacked::new(&packed[..]).unwrap();
            let (mut read, mut errors) = (Vec::new(), 0);
            while input.read_to_end(&mut read).is_err() {
                errors += 1;
                prop_assert!(errors <= packed.len());
            }
        }
    }

    #[test]
    fn other_bytes_after_compressed_data_are_reported() {
        let packed = [gzip(b"one"), b"not packed".to_vec(), gzip(b"two")].concat();
        assert_eq!(unpack(&packed), (b"onetwo".to_vec(), vec![gzip(b"one").len() as u64]));
    }
}
