//! Words for whoever watches: to standard error, whether anybody reads them or not.
//!
//! A crawl must not end because its log's reader has gone, or because the disk that the log goes to is full, as `eprintln!` would
//! have it.

use std::io::Write;

/// Writes a line to standard error; that it cannot be written changes nothing.
pub fn tell(line: impl std::fmt::Display) {
    let _nobody_reads = writeln!(std::io::stderr(), "{line}");
}
