//! What is decoded, and what is no body of its coding.

use super::*;
use std::io::Write;

fn gzip(data: &[u8]) -> Bytes {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

fn zlib(data: &[u8]) -> Bytes {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

fn bare_deflate(data: &[u8]) -> Bytes {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

/// `brotli` of "say something new\n" (made with the reference encoder).
const BROTLI: &[u8] = b"\x8b\x08\x80say something new\n\x03";

#[test]
fn every_accepted_coding_is_decoded() {
    let text = b"say something new\n".as_slice();
    for (coding, body) in [
        ("gzip", gzip(text)),
        ("X-GZIP", gzip(text)),
        ("deflate", zlib(text)),
        ("deflate", bare_deflate(text)),
        ("br", Bytes::from_static(BROTLI)),
        ("zstd", zstd::bulk::compress(text, 3).unwrap().into()),
        ("deflate, gzip", gzip(&zlib(text))),
        ("identity", Bytes::from_static(b"say something new\n")),
        ("", Bytes::from_static(b"say something new\n")),
    ] {
        assert_eq!(decode(body, Some(coding), 1_000).unwrap(), text, "{coding}");
    }
}

#[test]
fn a_bomb_is_an_error_and_never_decoded_in_full() {
    let zeros = vec![0; 10_000_000];
    let zstd = Bytes::from(zstd::bulk::compress(&zeros, 3).unwrap());
    for (coding, body) in [("gzip", gzip(&zeros)), ("deflate", zlib(&zeros)), ("zstd", zstd)] {
        assert!(body.len() < 100_000);
        let error = decode(body, Some(coding), 1_000_000).unwrap_err();
        assert_eq!(error.kind(), "body_too_large", "{coding}");
    }
}

#[test]
fn a_bomb_within_a_bomb_is_an_error_too() {
    let zeros = vec![0; 10_000_000];
    let nested = gzip(&gzip(&gzip(&zeros)));
    assert!(nested.len() < 10_000);
    let error = decode(nested, Some("gzip, gzip, gzip"), 1_000_000).unwrap_err();
    assert_eq!(error.kind(), "body_too_large");
    // An endless row of empty members: nothing comes out, however much goes in.
    let empty = gzip(b"");
    let nested = gzip(&empty.repeat(1_000_000));
    let error = decode(nested, Some("gzip, gzip"), 1_000_000).unwrap_err();
    assert_eq!(error.kind(), "body_too_large");
}

#[test]
fn a_body_of_exactly_the_limit_is_accepted() {
    for length in [0, 1, MIN_STEP - 1, MIN_STEP, MIN_STEP + 1, 1_000_000] {
        let text = vec![b'x'; length];
        assert_eq!(decode(gzip(&text), Some("gzip"), length).unwrap(), text);
        if length > 0 {
            let error = decode(gzip(&text), Some("gzip"), length - 1).unwrap_err();
            assert_eq!(error.kind(), "body_too_large", "{length}");
        }
    }
}

#[test]
fn damaged_and_unknown_codings_are_errors() {
    for coding in ["gzip", "br", "zstd", "deflate", "compress", "gzip,gzip,gzip,gzip"] {
        let error = decode(Bytes::from_static(b"<html>not packed"), Some(coding), 1_000).unwrap_err();
        assert_eq!(error.kind(), "content_encoding", "{coding}");
    }
    let error = decode(gzip(b"<html>not packed twice"), Some("br, gzip"), 1_000).unwrap_err();
    assert!(error.to_string().contains("br: "), "{error}");
}

/// A text that no coding makes short.
fn long_text() -> Vec<u8> {
    (0..2_000_u32)
        .flat_map(|n| format!("{} ", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

/// `parts` in a row.
fn joined(parts: &[&[u8]]) -> Bytes {
    parts.concat().into()
}

#[test]
fn a_name_that_is_no_coding_leaves_the_body_as_it_is() {
    let text = Bytes::from_static(b"<p>plain");
    for name in [
        "UTF-8",
        "utf8",
        "none",
        "None",
        "binary",
        "identity",
        "text/html",
        "8bit",
        "iso-8859-1",
        "windows-1251",
        "*",
        "",
        " ",
        ",,",
        "chunked",
        "identity, utf-8",
        "sdch",
        "null",
        "en",
        "x",
        "\u{fffd}",
    ] {
        assert_eq!(decode(text.clone(), Some(name), 1_000).unwrap(), text, "{name}");
    }
    // Beside a name that is none, the codings of the list hold.
    for name in [
        "gzip, utf-8",
        "utf-8, gzip",
        "identity,gzip",
        "none,x-gzip",
        "\"gzip\"",
        "gzip;q=1.0",
        " GZip ,",
    ] {
        assert_eq!(decode(gzip(&text), Some(name), 1_000).unwrap(), text, "{name}");
    }
    for name in [
        "compress",
        "x-compress",
        "aes128gcm",
        "dcb",
        "dcz",
        "exi",
        "pack200-gzip",
        "utf-8, compress",
    ] {
        let error = decode(text.clone(), Some(name), 1_000).unwrap_err();
        assert!(error.to_string().contains("was not asked for"), "{name}: {error}");
    }
}

#[test]
fn several_fields_are_one_list() {
    let headers = |values: &[&[u8]]| -> HeaderMap {
        let values = values.iter().map(|value| (CONTENT_ENCODING, value));
        values
            .map(|(name, value)| (name, reqwest::header::HeaderValue::from_bytes(value).unwrap()))
            .collect()
    };
    assert_eq!(named_in(&headers(&[])), None);
    let text = long_text();
    for (values, body) in [
        (&[&b"deflate"[..], b"gzip"][..], gzip(&zlib(&text))),
        (&[b"utf-8", b"gzip"], gzip(&text)),
        (&[b"gzip", b"\xfftf-8"], gzip(&text)),
        (&[b"", b"identity"], text.clone().into()),
    ] {
        let named = named_in(&headers(values));
        assert_eq!(decode(body, named.as_deref(), 100_000).unwrap(), text, "{named:?}");
    }
}

/// A gzip member with every optional field of its header (RFC 1952, section 2.3).
fn gzip_with_all_fields(data: &[u8]) -> Bytes {
    let mut encoder = flate2::GzBuilder::new()
        .extra(b"extra".to_vec())
        .filename("name")
        .comment("comment")
        .write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

#[test]
fn a_body_ends_where_its_data_says_so_and_not_before() {
    let text = long_text();
    let twice = [&text[..], &text[..]].concat();
    let (whole, other) = (gzip(&text), gzip_with_all_fields(&text));
    let (zlib, bare) = (zlib(&text), bare_deflate(&text));
    let zstd = Bytes::from(zstd::bulk::compress(&text, 3).unwrap());
    let data = &whole[..whole.len() - 8];
    let wrong = joined(&[data, b"\0\0\0\0\0\0\0\0"]);
    let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    for (what, coding, body, expected) in [
        ("two members", "gzip", joined(&[&whole, &other]), &twice),
        (
            "bytes behind the last member",
            "gzip",
            joined(&[&whole, b"\n<!-- cached -->"]),
            &text,
        ),
        (
            "zeros behind the last member",
            "gzip",
            joined(&[&whole, &[0; 512]]),
            &text,
        ),
        (
            "bytes behind two members",
            "gzip",
            joined(&[&other, &whole, b"\x1f\x8b and more"]),
            &twice,
        ),
        (
            "a piece of a header behind the last member",
            "gzip",
            joined(&[&whole, b"\x1f\x8b\x08\0"]),
            &text,
        ),
        (
            "another method behind the last member",
            "gzip",
            joined(&[&whole, b"\x1f\x8b\x07and so on"]),
            &text,
        ),
        ("no trailer", "gzip", joined(&[data]), &text),
        ("a cut trailer", "gzip", joined(&[&whole[..whole.len() - 3]]), &text),
        ("a wrong checksum and length", "gzip", wrong, &text),
        (
            "no checksum of zlib",
            "deflate",
            joined(&[&zlib[..zlib.len() - 4]]),
            &text,
        ),
        (
            "a wrong checksum of zlib",
            "deflate",
            joined(&[&zlib[..zlib.len() - 4], b"oops"]),
            &text,
        ),
        ("bytes behind zlib", "deflate", joined(&[&zlib, b"and more"]), &text),
        (
            "bytes behind bare deflate",
            "deflate",
            joined(&[&bare, b"and more"]),
            &text,
        ),
        (
            "two frames and one to be skipped",
            "zstd",
            joined(&[&zstd, skippable, &zstd]),
            &twice,
        ),
        (
            "bytes behind the last frame",
            "zstd",
            joined(&[&zstd, b"and more"]),
            &text,
        ),
        (
            "bytes behind brotli",
            "br",
            joined(&[BROTLI, b"and more"]),
            &b"say something new\n".to_vec(),
        ),
    ] {
        let decoded = decode(body, Some(coding), 1_000_000).map_err(|error| error.to_string());
        assert!(
            decoded.as_ref().is_ok_and(|decoded| decoded == expected),
            "{what}: {:?}",
            decoded.map(|body| body.len())
        );
    }
    for (what, coding, body) in [
        ("gzip", "gzip", data),
        ("the second member", "gzip", &joined(&[&whole, data])[..]),
        ("zlib", "deflate", &zlib[..zlib.len() - 4]),
        ("bare deflate", "deflate", &bare[..]),
        ("zstd", "zstd", &zstd[..]),
        ("brotli", "br", BROTLI),
    ] {
        for cut in [1, 2, 7].into_iter().filter(|cut| *cut < body.len()) {
            let body = Bytes::copy_from_slice(&body[..body.len() - cut]);
            let error = decode(body, Some(coding), 1_000_000).unwrap_err();
            assert_eq!(error.kind(), "content_encoding", "{what} without its last {cut} bytes");
        }
    }
    for cut in [1, 3, 10, 20] {
        assert!(
            decode(whole.slice(..cut), Some("gzip"), 1_000_000).is_err(),
            "{cut} bytes of gzip"
        );
    }
}

#[test]
fn the_start_of_a_body_is_had_from_a_body_that_is_cut_or_too_long() {
    let text = long_text();
    let zstd = Bytes::from(zstd::bulk::compress(&text, 3).unwrap());
    for (coding, body) in [
        ("gzip", gzip(&text)),
        ("deflate", bare_deflate(&text)),
        ("zstd", zstd),
        ("", text.clone().into()),
    ] {
        assert_eq!(
            decode_start(body.clone(), Some(coding), 100).unwrap(),
            text[..100],
            "{coding}"
        );
        assert_eq!(
            decode_start(body.clone(), Some(coding), 100_000).unwrap(),
            text,
            "{coding}"
        );
        let cut = decode_start(body.slice(..body.len() - 50), Some(coding), 100_000).unwrap();
        assert!(
            text.starts_with(&cut) && (coding == "zstd" || cut.len() > 10_000),
            "{coding}: {}",
            cut.len()
        );
    }
    assert!(decode_start(Bytes::from_static(b"<p>plain"), Some("gzip"), 100).is_err());
    let bomb = gzip(&gzip(&gzip(&vec![0; 10_000_000])));
    assert_eq!(decode_start(bomb, Some("gzip, gzip, gzip"), 100).unwrap(), vec![0; 100]);
}

/// A gzip member whose header has a name of this many bytes.
fn gzip_with_name(name_bytes: usize, data: &[u8]) -> Bytes {
    let builder = flate2::GzBuilder::new().filename(vec![b'a'; name_bytes]);
    let mut encoder = builder.write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

#[test]
fn a_gzip_name_that_does_not_end_is_damage() {
    let text = long_text();
    assert_eq!(
        decode(gzip_with_name(64 * 1024, &text), Some("gzip"), 100_000).unwrap(),
        text
    );
    let longer = gzip_with_name(64 * 1024 + 1, b"behind it");
    let error = decode(longer.clone(), Some("gzip"), 100_000).unwrap_err();
    assert_eq!(error.kind(), "content_encoding");
    // Behind a text, it is no member.
    let behind = joined(&[&gzip(&text), &longer]);
    assert_eq!(decode(behind, Some("gzip"), 100_000).unwrap(), text);
}

#[test]
fn a_coding_of_robots_txt_that_unpacks_to_no_end_ends() {
    // A frame to be skipped, as long as everything that a coding may give, and the rules behind it.
    let skipped = u32::try_from(MAX_ROBOTS_LAYER_BYTES).unwrap();
    let rules = zstd::bulk::compress(b"User-agent: *", 3).unwrap();
    let filler = vec![0; MAX_ROBOTS_LAYER_BYTES];
    let far = joined(&[b"\x50\x2a\x4d\x18", &skipped.to_le_bytes(), &filler, &rules]);
    assert_eq!(decode_robots(gzip(&far), Some("zstd, gzip")).unwrap(), b"".as_slice());
    // What came before counts.
    let early = joined(&[&rules, &far]);
    assert_eq!(
        decode_robots(gzip(&early), Some("zstd, gzip")).unwrap(),
        b"User-agent: *".as_slice()
    );
}

#[test]
fn a_gzip_name_of_terabytes_in_a_robots_txt_is_not_read() {
    // A frame without a length, with a window of 128 KiB; its first block is a gzip header with a name.
    let mut frame = b"\x28\xb5\x2f\xfd\x00\x38\x50\x00\x00\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03".to_vec();
    // Each further block repeats one letter 131072 times (RFC 8878, section 3.1.1.2.2).
    frame.extend(b"\x02\x00\x10a".repeat(1 << 22));
    let body = gzip(&frame);
    assert!(body.len() < 200_000, "{}", body.len());
    let error = decode_robots(body, Some("gzip, zstd, gzip")).unwrap_err();
    assert_eq!(error.kind(), "content_encoding");
}
