//! The verdicts of `crawler merge --verdicts`: rows of Parquet files or JSON lines, as `near_duplicates.spark.deduplicate` adds them.

use std::ops::ControlFlow;
use std::path::Path;

use crate::cli::counter::Counter;
use crate::cli::error::{Error, UsageError};
use error::RunError;
use files::{Document, Fields, Inputs, Reading};
use study::given_verdicts::Given;
use terminal::units::bytes;

/// What a row has. The URL may stand in the column `id`.
const COLUMNS: &str = "url (or id), verdict, of, distance and similarity";

/// Calls `each` for every row, until one fails.
pub(super) fn read(
    folder: &Path,
    quiet: bool,
    mut each: impl FnMut(Given<'_>) -> Result<(), RunError>,
) -> Result<(), Error> {
    let inputs = Inputs::find(&[folder.to_owned()], None, &[]).map_err(UsageError::from)?;
    let total = inputs.total_bytes();
    let read = Counter::show(total, quiet, |read| format!("{} of verdicts read", bytes(read)));
    // A reader of documents: what it takes for the text is the verdict.
    let reading = Reading {
        fields: Fields {
            id: "id".to_owned(),
            text: "verdict".to_owned(),
            title: "of".to_owned(),
            url: "url".to_owned(),
            group: Some("distance".to_owned()),
            score: Some("similarity".to_owned()),
        },
        ..Reading::default()
    };
    let (mut rows, mut failed) = (0_u64, None);
    let whole = inputs.read(&reading, &read.count, &mut |batch| {
        batch.documents(&reading, &mut |row| {
            if failed.is_some() {
                return;
            }
            rows += 1;
            let given = match row {
                Ok(row) if row.line.is_some() => each(given(&row, &id_of(&row))),
                Ok(_) => Err(unusable(
                    folder,
                    "one of its files is not a table: give a folder that has only Parquet files or JSON lines",
                )),
                Err(fault) => Err(unusable(
                    folder,
                    &format!(
                        "{}: {}; a row of verdicts has the columns {COLUMNS}",
                        fault.place, fault.reason
                    ),
                )),
            };
            failed = given.err();
        });
        match failed {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    });
    debug_assert!(whole.is_continue() || failed.is_some(), "nothing else breaks");
    match failed {
        Some(error) => Err(error.into()),
        None if rows == 0 => Err(unusable(
            folder,
            &format!(
                "there is no row of a Parquet file or of JSON lines: give the folder that \
                 near_duplicates.spark.deduplicate(…).write.parquet(…) has written, with the columns {COLUMNS}"
            ),
        )
        .into()),
        None => Ok(()),
    }
}

/// The id as text; empty if it is none.
fn id_of(row: &Document<'_>) -> String {
    serde_json::from_str(row.id).unwrap_or_default()
}

fn given<'a>(row: &Document<'a>, id: &'a str) -> Given<'a> {
    Given {
        url: row.url.unwrap_or(id),
        verdict: row.text,
        of: row.title,
        distance: row.group.and_then(|distance| distance.parse().ok()),
        similarity: row.score.and_then(|similarity| similarity.parse().ok()),
    }
}

fn unusable(folder: &Path, reason: &str) -> RunError {
    RunError::Unread {
        what: format!("the verdicts of {}", folder.display()),
        reason: reason.to_owned(),
    }
}
