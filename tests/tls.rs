//! TLS: what is wrong with a certificate has a name, authorities of one's own, and HTTP/2.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use axum::http::{Response, Version};
use rustls::ServerConfig;

use crate::support::certificates::{ALWAYS, Authority, self_signed};
use crate::support::crawl::Crawl;
use crate::support::heads::{HeadServer, page};
use crate::support::outcomes::{count, list};
use crate::support::page::{NO_LINKS, html, words};

/// A crawl that trusts the authority.
fn crawl_trusting(authority: &Authority, seed: String) -> Crawl {
    let crawl = Crawl::of(seed).set("fetch.extra_root_certificates", "\"roots.pem\"");
    std::fs::write(crawl.path("roots.pem"), &authority.pem).unwrap();
    crawl
}

fn served(config: Arc<ServerConfig>) -> HeadServer {
    HeadServer::tls(config, |head| match head.target.as_str() {
        "/robots.txt" => "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => page(&html("Page", &words(1, 120), NO_LINKS)),
    })
}

/// The kinds of all failures after the end of the crawl. The exit code shows whether the crawl has a page.
fn failures(crawl: &Crawl) -> Vec<String> {
    let ended = crawl.end(&[]);
    let report = crawl.report();
    ended.with_code(if count(&report, "kept") > 0 { 0 } else { 5 });
    assert_eq!(count(&report, "queued"), 0, "{report}");
    let failures = list(&report, "failures").iter();
    failures
        .map(|failure| failure["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_authority_of_ones_own_is_trusted_by_name_and_by_address() {
    let authority = Authority::new("Own");
    let server = served(authority.server(&["localhost", "127.0.0.1"], ALWAYS));
    for seed in [server.localhost_url("/"), server.url("/")] {
        let crawl = crawl_trusting(&authority, seed);
        assert_eq!(failures(&crawl), [""; 0]);
        assert_eq!(count(&crawl.report(), "kept"), 1);
    }
}

#[test]
fn what_is_wrong_with_a_certificate_is_a_failure_by_its_name_and_not_tried_again() {
    let authority = Authority::new("Own");
    let other = Authority::new("Other");
    let names = &["localhost"];
    for (server, kind) in [
        (authority.server(names, (2000, 2001)), "tls_expired"),
        (authority.server(names, (2800, 2801)), "tls_not_yet_valid"),
        (authority.server(&["other.example"], ALWAYS), "tls_wrong_host"),
        (other.server(names, ALWAYS), "tls_untrusted"),
        (self_signed(names), "tls_untrusted"),
    ] {
        let server = served(server);
        let crawl = crawl_trusting(&authority, server.localhost_url("/"));
        assert_eq!(failures(&crawl), [kind]);
        let report = crawl.report();
        assert!(
            list(&report, "failures")[0]["detail"]
                .as_str()
                .unwrap()
                .starts_with("TLS: ")
        );
        assert!(
            server.heads().is_empty(),
            "no request may be sent: {:?}",
            server.heads()
        );
    }
}

#[test]
fn a_handshake_that_fails_otherwise_is_a_failure_of_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            // A fatal alert, handshake_failure (RFC 8446, section 6).
            std::io::Write::write_all(&mut stream, &[21, 3, 3, 0, 2, 2, 40]).ok();
            std::io::Read::read(&mut stream, &mut [0; 1024]).ok();
        }
    });
    for robots in [true, false] {
        let crawl = Crawl::of(format!("https://localhost:{port}/")).set("politeness.robots", robots);
        assert_eq!(failures(&crawl), ["tls"], "robots = {robots}");
    }
}

#[test]
fn a_file_of_certificates_that_holds_none_ends_the_command() {
    let crawl = Crawl::of("http://127.0.0.1:1/").set("fetch.extra_root_certificates", "\"roots.pem\"");
    let complains = |reason| {
        let ended = crawl.end(&[]).with_code(2);
        ended.complains_of(&["test.toml, line ", ": fetch.extra_root_certificates", reason]);
    };
    complains("cannot be read");
    std::fs::write(crawl.path("roots.pem"), "no certificate").unwrap();
    complains("BEGIN CERTIFICATE");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    std::fs::write(crawl.path("roots.pem"), broken).unwrap();
    complains("holds an invalid certificate");
}

#[test]
fn a_server_that_speaks_http_2_is_spoken_to_in_http_2() {
    let authority = Authority::new("Own");
    let mut config = Arc::unwrap_or_clone(authority.server(&["localhost"], ALWAYS));
    config.alpn_protocols = vec![b"h2".to_vec()];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port();
    runtime.spawn(serve_http_2(listener, config, seen.clone()));

    let crawl = crawl_trusting(&authority, format!("https://localhost:{port}/"))
        .set("fetch.cookies", true)
        .set("fetch.headers.Accept-Language", "\"eo\"");
    assert_eq!(failures(&crawl), [""; 0]);
    assert_eq!(count(&crawl.report(), "kept"), 2);
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    let request = |path: &str| (path.to_owned(), "eo".to_owned());
    assert_eq!(seen, [request("/"), request("/a"), request("/robots.txt")]);
    runtime.shutdown_background();
}

/// Answers every request with a page that links to `/a`, and notes its path and language.
async fn serve_http_2(
    listener: tokio::net::TcpListener,
    config: ServerConfig,
    seen: Arc<Mutex<Vec<(String, String)>>>,
) {
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, seen) = (acceptor.clone(), seen.clone());
        tokio::spawn(async move {
            let stream = acceptor.accept(stream).await.unwrap();
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                assert_eq!(request.version(), Version::HTTP_2);
                let path = request.uri().path().to_owned();
                let language = request.headers()["accept-language"].to_str().unwrap().to_owned();
                let seed = path.len() as u64;
                let is_page = path != "/robots.txt";
                seen.lock().unwrap().push((path, language));
                let response = Response::builder()
                    .status(if is_page { 200 } else { 404 })
                    .header("content-type", "text/html");
                let mut body = respond.send_response(response.body(()).unwrap(), false).unwrap();
                let page = html(&format!("Page {seed}"), &words(seed, 120), &["/a"]);
                body.send_data(page.into(), true).unwrap();
            }
        });
    }
}
