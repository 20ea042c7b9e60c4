//! Pages as files that other tools open: JSON lines, CSV, Parquet, plain text, and Markdown with front matter.
//!
//! It knows nothing of a crawl: what comes in is one [`ExportedPage`] after another, what goes out is a file, a folder of files or
//! standard output. Every format has the same fields under the same names ([`FIELDS`]), and no format holds more than a few
//! pages at a time (Parquet: one row group).
//!
//! Nothing that is not complete looks complete: a file is `FILE.partial`, a folder `DIR.partial`, until all of it is written and
//! durable; then it is renamed.
//!
//! ```
//! use export::{Destination, Format, ExportedPage, open};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let path = dir.path().join("pages.csv.gz");
//! let mut sink = open(Format::Csv, &Destination::File(path.clone()), 64)?;
//! sink.write(&ExportedPage { url: "https://example.org/".to_owned(), ..ExportedPage::default() })?;
//! assert!(!path.exists());
//! sink.finish()?;
//! assert!(path.exists());
//! # Ok(())
//! # }
//! ```
//!
//! - [`ExportedPage`] what comes in, [`Field`] what its values are called and of which type they are
//! - `json_lines`, `csv`, `plain_text`, `parquet_file`, `markdown`: one format each; `yaml`: texts in front matter
//! - [`Lines`]: a file of lines that are made elsewhere
//! - `file_name`: a safe name for each URL
//! - [`OutputFile`]: a file that appears when it is complete; `stream`: the same packed by its name, or standard output; `folder`:
//!   the same of a folder

mod csv;
mod destination;
mod error;
mod field;
mod file_name;
mod folder;
mod format;
mod json_lines;
mod lines;
mod markdown;
mod output_file;
mod page;
#[cfg(feature = "parquet")]
mod parquet_file;
mod plain_text;
mod sink;
mod stream;
mod yaml;

pub use destination::Destination;
pub use error::ExportError;
pub use field::{FIELDS, Field, Kind, Value};
pub use format::{Format, open};
pub use lines::Lines;
pub use output_file::{OutputFile, linked};
pub use page::{ExportedPage, Fingerprint, Verdict};
pub use sink::Sink;
