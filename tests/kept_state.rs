//! What `crawler rebuild` leaves as it is: everything but verdicts with `--redecide`, and otherwise what the archive does not hold.

use std::fs;

use storage::{OpenOptions, Store};

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home, page, replaced, words};
use crate::support::site::{Answer, Site};

/// Two near-duplicates of an article, and a URL of every other outcome: a redirect, failures, a page that robots.txt excludes, one that
/// is no page, and one that only the sitemap names.
fn site() -> Site {
    let text = words(1, 400);
    let edit = |text: String, n: usize| replaced(&text, 7 + n * 31, 1, 50 + n as u64);
    let [little, more] = [2, 5].map(|places| (0..places).fold(text.clone(), edit));
    Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(format!(
            "User-agent: *\nDisallow: /secret\nSitemap: http://{}/sitemap.xml\n",
            asked.host
        )),
        "/sitemap.xml" => Answer::xml(format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://{}/listed</loc></url></urlset>",
            asked.host
        )),
        "/" => home(&[
            "/article",
            "/moved",
            "/nothing",
            "/broken",
            "/secret/1",
            "/data",
            "/noindex",
        ]),
        "/article" => page("Article", &text, &["/little"]),
        "/little" => page("Article", &little, &["/more"]),
        "/more" => page("Article", &more, &["/copy"]),
        "/copy" => page("Copy", &text.to_uppercase(), NO_LINKS),
        "/listed" => article(9, NO_LINKS),
        "/moved" => Answer::redirect("/article"),
        "/broken" => Answer::status(500),
        "/data" => Answer::of_type("application/octet-stream", vec![0, 1, 2]),
        "/noindex" => article(12, NO_LINKS).with("x-robots-tag", "noindex"),
        _ => Answer::status(404),
    })
}

fn crawled(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("steering.enabled", false)
        .set("politeness.max_retries", 0)
        .set("politeness.guess_sitemap", true);
    crawl.run();
    crawl
}

fn rebuild(crawl: &Crawl, arguments: &[&str]) -> String {
    crawl.command(&[]);
    let arguments = [&["--config", "test.toml"], arguments].concat();
    crawl.read("rebuild", &arguments).succeeded().stdout
}

/// Every row of the state but the pages, the verdicts and the progress, as text.
fn other_rows(crawl: &Crawl) -> Vec<(Vec<u8>, Vec<u8>)> {
    let store = Store::open_untouched(&crawl.data(), &OpenOptions::existing()).unwrap();
    let tree = store.index_db().unwrap().open_tree("state").unwrap();
    let rows = tree.iter().map(|row| row.unwrap());
    let verdicts = [b'p', b'y', b'm', b'h'];
    rows.filter(|(key, _)| !verdicts.contains(&key[0]))
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

#[test]
fn a_redecision_changes_verdicts_alone_and_counts_against_those_in_force() {
    let site = site();
    let mut crawl = crawled(&site);
    let (outcomes, rows) = (crawl.outcomes(&site), other_rows(&crawl));
    assert!(rows.iter().any(|(key, _)| key[0] == b'r') && rows.iter().any(|(key, _)| key[0] == b's'));
    let requests = site.requests().len();
    let changes = [
        (
            0.995,
            "2 dropped pages are now kept, 0 kept pages are now dropped, 0 have another reason",
        ),
        (
            0.76,
            "0 dropped pages are now kept, 2 kept pages are now dropped, 0 have another reason",
        ),
        (
            0.76,
            "0 dropped pages are now kept, 0 kept pages are now dropped, 0 have another reason",
        ),
        (
            0.995,
            "2 dropped pages are now kept, 0 kept pages are now dropped, 0 have another reason",
        ),
        (
            0.76,
            "0 dropped pages are now kept, 2 kept pages are now dropped, 0 have another reason",
        ),
    ];
    for (least, changed) in changes {
        crawl.change("dedup.min_similarity", least);
        let said = rebuild(&crawl, &["--redecide"]);
        assert!(said.contains(changed), "{least}: {said}");
        assert!(said.contains("0 URLs are queued"), "{said}");
        assert!(other_rows(&crawl) == rows, "{least}");
        crawl.read("verify", &["--config", "test.toml"]).succeeded();
    }
    assert_eq!(crawl.outcomes(&site), outcomes);
    crawl.run();
    assert_eq!(site.requests().len(), requests, "nothing is left to do");
    assert_eq!(crawl.outcomes(&site), outcomes);
}

#[test]
fn after_a_redecision_the_next_run_fetches_missing_bodies_and_nothing_else() {
    let site = site();
    let mut crawl = crawled(&site);
    let requests = site.requests().len();
    crawl.change("dedup.min_similarity", 0.995);
    rebuild(&crawl, &["--redecide"]);
    crawl.run();
    let mut asked = site.paths().split_off(requests);
    asked.sort();
    assert_eq!(asked, ["/little", "/more"]);
    // Also back again: the new versions and their bodies stay.
    crawl.change("dedup.min_similarity", 0.76);
    let said = rebuild(&crawl, &["--redecide"]);
    assert!(
        said.contains("0 dropped pages are now kept, 2 kept pages are now dropped"),
        "{said}"
    );
    crawl.run();
    assert_eq!(site.requests().len(), requests + 2);
    crawl.read("verify", &["--config", "test.toml"]).succeeded();
}

#[test]
fn a_rebuild_takes_what_the_archive_does_not_hold_from_the_old_state() {
    let site = site();
    let crawl = crawled(&site);
    let outcomes = crawl.outcomes(&site);
    let requests = site.requests().len();
    let said = rebuild(&crawl, &[]);
    assert!(
        said.contains("0 URLs are queued; redirects, failures, robots.txt"),
        "{said}"
    );
    assert_eq!(crawl.outcomes(&site), outcomes);
    crawl.read("verify", &[]).succeeded();
    crawl.run();
    assert_eq!(site.requests().len(), requests, "nothing is left to do");
    assert_eq!(crawl.outcomes(&site), outcomes);
}

#[test]
fn a_redecision_without_a_whole_state_takes_the_archive_and_says_so() {
    let site = site();
    let mut crawl = crawled(&site);
    let outcomes = crawl.outcomes(&site);
    crawl.change("dedup.min_similarity", 0.995);
    rebuild(&crawl, &["--redecide"]);
    // The state before the redecision is an old copy.
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    crawl.change("dedup.min_similarity", 0.76);
    crawl.command(&[]);
    let rebuilt = crawl
        .read("rebuild", &["--config", "test.toml", "--redecide"])
        .succeeded()
        .says(&["asks again for redirects"]);
    assert!(rebuilt.stdout.contains("0 kept pages are now dropped"), "{rebuilt:?}");
    crawl.run();
    assert_eq!(crawl.outcomes(&site), outcomes);
}

#[test]
fn a_damaged_index_of_the_archive_is_written_again_also_with_a_copied_state() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let index = crawl.data().join("warc/index.cdxj");
    let whole = fs::read(&index).unwrap();
    // As many bytes as before, so that nothing but their contents tells.
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 20].fill(0);
    fs::write(&index, damaged).unwrap();
    crawl.read("verify", &[]).with_code(1);
    crawl.read("rebuild", &["--redecide"]).succeeded();
    assert_eq!(fs::read(&index).unwrap(), whole);
    crawl.read("verify", &[]).succeeded();
}
