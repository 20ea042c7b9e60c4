//! `crawler export`: the pages of a crawl as files for other tools.
//!
//! ```text
//! catalogue ─▶ filter ─▶ record ─▶ text ─▶ reading ─▶ crate export ─▶ file, folder, standard output
//!              by the             from the archive
//!              record
//! ```
//!
//! The export holds one page in memory at a time, plus the buffers of the format. It names and skips a page whose record in the
//! archive is damaged, and ends with another exit code.

mod counts;
mod filter;
mod published;
mod reading;
mod record;
#[cfg(feature = "parquet")]
mod selection;
mod target;

use std::io::ErrorKind;
use std::sync::atomic::Ordering;

use export::{Columns, Destination, ExportError, ExportedPage, Field, Lines, Sink};
use storage::{Fate, PageRecord, StorageError, Store, cdxj};

use self::counts::Counts;
use self::filter::{Excluded, Filter};
use self::published::Published;
use self::reading::Reading;
use super::counter::Counter;
use super::faults::Faults;
use crate::cli::arguments::{ExportArgs, ExportFormat};
use crate::cli::error::{Error, UsageError};
use error::RunError;
use files::{At, Fault, Place};
use terminal::tell::tell;

pub(super) fn execute(args: &ExportArgs, quiet: bool) -> Result<(), Error> {
    let (format, destination) = target::of(args)?;
    let fields = target::fields(args, format)?;
    let groups = target::groups(args, format, &fields);
    let settings = super::configuration::settings_for_crawl(&args.config, &args.data.data)?;
    let write = || {
        let store = super::store::open_to_read(&args.data.data)?;
        if format == ExportFormat::Cdxj {
            return export_index(&store, args, &destination, quiet);
        }
        let columns = target::columns(record::fingerprint_bits(&store)?, &groups, &fields);
        let sink = open(args, format, &destination, columns)?;
        let published = Published::asked(args);
        let export = Export {
            args,
            reading: Reading::new(&store, settings.clone(), &groups, published.is_some()),
            published,
            needs_text: needs_text(format, &fields),
        };
        export.pages(sink, quiet)
    };
    let counts = match destination {
        // What was written cannot be taken back.
        Destination::Stdout => write()?,
        Destination::File(_) | Destination::Folder(_) => super::store::read_whole(write)?,
    };
    if !quiet {
        tell(counts.summary(&destination));
    }
    match counts.unreadable {
        0 => Ok(()),
        pages => Err(Error::Unreadable(pages)),
    }
}

/// Begins the export of pages.
fn open(
    args: &ExportArgs,
    format: ExportFormat,
    destination: &Destination,
    columns: Columns,
) -> Result<Box<dyn Sink>, Error> {
    #[cfg(feature = "parquet")]
    if let (ExportFormat::Dataset, Destination::Folder(dir)) = (format, destination) {
        return export::open_dataset(dir, columns, selection::in_words(args)).map_err(ended);
    }
    let format = target::page_format(format).unwrap_or(export::Format::JsonLines);
    export::open(format, destination, columns).map_err(ended)
}

/// Whether the export has texts, which take most of the time. A file of a page has its text whatever its fields.
fn needs_text(format: ExportFormat, fields: &[&'static Field]) -> bool {
    fields.is_empty()
        || matches!(format, ExportFormat::Markdown | ExportFormat::Text)
        || fields.iter().any(|field| matches!(field.name, "text" | "markdown"))
}

/// What became of a page that passes the filters of its record.
enum Read {
    Page(Box<ExportedPage>),
    /// Its date of publication excludes it.
    Excluded(Excluded),
    /// Its record in the archive cannot be read.
    Damaged(StorageError),
}

/// An export of pages.
struct Export<'a> {
    args: &'a ExportArgs,
    reading: Reading<'a>,
    published: Option<Published>,
    needs_text: bool,
}

impl Export<'_> {
    fn pages(&self, mut sink: Box<dyn Sink>, quiet: bool) -> Result<Counts, Error> {
        let store = self.reading.store();
        let filter = Filter::new(self.args);
        let seen = show(store, quiet);
        let (mut counts, mut faults) = (Counts::default(), Faults::default());
        for row in store.pages_from(1) {
            if self.args.limit == Some(counts.written) {
                counts.limit = self.args.limit;
                break;
            }
            let (id, page) = row.map_err(RunError::from)?;
            seen.set(id);
            if page.fate != Fate::Current {
                counts.add_past(page.fate);
            } else if let Some(reason) = filter.excludes(&page) {
                counts.add_excluded(reason);
            } else {
                match self.page(id, &page)? {
                    Read::Page(exported) => {
                        sink.write(&exported).map_err(ended)?;
                        counts.written += 1;
                    }
                    Read::Excluded(reason) => counts.add_excluded(reason),
                    Read::Damaged(reason) => faults.report(&fault(&page, reason), &seen.progress),
                }
            }
        }
        sink.finish().map_err(ended)?;
        counts.unreadable = faults.count();
        Ok(counts)
    }

    /// The page with what the archive has of it.
    fn page(&self, id: u64, page: &PageRecord) -> Result<Read, RunError> {
        let text = match self.text_of(page)? {
            Ok(text) => text,
            Err(reason) => return Ok(Read::Damaged(reason)),
        };
        let mut exported = record::without_text(self.reading.store(), id, page.clone())?;
        exported.text = text;
        if let Err(reason) = self.reading.add(page, &mut exported)? {
            return Ok(Read::Damaged(reason));
        }
        let said = exported.metadata.published.as_deref();
        if self.published.is_some_and(|asked| !asked.takes(said)) {
            let reason = said.map_or(Excluded::Undated, |_| Excluded::Published);
            return Ok(Read::Excluded(reason));
        }
        Ok(Read::Page(Box::new(exported)))
    }

    /// The text of a page; `None` for a duplicate, unless the export asks for their texts. The inner error concerns only this page.
    fn text_of(&self, page: &PageRecord) -> Result<Result<Option<String>, StorageError>, RunError> {
        let is_duplicate = page.verdict.is_duplicate();
        if !self.needs_text || is_duplicate && !self.args.include_duplicates {
            return Ok(Ok(None));
        }
        match self.reading.store().text_of(page) {
            Ok(None) if is_duplicate => Ok(Ok(None)),
            Ok(text) => Ok(Ok(Some(text.unwrap_or_default()))),
            Err(error) => of_this_page(error).map(Err),
        }
    }
}

/// Exports the index of all captures of the pages that pass the filter, including earlier versions.
fn export_index(store: &Store, args: &ExportArgs, destination: &Destination, quiet: bool) -> Result<Counts, Error> {
    let filter = Filter::of_captures(args);
    let seen = show(store, quiet);
    let mut counts = Counts::of_index();
    let mut out = Lines::create(destination).map_err(ended)?;
    let lines = cdxj::lines(store, |id, page| {
        let excluded = filter.excludes(page);
        // The closure sees a page again for each of its revisits.
        if seen.count.fetch_max(id, Ordering::Relaxed) < id
            && let Some(reason) = excluded
        {
            counts.add_excluded(reason);
        }
        excluded.is_none()
    });
    let mut written = 0;
    for line in lines.map_err(RunError::from)?.take(limit(args)) {
        out.write(&line.map_err(RunError::from)?).map_err(ended)?;
        written += 1;
    }
    counts.written = written;
    counts.limit = args.limit.filter(|limit| *limit == written);
    out.finish().map_err(ended)?;
    Ok(counts)
}

fn limit(args: &ExportArgs) -> usize {
    args.limit
        .map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The error, if it concerns only the page whose record was read.
fn of_this_page(error: StorageError) -> Result<StorageError, RunError> {
    match error {
        // A missing WARC file concerns many pages, so one error ends the export.
        StorageError::Io { ref source, .. } if source.kind() == ErrorKind::NotFound => Err(error.into()),
        StorageError::ArchiveDamaged { .. } | StorageError::Io { .. } => Ok(error),
        error => Err(error.into()),
    }
}

fn fault(page: &PageRecord, reason: StorageError) -> Fault {
    let place = Place {
        source: page.url.as_str().into(),
        at: At::Whole,
    };
    Fault::new(place, reason.to_string())
}

/// The error that ends an export. If the reader has closed standard output, the process ends successfully.
fn ended(error: ExportError) -> Error {
    if error.is_reader_gone() {
        std::process::exit(0);
    }
    if error.is_usage() {
        return UsageError::Argument(error.to_string()).into();
    }
    RunError::from(error).into()
}

fn show(store: &Store, quiet: bool) -> Counter {
    let total = store.next_page_id().saturating_sub(1);
    Counter::show(Some(total), quiet, move |seen| {
        format!("{seen} of {total} pages processed")
    })
}
