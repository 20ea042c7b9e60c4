//! Files of a crawl in an object store: `s3://`, `gs://` and `az://` (cargo feature `cloud`), or a folder, `file://`.
//!
//! - [`Archive`]: an object store under a URL: put a file there, list the files, get one back
//! - [`Objects`]: objects of some megabytes that are written and read as a whole
//! - [`RemoteFile`]: a file that some other program has put into a store, to be read
//! - `client`: the client for a URL, and its attempts
//! - `digest`: the digest of a file, by which a copy is verified
//! - `refusal`: whether a store refuses, and what to do then
//!
//! ```text
//! URL/FOLDER/crawl-20260321093000-00000.warc.gz      FOLDER: an id of the data folder, so that workers never meet
//! ```
//!
//! A file is put only where none is, and read back: the copy counts only if its digest is that of the file. Credentials, region and endpoint
//! come from the environment, by the names that the tools of each provider use: `AWS_…`, `GOOGLE_…`, `AZURE_…`.
//!
//! This crate knows nothing of crawls. Its calls block, and need no runtime of the caller; only those of [`Objects`] are asynchronous.

mod client;
mod digest;
mod error;
mod objects;
mod refusal;
mod remote;
mod store;

pub use client::is_store;
pub use error::ArchiveError;
pub use objects::Objects;
pub use remote::{Named, RemoteFile, RemoteReader};
pub use store::{Archive, Object, Placed};
