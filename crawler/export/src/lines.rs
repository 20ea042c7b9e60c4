//! Lines that are made elsewhere, such as those of an index.

use std::io::Write;

use crate::destination::Destination;
use crate::error::ExportError;
use crate::stream::Stream;

/// A file of lines, which appears when it is complete and is packed as its name says, or standard output.
pub struct Lines {
    stream: Stream,
}

impl Lines {
    /// Begins it.
    ///
    /// # Errors
    /// The destination is a folder, or cannot be made.
    pub fn create(destination: &Destination) -> Result<Self, ExportError> {
        Ok(Self {
            stream: Stream::open(destination)?,
        })
    }

    /// Writes a line, which must be without an end.
    ///
    /// # Errors
    /// What it is written to does not take it.
    pub fn write(&mut self, line: &str) -> Result<(), ExportError> {
        let written = self.stream.write_all(line.as_bytes());
        let written = written.and_then(|()| self.stream.write_all(b"\n"));
        written.map_err(|source| self.stream.error(source))
    }

    /// Makes all of it appear.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(self) -> Result<(), ExportError> {
        self.stream.finish()
    }
}
