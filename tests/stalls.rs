//! One host cannot stop the others.
//!
//! The reader of documents of this process does not read some of them before a harmless host has been crawled to its end: it waits at a gate.
//! The pages of the harmless host are a chain, in which each page is known only when the page before has gone through all stages. So if a
//! stage waited for the reader, the crawl would not end.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Once};

use config::Config;
use config::settings::Settings;
use crawl::messages::Ending;
use crawl::pipeline::{self, Summary};
use crawl::seeds::Seeds;
use crawl::stats::Stats;
use documents::{Document, Fault, InThisThread, Kind, Limits, Reader};
use storage::{OpenOptions, Store};

use crate::support::gate::Gate;
use crate::support::page::{article, home};
use crate::support::site::{Answer, Site};

/// Pages of the harmless host.
const PAGES: u64 = 40;

/// Costly documents of the hostile host.
const COSTLY: u64 = 300;

/// Requests that a host may have open in these crawls.
const PARALLEL: usize = 8;

/// Before the name of the gate at which a document is held.
const MARK: &str = "held at the gate ";

static GATES: Mutex<Option<HashMap<String, Arc<Gate>>>> = Mutex::new(None);

/// Waits with the marked documents, and then gives them up. Reads all others.
#[derive(Debug)]
struct Holding;

impl Reader for Holding {
    fn read(&self, kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
        match gate_of(bytes) {
            Some(gate) => {
                assert!(gate.pass(), "the gate never opened");
                Err(Fault::TookTooLong { seconds: 20 })
            }
            None => InThisThread.read(kind, bytes, limits),
        }
    }
}

fn gate_of(bytes: &[u8]) -> Option<Arc<Gate>> {
    let text = String::from_utf8_lossy(bytes);
    let (_, name) = text.split_once(MARK)?;
    let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
    GATES.lock().unwrap().as_ref()?.get(&name).cloned()
}

/// A gate for the documents with this name.
fn gate(name: &str) -> Arc<Gate> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| assert!(documents::install(Holding), "this process has another reader"));
    let gate = Arc::new(Gate::closed());
    let mut gates = GATES.lock().unwrap();
    gates.get_or_insert_default().insert(name.to_owned(), Arc::clone(&gate));
    gate
}

/// A document that is held at this gate.
fn held(name: &str, media_type: &str, bytes: usize) -> Answer {
    let begins = match media_type {
        "application/pdf" => "%PDF-1.7\n%",
        _ => "# A document\n\n",
    };
    let text = format!("{begins} {MARK}{name}\n{}", "filler\n".repeat(bytes / 7));
    Answer::of_type(media_type, text)
}

/// A harmless host, whose pages are a chain.
fn chain(seed: u64) -> Site {
    Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/1"]),
        path => match path[1..].parse::<u64>() {
            Ok(PAGES) => article(seed + PAGES, &["/"]),
            Ok(number) => article(seed + number, &[format!("/{}", number + 1)]),
            Err(_) => Answer::status(404),
        },
    })
}

/// Crawls both hosts, and opens the gate when the harmless one has been asked for everything. `meanwhile` gets the number of pages that
/// the hostile one was asked for until then.
fn crawl(good: &Site, hostile: &Site, gate: &Gate, folder: &Path, meanwhile: impl FnOnce(usize)) -> Summary {
    let mut config = Config::default();
    config.scope.max_depth = 2 * PAGES as u16;
    config.politeness.delay_ms = 0;
    config.politeness.parallel_per_host = PARALLEL;
    config.politeness.guess_sitemap = false;
    config.fetch.allow_private_addresses = true;
    config.steering.enabled = false;
    let settings = Settings::new(&config).unwrap();
    let seeds = format!("{}\n{}\n", hostile.url("/"), good.url("/"));
    let seeds = Seeds::from_text(seeds, &settings);
    std::thread::scope(|scope| {
        let crawl = scope.spawn(|| {
            let stats = Arc::new(Stats::default());
            pipeline::run(&settings, Some(seeds), folder, &stats, std::future::pending()).unwrap()
        });
        // Its pages, its home page, and its robots.txt.
        good.wait_for_requests(PAGES as usize + 2);
        let pages = hostile.times_asked();
        meanwhile(pages.keys().filter(|path| !path.ends_with(".xml")).count());
        gate.open();
        crawl.join().unwrap()
    })
}

/// The numbers of kept and failed pages at a host.
fn counts(folder: &Path, site: &Site) -> (u64, u64) {
    let store = Store::open(folder, &OpenOptions::existing()).unwrap();
    let name = site.url("");
    let name = name.trim_start_matches("http://");
    let mut hosts = store.hosts().all().map(Result::unwrap);
    let (_, counts) = hosts.find(|(host, _)| host == name).unwrap();
    (counts.kept, counts.failed)
}

/// The names of the tests in the table of the work that a page can cause.
fn tests_of_the_table() -> Vec<&'static str> {
    let table = include_str!("../docs/src/harm.md").lines();
    let rows = table.skip_while(|line| !line.starts_with("| work |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with("| "));
    let cells = rows.map(|row| row.trim_matches('|').rsplit('|').next().unwrap());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// Whether a source file below the folder has this function.
fn has_function(folder: &Path, name: &str) -> bool {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let definition = format!("fn {name}(");
    entries.into_iter().any(|path| match path.extension() {
        _ if path.is_dir() => has_function(&path, name),
        Some(extension) if extension == "rs" => std::fs::read_to_string(&path).unwrap().contains(&definition),
        _ => false,
    })
}

#[test]
fn each_kind_of_work_in_the_table_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = tests_of_the_table();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let function = name.rsplit("::").next().unwrap();
        let is_there =
            has_function(&root.join("crawl/src"), function) || has_function(&root.join("../tests"), function);
        assert!(is_there, "docs/src/harm.md names the test {name}, which does not exist");
    }
}

#[test]
fn documents_that_are_not_read_hold_up_no_other_host_and_are_given_up() {
    let gate = gate("documents");
    let good = chain(1_000);
    let hostile = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&(1..=COSTLY).map(|number| format!("/{number}")).collect::<Vec<_>>()),
        path => match path[1..].parse::<u64>() {
            Ok(_) => held("documents", "application/pdf", 0),
            Err(_) => Answer::status(404),
        },
    });
    let folder = tempfile::tempdir().unwrap();
    let summary = crawl(&good, &hostile, &gate, folder.path(), |_| {});
    assert_eq!(summary.ending, Ending::Exhausted);
    assert_eq!(counts(folder.path(), &good), (PAGES + 1, 0));
    let (kept, failed) = counts(folder.path(), &hostile);
    assert_eq!(kept, 1, "the home page");
    // Three in a row, and those that other threads read meanwhile.
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    assert!((3..3 + threads).contains(&failed), "{failed} documents were tried");
    let [left] = &summary.given_up[..] else {
        panic!("{:?}", summary.given_up)
    };
    assert_eq!(left.documents, COSTLY - failed);
    assert!(left.last_failure.contains("given up after 20 s"), "{left:?}");
}

#[test]
fn large_pages_and_sitemaps_that_are_not_read_hold_up_no_other_host() {
    let gate = gate("large");
    let good = chain(2_000);
    let hostile = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&(1..=COSTLY).map(|number| format!("/{number}")).collect::<Vec<_>>()),
        "/robots.txt" => {
            let sitemaps = (1..=20).map(|number| format!("Sitemap: http://{}/{number}.xml\n", asked.host));
            Answer::text(sitemaps.collect::<String>())
        }
        path if path.ends_with(".xml") => Answer::xml(format!("<urlset>{}</urlset>", " ".repeat(400_000))),
        _ => held("large", "text/markdown", 300_000),
    });
    let folder = tempfile::tempdir().unwrap();
    // The home page, the share of the host, and what was open when it got it.
    let meanwhile = |asked| assert!(asked <= 1 + 4 + PARALLEL, "{asked} pages of the hostile host");
    let summary = crawl(&good, &hostile, &gate, folder.path(), meanwhile);
    assert_eq!(summary.ending, Ending::Exhausted);
    assert_eq!(counts(folder.path(), &good), (PAGES + 1, 0));
    let asked = hostile.times_asked().len() as u64;
    assert_eq!(asked, 1 + COSTLY + 20, "in the end, everything is asked for");
}
