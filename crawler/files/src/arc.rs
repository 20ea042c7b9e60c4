//! The documents of an ARC file, the format of the Internet Archive before WARC ("Arc File Format", 1996).
//!
//! A record is a line and a block. The line has the URL first, and the bytes of the block last; version 2 has more fields between them. The
//! first record (`filedesc:`) describes the file. The block of an HTTP URL is the response.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use super::batch::Batcher;
use super::body::Body;
use super::http::Head;
use super::limits::InputLimits;
use super::place::{At, Fault};
use super::records::{self, Outcome};
use super::walk::Source;

/// Longest line before a block, in bytes.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Reads `input`, which is decompressed, to its end.
pub(super) fn read(
    input: impl BufRead,
    source: &Source,
    limits: InputLimits,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut records = Records {
        input,
        offset: 0,
        is_lost: false,
        source,
        limit: limits.max_document_bytes,
    };
    records::read_all(|| records.next(), source, batcher)
}

struct Records<'a, R> {
    input: R,
    /// Of the next byte, in the decompressed file.
    offset: u64,
    /// The last line was none of a record, and a fault.
    is_lost: bool,
    source: &'a Source,
    limit: usize,
}

impl<R: BufRead> Records<'_, R> {
    fn next(&mut self) -> io::Result<Option<Outcome>> {
        let at = self.offset;
        let mut line = Vec::new();
        self.offset += (&mut self.input).take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? as u64;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            return Ok(Some(Outcome::Skipped));
        }
        let Some((url, length)) = fields(&line) else {
            let is_known = std::mem::replace(&mut self.is_lost, true);
            return Ok(Some(if is_known {
                Outcome::Skipped
            } else {
                Outcome::Fault(self.fault(at, "no record begins here; what follows is searched for the next one"))
            }));
        };
        self.is_lost = false;
        if !is_http(url) || length > self.limit as u64 {
            let skipped = io::copy(&mut (&mut self.input).take(length), &mut io::sink())?;
            self.offset += skipped;
            return Ok(Some(if is_http(url) {
                Outcome::Fault(Fault::too_long(self.source.place(At::Byte(at)), self.limit))
            } else {
                Outcome::Skipped
            }));
        }
        let mut block = Vec::new();
        self.offset += (&mut self.input).take(length).read_to_end(&mut block)? as u64;
        if (block.len() as u64) < length {
            return Ok(Some(Outcome::Fault(
                self.fault(at, "the record is cut: its block is shorter than its line says"),
            )));
        }
        Ok(Some(self.document(at, url, block)))
    }

    fn document(&self, at: u64, url: &str, block: Vec<u8>) -> Outcome {
        let Some(head) = Head::read(&block) else {
            return Outcome::Fault(self.fault(at, "its block is not an HTTP response"));
        };
        let Some(content) = records::response(&head, &block) else {
            return Outcome::Skipped;
        };
        Outcome::Document(Box::new(Body {
            place: self.source.place(At::Byte(at)),
            id: Some(url.to_owned()),
            url: Some(url.to_owned()),
            content_type: content.content_type,
            codings: content.codings,
            digest: None,
            head_bytes: content.head_bytes,
            bytes: block.into(),
        }))
    }

    fn fault(&self, offset: u64, reason: &str) -> Fault {
        Fault::new(self.source.place(At::Byte(offset)), reason)
    }
}

/// The URL and the length of the block in the line of a record.
fn fields(line: &str) -> Option<(&str, u64)> {
    const FEWEST: usize = 5;
    let (url, rest) = line.trim_end().split_once(' ')?;
    let length = rest.rsplit(' ').next()?.parse().ok()?;
    (url.contains(':') && rest.split(' ').count() + 1 >= FEWEST).then_some((url, length))
}

fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::is_arc;
    use crate::{Batch, Reading};

    fn record(url: &str, block: &str) -> String {
        format!("{url} 127.0.0.1 20050401120000 text/html {}\n{block}\n", block.len())
    }

    fn response(body: &str) -> String {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title><p>{body}</p>")
    }

    /// The URLs and texts, and the faults.
    fn read_all(file: &str, limit: usize) -> Vec<String> {
        let source = Source {
            name: "a.arc".into(),
            number: 0,
            origin: crate::walk::Origin::Stdin,
            bytes: Some(0),
        };
        let reading = Reading {
            limits: InputLimits {
                max_document_bytes: limit,
            },
            ..Reading::default()
        };
        let mut found = Vec::new();
        let mut deliver = |batch: Batch| {
            batch.documents(&reading, &mut |document| {
                found.push(match document {
                    Ok(document) => format!("{} {}", document.url.unwrap(), document.text),
                    Err(fault) => format!("! {}: {}", fault.place, fault.reason),
                });
            });
            ControlFlow::Continue(())
        };
        let mut batcher = Batcher::new(&mut deliver);
        assert!(read(file.as_bytes(), &source, reading.limits, &mut batcher).is_continue());
        assert!(batcher.flush().is_continue());
        found
    }

    #[test]
    fn the_pages_of_both_versions_are_documents() {
        let first = record(
            "filedesc://a.arc",
            "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n",
        );
        let second = "http://a.example/2 127.0.0.1 20050401120000 text/html 200 - - 1234 a.arc ";
        let block = response("two");
        let file = [
            first,
            record("dns:a.example", "20050401\na.example. 1 IN A 127.0.0.1"),
            record("http://a.example/", &response("one")),
            record("http://a.example/gone", "HTTP/1.0 404 Not Found\n\n<p>no</p>"),
            record(
                "http://a.example/p.png",
                "HTTP/1.0 200 OK\nContent-Type: image/png\n\nx",
            ),
            format!("{second}{}\n{block}\n", block.len()),
        ]
        .concat();
        assert!(is_arc(file.as_bytes()));
        assert_eq!(
            read_all(&file, 10_000),
            ["http://a.example/ one", "http://a.example/2 two"]
        );
    }

    #[test]
    fn a_damaged_record_costs_no_other() {
        let good = record("http://a.example/", &response("one"));
        for (bad, fault) in [
            ("not a record\nnor this\n".to_owned(), "no record begins here"),
            (record("http://a.example/x", "no response"), "not an HTTP response"),
            (
                record("http://a.example/x", &response(&"long ".repeat(100))),
                "longer than 300 bytes",
            ),
        ] {
            let found = read_all(&format!("{bad}{good}"), 300);
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(
                found[0].contains("a.arc:byte 0") && found[0].contains(fault),
                "{found:?}"
            );
            assert_eq!(found[1], "http://a.example/ one");
        }
        let cut = read_all(&good[..good.len() - 5], 300);
        assert!(cut.len() == 1 && cut[0].contains("the record is cut"), "{cut:?}");
    }
}
