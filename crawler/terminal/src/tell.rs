//! Messages on standard error, above the progress display if there is one.
//!
//! A closed pipe or a full disk behind standard error must not end a crawl. `eprintln!` would panic there, so this module ignores
//! write errors.

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::MultiProgress;

use super::text::{harmless, without_user_info};

/// The progress display on standard error, if there is one.
static DISPLAY: Mutex<Option<MultiProgress>> = Mutex::new(None);

thread_local! {
    /// This thread has already hidden the display.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Writes a line to standard error and ignores write errors. The line may contain a file name, a URL or a value from strangers. So this
/// function replaces characters that could control a terminal, and hides the user and the password of a URL.
pub fn tell(line: impl std::fmt::Display) {
    let line = without_user_info(&format!("{line}\n"));
    let shown = |c| if matches!(c, '\n' | '\t') { c } else { harmless(c) };
    let line: String = line.chars().map(shown).collect();
    aside(|| {
        let _nobody_reads = io::stderr().write_all(line.as_bytes());
    });
}

/// Runs `act`, which writes to standard error, while the progress display is hidden.
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

/// Sets the display that later messages hide while they are written.
pub fn set_display(display: Option<MultiProgress>) {
    *DISPLAY.lock().unwrap_or_else(PoisonError::into_inner) = display;
}

/// Standard error as the target of a log, whose writer writes whole lines.
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
