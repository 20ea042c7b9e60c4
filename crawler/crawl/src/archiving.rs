//! Puts full WARC files into the object store of `storage.archive_url`, on a thread of its own.
//!
//! A file is full when a commit has begun a later one: it never grows again. The end of a run ends the last file, too. What is in the
//! store is listed in the file `archived` of the data folder, so that no run puts it there twice. A store that does not answer holds up no
//! crawl: the thread tries again, and the next run puts what is left.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use archive::{Archive, ArchiveError, Placed};
use storage::durable::{self, Readers};
use storage::{FullFiles, Store};

use error::RunError;
use terminal::tell::tell;

/// The list of the files in the store, in the data folder.
const LIST: &str = "archived";

/// The name under which the list is written first, because a crash must not leave an incomplete list.
const NEW_LIST: &str = "archived.new";

/// Time between two looks for full files.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Longest time between two attempts.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The thread, until the run has ended.
pub(crate) struct Archiving {
    thread: JoinHandle<usize>,
    ended: Sender<()>,
    url: String,
}

impl Archiving {
    /// How long the last files may take after a signal. Each request to the object store has its own limit.
    pub const PATIENCE: Duration = Duration::from_secs(10 * 60);

    /// Starts the thread for the archive of `store`.
    ///
    /// # Errors
    /// The URL names no object store; the list of files cannot be read or written.
    pub fn start(store: &mut Store, url: &str) -> Result<Self, RunError> {
        let archive = Archive::open(url)?;
        let list = List::open(store.dir())?;
        // A rebuild continues the last file; in the store it has ended.
        if list.has_last_of(store) {
            store.close_file()?;
            store.commit()?;
        }
        let url = archive.url().to_owned();
        let (ended, end) = mpsc::channel();
        let mut work = Work {
            archive,
            list,
            files: store.archive().full_files(),
        };
        let thread = thread::Builder::new()
            .name("archiving".to_owned())
            .spawn(move || {
                let mut wait = LOOK_EVERY;
                while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(wait) {
                    wait = match work.put_all() {
                        Ok(()) => LOOK_EVERY,
                        Err(error) => {
                            tracing::warn!("{error}; tried again later");
                            (wait * 2).min(MAX_WAIT)
                        }
                    };
                }
                if let Err(error) = work.put_all() {
                    tell(format_args!("crawler: {error}"));
                }
                work.left()
            })
            .map_err(|source| RunError::io("start", "the thread that archives", source))?;
        Ok(Self { thread, ended, url })
    }

    /// Puts the last files, and ends the thread.
    pub fn finish(self) {
        let Self { thread, ended, url } = self;
        // The thread may have ended already, by a panic.
        let _sent = ended.send(());
        match thread.join() {
            Ok(0) => {}
            Ok(left) => tell(format_args!(
                "crawler: {left} WARC files are not in {url}; the next run puts them there"
            )),
            Err(_panic) => tell(format_args!(
                "crawler: WARC files may be missing in {url}; the next run puts them there"
            )),
        }
    }
}

/// What the thread works with.
struct Work {
    archive: Archive,
    list: List,
    files: FullFiles,
}

impl Work {
    fn put_all(&mut self) -> Result<(), RunError> {
        let mut first = None;
        for path in self.files.paths() {
            if self.list.has(&path) {
                continue;
            }
            match self.archive.put(&self.list.folder, &path) {
                Ok(placed) => {
                    tracing::debug!(url = %placed.url, bytes = placed.bytes, "WARC file archived");
                    self.list.add(&path, &placed)?;
                }
                // The other files may do.
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(()), |error: ArchiveError| Err(error.into()))
    }

    /// The number of full files that are not in the store.
    fn left(&self) -> usize {
        self.files.paths().filter(|path| !self.list.has(path)).count()
    }
}

/// The list: the name of the folder in the store, then a line for each file.
struct List {
    path: PathBuf,
    folder: String,
    names: HashSet<String>,
}

impl List {
    fn open(dir: &Path) -> Result<Self, RunError> {
        let path = dir.join(LIST);
        if !path.is_file() {
            let first = format!("folder {:016x}\n", fastrand::u64(..));
            let written = durable::replace(&path, &dir.join(NEW_LIST), Readers::Usual, |list| {
                list.write_all(first.as_bytes())
            });
            written.map_err(|source| RunError::io("write", path.display(), source))?;
        }
        let text = fs::read_to_string(&path).map_err(|source| RunError::io("read", path.display(), source))?;
        let mut lines = text.lines();
        let folder = lines.next().and_then(|line| line.strip_prefix("folder "));
        let folder = folder.filter(|folder| !folder.is_empty()).ok_or_else(|| RunError::Unread {
            what: path.display().to_string(),
            reason: "its first line does not name the folder in the object store: remove the file; the next run puts all WARC files there \
                     again"
                .to_owned(),
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            // A line that a crash cut short has no digest.
            names: lines
                .filter(|line| line.split(' ').count() == 4)
                .filter_map(|line| Some(line.split_once(' ')?.0.to_owned()))
                .collect(),
            path,
        })
    }

    fn has(&self, file: &Path) -> bool {
        self.names.contains(&name_of(file))
    }

    /// Whether the file that grows is in the store.
    fn has_last_of(&self, store: &Store) -> bool {
        let growing = store.archive().growing_file();
        growing.is_file() && self.has(&growing)
    }

    fn add(&mut self, file: &Path, placed: &Placed) -> Result<(), RunError> {
        let name = name_of(file);
        let line = format!("{name} {} {:032x} {}", placed.bytes, placed.xxh3, placed.url);
        let written = OpenOptions::new()
            .read(true)
            .append(true)
            .open(&self.path)
            .and_then(|list| durable::append_line(list, &self.path, &line));
        written.map_err(|source| RunError::io("write", self.path.display(), source))?;
        self.names.insert(name);
        Ok(())
    }
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
