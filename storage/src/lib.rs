//! What must survive a crash of a web crawl: the *frontier* (which URLs wait), the *catalogue* (what became of each URL, what is
//! known of each page) and the *archive* (the bodies and texts of the kept pages, as WARC 1.1 files that other tools open).
//!
//! It is not a crawler: it knows no HTTP client, no HTML and no async runtime. It does not decide whether a page is a
//! duplicate; it keeps what was decided. The index of fingerprints is derived from the catalogue and lives in trees of its own
//! ([`Store::index_db`]).
//!
//! ```
//! use storage::warc::Capture;
//! use storage::{Discovered, OpenOptions, Outcome, PageDraft, Store, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let mut store = Store::open(dir.path(), &OpenOptions::new("my rules, version 1"))?;
//! let seed = Discovered {
//!     url: "https://example.org/".to_owned(),
//!     host: "example.org".to_owned(),
//!     ..Discovered::default()
//! };
//! let queued = store.discover(&[seed.clone()])?;
//!
//! // ... fetched, and found to be unlike any other page:
//! let body = b"<title>Example</title><p>An example.";
//! let capture = Capture {
//!     url: &queued[0].url,
//!     fetched_at: 1_774_085_400_125,
//!     ip: None,
//!     request: None,
//!     status: 200,
//!     reason: "OK",
//!     headers: vec![("content-type", b"text/html")],
//!     payload: body,
//!     truncated: None,
//!     text: "An example.",
//! };
//! let draft = PageDraft {
//!     title: "Example".to_owned(),
//!     fetched_at: 1_774_085_400_125,
//!     status: 200,
//!     content_type: "text/html".to_owned(),
//!     encoding: "UTF-8".to_owned(),
//!     body_bytes: body.len() as u64,
//!     wire_bytes: body.len() as u64,
//!     text_chars: 11,
//!     language: Some("en".to_owned()),
//!     verdict: Verdict::Unique,
//!     signature: Vec::new(),
//!     elapsed_ms: 80,
//!     canonical: None,
//!     ..PageDraft::default()
//! };
//! let outcome = Outcome::Page { draft: Box::new(draft), capture: Some(capture.encode()?) };
//! let finished = store.finish(&queued[0], outcome, &[seed])?;
//! assert_eq!(finished.newly_queued, [], "the page links to itself");
//! assert_eq!(store.commit()?, 1);
//!
//! let (_, page) = store.page_by_url("example.org", "https://example.org/")?.ok_or("not there")?;
//! assert_eq!(store.text_of(&page)?.as_deref(), Some("An example."));
//! # Ok(())
//! # }
//! ```
//!
//! # What is durable when
//!
//! Nothing is written until [`Store::commit`]; [`Store::discover`] and [`Store::finish`] only stage, and see what is staged.
//! (When 32 MiB of captures or 65,536 rows wait, the next of them commits first, so that memory stays bounded.) A commit:
//!
//! 1. writes the staged captures to the archive and makes them durable (`fdatasync`, and the folder of a new file);
//! 2. applies the new links of the whole commit, sorted by where they will wait, as batches of at most 256 rows, each atomic;
//! 3. applies the rest, URL by URL in the order they were finished, in such batches too;
//! 4. makes the state durable (`sled` flush, then `fdatasync` of its file);
//! 5. notes the commit's number in `last-commit`;
//! 6. now and then brings the hashes of recent URLs into their buckets (see `known`), which changes nothing that is known.
//!
//! A URL's outcome, the removal of its place in the queue, its page record and the counts of its host are in one batch; its
//! outlinks are in an earlier one. Every batch also holds the row `progress`: the next numbers, and the end of the archive as
//! it is after that batch.
//!
//! Why that is safe, whenever the process or the machine dies:
//!
//! - *In step 1, or before:* the state knows nothing of it; its archive ends where it ended. All staged URLs are still queued.
//! - *In steps 2 to 4:* sled may have written any beginning of the log, and recovers whole batches in order: a beginning of
//!   what was staged. If only links survive, they were found a little early, and the page that has them is queued still and
//!   will bring them again. Each page record that survives points into the archive, which has been durable since step 1.
//! - *After step 4:* all of it is there.
//! - *In step 6:* the log of recent URLs goes after the buckets that hold the same, so what is there twice is the same.
//!
//! So a URL is queued, or finished with all that belongs to it; a page record always has its body. Numbers are given out once:
//! those of a commit that is lost in part are passed over by the next, so a link that names a lost page names none. What can
//! be left over is a tail of the archive that no record points to: whole records whose batches were lost, or a torn gzip
//! member. The next [`Store::open`] cuts the archive back to the end that `progress` names. That is right because nothing
//! refers to the tail, its URLs are still queued and will be fetched again, and a second copy of the same page in the archive
//! would say that it was kept twice. And it is safe, because a state that has lost commits is recognised first, by
//! `last-commit`: then nothing is cut, and the error says so.
//!
//! A failure in step 1 (a full disk) loses nothing: what is staged stays staged at its offsets, and the commit can be repeated.
//! A failure in a later step leaves memory and disk apart: every later call answers [`StorageError::Halted`], and opening the
//! store anew goes on from what is on disk.
//!
//! # A page in another's place
//!
//! A kept page may give its place to one that is decided later ([`PageDraft::replaces`]): the record of the first becomes that of
//! a duplicate of the second, in the batch that holds the second, so that a cluster has one kept page at every moment. Pages
//! that are duplicates of the first are left as they are, there may be thousands: [`Store::representative_of`] follows them to
//! the kept page. The archive only grows, so the first page stays in it.
//!
//! # Modules
//!
//! - `store`: opening, and the commit. `decide`: staging what is discovered and decided. `catalogue`: reading.
//! - `frontier`, `outcome`, `page`, `counts`: what goes in and comes out. `hosts`: how hosts were treated last.
//! - `staged`: links and pieces into batches. `chunk`: how URLs lie in the queue. `known`: which URLs are known.
//! - `visits`: pages that are looked at again, and what became of them.
//! - [`format`](mod@format): every key and value on disk. `state`: the sled database. `folder`: lock, README, last commit.
//! - `rebuild`: the state made anew from the archive. `verify`: whether all of it agrees. `compact`: without what it does not need.
//! - [`cdxj`]: the index of the archive, by which replay tools find its captures.
//! - [`warc`]: the archive: captures, records, metadata, writer, reader.

mod catalogue;
pub mod cdxj;
mod chunk;
mod compact;
mod counts;
mod decide;
mod error;
mod folder;
pub mod format;
mod frontier;
mod hosts;
#[cfg(test)]
mod injected;
mod known;
mod outcome;
mod page;
mod rebuild;
mod staged;
mod state;
mod store;
mod stored_text;
mod verify;
mod visits;
pub mod warc;

pub use catalogue::{FailedUrl, Failures, Hosts, KnownUrl, Pages, Queue, Urls};
pub use compact::{Compacted, compact};
pub use counts::Counts;
pub use error::StorageError;
pub use format::MAX_URL_BYTES;
pub use frontier::{Discovered, QueuedUrl, Revisit, Via};
pub use hosts::{HostState, HostStates, MAX_STORED_ROBOTS_BYTES, StoredRobots};
pub use outcome::{Failure, Finished, Outcome, UrlState, Visit};
pub use page::{Fate, PageDraft, PageRecord, Replaced, Validators, Verdict, WarcLocation};
pub use rebuild::{Rebuild, RebuildStep, Rebuilt, Redecided, Redecision, Redecisions};
pub use store::{OpenOptions, Store};
pub use stored_text::stored_text;
pub use verify::{Finding, Findings, Kind};
pub use visits::{Refresh, Visits};
