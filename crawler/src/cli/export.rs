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

mod filter;
mod published;
mod reading;
mod record;
mod target;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use export::{Columns, Destination, ExportError, Lines, Sink};
use storage::{Fate, PageRecord, StorageError, Store, cdxj};

use self::filter::Filter;
use self::published::Published;
use self::reading::Reading;
use super::faults::Faults;
use crate::cli::arguments::ExportArgs;
use crate::cli::error::{Error, UsageError};
use error::RunError;
use files::{At, Fault, Place};
use terminal::tell::tell;
use views::live::progress::{Moment, Progress};

pub(super) fn execute(args: &ExportArgs, quiet: bool) -> Result<(), Error> {
    let (format, destination) = target::of(args)?;
    let groups = target::groups(args, format);
    let settings = super::configuration::settings(&args.config)?;
    let store = super::store::open_to_read(&args.data.data)?;
    let filter = Filter::new(args);
    let counts = match target::page_format(format) {
        Some(format) => {
            let bits = record::fingerprint_bits(&store)?;
            let sink = export::open(format, &destination, Columns::new(bits, &groups)).map_err(ended)?;
            let published = Published::asked(args);
            let reading = Reading::new(&store, settings, &groups, published.is_some());
            export_pages(&reading, &filter, published, sink, quiet)?
        }
        None => export_index(&store, &filter, &destination, quiet)?,
    };
    if !quiet {
        tell(counts.summary(&destination));
    }
    match counts.unreadable {
        0 => Ok(()),
        pages => Err(Error::Unreadable(pages)),
    }
}

/// Numbers of exported and skipped pages.
#[derive(Debug, Default)]
struct Counts {
    /// Pages, or captures of pages in an index.
    written: u64,
    is_index: bool,
    filtered: u64,
    /// Those of them that do not say when they were published, if the export asks for it.
    undated: u64,
    /// Earlier versions of pages, and pages that are gone.
    past: u64,
    unreadable: u64,
}

fn export_pages(
    reading: &Reading<'_>,
    filter: &Filter<'_>,
    published: Option<Published>,
    mut sink: Box<dyn Sink>,
    quiet: bool,
) -> Result<Counts, Error> {
    let store = reading.store();
    let seen = Arc::new(AtomicU64::new(0));
    let progress = show(&seen, store.next_page_id().saturating_sub(1), quiet);
    let (mut counts, mut faults) = (Counts::default(), Faults::default());
    for row in store.pages_from(1) {
        let (id, page) = row.map_err(RunError::from)?;
        seen.store(id, Ordering::Relaxed);
        if page.fate != Fate::Current {
            counts.past += 1;
        } else if !filter.takes(&page) {
            counts.filtered += 1;
        } else {
            let text = match text_of(store, &page)? {
                Ok(text) => text,
                Err(reason) => {
                    faults.report(&fault(&page, reason), &progress);
                    continue;
                }
            };
            let mut exported = record::without_text(store, id, page.clone())?;
            exported.text = text;
            if let Err(reason) = reading.add(&page, &mut exported)? {
                faults.report(&fault(&page, reason), &progress);
                continue;
            }
            if published.is_some_and(|asked| !asked.takes(exported.metadata.published.as_deref())) {
                counts.filtered += 1;
                counts.undated += u64::from(exported.metadata.published.is_none());
                continue;
            }
            sink.write(&exported).map_err(ended)?;
            counts.written += 1;
        }
    }
    sink.finish().map_err(ended)?;
    counts.unreadable = faults.count();
    Ok(counts)
}

/// Exports the index of all captures of the pages that pass the filter, including earlier versions.
fn export_index(store: &Store, filter: &Filter<'_>, destination: &Destination, quiet: bool) -> Result<Counts, Error> {
    let seen = Arc::new(AtomicU64::new(0));
    let _progress = show(&seen, store.next_page_id().saturating_sub(1), quiet);
    let mut counts = Counts {
        is_index: true,
        ..Counts::default()
    };
    let mut out = Lines::create(destination).map_err(ended)?;
    let lines = cdxj::lines(store, |id, page| {
        let takes = filter.takes(page);
        // The closure sees a page again for each of its revisits.
        if seen.fetch_max(id, Ordering::Relaxed) < id {
            counts.filtered += u64::from(!takes);
        }
        takes
    });
    for line in lines.map_err(RunError::from)? {
        out.write(&line.map_err(RunError::from)?).map_err(ended)?;
        counts.written += 1;
    }
    out.finish().map_err(ended)?;
    Ok(counts)
}

/// The text of a kept page, and `None` for a duplicate. The inner error concerns only this page.
fn text_of(store: &Store, page: &PageRecord) -> Result<Result<Option<String>, StorageError>, RunError> {
    if page.verdict.is_duplicate() {
        return Ok(Ok(None));
    }
    match store.text_of(page) {
        Ok(text) => Ok(Ok(Some(text.unwrap_or_default()))),
        Err(error) => of_this_page(error).map(Err),
    }
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

fn show(seen: &Arc<AtomicU64>, total: u64, quiet: bool) -> Progress {
    let seen = Arc::clone(seen);
    Progress::start(Some(total), quiet, move |_| {
        let position = seen.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} of {total} pages processed"),
            ..Moment::default()
        }
    })
}

impl Counts {
    fn summary(&self, destination: &Destination) -> String {
        let noun = if self.is_index { "capture" } else { "page" };
        let to = match destination {
            Destination::Stdout => String::new(),
            Destination::File(path) | Destination::Folder(path) => format!(" to {}", path.display()),
        };
        let mut text = format!(
            "{} written{to}; {} excluded by the filters",
            counted(self.written, noun),
            counted(self.filtered, "page")
        );
        if self.undated > 0 {
            text += &format!(" ({} without a date of publication)", self.undated);
        }
        if self.past > 0 {
            text += &format!(", {} gone or replaced by a later version", self.past);
        }
        if self.unreadable > 0 {
            text += &format!(", {} unreadable", self.unreadable);
        }
        text
    }
}

/// `1 page`, `2 pages`.
fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
