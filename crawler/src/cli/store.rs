//! The store of a crawl that a command only reads.

use std::path::{Path, PathBuf};
use std::time::Duration;

use storage::{Holder, OpenOptions, StorageError, Store};

use crate::cli::error::{Error, UsageError};
use crawl::folder_wait::{FolderWait, MAX_WAIT};
use error::RunError;
use study::as_of::AsOf;
use terminal::tell::tell;
use terminal::units::bytes;

/// Wait after which the command tells the user why it waits.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// Opens the crawl in `dir` for reading, without changes to the archive.
///
/// If nothing can be written there, the store is a copy in the temporary folder. If a crawl is running there, the store shows the crawl
/// as of its last commit. Waits if another command has the crawl open, because a command that only reads ends soon.
pub(super) fn open_to_read(dir: &Path) -> Result<Store, RunError> {
    open_to_read_with(dir, OpenOptions::existing())
}

/// [`open_to_read`] with these options.
pub(super) fn open_to_read_with(dir: &Path, options: OpenOptions) -> Result<Store, RunError> {
    let (store, holder) = open(dir, options)?;
    if let Some((copy, size)) = store.copied() {
        let why = storage::why_not_writable(dir).map_or_else(String::new, |fault| format!(" ({fault})"));
        tell(format_args!(
            "crawler: {} cannot be written to{why}; this command reads a copy of its state, {}, in {}",
            store.dir().display(),
            bytes(size),
            copy.display(),
        ));
    }
    if let Some(as_of) = AsOf::of(&store) {
        give_way();
        tell(format_args!(
            "note: a crawl is running in {}, in {}; this is its state {as_of}",
            store.dir().display(),
            in_words(holder.as_ref()),
        ));
    }
    Ok(store)
}

/// [`open_to_read`] for a process that opens the crawl again and again: says nothing of a crawl that runs.
pub(super) fn open_again(dir: &Path) -> Result<Store, RunError> {
    open(dir, OpenOptions::existing()).map(|(store, _)| store)
}

/// The store, and the process that lends it if it is lent.
fn open(dir: &Path, mut options: OpenOptions) -> Result<(Store, Option<Holder>), RunError> {
    options.command = this_command();
    let wait = FolderWait::begin();
    let mut has_told = false;
    let is_writable = storage::why_not_writable(dir).is_none();
    loop {
        let opened = if is_writable {
            Store::open_untouched(dir, &options)
        } else {
            Store::open_copied(dir, &options)
        };
        let (dir, holder) = match opened {
            Err(StorageError::Locked { dir, holder }) => (dir, holder),
            opened => return Ok((opened?, None)),
        };
        if let Some(store) = Store::open_lent(&dir)? {
            return Ok((store, holder));
        }
        if wait.elapsed() >= TELL_AFTER && !has_told {
            has_told = true;
            tell(format_args!(
                "crawler: {} is in use by {}; waiting up to {} seconds",
                dir.display(),
                in_words(holder.as_ref()),
                MAX_WAIT.as_secs()
            ));
        }
        if !wait.goes_on() {
            return Err(StorageError::Locked { dir, holder }.into());
        }
    }
}

/// Times that a command reads a crawl that ends meanwhile. The next run may have begun by then.
const READINGS: usize = 3;

/// What `read` makes of a crawl. It is made again if the process ended that lent its rows: they are on the disk then. `read` must have no effect
/// that a second call does not replace.
pub(super) fn read_whole<T>(mut read: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 1..READINGS {
        match read() {
            Err(Error::Run(RunError::Storage(StorageError::LenderGone { dir }))) => {
                tracing::debug!(dir = %dir.display(), "the crawl ended while the command read it; it is read again");
            }
            other => return other,
        }
    }
    read()
}

/// The command of this process as other processes name it to their users: `crawler report`.
fn this_command() -> String {
    let command = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    command.map_or_else(|| "crawler".to_owned(), |command| format!("crawler {command}"))
}

fn in_words(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another process".to_owned(), Holder::to_string)
}

/// Lowers the priority of this process, because the crawl needs the processor more.
fn give_way() {
    #[cfg(unix)]
    {
        // With its old priority the command is right too.
        let _lowered = rustix::process::nice(NICENESS);
    }
}

/// Added to the niceness of a command that reads a running crawl.
#[cfg(unix)]
const NICENESS: i32 = 15;

/// Leaves a store open until the process ends.
///
/// Closing makes the database flush, which takes a tenth of the time of a short command although the command wrote nothing. The
/// state survives a process that ends without closing it, as it survives a killed one. The end of the process releases the lock.
pub(super) fn leave_open(store: Store) {
    // A copy is removed when it is closed.
    if store.copied().is_none() {
        std::mem::forget(store);
    }
}

/// Rejects an output file inside the data folder `data`, where it could replace a file of the crawl.
pub(super) fn reject_inside(data: &Path, output: &Path) -> Result<(), UsageError> {
    let Ok(data) = data.canonicalize() else {
        return Ok(()); // The command reports a missing folder when it opens the crawl.
    };
    // Collecting the components removes a trailing slash, behind which a link is not recognised.
    let target = export::linked(&output.components().collect::<PathBuf>());
    let folder = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => &target,
    };
    let place = target.canonicalize().or_else(|_| folder.canonicalize());
    if !place.is_ok_and(|place| place.starts_with(&data)) {
        return Ok(());
    }
    Err(UsageError::Argument(format!(
        "{} is inside the data folder {}, which this command reads; choose an output outside it",
        output.display(),
        data.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_that_ends_meanwhile_is_read_again_and_not_for_ever() {
        let gone = || StorageError::LenderGone { dir: "data".into() }.into();
        let gone = || Err::<u32, Error>(Error::Run(gone()));
        let mut answers = vec![Ok(7), gone()];
        assert_eq!(read_whole(|| answers.pop().unwrap()).unwrap(), 7);
        let mut readings = 0;
        let ended = read_whole(|| {
            readings += 1;
            gone()
        });
        assert!(ended.is_err() && readings == READINGS);
        readings = 0;
        let failed = read_whole(|| {
            readings += 1;
            Err::<u32, Error>(Error::NoSite)
        });
        assert!(failed.is_err() && readings == 1);
    }
}
