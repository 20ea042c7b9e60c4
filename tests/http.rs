//! Requests as the operator wants them: cookies, passwords, header fields, a proxy; and redirects, of which none carries a
//! password further than it may go.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::support::certificates::{ALWAYS, Authority};
use crate::support::crawl::Crawl;
use crate::support::heads::{Head, HeadServer, answer, page, redirect};
use crate::support::outcomes::{count, expected, list};
use crate::support::page::{NO_LINKS, article, home, html, words};
use crate::support::site::{Answer, Site};

const V4: std::net::IpAddr = std::net::IpAddr::V4(Ipv4Addr::LOCALHOST);

fn article_html(seed: u64, links: &[&str]) -> String {
    html(&format!("Article {seed}"), &words(seed, 120), links)
}

/// `user:password` as `Basic` sends it: `reader:s3cret-word`.
const BASIC: &str = "Basic cmVhZGVyOnMzY3JldC13b3Jk";

fn credentials(host: &str) -> String {
    format!("[{{ host = \"{host}\", user = \"reader\", password = \"s3cret-word\" }}]")
}

#[test]
fn cookies_are_sent_back_only_by_choice() {
    let serve = || {
        HeadServer::at(V4, |head| match head.target.as_str() {
            "/" => answer(
                "200 OK",
                "Content-Type: text/html\r\nSet-Cookie: visit=1; Path=/\r\nSet-Cookie: deep=2; Path=/deep\r\n",
                &article_html(1, &["/a", "/deep/b"]),
            ),
            "/a" => page(&article_html(2, NO_LINKS)),
            "/deep/b" => page(&article_html(3, NO_LINKS)),
            _ => answer("404 Not Found", "", ""),
        })
    };
    let sent = |server: &HeadServer, path: &str| server.heads_of(path)[0].field("cookie").to_owned();
    let server = serve();
    Crawl::of(server.url("/")).run();
    assert_eq!(
        (sent(&server, "/a"), sent(&server, "/deep/b")),
        (String::new(), String::new())
    );
    let server = serve();
    let crawl = Crawl::of(server.url("/")).set("fetch.cookies", true);
    crawl.run();
    assert_eq!(sent(&server, "/"), "");
    assert_eq!(sent(&server, "/a"), "visit=1");
    assert_eq!(sent(&server, "/deep/b"), "deep=2; visit=1");
}

#[test]
fn a_part_of_a_page_is_no_page() {
    let part = |range: &'static str| {
        let body = article_html(1, NO_LINKS);
        let range = range.replace("LAST", &(body.len() - 1).to_string());
        let range = range.replace("ALL", &body.len().to_string());
        Answer::partial(body)
            .with("content-type", "text/html")
            .with("content-range", &range)
    };
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/whole", "/part", "/middle"]),
        "/whole" => part("bytes 0-LAST/ALL"),
        "/part" => part("bytes 0-LAST/999999"),
        "/middle" if asked.times == 1 => part("bytes 1000-2000/ALL"),
        "/middle" => article(2, NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let all = expected([
        ("/", "kept"),
        ("/whole", "kept"),
        ("/part", "failed partial"),
        ("/middle", "kept"),
    ]);
    assert_eq!(crawl.outcomes(&site), all);
}

#[test]
fn a_page_that_redirects_to_itself_until_its_cookie_comes_back_is_had_with_cookies_alone() {
    let crawl_of = |answers_to_cookie: bool| {
        let server = HeadServer::at(V4, move |head| match head.target.as_str() {
            "/" if answers_to_cookie && head.field("cookie") == "seen=1" => page(&article_html(1, NO_LINKS)),
            "/" => answer("302 Found", "Location: /\r\nSet-Cookie: seen=1\r\n", ""),
            _ => answer("404 Not Found", "", ""),
        });
        let crawl = Crawl::of(server.url("/")).set("fetch.max_redirects", 4);
        (server, crawl)
    };
    let kind = |crawl: &Crawl| {
        list(&crawl.report(), "failures")[0]["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (server, crawl) = crawl_of(true);
    crawl.run_without_page();
    assert_eq!(
        (kind(&crawl).as_str(), server.heads_of("/").len()),
        ("redirect_loop", 1)
    );
    let (server, crawl) = crawl_of(true);
    crawl.set("fetch.cookies", true).run();
    assert_eq!(server.heads_of("/").len(), 2);
    let (server, crawl) = crawl_of(false);
    let crawl = crawl.set("fetch.cookies", true);
    crawl.run_without_page();
    assert_eq!(
        (kind(&crawl).as_str(), server.heads_of("/").len()),
        ("redirect_loop", 2),
        "the same cookie again changes nothing"
    );
}

/// A crawl of a site whose page leads to other URLs and back. `answers` gives the status and the fields of a path by its cookies.
fn bounced(
    cookies: bool,
    answers: impl Fn(&str, &str) -> Option<(&'static str, String)> + Send + Sync + 'static,
) -> (HeadServer, BTreeMap<String, String>) {
    let server = HeadServer::at(V4, move |head| match head.target.as_str() {
        "/" => page(&article_html(1, &["/page"])),
        "/robots.txt" => answer("404 Not Found", "", ""),
        path => match answers(path, head.field("cookie")) {
            Some((status, fields)) => answer(status, &fields, ""),
            None => page(&article_html(2, NO_LINKS)),
        },
    });
    let crawl = Crawl::of(server.url("/")).set("fetch.cookies", cookies);
    crawl.run();
    let outcomes = crate::support::outcomes::outcomes_at(&crawl.report(), server.url("").trim_end_matches('/'));
    (server, outcomes.into_iter().collect())
}

#[test]
fn a_page_that_leads_to_its_cookie_and_back_is_had_with_cookies_alone() {
    let found = |to: &str| Some(("302 Found", format!("Location: {to}\r\n")));
    let set = |to: &str, cookie: &str| Some(("302 Found", format!("Location: {to}\r\nSet-Cookie: {cookie}\r\n")));
    let once = move |path: &str, cookie: &str| match path {
        "/page" if cookie == "s=1" => None,
        "/page" => found("/setc?ret=/page"),
        _ => set("/page", "s=1; Path=/"),
    };
    let times = |server: &HeadServer, path: &str| server.heads_of(path).len();
    let (server, outcomes) = bounced(true, once);
    assert_eq!((outcomes["/page"].as_str(), times(&server, "/page")), ("kept", 2));
    assert_eq!(outcomes["/setc?ret=/page"], "redirect to /page");
    let (server, outcomes) = bounced(false, once);
    assert_eq!(
        (outcomes["/setc?ret=/page"].as_str(), times(&server, "/page")),
        ("failed redirect_loop", 1)
    );

    // Over three URLs, with a cookie at each.
    let (_, outcomes) = bounced(true, move |path, cookie| match path {
        "/page" if cookie.contains("a=1") && cookie.contains("b=2") => None,
        "/page" => found("/a"),
        "/a" => set("/b", "a=1; Path=/"),
        _ => set("/page", "b=2; Path=/"),
    });
    assert_eq!(outcomes["/page"], "kept");

    // The page sets the cookie itself, and leads to a URL that checks it.
    let (_, outcomes) = bounced(true, move |path, cookie| match path {
        "/page" if cookie == "s=1" => None,
        "/page" => set("/check", "s=1; Path=/"),
        _ => found("/page"),
    });
    assert_eq!(outcomes["/page"], "kept");

    // Two bounces, one after the other.
    let (_, outcomes) = bounced(true, move |path, cookie| match (path, cookie) {
        ("/page", "") => found("/one"),
        ("/page", "a=1") => found("/two"),
        ("/page", _) => None,
        ("/one", _) => set("/page", "a=1; Path=/"),
        _ => set("/page", "b=2; Path=/"),
    });
    assert_eq!(outcomes["/page"], "kept");

    // By a page that refreshes.
    let (_, outcomes) = bounced(true, move |path, cookie| match path {
        "/page" if cookie == "s=1" => None,
        "/page" => found("/setc"),
        _ => Some((
            "200 OK",
            "Content-Type: text/html\r\nRefresh: 0; url=/page\r\nSet-Cookie: s=1; Path=/\r\n".to_owned(),
        )),
    });
    assert_eq!(outcomes["/page"], "kept");
}

#[test]
fn a_loop_that_sets_cookies_ends() {
    let set = |to: &str, cookie: &str| Some(("302 Found", format!("Location: {to}\r\nSet-Cookie: {cookie}\r\n")));
    // The same cookie every time.
    let (server, outcomes) = bounced(true, move |path, _| match path {
        "/page" => set("/setc", "s=1; Path=/"),
        _ => set("/page", "s=1; Path=/"),
    });
    let failed = |outcomes: &BTreeMap<String, String>, kind: &str| outcomes.values().any(|outcome| outcome == kind);
    assert!(failed(&outcomes, "failed redirect_loop"), "{outcomes:?}");
    assert!(server.heads().len() <= 8, "{} requests", server.heads().len());
    // Another cookie every time.
    let count = std::sync::atomic::AtomicU64::new(0);
    let (server, outcomes) = bounced(true, move |path, _| {
        let cookie = format!("s={}; Path=/", count.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        match path {
            "/page" => set("/setc", &cookie),
            _ => set("/page", &cookie),
        }
    });
    assert!(failed(&outcomes, "failed too_many_redirects"), "{outcomes:?}");
    assert!(server.heads().len() <= 30, "{} requests", server.heads().len());
}

#[test]
fn extra_headers_go_with_every_request() {
    let server = HeadServer::at(V4, |head| match head.target.as_str() {
        "/" => page(&article_html(1, NO_LINKS)),
        _ => answer("404 Not Found", "", ""),
    });
    let crawl = Crawl::of(server.url("/"))
        .set("fetch.headers.Accept-Language", "\"de, en;q=0.5\"")
        .set("fetch.headers.accept", "\"text/html\"");
    crawl.run();
    let heads = server.heads();
    assert_eq!(heads.len(), 2, "robots.txt and the page: {heads:?}");
    for head in heads {
        assert_eq!(head.field("accept-language"), "de, en;q=0.5");
        assert_eq!(head.field("accept"), "text/html");
        assert!(head.field("user-agent").starts_with("crawler/"), "{head:?}");
        assert!(head.field("accept-encoding").contains("gzip"), "{head:?}");
    }
}

#[test]
fn headers_and_credentials_that_cannot_be_used_end_the_command_with_advice() {
    for (key, value, parts) in [
        (
            "fetch.headers.Cookie",
            "\"a=s3cret\"",
            ["fetch.headers = \"Cookie\"", "fetch.cookies"],
        ),
        (
            "fetch.headers.Authorization",
            "\"s3cret\"",
            ["fetch.headers = \"Authorization\"", "fetch.credentials"],
        ),
        (
            "fetch.headers.Connection",
            "\"s3cret\"",
            ["fetch.headers", "the HTTP client sets it for each connection"],
        ),
        (
            "fetch.headers.X-Key",
            "\"s3cret\\r\\nHost: x\"",
            ["fetch.headers = \"X-Key\"", "line break"],
        ),
        ("fetch.proxy", "\"ftp://me:s3cret@proxy\"", ["fetch.proxy", "socks5://"]),
        (
            "fetch.credentials",
            "[{ host = \"a/b\", user = \"u\", password = \"s3cret\" }]",
            ["fetch.credentials", "host for https"],
        ),
        (
            "fetch.credentials",
            "[{ host = \"a\", user = \"u\" }]",
            ["fetch.credentials", "password_env"],
        ),
        (
            "fetch.credentials",
            "[{ host = \"a\", user = \"u\", password_env = \"CRAWLER_TEST_NOT_SET\" }]",
            ["CRAWLER_TEST_NOT_SET", "set that environment variable"],
        ),
        (
            "fetch.credentials",
            "[{ host = \"a\", user = \"u\", pasword = \"s3cret\" }]",
            ["test.toml, line", "pasword"],
        ),
    ] {
        let crawl = Crawl::of("http://127.0.0.1:1/").set(key, value);
        let ended = crawl.end(&[]).with_code(2).complains_of(&parts);
        assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
        assert!(!crawl.data().exists());
    }
}

#[test]
fn a_password_goes_to_its_origin_alone_whatever_redirects_and_links_there_are() {
    let other = HeadServer::at(V4, |head| match head.target.as_str() {
        "/elsewhere" => page(&article_html(9, NO_LINKS)),
        _ => answer("404 Not Found", "", ""),
    });
    let elsewhere = other.url("/elsewhere");
    let with_userinfo = other.url("/linked").replace("http://", "http://reader:s3cret-word@");
    let (to, link) = (elsewhere.clone(), with_userinfo.clone());
    let server = HeadServer::at(V4, move |head| match head.target.as_str() {
        "/" | "/a" if head.field("authorization") != BASIC => {
            answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", "")
        }
        "/" => page(&article_html(1, &["/a", "/moved", &link])),
        "/a" => page(&article_html(2, NO_LINKS)),
        "/moved" => redirect(&to),
        _ => answer("404 Not Found", "", ""),
    });
    let mut crawl = Crawl::of(server.url("/")).set("fetch.credentials", credentials(&server.origin()));
    crawl.add_seed(&other.url("/"));
    // The same server by another name is another origin.
    crawl.add_seed(&server.localhost_url("/"));
    let mut command = crawl.command(&[]);
    let ended = crate::support::process::run(command.env("RUST_LOG", "trace")).succeeded();
    for text in [&ended.stdout, &ended.stderr] {
        assert!(
            !text.contains("s3cret-word") && !text.contains(&BASIC[6..]),
            "a password was logged"
        );
    }
    let kept: Vec<String> = crawl
        .export()
        .iter()
        .map(|page| page["url"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        kept.contains(&server.url("/a")) && kept.contains(&elsewhere),
        "{kept:?}"
    );
    for head in server.heads() {
        let expected = if head.field("host").starts_with("127.0.0.1") {
            BASIC
        } else {
            ""
        };
        assert_eq!(head.field("authorization"), expected, "{head:?}");
    }
    assert!(!other.heads().is_empty());
    for head in other.heads() {
        assert_eq!(head.field("authorization"), "", "{head:?}");
    }
    let failed = crawl.report();
    let kinds: Vec<&str> = list(&failed, "failures")
        .iter()
        .map(|failure| failure["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"http_401"), "{failed}");
}

#[test]
fn a_password_from_the_environment_goes_by_https() {
    let authority = Authority::new("Own");
    let server = HeadServer::tls(authority.server(&["localhost"], ALWAYS), |head| {
        match head.target.as_str() {
            "/" if head.field("authorization") == BASIC => page(&article_html(1, NO_LINKS)),
            "/" => answer("401 Unauthorized", "", ""),
            _ => answer("404 Not Found", "", ""),
        }
    });
    let url = server.localhost_url("/");
    let host = url.strip_prefix("https://").unwrap().trim_end_matches('/');
    let value = format!("[{{ host = \"{host}\", user = \"reader\", password_env = \"CRAWLER_TEST_PASSWORD\" }}]");
    let crawl = Crawl::of(&url)
        .set("fetch.extra_root_certificates", "\"roots.pem\"")
        .set("fetch.credentials", value);
    std::fs::write(crawl.path("roots.pem"), &authority.pem).unwrap();
    let mut command = crawl.command(&[]);
    crate::support::process::run(command.env("CRAWLER_TEST_PASSWORD", "s3cret-word")).succeeded();
    assert_eq!(count(&crawl.report(), "kept"), 1, "{}", crawl.report());
}

#[test]
fn pages_at_an_ipv6_address_are_fetched() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return;
    }
    let server = HeadServer::at(Ipv6Addr::LOCALHOST.into(), |head| match head.target.as_str() {
        "/" => page(&article_html(1, &["/a", "b"])),
        "/a" | "/b" => page(&article_html(u64::from(head.target.as_bytes()[1]), NO_LINKS)),
        _ => answer("404 Not Found", "", ""),
    });
    assert!(server.url("/").starts_with("http://[::1]:"));
    let crawl = Crawl::of(server.url("/"));
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 3, "{}", crawl.report());
    assert!(server.heads()[0].field("host").starts_with("[::1]:"));
    let strict = Crawl::of(server.url("/")).set("fetch.allow_private_addresses", false);
    strict.run_without_page();
    assert_eq!(list(&strict.report(), "failures")[0]["kind"], "forbidden_address");
}

#[test]
fn a_longer_circle_of_redirects_is_found() {
    let site = Site::of([
        ("/", home(&["/a", "/ok"])),
        ("/a", Answer::redirect("/b")),
        ("/b", Answer::redirect("/c")),
        ("/c", Answer::redirect("/a")),
        ("/ok", Answer::redirect("/ok2")),
        ("/ok2", Answer::redirect("/page")),
        ("/page", article(1, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/a", "redirect to /b"),
            ("/b", "redirect to /c"),
            ("/c", "failed redirect_loop"),
            ("/ok", "redirect to /ok2"),
            ("/ok2", "redirect to /page"),
            ("/page", "kept"),
        ])
    );
    assert!(site.times_asked().values().all(|&times| times == 1));
}

#[test]
fn redirects_to_files_and_forbidden_addresses_lead_nowhere() {
    let site = Site::of([
        ("/file", Answer::redirect("file:///etc/passwd")),
        ("/data", Answer::redirect("data:text/html,x")),
        (
            "/metadata",
            Answer::redirect("http://169.254.169.254/latest/meta-data/"),
        ),
        ("/hexadecimal", Answer::redirect("http://0xa9fea9fe/x")),
    ]);
    let mut crawl = Crawl::of(site.url("/file"));
    for path in ["/data", "/metadata", "/hexadecimal"] {
        crawl.add_seed(&site.url(path));
    }
    crawl.run_without_page();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/file", "failed bad_redirect"),
            ("/data", "failed bad_redirect"),
            ("/metadata", "redirect to http://169.254.169.254/latest/meta-data/"),
            ("/hexadecimal", "redirect to http://169.254.169.254/x"),
            ("http://169.254.169.254/latest/meta-data/", "failed forbidden_address"),
            ("http://169.254.169.254/x", "failed forbidden_address"),
        ])
    );
}

/// A proxy that answers for every host, and keeps what it was asked.
fn http_proxy() -> HeadServer {
    HeadServer::at(V4, |head| match head.target.as_str() {
        "http://site.example/" => page(&article_html(1, &["/a"])),
        "http://site.example/a" => page(&article_html(2, NO_LINKS)),
        _ => answer("404 Not Found", "", ""),
    })
}

#[test]
fn all_requests_go_through_the_proxy_and_the_address_policy_still_sees_literals() {
    let proxy = http_proxy();
    let mut crawl = Crawl::of("http://site.example/").set("fetch.allow_private_addresses", false);
    crawl.add_seed("http://127.0.0.1/private");
    let url = proxy.origin().replace("http://", "http://me:s3cret-word@");
    crawl.change("fetch.proxy", format!("{url:?}"));
    let ended = crawl.end(&[]).succeeded();
    let ended = ended.complains_of(&["resolves names itself", "socks5://"]);
    assert!(!ended.stderr.contains("s3cret-word"), "{}", ended.stderr);
    let report = crawl.report();
    assert_eq!(count(&report, "kept"), 2, "{report}");
    assert_eq!(list(&report, "failures")[0]["kind"], "forbidden_address");
    let heads: Vec<Head> = proxy.heads();
    let targets: Vec<&str> = heads.iter().map(|head| head.target.as_str()).collect();
    assert_eq!(
        targets,
        [
            "http://site.example/robots.txt",
            "http://site.example/",
            "http://site.example/a"
        ]
    );
    assert!(
        heads
            .iter()
            .all(|head| head.field("proxy-authorization").starts_with("Basic "))
    );
}

#[test]
fn behind_a_socks5_proxy_names_are_resolved_here_under_the_address_policy() {
    let server = HeadServer::at(V4, |head| match head.target.as_str() {
        "/" => page(&article_html(1, NO_LINKS)),
        _ => answer("404 Not Found", "", ""),
    });
    let asked = Arc::new(Mutex::new(Vec::new()));
    let proxy = socks5_proxy(asked.clone());
    let crawl = Crawl::of(server.localhost_url("/")).set("fetch.proxy", format!("\"socks5://{proxy}\""));
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 1, "{}", crawl.report());
    let connected = asked.lock().unwrap().len();
    assert!(connected >= 2, "robots.txt and the page: {connected}");

    let strict = Crawl::of(server.localhost_url("/"))
        .set("fetch.proxy", format!("\"socks5://{proxy}\""))
        .set("fetch.allow_private_addresses", false)
        .set("politeness.retry_delay_ms", 1)
        .set("politeness.max_retries", 0);
    let ended = strict.run_without_page();
    assert!(!ended.stderr.contains("resolves names itself"), "{}", ended.stderr);
    assert_eq!(count(&strict.report(), "kept"), 0);
    assert_eq!(
        asked.lock().unwrap().len(),
        connected,
        "localhost must not be connected to"
    );
}

/// A proxy of RFC 1928 without authentication, for IPv4 addresses alone; notes the ports it connects to.
fn socks5_proxy(asked: Arc<Mutex<Vec<u16>>>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let asked = asked.clone();
            thread::spawn(move || socks5_connection(stream, &asked));
        }
    });
    address
}

fn socks5_connection(mut client: TcpStream, asked: &Mutex<Vec<u16>>) -> Option<()> {
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting).ok()?;
    client.read_exact(&mut vec![0; usize::from(greeting[1])]).ok()?;
    client.write_all(&[5, 0]).ok()?;
    let mut request = [0; 10];
    client.read_exact(&mut request).ok()?;
    assert_eq!(request[..4], [5, 1, 0, 1], "CONNECT to an IPv4 address");
    let address = Ipv4Addr::new(request[4], request[5], request[6], request[7]);
    let port = u16::from_be_bytes([request[8], request[9]]);
    asked.lock().unwrap().push(port);
    let mut server = TcpStream::connect((address, port)).ok()?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).ok()?;
    let (mut from_client, mut to_server) = (client.try_clone().ok()?, server.try_clone().ok()?);
    thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
    std::io::copy(&mut server, &mut client).ok()?;
    client.shutdown(std::net::Shutdown::Both).ok()
}

#[test]
fn fields_of_the_configuration_are_not_kept_with_the_pages() {
    let site = Site::of([("/", article(1, NO_LINKS))]);
    let crawl = Crawl::of(site.url("/"))
        .set("fetch.credentials", credentials(&site.url("")))
        .set("fetch.headers.X-Key", "\"s3cret-key\"");
    crawl.run();
    let archived = crate::support::archive::archived(&crawl.data());
    let bytes: BTreeMap<_, String> = archived
        .into_iter()
        .map(|(url, page)| (url, format!("{page:?}")))
        .collect();
    assert_eq!(bytes.len(), 1);
    assert!(
        bytes
            .values()
            .all(|text| !text.contains("s3cret") && !text.contains("Basic "))
    );
}
