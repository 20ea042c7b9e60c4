//! Servers that are none.

use super::doing::{Harm, status};
use crate::support::hostile::Act;

#[test]
fn closes_every_connection() {
    let closing: Vec<Act> = Vec::new();
    let mut harm = Harm::of("a server that closes every connection");
    for number in 0..8 {
        harm = harm.also(&format!("/{number}"), closing.clone());
    }
    let done = harm
        .also("/", closing.clone())
        .also("/robots.txt", closing)
        .loses_its_host()
        .done();
    // Without a robots.txt nothing is fetched; its URLs stay queued, and whoever ran the crawl is told.
    assert!(!done.knows("/"), "{:?}", done.outcomes);
    assert!(done.said.contains(done.server.port()), "{}", done.said);
    assert!(
        done.server.times_asked()["/robots.txt"] <= 10,
        "{:?}",
        done.server.times_asked()
    );
}

#[test]
fn closes_every_connection_but_that_for_robots() {
    let mut harm = Harm::of("a server that closes every connection but that for robots.txt").also("/", []);
    harm = harm.also("/robots.txt", [status(404)]).set("politeness.max_retries", 2);
    let done = harm.leads_to("/", "failed interrupted").loses_its_host().done();
    assert!(done.server.times_asked()["/"] <= 10, "{:?}", done.server.times_asked());
}

#[test]
fn not_http() {
    let says = |bytes: &[u8]| [Act::Send(bytes.to_vec())];
    Harm::of("an answer that is not HTTP")
        .page("/ssh", says(b"SSH-2.0-OpenSSH_9.6\r\n"), "failed protocol")
        .page("/http-0.9", says(b"<html><body>hello</body></html>"), "failed protocol")
        .page("/garbage", says(&[0, 255, 1, 254].repeat(1_000)), "failed protocol")
        .page("/version", says(b"HTTP/9.9 200 OK\r\n\r\n"), "failed protocol")
        .page("/status", says(b"HTTP/1.1 99999 OK\r\n\r\n"), "failed protocol")
        .page("/tls", says(b"\x15\x03\x01\x00\x02\x02\x46"), "failed protocol")
        .page(
            "/switching",
            says(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
            "failed http_101",
        )
        .done();
}
