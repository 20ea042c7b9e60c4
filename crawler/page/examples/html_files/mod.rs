//! The HTML files that the examples read.

use std::path::{Path, PathBuf};

/// The paths of all HTML files in a folder and the folders below it, in order.
pub fn in_folder(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "html") {
            files.push(path);
        }
    }
    Ok(())
}
