//! The installed browser.

use std::path::{Path, PathBuf};

/// The names of Chromium and Chrome, in the order in which they are tried.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The first of Chromium and Chrome in the search path.
#[must_use]
pub fn find() -> Option<PathBuf> {
    NAMES.iter().find_map(|name| find_named(Path::new(name)))
}

/// The program of this name in the search path.
#[must_use]
pub fn find_named(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.into_iter().find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
