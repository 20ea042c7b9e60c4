//! How far a record reaches that grows member by member.

use super::record::{END_OF_HEADER, MAX_HEADER_BYTES, find, parse_header};

/// Bytes of line ends behind a block.
const END_OF_RECORD: u64 = 4;

/// The length of a record, by its header. Looks at each byte of the header once.
#[derive(Debug, Default)]
pub(super) struct Extent {
    looked_at: usize,
    /// Length of the record with the line ends behind its block.
    length: Option<u64>,
}

impl Extent {
    /// Whether `bytes`, which begin with those of the last call, hold the record to its end. Also `true` if more bytes cannot make a record
    /// of them.
    pub fn is_reached(&mut self, bytes: &[u8]) -> bool {
        if self.length.is_none() {
            let from = self.looked_at.saturating_sub(END_OF_HEADER.len() - 1);
            let found = find(&bytes[from..], END_OF_HEADER);
            self.looked_at = bytes.len();
            let Some(found) = found else {
                return bytes.len() > MAX_HEADER_BYTES;
            };
            let behind = from + found + END_OF_HEADER.len();
            self.length = Some(match block_length(&bytes[..from + found]) {
                Some(block) => (behind as u64 + END_OF_RECORD).saturating_add(block),
                None => 0,
            });
        }
        self.length.is_some_and(|length| bytes.len() as u64 >= length)
    }
}

/// The `Content-Length` of a header without its last line end.
fn block_length(header: &[u8]) -> Option<u64> {
    let (_, fields) = parse_header(&String::from_utf8_lossy(header)).ok()?;
    let (_, length) = fields
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("Content-Length"))?;
    length.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_ends_behind_the_line_ends_of_its_block_however_it_grows() {
        let record = b"WARC/1.1\r\nWARC-Type: x\r\ncontent-length: 3\r\n\r\nabc\r\n\r\n";
        for step in 1..=record.len() {
            let mut extent = Extent::default();
            for end in (step..record.len()).step_by(step) {
                assert!(!extent.is_reached(&record[..end]), "{step} {end}");
            }
            assert!(extent.is_reached(record), "{step}");
        }
    }

    #[test]
    fn more_bytes_do_not_help_a_header_without_length_or_end() {
        assert!(Extent::default().is_reached(b"WARC/1.1\r\nA: b\r\n\r\n"));
        assert!(Extent::default().is_reached(b"WARC/1.1\r\nno colon\r\n\r\n"));
        assert!(Extent::default().is_reached(&vec![b'x'; MAX_HEADER_BYTES + 1]));
        let longest = format!("WARC/1.1\r\nContent-Length: {}\r\n\r\n", u64::MAX);
        assert!(!Extent::default().is_reached(longest.as_bytes()));
    }
}
