//! One file a page, in a folder that appears when it is complete.
//!
//! ```text
//! DIR.partial/ ┬ NOT-COMPLETE.txt         the first file made
//!              ├ example.org/ ┬ a-….md
//!              │              └ b-….md
//!              └ …                        renamed to DIR, then the mark is removed
//! ```
//!
//! A folder with the mark is therefore an incomplete export, under either name, at whichever step it was interrupted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::ExportError;
use crate::file_name;
use crate::output_file::{partial_of, sync_folder, sync_folder_of};
use crate::page::ExportedPage;
use crate::unfinished::{MARK, remove_marked, remove_unfinished};

const MARK_TEXT: &str = "This export is incomplete. Run `crawler export` with the same --output to write it from scratch, \
or remove this folder.\n";

/// Writes files into `DIR.partial`.
pub(crate) struct Folder {
    dir: PathBuf,
    partial: PathBuf,
    extension: &'static str,
    /// The folder that was created last, because the pages of a host often arrive together.
    last_made: String,
}

impl Folder {
    /// Creates the incomplete folder. `dir` must be absent or empty.
    pub fn create(dir: &Path, extension: &'static str) -> Result<Self, ExportError> {
        // Without a trailing slash.
        let dir: PathBuf = dir.components().collect();
        if dir.file_name().is_none() {
            return Err(ExportError::Destination(format!(
                "an export cannot create {}: name a new folder",
                dir.display()
            )));
        }
        match fs::read_dir(&dir).map(|mut entries| entries.next().is_none()) {
            // An earlier export was interrupted between its renaming and the removal of the mark.
            Ok(false) if dir.join(MARK).is_file() => {
                remove_marked(&dir).map_err(|source| ExportError::io("remove", &dir, source))?;
            }
            Ok(false) => return Err(ExportError::NotEmpty(dir)),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(ExportError::Destination(format!(
                    "{} is a file: this format writes a folder with one file a page; name a folder",
                    dir.display()
                )));
            }
            _ => {}
        }
        let partial = partial_of(&dir);
        remove_unfinished(&partial)?;
        let create = |path: &Path, source| ExportError::io("create", path, source);
        fs::create_dir(&partial).map_err(|source| create(&partial, source))?;
        let mark = partial.join(MARK);
        fs::write(&mark, MARK_TEXT).map_err(|source| create(&mark, source))?;
        Ok(Self {
            dir,
            partial,
            extension,
            last_made: String::new(),
        })
    }

    /// Where the files are until the folder is complete.
    #[cfg(feature = "parquet")]
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Writes the file of a page.
    pub fn write(&mut self, page: &ExportedPage, content: &[u8]) -> Result<(), ExportError> {
        let folder = file_name::folder(&page.host);
        let path = self.partial.join(&folder);
        if folder != self.last_made {
            match fs::create_dir(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(ExportError::io("create", &path, error));
                }
                _ => self.last_made = folder,
            }
        }
        let stem = file_name::stem(&page.url);
        let mut file_path = path.join(format!("{stem}.{}", self.extension));
        // Two URLs with one hash, which only an attacker finds.
        let mut times = 1;
        let mut file = loop {
            match OpenOptions::new().write(true).create_new(true).open(&file_path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    times += 1;
                    file_path = path.join(format!("{stem}-{times}.{}", self.extension));
                }
                Err(error) => return Err(ExportError::io("create", &file_path, error)),
                Ok(file) => break file,
            }
        };
        file.write_all(content)
            .map_err(|source| ExportError::io("write", &file_path, source))
    }

    /// Makes every file durable and renames the folder.
    pub fn finish(self) -> Result<(), ExportError> {
        let Self { dir, partial, .. } = self;
        sync_tree(&partial).map_err(|source| ExportError::io("write", &partial, source))?;
        let renamed = make_room(&dir)
            .and_then(|()| fs::rename(&partial, &dir))
            .and_then(|()| sync_folder_of(&dir))
            .and_then(|()| fs::remove_file(dir.join(MARK)))
            .and_then(|()| sync_folder(&dir));
        renamed.map_err(|source| ExportError::io("write", &dir, source))
    }
}

/// Makes a folder and its content durable, by one call for the file system: a call for each file takes milliseconds.
#[cfg(target_os = "linux")]
fn sync_tree(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Makes a folder and its content durable.
#[cfg(not(target_os = "linux"))]
fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_tree(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    sync_folder(folder)
}

/// Removes the empty folder at `dir`, because not every system renames onto an empty folder.
fn make_room(dir: &Path) -> io::Result<()> {
    match fs::remove_dir(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str) -> ExportedPage {
        ExportedPage {
            url: url.to_owned(),
            host: "h".to_owned(),
            ..ExportedPage::default()
        }
    }

    #[test]
    fn a_folder_appears_when_it_is_complete() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().join("out");
        let partial = temporary.path().join("out.partial");
        let mut folder = Folder::create(&temporary.path().join("out/"), "txt").unwrap();
        folder.write(&page("http://h/a"), b"one").unwrap();
        assert!(partial.join(MARK).is_file() && !dir.exists());
        drop(folder);
        // The next export replaces the rest.
        let mut folder = Folder::create(&dir, "txt").unwrap();
        folder.write(&page("http://h/b"), b"two").unwrap();
        folder.write(&page("http://h/b"), b"of the same name").unwrap();
        folder.finish().unwrap();
        assert!(!partial.exists());
        let mut files: Vec<_> = fs::read_dir(dir.join("h"))
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        files.sort();
        assert_eq!(files, ["of the same name", "two"]);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    #[test]
    fn an_export_interrupted_at_its_last_step_is_replaced() {
        let temporary = tempfile::tempdir().unwrap();
        let (dir, partial) = (temporary.path().join("out"), temporary.path().join("out.partial"));
        let mut folder = Folder::create(&dir, "txt").unwrap();
        folder.write(&page("http://h/old"), b"old").unwrap();
        drop(folder);
        // The state after an interruption right behind the renaming: the mark is still there.
        fs::rename(&partial, &dir).unwrap();
        let mut folder = Folder::create(&dir, "txt").unwrap();
        folder.write(&page("http://h/new"), b"new").unwrap();
        folder.finish().unwrap();
        assert!(!partial.exists() && !dir.join(MARK).exists());
        assert_eq!(fs::read_dir(dir.join("h")).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    #[test]
    fn the_mark_is_there_until_the_folder_has_its_name() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().join("out");
        let folder = Folder::create(&dir, "txt").unwrap();
        // In the meantime something else has taken the new name.
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("mine"), "x").unwrap();
        folder.finish().unwrap_err();
        assert!(temporary.path().join("out.partial").join(MARK).is_file());
        assert!(dir.join("mine").exists());
    }

    #[test]
    fn files_of_others_are_neither_removed_nor_overwritten() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().join("out");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("mine"), "x").unwrap();
        assert!(matches!(Folder::create(&dir, "md"), Err(ExportError::NotEmpty(_))));
        fs::remove_file(dir.join("mine")).unwrap();
        let partial = temporary.path().join("out.partial");
        fs::create_dir(&partial).unwrap();
        fs::write(partial.join("mine"), "x").unwrap();
        assert!(matches!(Folder::create(&dir, "md"), Err(ExportError::InTheWay(_))));
        assert!(partial.join("mine").exists());
        assert!(matches!(
            Folder::create(Path::new(".."), "md"),
            Err(ExportError::Destination(_))
        ));
        assert!(matches!(
            Folder::create(&partial.join("mine"), "md"),
            Err(ExportError::Destination(_))
        ));
    }
}
