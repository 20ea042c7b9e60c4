//! The contents of the WARC files, read by the reader of this crate.

use std::fs::File;
use std::io::Cursor;

use storage::cdxj;
use storage::warc::{
    Capture, Compression, Record, RefersTo, RevisitCapture, RevisitProfile, WarcReader, payload_digest,
};
use storage::{OpenOptions, Outcome, QueuedUrl, Rebuild, Store, Verdict, Visit};

use super::support::*;

fn records(bytes: Vec<u8>) -> Vec<Record> {
    WarcReader::new(Cursor::new(bytes))
        .map(|record| record.unwrap().unwrap().record)
        .collect()
}

/// The records of one capture, in the order of the file.
fn encoded(capture: &Capture<'_>) -> Vec<Record> {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap().remove(0);
    let capture = Some(capture.encode(Compression::default()).unwrap());
    store
        .finish(
            &queued,
            Outcome::Page {
                draft: Box::new(draft(Verdict::Unique)),
                capture,
            },
            &[],
        )
        .unwrap();
    store.commit().unwrap();
    records(std::fs::read(only_warc(dir.path())).unwrap())
}

fn plain<'a>(url: &'a str, headers: Vec<(&'a str, &'a [u8])>, payload: &'a [u8]) -> Capture<'a> {
    let (fetched_at, status, reason) = (NOW_MS, 200, "OK");
    Capture {
        url,
        fetched_at,
        ip: None,
        request: None,
        status,
        reason,
        headers,
        payload,
        truncated: None,
        rendered: None,
        text: "text",
    }
}

#[test]
fn a_file_begins_with_warcinfo_and_has_the_records_of_each_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for queued in store.discover(&[link("h", "a"), link("h", "b")]).unwrap() {
        store.finish(&queued, kept(&queued), &[]).unwrap();
    }
    store.commit().unwrap();
    let path = only_warc(dir.path());
    assert_eq!(path.file_name().unwrap(), "crawl-20260321093000-00000.warc.gz");
    let records: Vec<_> = WarcReader::new(File::open(path).unwrap())
        .map(|record| record.unwrap().unwrap())
        .collect();
    let kinds: Vec<_> = records.iter().map(|located| located.record.kind()).collect();
    assert_eq!(
        kinds,
        [
            "warcinfo",
            "request",
            "response",
            "conversion",
            "metadata",
            "request",
            "response",
            "conversion",
            "metadata"
        ]
    );
    let page = store.page(2).unwrap().unwrap();
    let places: Vec<_> = records.iter().map(|located| (located.offset, located.length)).collect();
    assert_eq!(places[6], page.response.map(|at| (at.offset, at.length)).unwrap());
    assert_eq!(places[7], page.text.map(|at| (at.offset, at.length)).unwrap());
    let [request, response, text] = [5, 6, 7].map(|at: usize| &records[at].record);
    let id = response.field("WARC-Record-ID");
    assert_eq!(
        (text.field("WARC-Refers-To"), request.field("WARC-Concurrent-To")),
        (id, id)
    );
    assert_eq!(response.field("WARC-Target-URI"), Some("https://h/b"));
    assert_eq!(response.field("WARC-Date"), Some("2026-03-21T09:30:00.125Z"));
    assert_eq!(response.field("WARC-IP-Address"), Some("192.0.2.7"));
    assert_eq!(text.field("WARC-IP-Address"), None);
}

#[test]
fn the_http_header_agrees_with_the_decoded_payload() {
    let headers: Vec<(&str, &[u8])> = vec![
        ("content-type", b"text/html"),
        ("content-encoding", b"gzip"),
        ("transfer-encoding", b"chunked"),
        ("content-length", b"7"),
    ];
    let response = &encoded(&plain("https://h/a", headers, b"decoded body"))[1];
    let head = String::from_utf8_lossy(&response.block).into_owned();
    assert_eq!(
        head,
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nX-Crawler-content-encoding: gzip\r\n\
         X-Crawler-transfer-encoding: chunked\r\nX-Crawler-content-length: 7\r\nContent-Length: 12\r\n\r\ndecoded body"
    );
}

#[test]
fn a_content_length_that_is_right_stays_and_a_second_one_does_not() {
    let headers: Vec<(&str, &[u8])> = vec![("Content-Length", b"4"), ("Content-Length", b"4")];
    let response = &encoded(&plain("https://h/a", headers, b"body"))[1];
    assert_eq!(
        response.block,
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Crawler-Content-Length: 4\r\n\r\nbody"
    );
}

#[test]
fn no_line_break_of_a_server_reaches_a_header() {
    let evil = "https://h/a\r\nWARC-Type: warcinfo\r\n\r\nWARC/1.1";
    let headers: Vec<(&str, &[u8])> = vec![("x\r\nSet-Cookie", b"1\r\n\r\n<script>"), ("y", b"\n\r\0z")];
    let capture = Capture {
        reason: "OK\r\nEvil: 1",
        ..plain(evil, headers, b"body")
    };
    let records = encoded(&capture);
    assert_eq!(records.len(), 4);
    assert_eq!(records[1].kind(), "response");
    assert_eq!(
        records[1].field("WARC-Target-URI"),
        Some("https://h/a%0D%0AWARC-Type:%20warcinfo%0D%0A%0D%0AWARC/1.1")
    );
    assert_eq!(
        records[1].block,
        b"HTTP/1.1 200 OK  Evil: 1\r\nx  Set-Cookie: 1    <script>\r\ny:    z\r\nContent-Length: 4\r\n\r\nbody"
    );
}

#[test]
fn files_are_rolled_by_size_and_pages_found_in_each() {
    let dir = tempfile::tempdir().unwrap();
    let rolled = OpenOptions {
        roll_bytes: 3_000,
        ..options()
    };
    let links: Vec<_> = (0..20).map(|n| link("h", &n.to_string())).collect();
    let mut store = Store::open(dir.path(), &rolled).unwrap();
    let queued = store.discover(&links).unwrap();
    for queued in &queued[..10] {
        store.finish(queued, kept(queued), &[]).unwrap();
    }
    store.commit().unwrap();
    drop(store);
    let mut store = Store::open(dir.path(), &rolled).unwrap();
    for queued in &queued[10..] {
        store.finish(queued, kept(queued), &[]).unwrap();
        store.commit().unwrap();
    }
    assert_sound(&store);
    let mut kinds = Vec::new();
    for entry in std::fs::read_dir(dir.path().join("warc")).unwrap() {
        let records = records(std::fs::read(entry.unwrap().path()).unwrap());
        assert_eq!(records[0].kind(), "warcinfo");
        kinds.extend(records.iter().map(|record| record.kind().to_owned()));
    }
    let count = |kind| kinds.iter().filter(|have| *have == kind).count();
    assert!(count("warcinfo") > 3);
    assert_eq!((count("response"), count("conversion")), (20, 20));
}

#[test]
fn a_damaged_record_is_reported_once_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for queued in store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap()
    {
        store.finish(&queued, kept(&queued), &[]).unwrap();
    }
    store.commit().unwrap();
    let path = only_warc(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let place = store.page(2).unwrap().unwrap().response.unwrap();
    for (flipped, expected) in [(0, "decompressed"), (40, ""), (place.length - 6, "decompressed")] {
        let mut bytes = whole.clone();
        bytes[(place.offset + flipped) as usize] ^= 0x40;
        let (mut read, mut damaged) = (0, Vec::new());
        for record in WarcReader::new(Cursor::new(bytes)) {
            match record.unwrap() {
                Ok(_) => read += 1,
                Err(stretch) => damaged.push(stretch),
            }
        }
        assert_eq!((read, damaged.len()), (12, 1), "{damaged:?}");
        assert_eq!(damaged[0].offset, place.offset);
        assert!(damaged[0].reason.contains(expected), "{}", damaged[0]);
    }
}

#[test]
fn a_truncated_payload_is_marked_and_its_digest_covers_the_stored_bytes() {
    use storage::warc::Truncation;
    for (truncated, word) in [
        (None, None),
        (Some(Truncation::Length), Some("length")),
        (Some(Truncation::Time), Some("time")),
        (Some(Truncation::Disconnect), Some("disconnect")),
    ] {
        let capture = Capture {
            truncated,
            ..plain("https://h/a", vec![], b"begin")
        };
        let response = &encoded(&capture)[1];
        assert_eq!(response.field("WARC-Truncated"), word);
        let digest = storage::warc::shown_digest(&storage::warc::payload_digest(b"begin"));
        assert_eq!(response.field("WARC-Payload-Digest"), Some(&*digest));
    }
}

#[test]
fn warcinfo_has_the_callers_fields_one_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let described = OpenOptions {
        warcinfo: vec![
            ("robots", "obey".to_owned()),
            ("http-header-user-agent", "x\r\nevil: 1".to_owned()),
        ],
        ..options()
    };
    let mut store = Store::open(dir.path(), &described).unwrap();
    let queued = store.discover(&[link("h", "a")]).unwrap().remove(0);
    store.finish(&queued, kept(&queued), &[]).unwrap();
    store.commit().unwrap();
    let records = records(std::fs::read(only_warc(dir.path())).unwrap());
    let block = std::str::from_utf8(&records[0].block).unwrap();
    let names: Vec<&str> = block.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(
        names,
        [
            "software",
            "format",
            "conformsTo",
            "description",
            "robots",
            "http-header-user-agent",
            "crawl-started-ms",
            "crawl-scheme"
        ]
    );
    assert!(
        block.contains("\r\nrobots: obey\r\nhttp-header-user-agent: x  evil: 1\r\n"),
        "{block}"
    );
    assert_eq!(
        records[0].field("WARC-Filename"),
        Some("crawl-20260321093000-00000.warc.gz")
    );
}

/// A visit whose answer was 304.
fn not_modified(queued: &QueuedUrl, at: u64) -> Outcome {
    let revisit = RevisitCapture {
        url: &queued.url,
        fetched_at: at,
        ip: None,
        request: None,
        status: 304,
        reason: "Not Modified",
        headers: vec![("etag", b"\"1\"")],
        payload_bytes: None,
        payload_digest: payload_digest(b"body"),
        profile: RevisitProfile::ServerNotModified,
        refers_to: Some(RefersTo {
            url: &queued.url,
            fetched_at: NOW_MS,
            record_id: None,
        }),
        text: None,
    };
    Outcome::Visited {
        visit: Visit::Unchanged,
        at,
        wire_bytes: 0,
        capture: Some(revisit.encode(Compression::default()).unwrap()),
    }
}

#[test]
fn the_index_lists_the_committed_records_with_those_of_visits() {
    let dir = tempfile::tempdir().unwrap();
    let rolled = OpenOptions {
        roll_bytes: 2_000,
        ..options()
    };
    let mut store = Store::open(dir.path(), &rolled).unwrap();
    let mut links: Vec<_> = (0..9).map(|n| link("h", &n.to_string())).collect();
    links.push(link("www.a", "z?b&a"));
    for queued in store.discover(&links).unwrap() {
        store.finish(&queued, kept(&queued), &[]).unwrap();
    }
    store.commit().unwrap();
    for at in [NOW_MS + 5_000, NOW_MS + 9_000] {
        for queued in store.revisit(&[3, 7], 0).unwrap() {
            store.finish(&queued, not_modified(&queued, at), &[]).unwrap();
        }
        store.commit().unwrap();
    }
    // Staged but not committed, so in neither.
    let lost = store.discover(&[link("h", "lost")]).unwrap().remove(0);
    store.finish(&lost, kept(&lost), &[]).unwrap();
    let path = dir.path().join("warc/index.cdxj");
    let index: String = cdxj::lines(&store, |_, _| true)
        .unwrap()
        .map(|line| line.unwrap() + "\n")
        .collect();
    let lines: Vec<&str> = index.lines().collect();
    assert_eq!(lines.len(), 14);
    assert!(lines.is_sorted());
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("\"warc/revisit\", \"digest\""))
            .count(),
        4
    );
    assert!(
        lines[0].starts_with("a)/z?a&b 20260321093000 {\"url\": \"https://www.a/z?b&a\""),
        "{}",
        lines[0]
    );
    let value = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("\"{name}\": \"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    for line in &lines {
        let file = std::fs::read(dir.path().join("warc").join(value(line, "filename"))).unwrap();
        let at: usize = value(line, "offset").parse().unwrap();
        let length: usize = value(line, "length").parse().unwrap();
        let record = records(file[at..at + length].to_vec()).remove(0);
        assert_eq!(record.field("WARC-Target-URI"), Some(&*value(line, "url")));
        let date = record.field("WARC-Date").unwrap().replace(['-', ':', 'T'], "");
        assert_eq!(line.split(' ').nth(1), date.split('.').next(), "{line}");
        // The digest of the fetched body, which differs from the page's.
        if record.kind() == "revisit" {
            assert_eq!(record.field("WARC-Payload-Digest"), Some(&*value(line, "digest")));
        }
    }
    let chosen = cdxj::lines(&store, |id, _| id == 7).unwrap();
    assert_eq!(
        chosen
            .map(Result::unwrap)
            .filter(|line| line.contains("https://h/6"))
            .count(),
        3
    );
    // A process that ends here loses its staged changes.
    drop(store);
    assert_eq!(cdxj::write_index(&mut open(dir.path())).unwrap(), path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), index);
    // The archive alone gives the same index.
    let rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    rebuild.finish(&mut |_| ()).unwrap();
    let lines = cdxj::lines(&open(dir.path()), |_, _| true).unwrap();
    let is_revisit = |line: &String| line.contains("warc/revisit");
    let rebuilt: Vec<String> = lines.map(Result::unwrap).filter(is_revisit).collect();
    let before: Vec<String> = index.lines().map(str::to_owned).filter(is_revisit).collect();
    assert_eq!((rebuilt.len(), rebuilt), (4, before));
}

#[test]
fn the_index_is_updated_from_any_existing_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let path = dir.path().join("warc/index.cdxj");
    let all = |store: &Store| -> String {
        let lines = cdxj::lines(store, |_, _| true).unwrap();
        lines.map(|line| line.unwrap() + "\n").collect()
    };
    let index = || std::fs::read_to_string(&path).unwrap();
    let (mut before, mut at) = (String::new(), NOW_MS);
    for round in 0..6_u64 {
        let links: Vec<_> = (0..5)
            .map(|n| link("h", &format!("{}", (round * 5 + n) * 7 % 31)))
            .collect();
        for queued in store.discover(&links).unwrap() {
            store.finish(&queued, kept(&queued), &[]).unwrap();
        }
        store.commit().unwrap();
        for queued in store.revisit(&[1, 2 + round], 0).unwrap() {
            at += 3_000;
            store.finish(&queued, not_modified(&queued, at), &[]).unwrap();
        }
        match round {
            // The file after a crash that prevented its row in the state.
            2 => std::fs::write(&path, before.replace("https", "http")).unwrap(),
            // Of the right length, but not sorted.
            3 => std::fs::write(
                &path,
                "b\na\n".repeat(index().len() / 4) + &"x".repeat(index().len() % 4),
            )
            .unwrap(),
            4 => std::fs::remove_file(&path).unwrap(),
            _ => {}
        }
        before = index_of(&mut store, &path);
        assert_eq!(before, all(&store), "round {round}");
        assert_eq!(before.lines().count() as u64, (round + 1) * 7);
    }
    // Without new records the file does not change.
    std::fs::write(&path, before.replace('h', "H")).unwrap();
    assert_eq!(index_of(&mut store, &path), before.replace('h', "H"));
    assert!(!path.with_extension("cdxj.partial").exists());
}

fn index_of(store: &mut Store, path: &std::path::Path) -> String {
    assert_eq!(cdxj::write_index(store).unwrap(), path);
    std::fs::read_to_string(path).unwrap()
}
