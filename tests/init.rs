//! `crawler init`: the first seeds file and configuration, from what a site says about itself.

use std::fs;
use std::path::Path;

use crate::support::page::{NO_LINKS, article};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

fn site() -> Site {
    Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(
            "User-agent: *\nCrawl-delay: 2\nDisallow: /private/\nSitemap: /index.xml\nSitemap: http://other.example/s.xml\n",
        ),
        "/index.xml" => Answer::xml(
            "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>",
        ),
        "/one.xml" => Answer::xml(
            "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url><url><loc>/b#again</loc></url>\
             <url><loc>/private/c</loc></url><url><loc>http://other.example/d</loc></url></urlset>",
        ),
        "/" | "/a" => article(1, NO_LINKS),
        _ => Answer::status(404),
    })
}

/// `crawler init` in `folder`, without a delay between its requests. The Crawl-delay of a site still counts in the estimate.
fn init(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = crawler(["init"]);
    command
        .args(arguments)
        .env("CRAWLER_POLITENESS_DELAY_MS", "0")
        .current_dir(folder);
    run(&mut command)
}

#[test]
fn the_new_files_are_what_a_crawl_needs_and_the_size_of_the_site_is_told() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        &site.url("/"),
        "--allow-private",
        "--contact",
        "https://me.example/bot",
        "--folder",
        "new/crawl",
    ];
    let ended = init(folder.path(), &arguments).succeeded();
    ended.says(&[
        "robots.txt: found, with a crawl delay of 2s",
        "pages: 2, in 2 sitemaps",
        "not learned: the sitemap http://other.example/s.xml: it is on another host",
        "/gone.xml: HTTP status 404",
        "Known pages: 2 on 1 host. A polite crawl of them takes at least 4 s. The sites may have more pages.",
        "cd new/crawl && crawler run --seeds seeds.txt",
    ]);
    assert_eq!(site.paths(), ["/robots.txt", "/index.xml", "/one.xml", "/gone.xml"]);
    let agents: Vec<String> = site.requests().into_iter().map(|request| request.user_agent).collect();
    assert!(
        agents.iter().all(|agent| agent.ends_with("(+https://me.example/bot)")),
        "{agents:?}"
    );
    let new = folder.path().join("new/crawl");
    let seeds = fs::read_to_string(new.join("seeds.txt")).unwrap();
    assert!(
        seeds.contains("# pages: 2, in 2 sitemaps") && seeds.ends_with(&format!("\n{}\n", site.url("/"))),
        "{seeds}"
    );
    let check = run(crawler(["config", "check"]).current_dir(&new));
    check.succeeded().says(&["config.toml is valid."]);
    let crawl = run(crawler(["run", "--seeds", "seeds.txt", "--max-pages", "1"]).current_dir(&new));
    crawl.with_code(6);
}

#[test]
fn no_file_is_overwritten_without_force() {
    let site = site();
    for name in ["seeds.txt", "config.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, "# mine\n").unwrap();
        let url = site.url("/");
        init(folder.path(), &[&url, "--allow-private"])
            .with_code(2)
            .complains_of(&[name, "exists", "--force"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        init(folder.path(), &[&url, "--allow-private", "--force"]).succeeded();
        let config = fs::read_to_string(folder.path().join("config.toml")).unwrap();
        assert!(
            config.contains("\ndelay_ms = 0\n"),
            "the site has a private address: {config}"
        );
        assert_ne!(fs::read_to_string(&file).unwrap(), "# mine\n");
    }
}

#[test]
fn without_any_answer_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let ended = init(folder.path(), &["http://127.0.0.1:1/", "192.0.2.1"]).with_code(1);
    ended.complains_of(&[
        "http://127.0.0.1:1/\n  robots.txt: not learned: ",
        "nothing was written, because no site answered",
    ]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_one_of_several_sites_does_not_say_is_named() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let ended = init(
        folder.path(),
        &[&site.url("/"), "http://127.0.0.1:1/", "192.0.2.1", "--allow-private"],
    )
    .succeeded();
    ended.says(&[
        "http://127.0.0.1:1/\n  robots.txt: not learned: ",
        "pages: unknown",
        "Set contact_url in config.toml",
        "Start the crawl: crawler run --seeds seeds.txt",
    ]);
    let seeds = fs::read_to_string(folder.path().join("seeds.txt")).unwrap();
    assert!(
        seeds.contains("\nhttp://127.0.0.1:1/\n") && seeds.contains("\nhttps://192.0.2.1/\n"),
        "{seeds}"
    );
    assert!(folder.path().join("config.toml").is_file());
}

#[test]
fn an_argument_that_is_no_url_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (
            &["localhost"][..],
            "localhost: no scheme; did you mean https://localhost ?",
        ),
        (&["ftp://example.org/"], "the scheme ftp is not supported"),
        (
            &["http://127.0.0.1:1/", "--contact", "me"],
            "identity.contact_url = \"me\"",
        ),
    ] {
        init(folder.path(), arguments).with_code(2).complains_of(&[part]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
