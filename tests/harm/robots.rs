//! robots.txt as a weapon.

use super::doing::{Harm, answer, plain, typed};
use crate::support::crawl::Crawl;
use crate::support::hostile::Act;
use crate::support::outcomes::{count, list};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

#[test]
fn without_end() {
    let head = answer("Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /forbidden\n");
    Harm::of("a robots.txt without end")
        .also("/robots.txt", [head, Act::Repeat(b"# and so on\n".repeat(1_000))])
        .page("/allowed", [plain(1)], "kept")
        .page("/forbidden", [plain(2)], "excluded robots.txt: Disallow: /forbidden")
        .done();
}

#[test]
fn half_a_megabyte_of_wildcards() {
    let rules: String = (0..22_500)
        .map(|number| format!("Disallow: /*aa*{number:05}b\n"))
        .collect();
    let rules = format!("User-agent: *\n{rules}Disallow: /*forbidden\n");
    assert!((480_000..512_000).contains(&rules.len()), "{}", rules.len());
    let mut harm =
        Harm::of("a robots.txt of half a megabyte of wildcard rules").also("/robots.txt", [typed("text/plain", rules)]);
    for number in 0..40 {
        let path = format!("/{number}{}", "a".repeat(2_000));
        harm = harm.page(&path, [plain(number)], "kept");
    }
    harm.page(
        &format!("/{}forbidden", "a".repeat(1_900)),
        [plain(50)],
        "excluded robots.txt: Disallow: /*forbidden",
    )
    .done();
}

#[test]
fn dripped() {
    let done = Harm::of("a robots.txt dripped a byte at a time")
        .also(
            "/robots.txt",
            [
                answer("Content-Type: text/plain\r\n", ""),
                Act::Drip(vec![b'#'; 10_000]),
            ],
        )
        .impatiently()
        .loses_its_host()
        .done();
    assert!(
        !done.knows("/"),
        "without robots.txt nothing is fetched: {:?}",
        done.outcomes
    );
}

#[test]
fn of_a_robots_txt_without_end_the_beginning_counts() {
    let rules = format!("User-agent: *\nDisallow: /a\n{}", "# and so on\n".repeat(100_000));
    for robots in [Answer::text(rules.clone()), Answer::text(rules).gzipped()] {
        let site = Site::of([
            ("/robots.txt", robots),
            ("/", home(&["/a", "/b"])),
            ("/a", article(1, NO_LINKS)),
            ("/b", article(2, NO_LINKS)),
        ]);
        let crawl = Crawl::of(site.url("/")).set("fetch.max_body_bytes", 100_000);
        crawl.run();
        assert!(!site.paths().contains(&"/a".to_owned()));
        assert_eq!(
            (count(&crawl.report(), "kept"), count(&crawl.report(), "excluded")),
            (2, 1)
        );
    }
}

#[test]
fn what_a_server_says_is_cut_before_it_is_stored() {
    let rules = format!("User-agent: *\nDisallow: /*{}\n", "*".repeat(15_000));
    let site = Site::of([("/robots.txt", Answer::text(rules)), ("/", home(&["/a"]))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run_without_page();
    let report = crawl.report();
    let reason = list(&report, "excluded")[0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("robots.txt: ") && reason.len() < 600,
        "{} bytes",
        reason.len()
    );
}
