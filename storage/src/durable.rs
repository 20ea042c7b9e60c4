//! Files beside the rows and the archive that must survive a crash: replaced in one step, or appended to line by line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

pub use crate::warc::medium::sync_folder;

/// Who can read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whom the system lets.
    Usual,
    /// Its owner alone.
    Owner,
}

/// Puts a new file in the place of `path`, in one step; durable on return. `write` fills it under the name `unfinished` in the same folder,
/// where a killed process may have left one. Nothing is written through a link of that name, which may come from somebody else. After an
/// error nothing of it takes room on a disk that may be full.
///
/// # Errors
/// The file cannot be written. The old one is still there.
pub fn replace(
    path: &Path,
    unfinished: &Path,
    readers: Readers,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    match fs::remove_file(unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Only Unix has such modes.
    #[cfg(not(unix))]
    let _ = readers;
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(unfinished)?;
    let written = write(&mut file)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(unfinished, path));
    if let Err(error) = written {
        let _left_over = fs::remove_file(unfinished);
        return Err(error);
    }
    // The new name is durable when the folder is.
    sync_folder(folder_of(path))
}

/// Appends `line` and a line end to the file at `path`, which is open to read and to append; durable on return. A line that a crash cut
/// short ends before it. One write, so that two processes do not mix their lines.
///
/// # Errors
/// The file cannot be read or written.
pub fn append_line(mut file: File, path: &Path, line: &str) -> io::Result<()> {
    let is_new = file.metadata()?.len() == 0;
    let before = if is_new || ends_with_line(&mut file)? { "" } else { "\n" };
    file.write_all(format!("{before}{line}\n").as_bytes())?;
    file.sync_data()?;
    if is_new { sync_folder(folder_of(path)) } else { Ok(()) }
}

/// Whether the last line of a file, which is not empty, is complete.
fn ends_with_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// A path of one name has an empty parent, which is the working folder.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
