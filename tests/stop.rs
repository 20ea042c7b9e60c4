//! A run ends when it is told to, whatever its servers and its pages do.

use std::process::Command;
use std::sync::Arc;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::hostile::{Act, Hostile};
use crate::support::outcomes::count;
use crate::support::page::{NO_LINKS, html, words};

/// A request may take so long that only an abandoned one lets a test end.
const TIMEOUT_MS: u64 = 3_600_000;

struct Held {
    crawl: Crawl,
    gate: Arc<Gate>,
    server: Hostile,
}

/// A crawl whose only page is not answered before the gate opens.
fn held() -> Held {
    let gate = Arc::new(Gate::closed());
    let waits = gate.clone();
    let body = html("A page", &words(1, 200), NO_LINKS);
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = Hostile::serving(move |path| match path {
        "/" => vec![Act::Await(waits.clone()), Act::Send(answer.clone().into_bytes())],
        _ => vec![Act::Send(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        )],
    });
    let crawl = Crawl::of(server.url("/")).set("fetch.timeout_ms", TIMEOUT_MS);
    Held { crawl, gate, server }
}

impl Held {
    /// The page is still queued, and the next run fetches it.
    fn goes_on(self) {
        let counts = self.crawl.report();
        assert_eq!(
            (count(&counts, "queued"), count(&counts, "fetched")),
            (1, 0),
            "{counts}"
        );
        self.gate.open();
        self.crawl.run().succeeded();
        assert_eq!(count(&self.crawl.report(), "kept"), 1);
        assert_eq!(self.server.times_asked()["/"], 2);
    }
}

#[test]
fn signals_end_a_run_whose_server_does_not_answer() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let held = held();
        let running = held.crawl.start();
        held.gate.wait_for_arrival();
        let sent = Command::new("kill")
            .args([signal, &running.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        running.wait().with_code(code);
        held.goes_on();
    }
}

#[test]
fn the_time_limit_ends_a_run_whose_server_does_not_answer() {
    let held = held();
    held.crawl.end(&["--max-duration", "1s"]).with_code(6);
    held.goes_on();
}
