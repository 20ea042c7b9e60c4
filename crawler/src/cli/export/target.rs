//! Form and destination of an export, from the command line.

use std::io::{self, IsTerminal};
use std::path::{Path, is_separator};

use export::{Destination, Format, Group};

use crate::cli::arguments::{ExportArgs, ExportExtra, ExportFormat};
use crate::cli::error::UsageError;
use crate::cli::store::reject_inside;

/// The form for each file ending.
const ENDINGS: &[(&str, ExportFormat)] = &[
    ("jsonl", ExportFormat::Jsonl),
    ("ndjson", ExportFormat::Jsonl),
    ("csv", ExportFormat::Csv),
    #[cfg(feature = "parquet")]
    ("parquet", ExportFormat::Parquet),
    ("txt", ExportFormat::Text),
    ("cdxj", ExportFormat::Cdxj),
];

/// Form and destination of the export.
pub(super) fn of(args: &ExportArgs) -> Result<(ExportFormat, Destination), UsageError> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let format = match (args.format, output) {
        (Some(format), _) => format,
        (None, Some(path)) => format_by_name(path)?,
        (None, None) => ExportFormat::Jsonl,
    };
    if let Some(path) = output {
        reject_inside(&args.data.data, path)?;
    }
    let destination = match output {
        None => Destination::Stdout,
        Some(path) if format == ExportFormat::Markdown || names_a_folder(path) => Destination::Folder(path.to_owned()),
        Some(path) => Destination::File(path.to_owned()),
    };
    check(args, format, &destination)?;
    Ok((format, destination))
}

/// What the export has besides the fields of every export. A Markdown file always has the structure of its page.
pub(super) fn groups(args: &ExportArgs, format: ExportFormat) -> Vec<Group> {
    let asks = |extra| args.with.contains(&extra);
    let markdown = format == ExportFormat::Markdown || asks(ExportExtra::Markdown);
    let metadata = asks(ExportExtra::Metadata);
    let groups = [(markdown, Group::Markdown), (metadata, Group::Metadata)];
    groups
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, group)| group)
        .collect()
}

/// Rejects contradictory arguments before the command reads the store.
fn check(args: &ExportArgs, format: ExportFormat, destination: &Destination) -> Result<(), UsageError> {
    let problem = match (format, destination) {
        (ExportFormat::Markdown, Destination::Stdout) => {
            "--format markdown writes one file per page: name a folder with --output DIR/"
        }
        #[cfg(feature = "parquet")]
        (ExportFormat::Parquet, Destination::Stdout) if io::stdout().is_terminal() => {
            "a terminal cannot show a Parquet file: name a file with --output, or pipe the output to another program"
        }
        (ExportFormat::Text, _) if args.verdicts != [crate::cli::arguments::ExportVerdict::Kept] => {
            "--format text needs kept pages, because only they have a text: omit --verdict or choose another format"
        }
        (ExportFormat::Text | ExportFormat::Cdxj, _) if !args.with.is_empty() => {
            "--with adds fields, and this format has none: omit it or choose another format"
        }
        (ExportFormat::Cdxj, _) if args.since_published.or(args.until_published).is_some() => {
            "--since-published and --until-published select pages, and cdxj lists captures: use --since and --until"
        }
        _ if (args.since_published.zip(args.until_published)).is_some_and(|(since, until)| since > until) => {
            "--since-published is later than --until-published: no page can match"
        }
        _ if args.since.zip(args.until).is_some_and(|(since, until)| since > until) => {
            "--since is later than --until: no page can match"
        }
        _ => return Ok(()),
    };
    Err(UsageError::Argument(problem.to_owned()))
}

/// The form of a file by its ending: `pages.csv` and `pages.csv.gz` are CSV. A folder has no ending.
fn format_by_name(path: &Path) -> Result<ExportFormat, UsageError> {
    if names_a_folder(path) {
        return Err(UsageError::Argument(format!(
            "{} is a folder: choose --format markdown or --format text",
            path.display()
        )));
    }
    let mut name = Path::new(path.file_name().unwrap_or_default());
    if has_ending(name, "gz") || has_ending(name, "zst") {
        name = Path::new(name.file_stem().unwrap_or_default());
    }
    if name.extension().is_none() {
        return Ok(ExportFormat::Jsonl);
    }
    match ENDINGS.iter().find(|(ending, _)| has_ending(name, ending)) {
        Some((_, format)) => Ok(*format),
        None => Err(UsageError::Argument(unknown_ending(path))),
    }
}

fn unknown_ending(path: &Path) -> String {
    let known: Vec<String> = ENDINGS.iter().map(|(ending, _)| format!(".{ending}")).collect();
    format!(
        "the ending of {} names no form: use {}, optionally followed by .gz or .zst, or give --format",
        path.display(),
        known.join(", ")
    )
}

fn has_ending(name: &Path, ending: &str) -> bool {
    name.extension().is_some_and(|have| have.eq_ignore_ascii_case(ending))
}

fn names_a_folder(path: &Path) -> bool {
    path.to_string_lossy().ends_with(is_separator) || path.is_dir()
}

/// The form in the crate `export`; `None` for the index, which holds captures and not pages.
pub(super) fn page_format(format: ExportFormat) -> Option<Format> {
    match format {
        ExportFormat::Jsonl => Some(Format::JsonLines),
        ExportFormat::Csv => Some(Format::Csv),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Some(Format::Parquet),
        ExportFormat::Markdown => Some(Format::Markdown),
        ExportFormat::Text => Some(Format::Text),
        ExportFormat::Cdxj => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_selects_the_format() {
        for (name, format) in [
            ("a/pages.csv", ExportFormat::Csv),
            ("pages.CSV.GZ", ExportFormat::Csv),
            ("pages.txt.zst", ExportFormat::Text),
            ("pages.cdxj", ExportFormat::Cdxj),
            ("pages.gz", ExportFormat::Jsonl),
            ("pages", ExportFormat::Jsonl),
        ] {
            assert_eq!(format_by_name(Path::new(name)).unwrap(), format, "{name}");
        }
        assert!(format_by_name(Path::new("no-such-folder/")).is_err());
        for name in ["x.tar", "x.jsonl.bz2", "x.json", "x.xlsx.gz", "x.csv.gz.zst"] {
            let complaint = format_by_name(Path::new(name)).unwrap_err().to_string();
            for part in [name, ".jsonl", ".csv", ".txt", ".zst", "--format"] {
                assert!(complaint.contains(part), "{complaint}");
            }
        }
    }
}
