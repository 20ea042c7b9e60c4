//! Where segments of the log are that the servers do not hold: an object store. Whoever joins hands it in, so this crate knows no protocol.

use std::fmt;
use std::pin::Pin;

/// Why a store did not do what it was asked. Each says in words what the store said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFault {
    /// It refuses. Another call meets the same answer until somebody has done what the text says.
    Refused(String),
    /// It did not answer, or could not do it now.
    NoAnswer(String),
}

impl fmt::Display for StoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(said) | Self::NoAnswer(said) => f.write_str(said),
        }
    }
}

/// A call to an object store.
pub type StoreCall<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreFault>> + Send + 'a>>;

/// An object store that all workers of a crawl reach. Each call has a bound of its own on its time; whoever calls repeats what fails.
pub trait SegmentStore: fmt::Debug + Send + Sync {
    /// The place of the object of this name, as every worker can read it: a URL. `None`, if new segments are to be kept on the servers.
    fn place(&self, name: &str) -> Option<String>;

    /// Writes an object. Nobody sees a part of it: until all its bytes are there, there is no object, or the one that was there before.
    fn put<'a>(&'a self, place: &'a str, bytes: Vec<u8>) -> StoreCall<'a, ()>;

    /// The bytes of an object that should have so many; `None` if there is none. Of an object of another size, it reads nothing and answers with no
    /// bytes.
    fn get<'a>(&'a self, place: &'a str, size: u64) -> StoreCall<'a, Option<Vec<u8>>>;

    /// Removes an object, if it is there.
    fn remove<'a>(&'a self, place: &'a str) -> StoreCall<'a, ()>;
}
