//! Damage and hostile members in both compressions; and what other programs may write in Zstandard.

use std::cell::Cell;

use zstd::bulk;
use zstd::stream::raw::CParameter;
use zstd::stream::write::Encoder;

use super::super::member::{self, dictionary_in};
use super::super::record::NewRecord;
use super::*;

/// A dictionary of records, as `zstd --train` makes it.
const DICTIONARY: &[u8] = include_bytes!("../../../tests/fixtures/dictionary.zdict");

/// The magic numbers of a dictionary frame and of an extension frame.
const DICTIONARY_FRAME: u32 = 0x184D_2A5D;
const EXTENSION_FRAME: u32 = 0x184D_2A50;

/// A record with this block as one member.
fn member_of(compression: Compression, block: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let record = NewRecord::new("response", "<urn:x>", 0);
    record.write(&[block], compression, &mut bytes).unwrap();
    bytes
}

/// The same record, not compressed.
fn plain(block: &[u8]) -> Vec<u8> {
    zstd::decode_all(&member_of(Compression::Zstd, block)[..]).unwrap()
}

fn skippable(magic: u32, contents: &[u8]) -> Vec<u8> {
    let length = u32::try_from(contents.len()).unwrap();
    [&magic.to_le_bytes()[..], &length.to_le_bytes(), contents].concat()
}

/// The blocks of all records, and the damage.
fn read(bytes: &[u8]) -> Vec<Result<Vec<u8>, DamagedRecord>> {
    let records = WarcReader::new(Cursor::new(bytes));
    records.map(|read| Ok(read.unwrap()?.record.block)).collect()
}

fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    read(bytes).into_iter().map(Result::unwrap).collect()
}

#[test]
fn each_record_is_found_by_its_place() {
    for compression in Compression::ALL {
        let members = [b"one".to_vec(), vec![b'x'; 100_000], Vec::new()].map(|block| member_of(compression, &block));
        let bytes = members.concat();
        let mut at = 0;
        let mut unpacker = Unpacker::new(compression).unwrap();
        for (read, member) in WarcReader::new(Cursor::new(&bytes)).zip(&members) {
            let read = read.unwrap().unwrap();
            assert_eq!((read.offset, read.length), (at, member.len() as u64));
            let record = decode_members(&mut unpacker, member, MAX_RECORD_BYTES).unwrap();
            assert_eq!(record, read.record);
            let kind = field_of_members(&mut unpacker, member, "warc-type");
            assert_eq!(kind.as_deref(), Some("response"));
            at += read.length;
        }
        assert_eq!(at, bytes.len() as u64);
    }
}

#[test]
fn a_record_larger_than_the_limit_is_not_read() {
    for compression in Compression::ALL {
        let bytes: Vec<u8> = [10, 1 << 20, 20]
            .iter()
            .flat_map(|&bytes| member_of(compression, &vec![b'x'; bytes]))
            .collect();
        let reader = WarcReader {
            max_record_bytes: 100_000,
            ..WarcReader::new(Cursor::new(bytes))
        };
        let read: Vec<_> = reader.map(Result::unwrap).collect();
        assert_eq!(read.len(), 3);
        let damage = read[1].as_ref().unwrap_err().to_string();
        assert!(
            damage.contains("larger than 100000 bytes") || damage.contains("says that it holds"),
            "{damage}"
        );
        assert_eq!(read[2].as_ref().unwrap().record.block.len(), 20);
    }
}

/// A frame that does not say how long its content is.
fn frame_without_size(content: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), 3).unwrap();
    encoder.set_parameter(CParameter::WindowLog(window_log)).unwrap();
    io::Write::write_all(&mut encoder, content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_frame_that_does_not_say_its_length_is_bounded_too() {
    let bytes = [
        frame_without_size(&plain(&vec![0; 1 << 20]), 20),
        member_of(Compression::Zstd, b"next"),
    ]
    .concat();
    assert_eq!(blocks(&bytes)[0].len(), 1 << 20);
    let reader = WarcReader {
        max_record_bytes: 100_000,
        ..WarcReader::new(Cursor::new(bytes))
    };
    let read: Vec<_> = reader.map(Result::unwrap).collect();
    let damage = read[0].as_ref().unwrap_err();
    assert!(damage.reason.contains("larger than 100000 bytes"), "{damage}");
    assert_eq!(read[1].as_ref().unwrap().record.block, b"next");
}

#[test]
fn a_frame_with_a_large_window_is_refused() {
    for (window_log, is_read) in [(23, true), (24, false), (27, false)] {
        let bytes = frame_without_size(&plain(b"block"), window_log);
        assert_eq!(read(&bytes)[0].is_ok(), is_read, "{window_log}");
    }
}

#[test]
fn a_record_may_have_several_frames_and_frames_without_content_before_it() {
    let zstd = |content: &[u8]| zstd::bulk::compress(content, 1).unwrap();
    let extension = skippable(EXTENSION_FRAME, b"anything");
    let first = plain(b"of several frames");
    let several: Vec<u8> = first.chunks(7).flat_map(zstd).collect();
    let second = member_of(Compression::Zstd, b"of one frame");
    let between = [zstd(b""), extension.clone()].concat();
    let bytes = [&zstd(b"")[..], &several, &between, &second, &extension].concat();
    let read: Vec<_> = WarcReader::new(Cursor::new(&bytes[..]))
        .map(|read| read.unwrap().unwrap())
        .collect();
    let found: Vec<_> = read.iter().map(|read| (&read.record.block[..], read.length)).collect();
    assert_eq!(
        found,
        [
            (&b"of several frames"[..], several.len() as u64),
            (&b"of one frame"[..], second.len() as u64)
        ]
    );
    let place = read[1].offset as usize..(read[1].offset + read[1].length) as usize;
    assert_eq!(bytes[place], second);
}

#[test]
fn a_record_of_too_many_frames_is_damage() {
    let mut bytes = zstd::bulk::compress(b"", 1).unwrap().repeat(10 * MAX_MEMBERS);
    bytes.extend(member_of(Compression::Zstd, b"behind them"));
    let read = read(&bytes);
    assert!(read[0].as_ref().unwrap_err().reason.contains("more than 1024 members"));
    assert_eq!(read[1].as_deref().unwrap(), b"behind them");
    assert_eq!(read.len(), 2);
}

/// Records that are compressed with the dictionary.
fn with_dictionary(blocks: &[&[u8]]) -> Vec<u8> {
    let mut compressor = bulk::Compressor::with_dictionary(3, DICTIONARY).unwrap();
    compressor.include_checksum(true).unwrap();
    let frames = blocks.iter().map(|block| compressor.compress(&plain(block)).unwrap());
    frames.collect::<Vec<_>>().concat()
}

#[test]
fn the_dictionary_at_the_head_of_a_file_serves_its_frames() {
    let frames = with_dictionary(&[b"one", b"two"]);
    let packed = bulk::compress(DICTIONARY, 19).unwrap();
    assert!(packed.len() < DICTIONARY.len());
    for contents in [DICTIONARY, &packed] {
        let head = skippable(DICTIONARY_FRAME, contents);
        let bytes = [&head[..], &frames].concat();
        assert_eq!(blocks(&bytes), [b"one", b"two"]);
        // Also for a reader that begins behind it.
        let later = WarcReader::new(Cursor::new(&bytes)).starting_at(head.len() as u64);
        assert_eq!(
            later
                .map(|read| read.unwrap().unwrap().record.block)
                .collect::<Vec<_>>(),
            [b"one", b"two"]
        );
        let mut unpacker =
            Unpacker::of_file(Some(Compression::Zstd), |length| Ok(bytes[..length as usize].to_vec())).unwrap();
        let two = with_dictionary(&[b"two"]);
        assert!(frames.ends_with(&two) && member::needs_dictionary(&two));
        let record = decode_members(&mut unpacker, &two, MAX_RECORD_BYTES).unwrap();
        assert_eq!(record.block, b"two");
    }
    for (contents, why) in [
        (&DICTIONARY[1..], "not one"),
        (&packed[..packed.len() - 1], "cut"),
        (&b""[..], "empty"),
    ] {
        let bytes = [&skippable(DICTIONARY_FRAME, contents)[..], &frames].concat();
        let read = read(&bytes);
        assert!(read.len() == 1 && read[0].is_err(), "{why}");
    }
}

#[test]
fn a_dictionary_that_unpacks_to_too_much_is_none() {
    let long = [DICTIONARY, &vec![0; 9 << 20]].concat();
    assert_eq!(dictionary_in(bulk::compress(&long, 1).unwrap()), None);
    let fits = [DICTIONARY, &vec![0; 1 << 20]].concat();
    assert_eq!(dictionary_in(bulk::compress(&fits, 1).unwrap()), Some(fits));
}

/// A small file of either compression, and one with a dictionary; with the blocks of their records.
fn small_files() -> Vec<Vec<u8>> {
    let of = |compression| {
        [&b"first"[..], b"second", b"third"]
            .map(|block| member_of(compression, block))
            .concat()
    };
    let head = skippable(DICTIONARY_FRAME, DICTIONARY);
    let with = [head, with_dictionary(&[b"first", b"second", b"third"])].concat();
    vec![of(Compression::Gzip), of(Compression::Zstd), with]
}

#[test]
fn a_file_that_is_cut_anywhere_has_its_whole_records() {
    for bytes in small_files() {
        let ends: Vec<u64> = WarcReader::new(Cursor::new(&bytes))
            .map(|read| read.unwrap().unwrap())
            .map(|read| read.offset + read.length)
            .collect();
        for cut in 0..bytes.len() {
            let whole = ends.iter().filter(|end| **end <= cut as u64).count();
            let read = read(&bytes[..cut]);
            assert_eq!(read.iter().filter(|read| read.is_ok()).count(), whole, "{cut}");
            assert!(read.iter().filter(|read| read.is_err()).count() <= 1, "{cut}");
        }
    }
}

#[test]
fn a_changed_byte_costs_at_most_its_record() {
    let all = [b"first".to_vec(), b"second".to_vec(), b"third".to_vec()];
    for bytes in small_files() {
        let begin = WarcReader::new(Cursor::new(&bytes))
            .next_record()
            .unwrap()
            .unwrap()
            .unwrap()
            .offset as usize;
        for at in 0..bytes.len() {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let compression = if bytes.starts_with(&[0x1f]) {
                    Compression::Gzip
                } else {
                    Compression::Zstd
                };
                let read: Vec<_> = WarcReader::of(compression, Cursor::new(damaged))
                    .map(|read| Ok(read.unwrap()?.record.block))
                    .collect();
                let found: Vec<_> = read
                    .iter()
                    .filter_map(|read: &Result<_, DamagedRecord>| read.as_ref().ok())
                    .collect();
                // The dictionary is a part of each record.
                let lost = if at < begin { 3 } else { 1 };
                assert!(found.len() + lost >= 3, "{at} {flip}");
                assert!(found.iter().all(|block| all.contains(block)), "{at} {flip}");
                let is_seen = read.iter().any(Result::is_err);
                assert!(is_seen || found.len() == 3, "{at} {flip}");
            }
        }
    }
}

#[test]
fn the_compression_is_that_of_the_first_bytes_unless_it_is_known() {
    for compression in Compression::ALL {
        let mut bytes = [member_of(compression, b"one"), member_of(compression, b"two")].concat();
        assert_eq!(blocks(&bytes), [b"one", b"two"]);
        bytes[0] ^= 1;
        let read: Vec<_> = WarcReader::of(compression, Cursor::new(bytes))
            .map(Result::unwrap)
            .collect();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].as_ref().unwrap().record.block, b"two");
    }
}

/// Counts the bytes that are read of it.
struct Counted<'a>(Cursor<Vec<u8>>, &'a Cell<usize>);

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_member_behind_damage_that_begins_like_no_record_is_not_unpacked() {
    let mut random = 1_u64;
    let mut noise = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    };
    for compression in Compression::ALL {
        let noise: Vec<u8> = (0..1 << 20).map(|_| noise()).collect();
        let mut other = Vec::new();
        member::append(compression, &[b"WAR", &noise], &mut other).unwrap();
        let behind = member_of(compression, b"behind them");
        let bytes = [&b"damage"[..], &other.repeat(4), &behind].concat();
        let (length, read) = (bytes.len(), Cell::new(0));
        let found: Vec<_> = WarcReader::of(compression, Counted(Cursor::new(bytes), &read))
            .filter_map(|read| Some(read.unwrap().ok()?.record.block))
            .collect();
        assert_eq!(found, [b"behind them"]);
        // The search itself reads all of them once.
        assert!(read.get() < length * 3 / 2, "{} of {length}", read.get());
    }
}
