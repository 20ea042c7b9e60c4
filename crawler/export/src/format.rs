//! The formats, and the sink of each for a destination.

use crate::columns::Columns;
use crate::destination::Destination;
use crate::error::{ExportError, not_one_file};
use crate::folder::Folder;
use crate::page::ExportedPage;
use crate::sink::Sink;
use crate::stream::Stream;
use crate::{csv, json_lines, markdown, plain_text};

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    JsonLines,
    /// A table of text, RFC 4180.
    Csv,
    /// A typed, compressed table.
    #[cfg(feature = "parquet")]
    Parquet,
    /// A file a page, with front matter, or one file with all pages.
    Markdown,
    /// The texts only.
    Text,
}

/// Begins an export. `fingerprint_bits` is the number of bits of the pages' fingerprints, which a typed table needs before the
/// first page.
///
/// # Errors
/// The format cannot be written to the destination, or the destination cannot be created.
pub fn open(format: Format, destination: &Destination, columns: Columns) -> Result<Box<dyn Sink>, ExportError> {
    if let Destination::Folder(dir) = destination {
        return match format {
            Format::Markdown => Ok(Box::new(Files {
                folder: Folder::create(dir, "md")?,
                columns,
                render: |page, columns| markdown::render(page, columns).into_bytes(),
            })),
            Format::Text => Ok(Box::new(Files {
                folder: Folder::create(dir, "txt")?,
                columns,
                render: |page, _| {
                    let mut text = Vec::new();
                    // Writing to a vector cannot fail.
                    let _ = plain_text::write(page, &mut text);
                    text
                },
            })),
            _ => Err(not_one_file(dir)),
        };
    }
    let write: WritePage = match format {
        Format::JsonLines => |page, columns, _, out| json_lines::write(page, columns, out),
        Format::Csv => |page, columns, is_first, out| {
            if is_first {
                csv::write_header(columns, out)?;
            }
            csv::write(page, columns, out)
        },
        Format::Text => |page, _, is_first, out| plain_text::write_next(page, is_first, out),
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            reject_packing(destination)?;
            return Ok(Box::new(crate::parquet_file::ParquetFile::create(
                Stream::open(destination, false)?,
                columns,
            )?));
        }
        Format::Markdown => |page, columns, is_first, out| markdown::write_next(page, columns, is_first, out),
    };
    Ok(Box::new(OneFile {
        stream: Stream::open(destination, format == Format::JsonLines)?,
        format,
        columns,
        write,
        is_first: true,
    }))
}

/// Begins a folder that the library `datasets` of Hugging Face reads: Parquet files, and a card that says what they are. `notes` are
/// sentences about how the pages were selected.
///
/// # Errors
/// The folder is not empty, or cannot be created.
#[cfg(feature = "parquet")]
pub fn open_dataset(dir: &std::path::Path, columns: Columns, notes: Vec<String>) -> Result<Box<dyn Sink>, ExportError> {
    Ok(Box::new(crate::dataset::Dataset::create(dir, columns, notes)?))
}

/// Refuses a compressed Parquet file, which no tool opens.
#[cfg(feature = "parquet")]
fn reject_packing(destination: &Destination) -> Result<(), ExportError> {
    match destination {
        Destination::File(path) if crate::stream::packed_by(path).is_some() => Err(ExportError::Destination(format!(
            "{}: a Parquet file is compressed inside; name it without .gz or .zst",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes a page; the flag says whether it is the first of its file.
type WritePage = fn(&ExportedPage, &Columns, bool, &mut dyn std::io::Write) -> std::io::Result<()>;

struct OneFile {
    stream: Stream,
    format: Format,
    columns: Columns,
    write: WritePage,
    is_first: bool,
}

impl Sink for OneFile {
    fn write(&mut self, page: &ExportedPage) -> Result<(), ExportError> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let written = (self.write)(page, &self.columns, is_first, &mut self.stream);
        written.map_err(|source| self.stream.error(source))
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if self.is_first && self.format == Format::Csv {
            let written = csv::write_header(&self.columns, &mut self.stream);
            written.map_err(|source| self.stream.error(source))?;
        }
        self.stream.finish()
    }
}

struct Files {
    folder: Folder,
    columns: Columns,
    render: fn(&ExportedPage, &Columns) -> Vec<u8>,
}

impl Sink for Files {
    fn write(&mut self, page: &ExportedPage) -> Result<(), ExportError> {
        self.folder.write(page, &(self.render)(page, &self.columns))
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.folder.finish()
    }
}
