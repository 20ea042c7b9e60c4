//! What the commands lend to the server, so that a view answers as the command does.

use std::fmt;
use std::path::{Path, PathBuf};

use storage::Store;

use config::settings::Settings;
use error::RunError;
use study::check::Subject;

/// Reads the configuration in force; an error is a sentence.
pub(crate) type ReadSettings = dyn Fn() -> Result<Settings, String> + Send + Sync;

/// Finds the configuration file, if there is one.
pub(crate) type FindFile = dyn Fn() -> Result<PathBuf, String> + Send + Sync;

/// Gives all pages a new verdict by the configuration in force, as `crawler rebuild --redecide` does. Calls the function with the progress
/// in words. Returns the result in words; an error is a sentence.
pub(crate) type Redecide = dyn Fn(&(dyn Fn(String) + Sync)) -> Result<String, String> + Send + Sync;

/// Reads a file as `crawler check` reads it, with the URL of its page if there is one; an error is a sentence.
pub(crate) type ReadText = dyn Fn(&Path, Option<&str>, &Settings) -> Result<Subject, String> + Send + Sync;

/// The crawl, and the parts of the commands that the server calls.
pub struct Program {
    /// The data folder.
    pub data: PathBuf,
    /// Opens the data folder for reading, as every command that reads does.
    pub open: fn(&Path) -> Result<Store, RunError>,
    /// The settings as the files say now.
    pub settings: Box<ReadSettings>,
    /// The file that "write" changes, or creates if there is none; or a sentence that says why no file may be written.
    pub configuration_file: Box<FindFile>,
    /// Decides all pages again.
    pub redecide: Box<Redecide>,
    /// Reads a text or a page to check.
    pub read_text: Box<ReadText>,
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// The configuration file, if there is one.
    pub fn configuration_file(&self) -> Option<PathBuf> {
        (self.configuration_file)().ok().filter(|path| path.is_file())
    }

    /// The store, for one question.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub fn store(&self) -> Result<Store, RunError> {
        (self.open)(&self.data)
    }
}
