//! What a crawl on disk survives, and what its user is told: rebuilt from the archive, verified, compacted, damaged in every way.

mod limits;
mod read_only;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::crawl::Crawl;
use crate::support::outcomes::{Outcomes, count};
use crate::support::page::{home, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

/// Pages of the site, its home page aside.
const PAGES: usize = 60;

/// Texts among them: the pages `n` and `n + TEXTS` are near-duplicates.
const TEXTS: usize = 40;

/// A binary tree of pages, a redirect to one of them, and a link to nothing.
fn site() -> Site {
    site_of(900)
}

/// The same with so many words a page.
fn site_of(length: usize) -> Site {
    Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/1", "/moved", "/nothing"]),
        "/moved" => Answer::status(301).with("location", "/9"),
        path => match path[1..].parse::<usize>() {
            Ok(n) if (1..=PAGES).contains(&n) => {
                let links: Vec<String> = [2 * n, 2 * n + 1]
                    .into_iter()
                    .filter(|n| *n <= PAGES)
                    .map(|n| format!("/{n}"))
                    .collect();
                let text = words((n % TEXTS) as u64, length);
                let text = if n <= TEXTS {
                    text
                } else {
                    replaced(&text, 90, 2, n as u64)
                };
                page(&format!("Page {n} \u{2013} a\\b"), &text, &links)
            }
            _ => Answer::status(404),
        },
    })
}

fn crawl_of(site: &Site) -> Crawl {
    Crawl::of(site.url("/")).set("storage.warc_file_bytes", 1)
}

fn finished() -> (Site, Crawl) {
    let site = site();
    let crawl = crawl_of(&site);
    crawl.run();
    (site, crawl)
}

fn in_order(mut pages: Vec<serde_json::Value>) -> Vec<String> {
    let mut lines: Vec<String> = pages.iter_mut().map(|page| page.to_string()).collect();
    lines.sort();
    lines
}

#[track_caller]
fn verified(crawl: &Crawl) -> Ended {
    crawl.read("verify", &[]).succeeded()
}

/// Without what the archive does not hold.
fn of_pages(outcomes: Outcomes) -> Outcomes {
    outcomes
        .into_iter()
        .filter(|(path, _)| path != "/moved" && path != "/nothing")
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Runs `mount`; whether it succeeded.
fn mounted(arguments: &[&str], on: &Path) -> bool {
    let status = Command::new("mount")
        .args(arguments)
        .arg(on)
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// A mount that ends with this value.
struct Mount<'a>(&'a Path);

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ended = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_lost_state_is_made_anew_from_the_archive_and_nothing_is_fetched_twice() {
    let (site, crawl) = finished();
    verified(&crawl).says(&["No finding"]);
    let (outcomes, export) = (crawl.outcomes(&site), in_order(crawl.export()));
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    for refused in [crawl.end(&[]), crawl.read("report", &[])] {
        refused
            .with_code(1)
            .complains_of(&["no state", "crawler rebuild --data"]);
    }
    crawl.read("rebuild", &[]).succeeded().says(&[
        "61 pages",
        "asks again for redirects, failures, robots.txt and sitemaps",
    ]);
    verified(&crawl);
    assert_eq!(in_order(crawl.export()), export);
    assert_eq!(of_pages(crawl.outcomes(&site)), of_pages(outcomes.clone()));
    let asked = site.times_asked();
    crawl.run();
    for (path, times) in site.times_asked() {
        let again = if ["/moved", "/nothing"].contains(&path.as_str()) {
            1
        } else {
            0
        };
        assert_eq!(times, asked[&path] + again, "{path}");
    }
    assert_eq!(crawl.outcomes(&site), outcomes);
    assert_eq!(in_order(crawl.export()), export);
    verified(&crawl);
}

#[test]
fn a_rebuild_in_the_middle_of_a_crawl_goes_on_with_what_is_left() {
    let site = site();
    let crawl = crawl_of(&site);
    crawl.end(&["--max-pages", "25"]).with_code(6);
    crawl.read("rebuild", &[]).succeeded();
    verified(&crawl).says(&["the next run builds it from the catalogue"]);
    crawl.run();
    assert_eq!(count(&crawl.report(), "queued"), 0);
    let twice: Vec<_> = site.times_asked().into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(
        twice.iter().all(|(path, _)| path == "/moved" || path == "/nothing"),
        "{twice:?}"
    );
    assert_eq!(crawl.outcomes(&site).len(), PAGES + 3);
    verified(&crawl);
}

#[test]
fn a_page_whose_metadata_record_is_damaged_is_fetched_again_with_title_language_and_links() {
    let site = site();
    // By other rules than those of the configuration that the rebuild has.
    let crawl = crawl_of(&site).set("dedup.mask_dates", false);
    crawl.end(&["--max-pages", "1"]).with_code(6);
    let warc = files(&crawl.data().join("warc"))
        .into_iter()
        .find(|path| path.extension() == Some("gz".as_ref()))
        .unwrap();
    let (mut at, mut reader) = (None, storage::warc::WarcReader::new(fs::File::open(&warc).unwrap()));
    while let Some(located) = reader.next_record().unwrap() {
        let located = located.unwrap();
        if located.record.kind() == "metadata" {
            at = Some(located.offset + located.length / 2);
        }
    }
    let mut bytes = fs::read(&warc).unwrap();
    bytes[at.unwrap() as usize] ^= 0x55;
    fs::write(&warc, bytes).unwrap();
    let rebuilt = crawl
        .read("rebuild", &[])
        .succeeded()
        .says(&["1 pages or their records are lost"]);
    assert!(
        rebuilt
            .stderr
            .contains("its metadata record is lost; it will be fetched again"),
        "{rebuilt:?}"
    );
    crawl.run();
    // As a crawl of the same site that nothing happened to.
    let whole = crawl_of(&site).set("dedup.mask_dates", false);
    whole.run();
    assert_eq!(crawl.outcomes(&site).len(), whole.outcomes(&site).len());
    let told = |crawl: &Crawl| {
        let mut told: Vec<_> = crawl
            .export()
            .into_iter()
            .map(|page| ["url", "title", "language", "text"].map(|field| page[field].to_string()))
            .filter(|page| page[0].ends_with("/\""))
            .collect();
        told.sort();
        told
    };
    assert_eq!(told(&crawl).len(), 1);
    assert_eq!(told(&crawl), told(&whole));
}

#[test]
fn verify_tells_programs_what_it_tells_people() {
    let (_site, crawl) = finished();
    let sound: serde_json::Value =
        serde_json::from_str(&crawl.read("verify", &["--format", "json"]).succeeded().stdout).unwrap();
    assert_eq!((&sound["ok"], &sound["pages"]), (&true.into(), &61.into()));
    let warc = files(&crawl.data().join("warc"))
        .into_iter()
        .find(|path| path.extension() == Some("gz".as_ref()));
    let path = warc.unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 9_000].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&path, bytes).unwrap();
    let ended = crawl
        .read("verify", &[])
        .with_code(1)
        .says(&["body: page ", "archive: ", "crawler rebuild"]);
    assert!(ended.stderr.contains("findings"), "{ended:?}");
    let json = crawl.read("verify", &["--format", "json"]).with_code(1).stdout;
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["ok"], false);
    assert!(found["findings"]["body"]["count"].as_u64().unwrap() > 0, "{found}");
    // What is lost is fetched again, with its duplicates, and nothing else.
    crawl
        .read("rebuild", &[])
        .succeeded()
        .says(&["URLs are queued", "robots.txt, sitemaps"]);
    crawl.run();
    assert_eq!(count(&crawl.report(), "queued"), 0);
    // The damaged stretch stays in the file, and no page needs it.
    verified(&crawl).says(&[
        "No finding",
        "damaged stretches of the WARC files were given up by a rebuild",
    ]);
    // `verify` finds damage to another place of that file.
    let mut bytes = fs::read(&path).unwrap();
    let quarter = bytes.len() / 4;
    bytes[quarter] ^= 0x55;
    fs::write(&path, bytes).unwrap();
    crawl.read("verify", &[]).with_code(1).says(&["archive: "]);
}

#[test]
fn a_changed_index_of_the_archive_is_found_and_the_next_run_writes_it_again() {
    let (_site, crawl) = finished();
    let path = crawl.data().join("warc/index.cdxj");
    let whole = fs::read(&path).unwrap();
    for at in [0, whole.len() / 3, whole.len() - 9] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        crawl
            .read("verify", &[])
            .with_code(1)
            .says(&["index_file: warc/index.cdxj: line ", "delete warc/index.cdxj"]);
    }
    fs::remove_file(&path).unwrap();
    crawl.run();
    assert_eq!(fs::read(&path).unwrap(), whole);
    verified(&crawl).says(&["Not checked: README.md"]);
}

#[test]
fn gc_gives_room_back_and_changes_nothing_else() {
    let (site, crawl) = finished();
    let (outcomes, export) = (crawl.outcomes(&site), in_order(crawl.export()));
    crawl.read("rebuild", &[]).succeeded();
    crawl.run();
    crawl.read("gc", &[]).succeeded().says(&[
        "Compacted",
        "removed state.before-rebuild",
        "the WARC files are unchanged",
    ]);
    assert!(!crawl.data().join("state.before-rebuild").exists());
    verified(&crawl);
    assert_eq!((crawl.outcomes(&site), in_order(crawl.export())), (outcomes, export));
    let asked = site.times_asked();
    crawl.run();
    assert_eq!(site.times_asked(), asked);
}

/// A damaged copy of the data folder: whatever is asked of it is answered in whole, or refused in one message that says what to do.
#[track_caller]
fn answered_in_whole_or_refused(folder: &Path, data: &Path, expected: &str) -> bool {
    let asked = |command: &str| {
        let mut process = crawler([command, "--data"]);
        let ended = run(process.arg(data).current_dir(folder));
        assert!(
            !ended.stderr.contains("panicked") && !ended.stderr.contains("stack backtrace"),
            "{ended:?}"
        );
        assert!(ended.code == Some(0) || ended.code == Some(1), "{ended:?}");
        ended
    };
    let verified = asked("verify");
    if verified.code == Some(1) {
        // Also of the index, which the export does not need.
        assert!(
            verified.stderr.starts_with("crawler: ") && verified.stderr.lines().count() == 1,
            "{verified:?}"
        );
        assert!((verified.stdout + &verified.stderr).contains("crawler rebuild"));
    }
    let ended = asked("export");
    if ended.code == Some(0) {
        let mut lines: Vec<&str> = ended.stdout.lines().collect();
        lines.sort_unstable();
        assert!(lines.join("\n") == expected, "commits were lost in silence");
        return true;
    }
    let said = ended.stderr.trim_end();
    assert!(said.starts_with("crawler: ") && said.lines().count() == 1, "{said}");
    assert!(said.contains("crawler rebuild"), "{said}");
    false
}

#[test]
fn a_flipped_bit_or_a_cut_in_the_state_is_told_or_harmless_and_a_rebuild_mends_it() {
    let (_site, crawl) = finished();
    let mut lines: Vec<String> = crawl
        .read("export", &[])
        .succeeded()
        .stdout
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort_unstable();
    let expected = lines.join("\n");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (mut harmless, mut refused) = (0, 0);
    let state = files(&crawl.data().join("state"));
    for path in &state {
        let bytes = fs::read(path).unwrap();
        let inside = data.join(path.strip_prefix(crawl.data()).unwrap());
        // The database itself is the largest by far.
        let flips = if path.ends_with("db") { 40 } else { 4 };
        let flips = (0..flips).map(|n| (bytes.len() * (2 * n + 1) / (2 * flips), false));
        let cuts = (0..4).map(|n| (bytes.len() * n / 4, true));
        for (at, is_cut) in flips.chain(cuts) {
            if bytes.is_empty() {
                continue;
            }
            if data.exists() {
                fs::remove_dir_all(&data).unwrap();
            }
            copy(&crawl.data(), &data);
            let mut damaged = bytes.clone();
            if is_cut {
                damaged.truncate(at);
            } else {
                damaged[at] ^= 1 << (at % 8);
            }
            fs::write(&inside, damaged).unwrap();
            if answered_in_whole_or_refused(folder.path(), &data, &expected) {
                harmless += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(
        refused > 10,
        "{refused} of {} kinds of damage were noticed",
        refused + harmless
    );
    let mut rebuild = crawler(["rebuild", "--data"]);
    run(rebuild.arg(&data).current_dir(folder.path())).succeeded();
    assert!(answered_in_whole_or_refused(folder.path(), &data, &expected));
}

#[test]
fn a_missing_warc_file_is_named_and_a_rebuild_goes_on_without_it() {
    // Files of the least size that there is.
    let site = site_of(20_000);
    let crawl = crawl_of(&site);
    crawl.run();
    let warcs: Vec<_> = files(&crawl.data().join("warc"))
        .into_iter()
        .filter(|path| path.extension() == Some("gz".as_ref()))
        .collect();
    assert!(warcs.len() > 2, "{warcs:?}");
    let away = crawl.path("away.warc.gz");
    fs::rename(&warcs[1], &away).unwrap();
    crawl
        .read("export", &[])
        .with_code(1)
        .complains_of(&["cannot read", "00001.warc.gz"]);
    crawl
        .read("verify", &[])
        .with_code(1)
        .says(&["00001.warc.gz", "put a good copy of the WARC file back"]);
    crawl
        .end(&[])
        .with_code(1)
        .complains_of(&["00001.warc.gz is missing: put the file back", "crawler rebuild --data"]);
    // Put back, all is well.
    fs::rename(&away, &warcs[1]).unwrap();
    verified(&crawl);
    let last = warcs.last().unwrap();
    fs::rename(last, &away).unwrap();
    crawl
        .end(&[])
        .with_code(1)
        .complains_of(&["are committed: put the file back", "crawler rebuild --data"]);
    crawl.read("rebuild", &[]).succeeded();
    crawl.run();
    verified(&crawl);
    assert_eq!(crawl.outcomes(&site).len(), PAGES + 3);
}

#[test]
fn stores_of_other_formats_are_left_alone_and_say_what_to_do() {
    for (format, part) in [
        (1_u32, "reads format 3 alone"),
        (99, "use the version of the crawler that wrote it"),
    ] {
        let (_site, crawl) = finished();
        {
            let store = storage::Store::open(&crawl.data(), &storage::OpenOptions::existing()).unwrap();
            let tree = store.index_db().unwrap().open_tree("state").unwrap();
            let row = [&b"CRAWLER\0"[..], &format.to_le_bytes()].concat();
            tree.insert(b"mformat", row).unwrap();
        }
        for refused in [crawl.end(&["-q"]), crawl.read("verify", &[]), crawl.read("gc", &[])] {
            refused
                .with_code(1)
                .complains_of(&[&format!("store format {format}"), part]);
        }
    }
}
