//! What ends the run: each error says what is wrong, where, and what to do about it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An error of the store. What goes wrong with one page is not an error but an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// There is no store in the folder and none was to be made.
    #[error("{} holds no crawl: give the data folder of a crawl, or begin one with `crawler run`", dir.display())]
    NoStore {
        /// The data folder.
        dir: PathBuf,
    },
    /// Another process has the store open.
    #[error("{} is in use by {}: wait for it or stop it, or choose another data folder", dir.display(), holder(*pid))]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// The process, where it is known.
        pid: Option<u32>,
    },
    /// A file or folder could not be used.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(action, source))]
    Io {
        /// What was tried: `write`, `read`, ….
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store was written by a later version of this program.
    #[error(
        "{} has store format {found}, this program knows formats up to {known}: use the version of the crawler that wrote it, or a later one",
        dir.display()
    )]
    NewerFormat {
        /// The data folder.
        dir: PathBuf,
        /// The store's format version.
        found: u32,
        /// The newest that this program reads.
        known: u32,
    },
    /// The store was written by an earlier version of this program, before its first release.
    #[error(
        "{} has store format {found}, this program writes format {known} and does not read that any more: crawl into another data folder",
        dir.display()
    )]
    OlderFormat {
        /// The data folder.
        dir: PathBuf,
        /// The store's format version.
        found: u32,
        /// The version that this program reads and writes.
        known: u32,
    },
    /// Fingerprints or URLs of the store were made by other rules than those asked for; they cannot be compared.
    #[error(
        "{} was made with scheme {stored:?}, but {wanted:?} is asked for, and the two cannot be compared: set those options back, crawl into another data folder, or, where options of [dedup] alone have changed, make all fingerprints anew from the stored texts: {}",
        dir.display(),
        rebuild(dir)
    )]
    Scheme {
        /// The data folder.
        dir: PathBuf,
        /// The scheme it was made with.
        stored: String,
        /// The scheme asked for.
        wanted: String,
    },
    /// The state cannot be read.
    #[error(
        "the state in {} is damaged ({detail}): the archived pages in `warc` are not touched by this; put a good copy of `state` back, or make it anew from them: {}",
        dir.display(),
        rebuild(dir)
    )]
    Corrupt {
        /// The data folder.
        dir: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The state is older than it has been: a part of it was lost, and going on would cut off archived pages.
    #[error(
        "the state in {} ends at commit {found}, but commit {expected} was made: a part of it was lost or an old copy put in its place; put the newer state back, or make it anew from the archived pages: {}",
        dir.display(),
        rebuild(dir)
    )]
    RolledBack {
        /// The data folder.
        dir: PathBuf,
        /// The last commit known to have been made.
        expected: u64,
        /// The last commit in the state.
        found: u64,
    },
    /// There are archived pages but no state.
    #[error(
        "{} has archived pages but no state: put its `state` folder back, or make it anew from them: {}",
        dir.display(),
        rebuild(dir)
    )]
    StateMissing {
        /// The data folder.
        dir: PathBuf,
    },
    /// A file of the archive is missing or shorter than what is committed.
    #[error(
        "{} has {found} bytes where {expected} are committed: put the file back, or go on with the pages that are left: {}",
        path.display(),
        rebuild(data_folder_of(path))
    )]
    ArchiveShort {
        /// The WARC file.
        path: PathBuf,
        /// Bytes committed.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// A file of the archive, not its last, is missing.
    #[error(
        "{} is missing: put the file back, or go on with the pages that are left: {}",
        path.display(),
        rebuild(data_folder_of(path))
    )]
    ArchiveMissing {
        /// The WARC file.
        path: PathBuf,
    },
    /// The state is a symbolic link, and another one is to take its place.
    #[error(
        "{} is a symbolic link, and a new state would take its place as a folder here: put the folder that it leads to in its place, or remove the link if that state is of no use",
        path.display()
    )]
    StateLinked {
        /// The link.
        path: PathBuf,
    },
    /// There are WARC files of several crawls, and no state that says which of them is this one.
    #[error(
        "{} has files of several crawls, and no state says which is this one's: {}; leave only one crawl's files there",
        dir.display(),
        crawls.join(", ")
    )]
    SeveralCrawls {
        /// The folder of the WARC files.
        dir: PathBuf,
        /// What the names of each crawl's files begin with.
        crawls: Vec<String>,
    },
    /// A record of the archive cannot be read.
    #[error("the record at byte {offset} of {} is damaged: {reason}; put a good copy of the file back", path.display())]
    ArchiveDamaged {
        /// The WARC file.
        path: PathBuf,
        /// Where the record begins.
        offset: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// sled failed.
    #[error("the state in {} cannot be used: {source}{}", dir.display(), sled_advice(source))]
    State {
        /// The data folder.
        dir: PathBuf,
        /// What sled said.
        source: sled::Error,
    },
    /// There is nothing to make a state of.
    #[error("{} has no WARC file of a crawl: there is nothing to make its state of", dir.display())]
    NothingArchived {
        /// The data folder.
        dir: PathBuf,
    },
    /// Neither the archive nor the state says by which scheme the crawl was made.
    #[error("neither `warc` nor `state` of {} says by which rules the crawl was made: give its configuration with --config", dir.display())]
    SchemeUnknown {
        /// The data folder.
        dir: PathBuf,
    },
    /// A host or URL that cannot be a key: empty, too long, or with a zero byte.
    #[error("{} of host {host:?} is not a URL this store can hold: empty, longer than {max} bytes, or with a zero byte", shown(url), max = crate::format::MAX_URL_BYTES)]
    InvalidUrl {
        /// The host key.
        host: String,
        /// The URL.
        url: String,
    },
    /// The URL to be finished is not in the queue: it is finished already, or was never discovered.
    #[error("{url} is not in the queue: it was finished before or never discovered")]
    NotQueued {
        /// The URL.
        url: String,
    },
    /// A page cannot take the place of this one: it is not kept, or the verdict that it is given is not of that page.
    #[error("page {page} cannot be replaced: it is not kept, or not by the page that is to take its place")]
    NotReplaceable {
        /// Its sequence number.
        page: u64,
    },
    /// A commit failed between its steps; what is in memory no longer agrees with what is on disk.
    #[error("an earlier commit failed half-way: open the store again, it goes on from the last complete commit")]
    Halted,
    /// A row could not be encoded.
    #[error("a row cannot be encoded: {0}")]
    Encode(postcard::Error),
}

impl StorageError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.into(),
            source,
        }
    }

    /// sled's panic, in which `detail` says what it met: the disk's failures in its words, else where in its code.
    pub(crate) fn sled_panic(dir: &Path, detail: String) -> Self {
        let full = [
            ("StorageFull", ErrorKind::StorageFull),
            ("No space left", ErrorKind::StorageFull),
            ("FileTooLarge", ErrorKind::FileTooLarge),
            ("File too large", ErrorKind::FileTooLarge),
            ("QuotaExceeded", ErrorKind::QuotaExceeded),
        ];
        match full.iter().find(|(words, _)| detail.contains(words)) {
            Some((_, kind)) => Self::State {
                dir: dir.to_owned(),
                source: sled::Error::Io((*kind).into()),
            },
            None => {
                tracing::debug!(%detail, "sled panicked");
                Self::Corrupt {
                    dir: dir.to_owned(),
                    detail: UNREADABLE.to_owned(),
                }
            }
        }
    }

    /// sled's errors, corruption told apart from the rest.
    pub(crate) fn sled(dir: &Path, source: sled::Error) -> Self {
        match source {
            // Its own words end in an offset and a trace that it has not.
            sled::Error::Corruption { .. } => Self::Corrupt {
                dir: dir.to_owned(),
                detail: UNREADABLE.to_owned(),
            },
            sled::Error::Unsupported(_) | sled::Error::ReportableBug(_) => Self::Corrupt {
                dir: dir.to_owned(),
                detail: source.to_string(),
            },
            source => Self::State {
                dir: dir.to_owned(),
                source,
            },
        }
    }
}

/// The command that makes a state anew.
fn rebuild(dir: &Path) -> String {
    format!("crawler rebuild --data {}", dir.display())
}

/// The data folder of a WARC file.
fn data_folder_of(path: &Path) -> &Path {
    path.parent().and_then(Path::parent).unwrap_or(path)
}

/// What is said of a database that does not make sense to itself.
const UNREADABLE: &str = "its database does not read what it wrote";

/// Enough of a URL to know it by.
fn shown(url: &str) -> String {
    let short: String = url.chars().take(200).collect();
    format!("{short:?}")
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// What to do about an error of the file system, where there is something to do.
fn advice(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied if action == "read" => "; give this user the right to read it",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; the store must be writable: give this user the right to write there, or choose another data folder"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space and run again, everything committed is kept"
        }
        ErrorKind::FileTooLarge => {
            "; raise the limit on file sizes (`ulimit -f`); for WARC files, storage.warc_file_bytes may be set lower too"
        }
        _ => "",
    }
}

fn sled_advice(error: &sled::Error) -> &'static str {
    match error {
        sled::Error::Io(error) => advice("write", error),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_read_only_folder_say_what_to_do() {
        let message = |kind: ErrorKind| StorageError::io("write", "w.warc.gz", kind.into()).to_string();
        assert!(message(ErrorKind::StorageFull).contains("free some space"));
        assert!(message(ErrorKind::ReadOnlyFilesystem).contains("choose another data folder"));
        assert!(message(ErrorKind::PermissionDenied).contains("right to write"));
        assert!(message(ErrorKind::StorageFull).starts_with("cannot write w.warc.gz: "));
        let sled = StorageError::sled(Path::new("d"), sled::Error::Io(ErrorKind::StorageFull.into()));
        assert!(sled.to_string().contains("free some space"));
    }
}
