//! Errors that end a run. Each names the fault, the place and the remedy.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::holder::Holder;

/// An error of the store. The failure of one page is not an error but an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// There is no store in the folder, and the options do not allow to create one.
    #[error("{} holds no crawl: name the data folder of a crawl, or start one: crawler run --seeds seeds.txt --data {}", dir.display(), quoted(dir))]
    NoStore {
        /// The data folder.
        dir: PathBuf,
    },
    /// The name of the data folder is that of a file.
    #[error("{} is a file: name the data folder of a crawl, or a folder for a new one", dir.display())]
    NoFolder {
        /// The file.
        dir: PathBuf,
    },
    /// Another process has the store open.
    #[error("{} is in use by {}: wait for it or stop it{}, or choose another data folder", dir.display(), who(holder), how_to_stop(dir, holder))]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// The process, if known.
        holder: Option<Holder>,
    },
    /// The rows are those of another process, so they cannot be changed here.
    #[error("{} is in use by another process, so this process can only read it", dir.display())]
    Lent {
        /// The data folder.
        dir: PathBuf,
    },
    /// The process that crawls cannot read its rows.
    #[error("the process that crawls into {} cannot read its state: {detail}", dir.display())]
    NotLent {
        /// The data folder.
        dir: PathBuf,
        /// Its error.
        detail: String,
    },
    /// The process that crawls ended while this process read its rows.
    #[error("the process that crawled into {} ended while this command read its rows: run this command again", dir.display())]
    LenderGone {
        /// The data folder.
        dir: PathBuf,
    },
    /// So much changed during the reading that the crawl gave up the snapshot.
    #[error(
        "the crawl in {} went on too far while this command read it: run this command again, or after the crawl",
        dir.display()
    )]
    SnapshotLost {
        /// The data folder.
        dir: PathBuf,
    },
    /// Another version of the program crawls into the folder.
    #[error(
        "another version of the crawler is crawling into {}: use that version, or run this command after the crawl",
        dir.display()
    )]
    OtherVersion {
        /// The data folder.
        dir: PathBuf,
    },
    /// The file system refused an action.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(action, source))]
    Io {
        /// The action: `write`, `read`, ….
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The store has another format version than this program.
    #[error(
        "{} has store format {found}, this program reads format {known} alone: use the version of the crawler that wrote it, or crawl into another data folder",
        dir.display()
    )]
    OtherFormat {
        /// The data folder.
        dir: PathBuf,
        /// The store's format version.
        found: u32,
        /// The version that this program reads and writes.
        known: u32,
    },
    /// The store was created with other rules for fingerprints or URLs than the configured ones, so they cannot be compared.
    #[error(
        "{} was created with scheme {stored:?}, but the configuration asks for {wanted:?}, and fingerprints of the two cannot be compared: restore those options, crawl into another data folder, or, if only options of [dedup] changed, compute all fingerprints again from the stored texts: {}",
        dir.display(),
        rebuild(dir)
    )]
    Scheme {
        /// The data folder.
        dir: PathBuf,
        /// The scheme that it was created with.
        stored: String,
        /// The configured scheme.
        wanted: String,
    },
    /// The state cannot be read.
    #[error(
        "the state in {} is damaged ({detail}); the archived pages in `warc` are not affected: put a good copy of `state` back, or rebuild it from them: {}",
        dir.display(),
        rebuild(dir)
    )]
    Corrupt {
        /// The data folder.
        dir: PathBuf,
        /// The damage.
        detail: String,
    },
    /// The state has lost commits. Continuing would cut off archived pages.
    #[error(
        "the state in {} ends at commit {found}, but the crawl made commit {expected}: a part of the state was lost, or somebody put an old copy in its place; put the newer state back, or rebuild it from the archived pages: {}",
        dir.display(),
        rebuild(dir)
    )]
    RolledBack {
        /// The data folder.
        dir: PathBuf,
        /// The last commit of the crawl.
        expected: u64,
        /// The last commit in the state.
        found: u64,
    },
    /// There are archived pages but no state.
    #[error(
        "{} has archived pages but no state: put its `state` folder back, or rebuild it from them: {}",
        dir.display(),
        rebuild(dir)
    )]
    StateMissing {
        /// The data folder.
        dir: PathBuf,
    },
    /// The data folder is not at its place any more.
    #[error(
        "{} was moved or removed while this command wrote to it: put it back, or name its new place with --data, and run the same command again; nothing committed is lost unless the folder is",
        dir.display()
    )]
    FolderGone {
        /// Its place.
        dir: PathBuf,
    },
    /// The state is not at its place any more.
    #[error(
        "the state in {} was moved, removed or replaced while this command wrote to it: put that `state` folder back and run the same command again, or rebuild it from the archived pages: {}",
        dir.display(),
        rebuild(dir)
    )]
    StateGone {
        /// The data folder.
        dir: PathBuf,
    },
    /// A file of the archive is shorter than its committed length.
    #[error(
        "{} has {found} bytes, but {expected} are committed: put the file back, or continue with the remaining pages: {}",
        path.display(),
        rebuild(data_folder_of(path))
    )]
    ArchiveShort {
        /// The WARC file.
        path: PathBuf,
        /// Bytes committed.
        expected: u64,
        /// Bytes in the file.
        found: u64,
    },
    /// A file of the archive before the last is missing.
    #[error(
        "{} is missing: put the file back, or continue with the remaining pages: {}",
        path.display(),
        rebuild(data_folder_of(path))
    )]
    ArchiveMissing {
        /// The WARC file.
        path: PathBuf,
    },
    /// The state is a symbolic link, so another state cannot take its place.
    #[error(
        "{} is a symbolic link, which a new state would replace by a folder: replace the link by the folder that it points to, or remove it if you do not need that state",
        path.display()
    )]
    StateLinked {
        /// The link.
        path: PathBuf,
    },
    /// There are WARC files of several crawls, and no state that names one of them.
    #[error(
        "{} has files of several crawls, and no state names one of them: {}; leave only the files of one crawl there",
        dir.display(),
        crawls.join(", ")
    )]
    SeveralCrawls {
        /// The folder of the WARC files.
        dir: PathBuf,
        /// The common beginning of the names of each crawl's files.
        crawls: Vec<String>,
    },
    /// The files of a merged folder are there, but not the file that says which numbers their pages have.
    #[error(
        "{} was made by crawler merge, and the WARC file with the numbers of its pages is missing or damaged: put it back, or merge the folders again",
        dir.display()
    )]
    NumbersMissing {
        /// The data folder.
        dir: PathBuf,
    },
    /// A merge into the folder was cut off.
    #[error("a merge into {} was cut off: run the same crawler merge command again, which continues it", dir.display())]
    MergeUnfinished {
        /// The data folder.
        dir: PathBuf,
    },
    /// The folder for the result of a merge has a crawl already.
    #[error("{} holds a crawl already: name a new folder for the merged crawl with --data", dir.display())]
    MergeTarget {
        /// The data folder.
        dir: PathBuf,
    },
    /// A folder cannot be merged with the others.
    #[error("{} cannot be merged: {why}", dir.display())]
    NotMergeable {
        /// The data folder.
        dir: PathBuf,
        /// The reason, and what to do.
        why: String,
    },
    /// A record of the archive cannot be read.
    #[error("the record at byte {offset} of {} is damaged: {reason}; put a good copy of the file back", path.display())]
    ArchiveDamaged {
        /// The WARC file.
        path: PathBuf,
        /// First byte of the record.
        offset: u64,
        /// The damage.
        reason: String,
    },
    /// The file system refused an action of the database.
    #[error("the state in {} cannot be read or written: {source}{}", dir.display(), advice("write", source))]
    State {
        /// The data folder.
        dir: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no archive to rebuild a state from.
    #[error("{} has no WARC file of a crawl, so its state cannot be rebuilt", dir.display())]
    NothingArchived {
        /// The data folder.
        dir: PathBuf,
    },
    /// Neither the archive nor the state names the scheme of the crawl.
    #[error("neither `warc` nor `state` of {} names the rules of the crawl: pass its configuration with --config", dir.display())]
    SchemeUnknown {
        /// The data folder.
        dir: PathBuf,
    },
    /// A host or URL that cannot be a key: empty, too long, or with a zero byte.
    #[error(
        "the store cannot hold {} of host {host:?}: it is empty, longer than {max_bytes} bytes, or has a zero byte",
        shown(url)
    )]
    InvalidUrl {
        /// The host key.
        host: String,
        /// The URL.
        url: String,
        /// Upper bound on the length of either.
        max_bytes: usize,
    },
    /// The URL to finish is not in the queue: it is finished already, or was never discovered.
    #[error("{url} is not in the queue: it is finished already, or was never discovered")]
    NotQueued {
        /// The URL.
        url: String,
    },
    /// No page can take the place of this one: it is not kept, or its new verdict names another page than the one that replaces it.
    #[error(
        "page {page} cannot be replaced: it is not kept, or its new verdict names another page than the one that replaces it"
    )]
    NotReplaceable {
        /// Its sequence number.
        page: u64,
    },
    /// A commit failed between its steps, so memory and disk differ.
    #[error("an earlier commit failed half-way: open the store again to continue from the last complete commit")]
    Halted,
    /// A row could not be encoded.
    #[error("a row of the state cannot be encoded: {0}; what was committed is safe, run the same command again")]
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

    /// The error for a panic of sled. `detail` is its message, which contains the words of a failure of the disk.
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
                source: (*kind).into(),
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

    /// The error for an error of sled. Corruption has its own variant.
    pub(crate) fn sled(dir: &Path, source: sled::Error) -> Self {
        match source {
            sled::Error::Io(source) => Self::State {
                dir: dir.to_owned(),
                source: in_plain_words(source),
            },
            // sled's own message is for the developers of sled.
            source => {
                tracing::debug!(%source, "sled failed");
                Self::Corrupt {
                    dir: dir.to_owned(),
                    detail: UNREADABLE.to_owned(),
                }
            }
        }
    }
}

/// sled repeats some errors of the system as an error whose text is their form for programmers; this is the system's own text.
fn in_plain_words(error: io::Error) -> io::Error {
    let text = error.to_string();
    let message = text
        .split_once("message: \"")
        .and_then(|(_, rest)| rest.split_once('"'));
    match message {
        Some((message, _)) if text.starts_with("Os {") => io::Error::new(error.kind(), message.to_owned()),
        _ => error,
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // Only a null character cannot be quoted, and no path holds one.
    shlex::try_quote(&text).map(Into::into).unwrap_or(text.clone())
}

/// The command that rebuilds a state.
fn rebuild(dir: &Path) -> String {
    format!("crawler rebuild --data {}", quoted(dir))
}

/// The data folder of a WARC file.
fn data_folder_of(path: &Path) -> &Path {
    path.parent().and_then(Path::parent).unwrap_or(path)
}

/// Description of an inconsistent database.
const UNREADABLE: &str = "its database is inconsistent";

/// The first characters of a URL.
fn shown(url: &str) -> String {
    let short: String = url.chars().take(200).collect();
    format!("{short:?}")
}

fn who(holder: &Option<Holder>) -> String {
    holder
        .as_ref()
        .map_or_else(|| "another process".to_owned(), Holder::to_string)
}

fn how_to_stop(dir: &Path, holder: &Option<Holder>) -> String {
    holder
        .as_ref()
        .filter(|holder| cfg!(unix) && holder.pid != std::process::id())
        .map_or_else(String::new, |holder| match holder.command.as_deref() {
            Some("crawler run") => format!(" (crawler control stop --data {})", quoted(dir)),
            _ => format!(" (kill {})", holder.pid),
        })
}

/// The remedy for an error of the file system, or nothing.
fn advice(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotADirectory | ErrorKind::NotFound if action == "make the folder" => {
            "; a folder cannot be made there: choose another data folder with --data"
        }
        ErrorKind::PermissionDenied if action == "read" => "; give this user the right to read it",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; the store must be writable: give this user the right to write there, or choose another data folder"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space and run again: nothing committed is lost"
        }
        ErrorKind::FileTooLarge => {
            "; raise the limit on file sizes (`ulimit -f`); for WARC files, you can also lower storage.warc_file_bytes"
        }
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
        // As sled repeats it.
        let repeated = std::io::Error::new(
            ErrorKind::StorageFull,
            format!("{:?}", std::io::Error::from_raw_os_error(28)),
        );
        let message = StorageError::sled(Path::new("d"), sled::Error::Io(repeated)).to_string();
        assert!(
            message.contains("free some space") && !message.contains("Os {") && !message.contains("kind:"),
            "{message}"
        );
    }

    #[test]
    fn no_words_of_the_database_reach_a_user() {
        let dir = Path::new("d");
        for source in [
            sled::Error::ReportableBug("Some(Inline(3, x))".into()),
            sled::Error::Unsupported("x".into()),
            sled::Error::CollectionNotFound(sled::IVec::from("x")),
            sled::Error::Corruption { at: None, bt: () },
        ] {
            let message = StorageError::sled(dir, source).to_string();
            assert!(
                message.contains("crawler rebuild") && message.contains("inconsistent"),
                "{message}"
            );
            assert!(
                !message.contains("backtrace") && !message.contains("Inline") && !message.contains("bug"),
                "{message}"
            );
        }
    }
}
