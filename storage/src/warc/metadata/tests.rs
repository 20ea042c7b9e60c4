//! Every value from the web is read back exactly.

use proptest::prelude::*;

use super::value::{escape, unescape};
use super::*;
use crate::frontier::Validators;
use crate::page::{Fate, Rendering, Verdict};
use crate::warc::compression::Compression;
use crate::warc::location::WarcLocation;
use crate::warc::reader::only_record;

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Unique),
        any::<u64>().prop_map(|of| Verdict::Exact { of }),
        (any::<u64>(), any::<Option<u32>>(), 0_f32..=1.0).prop_map(|(of, distance, similarity)| Verdict::Near {
            of,
            distance,
            similarity
        }),
    ]
}

/// Includes text of hostile servers: line ends, escapes, other white space.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ a\\\\\r\n\t:\u{85}\u{2028}{}u]{0,12}",
        Just("x\r\nsignature: AAAA\r\n\r\n".to_owned()),
    ]
}

fn vias() -> impl Strategy<Value = Option<Via>> {
    prop_oneof![
        Just(None),
        any::<u64>().prop_map(|page| Some(Via::Page(page))),
        texts().prop_map(|url| Some(Via::Url(url.into()))),
    ]
}

prop_compose! {
    fn of_text()(url in texts(), host in texts(), title in texts(), content_type in texts(), encoding in texts(),
                 language in proptest::option::of(texts()), page_type in proptest::option::of(texts()), canonical in proptest::option::of(texts()),
                 etag in proptest::option::of(texts()), last_modified in proptest::option::of(texts()), via in vias(), logged_in: bool, is_incomplete: bool)
        -> PageRecord {
        PageRecord { url, host, depth: 0, via, title, fetched_at: 0, status: 0, content_type, encoding, body_bytes: 0,
            wire_bytes: 0, text_chars: 0, language, verdict: Verdict::Unique, signature: Vec::new(), elapsed_ms: 0,
            canonical, replaces: None, validators: Validators { etag, last_modified }, payload_digest: [0; 20],
            previous: None, fate: Fate::Current, response: None, text: None, revisit: None, page_type, rendering: None, logged_in,
            is_incomplete }
    }
}

prop_compose! {
    fn pages()(page in of_text(), depth: u16, fetched_at: u64, status: u16, bytes: [u64; 3], verdict in verdicts(),
               signature in proptest::collection::vec(any::<u8>(), 0..300), elapsed_ms: u32, payload_digest: [u8; 20],
               previous: Option<u64>, replaces: Option<u64>, rendering in proptest::option::of(renderings()))
        -> PageRecord {
        let [body_bytes, wire_bytes, text_chars] = bytes;
        PageRecord { depth, fetched_at, status, body_bytes, wire_bytes, text_chars, verdict, signature, elapsed_ms,
            payload_digest, previous, replaces, rendering, ..page }
    }
}

prop_compose! {
    fn renderings()(says_more: bool, requests: u32, elapsed_ms: u32) -> Rendering {
        Rendering { says_more, requests, elapsed_ms }
    }
}

prop_compose! {
    fn links()(url in texts(), host in texts(), depth: u16, priority: u8, redirects: u8,
               via in proptest::option::of(texts()))
        -> Discovered {
        Discovered { url, host, depth, redirects, priority, via }
    }
}

fn read(encoded: &EncodedCapture) -> Metadata {
    let record = only_record(&encoded.bytes);
    assert_eq!(record.kind(), "metadata");
    decode(&record).unwrap()
}

proptest! {
    #[test]
    fn a_page_written_is_the_page_read(
        page in pages(), sequence: u64, verdict in verdicts(), links in proptest::collection::vec(links(), 0..4),
        archived: [bool; 3],
    ) {
        let replaced = page.replaces.map(|page| Replaced { page, verdict });
        let [response, text, revisit] = archived;
        let at = |is_there: bool| is_there.then_some(WarcLocation { file: 1, offset: 2, length: 3 });
        let written = PageRecord {
            response: at(response), text: at(text), revisit: at(revisit), ..page.clone()
        };
        let event = Event::Page { sequence, page: Box::new(written), replaced };
        let own = Via::Page(sequence);
        let queued: Vec<_> = links.iter().map(|link| QueuedUrl::new(link, Some(&own), 7)).collect();
        let encoded = encode(&page.url, (page.fetched_at, 3), &event, queued.iter(), &own, Named::default(), Compression::Gzip).unwrap();
        let found = read(&encoded);
        prop_assert_eq!(found.event, Event::Page { sequence, page: Box::new(page), replaced });
        prop_assert_eq!(found.records, Records { response, text, revisit });
        prop_assert_eq!(found.outlinks, links);
    }

    #[test]
    fn an_event_written_is_the_event_read(page: u64, number: u64, status: u16, text in texts(), verdict in verdicts()) {
        let visited = |visit| Event::Visited { page, visit, at: number, wire_bytes: number, status };
        for event in [
            visited(Visit::Unchanged), visited(Visit::Missing), visited(Visit::Unanswered),
            Event::Redirected { page, to: text.clone(), status }, Event::Excluded { page, reason: text.clone() },
            Event::Yielded { page, verdict },
        ] {
            let encoded = encode("u", (0, 3), &event, [].iter(), &Via::Page(1), Named::default(), Compression::Gzip).unwrap();
            prop_assert_eq!(read(&encoded).event, event);
        }
    }

    #[test]
    fn no_value_ends_its_line(value in texts()) {
        let mut line = String::new();
        escape(&value, false, &mut line);
        prop_assert_eq!(line.trim(), &line);
        prop_assert!(!line.chars().any(char::is_control));
        prop_assert_eq!(unescape(&line), Some(value));
    }
}
