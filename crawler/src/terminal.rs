//! How does text appear on a terminal without doing harm?
//!
//! - [`commands`]: commands that a user can paste
//! - [`tell`](mod@tell): messages on standard error
//! - [`text`], [`json`]: text from the web without control characters
//! - [`units`]: numbers, sizes and times as people read them
//! - [`width`]: columns of the terminal
//!
//! Uses: nothing.

pub(crate) mod commands;
pub(crate) mod json;
pub(crate) mod tell;
pub(crate) mod text;
pub(crate) mod units;
pub(crate) mod width;
