//! Bombs: little as sent, much when unpacked.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::doing::{Harm, coded};

/// 100 MB of `x` (made with the reference encoder).
const BROTLI_BOMB: &[u8] = include_bytes!("brotli_bomb.br");

const BOMB_BYTES: usize = 100_000_000;

fn gzip(chunks: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    chunks.for_each(|chunk| encoder.write_all(&chunk).unwrap());
    encoder.finish().unwrap()
}

fn gzip_bomb() -> Vec<u8> {
    gzip((0..BOMB_BYTES / 1_000_000).map(|_| vec![b'x'; 1_000_000]))
}

#[test]
fn gzip_bomb_is_named() {
    Harm::of("a gzip bomb (100 MB in 100 kB)")
        .page("/gzip", [coded("gzip", &gzip_bomb())], "failed body_too_large")
        .page("/x-gzip", [coded("X-Gzip", &gzip_bomb())], "failed body_too_large")
        .done();
}

#[test]
fn brotli_bomb_is_named() {
    Harm::of("a brotli bomb (100 MB in 158 bytes)")
        .page("/br", [coded("br", BROTLI_BOMB)], "failed body_too_large")
        .done();
}

#[test]
fn zstd_bomb_is_named() {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    (0..BOMB_BYTES / 1_000_000).for_each(|_| encoder.write_all(&[b'x'; 1_000_000]).unwrap());
    let bomb = encoder.finish().unwrap();
    let wide = {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(b"little in a window of 128 MB").unwrap();
        encoder.finish().unwrap()
    };
    Harm::of("a zstd bomb (100 MB in 10 kB) and a zstd window of 128 MB")
        .page("/zstd", [coded("zstd", &bomb)], "failed body_too_large")
        .page("/window", [coded("zstd", &wide)], "failed content_encoding")
        .done();
}

#[test]
fn nested_bombs_are_named() {
    let twice = gzip(std::iter::once(gzip_bomb()));
    let four = coded("gzip, gzip, gzip, gzip", &twice);
    Harm::of("bombs within bombs")
        .page("/twice", [coded("gzip, gzip", &twice)], "failed body_too_large")
        .page(
            "/brotli-in-gzip",
            [coded("br, gzip", &gzip(std::iter::once(BROTLI_BOMB.to_vec())))],
            "failed body_too_large",
        )
        .page("/four", [four], "failed content_encoding")
        .done();
}

#[test]
fn many_small_bombs() {
    let mut harm = Harm::of("16 pages in parallel that unpack to the longest accepted");
    for number in 0_u32..16 {
        let text = format!(
            "<p>Page {number} of {}</p><!--",
            crate::support::page::words(number.into(), 60)
        );
        let filling = "-and so on".repeat(1_040_000);
        let body = gzip([text.into_bytes(), filling.into_bytes()].into_iter());
        harm = harm.page(&format!("/{number}"), [coded("gzip", &body)], "kept");
    }
    harm.done();
}

fn plain_html() -> String {
    format!("<p>{}", crate::support::page::words(7, 100))
}

#[test]
fn not_what_they_say() {
    Harm::of("a Content-Encoding that is not what it says")
        .page("/gzip", [coded("gzip", b"<p>plain")], "failed content_encoding")
        .page("/br", [coded("br", b"<p>plain")], "failed content_encoding")
        .page("/zstd", [coded("zstd", b"<p>plain")], "failed content_encoding")
        .page(
            "/registered",
            [coded("compress", b"<p>plain")],
            "failed content_encoding",
        )
        .page("/unknown", [coded("utf-8", plain_html().as_bytes())], "kept")
        .page("/cut", [coded("gzip", &gzip_bomb()[..50])], "failed content_encoding")
        .done();
}
