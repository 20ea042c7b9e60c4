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
//!        'm' "early"                                              ⟨[(u64, u64)]⟩ numbers of URLs whose links may be in no metadata
//!                                                                 record, because a crash cut off their commit; see `early`
//! log    'k' id:u64 of the first                                  ⟨[(hash:u64 LE, id)]⟩ of the URLs of a batch
//! bucket 'b' depth:u8 number:u32                                  ⟨hash less the one before, id⟩ of each URL, by hash
//! url    'u' id:u64                                               ⟨UrlRow⟩: 01 page sequence · 02 redirect · 03 failure ·
//!                                                                 04 exclusion, each but the page with host and packed;
//!                                                                 then ⟨Edges⟩: the numbers of its outlinks; see `depths`
//! depths 'e' id:u64 / 256                                         ⟨[u32]⟩ of 256 URLs: the depth plus one, 0 if it is not known
//! lowered 'a' id:u64                                              empty: the depth of the URL sank, its outlinks must follow
//! beyond 'c' id:u64 part:u8                                       01 ⟨[BeyondLink]⟩ in DEFLATE: outlinks of a URL that are too
//!                                                                 deep to be queued; see `lowered`
//! queue  'q' host 00 priority:u8 depth:u16 seq:u64 of the first   ⟨Entry⟩ of each URL of a chunk, by seq: seq less the one
//!                                                                 before, bytes shared with the packed URL before, the rest
//!                                                                 of it, redirects, attempts, via (00 none · 01 that of the
//!                                                                 one before · 02 its own), id, revisit
//! page   'p' sequence:u64                                         ⟨PageRecord⟩
//! visits 'v' page sequence:u64                                    ⟨Visits⟩ of a page that was visited again, or is queued for it
//! depart 'd' page sequence:u64                                    empty: the page must leave the index
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
//! foreign 'f' packed:u64                                          01 ⟨ForeignRecord⟩: URL and signature of a kept page of another worker,
//!                                                                 by its packed number; see `foreign`
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
//! A version may gain tables and rows that a program may ignore if it does not know them, and fields at the end of a PageRecord or an
//! ArchivedVisit: earlier programs do not read them, and later ones read a row without them. The first such field of a PageRecord is
//! `page_type`, the second `rendering`, the third `logged_in`, the fourth `is_incomplete`; that of an ArchivedVisit is `response_type`.
//!
//! The rows of `gate`, `robots`, `sitemap`, `links` and `foreign` begin with their own version, 01. `origin` is `scheme://authority`, as robots.txt
//! has it.
//!
//! The entry of a URL in `log` or `bucket` exists from discovery on and is never removed, only moved from `log` to `bucket`. The entry
//! in `queue` exists from discovery until the URL is finished; a retry moves it. A failed URL that is tried again gets a new entry in
//! `queue` and loses its row in `url`. A page that is due gets a new entry in `queue` and keeps its row.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::edges::Edges;
use crate::error::StorageError;
use crate::frontier::{ChunkKind, Place};
use crate::url_state::UrlState;
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

pub(crate) const STATE_TREE: &str = "state";
pub(crate) const META_FORMAT: &[u8] = b"mformat";
pub(crate) const META_SCHEME: &[u8] = b"mscheme";
pub(crate) const META_STARTED: &[u8] = b"mstarted";
pub(crate) const META_PROGRESS: &[u8] = b"mprogress";
pub(crate) const META_RUNNING: &[u8] = b"mrunning";
pub(crate) const META_INDEXED: &[u8] = b"mindexed";
pub(crate) const META_GAPS: &[u8] = b"mgaps";
pub(crate) const META_RULES: &[u8] = b"mrules";
pub(crate) const META_REDECIDED: &[u8] = b"mredecided";
pub(crate) const META_ORIGINS: &[u8] = b"morigins";
pub(crate) const META_SEED: &[u8] = b"mseed";
pub(crate) const META_KNOWN: &[u8] = b"mknown";
pub(crate) const META_WORKER: &[u8] = b"mworker";
pub(crate) const META_EARLY: &[u8] = b"mearly";
pub(crate) const META_MAX_DEPTH: &[u8] = b"mmax-depth";
pub(crate) const DEPTHS: u8 = b'e';
pub(crate) const LOWERED: u8 = b'a';
pub(crate) const BEYOND: u8 = b'c';
pub(crate) const KNOWN_LOG: u8 = b'k';
pub(crate) const KNOWN_BUCKETS: u8 = b'b';
pub(crate) const URLS: u8 = b'u';
pub(crate) const PAGES: u8 = b'p';
pub(crate) const HOSTS: u8 = b'h';
pub(crate) const QUEUE: u8 = b'q';
pub(crate) const VISITS: u8 = b'v';
pub(crate) const REFRESHES: u8 = b'x';
pub(crate) const ARCHIVED_VISITS: u8 = b'w';
pub(crate) const DEPARTED: u8 = b'd';
pub(crate) const REDECIDED: u8 = b'y';
pub(crate) const GATES: u8 = b'g';
pub(crate) const SKIPPED: u8 = b'z';
pub(crate) const OUTBOX: u8 = b'o';
pub(crate) const NUMBERS: u8 = b'n';
pub(crate) const FOREIGN: u8 = b'f';
pub(crate) const ROBOTS: u8 = b'r';
pub(crate) const NEW_LINKS: u8 = b'l';
pub(crate) const SITEMAPS: u8 = b's';

/// The version of the rows of [`GATES`], [`ROBOTS`], [`SITEMAPS`], [`NEW_LINKS`], [`BEYOND`] and [`FOREIGN`], their first byte.
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

/// The row of a finished URL.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UrlRow {
    pub state: UrlState,
    /// Host and packed URL; `None` for a page, whose record has them.
    pub url: Option<(String, String)>,
}

impl UrlRow {
    pub fn new(host: &str, url: &str, state: UrlState) -> Self {
        let is_page = matches!(state, UrlState::Page(_));
        let url = (!is_page).then(|| (host.to_owned(), pack_url(host, url)));
        Self { state, url }
    }

    /// The row, with the outlinks of the URL behind it.
    pub fn with_edges(&self, edges: &Edges) -> Result<Vec<u8>, StorageError> {
        let row = encode(self)?;
        postcard::to_extend(edges, row).map_err(StorageError::Encode)
    }
}

/// The row of a finished URL and its outlinks. A row of an earlier version of the program names none.
pub(crate) fn read_url_row(row: &[u8]) -> Option<(UrlRow, Edges)> {
    let (url, edges) = postcard::take_from_bytes::<UrlRow>(row).ok()?;
    let edges = match edges {
        [] => Edges::default(),
        edges => postcard::from_bytes(edges).ok()?,
    };
    Some((url, edges))
}

pub(crate) fn url_key(id: u64) -> [u8; 9] {
    numbered(URLS, id)
}

/// The URL of such a key.
pub(crate) fn url_id(key: &[u8]) -> Option<u64> {
    number(URLS, key)
}

pub(crate) fn depths_key(row: u64) -> [u8; 9] {
    numbered(DEPTHS, row)
}

pub(crate) fn lowered_key(id: u64) -> [u8; 9] {
    numbered(LOWERED, id)
}

pub(crate) fn lowered_url(key: &[u8]) -> Option<u64> {
    number(LOWERED, key)
}

/// The key for a part of the deep links of a URL.
pub(crate) fn beyond_key(id: u64, part: u8) -> [u8; 10] {
    let mut key = [part; 10];
    key[..9].copy_from_slice(&numbered(BEYOND, id));
    key
}

/// The URL and the part of such a key.
pub(crate) fn beyond_place(key: &[u8]) -> Option<(u64, u8)> {
    let (part, key) = key.split_last()?;
    Some((number(BEYOND, key)?, *part))
}

pub(crate) fn log_key(first_id: u64) -> [u8; 9] {
    numbered(KNOWN_LOG, first_id)
}

/// A URL in the log: its hash in little-endian order, and its number.
pub(crate) type Logged = ([u8; 8], u64);

pub(crate) fn bucket_prefix(depth: u8) -> [u8; 2] {
    [KNOWN_BUCKETS, depth]
}

pub(crate) fn bucket_key(depth: u8, bucket: u32) -> [u8; 6] {
    let [b0, b1, b2, b3] = bucket.to_be_bytes();
    [KNOWN_BUCKETS, depth, b0, b1, b2, b3]
}

/// Clears `key` and writes the bytes that identify a URL in hashes.
pub(crate) fn push_url_key(key: &mut Vec<u8>, host: &str, url: &str) {
    let (tag, rest) = pack(host, url);
    key.clear();
    key.push(URLS);
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

pub(crate) fn queue_prefix(host: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + 13);
    key.push(QUEUE);
    key.extend_from_slice(host.as_bytes());
    key.push(0);
    key
}

pub(crate) fn queue_key(kind: &ChunkKind, seq: u64) -> Vec<u8> {
    let mut key = queue_prefix(&kind.host);
    key.push(kind.priority);
    key.extend_from_slice(&kind.depth.to_be_bytes());
    key.extend_from_slice(&seq.to_be_bytes());
    key
}

/// The key that a chunk of the queue has if its first URL is at this place.
pub(crate) fn place_key(place: &Place) -> Vec<u8> {
    queue_key(&place.kind, place.seq)
}

/// Host, priority and depth of a key of the queue.
pub(crate) fn queue_kind(key: &[u8]) -> Option<ChunkKind> {
    let host = key.strip_prefix(&[QUEUE])?.split(|&byte| byte == 0).next()?;
    let host = std::str::from_utf8(host).ok()?.to_owned();
    let (priority, depth, _) = queue_place(&host, key)?;
    Some(ChunkKind { host, priority, depth })
}

/// Priority, depth and seq of a key of the host's queue.
pub(crate) fn queue_place(host: &str, key: &[u8]) -> Option<(u8, u16, u64)> {
    let place: &[u8; 11] = key.get(host.len() + 2..)?.try_into().ok()?;
    let [priority, d0, d1, seq @ ..] = *place;
    Some((priority, u16::from_be_bytes([d0, d1]), u64::from_be_bytes(seq)))
}

pub(crate) fn page_key(sequence: u64) -> [u8; 9] {
    numbered(PAGES, sequence)
}

pub(crate) fn visits_key(page: u64) -> Vec<u8> {
    numbered(VISITS, page).to_vec()
}

pub(crate) fn visited_page(key: &[u8]) -> Option<u64> {
    number(VISITS, key)
}

pub(crate) fn new_links_key(page: u64) -> [u8; 9] {
    numbered(NEW_LINKS, page)
}

pub(crate) fn departed_key(page: u64) -> Vec<u8> {
    numbered(DEPARTED, page).to_vec()
}

pub(crate) fn departed_page(key: &[u8]) -> Option<u64> {
    number(DEPARTED, key)
}

pub(crate) fn redecided_key(page: u64) -> Vec<u8> {
    numbered(REDECIDED, page).to_vec()
}

pub(crate) fn redecided_page(key: &[u8]) -> Option<u64> {
    number(REDECIDED, key)
}

pub(crate) fn outbox_key(number: u64) -> Vec<u8> {
    numbered(OUTBOX, number).to_vec()
}

pub(crate) fn outbox_number(key: &[u8]) -> Option<u64> {
    number(OUTBOX, key)
}

pub(crate) fn foreign_key(packed: u64) -> Vec<u8> {
    numbered(FOREIGN, packed).to_vec()
}

pub(crate) fn foreign_number(key: &[u8]) -> Option<u64> {
    number(FOREIGN, key)
}

pub(crate) fn refresh_key(refresh: u64) -> Vec<u8> {
    numbered(REFRESHES, refresh).to_vec()
}

pub(crate) fn refresh_number(key: &[u8]) -> Option<u64> {
    number(REFRESHES, key)
}

/// The key for the `revisit` record of a visit, by page and time in Unix milliseconds.
pub(crate) fn archived_visit_key(page: u64, at: u64) -> Vec<u8> {
    [&numbered(ARCHIVED_VISITS, page)[..], &at.to_be_bytes()].concat()
}

/// Page and time of such a key.
pub(crate) fn archived_visit(key: &[u8]) -> Option<(u64, u64)> {
    let (page, at) = key.split_at_checked(9)?;
    Some((number(ARCHIVED_VISITS, page)?, u64::from_be_bytes(at.try_into().ok()?)))
}

/// The key for the unreadable stretch that begins at `offset` of a WARC file.
pub(crate) fn skipped_key(file: u32, offset: u64) -> Vec<u8> {
    [&[SKIPPED][..], &file.to_be_bytes(), &offset.to_be_bytes()].concat()
}

/// The key for a chunk of the numbers of an origin's pages.
pub(crate) fn numbers_key(origin: usize, chunk: u64) -> Vec<u8> {
    [&numbers_prefix(origin)[..], &chunk.to_be_bytes()].concat()
}

/// The beginning of the keys of an origin.
pub(crate) fn numbers_prefix(origin: usize) -> [u8; 3] {
    let [high, low] = u16::try_from(origin).unwrap_or(u16::MAX).to_be_bytes();
    [NUMBERS, high, low]
}

/// The chunk of such a key.
pub(crate) fn numbers_chunk(key: &[u8]) -> Option<u64> {
    let chunk = key.strip_prefix(&[NUMBERS])?.get(2..)?;
    chunk.try_into().ok().map(u64::from_be_bytes)
}

/// A key of a table with numbers as keys.
fn numbered(table: u8, number: u64) -> [u8; 9] {
    let mut key = [table; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

fn number(table: u8, key: &[u8]) -> Option<u64> {
    key.strip_prefix(&[table])?.try_into().ok().map(u64::from_be_bytes)
}

pub(crate) fn page_sequence(key: &[u8]) -> Option<u64> {
    number(PAGES, key)
}

pub(crate) fn host_key(host: &str) -> Vec<u8> {
    [&[HOSTS], host.as_bytes()].concat()
}

pub(crate) fn host_state_key(host: &str) -> Vec<u8> {
    [&[GATES], host.as_bytes()].concat()
}

pub(crate) fn robots_key(host: &str, origin: &str) -> Vec<u8> {
    [&[ROBOTS], host.as_bytes(), &[0], origin.as_bytes()].concat()
}

pub(crate) fn sitemap_key(host: &str, url: &str) -> Vec<u8> {
    [&[SITEMAPS], host.as_bytes(), &[0], url.as_bytes()].concat()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_keys_sort_by_host_then_priority_then_depth_then_seq() {
        let queue_key = |host: &str, priority, depth, seq| {
            let host = host.to_owned();
            queue_key(&ChunkKind { host, priority, depth }, seq)
        };
        let in_order = [
            queue_key("a", 0, 0, 300),
            queue_key("a", 0, 1, 2),
            queue_key("a", 0, 256, 1),
            queue_key("a", 1, 0, 0),
            queue_key("a.b", 0, 0, 0),
            queue_key("ab", 0, 0, 0),
        ];
        assert!(in_order.is_sorted());
        assert!(!in_order[4].starts_with(&queue_prefix("a")));
        assert_eq!(queue_place("a", &in_order[2]), Some((0, 256, 1)));
        assert_eq!(queue_place("a.b", &in_order[0]), None);
    }

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
        assert_eq!(page_sequence(&page_key(7)), Some(7));
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
