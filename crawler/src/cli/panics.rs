//! Turns a panic of the database into one message.
//!
//! sled 0.34 checks some input by assertion and unwraps some errors of the file system, also in its own threads. The cause is the
//! disk and not a bug of this program, so the user needs advice and not a stack trace.

use std::sync::{Mutex, PoisonError};

use terminal::commands::command;

/// Message of sled's first panic.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Installs a panic hook that stores panics of the database instead of printing them. Other panics are printed.
pub(super) fn capture_database_panics() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_database = panic.location().is_some_and(|place| is_in_database(place.file()));
        if !is_of_database {
            default_hook(panic);
            return;
        }
        let text = panic.payload_as_str().unwrap_or("it panicked").replace('\n', " ");
        tracing::debug!(%panic, "sled panicked");
        FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
}

/// Message about the first panic of the database, if there was one: the cause and the advice.
pub(super) fn database_failure() -> Option<String> {
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    first.as_ref().map(|text| {
        format!(
            "the database of the state failed{}; committed data is safe: check the disk and run the same command again; \
             if it fails again, the state is damaged; restore it from the archive: {}",
            cause(text),
            command("rebuild", &[])
        )
    })
}

/// The fault of the file system that a panic of the database names. The rest of the panic message is for the developers of the database;
/// `-v` logs it.
fn cause(panic: &str) -> &'static str {
    const CAUSES: [(&str, &str); 9] = [
        ("StorageFull", ": the disk is full"),
        ("No space left", ": the disk is full"),
        ("QuotaExceeded", ": the disk quota is used up"),
        (
            "FileTooLarge",
            ": a file has reached the limit on file sizes (ulimit -f)",
        ),
        (
            "File too large",
            ": a file has reached the limit on file sizes (ulimit -f)",
        ),
        ("ReadOnlyFilesystem", ": the file system is read-only"),
        ("PermissionDenied", ": this user may not write there"),
        ("Too many open files", ": too many files are open (ulimit -n)"),
        ("Input/output error", ": the disk reported an error"),
    ];
    let found = CAUSES.iter().find(|(words, _)| panic.contains(words));
    found.map_or("", |(_, cause)| cause)
}

fn is_in_database(file: &str) -> bool {
    file.split(['/', '\\']).any(|part| part.starts_with("sled-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_named_in_plain_words() {
        let full = "called `Result::unwrap()` on an `Err` value: Io(Custom { kind: StorageFull, error: \"x\" })";
        assert_eq!(cause(full), ": the disk is full");
        assert_eq!(
            cause("called `Option::unwrap()` on a `None` value: Some(Inline(1))"),
            ""
        );
    }

    #[test]
    fn only_paths_of_the_crate_sled_count_as_the_database() {
        assert!(is_in_database(
            "/home/u/.cargo/registry/src/index-1/sled-0.34.7/src/pagecache/logger.rs"
        ));
        assert!(!is_in_database("dedup/src/index/sled.rs"));
        assert!(!is_in_database("/home/sled/crawler/src/main.rs"));
    }
}
