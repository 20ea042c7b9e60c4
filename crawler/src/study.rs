//! What can be asked of a finished crawl without fetching again?
//!
//! - [`nearest`] which kept pages are most like a text, [`passages`] what two texts have in common, [`diff`] what differs
//! - [`replay`] which verdicts other thresholds would give, [`redecide`] all verdicts again by another scheme or rule
//!
//! Uses: config, crawl, dedup, error, storage, terminal.

pub(crate) mod diff;
pub(crate) mod nearest;
pub(crate) mod passages;
pub(crate) mod redecide;
pub(crate) mod replay;
