//! Benchmark: a crawl without a network through the real store. Measures speed, memory, and whether it slows down.
//!
//! ```text
//! cargo run --release -p crawler-storage --example synthetic_crawl -- DIR [pages [new links a page [cache MiB [scheme]]]]
//! ```
//!
//! The pages belong to 50 hosts and have 150 links each: 100 to the site's navigation, the others to recently discovered pages, and a
//! few to new URLs on other hosts. Every second page is kept, with a body of about 30 KB and a signature in the index; the next one is
//! its exact duplicate. The example commits every 500 pages and prints a line for each tenth of the pages. `pages/s` excludes encoding,
//! which a crawl does on other threads; `CPU µs` is for a page over all threads and includes it. `pages` 100,000 and `new links` 10 give
//! a million known URLs. To open the result with the commands of `crawler`, pass the scheme that `crawler` names in its error.

use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dedup::{Deduplicator, Digest, DocId, DuplicateRule, Signature, Sketch, SledIndex};
use storage::warc::{Capture, Compression};
use storage::{Discovered, OpenOptions, Outcome, PageDraft, QueuedUrl, Store, Verdict};

const HOSTS: u64 = 50;
const LINKS: u64 = 150;
const NAVIGATION: u64 = 100;
const COMMIT_EVERY: u64 = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scheme = std::env::args().nth(5).unwrap_or_else(|| "synthetic".to_owned());
    let dir = PathBuf::from(arguments.next().ok_or("name a folder that does not exist yet")?);
    let mut number = |default: u64| arguments.next().map_or(Ok(default), |argument| argument.parse());
    let (pages, new_links, cache_mib) = (number(20_000)?, number(5)?, number(64)?);
    let options = OpenOptions {
        cache_bytes: cache_mib << 20,
        ..OpenOptions::new(scheme)
    };

    let mut crawl = Crawl::new(Store::open(&dir, &options)?, new_links)?;
    println!(
        "   pages     known   pages/s  CPU µs  finish µs  commit ms  encode µs  RSS MB  state B/known  archive MB"
    );
    for _ in 0..10 {
        crawl.run(pages / 10)?;
    }
    let counts = crawl.store.counts();
    assert_eq!(counts.discovered, counts.queued + counts.kept + counts.exact);
    drop(crawl);

    let began = Instant::now();
    let store = Store::open(&dir, &options)?;
    let index = index(&store)?;
    println!(
        "opened again in {:.2} s, {} URLs known, pages up to {} in the index",
        began.elapsed().as_secs_f64(),
        store.counts().discovered,
        index.applied()
    );
    println!(
        "state {:.1} MB, resident {} MB",
        folder_bytes(&dir.join("state"))? as f64 / 1e6,
        resident_mb()
    );
    Ok(())
}

fn index(store: &Store) -> Result<SledIndex, Box<dyn Error>> {
    // What follows is about URLs.
    let scheme = store.scheme().split("; ").next().unwrap_or_default();
    Ok(SledIndex::open(
        store.index_db().ok_or("no database")?,
        scheme,
        &DuplicateRule::default(),
    )?)
}

struct Crawl {
    store: Store,
    dedup: Deduplicator<SledIndex>,
    new_links: u64,
    queue: VecDeque<QueuedUrl>,
    handed_out: HashSet<u64>,
    hosts: u64,
    /// URLs made up so far, and pages finished.
    made: u64,
    finished: u64,
    body: String,
    random: u64,
}

/// Where the time of a stretch went.
#[derive(Default)]
struct Spent {
    finish: Duration,
    commit: Duration,
    encode: Duration,
    commits: u32,
    /// Processor time of the whole process when it began, in seconds.
    cpu_before: f64,
}

impl Crawl {
    fn new(store: Store, new_links: u64) -> Result<Self, Box<dyn Error>> {
        let mut random = 1;
        let body: String = (0..5_000).map(|_| format!("w{} ", next(&mut random) % 5_000)).collect();
        let dedup = Deduplicator::new(index(&store)?, DuplicateRule::default())?;
        Ok(Self {
            store,
            dedup,
            new_links,
            queue: VecDeque::new(),
            handed_out: HashSet::new(),
            hosts: 0,
            made: 0,
            finished: 0,
            body,
            random,
        })
    }

    fn run(&mut self, pages: u64) -> Result<(), Box<dyn Error>> {
        if self.made == 0 {
            let seeds: Vec<_> = (0..HOSTS * NAVIGATION).map(link).collect();
            self.made = HOSTS * NAVIGATION;
            self.store.discover(&seeds)?;
        }
        let mut spent = Spent {
            cpu_before: cpu_seconds(),
            ..Spent::default()
        };
        let began = Instant::now();
        for _ in 0..pages {
            let queued = self.next_url()?;
            self.finish(&queued, &mut spent)?;
            self.finished += 1;
            if self.finished.is_multiple_of(COMMIT_EVERY) {
                let began = Instant::now();
                let durable = self.store.commit()?;
                self.dedup.index_mut().persist(durable)?;
                spent.commit += began.elapsed();
                spent.commits += 1;
            }
        }
        self.report(pages, began.elapsed(), &spent)
    }

    fn next_url(&mut self) -> Result<QueuedUrl, Box<dyn Error>> {
        while self.queue.is_empty() {
            let host = host(self.hosts % HOSTS);
            self.hosts += 1;
            let refilled = self.store.refill(&host, 500, &self.handed_out)?;
            self.handed_out.extend(refilled.iter().map(|queued| queued.seq));
            self.queue.extend(refilled);
        }
        self.queue.pop_front().ok_or_else(|| "the queue is empty".into())
    }

    fn finish(&mut self, queued: &QueuedUrl, spent: &mut Spent) -> Result<(), Box<dyn Error>> {
        let links = self.links();
        // A page and its exact duplicate have the signature of one number.
        let signature = signature(self.finished / 2);
        let kept_before = Instant::now();
        let verdict = match self
            .dedup
            .check_and_insert(DocId(self.store.next_page_id()), &signature)?
            .of()
        {
            None => Verdict::Unique,
            Some(of) => Verdict::Exact { of: of.0 },
        };
        spent.finish += kept_before.elapsed();
        let kept = verdict == Verdict::Unique;
        let began = Instant::now();
        let capture = if kept {
            Some(self.capture(queued).encode(Compression::default())?)
        } else {
            None
        };
        spent.encode += began.elapsed();
        let began = Instant::now();
        let outcome = Outcome::Page {
            draft: Box::new(self.draft(verdict, postcard::to_stdvec(&signature)?)),
            capture,
        };
        self.store.finish(queued, outcome, &links)?;
        spent.finish += began.elapsed();
        self.handed_out.remove(&queued.seq);
        Ok(())
    }

    fn links(&mut self) -> Vec<Discovered> {
        let site = self.finished % HOSTS;
        let mut links: Vec<_> = (0..NAVIGATION).map(|n| link(n * HOSTS + site)).collect();
        for _ in 0..LINKS - NAVIGATION - self.new_links {
            let lately = self.made.min(50_000);
            links.push(link(self.made - 1 - next(&mut self.random) % lately));
        }
        links.extend((0..self.new_links).map(|n| link(self.made + n)));
        self.made += self.new_links;
        links
    }

    fn capture<'a>(&'a self, queued: &'a QueuedUrl) -> Capture<'a> {
        Capture {
            url: &queued.url,
            fetched_at: 1_774_085_400_125,
            ip: None,
            request: None,
            status: 200,
            reason: "OK",
            headers: vec![("content-type", b"text/html")],
            payload: self.body.as_bytes(),
            truncated: None,
            rendered: None,
            text: &self.body[..self.body.len() / 3],
        }
    }

    fn draft(&self, verdict: Verdict, signature: Vec<u8>) -> PageDraft {
        PageDraft {
            title: format!("Page {} of the synthetic crawl", self.finished),
            fetched_at: 1_774_085_400_125,
            status: 200,
            content_type: "text/html; charset=utf-8".to_owned(),
            encoding: "UTF-8".to_owned(),
            body_bytes: self.body.len() as u64,
            wire_bytes: 8_000,
            text_chars: self.body.len() as u64 / 3,
            language: Some("en".to_owned()),
            verdict,
            signature,
            elapsed_ms: 80,
            canonical: None,
            replaces: None,
            ..PageDraft::default()
        }
    }

    fn report(&self, pages: u64, elapsed: Duration, spent: &Spent) -> Result<(), Box<dyn Error>> {
        let known = self.store.counts().discovered;
        println!(
            "{:8} {:9} {:9.0} {:7.0} {:10.1} {:10.1} {:10.1} {:7} {:14.0} {:11.1}",
            self.finished,
            known,
            pages as f64 / (elapsed - spent.encode).as_secs_f64(),
            (cpu_seconds() - spent.cpu_before) * 1e6 / pages as f64,
            spent.finish.as_secs_f64() * 1e6 / pages as f64,
            spent.commit.as_secs_f64() * 1e3 / f64::from(spent.commits.max(1)),
            spent.encode.as_secs_f64() * 2e6 / pages as f64,
            resident_mb(),
            folder_bytes(&self.store.dir().join("state"))? as f64 / known as f64,
            folder_bytes(&self.store.dir().join("warc"))? as f64 / 1e6,
        );
        Ok(())
    }
}

/// A random signature with the size of a real one.
fn signature(number: u64) -> Signature {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = || next(&mut state);
    Signature {
        digest: Some(Digest(u128::from(random()) << 64 | u128::from(random()))),
        fingerprint: Some(random().into()),
        sketch: Sketch::new(&[random()]),
        tokens: 500,
        ..Signature::default()
    }
}

fn host(number: u64) -> String {
    format!("www{number}.example.org")
}

fn link(number: u64) -> Discovered {
    let host = host(number % HOSTS);
    let url = format!(
        "https://{host}/section-{}/some-article-with-a-title-{number}.html",
        number % 97
    );
    Discovered {
        url,
        host,
        depth: u16::try_from((number + 1).ilog2()).unwrap_or(u16::MAX),
        ..Discovered::default()
    }
}

/// xorshift64: the same crawl every time.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Resident memory in MB; 0 where the system does not tell.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

/// Processor time of the process, all threads, in seconds: it says what a page costs on a machine that has other work too.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse().unwrap_or(0.0));
    ticks.sum::<f64>() / 100.0
}

fn folder_bytes(dir: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let metadata = entry?.metadata()?;
        bytes += if metadata.is_file() { metadata.len() } else { 0 };
    }
    Ok(bytes)
}
