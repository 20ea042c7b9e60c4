//! Calls of the database that cannot panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::StorageError;

/// Calls sled and turns a panic into an error: sled asserts some properties of the data that it reads, and unwraps some failures of its
/// threads.
pub(crate) fn guarded<T>(dir: &Path, ask: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, StorageError> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer.map_err(|error| StorageError::sled(dir, error)),
        Err(panic) => Err(StorageError::sled_panic(dir, panic_message(panic.as_ref()))),
    }
}

/// The message of a panic.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("sled panicked").to_owned()
}
