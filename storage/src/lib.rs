//! Durable data of a web crawl: the *frontier* (queued URLs), the *catalogue* (outcomes of URLs, records of pages) and the
//! *archive* (bodies and texts of the kept pages, as WARC 1.1 files that other tools open).
//!
//! This crate is not a crawler: it knows no HTTP client, no HTML and no async runtime. It stores verdicts and gives none: its caller
//! decides which pages are duplicates. The index of fingerprints is derived from the catalogue and has its own trees
//! ([`Store::index_db`]).
//!
//! ```
//! use storage::warc::{Capture, Compression};
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
//! // ... the caller fetches the page and finds no duplicate of it:
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
//!     rendered: None,
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
//! let outcome = Outcome::Page { draft: Box::new(draft), capture: Some(capture.encode(Compression::Gzip)?) };
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
//! Only a commit writes. [`Store::discover`] and [`Store::finish`] stage their changes, and later calls see the staged changes.
//! (If 32 MiB or 65,536 rows are staged, the next call commits first, so that memory stays bounded.) [`Store::commit`] returns when the
//! commit is durable. [`Store::begin_commit`] leaves steps 1 to 5 to a thread, while the caller stages changes for the next commit. A commit:
//!
//! 1. writes the staged captures to the archive and makes them durable (`fdatasync`, and the folder of a new file);
//! 2. applies the new links of the whole commit, sorted by their places in the queue, as batches of at most 256 rows, each atomic;
//! 3. applies the other changes, URL by URL in the order they were finished, in such batches too;
//! 4. makes the state durable (`sled` flush, then `fdatasync` of its file);
//! 5. writes the commit's number to `last-commit`;
//! 6. from time to time merges the hashes of recent URLs into their buckets (module `links`), which changes no answer of the store.
//!
//! One batch holds a URL's outcome, the removal of its place in the queue, its page record and the counts of its host. Its
//! outlinks are in an earlier batch. Every batch also holds the row `progress`: the next numbers, and the archive's end after
//! that batch.
//!
//! This is safe whenever the process or the machine dies:
//!
//! - *In step 1, or before:* the state does not refer to the new records, and names the old end of the archive. All staged URLs are
//!   still queued.
//! - *In steps 2 to 4:* sled may have written any number of the first batches, and recovers whole batches in order. If only links
//!   survive, the store knows them a little early. The page that has them is still queued. Its next fetch brings them again, and its
//!   metadata record then names them (module `links`). Each page record that survives points into the archive, which has been durable
//!   since step 1.
//! - *After step 4:* the whole commit survives.
//! - *In step 6:* the log of recent URLs is removed after its entries are in the buckets, so an entry may be there twice, with the same
//!   values.
//!
//! So a URL is either queued, or finished with its page, links and counts, and every page record has its body. The store gives out
//! each number once: if a crash loses a part of a commit, the next commit skips its numbers, so a link never names another page than its
//! own. A crash can leave a tail of the archive that no record points to: whole records whose batches were lost, or a torn member.
//! The next [`Store::open`] cuts the archive back to the end in `progress`. The tail's URLs are still queued, so the crawl fetches
//! them again, and a second copy in the archive would say that the page was kept twice. A state that has lost
//! commits never cuts anything: the store first compares `last-commit`, and refuses such a state with an error.
//!
//! A failure of [`Store::commit`] in step 1 (a full disk) loses nothing: the stage keeps its changes and their offsets, and the commit can be
//! repeated. After a failure in a later step, or of the thread, memory and disk differ: every later call returns [`StorageError::Halted`], and opening the
//! store again continues from the disk.
//!
//! # A store that another process holds
//!
//! sled opens its files for one process. A process that writes can lend its rows ([`Store::lend`]); another one then opens the store with
//! [`Store::open_lent`] and reads it as of the last commit, while the first one goes on. All methods that read work alike.
//!
//! # A page in another's place
//!
//! A page that is decided later may take the place of a kept page ([`PageDraft::replaces`]). One batch makes the earlier page a
//! duplicate of the later one and adds the later one, so a cluster has one kept page at every moment. Pages
//! that are duplicates of the earlier page do not change, because there may be thousands: [`Catalogue::representative_of`]
//! follows them to the kept page. The archive only grows, so the earlier page stays in it.
//!
//! # Modules
//!
//! From the bottom up. No file uses another in a circle.
//!
//! - `error`; [`warc`]: places, records, captures and readers of the archive.
//! - `elsewhere`, `worker`, `frontier`, `url_state`, `page`, `outcome`, `counts`, `edges`: the types of the rows and of the interface.
//! - `format`: the format on disk, and what all keys and values share. `holder`, `folder`: lock, README, last commit.
//! - `batch`, `snapshot`, `running`: the rows as of one commit, for processes that read a crawl that runs. `state`: the rows, in the sled
//!   database or lent by another process.
//! - `commit`: the changes on their way to a commit. Each part of the store writes its changes into it. `commit::staged` looks them up;
//!   `commit::applier` is the thread.
//! - The parts. Each is a type that alone knows its rows: `links` (the known URLs, their depths, the links that are too deep), `queue`,
//!   `host_counts`, [`Catalogue`] (the pages), `urls` (the outcomes of URLs), [`Revisits`], [`HostMemory`], [`Sitemaps`], [`NewLinks`],
//!   `noted_pages`, [`Outbox`], [`RunNotes`], `origins` and [`Archive`] (the WARC files, which `warc::writer` writes). `commit::apply` has them
//!   turn a commit into batches.
//! - `store`: the parts together, and the commit that joins them. Its private modules stage changes that concern several parts.
//! - [`verify()`]: checks whether all of it agrees. `rebuild`: the state from the archive; [`merge()`]: the same over the
//!   archives of several data folders, whose numbers `origins` translates. `compact`: the state without superseded rows.
//!   [`cdxj`]: the index of the archive for replay tools.
//! - [`durable`]: files beside the rows and the archive.

mod archive;
mod batch;
mod catalogue;
pub mod cdxj;
mod commit;
mod compact;
mod copied;
mod counts;
pub mod durable;
mod edges;
mod elsewhere;
mod error;
mod folder;
mod format;
mod frontier;
mod full_files;
mod holder;
mod host_counts;
mod host_memory;
#[cfg(test)]
mod injected;
mod links;
mod merge;
mod new_links;
mod noted_pages;
mod origins;
mod outbox;
mod outcome;
mod outlinks;
mod page;
mod queue;
mod rebuild;
mod revisits;
mod run_notes;
mod running;
mod sitemaps;
mod snapshot;
mod state;
mod store;
mod url_state;
mod urls;
mod verify;
pub mod warc;
mod worker;

pub use archive::Archive;
pub use catalogue::Catalogue;
pub use compact::{Compacted, compact};
pub use copied::why_not_writable;
pub use counts::Counts;
pub use elsewhere::{FETCHED_ELSEWHERE, IS_LEFT, KEPT_PAGE_LOST, KeptElsewhere, PageElsewhere};
pub use error::StorageError;
pub use format::MAX_URL_BYTES;
pub use frontier::{Discovered, QueuedUrl, Revisit, Validators, Via};
pub use full_files::FullFiles;
pub use holder::Holder;
pub use host_counts::HostCounts;
pub use host_memory::{HostMemory, HostRecord, MAX_STORED_ROBOTS_BYTES, StoredRobots};
pub use links::Placed;
pub use merge::{MergeSource, merge};
pub use new_links::NewLinks;
pub use noted_pages::PagesElsewhere;
pub use outbox::{Ended, Letter, Outbox};
pub use outcome::{Finished, Outcome};
pub use outlinks::Outlinks;
pub use page::{Fate, PageDraft, PageRecord, Rendering, Replaced, Verdict, VerdictKind};
pub use queue::Queue;
pub use rebuild::{ChangedVerdicts, DecidedSchemes, Kept, Rebuild, RebuildStep, Rebuilt, Redecision};
pub use revisits::{RefreshCounts, Revisits, Visit, Visits};
pub use run_notes::{Redecided, RunNotes};
pub use running::client::AsOf;
pub use sitemaps::{OnwardSitemap, Sitemaps, StoredSitemap};
pub use store::{Lowered, OpenOptions, Room, Store, StoredAnswers};
pub use url_state::{Failure, UrlState, stored_text};
pub use urls::{FailedUrl, KnownUrl};
pub use verify::{Finding, FindingKind, Findings, steps_to_verify, verify};
pub use warc::WarcLocation;
pub use worker::Worker;
