//! Random versions of pages. After every step the index must hold exactly the kept pages, and no two of them may be duplicates.

mod by_digest;
mod by_log;
mod fake_desk;
mod forgotten;
mod lowered;
mod restored;
mod shortened_log;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use dedup::{Analyzer, Deduplicator, DocId, Index, MemoryIndex};
use storage::warc::Compression;
use storage::{Fate, OpenOptions, PageDraft, Verdict, Visit};
use web::fetch::Response;

use super::*;
use crate::exchange::{Exchange, Prepared};
use crate::index::{decode_signature, encode_signature};
use crate::messages::{HostsWanted, ReadPage, UndecidedPage};
use crate::revisits::{self, PRIORITY_VISIT};
use crate::scope::Scope;
use config::Config;
use fake_desk::FakeDesk;

/// `BASES` different texts, each in `VARIANTS` that are nearly the same. Two of the variants differ only in bytes.
const BASES: u64 = 5;
const VARIANTS: u64 = 4;

/// Upper bound on the URLs of the crawl.
const URLS: usize = 12;

struct World {
    dir: tempfile::TempDir,
    settings: Settings,
    analyzer: Analyzer,
    recorder: Option<Recorder>,
    /// The desk of a worker; `None` for a crawl by one process.
    desk: Option<FakeDesk>,
    random: fastrand::Rng,
    /// The text at each URL.
    texts: BTreeMap<String, u64>,
    clock: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        Self::with_desk(seed, None)
    }

    fn with_desk(seed: u64, desk: Option<FakeDesk>) -> Self {
        let settings = Settings::new(&Config::default()).unwrap();
        let mut world = Self {
            dir: tempfile::tempdir().unwrap(),
            analyzer: Analyzer::new(&settings.scheme),
            settings,
            recorder: None,
            desk,
            random: fastrand::Rng::with_seed(seed),
            texts: BTreeMap::new(),
            clock: 1_000_000,
        };
        world.open();
        world
    }

    fn open(&mut self) {
        self.recorder = None;
        let options = OpenOptions {
            cache_bytes: 1 << 20,
            ..OpenOptions::new(self.settings.store_scheme())
        };
        let store = Store::open(self.dir.path(), &options).unwrap();
        let mut books = Books::open(store, &self.settings, Arc::default()).unwrap();
        let judge: Box<dyn Judge> = match &mut self.desk {
            None => Box::new(Local::open(books.store_mut(), &self.settings).unwrap()),
            Some(desk) => desk.judge(&mut books, &self.settings),
        };
        self.recorder = Some(Recorder::new(books, judge, &self.settings));
    }

    /// The process ends without a commit of the last steps: what they found was never seen. The next one fetches what waits.
    fn open_after_loss(&mut self) {
        self.open();
        let store = self.recorder.as_ref().unwrap().books.store();
        self.texts.retain(|url, _| store.url_state("h", url).unwrap().is_some());
        for queued in store.refill("h", URLS, &HashSet::new()).unwrap() {
            self.clock += 1;
            let page = self.page(queued);
            self.record(page);
        }
    }

    fn recorder(&mut self) -> &mut Recorder {
        self.recorder.as_mut().unwrap()
    }

    fn record(&mut self, record: Record) {
        let recorder = self.recorder.as_mut().unwrap();
        recorder.record(record, Claim::default()).unwrap();
    }

    /// A response with the text at the URL, now.
    fn page(&mut self, queued: QueuedUrl) -> Record {
        let text = self.texts[&queued.url];
        let body = Bytes::from(format!("<p>{}<!-- {} -->", text_of(text), text % VARIANTS));
        let signature = self.analyzer.analyze(&text_of(text));
        let draft = PageDraft {
            fetched_at: self.clock,
            signature: encode_signature(&signature).unwrap(),
            status: 200,
            body_bytes: body.len() as u64,
            payload_digest: storage::warc::payload_digest(&body),
            ..PageDraft::default()
        };
        let exchange = Exchange {
            queued: &queued,
            draft: &draft,
            response: &response(200),
            rendered: None,
            text: &text_of(text),
            request: None,
        };
        // Both states of preparation lead to the same verdicts.
        let prepared = Prepared::new(&exchange, body, self.random.bool(), Compression::default());
        Record::Page(Box::new(ReadPage {
            page: UndecidedPage {
                asked: queued.url.parse().unwrap(),
                queued,
                draft,
                signature,
                text: text_of(text),
                response: response(200),
                outlinks: Vec::new(),
                notice: None,
            },
            prepared,
        }))
    }

    /// A URL that is new, fetched for the first time.
    fn discover(&mut self) {
        let url = format!("https://h/{}", self.texts.len());
        let link = Discovered {
            url: url.clone(),
            host: "h".into(),
            ..Discovered::default()
        };
        let queued = self.recorder().books.store_mut().discover(&[link]).unwrap().remove(0);
        let text = self.random.u64(0..BASES * VARIANTS);
        self.texts.insert(url, text);
        let page = self.page(queued);
        self.record(page);
    }

    /// A revisit to a random page.
    fn visit(&mut self) {
        let current: Vec<u64> = (1..self.recorder().books.store_mut().next_page_id()).collect();
        let Some(&id) = self.random.choice(&current) else {
            return;
        };
        let Some(queued) = self
            .recorder()
            .books
            .store_mut()
            .revisit(&[id], PRIORITY_VISIT)
            .unwrap()
            .pop()
        else {
            return;
        };
        self.clock += 1;
        let outcome = match self.random.u8(0..12) {
            0 => Outcome::Visited {
                visit: Visit::Missing,
                at: self.clock,
                wire_bytes: 0,
                capture: None,
            },
            1 => Outcome::Excluded {
                reason: "noindex".into(),
            },
            2 if revisits::conditions(&queued, &queued.url.parse().unwrap()).is_some() => {
                let response = response(304);
                return self.record(Record::NotModified { queued, response });
            }
            3 => {
                let page = self.page(queued);
                return self.record(page);
            }
            _ => {
                let text = self.random.u64(0..BASES * VARIANTS);
                self.texts.insert(queued.url.clone(), text);
                let page = self.page(queued);
                return self.record(page);
            }
        };
        self.record(Record::Outcome {
            queued,
            outcome,
            outlinks: Vec::new(),
        });
    }

    /// Looks at all pages again, none of which has changed.
    fn visit_all(&mut self) {
        for id in 1..self.recorder().books.store_mut().next_page_id() {
            let queued = self
                .recorder()
                .books
                .store_mut()
                .revisit(&[id], PRIORITY_VISIT)
                .unwrap()
                .pop();
            if let Some(queued) = queued {
                let page = self.page(queued);
                self.record(page);
            }
        }
    }

    fn pages(&self) -> Vec<(u64, storage::PageRecord)> {
        let store = self.recorder.as_ref().unwrap().books.store();
        store.pages_from(1).map(Result::unwrap).collect()
    }

    /// Asserts the invariants of the committed state.
    fn assert_sound(&mut self) {
        self.recorder().commit().unwrap();
        // The second commit forgets the pages that left the index with the first.
        self.recorder().commit().unwrap();
        let pages = self.pages();
        let kept: BTreeSet<u64> = pages
            .iter()
            .filter(|(_, page)| page.is_kept())
            .map(|(id, _)| *id)
            .collect();
        let signatures: BTreeMap<u64, dedup::Signature> = pages
            .iter()
            .map(|(id, page)| (*id, decode_signature(&page.signature).unwrap()))
            .collect();
        let rule = self.settings.rule.clone();
        {
            let index = self.recorder().judge.dedup().index();
            for id in signatures.keys() {
                let is_there = index.signature(DocId(*id)).unwrap().is_some();
                assert_eq!(is_there, kept.contains(id), "page {id} in the index");
            }
            assert_eq!(index.len().unwrap(), kept.len());
        }
        let verdict_against = |one: &u64, other: &u64| {
            let alone = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule.clone()).unwrap();
            alone.insert(DocId(*one), &signatures[one]).unwrap();
            alone.check(&signatures[other]).unwrap()
        };
        for one in &kept {
            for other in kept.range(one + 1..) {
                assert_eq!(
                    verdict_against(one, other),
                    dedup::Verdict::Unique,
                    "{one} and {other} are kept"
                );
            }
        }
        for (id, page) in &pages {
            if let (Some(of), Fate::Current) = (page.verdict.of(), page.fate)
                && kept.contains(&of)
            {
                assert_ne!(
                    verdict_against(&of, id),
                    dedup::Verdict::Unique,
                    "{id} is a duplicate of {of}"
                );
            }
        }
        let counts = self.recorder().books.store_mut().counts();
        assert_eq!(counts.kept, kept.len() as u64);
        assert_eq!(counts.discovered, self.texts.len() as u64);
        let current = pages.iter().filter(|(_, page)| page.fate == Fate::Current).count();
        assert_eq!(counts.fetched(), current as u64);
        assert_eq!(
            self.recorder().books.store_mut().catalogue().departed().unwrap(),
            [0; 0]
        );
    }
}

/// A response without a body.
pub(super) fn response(status: u16) -> Response {
    Response {
        status,
        version: "HTTP/1.1",
        headers: [(reqwest::header::ETAG, "\"1\"".parse().unwrap())]
            .into_iter()
            .collect(),
        body: None,
        wire_bytes: 0,
        remote: None,
        fetched_at: UNIX_EPOCH + Duration::from_secs(2_000),
        latency: Duration::ZERO,
        elapsed: Duration::ZERO,
        claim: Claim::default(),
        logged_in: false,
        cookies: web::fetch::CookieMarks::default(),
    }
}

/// The text of this number. Of the variants, the first two are the same text.
fn text_of(number: u64) -> String {
    let (base, variant) = (number / VARIANTS, (number % VARIANTS).saturating_sub(1));
    let mut random = fastrand::Rng::with_seed(base);
    let mut words: Vec<String> = (0..150).map(|_| (0..7).map(|_| random.lowercase()).collect()).collect();
    for place in 0..variant as usize {
        words[100 + place] = "altered".into();
    }
    words.join(" ")
}

#[test]
fn the_index_always_holds_the_kept_pages_and_no_two_of_them_are_duplicates() {
    let (mut versions, mut again) = (0, 0);
    for seed in 0..24 {
        let mut world = World::new(seed);
        for _ in 0..100 {
            match world.random.u8(0..20) {
                0 => world.assert_sound(),
                // The steps since the last commit are lost, and can be done again.
                1 if world.recorder().books.store_mut().pending() == 0 => world.open(),
                2 => {
                    world.recorder().books.store_mut().commit().unwrap();
                    // The catalogue is durable, the index is not brought up to it.
                    world.open();
                }
                3 | 4 => world.recorder().commit_beside().unwrap(),
                5 => world.open_after_loss(),
                n if world.texts.len() < URLS && n < 10 => world.discover(),
                _ => world.visit(),
            }
        }
        world.assert_sound();
        // After a loss the crawl does not know all changes, so the first visits may find some.
        world.visit_all();
        world.visit_all();
        world.assert_sound();
        versions += world.pages().iter().filter(|(_, page)| page.previous.is_some()).count();
        again += world
            .pages()
            .iter()
            .filter(|(_, page)| page.fate == Fate::Current)
            .count();
        for (id, page) in world.pages().into_iter().filter(|(_, page)| page.fate == Fate::Current) {
            if let Some(of) = page.verdict.of() {
                let store = world.recorder().books.store();
                let said_by = store.catalogue().kept_representative_of(id).unwrap();
                assert!(
                    said_by.is_some(),
                    "seed {seed}: nothing says what page {id} says, a duplicate of {of}"
                );
            }
        }
    }
    assert!(versions > 300 && again > 100, "{versions} versions, {again} pages");
}

#[test]
fn a_page_with_the_text_of_a_version_that_is_leaving_is_kept() {
    assert_text_of_a_leaving_version_is_kept(|_| ());
}

#[test]
fn a_page_with_the_text_of_a_leaving_version_is_kept_after_the_store_has_committed_by_itself() {
    assert_text_of_a_leaving_version_is_kept(|world| {
        world.record(Record::LoadHosts(HostsWanted::Named(vec!["h".into()])));
        assert_eq!(world.recorder().books.store_mut().pending(), 0);
    });
}

#[test]
fn the_index_catches_up_with_a_commit_of_the_store_itself() {
    let mut world = World::new(1);
    world.discover();
    world.recorder().books.store_mut().commit().unwrap();
    world.recorder().commit().unwrap();
    assert_eq!(world.recorder().judge.dedup().index().applied(), 1);
}

#[test]
fn the_end_of_a_run_ends_the_visits_of_every_host_and_leaves_new_urls_queued() {
    let mut world = World::new(1);
    let link = |host: &str, n: usize| Discovered {
        url: format!("https://{host}/{n}"),
        host: host.into(),
        ..Discovered::default()
    };
    let hosts = ["a", "b", "c"];
    for host in hosts {
        for queued in world
            .recorder()
            .books
            .store_mut()
            .discover(&[link(host, 0), link(host, 1)])
            .unwrap()
        {
            world.texts.insert(queued.url.clone(), 0);
            let page = world.page(queued);
            world.record(page);
        }
        let new: Vec<Discovered> = (2..100).map(|n| link(host, n)).collect();
        world.recorder().books.store_mut().discover(&new).unwrap();
    }
    world.recorder().books.store_mut().begin_refresh(1).unwrap();
    // At the last host only new URLs wait.
    world
        .recorder()
        .books
        .store_mut()
        .revisit(&[1, 2, 3, 4], PRIORITY_VISIT)
        .unwrap();
    let queued = world.recorder().books.store_mut().counts().queued;
    world.record(Record::EndVisits);
    world.recorder().commit().unwrap();
    let counts = world.recorder().books.store_mut().counts();
    assert_eq!((counts.due, counts.queued), (0, queued));
    assert_eq!(world.recorder().books.store_mut().refresh().unwrap().unanswered, 4);
    assert!(
        world
            .recorder()
            .books
            .store_mut()
            .queue()
            .urls()
            .all(|row| row.unwrap().revisits.is_none())
    );
}

/// A page changes, something `happens`, and another page comes that has its old text.
fn assert_text_of_a_leaving_version_is_kept(happens: impl Fn(&mut World)) {
    let mut world = World::new(1);
    world.texts.insert("https://h/0".into(), 0);
    let link = |path: &str| Discovered {
        url: format!("https://h/{path}"),
        host: "h".into(),
        ..Discovered::default()
    };
    let queued = world
        .recorder()
        .books
        .store_mut()
        .discover(&[link("0")])
        .unwrap()
        .remove(0);
    let page = world.page(queued);
    world.record(page);
    world.assert_sound();
    // The page changes. Before that is durable, other pages come with its old text and with its new one.
    let visit = world
        .recorder()
        .books
        .store_mut()
        .revisit(&[1], PRIORITY_VISIT)
        .unwrap()
        .remove(0);
    world.texts.insert("https://h/0".into(), VARIANTS);
    let page = world.page(visit);
    world.record(page);
    happens(&mut world);
    for (path, text) in [("1", 1), ("2", VARIANTS)] {
        let queued = world
            .recorder()
            .books
            .store_mut()
            .discover(&[link(path)])
            .unwrap()
            .remove(0);
        world.texts.insert(queued.url.clone(), text);
        let page = world.page(queued);
        world.record(page);
    }
    world.assert_sound();
    let verdicts: Vec<Verdict> = world.pages().into_iter().map(|(_, page)| page.verdict).collect();
    let exact = Verdict::Exact { of: 2 };
    assert_eq!(verdicts, [Verdict::Unique, Verdict::Unique, Verdict::Unique, exact]);
}
