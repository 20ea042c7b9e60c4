//! Lines that the caller makes, such as those of an index.

use std::io::Write;

use crate::destination::Destination;
use crate::error::ExportError;
use crate::stream::Stream;

/// A file of lines, compressed by its name, which appears when it is complete; or standard output.
pub struct Lines {
    stream: Stream,
}

impl Lines {
    /// Creates the incomplete file.
    ///
    /// # Errors
    /// The destination is a folder, or cannot be created.
    pub fn create(destination: &Destination) -> Result<Self, ExportError> {
        Ok(Self {
            stream: Stream::open(destination, false)?,
        })
    }

    /// Writes a line, given without its line end.
    ///
    /// # Errors
    /// The destination does not accept it.
    pub fn write(&mut self, line: &str) -> Result<(), ExportError> {
        let written = self.stream.write_all(line.as_bytes());
        let written = written.and_then(|()| self.stream.write_all(b"\n"));
        written.map_err(|source| self.stream.error(source))
    }

    /// Renames the file to its final name.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(self) -> Result<(), ExportError> {
        self.stream.finish()
    }
}
