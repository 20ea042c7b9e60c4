//! One file a page, in a folder that appears when it is complete.
//!
//! ```text
//! DIR.partial/ ┬ NOT-COMPLETE.txt         the first file made
//!              ├ example.org/ ┬ a-….md
//!              │              └ b-….md
//!              └ …                        renamed to DIR, then the mark is removed
//! ```
//!
//! So a folder with the mark is an export of ours, by whichever of the two names, and whatever it was broken off at.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::ExportError;
use crate::file_name;
use crate::output_file::{partial_of, sync_folder, sync_folder_of};
use crate::page::ExportedPage;

/// Says of a folder that it is an export that was not finished, and may be written anew.
const MARK: &str = "NOT-COMPLETE.txt";

const MARK_TEXT: &str = "An export was not finished here. `crawler export` with the same --output begins anew; \
or remove this folder.\n";

/// Writes files into `DIR.partial`.
pub(crate) struct Folder {
    dir: PathBuf,
    partial: PathBuf,
    extension: &'static str,
    /// The folder that was made last: pages of a host often come together.
    last_made: String,
}

impl Folder {
    /// Begins a folder; `dir` must be absent or empty.
    pub fn create(dir: &Path, extension: &'static str) -> Result<Self, ExportError> {
        // Without a slash at its end.
        let dir: PathBuf = dir.components().collect();
        if dir.file_name().is_none() {
            return Err(ExportError::Destination(format!(
                "{} cannot be made by an export: name a new folder",
                dir.display()
            )));
        }
        match fs::read_dir(&dir).map(|mut entries| entries.next().is_none()) {
            // Broken off between its new name and the removal of the mark.
            Ok(false) if dir.join(MARK).is_file() => {
                remove_marked(&dir).map_err(|source| ExportError::io("remove", &dir, source))?;
            }
            Ok(false) => return Err(ExportError::NotEmpty(dir)),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(ExportError::Destination(format!(
                    "{} is a file: this format makes a folder with one file a page, name another",
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
        // Two URLs of one hash: somebody looked for them.
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

    /// Makes every file durable, and the folder appear under its name.
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

/// Removes what an export that was not finished has left, and nothing else.
fn remove_unfinished(partial: &Path) -> Result<(), ExportError> {
    let is_folder = match fs::symlink_metadata(partial) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(ExportError::io("read", partial, error)),
        Ok(metadata) => metadata.is_dir(),
    };
    let is_ours = is_folder && (partial.join(MARK).is_file() || is_empty(partial));
    if !is_ours {
        return Err(ExportError::InTheWay(partial.to_owned()));
    }
    remove_marked(partial).map_err(|source| ExportError::io("remove", partial, source))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// The mark goes last, so that this can be broken off too.
fn remove_marked(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == OsStr::new(MARK) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_file(folder.join(MARK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir(folder),
    }
}

/// Makes a folder durable with all that is in it: by one call for its file system, for one a file takes milliseconds each.
#[cfg(target_os = "linux")]
fn sync_tree(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Makes a folder durable with all that is in it.
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

/// Not every system renames onto a folder, even an empty one.
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
        // What was left is written over.
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
    fn an_export_broken_off_at_its_last_step_is_begun_anew() {
        let temporary = tempfile::tempdir().unwrap();
        let (dir, partial) = (temporary.path().join("out"), temporary.path().join("out.partial"));
        let mut folder = Folder::create(&dir, "txt").unwrap();
        folder.write(&page("http://h/old"), b"old").unwrap();
        drop(folder);
        // What `finish` leaves if nothing comes after its renaming: the mark is there until then.
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
        // Something that came meanwhile is in the way of the new name.
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("mine"), "x").unwrap();
        folder.finish().unwrap_err();
        assert!(temporary.path().join("out.partial").join(MARK).is_file());
        assert!(dir.join("mine").exists());
    }

    #[test]
    fn nothing_of_others_is_removed_or_written_over() {
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
