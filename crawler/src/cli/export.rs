//! `crawler export`: the pages of a crawl as files that other tools open.
//!
//! ```text
//! catalogue ─▶ filter ─▶ record ─▶ text ─▶ crate export ─▶ file, folder, standard output
//!              by what              from the
//!              is known             archive
//! ```
//!
//! One page is held at a time, besides what a format gathers. A page whose record in the archive is damaged is named and left
//! out, and the exit code says so.

mod filter;
mod record;
mod target;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use export::{Destination, ExportError, Lines, Sink};
use storage::{Fate, PageRecord, StorageError, Store, Verdict, cdxj};

use self::filter::Filter;
use super::faults::Faults;
use crate::cli::arguments::ExportArgs;
use crate::cli::error::{Error, UsageError};
use crate::error::RunError;
use crate::files::{At, Fault, Place};
use crate::live::progress::{Moment, Progress};
use crate::terminal::tell::tell;

pub(super) fn execute(args: &ExportArgs, quiet: bool) -> Result<(), Error> {
    let (format, destination) = target::of(args)?;
    let store = super::store::open_to_read(&args.data.data)?;
    let filter = Filter::new(args);
    let counts = match target::page_format(format) {
        Some(format) => {
            let bits = record::fingerprint_bits(&store)?;
            let sink = export::open(format, &destination, bits).map_err(ended)?;
            export_pages(&store, &filter, sink, quiet)?
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

/// How many pages went where.
#[derive(Debug, Default)]
struct Counts {
    /// Pages, or captures of pages.
    written: u64,
    is_index: bool,
    filtered: u64,
    /// Versions that are not the last of their page, and pages that are gone.
    past: u64,
    unreadable: u64,
}

fn export_pages(store: &Store, filter: &Filter<'_>, mut sink: Box<dyn Sink>, quiet: bool) -> Result<Counts, Error> {
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
                    faults.tell(&fault(&page, reason), &progress);
                    continue;
                }
            };
            let mut page = record::without_text(store, id, page)?;
            page.text = text;
            sink.write(&page).map_err(ended)?;
            counts.written += 1;
        }
    }
    sink.finish().map_err(ended)?;
    counts.unreadable = faults.count();
    Ok(counts)
}

/// The index of every capture of the pages that the filter takes, versions that are not the last included: they are all in
/// the archive.
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
        // A page is asked about once more for its revisits.
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

/// The text of a kept page, nothing for a duplicate; or why it cannot be read, where that concerns this page alone.
fn text_of(store: &Store, page: &PageRecord) -> Result<Result<Option<String>, StorageError>, RunError> {
    if page.verdict != Verdict::Unique {
        return Ok(Ok(None));
    }
    match store.text_of(page) {
        Ok(text) => Ok(Ok(Some(text.unwrap_or_default()))),
        // A file that is not there concerns all pages in it: one message, not one a page.
        Err(StorageError::Io { action, path, source }) if source.kind() == ErrorKind::NotFound => {
            Err(StorageError::Io { action, path, source }.into())
        }
        Err(error @ (StorageError::ArchiveDamaged { .. } | StorageError::Io { .. })) => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

fn fault(page: &PageRecord, reason: StorageError) -> Fault {
    Fault {
        place: Place {
            source: page.url.as_str().into(),
            at: At::Whole,
        },
        reason: reason.to_string(),
    }
}

/// What ends an export. Who stops reading standard output has all that is wanted.
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
            message: format!("{position} of {total} pages seen"),
            ..Moment::default()
        }
    })
}

impl Counts {
    fn summary(&self, destination: &Destination) -> String {
        let what = if self.is_index { "capture" } else { "page" };
        let to = match destination {
            Destination::Stdout => String::new(),
            Destination::File(path) | Destination::Folder(path) => format!(" to {}", path.display()),
        };
        let mut text = format!(
            "{} written{to}; {} left out by the filters",
            counted(self.written, what),
            counted(self.filtered, "page")
        );
        if self.past > 0 {
            text += &format!(", {} gone or of an earlier version", self.past);
        }
        if self.unreadable > 0 {
            text += &format!(", {} that could not be read", self.unreadable);
        }
        text
    }
}

/// `1 page`, `2 pages`.
fn counted(count: u64, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}
