//! The full files of the archive: those that never grow again, because a commit has begun a later one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::warc::compression::Compression;
use crate::warc::names::FileName;

/// The full WARC files of a crawl, for another thread than that of the store. [`Archive::full_files`](crate::Archive::full_files) makes it.
#[derive(Debug, Clone)]
pub struct FullFiles {
    warc: PathBuf,
    started_at: u64,
    /// The number of the file that grows.
    growing: Arc<AtomicU32>,
}

impl FullFiles {
    pub(crate) fn new(warc: PathBuf, started_at: u64, growing: u32) -> Self {
        Self {
            warc,
            started_at,
            growing: Arc::new(AtomicU32::new(growing)),
        }
    }

    /// Notes that a commit ended in this file.
    pub(crate) fn note(&self, growing: u32) {
        self.growing.store(growing, Ordering::Release);
    }

    /// The full files that exist, in order.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let files = 0..self.growing.load(Ordering::Acquire);
        let started_at = self.started_at;
        let names = files.flat_map(move |number| {
            Compression::ALL.map(|compression| FileName {
                started_at,
                number,
                compression,
            })
        });
        let paths = names.map(|name| self.warc.join(name.to_string()));
        paths.filter(|path| path.is_file())
    }
}
