//! The writer's side of every format.

use crate::error::ExportError;
use crate::page::ExportedPage;

/// Takes pages one by one.
pub trait Sink {
    /// Writes a page.
    ///
    /// # Errors
    /// The destination does not accept it. The sink accepts no page after that.
    fn write(&mut self, page: &ExportedPage) -> Result<(), ExportError>;

    /// Renames the file or folder to its final name.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}
