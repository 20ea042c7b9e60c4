//! The result of a command: a file that appears only when it is complete, or standard output.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use export::{Harmless, OutputFile};
use serde::Serialize;

use error::RunError;

/// The destination of a result.
pub(super) enum Output {
    /// A file that appears under its name when it is complete.
    File(Box<BufWriter<OutputFile>>),
    Stdout(BufWriter<io::StdoutLock<'static>>),
    /// Standard output on a terminal, for texts that may hold control characters.
    Terminal(Harmless<BufWriter<io::StdoutLock<'static>>>),
}

impl Output {
    /// Opens the file at `path`, or standard output.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, RunError> {
        Ok(match path {
            None => Self::Stdout(BufWriter::new(io::stdout().lock())),
            Some(path) => Self::File(Box::new(BufWriter::new(OutputFile::create(path)?))),
        })
    }

    /// As [`Output::open`], for lines of JSON with texts of strangers, which must not control a terminal.
    pub(super) fn open_for_json(path: Option<&Path>) -> Result<Self, RunError> {
        Ok(match Self::open(path)? {
            Self::Stdout(stdout) if io::stdout().is_terminal() => Self::Terminal(Harmless::json(stdout)),
            other => other,
        })
    }

    /// Goes on with the incomplete file of an earlier run after its first `length` bytes.
    pub(super) fn go_on(path: &Path, length: u64) -> Result<Self, RunError> {
        let file = OutputFile::go_on(path, length)?;
        Ok(Self::File(Box::new(BufWriter::new(file))))
    }

    /// Makes the bytes so far durable: how many they are. Standard output has none.
    pub(super) fn keep(&mut self) -> Result<Option<u64>, RunError> {
        self.flush()?;
        let Self::File(writer) = self else {
            return Ok(None);
        };
        let path = writer.get_ref().path().to_owned();
        let length = writer.get_mut().keep();
        length
            .map(Some)
            .map_err(|source| RunError::io("write", path.display(), source))
    }

    pub(super) fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), RunError> {
        self.try_to(|writer| writer.write_all(bytes.as_ref()))
    }

    /// Writes the buffered bytes to the file or standard output.
    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.try_to(|writer| writer.flush())
    }

    fn try_to(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), RunError> {
        match self {
            Self::File(writer) => {
                act(writer).map_err(|source| RunError::io("write", writer.get_ref().path().display(), source))
            }
            Self::Stdout(writer) => or_reader_gone(act(writer)),
            Self::Terminal(writer) => or_reader_gone(act(writer)),
        }
    }

    /// Path of the incomplete file.
    pub(super) fn partial(path: &Path) -> PathBuf {
        OutputFile::partial_path(path)
    }

    /// Removes the incomplete file, which was needed only until now.
    pub(super) fn remove(self) {
        if let Self::File(writer) = self {
            // One that cannot be removed is in nobody's way.
            std::fs::remove_file(writer.get_ref().path()).ok();
        }
    }

    /// Gives the complete file its name.
    pub(super) fn finish(mut self) -> Result<(), RunError> {
        self.flush()?;
        if let Self::File(writer) = self {
            let path = writer.get_ref().path().to_owned();
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
            file.map_err(|source| RunError::io("write", path.display(), source))?
                .finish()?;
        }
        Ok(())
    }
}

/// Writes a whole result to the file at `path`, or to standard output.
pub(super) fn write_whole(path: Option<&Path>, bytes: impl AsRef<[u8]>) -> Result<(), RunError> {
    let mut output = Output::open(path)?;
    output.write(bytes)?;
    output.finish()
}

/// A result as one line of JSON, with its line end.
pub(super) fn json_line(result: &impl Serialize) -> Result<String, RunError> {
    let line = terminal::json::to_string(result).map_err(|error| RunError::Render(error.to_string()))?;
    Ok(line + "\n")
}

/// A result as indented JSON.
pub(super) fn json_pretty(result: &impl Serialize) -> Result<String, RunError> {
    terminal::json::to_string_pretty(result).map_err(|error| RunError::Render(error.to_string()))
}

/// Prints a line that is not the result. A closed standard output is no error.
pub(super) fn say(text: &str) -> Result<(), RunError> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|source| RunError::io("write", "standard output", source)),
    }
}

/// Ends the process successfully if the reader of standard output has closed it (`| head`).
pub(super) fn or_reader_gone(result: io::Result<()>) -> Result<(), RunError> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(|source| RunError::io("write", "standard output", source)),
    }
}
