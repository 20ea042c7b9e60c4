//! What parent and child say to each other: a length of 8 bytes, little-endian, and so many bytes.

use std::io::{self, Read, Write};

/// Longest frame: a document of the largest permitted body, or its text.
const MAX_FRAME_BYTES: u64 = 1024 * 1024 * 1024;

pub(super) fn write(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
    to.write_all(&length.to_le_bytes())?;
    for part in parts {
        to.write_all(part)?;
    }
    to.flush()
}

/// The next frame; `None` at the end of the stream.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u64::from_le_bytes(length);
    if length > MAX_FRAME_BYTES {
        return Err(io::Error::other("a frame is too long"));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_each_other() {
        let mut stream = Vec::new();
        write(&mut stream, &[b"one ", b"frame"]).unwrap();
        write(&mut stream, &[]).unwrap();
        let mut from = &stream[..];
        assert_eq!(read(&mut from).unwrap().as_deref(), Some(&b"one frame"[..]));
        assert_eq!(read(&mut from).unwrap().as_deref(), Some(&b""[..]));
        assert_eq!(read(&mut from).unwrap(), None);
        assert!(read(&mut &stream[..10]).is_err() && read(&mut &[0xff; 20][..]).is_err());
    }
}
