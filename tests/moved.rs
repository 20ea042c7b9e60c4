//! A run whose data folder is moved, removed or damaged under it: it ends with an error, and no signal is ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::support::PATIENCE;
use crate::support::archive::warc_files;
use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{article, home};
use crate::support::process::{Ended, Running};
use crate::support::site::{Answer, Site};

/// Pages of the site. The disturbance comes with the request for the page in the middle.
const PAGES: usize = 60;

/// A crawl that is disturbed once, and its site.
struct Disturbed {
    crawl: Crawl,
    _site: Site,
    /// Hears of the end of the disturbance. A run that meets one half of it ends before.
    is_over: Receiver<()>,
}

impl Disturbed {
    /// The end of the run, after the end of the disturbance: whatever the test does then, the disturbance does not undo.
    fn end(&self) -> Ended {
        let ended = self.crawl.end(&["-q"]);
        self.is_over.recv_timeout(PATIENCE).unwrap();
        ended
    }
}

/// A chain of pages, so that many commits come before and after the disturbance. `disturb` is called with the data folder while the crawler
/// waits for the page in the middle.
fn crawl_disturbed(disturb: impl Fn(&Path) + Send + Sync + 'static) -> Disturbed {
    let data: Arc<OnceLock<PathBuf>> = Arc::default();
    let place = data.clone();
    let (over, is_over) = mpsc::channel();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/1"]),
        "/robots.txt" => Answer::status(404),
        path => {
            let n: usize = path[1..].parse().unwrap();
            if n == PAGES / 2 && asked.times == 1 {
                disturb(place.get().unwrap());
                over.send(()).unwrap();
            }
            let next = format!("/{}", n + 1);
            let next = [next.as_str()];
            article(n as u64, if n < PAGES { &next } else { &[] })
        }
    });
    let crawl = Crawl::of(site.url("/"))
        .set("storage.commit_interval_ms", 1)
        .set("scope.max_depth", 100);
    data.set(crawl.data()).unwrap();
    Disturbed {
        crawl,
        _site: site,
        is_over,
    }
}

/// Waits until the archive has a file, and returns its path.
fn first_warc(data: &Path) -> PathBuf {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Some(path) = warc_files(data).into_iter().next() {
            return path;
        }
        std::thread::yield_now();
    }
    panic!("no page was archived");
}

#[track_caller]
fn ended_with(ended: Ended, parts: &[&str]) {
    let ended = ended.with_code(1).complains_of(parts);
    assert_eq!(ended.stderr.trim_end().lines().count(), 1, "{}", ended.stderr);
}

/// What a run may say whose folder is gone: it depends on what it reads or writes next.
const MISSED_FIRST: [&str; 4] = [
    "data was moved or removed",
    "warc.gz is missing",
    "data/state",
    "moved, removed or replaced",
];

/// The run ends with an error of one line that says one of these.
#[track_caller]
fn ended_with_one_of(ended: Ended, causes: &[&str]) {
    let said = causes.iter().find(|cause| ended.stderr.contains(*cause));
    let cause = said.unwrap_or_else(|| panic!("none of {causes:?} is in {}", ended.stderr));
    ended_with(ended, &[cause]);
}

/// The crawl as it should be, after the damage is undone.
#[track_caller]
fn goes_on(crawl: &Crawl) {
    crawl.run();
    crawl.read("verify", &[]).succeeded();
    let report = crawl.report();
    assert_eq!(
        (count(&report, "fetched"), count(&report, "queued")),
        (PAGES as u64 + 1, 0)
    );
}

fn moved_away(data: &Path) -> PathBuf {
    data.with_file_name("moved")
}

#[test]
fn a_run_whose_data_folder_is_moved_ends_with_an_error_and_goes_on_when_it_is_back() {
    let disturbed = crawl_disturbed(|data| {
        first_warc(data);
        fs::rename(data, moved_away(data)).unwrap();
    });
    let crawl = &disturbed.crawl;
    ended_with(
        disturbed.end(),
        &["data was moved or removed", "nothing committed is lost"],
    );
    assert!(!crawl.data().exists(), "nothing was written to its old place");
    fs::rename(moved_away(&crawl.data()), crawl.data()).unwrap();
    goes_on(crawl);
}

#[test]
fn a_run_whose_data_folder_is_removed_ends_with_an_error() {
    let disturbed = crawl_disturbed(|data| {
        // The run may create a file while its folder is being removed.
        while data.exists() {
            let _again = fs::remove_dir_all(data);
        }
    });
    let crawl = &disturbed.crawl;
    // The run may meet the folder when only a part of it is removed.
    ended_with_one_of(disturbed.end(), &MISSED_FIRST);
    goes_on(crawl);
}

#[test]
fn a_run_whose_data_folder_gives_way_to_another_one_ends_with_an_error_and_leaves_the_other_alone() {
    let disturbed = crawl_disturbed(|data| {
        first_warc(data);
        fs::rename(data, moved_away(data)).unwrap();
        fs::create_dir_all(data.join("warc")).unwrap();
        fs::create_dir_all(data.join("state")).unwrap();
    });
    let crawl = &disturbed.crawl;
    ended_with_one_of(disturbed.end(), &MISSED_FIRST);
    assert_eq!(warc_files(&crawl.data()), Vec::<PathBuf>::new());
    fs::remove_dir_all(crawl.data()).unwrap();
    fs::rename(moved_away(&crawl.data()), crawl.data()).unwrap();
    goes_on(crawl);
}

#[test]
fn a_warc_file_that_is_moved_or_cut_in_mid_run_is_named_and_no_hole_is_written() {
    let disturbed = crawl_disturbed(|data| fs::rename(first_warc(data), moved_away(data)).unwrap());
    let crawl = &disturbed.crawl;
    ended_with(
        disturbed.end(),
        &["warc.gz is missing: put the file back", "crawler rebuild --data"],
    );
    assert_eq!(warc_files(&crawl.data()), Vec::<PathBuf>::new());

    let disturbed = crawl_disturbed(|data| {
        let path = first_warc(data);
        let whole = fs::read(&path).unwrap();
        fs::write(moved_away(data), &whole).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    });
    ended_with(disturbed.end(), &["are committed: put the file back"]);
}

#[test]
fn a_state_that_is_moved_or_replaced_in_mid_run_is_named() {
    let away = |data: &Path| fs::rename(data.join("state"), moved_away(data)).unwrap();
    let disturbed = crawl_disturbed(move |data| {
        first_warc(data);
        away(data);
    });
    let crawl = &disturbed.crawl;
    ended_with(disturbed.end(), &["the state in", "was moved, removed or replaced"]);
    fs::rename(moved_away(&crawl.data()), crawl.data().join("state")).unwrap();
    goes_on(crawl);

    let disturbed = crawl_disturbed(move |data| {
        first_warc(data);
        away(data);
        let copied = Command::new("cp")
            .arg("-a")
            .arg(moved_away(data))
            .arg(data.join("state"))
            .status();
        assert!(copied.unwrap().success());
    });
    let crawl = &disturbed.crawl;
    // The run may meet the state when only a part of it is copied.
    ended_with_one_of(disturbed.end(), &["was moved, removed or replaced", "data/state"]);
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    fs::rename(moved_away(&crawl.data()), crawl.data().join("state")).unwrap();
    goes_on(crawl);
}

/// Puts a named pipe in the place of a file that each commit writes. Nobody reads the pipe, so the thread that opens it stands still.
fn block_commits(data: &Path) {
    first_warc(data);
    let mark = data.join("last-commit");
    while mark.exists() {
        let _again = fs::remove_file(&mark);
    }
    let made = Command::new("mkfifo").arg(&mark).status();
    // A commit may have written the file anew.
    if !made.unwrap().success() {
        block_commits(data);
    }
}

fn start_with_limit(crawl: &Crawl, seconds: &str) -> Running {
    Running::start(crawl.command(&["-q"]).env("CRAWLER_SILENCE_SECONDS", seconds))
}

#[test]
fn a_thread_that_stands_still_is_named_and_ends_the_run() {
    let disturbed = crawl_disturbed(block_commits);
    let crawl = &disturbed.crawl;
    ended_with(
        start_with_limit(crawl, "2").wait(),
        &[
            "the thread `recorder` has not answered for",
            "what was committed is safe",
        ],
    );
    fs::remove_file(crawl.data().join("last-commit")).unwrap();
    goes_on(crawl);
}

#[test]
fn a_run_that_was_stopped_and_continued_has_no_silent_thread() {
    let disturbed = crawl_disturbed(|_| ());
    let crawl = &disturbed.crawl;
    let run = start_with_limit(crawl, "30");
    run.signal("STOP");
    run.signal("CONT");
    run.wait().succeeded();
}
