//! Records in a Parquet file: the rows of the input, with all their columns.
//!
//! ```text
//! while documents are decided    FILE.rows.partial    a line for each row: its file, its number, its verdict
//! at the end                     FILE                 these rows, copied from the input
//! ```
//!
//! So only the columns that a verdict needs are read while documents are decided, and the order of the decisions and an interruption make no
//! difference to the copy.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use error::RunError;
use export::{ExportError, OutputFile};
use files::{AddedColumn, AddedKind, Inputs, Table, TableError, copy_rows};
use terminal::tell::tell;
use terminal::units::counted;

use crate::cli::arguments::DedupArgs;
use crate::cli::error::UsageError;

/// The columns of an annotated row, as the fields of an annotated record.
const VERDICT: [AddedColumn; 5] = [
    added("verdict", AddedKind::Text),
    added("of", AddedKind::Id),
    added("distance", AddedKind::Int32),
    added("similarity", AddedKind::Float),
    added("cluster", AddedKind::Id),
];

const fn added(name: &'static str, kind: AddedKind) -> AddedColumn {
    AddedColumn { name, kind }
}

/// The rows that are copied at the end.
#[derive(Debug)]
pub(super) struct Copies {
    table: Table,
    kept: Option<PathBuf>,
    annotated: Option<PathBuf>,
}

impl Copies {
    /// What is to be copied; `None` if no output is a Parquet file.
    pub(super) fn of(args: &DedupArgs, inputs: &Inputs) -> Result<Option<Self>, UsageError> {
        if args.output.as_deref().is_some_and(is_parquet) {
            return Err(UsageError::Argument(
                "--output writes JSON lines: name a file without the ending .parquet, and use --annotate FILE.parquet for the verdicts as columns"
                    .to_owned(),
            ));
        }
        let records = [args.kept.as_deref(), args.annotate.as_deref()];
        let count = records.iter().flatten().filter(|path| is_parquet(path)).count();
        if count == 0 {
            return Ok(None);
        }
        if count < records.iter().flatten().count() {
            return Err(UsageError::Argument(
                "--kept and --annotate write one form: give both files the ending .parquet, or none of them".to_owned(),
            ));
        }
        let table = inputs
            .table(&args.id_field)
            .map_err(|error| UsageError::Argument(error.to_string()))?;
        Ok(Some(Self {
            table,
            kept: args.kept.clone(),
            annotated: args.annotate.clone(),
        }))
    }

    /// The file with the list of rows for an output.
    pub(super) fn list(output: &Path) -> PathBuf {
        let mut list = output.as_os_str().to_owned();
        list.push(".rows");
        list.into()
    }

    /// Copies the rows. The lists are complete.
    pub(super) fn write(&self, quiet: bool) -> Result<(), RunError> {
        for (output, columns) in [(&self.kept, &[][..]), (&self.annotated, &VERDICT)] {
            let Some(output) = output else {
                continue;
            };
            if !quiet {
                tell(format_args!("copying rows to {}", output.display()));
            }
            let rows = self.copy(output, columns)?;
            if !quiet {
                tell(format_args!("  {} has {}", output.display(), counted(rows, "row")));
            }
        }
        Ok(())
    }

    fn copy(&self, output: &Path, columns: &[AddedColumn]) -> Result<u64, RunError> {
        let list = OutputFile::partial_path(&Self::list(output));
        let chosen = File::open(&list).map_err(|source| RunError::io("read", list.display(), source))?;
        let failed = |error: TableError| match error {
            TableError::Write(source) => RunError::io("write", output.display(), source),
            TableError::Chosen(source) => RunError::io("read", list.display(), source),
            error => RunError::Export(ExportError::Parquet {
                path: output.display().to_string(),
                reason: error.to_string(),
            }),
        };
        let mut file = BufWriter::new(OutputFile::create(output)?);
        let rows = copy_rows(&self.table, BufReader::new(chosen), columns, &mut file).map_err(failed)?;
        file.flush().map_err(|source| failed(TableError::Write(source)))?;
        let file = file
            .into_inner()
            .map_err(|error| failed(TableError::Write(error.into_error())))?;
        file.finish()?;
        // The rows are there. A list that cannot be removed is in nobody's way.
        fs::remove_file(&list).ok();
        Ok(rows)
    }
}

/// Whether a file is to be a Parquet file, by its name.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}
