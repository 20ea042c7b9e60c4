//! What was asked.

use std::collections::HashSet;
use std::time::Instant;

use crate::random::Random;

/// Counts of requests.
#[derive(Default)]
pub struct Tally {
    requests: u64,
    pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// The pages that were asked before the mark.
    before: HashSet<u64>,
    /// The pages that were asked since.
    since: HashSet<u64>,
    /// Pages that were asked on both sides of the mark.
    again: u64,
    marked_at: Option<Instant>,
    /// Milliseconds from the mark to the next request.
    first_ms: Option<u128>,
}

impl Tally {
    /// Notes a request.
    pub fn note(&mut self, host: u64, target: &str) {
        self.requests += 1;
        if let (Some(marked_at), None) = (self.marked_at, self.first_ms) {
            self.first_ms = Some(marked_at.elapsed().as_millis());
        }
        if target == "/robots.txt" || target == "/sitemap.xml" {
            return;
        }
        self.pages += 1;
        let key = key(host, target);
        if self.since.insert(key) && self.before.contains(&key) {
            self.again += 1;
        }
    }

    /// The answer at 127.0.0.1.
    pub fn control(&mut self, target: &str) -> Vec<u8> {
        if target == "/mark" {
            self.before.extend(self.since.drain());
            self.again = 0;
            self.marked_at = Some(Instant::now());
            self.first_ms = None;
        }
        let first_ms = self
            .first_ms
            .map_or("null".to_owned(), |milliseconds| milliseconds.to_string());
        let body = format!(
            "{{\"requests\":{},\"pages\":{},\"bytes\":{},\"again\":{},\"first_ms\":{first_ms}}}",
            self.requests, self.pages, self.bytes, self.again
        );
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
}

/// A page by 64 bits: that two of a million pages have the same is improbable.
fn key(host: u64, target: &str) -> u64 {
    let parts: Vec<u64> = target
        .as_bytes()
        .chunks(8)
        .map(|bytes| bytes.iter().fold(1, |number: u64, byte| number << 8 ^ u64::from(*byte)))
        .collect();
    Random::of(&[&[host], &parts[..]].concat()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_asked_on_both_sides_of_the_mark_counts_once() {
        let mut tally = Tally::default();
        tally.note(1, "/a");
        tally.note(1, "/b");
        tally.control("/mark");
        for target in ["/a", "/a", "/c", "/robots.txt"] {
            tally.note(1, target);
        }
        tally.note(2, "/b");
        assert_eq!((tally.requests, tally.pages, tally.again), (7, 6, 1));
        assert!(tally.first_ms.is_some());
    }
}
