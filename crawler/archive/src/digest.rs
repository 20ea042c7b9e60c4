//! The digest of a file: XXH3-128, which finds every damage on the way but no forgery.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

/// Bytes that are read at a time.
const READ_AT_A_TIME: usize = 1 << 20;

/// Length and digest of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    pub bytes: u64,
    pub xxh3: u128,
}

/// A digest that grows with its input.
#[derive(Default)]
pub struct Digesting {
    bytes: u64,
    state: Box<Xxh3>,
}

impl Digesting {
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.state.update(bytes);
    }

    pub fn end(&self) -> Digest {
        Digest {
            bytes: self.bytes,
            xxh3: self.state.digest128(),
        }
    }
}

/// The digest of a file.
pub fn of_file(path: &Path) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    let mut digesting = Digesting::default();
    let mut buffer = vec![0; READ_AT_A_TIME];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(digesting.end()),
            read => digesting.update(&buffer[..read]),
        }
    }
}
