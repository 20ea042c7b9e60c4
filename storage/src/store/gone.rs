//! Names the folder that somebody moved or removed while the store wrote to it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::Store;
use crate::error::StorageError;
use crate::folder::STATE;

impl Store {
    /// The error itself; or [`StorageError::FolderGone`] or [`StorageError::StateGone`], if a file was not found because the whole folder
    /// is not at its place.
    #[must_use]
    pub fn explained(&self, error: StorageError) -> StorageError {
        explained(self.dir(), error)
    }
}

pub(super) fn explained(dir: &Path, error: StorageError) -> StorageError {
    let is_about_a_name = match &error {
        StorageError::Io { source, .. } | StorageError::State { source, .. } => {
            // The second: of two folders in a path, the upper one has become a file.
            matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        }
        StorageError::ArchiveMissing { .. } | StorageError::StateGone { .. } => true,
        _ => false,
    };
    if !is_about_a_name {
        return error;
    }
    if !dir.is_dir() {
        return StorageError::FolderGone { dir: dir.to_owned() };
    }
    match fs::metadata(dir.join(STATE)) {
        Err(missing) if missing.kind() == ErrorKind::NotFound => StorageError::StateGone { dir: dir.to_owned() },
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_what_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("data");
        let missing = || StorageError::io("write", dir.join("warc/x.warc.gz"), ErrorKind::NotFound.into());
        assert!(matches!(explained(&dir, missing()), StorageError::FolderGone { .. }));
        fs::create_dir_all(dir.join("warc")).unwrap();
        assert!(matches!(explained(&dir, missing()), StorageError::StateGone { .. }));
        fs::create_dir_all(dir.join(STATE)).unwrap();
        assert!(matches!(explained(&dir, missing()), StorageError::Io { .. }));
        let full = StorageError::io("write", dir.join("warc/x.warc.gz"), ErrorKind::StorageFull.into());
        fs::remove_dir_all(&dir).unwrap();
        assert!(matches!(explained(&dir, full), StorageError::Io { .. }));
    }
}
