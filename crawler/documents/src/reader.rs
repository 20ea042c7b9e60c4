//! Who reads documents.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::{Document, Fault, Kind, Limits, docx, epub, feed, markdown, pdf};

/// Reads documents.
pub trait Reader: Debug + Send + Sync {
    /// Reads a document. The bytes of Markdown, feeds and text must be UTF-8.
    ///
    /// # Errors
    /// The document cannot be read within `limits`.
    fn read(&self, kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Document, Fault>;
}

static INSTALLED: OnceLock<Box<dyn Reader>> = OnceLock::new();

/// Sets the reader of this process. Only the first call has an effect; it returns whether this is it.
pub fn install(reader: impl Reader + 'static) -> bool {
    INSTALLED.set(Box::new(reader)).is_ok()
}

/// The reader of this process: [`InThisThread`] unless one was [installed](install).
#[must_use]
pub fn installed() -> &'static dyn Reader {
    INSTALLED.get().map_or(&InThisThread, |reader| &**reader)
}

/// Reads in the calling thread. Neither time nor memory is bounded, and a stack overflow ends the process: use it for files that are
/// trusted.
#[derive(Debug, Clone, Copy, Default)]
pub struct InThisThread;

impl Reader for InThisThread {
    fn read(&self, kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
        let read = catch_unwind(AssertUnwindSafe(|| match kind {
            Kind::Pdf => pdf::read(bytes, limits),
            Kind::Docx => docx::read(bytes, limits),
            Kind::Epub => epub::read(bytes, limits),
            Kind::Markdown => Ok(markdown::read(&String::from_utf8_lossy(bytes))),
            Kind::Feed => feed::read(&String::from_utf8_lossy(bytes)),
            Kind::Text => Ok(Document {
                title: String::new(),
                language: None,
                content: crate::Content::Text(String::from_utf8_lossy(bytes).trim().to_owned()),
                links: Vec::new(),
                pages: None,
                missing: Vec::new(),
            }),
        }));
        let document = read.map_err(|panic| Fault::Crashed(message(&*panic)))??;
        if document.content.bytes() > limits.max_text_bytes {
            return Err(Fault::TooLong {
                limit: limits.max_text_bytes,
            });
        }
        Ok(document)
    }
}

/// The message of a panic, in one line.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked");
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
