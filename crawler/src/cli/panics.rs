//! Turns a panic of the database into one message.
//!
//! sled 0.34 checks some input by assertion and unwraps some errors of the file system, also in its own threads. The cause is the
//! disk and not a bug of this program, so the user needs advice and not a stack trace.

use std::sync::{Mutex, PoisonError};

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
        let short: String = text.chars().take(300).collect();
        format!(
            "the database of the state failed ({short}); committed data is safe: check the disk and run the same command again; \
             if it fails again, the state is damaged: crawler rebuild restores it from the archive"
        )
    })
}

fn is_in_database(file: &str) -> bool {
    file.split(['/', '\\']).any(|part| part.starts_with("sled-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_crate_sled_count_as_the_database() {
        assert!(is_in_database(
            "/home/u/.cargo/registry/src/index-1/sled-0.34.7/src/pagecache/logger.rs"
        ));
        assert!(!is_in_database("dedup/src/index/sled.rs"));
        assert!(!is_in_database("/home/sled/crawler/src/main.rs"));
    }
}
