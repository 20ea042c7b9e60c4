//! Properties that hold for any bytes. cargo-fuzz runs each target (`fuzz_targets/`); the tests run it on the seeds in
//! `seeds/` and on thousands of mutations of them.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use config::Config;
use config::settings::Settings;
use crawl::seeds;
use dedup::{Analyzer, Fingerprint, IdfTable, Scheme, Segmenter, Signature, Sketch};
use files::{self, Fields};
use page::content_type;
use page::sniff::{is_noise, media_type_of_binary};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use storage::warc::text_delta;
use url::Url;
use web::canonicalize;
use web::canonicalize::{CanonicalRules, CanonicalUrl};
use web::fetch;
use web::fetch::content_encoding;
use web::robots::Robots;
use web::sitemap;

/// A name, and the function that takes the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("text", text),
    ("long_text", long_text),
    ("difference", difference),
    ("page_text", page_text),
    ("http_head", http_head),
    ("cdxj_key", cdxj_key),
    ("status_request", status_request),
    ("signature", signature),
    ("charset", charset),
    ("content_encoding", content_encoding),
    ("html", html),
    ("xhtml", xhtml),
    ("feed", feed),
    ("markdown", markdown),
    ("headers", headers),
    ("json_line", json_line),
    ("config", config),
    ("robots", robots),
    ("sitemap", sitemap),
    ("url", url),
    ("warc_record", warc_record),
    ("warc_stream", warc_stream),
    ("idf_table", idf_table),
];

/// Normalisation is idempotent, tokens lie in order, and a text always has the same signature.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let normalized = dedup::normalize::normalize(&text);
    assert_eq!(dedup::normalize::normalize(&normalized), normalized);
    let mut end = 0;
    for token in dedup::segment::tokens(&normalized) {
        assert!(token.start >= end && !token.text.is_empty());
        end = token.start + token.text.len();
    }
    for segmenter in Segmenter::ALL {
        let analyzer = Analyzer::new(&Scheme {
            features: "words+2-shingles+3-grams".parse().expect("features"),
            segmenter: *segmenter,
            min_words: 1,
            ..Scheme::default()
        });
        let signature = analyzer.analyze(&text);
        assert_eq!(analyzer.analyze(&normalized), signature);
        assert_eq!(analyzer.fingerprint(&text), signature.fingerprint);
        assert_eq!(analyzer.explain(&text).fingerprint, signature.fingerprint);
    }
}

/// Bytes of the long texts that a target makes from a short text.
const LONG_BYTES: usize = 16 * 1024;

/// The output of each stage is at most a little larger than a long text: normalisation, segmentation, features, shingles, sketch.
pub fn long_text(bytes: &[u8]) {
    /// Bytes by which any text may grow when it is normalised.
    const FREE_GROWTH: usize = 4_096;
    let piece = String::from_utf8_lossy(bytes);
    let text = piece.repeat(LONG_BYTES / piece.len().max(1) + 1);
    let normalized = dedup::normalize::normalize(&text);
    assert!(normalized.len() <= text.len() + text.len() / 4 + FREE_GROWTH);
    assert!(dedup::segment::tokens(&normalized).count() <= normalized.len());
    let analyzer = Analyzer::new(&Scheme {
        min_words: 1,
        ..Scheme::default()
    });
    let explanation = analyzer.explain(&text);
    assert!(explanation.distinct <= normalized.len());
    let shingles = analyzer.shingles(&text);
    assert!(shingles.len() <= normalized.len() && shingles.is_sorted());
    if let Some(sketch) = Sketch::new(&shingles) {
        assert!((sketch.similarity(&sketch) - 1.0).abs() < f32::EPSILON);
        let reversed: Vec<u64> = shingles.iter().rev().copied().collect();
        assert_eq!(Sketch::new(&reversed), Some(sketch));
    }
}

/// The difference between two texts restores the text, and a damaged difference restores no wrong text. The first half of the bytes is
/// the other text.
pub fn difference(bytes: &[u8]) {
    let (base, text) = bytes.split_at(bytes.len() / 2);
    let (base, text) = (String::from_utf8_lossy(base), String::from_utf8_lossy(text));
    let frame = text_delta::between(&base, &text).expect("memory can be written");
    assert!(frame.len() <= text.len() + text.len() / 8 + 64);
    assert_eq!(text_delta::apply(&base, &frame).as_deref(), Ok(&*text));
    black_box(text_delta::apply(&base, bytes).is_ok());
    let mut damaged = frame;
    if let Some(byte) = damaged.get_mut(bytes.len() % 7 + 4) {
        *byte ^= 1 << (bytes.len() % 8);
        assert!(
            text_delta::apply(&base, &damaged).is_ok_and(|other| other == text)
                || text_delta::apply(&base, &damaged).is_err()
        );
    }
}

/// The language is an ISO 639 code, and the length alone makes no page a soft 404. The bytes serve as a text, and as the text of an HTML
/// page.
pub fn page_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let html = format!("<title>{escaped}</title><main><h1>{escaped}</h1><p>{escaped}</main>");
    for (body, content_type) in [
        (text.as_bytes(), "text/plain; charset=utf-8"),
        (html.as_bytes(), "text/html; charset=utf-8"),
    ] {
        let page = read(body, content_type).expect("any text of this type is a page");
        assert!(page.text.len() <= 2 * body.len() + 64);
        if let Some(language) = page.language() {
            assert!(
                (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase()),
                "{language}"
            );
        }
        black_box(page.is_soft_404());
    }
}

/// An HTTP head in a WARC record ends within the block, with an empty line.
pub fn http_head(bytes: &[u8]) {
    if let Some((length, status, content_type)) = files::http_head(bytes) {
        assert!(length <= bytes.len() && bytes[..length].ends_with(b"\n"));
        black_box(status);
        assert!(content_type.is_none_or(|value| !value.contains('\n')));
    }
}

/// The key of a URL in the index of the archive is one word of one line, and does not grow without bound.
pub fn cdxj_key(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(url) = CanonicalUrl::parse(&text, &CanonicalRules::default()) {
        let key = storage::cdxj::surt(url.as_str());
        assert!(!key.contains([' ', '\n', '\r', '\0']), "{key:?}");
        assert!(key.len() <= 3 * url.as_str().len() + 16);
    }
    black_box(storage::cdxj::surt(&text));
}

/// The lines of a head.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| *byte == b'\n')
}

/// The header field of a line, `name: value`; `None` if the line is none.
fn field(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
    Some((name, value))
}

/// Only requests for an IP address or localhost pass the guard of the status server. The bytes are the lines of a head.
pub fn status_request(bytes: &[u8]) {
    let head: HeaderMap = lines(bytes).filter_map(field).collect();
    let hosts: Vec<&HeaderValue> = head.get_all("host").iter().collect();
    if !views::live::status::is_for_this_machine(&head) {
        return assert!(!hosts.is_empty());
    }
    assert!(hosts.len() <= 1);
    for host in hosts {
        let host = host.to_str().expect("a host that passes is ASCII");
        let url = Url::parse(&format!("http://{host}/")).ok();
        let name = url.as_ref().and_then(Url::domain);
        assert!(name.is_none_or(|name| name.eq_ignore_ascii_case("localhost")), "{host}");
    }
}

/// A stored signature that is read is written back with the same value.
pub fn signature(bytes: &[u8]) {
    if let Ok(signature) = postcard::from_bytes::<Signature>(bytes) {
        let written = postcard::to_stdvec(&signature).expect("a signature can be written");
        assert_eq!(postcard::from_bytes(&written), Ok(signature));
    }
    if let Ok(fingerprint) = String::from_utf8_lossy(bytes).parse::<Fingerprint>() {
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }
}

/// Any bytes are text in some encoding. The first byte chooses the charset of the header.
pub fn charset(bytes: &[u8]) {
    let (first, body) = bytes.split_first().unwrap_or((&0, &[]));
    let claims = [
        None,
        Some("utf-8"),
        Some("gbk"),
        Some("shift_jis"),
        Some("utf-16"),
        Some("x-none"),
    ];
    let claim = claims[usize::from(*first) % claims.len()];
    let parameter = claim.map_or(String::new(), |charset| format!("; charset={charset}"));
    if let Some(page) = read(body, &format!("text/plain{parameter}")) {
        assert!(page.text.len() <= 3 * body.len() + 3);
    }
}

/// The page that `body` is if a server declares it as `content_type`.
fn read(body: &[u8], content_type: &str) -> Option<page::Page> {
    let url = Url::parse("https://example.org/a/b").expect("a valid URL");
    let value = HeaderValue::from_str(content_type).ok()?;
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, value)]);
    let options = page::Options {
        agent: "crawler",
        embedded: true,
        max_text_bytes: usize::MAX,
        extract: None,
        favor: page::Favor::default(),
        documents: page::Documents::in_this_thread(),
        markdown: None,
        metadata: None,
    };
    page::read(body, &headers, &url, &options).ok()
}

/// A feed is a page or no feed, and its text is not much longer than the feed.
pub fn feed(bytes: &[u8]) {
    if let Some(page) = read(bytes, "application/rss+xml") {
        assert!(page.text.len() <= 4 * bytes.len() + 64);
    }
}

/// Any text is Markdown. Each character reference may become a few bytes more.
pub fn markdown(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(page) = read(text.as_bytes(), "text/markdown; charset=utf-8") {
        assert!(page.outlinks.len() <= bytes.len());
    }
}

/// A decoded body is no longer than its bound.
pub fn content_encoding(bytes: &[u8]) {
    const LIMIT: usize = 64 * 1024;
    let (first, body) = bytes.split_first().unwrap_or((&0, &[]));
    let encodings = ["gzip", "deflate", "br", "zstd", "gzip, br", "identity", "none"];
    let encoding = encodings[usize::from(*first) % encodings.len()];
    if let Ok(decoded) = content_encoding::decode(Bytes::copy_from_slice(body), Some(encoding), LIMIT) {
        assert!(decoded.len() <= LIMIT.max(body.len()));
    }
}

/// Any HTML is a page, unless its bytes are those of another type. Its links are HTTP URLs without a fragment, and it does not redirect
/// to itself.
pub fn html(bytes: &[u8]) {
    let Some(page) = read(bytes, "text/html; charset=utf-8") else {
        assert!(media_type_of_binary(bytes).is_some() || is_noise(bytes));
        return;
    };
    if let Some(redirect) = &page.redirect {
        assert!(redirect.url.fragment().is_none() && redirect.url.as_str() != "https://example.org/a/b");
    }
    for link in page.outlinks.iter().chain(&page.embedded) {
        assert!(matches!(link.url.scheme(), "http" | "https") && link.url.fragment().is_none());
    }
    black_box((page.language(), page.is_soft_404(), page.metadata().count()));
}

/// XHTML is a page, well-formed or not, unless its bytes are those of another type.
pub fn xhtml(bytes: &[u8]) {
    let Some(page) = read(bytes, "application/xhtml+xml; charset=utf-8") else {
        assert!(media_type_of_binary(bytes).is_some() || is_noise(bytes));
        return;
    };
    for link in page.outlinks.iter().chain(&page.embedded) {
        assert!(matches!(link.url.scheme(), "http" | "https") && link.url.fragment().is_none());
    }
    black_box((page.language(), page.is_soft_404(), page.metadata().count()));
}

/// Every header that the crawler interprets may have any value. The bytes are a head: `name: value` a line.
pub fn headers(bytes: &[u8]) {
    const LIMIT: usize = 64 * 1024;
    let url = Url::parse("https://example.org/a/b").expect("a valid URL");
    let head: HeaderMap = lines(bytes).filter_map(field).collect();
    let mut robots = page::RobotsDirectives::default();
    for line in lines(bytes) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(0);
        let value = String::from_utf8_lossy(&line[colon..]);
        let value = value.trim_start_matches(':').trim();
        let media_type = content_type::media_type(value);
        assert!(media_type.is_none_or(|media_type| !media_type.is_empty() && !media_type.contains(';')));
        black_box(content_type::charset(value));
        if let Some(charset) = content_type::charset(value) {
            black_box(read(line, &format!("text/plain; charset={charset}")).is_some());
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        black_box(fetch::retry_after(value, now));
        if let Some((_, Some(target))) = page::parse_refresh(value) {
            assert!(value.contains(target));
        }
        let before = robots;
        robots.add(value);
        robots.add_header(value, "crawler");
        assert!(robots.noindex >= before.noindex && robots.nofollow >= before.nofollow);
        if let Ok(decoded) = content_encoding::decode(Bytes::copy_from_slice(line), Some(value), LIMIT) {
            assert!(decoded.len() <= LIMIT.max(line.len()));
        }
    }
    for link in page::header_links(&head, &url, true).outlinks {
        assert!(matches!(link.url.scheme(), "http" | "https") && link.url.fragment().is_none());
    }
}

/// A JSON line that is a document has the fields that a JSON parser reads in it.
pub fn json_line(bytes: &[u8]) {
    let fields = Fields::default();
    files::json_line(bytes, &fields, |document| {
        let Ok(document) = document else { return };
        // A number may be too large for the parser that builds a tree.
        let Ok(tree) = serde_json::from_slice::<serde_json::Value>(bytes) else {
            return;
        };
        let string = |name: &str| tree.get(name).and_then(|value| value.as_str());
        assert_eq!(string(&fields.text), Some(document.text));
        assert_eq!(string(&fields.title), document.title);
        assert_eq!(string(&fields.url), document.url);
        let id = serde_json::from_str::<serde_json::Value>(document.id).expect("an id is JSON");
        assert_eq!(*tree.get(&fields.id).unwrap_or(&serde_json::Value::Null), id);
    });
}

/// A configuration is usable, or an error names the problem.
pub fn config(bytes: &[u8]) {
    let read = Config::parse(&String::from_utf8_lossy(bytes), Path::new("some.toml"));
    let mut config = match read {
        Ok(config) => config,
        Err(error) => return assert!(error.to_string().starts_with("some.toml, line "), "{error}"),
    };
    // No file is read but the configuration.
    config.dedup.idf_table = PathBuf::new();
    match Settings::new(&config) {
        Ok(settings) => assert!(settings.fetch.max_body_bytes > 0 && !settings.fetch.user_agent.is_empty()),
        Err(error) => assert!(error.to_string().contains('.'), "{error}"),
    }
}

/// Any robots.txt gives an answer for any path, and always allows robots.txt itself.
pub fn robots(bytes: &[u8]) {
    let robots = Robots::parse(bytes, "crawler");
    let end = String::from_utf8_lossy(&bytes[bytes.len() / 2..]).into_owned();
    black_box(robots.decide_target(&format!("/{end}")));
    assert!(robots.decide_target("/robots.txt").allowed);
}

/// A sitemap gives no more locations than its bound.
pub fn sitemap(bytes: &[u8]) {
    assert!(sitemap::parse_sitemap(bytes, 100).sitemap.locations().len() <= 100);
}

/// Canonicalisation is idempotent under every rule. Any seeds file is read line by line.
pub fn url(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rules = CanonicalRules {
        sort_query: bytes.len().is_multiple_of(2),
        drop_index_file: bytes.len().is_multiple_of(3),
        ..CanonicalRules::default()
    };
    if let Ok(url) = CanonicalUrl::parse(&text, &rules) {
        assert!(canonicalize::surt(&url).starts_with(url.url().scheme()));
        let again = CanonicalUrl::parse(url.as_str(), &rules).map(|url| url.as_str().to_owned());
        assert_eq!(again.ok().as_deref(), Some(url.as_str()));
    }
    let config = Config {
        canonicalize: rules,
        ..Config::default()
    };
    let settings = Settings::new(&config).expect("the rules are valid");
    let mut seeds = seeds::Seeds::from_text(text.into_owned(), &settings);
    while let Some(batch) = seeds.next_batch().expect("text can be read") {
        black_box(batch);
    }
}

/// Any record of an archive is read or refused.
pub fn warc_record(bytes: &[u8]) {
    if let Ok(record) = storage::warc::Record::parse(bytes) {
        black_box((record.http_payload(), record.verify_block().is_ok()));
    }
}

/// Any stream of records ends, and no record is larger than the stream.
pub fn warc_stream(bytes: &[u8]) {
    let mut stream = storage::warc::WarcStream::new(bytes);
    let mut records = 0;
    while let Some(found) = stream.next_record().expect("memory can be read") {
        records += 1;
        assert!(records <= bytes.len(), "more records than bytes");
        if let Ok(mut record) = found {
            let read = stream.read_block(&mut record, u64::MAX).expect("memory can be read");
            assert!(read.is_err() || record.record.block.len() <= bytes.len());
        }
    }
}

/// A table that is read is written back with the same value.
pub fn idf_table(bytes: &[u8]) {
    if let Ok(table) = IdfTable::read(bytes) {
        let mut written = Vec::new();
        table.write(&mut written).expect("memory can be written");
        assert_eq!(IdfTable::read(&written[..]).ok(), Some(table));
    }
}
