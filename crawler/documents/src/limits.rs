//! Bounds of the reading of one document.

use serde::{Deserialize, Serialize};

/// Bounds of the reading of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of its text, or of its HTML.
    pub max_text_bytes: usize,
    /// Bytes of the files in it when they are unpacked (DOCX, EPUB).
    pub max_unpacked_bytes: u64,
    /// Seconds of processor time in a child process. The wall time is bounded, too, at [`WALL_FACTOR`](Self::WALL_FACTOR) times as many.
    pub max_seconds: u64,
    /// Bytes of memory of a child process: its address space (`RLIMIT_AS`), so what it really uses is less.
    pub max_memory_bytes: u64,
}

impl Limits {
    /// The wall time of a reading, in units of [`max_seconds`](Self::max_seconds). A machine under load gives a process of low priority
    /// little processor time, and only the threads that wait for documents wait for it.
    pub const WALL_FACTOR: u64 = 15;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_text_bytes: 15 * 1024 * 1024,
            max_unpacked_bytes: 128 * 1024 * 1024,
            max_seconds: 20,
            max_memory_bytes: 480 * 1024 * 1024,
        }
    }
}
