//! Words for whoever watches: to standard error, whether anybody reads them or not, and beside a progress display that is
//! drawn there.
//!
//! A crawl must not end because its log's reader has gone, or because the disk that the log goes to is full, as `eprintln!` would
//! have it.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::MultiProgress;

/// The display that is drawn on standard error, if there is one.
static DISPLAY: Mutex<Option<MultiProgress>> = Mutex::new(None);

thread_local! {
    /// This thread has cleared the display away already.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Writes a line to standard error; that it cannot be written changes nothing.
pub fn tell(line: impl std::fmt::Display) {
    let line = format!("{line}\n");
    aside(|| {
        let _nobody_reads = io::stderr().write_all(line.as_bytes());
    });
}

/// Does something that writes to standard error while the progress display, if there is one, is out of the way.
pub fn aside<T>(act: impl FnOnce() -> T) -> T {
    let display = DISPLAY.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match display {
        Some(display) if !IS_ASIDE.get() => display.suspend(|| {
            IS_ASIDE.set(true);
            let done = act();
            IS_ASIDE.set(false);
            done
        }),
        _ => act(),
    }
}

/// What is told from now on goes beside this display.
pub(crate) fn set_display(display: Option<MultiProgress>) {
    *DISPLAY.lock().unwrap_or_else(PoisonError::into_inner) = display;
}

/// Standard error for a log: what is written is told. Its writer writes a whole line at a time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        aside(|| io::stderr().write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
