//! Reading a data folder that another process holds: the process that crawls gives its rows, as of one commit, to the processes that ask.
//!
//! sled opens its files for one process alone. So the process that crawls listens on a socket in the data folder. A reader connects, and
//! the [`server`] opens a [snapshot](crate::snapshot) for it. The [`client`] asks for rows by key and by range, and every
//! answer is of that snapshot. The reader takes bodies and texts from the WARC files itself, because a commit never changes what an
//! earlier commit archived.
//!
//! The server answers with rows and not with reports, so that the crawl pays only for reading rows: each command computes its answer in
//! its own process, with the same code as for a finished crawl.
//!
//! ```text
//! reader                          process that crawls
//! connect            ─▶           wait for the end of a commit, open a snapshot
//!                    ◀─  Welcome  process, commit, time
//! Get, Scan, Last    ─▶           read rows
//!                    ◀─  Row, Rows
//! Tell               ─▶           ask the run
//!                    ◀─  Told     what it does now
//! close              ─▶           drop the snapshot and its pre-images
//! ```
//!
//! - [`socket`]: where the server listens, and who may connect.
//! - [`wire`]: the messages.

pub(crate) mod client;
pub(crate) mod server;
mod socket;
mod wire;

#[cfg(test)]
#[cfg(unix)]
mod tests;
