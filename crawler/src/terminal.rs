//! How is text printed without harm to a terminal?
//!
//! - [`tell`](mod@tell) messages on standard error, [`text`] from the web made harmless, [`json`] that a terminal can show
//! - [`width`] of the terminal
//!
//! Uses: nothing.

pub(crate) mod json;
pub(crate) mod tell;
pub(crate) mod text;
pub(crate) mod width;
