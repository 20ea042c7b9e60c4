//! `storage.duplicates`: what the archive holds of a duplicate, and that every command works with each value.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use storage::warc::Record;

use crate::support::archive::{Archived, archived};
use crate::support::crawl::Crawl;
use crate::support::outcomes::{Outcomes, expected};
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

const VALUES: [&str; 3] = ["difference", "body", "nothing"];
const DUPLICATES: [&str; 3] = ["/copy", "/edited", "/twin"];
const LINKS_OF_A: &[&str] = &["/twin", "/copy"];

/// A kept page with its duplicates: the same bytes, the same text in other bytes, nearly the same text. What is a
/// duplicate is linked behind the page, so that the page is decided first. When it `is_later`, `/else` has another text, `/markup` the same text in other
/// bytes, and `/edited` another edit of the text.
fn site(is_later: Arc<AtomicBool>) -> Site {
    Site::scripted(move |asked| {
        let is_later = is_later.load(Ordering::SeqCst);
        let text = words(1, 200);
        match asked.path.as_str() {
            "/" => home(&["/a", "/else", "/markup"]),
            "/a" => page("The page", &text, LINKS_OF_A),
            "/twin" => Answer::html(html("The page", &text, LINKS_OF_A)).with("x-only", "twin"),
            "/else" => article(if is_later { 12 } else { 9 }, NO_LINKS),
            "/markup" => {
                Answer::html(html("Markup", &words(5, 200), NO_LINKS) + if is_later { "<!-- -->" } else { "" })
            }
            "/copy" => page("The copy", &text, &["/edited"]),
            "/edited" => page(
                "The edition",
                &replaced(&text, 50, 3, if is_later { 3 } else { 2 }),
                NO_LINKS,
            ),
            _ => Answer::status(404),
        }
    })
}

struct Finished {
    site: Site,
    is_later: Arc<AtomicBool>,
    crawl: Crawl,
}

/// A crawl with this value, one page after the other.
fn finished(value: &str) -> Finished {
    let is_later = Arc::new(AtomicBool::new(false));
    let site = site(is_later.clone());
    let mut crawl = Crawl::of(site.url("/")).one_at_a_time().set("steering.enabled", false);
    for key in ["min_interval", "first_interval", "max_interval"] {
        crawl.change(&format!("refresh.{key}"), "\"0s\"");
    }
    crawl.change("storage.duplicates", format!("{value:?}"));
    crawl.run();
    Finished { site, is_later, crawl }
}

impl Finished {
    fn verdicts(&self) -> Outcomes {
        let mut all = self.crawl.outcomes(&self.site);
        all.retain(|path, _| DUPLICATES.contains(&path.as_str()));
        all
    }

    fn page(&self, path: &str) -> Archived {
        archived(&self.crawl.data())
            .remove(&self.site.url(path))
            .unwrap_or_default()
    }

    /// The lines of the index: URL, media type and digest.
    fn index(&self) -> Vec<(String, String, String)> {
        let index = fs::read_to_string(self.crawl.data().join("warc/index.cdxj")).unwrap();
        let lines = index.lines().map(|line| {
            let fields: Value = serde_json::from_str(line.splitn(3, ' ').nth(2).unwrap()).unwrap();
            let field = |name: &str| fields[name].as_str().unwrap().to_owned();
            (field("url"), field("mime"), field("digest"))
        });
        lines.collect()
    }

    /// How often the index lists a path, with each media type.
    fn listed(&self, path: &str) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for (url, mime, _) in self.index() {
            if url == self.site.url(path) {
                *found.entry(mime).or_default() += 1;
            }
        }
        found
    }

    fn explained(&self, path: &str) -> String {
        self.crawl.read("explain", &[&self.site.url(path)]).succeeded().stdout
    }

    fn read(&self, command: &str, arguments: &[&str]) -> String {
        // Writes the configuration.
        self.crawl.command(&[]);
        let arguments = [&["--config", "test.toml"], arguments].concat();
        self.crawl.read(command, &arguments).succeeded().stdout
    }

    fn verify(&self) {
        let said = self.read("verify", &[]);
        assert!(said.contains("No finding"), "{said}");
    }
}

fn payload(record: &[Record]) -> Vec<u8> {
    let [record] = record else {
        panic!("{} records", record.len())
    };
    record.http_payload().unwrap().to_vec()
}

#[test]
fn with_bodies_every_page_has_a_response_or_a_standard_revisit() {
    let done = finished("body");
    let text = words(1, 200);
    assert_eq!(
        payload(&done.page("/copy").responses),
        html("The copy", &text, &["/edited"]).as_bytes()
    );
    let edited = html("The edition", &replaced(&text, 50, 3, 2), NO_LINKS);
    assert_eq!(payload(&done.page("/edited").responses), edited.as_bytes());
    for path in ["/copy", "/edited"] {
        let page = done.page(path);
        assert_eq!(
            (page.revisits.len(), page.conversions.len(), page.duplicates.len()),
            (0, 1, 0),
            "{path}"
        );
        assert_eq!(done.listed(path), [("text/html".to_owned(), 1)].into(), "{path}");
    }
    let twin = done.page("/twin");
    assert_eq!(
        (twin.responses.len(), twin.revisits.len(), twin.conversions.len()),
        (0, 1, 0)
    );
    let profile = twin.revisits[0].field("WARC-Profile").unwrap();
    assert!(profile.ends_with("identical-payload-digest"), "{profile}");
    let kept = done.page("/a");
    assert_eq!(
        twin.revisits[0].field("WARC-Refers-To"),
        kept.responses[0].field("WARC-Record-ID")
    );
    assert_eq!(done.listed("/twin"), [("warc/revisit".to_owned(), 1)].into());
    assert_eq!(done.crawl.export().len(), 4, "the kept pages");
}

#[test]
fn with_the_difference_the_index_lists_only_what_replay_tools_can_show() {
    let done = finished("difference");
    for path in ["/copy", "/edited"] {
        let page = done.page(path);
        assert_eq!(
            (page.responses.len(), page.revisits.len(), page.conversions.len()),
            (0, 0, 0),
            "{path}"
        );
        assert!(page.of_duplicate("is").is_some());
        assert_eq!(done.listed(path), [].into(), "{path}");
    }
    assert_eq!(done.listed("/twin"), [("warc/revisit".to_owned(), 1)].into());
}

#[test]
fn with_nothing_the_archive_has_only_the_verdicts() {
    let done = finished("nothing");
    for path in DUPLICATES {
        let page = done.page(path);
        let records = [
            &page.requests,
            &page.responses,
            &page.revisits,
            &page.conversions,
            &page.duplicates,
        ];
        assert!(records.iter().all(|records| records.is_empty()), "{path}: {page:?}");
        assert_eq!(done.listed(path), [].into(), "{path}");
        let explained = done.explained(path);
        assert!(explained.contains("storage.duplicates was \"nothing\""), "{explained}");
    }
}

#[test]
fn every_command_works_with_every_value() {
    for value in VALUES {
        let done = finished(value);
        let verdicts = done.verdicts();
        assert_eq!(
            verdicts,
            expected([
                ("/copy", "exact of /a"),
                ("/edited", "near of /a"),
                ("/twin", "exact of /a")
            ]),
            "{value}"
        );
        done.verify();
        if value != "nothing" {
            let explained = done.explained("/edited");
            assert!(explained.contains(&words(1, 3)), "{value}: {explained}");
        }
        done.read("report", &["--output", "report.html"]);
        done.read("tune", &[]);
        let (index, exported) = (done.index(), done.crawl.export());
        for arguments in [&[][..], &["--redecide"]] {
            done.read("rebuild", arguments);
            assert_eq!(done.verdicts(), verdicts, "{value} {arguments:?}");
            assert_eq!(done.index(), index, "{value} {arguments:?}");
            assert_eq!(done.crawl.export(), exported, "{value} {arguments:?}");
            done.verify();
        }
        done.crawl.read("gc", &[]).succeeded();
        done.verify();
        let (merged, other) = (done.crawl.path("merged"), finished(value));
        let mut merge = crawler(["merge"]);
        merge
            .args([done.crawl.data(), other.crawl.data()])
            .arg("--data")
            .arg(&merged);
        run(merge.args(["--redecide", "--config"]).arg(done.crawl.path("test.toml"))).succeeded();
        let mut verify = crawler(["verify", "--data"]);
        run(verify.arg(&merged).arg("--config").arg(done.crawl.path("test.toml")))
            .succeeded()
            .says(&["No finding"]);
        // Nothing is left to fetch.
        let requests = done.site.requests().len();
        done.crawl.run();
        assert_eq!(done.site.requests().len(), requests, "{value}");
    }
}

#[test]
fn a_stricter_rule_keeps_the_edited_page_where_its_text_is_known() {
    for value in VALUES {
        let mut done = finished(value);
        done.crawl.change("dedup.min_similarity", 0.999);
        let said = done.read("rebuild", &["--redecide"]);
        let kept = match value {
            "nothing" => "near of /a",
            _ => "kept",
        };
        assert_eq!(done.verdicts()["/edited"], kept, "{value}");
        assert_eq!(
            said.contains("keep their verdict"),
            value == "nothing",
            "{value}: {said}"
        );
        // Only a body that is not archived is fetched.
        let is_fetched = |done: &Finished| {
            let requests = done.site.requests();
            requests.iter().filter(|request| request.path == "/edited").count() == 2
        };
        done.verify();
        done.crawl.run();
        assert_eq!(is_fetched(&done), value == "difference", "{value}");
        done.verify();
    }
}

#[test]
fn a_refresh_archives_what_its_value_says() {
    for value in VALUES {
        let done = finished(value);
        done.is_later.store(true, Ordering::SeqCst);
        done.crawl.end(&["--refresh"]).succeeded();
        done.verify();
        let responses = |path: &str| done.page(path).responses.len();
        assert_eq!(responses("/else"), 2, "{value}: another text");
        // The same text in other bytes: a version of its own for replay tools, or the earlier one stands for it.
        assert_eq!(responses("/markup"), if value == "body" { 2 } else { 1 }, "{value}");
        assert_eq!(responses("/edited"), if value == "body" { 2 } else { 0 }, "{value}");
        assert_eq!(
            done.listed("/markup"),
            [("text/html".to_owned(), responses("/markup"))].into(),
            "{value}"
        );
        assert_eq!(done.verdicts()["/edited"], "near of /a", "{value}");
        let twin = match value {
            "nothing" => [].into(),
            _ => [("warc/revisit".to_owned(), 2)].into(),
        };
        assert_eq!(done.listed("/twin"), twin, "{value}");
        let index = done.index();
        done.read("rebuild", &[]);
        assert_eq!(done.index(), index, "{value}");
        done.verify();
    }
}

#[test]
fn runs_with_different_values_share_a_folder() {
    let mut done = finished("difference");
    let edits: Vec<Site> = VALUES
        .iter()
        .zip(10..)
        .map(|(_, seed)| Site::of([("/", page("Edition", &replaced(&words(1, 200), 90, 3, seed), NO_LINKS))]))
        .collect();
    for (value, edit) in VALUES.iter().zip(&edits) {
        done.crawl.change("storage.duplicates", format!("{value:?}"));
        done.crawl.add_seed(&edit.url("/"));
        done.crawl.run();
        done.verify();
    }
    let all = archived(&done.crawl.data());
    let counts = edits.iter().map(|site| {
        let page = all.get(&site.url("/")).cloned().unwrap_or_default();
        (page.responses.len(), page.duplicates.len())
    });
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [(0, 1), (1, 0), (0, 0)],
        "responses, records of a duplicate"
    );
    done.read("rebuild", &["--redecide"]);
    done.verify();
}
