//! Seeds files: the crawler reads them as a stream, whatever they contain.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{NO_LINKS, article, home, page, words};
use crate::support::process::{Running, crawler, run};
use crate::support::site::{Answer, Site};

/// Seeds that a pipe brings, so that the test decides when they end. The first page links to the host of the last seed.
#[test]
fn the_crawl_begins_with_the_first_seeds_and_knows_the_hosts_of_all_of_them() {
    let other = Site::of([("/last", article(900, NO_LINKS)), ("/linked", article(901, NO_LINKS))]);
    let linked = other.localhost_url("/linked");
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/0" => page("First", &words(0, 200), &[&linked]),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/unused")).set("politeness.parallel_per_host", 4);
    drop(crawl.command(&[]));
    let pipe = crawl.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = crawler(["run", "--seeds", "pipe", "--config", "test.toml", "--data", "data"]);
    let running = Running::start(command.current_dir(crawl.path("")));
    let mut seeds = File::options().write(true).open(&pipe).unwrap();
    for number in 0..1_500 {
        writeln!(seeds, "{}", site.url(&format!("/{number}"))).unwrap();
    }
    seeds.flush().unwrap();
    // robots.txt and the first page.
    site.wait_for_requests(2);
    writeln!(seeds, "{}", other.localhost_url("/last")).unwrap();
    drop(seeds);
    running.wait().succeeded();
    let mut of_other = other.paths();
    of_other.retain(|path| path.starts_with("/l"));
    of_other.sort();
    assert_eq!(of_other, ["/last", "/linked"]);
    assert_eq!(count(&crawl.report(), "discovered"), 1_502);
}

#[test]
fn seeds_that_are_known_are_not_added_again() {
    let site = Site::of([("/", home(NO_LINKS)), ("/a", article(1, NO_LINKS))]);
    let mut crawl = Crawl::of(site.url("/"));
    for _ in 0..2_500 {
        crawl.add_seed(&site.url("/a#again"));
    }
    crawl.run();
    crawl.run();
    assert_eq!(count(&crawl.report(), "discovered"), 2);
    assert_eq!(site.paths().iter().filter(|path| *path == "/a").count(), 1);
}

#[test]
fn many_bad_lines_are_a_few_warnings_and_a_number() {
    let site = Site::of([("/", home(NO_LINKS))]);
    let mut crawl = Crawl::of(site.url("/"));
    for number in 0..3_000 {
        crawl.add_seed(&format!("user:secret@host{number} \u{1b}]0;title\u{7}"));
    }
    let ended = crawl.run();
    assert!(ended.stderr.lines().count() < 12, "{}", ended.stderr);
    assert!(
        !ended.stderr.contains("secret") && !ended.stderr.contains('\u{1b}'),
        "{}",
        ended.stderr
    );
    let ended = ended.complains_of(&["line 2: skipped: ", "3,000 of 3,001 lines hold no seed"]);
    assert!(!ended.stderr.contains("line 8"), "{}", ended.stderr);
    let all = crawl.end(&["-v"]).succeeded();
    all.complains_of(&["line 2999: skipped: "]);
}

#[test]
fn a_crawl_without_a_page_ends_with_a_code_of_its_own() {
    let crawl = Crawl::of("http://127.0.0.1:1/").set("politeness.max_retries", 0);
    let ended = crawl.end(&["--quiet"]).with_code(5);
    ended
        .says(&["Finished", "still queued 1"])
        .complains_of(&["no seed led to a page"]);
    let site = Site::of([("/", Answer::status(404))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run_without_page().complains_of(&["1 URL failed"]);
    let site = Site::of([("/", home(NO_LINKS))]);
    let mut crawl = Crawl::of(site.url("/"));
    crawl.add_seed(&site.url("/missing"));
    crawl.run();
}

#[test]
fn a_url_on_the_command_line_is_a_seed() {
    let site = Site::of([("/", home(&["/a"])), ("/a", article(1, NO_LINKS))]);
    let folder = tempfile::tempdir().unwrap();
    // A program that people start with a URL, with and without the name of the command, in a folder without a configuration.
    for (data, begin) in [("one", &["run"][..]), ("two", &[])] {
        let url = site.url("/");
        let arguments = begin
            .iter()
            .copied()
            .chain([url.as_str(), "--allow-private", "--data", data]);
        let mut command = crawler(arguments.collect::<Vec<_>>());
        command
            .current_dir(folder.path())
            .env("CRAWLER_POLITENESS_DELAY_MS", "0");
        let ended = run(&mut command).succeeded();
        let settings = "the pages of this host, 0s or more between two requests to a host (from the built-in settings and --allow-private and CRAWLER_POLITENESS_DELAY_MS;";
        ended
            .says(&["Finished", "kept 2"])
            .complains_of(&[&format!("crawling {url} into the folder {data}: {settings}")]);
    }
}

#[test]
fn what_is_no_seed_on_the_command_line_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |arguments: &[&str], texts: &[&str]| {
        run(crawler(arguments.to_vec()).current_dir(folder.path()))
            .with_code(2)
            .complains_of(texts);
    };
    fails(&["run"], &["`crawler run https://example.org/`", "`crawler init URL`"]);
    fails(
        &["run", "localhost:80"],
        &["localhost:80", "no scheme; write https:// or http:// in front"],
    );
    fails(&["run", "nothing"], &["did you mean https://nothing ?"]);
    fs::write(folder.path().join("seeds.txt"), "https://example.org/").unwrap();
    fails(&["run"], &["`crawler run --seeds seeds.txt`"]);
    fails(&["run", "seeds.txt"], &["seeds.txt is a file", "--seeds seeds.txt"]);
    fails(&["seeds.txt"], &["unrecognized subcommand"]);
}

#[test]
fn each_seed_that_leads_to_no_page_is_named_with_its_cause() {
    let site = Site::of([
        ("/", home(&["/linked"])),
        ("/linked", Answer::status(403)),
        ("/refused", Answer::status(403)),
        ("/moved", Answer::redirect("/missing")),
        ("/missing", Answer::status(404)),
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /private")),
    ]);
    let mut crawl = Crawl::of(site.url("/"));
    for path in ["/refused", "/moved", "/private/a"] {
        crawl.add_seed(&site.url(path));
    }
    let ended = crawl.run();
    let line = |path: &str| {
        let begin = format!("  seed {}: ", site.url(path));
        ended
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix(&begin))
            .map(str::to_owned)
    };
    assert!(line("/refused").is_some_and(|line| line.contains("403") && line.contains("identity.contact_url")));
    assert!(line("/missing").is_some_and(|line| line.contains("404") && line.contains("Check the URL")));
    assert!(line("/private/a").is_some_and(|line| line.contains("robots.txt")));
    assert_eq!(line("/linked"), None);
    assert_eq!(ended.stdout.matches("  seed ").count(), 3, "{}", ended.stdout);
    // The report says what to do about a host that refuses.
    crawl
        .read("report", &[])
        .says(&["http_403: Refused: set identity.contact_url"]);
}

#[test]
fn a_seeds_file_of_another_kind_is_refused_with_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, kind) in [
        (&b"\xff\xfeh\0t\0"[..], "UTF-16"),
        (b"\x1f\x8b\x08\0", "compressed"),
        (b"\0\0\0\0", "no valid seed"),
    ] {
        fs::write(folder.path().join("seeds.txt"), bytes).unwrap();
        let ended = run(crawler(["run", "--seeds", "seeds.txt"]).current_dir(folder.path()));
        let ended = ended.with_code(2).complains_of(&["seeds.txt", kind]);
        assert!(!ended.stderr.contains('\0'), "{ended:?}");
    }
}

#[test]
fn the_urls_of_a_list_are_fetched_without_their_links() {
    let other = Site::of([("/moved-here", article(10, &["/never"]))]);
    let moved = other.localhost_url("/moved-here");
    let site = Site::of([
        ("/a", article(1, &["/linked"])),
        ("/b", Answer::redirect(&moved)),
        ("/c", article(3, &["/linked"])),
        ("/linked", article(4, NO_LINKS)),
        (
            "/sitemap.xml",
            Answer::xml("<urlset><url><loc>/linked</loc></url></urlset>"),
        ),
    ]);
    let crawl = Crawl::of(format!("only: {}", site.url("/a"))).set("politeness.guess_sitemap", true);
    fs::write(
        crawl.path("list.txt"),
        format!(
            "{}\nsitemap: {}\n{}\n",
            site.url("/b"),
            site.url("/sitemap.xml"),
            site.url("/c")
        ),
    )
    .unwrap();
    let ended = crawl.end(&["--urls", "list.txt"]).succeeded();
    ended.complains_of(&["list.txt, line 2: skipped: sitemap: ", "--seeds"]);
    assert_eq!(site.pages_asked(), ["/a", "/b", "/c"]);
    assert_eq!(other.pages_asked(), ["/moved-here"]);
    let alone = Crawl::of("");
    drop(alone.command(&[]));
    fs::write(alone.path("list.txt"), site.url("/a")).unwrap();
    let mut command = crawler(["run", "--urls", "list.txt", "--config", "test.toml", "--data", "data"]);
    run(command.current_dir(alone.path(""))).succeeded();
    assert_eq!(site.pages_asked(), ["/a", "/a", "/b", "/c"]);
    let mut refresh = crawler(["run", "--refresh", "--config", "test.toml", "--data", "data"]);
    refresh.args(["--refresh-as-of", "2100-01-01T00:00:00Z"]);
    run(refresh.current_dir(alone.path(""))).succeeded();
    assert_eq!(
        site.pages_asked(),
        ["/a", "/a", "/a", "/b", "/c"],
        "a refresh visits the page and nothing else"
    );
}

#[test]
fn the_urls_of_a_named_sitemap_are_fetched_if_they_are_in_the_scope() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text("User-agent: *\nDisallow: /private/\n"),
        "/maps/index.xml" => Answer::xml("<sitemapindex><sitemap><loc>/maps/one.xml</loc></sitemap></sitemapindex>"),
        "/maps/one.xml" => Answer::xml(
            "<urlset><url><loc>/a</loc></url><url><loc>http://other.example/</loc></url><url><loc>/b</loc></url></urlset>",
        ),
        "/a" => article(1, &["/c"]),
        "/b" => article(2, NO_LINKS),
        "/c" => article(3, NO_LINKS),
        _ => Answer::status(404),
    });
    let mut crawl = Crawl::of(format!("sitemap: {}", site.url("/maps/index.xml")));
    crawl.add_seed(&format!("sitemap: {}", site.url("/private/map.xml")));
    let ended = crawl.run();
    ended.complains_of(&["sitemap not read: robots.txt forbids it"]);
    let expected = ["/a", "/b", "/c", "/maps/index.xml", "/maps/one.xml"];
    assert_eq!(site.pages_asked(), expected);
    assert_eq!(site.paths()[0], "/robots.txt");
    crawl.run();
    assert_eq!(site.pages_asked(), expected, "nothing is fetched again");
    crawl.end(&["--refresh"]).succeeded();
    let times = site.times_asked();
    assert_eq!(
        (times["/maps/index.xml"], times["/a"]),
        (2, 1),
        "a refresh reads the sitemap again"
    );
}
