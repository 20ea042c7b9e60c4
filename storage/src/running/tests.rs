use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::client::{Connected, Lender};
use super::server::Server;
use super::socket::{self, Listener};
use crate::warc::{Capture, Compression};
use crate::{Discovered, Finding, Findings, OpenOptions, Outcome, PageDraft, StorageError, Store};

fn open(dir: &Path) -> Store {
    let options = OpenOptions {
        cache_bytes: 4 << 20,
        command: "crawler run".to_owned(),
        ..OpenOptions::new("s")
    };
    Store::open(dir, &options).unwrap()
}

/// Queues and decides the pages with the numbers `range`, each with a link.
fn crawl(store: &mut Store, range: std::ops::Range<u32>) {
    for number in range {
        let queued = store.discover(&[link(&format!("page/{number}"))]).unwrap();
        let capture = Capture {
            url: &queued[0].url,
            fetched_at: 0,
            ip: None,
            request: None,
            status: 200,
            reason: "OK",
            headers: Vec::new(),
            payload: b"body",
            truncated: None,
            rendered: None,
            text: "text",
        };
        let outcome = Outcome::Page {
            draft: Box::new(PageDraft {
                title: format!("Page {number}"),
                body_bytes: 4,
                text_chars: 4,
                ..PageDraft::default()
            }),
            capture: Some(capture.encode(Compression::default()).unwrap()),
        };
        let links = [link(&format!("linked/{number}"))];
        store.finish(&queued[0], outcome, &links).unwrap();
    }
    store.commit().unwrap();
}

fn link(path: &str) -> Discovered {
    Discovered {
        url: format!("https://h/{path}"),
        host: "h".to_owned(),
        ..Discovered::default()
    }
}

fn lent(dir: &Path) -> Store {
    Store::open_lent(dir).unwrap().expect("the store is lent")
}

/// All that a report reads, in words.
fn contents(store: &Store) -> Vec<String> {
    let pages = store.pages_from(1).map(|row| format!("{:?}", row.unwrap()));
    let urls = store.urls().map(|row| format!("{:?}", row.unwrap()));
    let queue = store.queue().urls().map(|row| format!("{:?}", row.unwrap()));
    let hosts = store.hosts().all().map(|row| format!("{:?}", row.unwrap()));
    let looked_up = ["page/3", "linked/3", "linked/2000", "unknown"]
        .map(|path| format!("{:?}", store.url_state("h", &format!("https://h/{path}")).unwrap()));
    let rest = [format!("{:?} {:?}", store.counts(), store.next_page_id())];
    pages
        .chain(urls)
        .chain(queue)
        .chain(hosts)
        .chain(looked_up)
        .chain(rest)
        .collect()
}

fn findings(store: &Store) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |finding| found.push(finding);
    crate::verify(store, &mut Findings::new(&mut note, &mut |_| ())).unwrap();
    found
}

#[test]
fn a_lent_store_shows_one_commit_while_the_crawl_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(Store::open_lent(dir.path()).unwrap().is_none(), "nobody lends yet");
    store.lend().unwrap();
    crawl(&mut store, 0..1_500);
    let (before, commit) = (contents(&store), store.last_commit());
    let early = lent(dir.path());
    assert_eq!(contents(&early), before);
    assert_eq!(early.as_of().unwrap().commit, commit);
    assert!(early.index_db().is_none());
    // Staged changes are of no commit.
    store.discover(&[link("staged")]).unwrap();
    assert_eq!(contents(&lent(dir.path())), before);
    crawl(&mut store, 1_500..3_000);
    assert_eq!(contents(&early), before, "still the commit of the connection");
    assert_eq!(findings(&early), []);
    let late = lent(dir.path());
    assert_eq!(contents(&late), contents(&store));
    assert_ne!(contents(&late), before);
    assert_eq!(findings(&late), []);
}

#[test]
fn the_crawl_tells_what_it_does_while_it_lends() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(Store::told(dir.path()).unwrap(), None, "nobody lends yet");
    let asked = std::sync::atomic::AtomicU8::new(0);
    store
        .lend_and_tell(move || vec![asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed); 3])
        .unwrap();
    assert_eq!(Store::told(dir.path()).unwrap(), Some(vec![0; 3]));
    assert_eq!(Store::told(dir.path()).unwrap(), Some(vec![1; 3]));
    drop(store);
    assert_eq!(Store::told(dir.path()).unwrap(), None);
}

#[test]
fn a_lent_store_refuses_changes() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.lend().unwrap();
    crawl(&mut store, 0..3);
    let mut lent = lent(dir.path());
    lent.discover(&[link("other")]).unwrap();
    assert!(matches!(lent.commit(), Err(StorageError::Lent { .. })));
    let before = contents(&store);
    drop(lent);
    drop(store);
    assert_eq!(contents(&open(dir.path())), before);
}

#[test]
fn the_end_of_the_crawl_is_told_and_leaves_no_socket() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.lend().unwrap();
    crawl(&mut store, 0..3);
    let reader = lent(dir.path());
    assert!(dir.path().join("crawler.sock").exists());
    drop(store);
    let error = reader.page(1).unwrap_err();
    assert!(matches!(error, StorageError::LenderGone { .. }), "{error}");
    assert!(!dir.path().join("crawler.sock").exists());
    assert!(Store::open_lent(dir.path()).unwrap().is_none());
    open(dir.path());
}

#[test]
fn the_socket_of_a_killed_process_hinders_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    drop(std::os::unix::net::UnixListener::bind(dir.path().join("crawler.sock")).unwrap());
    std::fs::write(dir.path().join("crawler.port"), "1 x\n").unwrap();
    assert!(Store::open_lent(dir.path()).unwrap().is_none());
    store.lend().unwrap();
    crawl(&mut store, 0..3);
    assert_eq!(contents(&lent(dir.path())), contents(&store));
}

#[test]
fn a_folder_with_a_long_path_has_a_port_that_asks_for_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let long = dir.path().join("x".repeat(120));
    let mut store = open(&long);
    store.lend().unwrap();
    crawl(&mut store, 0..3);
    assert_eq!(contents(&lent(&long)), contents(&store));
    let file = long.join("crawler.port");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let line = std::fs::read_to_string(&file).unwrap();
    let (port, token) = line.trim().split_once(' ').unwrap();
    let address = ("127.0.0.1", port.parse::<u16>().unwrap());
    for wrong in ["0".repeat(token.len()), token[1..].to_owned(), String::new()] {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(wrong.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // The server may also reset the connection.
        let _ended = stream.read_to_end(&mut answer);
        assert_eq!(answer, [], "{wrong:?}");
    }
    drop(store);
    assert!(!file.exists());
}

#[test]
fn a_reader_that_sends_nonsense_is_disconnected_and_others_are_answered() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.lend().unwrap();
    crawl(&mut store, 0..3);
    for nonsense in [&[255_u8; 64][..], &[3, 0, 0, 0, 9, 9, 9], &[4, 0]] {
        let mut stream = socket::connect(dir.path()).unwrap();
        stream.write_all(nonsense).unwrap();
        drop(stream);
    }
    assert_eq!(contents(&lent(dir.path())), contents(&store));
}

#[test]
fn too_many_readers_are_told_to_come_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.lend().unwrap();
    let mut readers: Vec<Store> = (0..16).map(|_| lent(dir.path())).collect();
    assert!(Store::open_lent(dir.path()).unwrap().is_none());
    readers.pop();
    // The server notices the end of a connection a little later.
    let again = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        Store::open_lent(dir.path()).unwrap()
    });
    assert!(again.take(1_000).flatten().next().is_some());
}

#[test]
fn another_version_of_the_messages_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let listener = Listener::bind_port(dir.path()).unwrap();
    let other = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap();
        listener.admit(&mut stream).unwrap();
        // A message with a version of two bytes: 200.
        stream.write_all(&[5, 0, 0, 0, 0, 0xc8, 0x01, 0, 0]).unwrap();
    });
    let refused = Lender::connect(dir.path());
    assert!(matches!(refused, Err(StorageError::OtherVersion { .. })));
    other.join().unwrap();
}

#[test]
fn a_port_serves_as_a_socket_does() {
    let dir = tempfile::tempdir().unwrap();
    let state = crate::state::State::open(dir.path(), 1 << 20).unwrap();
    let server = Server::with(Listener::bind_port(dir.path()).unwrap(), state, Box::new(Vec::new)).unwrap();
    let Connected::To(lender) = Lender::connect(dir.path()).unwrap() else {
        panic!("nobody listens");
    };
    assert!(lender.get(b"no such row").unwrap().is_none());
    drop(server);
    assert!(matches!(lender.get(b"x"), Err(StorageError::LenderGone { .. })));
}
