//! Records in a Parquet file: the rows of the input, with all their columns.
//!
//! ```text
//! while documents are decided    FILE.rows.partial    a line for each row: its file, its number, its verdict
//! at the end                     FILE                 these rows, copied from the input
//! ```
//!
//! While the command decides on documents, it reads only the columns that a verdict needs. Neither the order of the decisions nor an interruption
//! changes the copy. The lists stay until all outputs have their names: if the copy of a run with `--resume` fails or is interrupted, the same
//! command repeats only the copy.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use error::RunError;
use export::{ExportError, OutputFile};
use files::{AddedColumn, AddedKind, Inputs, Table, TableError, copy_rows};
use terminal::tell::tell;
use terminal::units::counted;

use super::lines::ADDED;
use crate::cli::arguments::DedupArgs;
use crate::cli::error::{Error, UsageError};

/// The columns of an annotated row, as the fields of an annotated record.
const VERDICT: [AddedColumn; 5] = [
    added(0, AddedKind::Text),
    added(1, AddedKind::Id),
    added(2, AddedKind::Int32),
    added(3, AddedKind::Float),
    added(4, AddedKind::Id),
];

const fn added(field: usize, kind: AddedKind) -> AddedColumn {
    let name = ADDED[field];
    AddedColumn { name, kind }
}

/// The rows that are copied at the end.
pub(super) struct Copies {
    table: Table,
    kept: Option<Copied>,
    annotated: Option<Copied>,
    stopped: Arc<AtomicBool>,
    quiet: bool,
}

/// An output.
struct Copied {
    path: PathBuf,
    /// Created before the first document is read, so that the command reports then if the file cannot be written.
    file: OutputFile,
}

/// Why the rows are not copied.
pub(super) enum NotCopied {
    /// The input cannot be read again. The verdicts are right.
    Input(RunError),
    /// The same command may succeed.
    Other(RunError),
    Stopped,
}

impl Copies {
    /// What is to be copied; `None` if no output is a Parquet file. It stops when `stopped` is set.
    pub(super) fn of(
        args: &DedupArgs,
        inputs: &Inputs,
        stopped: &Arc<AtomicBool>,
        quiet: bool,
    ) -> Result<Option<Self>, Error> {
        let records = [args.kept.as_deref(), args.annotate.as_deref()];
        if !is_one_form(args.output.as_deref(), records)? {
            return Ok(None);
        }
        let names = [Some(&args.text_field), Some(&args.id_field), args.score_field.as_ref()];
        let is_replaced = |name: &&String| VERDICT.iter().any(|column| column.name == name.as_str());
        if let Some(name) = names
            .into_iter()
            .flatten()
            .find(is_replaced)
            .filter(|_| args.annotate.is_some())
        {
            return Err(usage(format!(
                "--annotate would replace the column {name:?} with its own column of this name: rename the column of the input first"
            )));
        }
        // An index may name documents of other inputs.
        let id_field = args.index.is_none().then_some(args.id_field.as_str());
        let table = inputs.table(id_field).map_err(|error| usage(error.to_string()))?;
        let copied = |path: &Option<PathBuf>| path.clone().map(Copied::create).transpose();
        Ok(Some(Self {
            table,
            kept: copied(&args.kept)?,
            annotated: copied(&args.annotate)?,
            stopped: Arc::clone(stopped),
            quiet,
        }))
    }

    /// The file with the list of rows for an output.
    pub(super) fn list(output: &Path) -> PathBuf {
        let mut list = output.as_os_str().to_owned();
        list.push(".rows");
        list.into()
    }

    /// Copies the rows. The lists are complete.
    pub(super) fn write(self) -> Result<(), NotCopied> {
        for (output, columns) in [(self.kept, &[][..]), (self.annotated, &VERDICT)] {
            let Some(output) = output else {
                continue;
            };
            let path = output.path.display().to_string();
            if !self.quiet {
                tell(format_args!("copying rows to {path}"));
            }
            let rows = output.write(&self.table, columns, &|| !self.stopped.load(Ordering::Relaxed))?;
            if !self.quiet {
                tell(format_args!("  {path} has {}", counted(rows, "row")));
            }
        }
        Ok(())
    }
}

impl Copied {
    fn create(path: PathBuf) -> Result<Self, RunError> {
        let file = OutputFile::create(&path)?;
        Ok(Self { path, file })
    }

    fn write(self, table: &Table, columns: &[AddedColumn], goes_on: &dyn Fn() -> bool) -> Result<u64, NotCopied> {
        let (path, list) = (&self.path, OutputFile::partial_path(&Copies::list(&self.path)));
        let read = |source| NotCopied::Other(RunError::io("read", list.display(), source));
        let written = |source| NotCopied::Other(RunError::io("write", path.display(), source));
        let chosen = File::open(&list).map_err(read)?;
        let mut file = BufWriter::new(self.file);
        let rows = copy_rows(table, BufReader::new(chosen), columns, &mut file, goes_on);
        let rows = rows.map_err(|error| match error {
            TableError::Stopped => NotCopied::Stopped,
            TableError::Write(source) => written(source),
            TableError::Chosen(source) => read(source),
            error => NotCopied::Input(RunError::Export(ExportError::Parquet {
                path: path.display().to_string(),
                reason: error.to_string(),
            })),
        })?;
        file.flush().map_err(written)?;
        let file = file.into_inner().map_err(|error| written(error.into_error()))?;
        file.finish().map_err(|error| NotCopied::Other(error.into()))?;
        Ok(rows)
    }
}

/// Whether the records are written as Parquet. Refuses what is in two forms, and what cannot be Parquet.
fn is_one_form(output: Option<&Path>, records: [Option<&Path>; 2]) -> Result<bool, Error> {
    if output.is_some_and(is_parquet) {
        return Err(usage(
            "--output writes JSON lines: name a file without the ending .parquet, and use --annotate FILE.parquet for the verdicts as columns",
        ));
    }
    let records = || records.into_iter().flatten();
    if let Some(packed) = records().find(|path| is_packed(path)) {
        let packed = packed.display();
        return Err(usage(format!(
            "{packed}: a Parquet file is compressed in itself; name it without the last ending"
        )));
    }
    match records().filter(|path| is_parquet(path)).count() {
        0 => Ok(false),
        count if count == records().count() => Ok(true),
        _ => Err(usage(
            "--kept and --annotate write one form: give both files the ending .parquet, or neither of them",
        )),
    }
}

fn usage(text: impl Into<String>) -> Error {
    UsageError::Argument(text.into()).into()
}

/// Whether a file is to be a Parquet file, by its name.
pub(super) fn is_parquet(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ending == "parquet" || ending == "pq")
}

/// Whether a file is to be a compressed Parquet file.
fn is_packed(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ending == "gz" || ending == "zst") && is_parquet(&path.with_extension(""))
}
