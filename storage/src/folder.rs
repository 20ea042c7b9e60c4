//! The data folder: its lock, its README, and the mark of the last commit.
//!
//! ```text
//! DIR/README.md     describes each file
//! DIR/lock          held by the process that has the store open; names it (module `holder`)
//! DIR/crawler.sock  where that process gives its rows to readers, while it crawls (module `running`)
//! DIR/cookies.txt   the sessions of the crawler, if it keeps them; the store does not read it
//! DIR/steering.checkpoint   what the crawler learned from the verdicts, as far as some page; the store does not read it
//! DIR/merging       present until a merge into the folder is complete
//! DIR/last-commit   the number of the last commit, in decimal
//! DIR/state/        sled: frontier and catalogue
//! DIR/warc/         the archive
//! ```
//!
//! `crawler rebuild` and `crawler gc` write a new state under another name. It takes the place of the old one in steps, and a crash may
//! come after any of them. The next process that holds the folder continues:
//!
//! ```text
//!                                        state    state.rebuilt or state.compacted    state.before-…
//! the new one is complete and durable    old      new                                 -
//! the old one is renamed                 -        new                                 old
//! the new one is renamed                 new      -                                   old
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::StorageError;
use crate::holder::Holder;
use crate::warc::compression::Compression;
use crate::warc::medium::{Folder, Medium, Untouched, sync_folder};
use crate::warc::record::now_ms;

/// The name of the state.
pub(crate) const STATE: &str = "state";

/// The folders in which a rebuild and a compaction write the new state.
pub(crate) const REBUILDING: &str = "state.rebuilding";
pub(crate) const COMPACTING: &str = "state.compacting";

/// Names during the exchange of states: of the complete new one, and of the old one afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Succession {
    pub new: &'static str,
    pub old: &'static str,
}

/// The exchange after a rebuild.
pub(crate) const REBUILT: Succession = Succession {
    new: "state.rebuilt",
    old: "state.before-rebuild",
};

/// The exchange after a compaction.
pub(crate) const COMPACTED: Succession = Succession {
    new: "state.compacted",
    old: "state.before-gc",
};

/// The README of a data folder.
const README: &str = include_str!("folder_readme.md");

const README_NAME: &str = "README.md";

/// The name of the mark of a merge that has not ended: which files it takes, under which numbers.
const MERGING: &str = "merging";

/// The name of the mark of the last commit.
const MARK: &str = "last-commit";

/// A data folder that this process holds.
pub(crate) struct DataFolder {
    dir: PathBuf,
    marks: Arc<dyn Medium>,
    /// Closing it releases the lock, also when the process is killed. `None` for a folder that another process holds.
    _lock: Option<File>,
}

impl DataFolder {
    /// Locks `dir` for `command`. Creates it first if `create`.
    pub fn hold(dir: &Path, create: bool, command: &str) -> Result<Self, StorageError> {
        Self::hold_with(dir, (create, command), marks_of(dir))
    }

    /// The state in `dir`, which an unfinished exchange may have left under its new name; `None` if there is none.
    pub fn current_state(dir: &Path) -> Option<PathBuf> {
        let names = [REBUILT.new, COMPACTED.new, STATE];
        names.into_iter().map(|name| dir.join(name)).find(|path| path.is_dir())
    }

    /// Holds `dir` as far as it can be held without writing: other readers may hold it too, and a file system without locks holds nobody off.
    pub fn hold_to_read(dir: &Path) -> Result<Self, StorageError> {
        refuse_unfinished(dir)?;
        let lock = File::open(dir.join("lock")).ok();
        if let Some(mut lock) = lock.as_ref()
            && let Err(TryLockError::WouldBlock) = lock.try_lock_shared()
        {
            return Err(StorageError::Locked {
                dir: dir.to_owned(),
                holder: named_in(&mut lock),
            });
        }
        Ok(Self {
            _lock: lock,
            ..Self::of_another(dir)
        })
    }

    /// The folder that another process holds. Nothing is written to it.
    pub fn of_another(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            marks: Arc::new(Untouched(Folder::new(dir.to_owned()))),
            _lock: None,
        }
    }

    /// [`hold`](Self::hold), with `marks` for writing to `dir`.
    pub fn hold_with(dir: &Path, how: (bool, &str), marks: Box<dyn Medium>) -> Result<Self, StorageError> {
        refuse_unfinished(dir)?;
        Self::hold_any(dir, how, marks)
    }

    fn hold_any(dir: &Path, (create, command): (bool, &str), marks: Box<dyn Medium>) -> Result<Self, StorageError> {
        if dir.is_file() {
            return Err(StorageError::NoFolder { dir: dir.to_owned() });
        }
        let is_new = ![STATE, REBUILT.new, COMPACTED.new, REBUILT.old, COMPACTED.old]
            .iter()
            .any(|name| dir.join(name).is_dir());
        if !create && is_new && !holds_warc(&dir.join("warc")) {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let warc = dir.join("warc");
        fs::create_dir_all(&warc).map_err(|source| StorageError::io("make the folder", &warc, source))?;
        let lock = lock(dir, command)?;
        let folder = Self {
            dir: dir.to_owned(),
            marks: marks.into(),
            _lock: Some(lock),
        };
        if !dir.join(README_NAME).exists() {
            folder
                .marks
                .put(README_NAME, README.as_bytes())
                .map_err(|source| StorageError::io("write", dir.join(README_NAME), source))?;
        }
        folder.succeed()?;
        Ok(folder)
    }

    /// Puts the complete state `from` in the place of the current one, which is kept under another name.
    pub fn install(&self, from: &str, succession: Succession) -> Result<Option<String>, StorageError> {
        self.rename(from, succession.new)?;
        self.succeed()
    }

    /// Holds `dir` for the result of a merge: a folder without a crawl, or one that a merge began to fill.
    pub fn hold_for_merge(dir: &Path, command: &str) -> Result<Self, StorageError> {
        let is_free = Self::current_state(dir).is_none() && !holds_warc(&dir.join("warc"));
        if !is_free && !dir.join(MERGING).is_file() {
            return Err(StorageError::MergeTarget { dir: dir.to_owned() });
        }
        Self::hold_any(dir, (true, command), marks_of(dir))
    }

    /// What the merge that was cut off wrote with [`begin_merge`](Self::begin_merge).
    pub fn unfinished_merge(&self) -> Option<String> {
        fs::read_to_string(self.dir.join(MERGING)).ok()
    }

    /// Notes that a merge fills the folder, and how. Until [`end_merge`](Self::end_merge) only another merge opens it.
    pub fn begin_merge(&self, plan: &str) -> Result<(), StorageError> {
        let path = self.dir.join(MERGING);
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(plan.as_bytes())?;
            file.sync_all()
        });
        written
            .and_then(|()| sync_folder(&self.dir))
            .map_err(|source| StorageError::io("write", path, source))
    }

    /// Notes that the merge is complete.
    pub fn end_merge(&self) -> Result<(), StorageError> {
        if !self.dir.join(MERGING).exists() {
            return Ok(());
        }
        self.marks
            .remove(MERGING)
            .map_err(|source| StorageError::io("remove", self.dir.join(MERGING), source))
    }

    /// Continues an exchange that [`install`](Self::install) began.
    fn succeed(&self) -> Result<Option<String>, StorageError> {
        let mut old = None;
        for succession in [REBUILT, COMPACTED] {
            if !self.dir.join(succession.new).is_dir() {
                continue;
            }
            if self.dir.join(STATE).is_dir() {
                let name = self.free_name(succession.old);
                self.rename(STATE, &name)?;
                old = Some(name);
            }
            self.rename(succession.new, STATE)?;
        }
        Ok(old)
    }

    /// Refuses a state that is a symbolic link: the new state would be a folder here, possibly on another disk.
    ///
    /// # Errors
    /// [`StorageError::StateLinked`].
    pub fn check_replaceable(&self) -> Result<(), StorageError> {
        let path = self.dir.join(STATE);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => Err(StorageError::StateLinked { path }),
            _ => Ok(()),
        }
    }

    /// `name`, or the first unused name among `name-2`, `name-3`, ….
    fn free_name(&self, name: &str) -> String {
        let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let free = names.find(|name| !self.dir.join(name).exists());
        free.unwrap_or_else(|| name.to_owned())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), StorageError> {
        self.marks
            .rename(from, to)
            .map_err(|source| StorageError::io("rename", self.dir.join(from), source))
    }

    /// Removes a folder and its contents, if there is one.
    pub fn remove_folder(&self, name: &str) -> Result<(), StorageError> {
        self.marks
            .remove_folder(name)
            .map_err(|source| StorageError::io("remove", self.dir.join(name), source))
    }

    /// The names of the folders that earlier rebuilds and compactions left, complete or not. Other folders belong to the user.
    pub fn left_over(&self) -> Vec<String> {
        let names = self.marks.names().unwrap_or_default();
        let mut names: Vec<String> = names
            .into_iter()
            .filter(|name| is_left_over(name) && self.dir.join(name).is_dir())
            .collect();
        names.sort();
        names
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn warc(&self) -> PathBuf {
        self.dir.join("warc")
    }

    /// Whether there is a WARC file.
    pub fn has_archive(&self) -> bool {
        holds_warc(&self.warc())
    }

    /// The number in `last-commit`; `None` if it cannot be read.
    pub fn last_commit(&self) -> Option<u64> {
        let number = fs::read_to_string(self.dir.join(MARK)).ok()?.trim().parse().ok()?;
        // No crawl makes so many commits: such a number is damage.
        Some(number).filter(|number| *number < u64::MAX / 2)
    }

    /// The file `last-commit`.
    pub fn mark(&self) -> Mark {
        Mark(self.marks.clone())
    }
}

/// The file `last-commit`, for writing.
pub(crate) struct Mark(Arc<dyn Medium>);

impl Mark {
    /// Writes the number of a commit. The file is not made durable: after a loss of power it may be older than the state, which does no harm.
    /// It is newer than the state only if a part of the state was lost.
    pub fn put(&self, number: u64) -> Result<(), StorageError> {
        let written = self.0.put(MARK, format!("{number}\n").as_bytes());
        written.map_err(|source| StorageError::io("write", self.0.path(MARK), source))
    }
}

/// Whether this is the name of a rebuild's or compaction's working folder, or of an old state that
/// [`install`](DataFolder::install) renamed.
fn is_left_over(name: &str) -> bool {
    if [REBUILDING, COMPACTING].contains(&name) {
        return true;
    }
    [REBUILT.old, COMPACTED.old].iter().any(|old| {
        let Some(number) = name.strip_prefix(old) else {
            return false;
        };
        let number = match number {
            "" => return true,
            number => number.strip_prefix('-').and_then(|digits| digits.parse::<u32>().ok()),
        };
        // Exactly as `free_name` writes it: not `-02`, not `-+2`.
        number.is_some_and(|number| number > 1 && *name == format!("{old}-{number}"))
    })
}

#[cfg(not(test))]
fn marks_of(dir: &Path) -> Box<dyn Medium> {
    Box::new(Folder::new(dir.to_owned()))
}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::RefCell<std::sync::Arc<crate::warc::medium::failing::Steps>> = std::cell::RefCell::default();
}

/// In tests of this crate, sets the step at which this thread's rebuilds and compactions fail.
#[cfg(test)]
pub(crate) fn fail_with(steps: std::sync::Arc<crate::warc::medium::failing::Steps>) {
    STEPS.set(steps);
}

#[cfg(test)]
fn marks_of(dir: &Path) -> Box<dyn Medium> {
    Box::new(crate::warc::medium::failing::Faulty {
        folder: Folder::new(dir.to_owned()),
        steps: STEPS.with_borrow(std::sync::Arc::clone),
    })
}

fn lock(dir: &Path, command: &str) -> Result<File, StorageError> {
    let path = dir.join("lock");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|source| StorageError::io("open", &path, source))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(StorageError::Locked {
                dir: dir.to_owned(),
                holder: named_in(&mut file),
            });
        }
        Err(TryLockError::Error(source)) => return Err(StorageError::io("lock", path, source)),
    }
    let holder = Holder::from_now(command, now_ms());
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(holder.lock().as_bytes()))
        .map_err(|source| StorageError::io("write", path, source))?;
    Ok(file)
}

/// The process that holds `dir`, as the lock names it; `None` if the lock cannot be read.
pub(crate) fn holder_of(dir: &Path) -> Option<Holder> {
    named_in(&mut File::open(dir.join("lock")).ok()?)
}

/// The process that a lock file names. Without it the message still names the remedy.
fn named_in(lock: &mut impl Read) -> Option<Holder> {
    let mut holder = String::new();
    lock.read_to_string(&mut holder).ok()?;
    Holder::parse(&holder)
}

fn refuse_unfinished(dir: &Path) -> Result<(), StorageError> {
    if dir.join(MERGING).is_file() {
        return Err(StorageError::MergeUnfinished { dir: dir.to_owned() });
    }
    Ok(())
}

fn holds_warc(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    entries
        .flatten()
        .any(|entry| Compression::of_name(&entry.file_name().to_string_lossy()).is_some())
}
