//! Pages as files that other tools open: JSON lines, CSV, Parquet, plain text, and Markdown with front matter.
//!
//! The crate is independent of crawls: it takes one [`ExportedPage`] after another and writes a file, a folder of files, or
//! standard output. All formats have the same fields under the same names ([`FIELDS`]); [`Columns`] has those of one export. No format holds more than a few pages in
//! memory (Parquet: one row group).
//!
//! An incomplete export never looks complete: a file is `FILE.partial` and a folder `DIR.partial` until everything is written and
//! durable; then it is renamed.
//!
//! ```
//! use export::{Columns, Destination, Format, ExportedPage, open};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let path = dir.path().join("pages.csv.gz");
//! let mut sink = open(Format::Csv, &Destination::File(path.clone()), Columns::new(64, &[]))?;
//! sink.write(&ExportedPage { url: "https://example.org/".to_owned(), ..ExportedPage::default() })?;
//! assert!(!path.exists());
//! sink.finish()?;
//! assert!(path.exists());
//! # Ok(())
//! # }
//! ```
//!
//! - [`ExportedPage`]: the input; [`Field`]: the name and the type of each of its values
//! - `json_lines`, `csv`, `plain_text`, `parquet_file`, `markdown`: one format each; `yaml`: texts in front matter
//! - `dataset`: Parquet files with a card, as Hugging Face `datasets` reads them
//! - [`open`]: the [`Sink`] of a [`Format`] for a [`Destination`]
//! - [`Lines`]: a file of lines that the caller makes
//! - `file_name`: a safe name for each URL
//! - [`OutputFile`]: a file that appears when it is complete; `stream`: such a file, compressed by its name, or standard output;
//!   `folder`: a folder that appears when it is complete; [`Harmless`]: standard output on a terminal

mod columns;
pub mod csv;
#[cfg(feature = "parquet")]
mod dataset;
mod destination;
mod error;
mod field;
mod file_name;
mod folder;
mod format;
mod harmless;
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
mod unfinished;
mod yaml;

pub use columns::Columns;
pub use destination::Destination;
pub use error::ExportError;
pub use field::{FIELDS, Field, Group, Kind, Value};
#[cfg(feature = "parquet")]
pub use format::open_dataset;
pub use format::{Format, open};
pub use harmless::Harmless;
pub use lines::Lines;
pub use output_file::{OutputFile, linked};
pub use page::{ExportedPage, Fingerprint, Metadata, Verdict};
pub use sink::Sink;
