use std::io::BufReader;

use proptest::prelude::*;

use super::*;

const LIMIT: u64 = 1 << 20;

fn record(block: &str) -> String {
    let length = block.len();
    format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n")
}

/// What a stream was read as: blocks, and damage in angle brackets.
fn read_with(input: impl BufRead, limit: u64) -> Vec<String> {
    let mut stream = WarcStream::new(input);
    let mut read = Vec::new();
    while let Some(next) = stream.next_record().unwrap() {
        let damage = match next {
            Ok(mut found) => match stream.read_block(&mut found, limit).unwrap() {
                Ok(()) => {
                    read.push(String::from_utf8_lossy(&found.record.block).into_owned());
                    continue;
                }
                Err(damage) => damage,
            },
            Err(damage) => damage,
        };
        read.push(format!("<{damage}>"));
    }
    read
}

fn read(bytes: impl AsRef<[u8]>) -> Vec<String> {
    read_with(bytes.as_ref(), LIMIT)
}

#[test]
fn every_record_comes_in_order_with_its_offset_and_fields() {
    let file = record("one\r\n") + &record("") + &record("three");
    let mut stream = WarcStream::new(file.as_bytes());
    for (offset, length) in [
        (0, 5),
        (record("one\r\n").len(), 0),
        ((record("one\r\n") + &record("")).len(), 5),
    ] {
        let found = stream.next_record().unwrap().unwrap().unwrap();
        assert_eq!((found.offset, found.block_bytes), (offset as u64, length));
        assert_eq!(
            (found.record.version.as_str(), found.record.kind()),
            ("WARC/1.0", "resource")
        );
    }
    assert_eq!(stream.next_record().unwrap(), None);
    assert_eq!(read(file), ["one\r\n", "", "three"]);
}

#[test]
fn versions_line_ends_and_folded_lines_of_others_are_taken() {
    let file = "\n\nWARC/0.17\nWARC-Type: resource\nX: a\n\tb\ncontent-length:3\n\nold\n\nWARC/1.1\r\nContent-Length: 3\r\n\r\nnewWARC/1.0\r\n\
                Content-Length: 4\r\n\r\nlast";
    assert_eq!(read(file), ["old", "new", "last"]);
    let mut stream = WarcStream::new(file.as_bytes());
    let found = stream.next_record().unwrap().unwrap().unwrap();
    assert_eq!(found.record.field("x"), Some("a b"));
}

#[test]
fn a_version_line_in_any_case_and_a_value_that_begins_in_the_next_line_are_taken() {
    let file = "warc/1.0\r\nWARC-Type:\r\n resource\r\nContent-Length:\r\n\t3\r\n\r\noneWarc/1.1\r\nX: a\r\nContent-Length: \r\n  3\r\n\r\n\
                two\r\n\r\nwarc/2\r\nno colon\r\n\r\nWaRc/1.1\r\nContent-Length: 4\r\n\r\nlast";
    let mut stream = WarcStream::new(file.as_bytes());
    let found = stream.next_record().unwrap().unwrap().unwrap();
    assert_eq!(
        (found.record.version.as_str(), found.record.kind()),
        ("warc/1.0", "resource")
    );
    assert_eq!(
        read(file.replace("warc/2\r\nno colon\r\n\r\n", "")),
        ["one", "two", "last"]
    );
    let damaged = read(file);
    assert_eq!(damaged.len(), 4, "{damaged:?}");
    assert_eq!((damaged[1].as_str(), damaged[3].as_str()), ("two", "last"));
}

#[test]
fn after_a_wrong_length_the_next_record_is_found_in_any_case() {
    let file = "warc/1.0\r\nContent-Length: 60\r\n\r\nshort\r\n\r\nwarc/1.0\r\nContent-Length: 4\r\n\r\nnext\r\n\r\n"
        .to_owned()
        + &record("last");
    let found = read(&file);
    assert!(found.ends_with(&["next".to_owned(), "last".to_owned()]), "{found:?}");
}

#[test]
fn a_block_can_be_read_in_part_and_the_rest_is_skipped() {
    let file = record("a long block") + &record("next");
    assert_eq!(read_with(file.as_bytes(), 6), ["a long", "next"]);
    let mut stream = WarcStream::new(file.as_bytes());
    let mut found = stream.next_record().unwrap().unwrap().unwrap();
    for (up_to, have) in [(6, "a long"), (2, "a long"), (99, "a long block")] {
        stream.read_block(&mut found, up_to).unwrap().unwrap();
        assert_eq!(found.record.block, have.as_bytes());
    }
}

#[test]
fn a_damaged_header_costs_one_record() {
    for (damage, reason) in [
        (
            "WARC/1.0\r\nno colon here\r\nContent-Length: 3\r\n\r\nxyz\r\n\r\n",
            "has no colon",
        ),
        (
            "WARC/1.0\r\nContent-Length: many\r\n\r\nxyz\r\n\r\n",
            "Content-Length is missing",
        ),
        ("WARC/1.0\r\nContent-Length: 3\r\n", "its header does not end"),
        ("WORC/1.0\r\nContent-Length: 3\r\n\r\nxyz\r\n\r\n", "version line"),
        ("garbage without any line end", "version line"),
    ] {
        let line_end = if damage.ends_with('\n') { "" } else { "\n" };
        let read = read(format!(
            "{}{damage}{line_end}{}{}",
            record("one"),
            record("two"),
            record("three")
        ));
        let [one, said, two, three] = &read[..] else {
            panic!("{damage:?}: {read:?}")
        };
        assert_eq!([one, two, three], ["one", "two", "three"], "{damage:?}");
        assert!(
            said.contains(reason) && said.contains(&format!("at byte {}", record("one").len())),
            "{said}"
        );
    }
}

#[test]
fn a_wrong_length_costs_one_record_whether_too_long_or_too_short() {
    for length in ["40", "100", "2", "5000", "99999999999999999999"] {
        let wrong = record("wrong").replace("Content-Length: 5", &format!("Content-Length: {length}"));
        let file = record("one") + &wrong + &record("two") + &record("three") + &record("four");
        let read = read(file);
        let blocks: Vec<&String> = read.iter().filter(|read| !read.starts_with('<')).collect();
        assert_eq!(blocks, ["one", "two", "three", "four"], "{length}: {read:?}");
        assert!(read[1].contains("at byte") && read[1].starts_with('<'), "{}", read[1]);
    }
}

#[test]
fn an_end_in_the_middle_of_a_record_is_damage() {
    let whole = record("one") + &record("a block that is cut");
    for cut in record("one").len() + 1..whole.len() - "\r\n\r\n".len() {
        let read = read(&whole[..cut]);
        assert!(
            read.len() == 2 && read[0] == "one" && read[1].starts_with('<'),
            "{cut}: {read:?}"
        );
    }
    let mut stream = WarcStream::new(&whole.as_bytes()[..whole.len() - 10]);
    assert!(stream.next_record().unwrap().unwrap().is_ok());
    assert!(stream.next_record().unwrap().unwrap().is_ok());
    let skipped = stream.next_record().unwrap().unwrap().unwrap_err();
    assert_eq!(skipped.offset, record("one").len() as u64);
}

#[test]
fn a_header_without_end_is_not_read_into_memory() {
    let endless = format!("WARC/1.0\r\n{}", "X: y\r\n".repeat(MAX_HEADER_BYTES));
    let one_line = format!("WARC/1.0\r\nX: {}\r\n", "y".repeat(3 * MAX_HEADER_BYTES));
    for header in [endless, one_line] {
        let read = read(header + "\r\n\r\n" + &record("after"));
        assert!(
            read.len() == 2 && read[0].contains("does not end") && read[1] == "after",
            "{}",
            read.len()
        );
    }
}

/// An input that fails once, somewhere, and then goes on.
struct FailsOnce<'a>(Option<&'a [u8]>, &'a [u8]);

impl Read for FailsOnce<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some([]) => {
                self.0 = None;
                Err(io::Error::other("a damaged member"))
            }
            Some(before) => before.read(into),
            None => self.1.read(into),
        }
    }
}

#[test]
fn after_an_error_of_the_input_the_next_record_is_found() {
    let (one, two) = (record("one"), record("two"));
    for cut in 0..one.len() {
        let mut stream = WarcStream::new(BufReader::new(FailsOnce(Some(&one.as_bytes()[..cut]), two.as_bytes())));
        let mut blocks = Vec::new();
        let mut errors = 0;
        loop {
            match stream.next_record() {
                Ok(None) => break,
                Ok(Some(Ok(mut found))) => match stream.read_block(&mut found, LIMIT) {
                    Ok(Ok(())) => blocks.push(found.record.block),
                    Ok(Err(damage)) => panic!("{cut}: {damage}"),
                    Err(_) => errors += 1,
                },
                Ok(Some(Err(damage))) => panic!("{cut}: {damage}"),
                Err(_) => errors += 1,
            }
        }
        assert_eq!(errors, 1, "{cut}");
        assert_eq!(blocks.last().unwrap(), b"two", "{cut}");
    }
}

#[test]
fn an_error_behind_a_record_is_no_error_in_it() {
    let (one, two) = (record("one"), record("two"));
    let mut stream = WarcStream::new(BufReader::new(FailsOnce(Some(one.as_bytes()), two.as_bytes())));
    let mut found = stream.next_record().unwrap().unwrap().unwrap();
    assert_eq!(stream.read_block(&mut found, LIMIT).unwrap(), Ok(()));
    assert!(stream.next_record().is_err());
    assert_eq!(stream.next_record().unwrap().unwrap().unwrap().offset, one.len() as u64);
}

#[test]
fn what_was_taken_for_the_end_of_a_block_is_read_again() {
    // The length of the second reaches to the blank line in the third.
    let third = record("third");
    let reach = "second\r\n\r\n".len() + third.find("\r\n\r\n").unwrap() + 2;
    let second = record("second").replace("Content-Length: 6", &format!("Content-Length: {reach}"));
    let read = read(record("first") + &second + &third + &record("fourth"));
    for block in ["first", "third", "fourth"] {
        assert!(read.iter().any(|read| read == block), "{block} {read:?}");
    }
}

#[test]
fn records_in_records_cannot_make_it_read_on_forever() {
    // Each claims to hold all that follow: gone back to without a bound, this takes the square of its length.
    let lying = "WARC/1.0\r\nContent-Length: 900000\r\n\r\nx\n".repeat(50_000);
    let read = read(lying);
    assert!(read.len() < 50_000 * 2, "{}", read.len());
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let blocks = prop::collection::vec("(WARC/1.0\r\n|[a-z]{0,8}|\r\n|Content-Length: 9\r\n\r\n){0,5}", 1..6);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 0..6);
    (blocks, changes).prop_map(|(blocks, changes)| {
        let mut bytes: Vec<u8> = blocks.iter().flat_map(|block| record(block).into_bytes()).collect();
        for (at, byte, kind) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn any_input_is_read_to_its_end_and_the_same_in_pieces_of_any_size(bytes in mutated(), piece in 1..40_usize) {
        let whole = read(&bytes);
        prop_assert!(whole.len() <= bytes.len());
        prop_assert_eq!(read_with(BufReader::with_capacity(piece, &bytes[..]), LIMIT), whole);
    }

    #[test]
    fn one_changed_byte_of_a_header_costs_at_most_that_record_and_what_it_swallows(
        at in 0..50_usize,
        byte in any::<u8>(),
    ) {
        let records = ["first", "second", "third", "fourth"].map(record);
        let mut bytes = records.concat().into_bytes();
        bytes[records[0].len() + at] = byte;
        let read = read(&bytes);
        for block in ["first", "third", "fourth"] {
            prop_assert!(read.iter().any(|read| read.contains(block)), "{} {:?}", block, read);
        }
    }
}
