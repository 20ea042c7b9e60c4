//! The module `near_duplicates._native`: what the Python package takes from the crate `dedup`.
//!
//! ```text
//! Python object ─▶ documents ─▶ batches ─▶ signatures ─▶ verdicts ─▶ Python
//!                  with the GIL            without the GIL
//! ```
//!
//! The package in `near_duplicates/` is the public interface. It checks arguments, and it turns lists, dictionaries and data
//! frames into pairs of an id and a text. Arrow data comes here unchanged: [`arrow`] reads the columns in place. [`stages`]
//! has the same way in parts, for many processes.

mod arrow;
mod collection;
mod document;
mod errors;
mod judge;
mod score;
mod source;
mod stages;
mod stream;
mod texts;

use pyo3::prelude::*;

/// What the package takes from Rust.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::collection::Collection;
    #[pymodule_export]
    use crate::score::score;
    #[pymodule_export]
    use crate::stages::{Pairs, Round, check_rule, confirmed, signatures};
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::texts::{fingerprint, fingerprints, sketch_similarity};
}
