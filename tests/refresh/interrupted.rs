//! A refresh that ends before its time.

use std::sync::atomic::Ordering;

use super::{due_after, held_site, of, refresh_in, refreshed};
use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, list};
use crate::support::site::Site;

const PAGES: usize = 30;

#[track_caller]
fn assert_refreshed_once(crawl: &Crawl, site: &Site) {
    let changed = (PAGES / 3) as u64;
    let report = crawl.report();
    let all = PAGES as u64 + 1;
    assert_eq!(
        refreshed(&report),
        of([("due", all), ("changed", changed), ("unchanged", all - changed)])
    );
    assert_eq!(list(&report["refresh"], "refreshes").len(), 1);
    assert_eq!((count(&report, "kept"), count(&report, "due")), (all, 0));
    assert_eq!(crawl.outcomes(site).len() as u64, all);
}

#[test]
fn an_interrupted_refresh_goes_on_with_the_next_run_and_visits_nothing_twice() {
    for goes_on_by_refresh in [true, false] {
        let (site, phase, gate) = held_site(PAGES);
        let crawl = due_after(site.url("/"), 30).one_at_a_time();
        crawl.run();
        phase.store(1, Ordering::SeqCst);
        let arguments = refresh_in(30);
        let running =
            crate::support::process::Running::start(&mut crawl.command(&arguments.each_ref().map(String::as_str)));
        gate.wait_for_arrival();
        running.interrupt();
        running.wait_for_stderr("stopping: finishing the URLs in process");
        gate.open();
        running
            .wait()
            .with_code(130)
            .says(&["Stopped", "still to be visited", "the same command continues the crawl"]);
        let waiting = count(&crawl.report(), "due");
        assert!((1..PAGES as u64).contains(&waiting), "{waiting}");
        if goes_on_by_refresh {
            crawl.end(&arguments.each_ref().map(String::as_str)).succeeded();
        } else {
            crawl.run();
        }
        assert_refreshed_once(&crawl, &site);
        let times = site.times_asked();
        assert!(times.values().all(|&times| times == 2), "{times:?}");
    }
}

#[test]
fn a_refresh_that_is_killed_is_finished_by_the_next_run() {
    let (site, phase, gate) = held_site(PAGES);
    gate.open();
    let mut crawl = due_after(site.url("/"), 30).set("storage.commit_interval_ms", 1);
    crawl.run();
    phase.store(1, Ordering::SeqCst);
    crawl.change("politeness.delay_ms", 5);
    let arguments = refresh_in(30);
    for requests in [3, 8, 6] {
        let before = site.requests().len();
        let mut life =
            crate::support::process::Running::start(&mut crawl.command(&arguments.each_ref().map(String::as_str)));
        site.wait_for_requests(before + requests);
        life.kill();
    }
    crawl.end(&arguments.each_ref().map(String::as_str)).succeeded();
    assert_refreshed_once(&crawl, &site);
}
