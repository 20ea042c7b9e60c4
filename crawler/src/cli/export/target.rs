//! Form and destination of an export, from the command line.

use std::io::{self, IsTerminal};
use std::path::{Path, is_separator};

use export::{Columns, Destination, Field, Format, Group};

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
    ("md", ExportFormat::Markdown),
    ("markdown", ExportFormat::Markdown),
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
        Some(path) if is_folder(path, format) => Destination::Folder(path.to_owned()),
        Some(path) => Destination::File(path.to_owned()),
    };
    check(args, format, &destination)?;
    Ok((format, destination))
}

/// Whether the export is a folder. Markdown and a dataset are one, whatever their name, unless it is that of a Markdown file.
fn is_folder(path: &Path, format: ExportFormat) -> bool {
    match format {
        ExportFormat::Markdown => names_a_folder(path) || format_of_ending(path) != Some(ExportFormat::Markdown),
        #[cfg(feature = "parquet")]
        ExportFormat::Dataset => true,
        _ => names_a_folder(path),
    }
}

/// What the export has besides the fields of every export. A Markdown file always has the structure of its page.
pub(super) fn groups(args: &ExportArgs, format: ExportFormat, fields: &[&'static Field]) -> Vec<Group> {
    let asks = |extra, group| args.with.contains(&extra) || fields.iter().any(|field| field.group == group);
    let markdown = format == ExportFormat::Markdown || asks(ExportExtra::Markdown, Group::Markdown);
    let metadata = asks(ExportExtra::Metadata, Group::Metadata);
    let groups = [(markdown, Group::Markdown), (metadata, Group::Metadata)];
    groups
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, group)| group)
        .collect()
}

/// The fields of `--fields`, each once.
pub(super) fn fields(args: &ExportArgs, format: ExportFormat) -> Result<Vec<&'static Field>, UsageError> {
    let mut fields: Vec<&'static Field> = Vec::new();
    if !args.fields.is_empty() && matches!(format, ExportFormat::Text | ExportFormat::Cdxj) {
        let problem = "--fields selects fields, and this format has none: omit it or choose another format";
        return Err(UsageError::Argument(problem.to_owned()));
    }
    for name in args
        .fields
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
    {
        let field = Field::named(name).ok_or_else(|| UsageError::Argument(unknown_field(name)))?;
        if !fields.iter().any(|other| other.name == field.name) {
            fields.push(field);
        }
    }
    Ok(fields)
}

fn unknown_field(name: &str) -> String {
    let names: Vec<&str> = export::FIELDS.iter().map(|field| field.name).collect();
    let meant = config::nearest(name, names.iter().copied());
    let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
    format!(
        "--fields: there is no field {name:?}{meant} (the fields are {})",
        names.join(", ")
    )
}

/// The columns of an export: those of `fields`, or all of `groups` without any.
pub(super) fn columns(fingerprint_bits: u32, groups: &[Group], fields: &[&'static Field]) -> Columns {
    if fields.is_empty() {
        Columns::new(fingerprint_bits, groups)
    } else {
        Columns::of_fields(fingerprint_bits, fields.to_vec())
    }
}

/// Rejects contradictory arguments before the command reads the store.
fn check(args: &ExportArgs, format: ExportFormat, destination: &Destination) -> Result<(), UsageError> {
    let problem = match (format, destination) {
        (ExportFormat::Markdown, Destination::Stdout) => {
            "--format markdown writes one file per page: name a folder with --output DIR/, or one file with --output FILE.md"
        }
        #[cfg(feature = "parquet")]
        (ExportFormat::Dataset, Destination::Stdout) => "--format dataset writes a folder: name it with --output DIR/",
        #[cfg(feature = "parquet")]
        (ExportFormat::Parquet, Destination::Stdout) if io::stdout().is_terminal() => {
            "a terminal cannot show a Parquet file: name a file with --output, or pipe the output to another program"
        }
        (ExportFormat::Text, _)
            if !args.include_duplicates && args.verdicts() != [crate::cli::arguments::ExportVerdict::Kept] =>
        {
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
    // Of the forms that are folders, only Markdown has all fields.
    if names_a_folder(path) {
        return Ok(ExportFormat::Markdown);
    }
    if unpacked_name(path).extension().is_none() {
        return Ok(ExportFormat::Jsonl);
    }
    format_of_ending(path).ok_or_else(|| UsageError::Argument(unknown_ending(path)))
}

/// The form that the ending of a file names.
fn format_of_ending(path: &Path) -> Option<ExportFormat> {
    let name = unpacked_name(path);
    let found = ENDINGS.iter().find(|(ending, _)| has_ending(name, ending));
    found.map(|(_, format)| *format)
}

/// The name of a file without the ending of a compression.
fn unpacked_name(path: &Path) -> &Path {
    let name = Path::new(path.file_name().unwrap_or_default());
    if has_ending(name, "gz") || has_ending(name, "zst") {
        Path::new(name.file_stem().unwrap_or_default())
    } else {
        name
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

/// The form in the crate `export`; `None` for a dataset, which opens by itself, and for the index, which holds captures and not pages.
pub(super) fn page_format(format: ExportFormat) -> Option<Format> {
    match format {
        ExportFormat::Jsonl => Some(Format::JsonLines),
        ExportFormat::Csv => Some(Format::Csv),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Some(Format::Parquet),
        ExportFormat::Markdown => Some(Format::Markdown),
        ExportFormat::Text => Some(Format::Text),
        #[cfg(feature = "parquet")]
        ExportFormat::Dataset => None,
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
            ("pages.md", ExportFormat::Markdown),
            ("no-such-folder/", ExportFormat::Markdown),
            ("pages.gz", ExportFormat::Jsonl),
            ("pages", ExportFormat::Jsonl),
        ] {
            assert_eq!(format_by_name(Path::new(name)).unwrap(), format, "{name}");
        }
        for name in ["x.tar", "x.jsonl.bz2", "x.json", "x.xlsx.gz", "x.csv.gz.zst"] {
            let complaint = format_by_name(Path::new(name)).unwrap_err().to_string();
            for part in [name, ".jsonl", ".csv", ".txt", ".zst", "--format"] {
                assert!(complaint.contains(part), "{complaint}");
            }
        }
    }
}
