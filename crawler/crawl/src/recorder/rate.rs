//! The pages a second that the recorder allows, which has one thread. As a test it is small, and only counts what is recorded. As a
//! benchmark it has as many known URLs as `RECORDER_KNOWN` says, ten thousand pages, and the allocator of the system:
//!
//! ```text
//! RECORDER_KNOWN=1000000 cargo test --release -p crawler-crawl --lib recorder::rate -- --nocapture
//! ```
//!
//! It makes the records as the parse threads do, and does not count that. It counts the processor time of the recorder's thread, with its
//! part of the commits; the thread that writes their rows is not the recorder's. Nine pages of ten are kept, as on a site with few duplicates. Each has 150 links: 100 to the navigation of its site, 40 to
//! recently discovered URLs, and 10 to URLs that are not known.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dedup::Analyzer;
use storage::warc::Compression;
use storage::{OpenOptions, PageDraft};

use super::tests::response;
use super::*;
use crate::exchange::{ArchivedRequests, Exchange, Prepared};
use crate::index::encode_signature;
use crate::messages::{ReadPage, UndecidedPage};
use config::Config;

/// URLs that are known before the first page of the test.
const KNOWN: u64 = 2_000;
/// Pages of the test.
const PAGES: usize = 200;
/// Pages of the benchmark.
const PAGES_OF_BENCHMARK: usize = 10_000;
const LINKS: u64 = 150;
const NAVIGATION: u64 = 100;
const NEW_LINKS: u64 = 10;
/// The URLs of a crawl that are linked most, besides the navigation.
const RECENT: u64 = 50_000;
const HOSTS: u64 = 50;
/// The pages between two commits: those of 250 ms at 1,200 pages a second.
const COMMIT_EVERY: usize = 300;

fn link(number: u64) -> Discovered {
    let host = format!("www{}.example.org", number % HOSTS);
    Discovered {
        url: format!(
            "https://{host}/section-{}/an-article-with-a-title-{number}.html",
            number % 97
        ),
        host,
        ..Discovered::default()
    }
}

struct Pages {
    analyzer: Analyzer,
    requests: ArchivedRequests,
    random: fastrand::Rng,
    made: u64,
    known: u64,
}

impl Pages {
    /// A page as the parse threads pass it on.
    fn next(&mut self, queued: QueuedUrl) -> Record {
        let number = self.made - u64::from(self.made % 10 == 9);
        self.made += 1;
        let mut words = fastrand::Rng::with_seed(number);
        let text: Vec<String> = (0..700).map(|_| format!("w{}", words.u32(0..5_000))).collect();
        let text = text.join(" ");
        let body = Bytes::from(format!("<title>{number}</title><p class=content>{text}</p>").repeat(8));
        let site = self.made % HOSTS;
        let navigation = (0..NAVIGATION).map(|n| link(n * HOSTS + site));
        let mut recent = || link(self.known - 1 - self.random.u64(0..RECENT.min(self.known)));
        let recent: Vec<_> = (0..LINKS - NAVIGATION - NEW_LINKS).map(|_| recent()).collect();
        let fresh = (self.known..).take(NEW_LINKS as usize).map(link);
        let outlinks = navigation.chain(recent).chain(fresh).collect();
        self.known += NEW_LINKS;
        let signature = self.analyzer.analyze(&text);
        let draft = PageDraft {
            title: format!("Page {number} of the benchmark"),
            signature: encode_signature(&signature).unwrap(),
            fetched_at: 1_774_085_400_125,
            status: 200,
            content_type: "text/html; charset=utf-8".into(),
            encoding: "UTF-8".into(),
            body_bytes: body.len() as u64,
            wire_bytes: body.len() as u64,
            text_chars: text.len() as u64,
            language: Some("en".into()),
            payload_digest: storage::warc::payload_digest(&body),
            ..PageDraft::default()
        };
        let asked: url::Url = queued.url.parse().unwrap();
        let exchange = Exchange {
            queued: &queued,
            draft: &draft,
            response: &response(200),
            rendered: None,
            text: &text,
            request: Some(&self.requests.head(&asked, None)),
        };
        let prepared = Prepared::new(&exchange, body, false, Compression::default());
        Record::Page(Box::new(ReadPage {
            page: UndecidedPage {
                queued,
                asked,
                draft,
                signature,
                text,
                response: response(200),
                outlinks,
                notice: None,
            },
            prepared,
        }))
    }
}

/// Processor time of this thread; zero if the system does not tell.
fn processor_time() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = times.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

#[test]
fn the_recorder_keeps_the_pages_that_say_something_new_at_its_rate() {
    let wanted = std::env::var("RECORDER_KNOWN").ok();
    let (known, count) = match wanted {
        None => (KNOWN, PAGES),
        Some(known) => (known.parse().unwrap(), PAGES_OF_BENCHMARK),
    };
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings::new(&Config::default()).unwrap();
    let store = Store::open(dir.path(), &OpenOptions::new(settings.store_scheme())).unwrap();
    let mut books = Books::open(store, &settings, Arc::default()).unwrap();
    let judge = Local::open(books.store_mut(), &settings).unwrap();
    let mut recorder = Recorder::new(books, Box::new(judge), &settings);
    for first in (0..known).step_by(10_000) {
        let links: Vec<_> = (first..known.min(first + 10_000)).map(link).collect();
        recorder.books.store_mut().discover(&links).unwrap();
    }
    recorder.commit().unwrap();
    let per_host = count / HOSTS as usize;
    let mut queued = (0..HOSTS).flat_map(|host| {
        let host = format!("www{host}.example.org");
        recorder
            .books
            .store_mut()
            .refill(&host, per_host, &HashSet::new())
            .unwrap()
    });
    let queued: Vec<QueuedUrl> = queued.by_ref().collect();
    let mut pages = Pages {
        analyzer: settings.analyzer(),
        requests: ArchivedRequests::new(&settings),
        random: fastrand::Rng::with_seed(1),
        made: 0,
        known,
    };
    let (mut recording, mut committing) = (Duration::ZERO, Duration::ZERO);
    for chunk in queued.chunks(COMMIT_EVERY) {
        let records: Vec<Record> = chunk.iter().map(|queued| pages.next(queued.clone())).collect();
        let before = processor_time();
        for record in records {
            recorder.record(record, Claim::default()).unwrap();
        }
        let recorded = processor_time();
        recorder.commit_beside().unwrap();
        recording += recorded - before;
        committing += processor_time() - recorded;
    }
    let before = processor_time();
    recorder.commit().unwrap();
    committing += processor_time() - before;
    let counts = recorder.books.store_mut().counts();
    let of_page = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
    println!(
        "{count} pages, {} kept, {} URLs known: {:.1} µs a page to record, {:.1} µs to commit, so one thread allows {:.0} pages/s",
        counts.kept,
        counts.discovered,
        of_page(recording),
        of_page(committing),
        1e6 / of_page(recording + committing)
    );
    assert_eq!(counts.kept, count as u64 * 9 / 10);
}
