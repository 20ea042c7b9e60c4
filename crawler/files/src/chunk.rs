//! The next bytes of an input.

use std::io::{self, ErrorKind, Read};

/// Reads a chunk from a file, or the available bytes from a stream: how many, and the error behind them.
pub(super) fn fill(input: &mut impl Read, chunk: &mut [u8], is_stream: bool) -> (usize, Option<io::Error>) {
    let mut have = 0;
    while have < chunk.len() && (have == 0 || !is_stream) {
        match input.read(&mut chunk[have..]) {
            Ok(0) => break,
            Ok(length) => have += length,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (have, Some(error)),
        }
    }
    (have, None)
}
