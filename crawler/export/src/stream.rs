//! A file that appears when it is complete, compressed by its name, or standard output.

use std::ffi::OsStr;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::destination::Destination;
use crate::error::{ExportError, not_one_file};
use crate::harmless::Harmless;
use crate::output_file::OutputFile;

/// The default of zstd.
const ZSTD_LEVEL: i32 = 3;

/// A file or standard output. Without [`finish`](Self::finish) a file stays incomplete.
pub(crate) struct Stream {
    packing: Packing,
    /// Its name in messages.
    name: String,
}

enum Packing {
    None(BufWriter<Raw>),
    Gzip(Box<GzEncoder<BufWriter<Raw>>>),
    Zstd(Box<zstd::Encoder<'static, BufWriter<Raw>>>),
}

enum Raw {
    File(OutputFile),
    Stdout(io::Stdout),
    Terminal(Harmless<io::Stdout>),
}

impl Stream {
    /// The one file, or standard output. `is_json`: every line will be JSON.
    pub fn open(destination: &Destination, is_json: bool) -> Result<Self, ExportError> {
        match destination {
            Destination::File(path) => Self::file(path),
            Destination::Stdout => Ok(Self::stdout(is_json)),
            Destination::Folder(dir) => Err(not_one_file(dir)),
        }
    }

    /// Standard output.
    fn stdout(is_json: bool) -> Self {
        let stdout = io::stdout();
        let raw = match (stdout.is_terminal(), is_json) {
            (true, true) => Raw::Terminal(Harmless::json(stdout)),
            (true, false) => Raw::Terminal(Harmless::new(stdout)),
            (false, _) => Raw::Stdout(stdout),
        };
        Self {
            packing: Packing::None(BufWriter::new(raw)),
            name: "standard output".to_owned(),
        }
    }

    /// A file. An old file of the same name stays until the new one is complete.
    fn file(path: &Path) -> Result<Self, ExportError> {
        let file = OutputFile::create(path)?;
        let name = file.path().display().to_string();
        let raw = BufWriter::with_capacity(1 << 16, Raw::File(file));
        let packing = match packed_by(path) {
            None => Packing::None(raw),
            Some(PackedBy::Gzip) => Packing::Gzip(Box::new(GzEncoder::new(raw, Compression::default()))),
            Some(PackedBy::Zstd) => Packing::Zstd(Box::new(
                zstd::Encoder::new(raw, ZSTD_LEVEL).map_err(|source| ExportError::io("pack", path, source))?,
            )),
        };
        Ok(Self { packing, name })
    }

    /// Makes the file durable and renames it.
    pub fn finish(self) -> Result<(), ExportError> {
        let Self { packing, name } = self;
        match unpacked(packing).map_err(|source| write_error(&name, source))? {
            Raw::File(file) => file.finish(),
            Raw::Stdout(_) | Raw::Terminal(_) => Ok(()),
        }
    }

    /// The error of a failed write.
    pub fn error(&self, source: io::Error) -> ExportError {
        write_error(&self.name, source)
    }

    /// Its name in messages.
    #[cfg(feature = "parquet")]
    pub fn shown_name(&self) -> String {
        self.name.clone()
    }
}

fn write_error(name: &str, source: io::Error) -> ExportError {
    ExportError::Io {
        action: "write",
        path: name.to_owned(),
        source,
    }
}

/// Ends the compression and flushes everything.
fn unpacked(packing: Packing) -> io::Result<Raw> {
    let raw = match packing {
        Packing::None(raw) => raw,
        Packing::Gzip(gzip) => gzip.finish()?,
        Packing::Zstd(zstd) => zstd.finish()?,
    };
    let mut raw = raw.into_inner().map_err(io::IntoInnerError::into_error)?;
    raw.flush()?;
    Ok(raw)
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.packing {
            Packing::None(to) => to.write(bytes),
            Packing::Gzip(to) => to.write(bytes),
            Packing::Zstd(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.packing {
            Packing::None(to) => to.flush(),
            Packing::Gzip(to) => to.flush(),
            Packing::Zstd(to) => to.flush(),
        }
    }
}

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Terminal(terminal) => terminal.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
            Self::Terminal(terminal) => terminal.flush(),
        }
    }
}

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackedBy {
    Gzip,
    Zstd,
}

/// The compression by the name of a file.
pub(crate) fn packed_by(path: &Path) -> Option<PackedBy> {
    match path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
        "gz" => Some(PackedBy::Gzip),
        "zst" => Some(PackedBy::Zstd),
        _ => None,
    }
}
