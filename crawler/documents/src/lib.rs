//! How do the bytes of a document that is not HTML become text?
//!
//! PDF, DOCX, EPUB, RSS and Atom, and Markdown become a [`Document`]: text or HTML, a title, the declared language, links, and the number of
//! pages. The crate does not know what a crawl is, and opens no file and no connection: what a document refers to is never fetched.
//!
//! ```
//! use documents::{Content, InThisThread, Kind, Limits, Reader};
//!
//! let document = InThisThread.read(Kind::Markdown, b"# Title\n\nSome *text*.", &Limits::default())?;
//! assert_eq!(document.title, "Title");
//! assert!(matches!(document.content, Content::Html(parts) if parts[0].contains("<em>text</em>")));
//! # Ok::<(), documents::Fault>(())
//! ```
//!
//! # Hostile files
//!
//! A parser of PDF reads a language of programs, fonts and compressed streams. A small file can ask for hours and for any amount of
//! memory, and no bound inside a parser holds for all of them. So [`Pool`] reads PDF, DOCX and EPUB in child processes, whose memory
//! the operating system bounds, and which are killed when they take too long. Feeds and Markdown are read in the calling thread: their
//! parsers are linear and do not recurse.
//!
//! # Why hayro for PDF
//!
//! `hayro-interpret` says for each glyph where it stands and which character it is, and the crate decides about words and their order. With
//! it, each of 22 PDF files of Debian's documentation packages has a word F1 of at least 0.994 with pdftotext (the mean is 0.997), in Latin,
//! Cyrillic, Chinese and Japanese script, and the largest one, of 480 pages, takes less than a second. It has the predefined CMaps of Chinese,
//! Japanese and Korean, forbids unsafe code, and is maintained with the typesetting program Typst. It does not decode a picture
//! that nobody draws.
//!
//! - [`Kind`], [`Kinds`]: what is a document, by media type and first bytes
//! - [`Document`], [`Content`], [`Fault`], [`Limits`]: what is read, or why not
//! - [`Reader`], [`InThisThread`], [`Pool`]: who reads
//! - [`serve`]: the main function of a child process; [`FRUGAL`]: its environment
//! - `pdf`, `docx`, `epub`, `feed`, `markdown`: the formats; `package`, `xml`: ZIP and XML within bounds

mod document;
mod docx;
mod epub;
mod fault;
mod feed;
mod kind;
mod limits;
mod loose;
mod markdown;
mod package;
mod pdf;
mod process;
mod reader;
mod xml;

pub use document::{Content, Document};
pub use fault::Fault;
pub use kind::{Kind, Kinds};
pub use limits::Limits;
pub use process::{FRUGAL, NICENESS, Pool, serve};
pub use reader::{InThisThread, Reader, install, installed};
