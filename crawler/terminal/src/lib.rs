//! How does text appear on a terminal without doing harm?
//!
//! - [`colours`]: whether a stream shows them
//! - [`commands`]: commands that a user can paste
//! - [`tell`](mod@tell): messages on standard error
//! - [`text`], [`json`]: text from the web without control characters
//! - [`units`]: numbers, sizes and times as people read them
//! - [`width`]: columns of the terminal

pub mod colours;
pub mod commands;
pub mod json;
pub mod tell;
pub mod text;
pub mod units;
pub mod width;
