//! A file with a name from the user, which appears under that name when it is complete.
//!
//! - A regular file or a free name: the file is written as `FILE.partial` and renamed. An old file stays until the new one is
//!   complete.
//! - A symbolic link: the link stays, and its target is replaced, by a `.partial` beside the target.
//! - A device, a pipe, a socket, or an open file of a process (`/dev/stdout`, `/dev/fd/3`): it is written directly.
//!
//! An existing `FILE.partial` is removed and never followed: in a shared folder (`/tmp`) it may be a link of another user.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{ExportError, not_one_file};
use crate::unfinished::remove_unfinished;

/// Most links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Folders of links to open files of processes.
const OPEN_FILES: [&str; 2] = ["/proc", "/dev/fd"];

/// A file that appears when it is complete. Without [`finish`](Self::finish) it stays incomplete.
pub struct OutputFile {
    file: File,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// `partial` becomes `target`.
    Replaced { target: PathBuf, partial: PathBuf },
    /// A device, a pipe or a socket.
    Special(PathBuf),
    /// A regular file that a process has open; the output is appended.
    Open(PathBuf),
}

impl OutputFile {
    /// Creates the incomplete file.
    ///
    /// # Errors
    /// `path` is a folder, or cannot be written.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        let place = Place::of(path)?;
        let file = match &place {
            Place::Replaced { partial, .. } => create_partial(partial)?,
            Place::Special(path) => open(OpenOptions::new().write(true), path)?,
            Place::Open(path) => open(OpenOptions::new().append(true), path)?,
        };
        Ok(Self { file, place })
    }

    /// Opens the incomplete file of an earlier run, and goes on after its first `length` bytes.
    ///
    /// # Errors
    /// As of [`create`](Self::create); the file is not there, or is a link, which is of somebody else.
    pub fn go_on(path: &Path, length: u64) -> Result<Self, ExportError> {
        let place = Place::of(path)?;
        let partial = place.written();
        let is_there = fs::symlink_metadata(partial).is_ok_and(|found| found.is_file() && found.len() >= length);
        if !is_there {
            return Err(ExportError::io("go on with", partial, ErrorKind::NotFound.into()));
        }
        let mut file = open(OpenOptions::new().write(true), partial)?;
        file.set_len(length)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|source| ExportError::io("write", partial, source))?;
        Ok(Self { file, place })
    }

    /// Whether a file of this name can be left incomplete and gone on with: it is no device, pipe or open file of a process.
    #[must_use]
    pub fn can_wait(path: &Path) -> bool {
        matches!(Place::of(path), Ok(Place::Replaced { .. }))
    }

    /// Makes the bytes so far durable. Returns how many they are.
    ///
    /// # Errors
    /// The system refuses.
    pub fn keep(&mut self) -> io::Result<u64> {
        self.file.sync_data()?;
        self.file.stream_position()
    }

    /// The path of the bytes until [`finish`](Self::finish), also for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.place.written()
    }

    /// The path of the bytes of a file with this name until it is complete.
    #[must_use]
    pub fn partial_path(path: &Path) -> PathBuf {
        Place::of(path).map_or_else(|_| partial_of(path), |place| place.written().to_owned())
    }

    /// Makes the file durable and renames it.
    ///
    /// # Errors
    /// The system refuses one of the two.
    pub fn finish(self) -> Result<(), ExportError> {
        let Place::Replaced { target, partial } = &self.place else {
            return Ok(());
        };
        self.file
            .sync_all()
            .and_then(|()| fs::rename(partial, target))
            .and_then(|()| sync_folder_of(target))
            .map_err(|source| ExportError::io("write", partial, source))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Place {
    fn of(path: &Path) -> Result<Self, ExportError> {
        // The system checks the path before `linked` follows links: it may forbid one (Linux, fs.protected_symlinks).
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(not_one_file(path)),
            Ok(metadata) if !metadata.is_file() => return Ok(Self::Special(path.to_owned())),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(ExportError::io("create", path, error)),
            _ => {}
        }
        let target = linked(path);
        if OPEN_FILES.iter().any(|folder| target.starts_with(folder)) {
            return Ok(Self::Open(path.to_owned()));
        }
        let partial = partial_of(&target);
        Ok(Self::Replaced { target, partial })
    }

    fn written(&self) -> &Path {
        match self {
            Self::Replaced { partial: path, .. } | Self::Special(path) | Self::Open(path) => path,
        }
    }
}

/// The target of the links at `path`: the first name that is not a link or is in one of `OPEN_FILES`.
#[must_use]
pub fn linked(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        if OPEN_FILES.iter().any(|folder| target.starts_with(folder)) {
            break;
        }
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    target
}

/// The path of a file or folder until it is complete.
pub(crate) fn partial_of(path: &Path) -> PathBuf {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    partial.into()
}

/// Makes the names in the folder of `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(parent) => sync_folder(parent),
        None => Ok(()),
    }
}

/// Makes the names in a folder durable, if the system can open folders.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// Creates a file in place of the rest of an incomplete export, which may be anything but the folder of somebody else.
fn create_partial(partial: &Path) -> Result<File, ExportError> {
    match fs::symlink_metadata(partial) {
        Ok(metadata) if metadata.is_dir() => remove_unfinished(partial)?,
        Ok(_) => fs::remove_file(partial).map_err(|source| ExportError::io("remove", partial, source))?,
        Err(source) if source.kind() == ErrorKind::NotFound => {}
        Err(source) => return Err(ExportError::io("look at", partial, source)),
    }
    open(OpenOptions::new().write(true).create_new(true), partial)
}

fn open(options: &OpenOptions, path: &Path) -> Result<File, ExportError> {
    options
        .open(path)
        .map_err(|source| ExportError::io("create", path, source))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileTypeExt, symlink};

    use super::*;

    fn write(path: &Path, text: &str) -> Result<(), ExportError> {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes()).unwrap();
        file.finish()
    }

    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path();
        fs::create_dir(dir.join("real")).unwrap();
        symlink("second", dir.join("first")).unwrap();
        symlink("real/file", dir.join("second")).unwrap();
        for text in ["to a name that is free", "to a file"] {
            assert_eq!(
                OutputFile::partial_path(&dir.join("first")),
                dir.join("real/file.partial")
            );
            write(&dir.join("first"), text).unwrap();
            assert_eq!(fs::read_to_string(dir.join("real/file")).unwrap(), text);
            assert!(dir.join("first").is_symlink() && dir.join("second").is_symlink());
            assert!(fs::symlink_metadata(dir.join("real/file")).unwrap().is_file());
        }
        symlink("itself", dir.join("itself")).unwrap();
        assert!(write(&dir.join("itself"), "").is_err());
    }

    #[test]
    fn a_link_at_the_partial_name_is_removed_and_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let (path, partial) = (temporary.path().join("out"), temporary.path().join("out.partial"));
        let victim = temporary.path().join("victim");
        fs::write(&victim, "untouched").unwrap();
        symlink(&victim, &partial).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&path).unwrap().is_file() && !partial.exists());
        fs::create_dir(&partial).unwrap();
        fs::write(partial.join("mine"), "x").unwrap();
        assert!(matches!(write(&path, ""), Err(ExportError::InTheWay(_))));
    }

    #[test]
    fn an_incomplete_export_of_another_form_is_replaced() {
        use crate::folder::Folder;

        let temporary = tempfile::tempdir().unwrap();
        let (path, partial) = (temporary.path().join("out"), temporary.path().join("out.partial"));
        // A folder gives way to a file, and a file to a folder.
        drop(Folder::create(&path, "md").unwrap());
        assert!(partial.is_dir());
        write(&path, "new").unwrap();
        assert!(!partial.exists());
        fs::remove_file(&path).unwrap();
        drop(OutputFile::create(&path).unwrap());
        assert!(partial.is_file());
        Folder::create(&path, "md").unwrap().finish().unwrap();
        assert!(path.is_dir() && !partial.exists());
    }

    #[test]
    fn a_device_stays_a_device() {
        let temporary = tempfile::tempdir().unwrap();
        let link = temporary.path().join("null");
        symlink("/dev/null", &link).unwrap();
        write(&link, "gone").unwrap();
        assert!(link.is_symlink());
        assert!(fs::metadata(&link).unwrap().file_type().is_char_device());
    }

    #[test]
    fn an_incomplete_file_can_be_gone_on_with() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("out");
        assert!(OutputFile::go_on(&path, 0).is_err());
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"kept").unwrap();
        assert_eq!(file.keep().unwrap(), 4);
        file.write_all(b" and lost").unwrap();
        drop(file);
        assert!(OutputFile::go_on(&path, 14).is_err());
        let mut file = OutputFile::go_on(&path, 4).unwrap();
        file.write_all(b", and more").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept, and more");
        // Of somebody else.
        symlink(&path, OutputFile::partial_path(&path)).unwrap();
        assert!(OutputFile::go_on(&path, 0).is_err());
        assert!(OutputFile::can_wait(&path) && !OutputFile::can_wait(Path::new("/dev/null")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn output_is_appended_to_the_open_file_of_a_process() {
        use std::os::fd::AsRawFd;

        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("log");
        fs::write(&path, "before ").unwrap();
        let held = File::open(&path).unwrap();
        let link = temporary.path().join("stdout");
        symlink(format!("/proc/self/fd/{}", held.as_raw_fd()), &link).unwrap();
        write(&link, "after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before after");
    }
}
