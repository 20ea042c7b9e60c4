//! The format on disk, version 3: every key and every value of the tree `state`.
//!
//! One tree, so that one batch over several tables is one atomic step. The first byte of a key is its table. Numbers in
//! keys are big-endian, so that the order of bytes is the order of numbers. `⟨T⟩` is T in postcard's format (its wire
//! specification, version 1): fields in order, integers as varints, strings and lists with their length before them.
//!
//! ```text
//! table  key                                                      value
//! ─────  ───────────────────────────────────────────────────────  ──────────────────────────────────────────────
//! meta   'm' "format"                                             "CRAWLER\0" version:u32 LE
//!        'm' "scheme"                                             the scheme, UTF-8
//!        'm' "started"                                            ⟨u64⟩ when the crawl began, Unix ms
//!        'm' "progress"                                           ⟨Progress⟩: last commit, next numbers, end of archive
//!        'm' "seed"                                               u64 LE: key of the hashes of URLs
//!        'm' "known"                                              ⟨Buckets⟩: depth, entries; missing before the first merge
//!        'm' "running"                                            empty; present while a run is under way
//!        'm' "gaps"                                               ⟨[u32]⟩ WARC files that were missing at a rebuild
//!        'm' "redecided"                                          ⟨Redecided⟩: the redecision
//!        'm' "rules"                                              ⟨[String]⟩: the dedup rules that decided the pages, in words
//!        'm' "indexed"                                            ⟨Indexed⟩: the part of the archive that is in index.cdxj
//!        'm' "max-depth"                                          ⟨u16⟩ the depth beyond which the last run queued no URL
//!        'm' "worker"                                             ⟨u16⟩ the number of this worker, in a crawl by several
//!        'm' "provisional"                                        empty; present while near-duplicates of other workers' pages are not
//!                                                                 decided
//!        'm' "orders"                                             ⟨u64⟩ the number of the last order that the crawl has taken from
//!                                                                 control.jsonl; see `crawl::control`
//!        'm' "early"                                              ⟨[(u64, u64)]⟩ numbers of URLs whose links may be in no metadata
//!                                                                 record, because a crash cut off their commit; see `links`
//! log    'k' id:u64 of the first                                  ⟨[(hash:u64 LE, id)]⟩ of the URLs of a batch
//! bucket 'b' depth:u8 number:u32                                  ⟨hash less the one before, id⟩ of each URL, by hash
//! url    'u' id:u64                                               ⟨UrlRow⟩: 01 page sequence · 02 redirect · 03 failure ·
//!                                                                 04 exclusion, each but the page with host and packed;
//!                                                                 then ⟨Edges⟩: the numbers of its outlinks; see `links`
//! depths 'e' id:u64 / 256                                         ⟨[u32]⟩ of 256 URLs: the depth plus one, 0 if it is not known
//! lowered 'a' id:u64                                              empty: the depth of the URL sank, its outlinks must follow
//! beyond 'c' id:u64 part:u8                                       01 ⟨[DeepLink]⟩ in DEFLATE: outlinks of a URL that are too
//!                                                                 deep to be queued, or that others store; see
//!                                                                 `links`
//! queue  'q' host 00 priority:u8 depth:u16 seq:u64 of the first   ⟨Entry⟩ of each URL of a chunk, by seq: seq less the one
//!                                                                 before, bytes shared with the packed URL before, the rest
//!                                                                 of it, redirects, attempts, via (00 none · 01 that of the
//!                                                                 one before · 02 its own), id, revisit
//! page   'p' sequence:u64                                         ⟨PageRecord⟩
//! visits 'v' page sequence:u64                                    ⟨Visits⟩ of a page that was visited again, or is queued for it
//! depart 'd' page sequence:u64                                    empty: the page must leave the index
//! moved  't' page sequence:u64                                    empty: the fate of the page became Moved since the row exists
//! former 'y' page sequence:u64                                    the crawl's ⟨Verdict⟩, if the page has another one since
//! refresh 'x' number:u64                                          ⟨RefreshCounts⟩
//! host   'h' host                                                 ⟨Counts⟩
//! gate   'g' host                                                 01 ⟨HostRecord⟩: how it was treated last
//! robots 'r' host 00 origin                                       01 ⟨RobotsRow⟩: when fetched, and the text in DEFLATE
//! skip   'z' file:u32 offset:u64                                   ⟨u64⟩ end of a stretch of a WARC file that a rebuild could not read
//! sitemap 's' host 00 sitemap's URL                               01 ⟨SitemapRow⟩: when read, and the sitemaps that it leads to,
//!                                                                 ⟨[OnwardSitemap]⟩ in DEFLATE
//! visit  'w' page:u64 at:u64                                      ⟨ArchivedVisit⟩: a visit's revisit or response record: status,
//!                                                                 place, SHA-1 of the fetched body, Content-Type of a response
//! outbox 'o' number:u64                                           ⟨[Letter]⟩ to other workers, in the order they were written: kind:u8,
//!                                                                 bytes
//! elsewhere 'f' packed:u64                                        01 ⟨KeptElsewhere⟩: URL and signature of a kept page of another worker,
//!                                                                 by its packed number; see `elsewhere`
//! origins 'm' "origins"                                            ⟨[Origin]⟩ of a merged folder: which files come from which folder
//! numbers 'n' origin:u16 chunk:u64                                 ⟨[u64]⟩ the numbers here of the pages 256·chunk, 256·chunk + 1, … of an
//!                                                                 origin, 0 for none; see `origins`
//! links  'l' page sequence:u64                                    01 ⟨[String]⟩: links of a duplicate to which no page with its
//!                                                                 text linked before; a sample of them if there are many
//! ```
//!
//! `packed` is the URL without its host: 'S' path for `https://` host path, 'H' path for `http://` host path, '=' url for every
//! other URL.
//!
//! In a key of the queue the host comes first, so a host's rows are adjacent and share their prefix, which sled stores once a node. No
//! host contains a zero byte, so no host's rows lie between another's.
//!
//! `hash` is XXH3-64 of `u` host 00 packed, keyed by the seed. To find the state of a URL, the store looks its hash up in the log and in its
//! bucket. The entry gives its `id`, its number in the order of discovery, which is the key of its row in `url`. A known URL without a
//! row in `url` is queued. Buckets of another depth than that in `known` are void: a merge that was cut off left them.
//!
//! Each table belongs to one module, which alone knows its letter and makes its keys; this module has what they share.
//!
//! The rows of `gate`, `robots`, `sitemap`, `links` and `elsewhere` begin with their own version, 01. `origin` is `scheme://authority`, as robots.txt
//! has it.
//!
//! The entry of a URL in `log` or `bucket` exists from discovery on and is never removed, only moved from `log` to `bucket`. The entry
//! in `queue` exists from discovery until the URL is finished; a retry moves it. A failed URL that is tried again gets a new entry in
//! `queue` and loses its row in `url`. A page that is due gets a new entry in `queue` and keeps its row.

use std::cell::RefCell;
use std::io::Read;

use flate2::read::DeflateDecoder;
use libdeflater::{CompressionLvl, Compressor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::warc::location::WarcEnd;

/// The only format version that this crate reads and writes.
pub(crate) const FORMAT_VERSION: u32 = 3;

/// Upper bound on the length of a URL and of a host key, in bytes.
pub const MAX_URL_BYTES: usize = 16 * 1024;

/// Upper bound on a long row, in bytes: a compressed robots.txt or sitemap, or the letters of a row. sled keeps up to sixteen rows in a
/// node, and writes a node of more than 128 KiB to a separate file, which it recovers less reliably.
pub(crate) const MAX_PACKED_ROW_BYTES: usize = 7 * 1024;

/// First bytes of the format row.
const MAGIC: &[u8; 8] = b"CRAWLER\0";

/// First byte of what identifies a URL in hashes.
const URL: u8 = b'u';

/// First byte of the rows that have a version of their own.
pub(crate) const ROW_VERSION: u8 = 1;

/// Progress of the state. Every batch contains it, as it is after that batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Number of the commit that the batch belongs to.
    pub commit: u64,
    /// `seq` of the next URL discovered.
    pub next_seq: u64,
    /// Sequence number of the next page; the first is 1.
    pub next_page: u64,
    /// End of the captures of all pages before `next_page` in the archive.
    pub archive: WarcEnd,
}

impl Progress {
    pub const START: Self = Self {
        commit: 0,
        next_seq: 1,
        next_page: 1,
        archive: WarcEnd { file: 0, offset: 0 },
    };
}

/// The value of the format row.
pub(crate) fn format_row(version: u32) -> Vec<u8> {
    [&MAGIC[..], &version.to_le_bytes()].concat()
}

/// The version in a format row; `None` if the row is damaged.
pub(crate) fn format_version(row: &[u8]) -> Option<u32> {
    row.strip_prefix(MAGIC)?.try_into().ok().map(u32::from_le_bytes)
}

/// Clears `key` and writes the bytes that identify a URL in hashes.
pub(crate) fn push_url_key(key: &mut Vec<u8>, host: &str, url: &str) {
    let (tag, rest) = pack(host, url);
    key.clear();
    key.push(URL);
    key.extend_from_slice(host.as_bytes());
    key.extend_from_slice(&[0, tag]);
    key.extend_from_slice(rest.as_bytes());
}

/// The URL without its host.
pub(crate) fn pack_url(host: &str, url: &str) -> String {
    let (tag, rest) = pack(host, url);
    let mut packed = String::with_capacity(rest.len() + 1);
    packed.push(char::from(tag));
    packed.push_str(rest);
    packed
}

/// The inverse of [`pack_url`]; `None` for text that it did not write.
pub(crate) fn unpack_url(host: &str, packed: &str) -> Option<String> {
    let mut rest = packed.chars();
    match rest.next()? {
        'S' => Some(format!("https://{host}{}", rest.as_str())),
        'H' => Some(format!("http://{host}{}", rest.as_str())),
        '=' => Some(rest.as_str().to_owned()),
        _ => None,
    }
}

fn pack<'a>(host: &str, url: &'a str) -> (u8, &'a str) {
    let after = |scheme| url.strip_prefix(scheme).and_then(|rest: &str| rest.strip_prefix(host));
    match (after("https://"), after("http://")) {
        (Some(path), _) => (b'S', path),
        (_, Some(path)) => (b'H', path),
        _ => (b'=', url),
    }
}

/// A key of a table with numbers as keys.
pub(crate) fn numbered(table: u8, number: u64) -> [u8; 9] {
    let mut key = [table; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The number of such a key.
pub(crate) fn number(table: u8, key: &[u8]) -> Option<u64> {
    key.strip_prefix(&[table])?.try_into().ok().map(u64::from_be_bytes)
}

/// A key of a table with names as keys.
pub(crate) fn named(table: u8, name: &str) -> Vec<u8> {
    [&[table], name.as_bytes()].concat()
}

/// The name of such a key.
pub(crate) fn name(key: &[u8]) -> String {
    String::from_utf8_lossy(&key[1..]).into_owned()
}

/// A key of a table with pairs of a host and a URL as keys.
pub(crate) fn paired(table: u8, host: &str, url: &str) -> Vec<u8> {
    [&[table], host.as_bytes(), &[0], url.as_bytes()].concat()
}

/// A row that begins with its own version.
pub(crate) fn encode_versioned<T: Serialize>(value: &T) -> Result<Vec<u8>, StorageError> {
    let mut row = vec![ROW_VERSION];
    row.extend(encode(value)?);
    Ok(row)
}

/// The value of such a row; `None` if it is damaged or has another version.
pub(crate) fn decode_versioned<T: DeserializeOwned>(row: &[u8]) -> Option<T> {
    postcard::from_bytes(row.strip_prefix(&[ROW_VERSION])?).ok()
}

/// Whether a row of a robots.txt or a sitemap was fetched later than another. The time of the fetch is the first field of both.
pub(crate) fn is_fetched_later(row: &[u8], than: &[u8]) -> bool {
    let fetched_at = |row| decode_versioned::<(u64, Vec<u8>)>(row).map(|(fetched_at, _)| fetched_at);
    fetched_at(than) < fetched_at(row)
}

/// Refuses a host or URL that cannot be a key.
pub(crate) fn check_url(host: &str, url: &str) -> Result<(), StorageError> {
    let fits = |text: &str| !text.is_empty() && text.len() <= MAX_URL_BYTES && !text.as_bytes().contains(&0);
    if fits(host) && fits(url) {
        return Ok(());
    }
    Err(StorageError::InvalidUrl {
        host: host.to_owned(),
        url: url.to_owned(),
        max_bytes: MAX_URL_BYTES,
    })
}

pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, StorageError> {
    postcard::to_stdvec(value).map_err(StorageError::Encode)
}

thread_local! {
    // Kept by each thread, because the memory of a compressor costs more to fill than a row costs to compress.
    // The fastest level that compresses: most rows are made on the recorder's thread.
    static COMPRESSOR: RefCell<Compressor> = RefCell::new(Compressor::new(CompressionLvl::new(1).unwrap_or_default()));
}

/// The bytes as a raw DEFLATE stream (RFC 1951).
pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let mut packed = vec![0; compressor.deflate_compress_bound(bytes.len())];
        // It has room for any result, so it cannot fail.
        let length = compressor.deflate_compress(bytes, &mut packed).unwrap_or(0);
        packed.truncate(length);
        packed.shrink_to_fit();
        packed
    })
}

/// A row of [`ROW_VERSION`] and the content in DEFLATE.
pub(crate) fn packed(content: &[u8]) -> Vec<u8> {
    [&[ROW_VERSION][..], &deflated(content)].concat()
}

/// The content of such a row, at most `limit` bytes; `None` if the row is damaged.
pub(crate) fn unpacked(row: &[u8], limit: usize) -> Option<Vec<u8>> {
    inflated(row.strip_prefix(&[ROW_VERSION])?, limit)
}

/// The bytes of a raw DEFLATE stream, at most `limit`; `None` if the stream is damaged.
pub(crate) fn inflated(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(packed).take(limit as u64);
    decoder.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_packed_urls_can_be_read_back() {
        for url in [
            "http://h:80/?a=\u{e9}",
            "https://h:80",
            "http://h/",
            "S/",
            "https://other/",
            "urn:x",
        ] {
            assert_eq!(unpack_url("h:80", &pack_url("h:80", url)).as_deref(), Some(url));
        }
        assert_eq!(pack_url("h", "https://h/p"), "S/p");
        assert_eq!(
            pack_url("h", "https://hh/p"),
            "Sh/p",
            "the host that unpacks it makes it whole"
        );
        assert_eq!(number(b'p', &numbered(b'p', 7)), Some(7));
        assert_eq!(number(b'q', &numbered(b'p', 7)), None);
        assert_eq!(format_version(&format_row(3)), Some(3));
        assert_eq!(format_version(b"OTHER\0\0\0\x01\0\0\0"), None);
    }

    #[test]
    fn hosts_and_urls_that_cannot_be_keys_are_refused() {
        let long = "x".repeat(MAX_URL_BYTES + 1);
        for (host, url) in [
            ("", "u"),
            ("h", ""),
            ("h\0", "u"),
            ("h", "u\0"),
            (&long, "u"),
            ("h", &long),
        ] {
            assert!(matches!(check_url(host, url), Err(StorageError::InvalidUrl { .. })));
        }
        assert!(check_url("h", "u").is_ok());
    }
}
