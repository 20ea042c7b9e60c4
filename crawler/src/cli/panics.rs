//! What a panic of the database comes to: one message instead of a trace.
//!
//! sled 0.34 checks some of what it reads by assertion and unwraps some errors of the file system, also in threads of its own. That is the
//! fault of the disk and no bug of this program, and its user needs to know what to do, not where it happened.

use std::sync::{Mutex, PoisonError};

/// What sled panicked with first.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// From now on panics of the database are remembered and not printed; others are printed as ever.
pub fn quiet_those_of_the_database() {
    let ordinary = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_database = panic.location().is_some_and(|place| is_in_database(place.file()));
        if !is_of_database {
            ordinary(panic);
            return;
        }
        let text = panic.payload_as_str().unwrap_or("it panicked").replace('\n', " ");
        tracing::debug!(%panic, "sled panicked");
        FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
}

/// What to tell of such a panic, if there was one: what happened and what to do.
#[must_use]
pub fn of_the_database() -> Option<String> {
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    first.as_ref().map(|text| {
        let short: String = text.chars().take(300).collect();
        format!(
            "the database of the state failed ({short}); what was committed is safe: see to the disk and run the same command again; \
             if it fails again, the state is damaged: crawler rebuild makes it anew from the archive"
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
    fn only_files_of_sled_are_its_own() {
        assert!(is_in_database(
            "/home/u/.cargo/registry/src/index-1/sled-0.34.7/src/pagecache/logger.rs"
        ));
        assert!(!is_in_database("dedup/src/index/sled.rs"));
        assert!(!is_in_database("/home/sled/crawler/src/main.rs"));
    }
}
