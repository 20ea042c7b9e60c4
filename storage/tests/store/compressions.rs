//! Archives with Zstandard frames, and data folders with files of both compressions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use storage::warc::{Compression, WarcReader, payload_digest};
use storage::{FindingKind, MergeSource, OpenOptions, Outcome, PageRecord, Rebuild, StorageError, Store, Verdict};

use super::rebuild::{findings, rebuilt};
use super::support::*;

use Compression::{Gzip, Zstd};

/// Opens the store as a run with this compression does.
fn opened(dir: &Path, compression: Compression) -> Store {
    let options = OpenOptions {
        compression: Some(compression),
        ..options()
    };
    Store::open(dir, &options).unwrap()
}

/// Fetches pages, and commits.
fn fetch(store: &mut Store, paths: &[&str], compression: Compression) {
    for path in paths {
        let queued = store.discover(&[link("h", path)]).unwrap().remove(0);
        let body = format!("<p>{}", queued.url);
        let mut draft = draft(Verdict::Unique);
        draft.payload_digest = payload_digest(body.as_bytes());
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture: Some(capture_as(
                compression,
                &queued.url,
                body.as_bytes(),
                &text_of(&queued.url),
            )),
        };
        store.finish(&queued, outcome, &[link("i", path)]).unwrap();
    }
    store.commit().unwrap();
}

/// Three runs, with files of Zstandard, gzip and Zstandard.
fn mixed(dir: &Path) {
    for (compression, paths) in [(Zstd, ["a", "b"]), (Gzip, ["c", "d"]), (Zstd, ["e", "f"])] {
        fetch(&mut opened(dir, compression), &paths, compression);
    }
}

const FILES_OF_MIXED: [&str; 3] = [
    "crawl-20260321093000-00000.warc.zst",
    "crawl-20260321093000-00001.warc.gz",
    "crawl-20260321093000-00002.warc.zst",
];

fn warcs(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("warc")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "cdxj"));
    paths.sort();
    paths
}

fn names(dir: &Path) -> Vec<String> {
    let names = warcs(dir).into_iter();
    names
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// The pages by URL. Reads their records.
fn pages(store: &Store) -> BTreeMap<String, PageRecord> {
    assert_sound(store);
    let pages = store.pages_from(0).map(|row| row.unwrap().1);
    let read = pages.map(|page| {
        assert_eq!(store.text_of(&page).unwrap(), Some(text_of(&page.url)));
        let response = page.response.unwrap();
        let record = store.archive().record(response).unwrap();
        assert_eq!(record.http_payload().unwrap(), format!("<p>{}", page.url).as_bytes());
        let id = store.archive().record_id(response).unwrap();
        assert_eq!(id.as_deref(), record.field("WARC-Record-ID"));
        (page.url.clone(), page)
    });
    read.collect()
}

#[test]
fn a_run_with_another_compression_begins_another_file() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    assert_eq!(names(dir.path()), FILES_OF_MIXED);
    let mut store = opened(dir.path(), Zstd);
    assert_eq!(pages(&store).len(), 6);
    // The same compression continues the last file.
    let queued = store.discover(&[link("h", "g")]).unwrap().remove(0);
    store.finish(&queued, kept_as(Zstd, &queued), &[]).unwrap();
    store.commit().unwrap();
    assert_eq!(pages(&store).len(), 7);
    assert_eq!(names(dir.path()), FILES_OF_MIXED);
    let full: Vec<_> = store.archive().full_files().paths().collect();
    assert_eq!(full, warcs(dir.path())[..2]);
    drop(store);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn every_file_has_the_compression_of_its_name_and_begins_with_a_warcinfo() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    for (path, magic) in warcs(dir.path())
        .iter()
        .zip([&[0x28, 0xb5, 0x2f, 0xfd][..], &[0x1f, 0x8b], &[0x28, 0xb5]])
    {
        let bytes = fs::read(path).unwrap();
        assert!(bytes.starts_with(magic));
        let records: Vec<_> = WarcReader::new(std::io::Cursor::new(bytes))
            .map(|read| read.unwrap().unwrap().record)
            .collect();
        let name = path.file_name().unwrap().to_str();
        assert_eq!(records[0].field("WARC-Filename"), name);
        let kinds: Vec<_> = records.iter().map(|record| record.kind().to_owned()).collect();
        let page = ["request", "response", "conversion", "metadata"];
        assert_eq!(kinds, [&["warcinfo"], &page[..], &page[..]].concat());
    }
}

#[test]
fn the_index_has_the_place_of_each_frame() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    let index = storage::cdxj::write_index(&mut opened(dir.path(), Gzip)).unwrap();
    let lines = fs::read_to_string(index).unwrap();
    assert_eq!(lines.lines().count(), 6);
    for line in lines.lines() {
        let field = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\": \"")).unwrap();
            rest.split('"').next().unwrap()
        };
        let number = |name| field(name).parse::<usize>().unwrap();
        let bytes = fs::read(dir.path().join("warc").join(field("filename"))).unwrap();
        let place = &bytes[number("offset")..][..number("length")];
        let record = WarcReader::new(std::io::Cursor::new(place))
            .next_record()
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(record.length, place.len() as u64);
        assert_eq!(record.record.field("WARC-Target-URI"), Some(field("url")));
    }
    assert_eq!(findings(dir.path()), []);
    // A run that adds to the index merges its lines with those of files with other compressions.
    let mut store = opened(dir.path(), Zstd);
    fetch(&mut store, &["g"], Zstd);
    storage::cdxj::write_index(&mut store).unwrap();
    drop(store);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_lost_state_is_rebuilt_from_files_of_both() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    let before = pages(&opened(dir.path(), Gzip));
    for keeps_state in [true, false] {
        if keeps_state {
            let rebuild = Rebuild::begin_with_state(dir.path(), &OpenOptions::existing(), &mut |_| ())
                .unwrap()
                .unwrap();
            rebuild.finish(&mut |_| ()).unwrap();
        } else {
            fs::remove_dir_all(dir.path().join("state")).unwrap();
            let (done, problems) = rebuilt(dir.path());
            assert_eq!((done.pages, problems), (6, vec![]));
        }
        assert_eq!(findings(dir.path()), []);
        assert_eq!(pages(&opened(dir.path(), Gzip)), before);
    }
    // The next run continues the last file, or begins another one.
    fetch(&mut opened(dir.path(), Zstd), &["g"], Zstd);
    assert_eq!(names(dir.path()), FILES_OF_MIXED);
    fetch(&mut opened(dir.path(), Gzip), &["x"], Gzip);
    assert_eq!(names(dir.path()).last().unwrap(), "crawl-20260321093000-00003.warc.gz");
    assert_eq!(pages(&opened(dir.path(), Zstd)).len(), 8);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_missing_file_is_named_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    for (name, path) in FILES_OF_MIXED.iter().zip(warcs(dir.path())) {
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let message = Store::open(dir.path(), &options()).unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_second_file_of_a_number_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    mixed(dir.path());
    let first = warcs(dir.path()).remove(1);
    fs::copy(&first, first.with_extension("zst")).unwrap();
    let before = pages(&opened(dir.path(), Gzip));
    fs::remove_dir_all(dir.path().join("state")).unwrap();
    let (_, problems) = rebuilt(dir.path());
    assert!(problems[0].contains("00001.warc.zst has the number of"), "{problems:?}");
    assert_eq!(pages(&opened(dir.path(), Gzip)), before);
}

#[test]
fn every_changed_byte_of_a_zstandard_file_is_found() {
    let dir = tempfile::tempdir().unwrap();
    fetch(&mut opened(dir.path(), Zstd), &["a", "b"], Zstd);
    assert_eq!(findings(dir.path()), []);
    let path = warcs(dir.path()).remove(0);
    let bytes = fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        fs::write(&path, damaged).unwrap();
        let found = findings(dir.path());
        assert!(
            found.iter().any(|finding| finding.kind == FindingKind::Archive),
            "byte {at}: {found:?}"
        );
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_rebuilt_to_its_last_whole_page() {
    let dir = tempfile::tempdir().unwrap();
    fetch(&mut opened(dir.path(), Zstd), &["a", "b", "c"], Zstd);
    let path = warcs(dir.path()).remove(0);
    let bytes = fs::read(&path).unwrap();
    let all = pages(&opened(dir.path(), Zstd));
    let ends: Vec<u64> = all
        .values()
        .map(|page| page.text.unwrap())
        .map(|text| text.offset + text.length)
        .collect();
    for cut in (1..bytes.len()).step_by(97) {
        let copy = tempfile::tempdir().unwrap();
        let warc = copy.path().join("warc");
        fs::create_dir(&warc).unwrap();
        fs::write(warc.join(path.file_name().unwrap()), &bytes[..cut]).unwrap();
        let begun = Rebuild::begin(copy.path(), &OpenOptions::existing(), &mut |_| ());
        let rebuild = match begun {
            Ok(rebuild) => rebuild,
            // Its first record, which names the scheme, is cut.
            Err(StorageError::SchemeUnknown { .. }) => continue,
            Err(error) => panic!("{cut}: {error}"),
        };
        rebuild.finish(&mut |_| ()).unwrap();
        let mut store = opened(copy.path(), Zstd);
        let found = pages(&store);
        let whole = ends.iter().filter(|end| **end < cut as u64).count();
        assert!(found.len() <= whole && found.len() + 1 >= whole, "{cut}");
        fetch(&mut store, &["d"], Zstd);
        drop(store);
        assert_eq!(findings(copy.path()), [], "{cut}");
        assert_eq!(names(copy.path()).len(), 1);
    }
}

#[test]
fn a_tail_without_commit_is_cut_off_whatever_the_next_run_writes() {
    let dir = tempfile::tempdir().unwrap();
    fetch(&mut opened(dir.path(), Zstd), &["a"], Zstd);
    let path = warcs(dir.path()).remove(0);
    let committed = fs::read(&path).unwrap();
    for tail in [
        &b"\x28\xb5\x2f\xfdtorn"[..],
        &committed[..committed.len() - 1],
        &[0; 5_000],
    ] {
        for compression in [Gzip, Zstd] {
            fs::write(&path, [&committed, tail].concat()).unwrap();
            // A file that the interrupted commit began.
            for next in [
                "crawl-20260321093000-00001.warc.gz",
                "crawl-20260321093000-00001.warc.zst",
            ] {
                fs::write(path.with_file_name(next), tail).unwrap();
            }
            let store = opened(dir.path(), compression);
            assert_eq!(fs::read(&path).unwrap(), committed);
            assert_eq!(names(dir.path()), ["crawl-20260321093000-00000.warc.zst"]);
            assert_eq!(pages(&store).len(), 1);
        }
    }
}

#[test]
fn an_old_state_does_not_cut_off_frames_of_later_commits() {
    let dir = tempfile::tempdir().unwrap();
    fetch(&mut opened(dir.path(), Zstd), &["a"], Zstd);
    let old = tempfile::tempdir().unwrap();
    copy_folder(&dir.path().join("state"), &old.path().join("state"));
    for (compression, paths) in [(Zstd, ["b", "c"]), (Gzip, ["d", "e"])] {
        // One commit could be one that was interrupted.
        for path in paths {
            fetch(&mut opened(dir.path(), compression), &[path], compression);
        }
        fs::remove_dir_all(dir.path().join("state")).unwrap();
        copy_folder(&old.path().join("state"), &dir.path().join("state"));
        let _none = fs::remove_file(dir.path().join("last-commit"));
        let refused = Store::open(dir.path(), &options()).unwrap_err();
        assert!(matches!(refused, StorageError::RolledBack { .. }), "{refused}");
        rebuilt(dir.path());
    }
    assert_eq!(pages(&opened(dir.path(), Gzip)).len(), 5);
}

#[test]
fn folders_of_both_compressions_are_merged() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [Zstd, Gzip].map(|compression| dir.path().join(format!("{compression:?}")));
    for (number, (compression, dir)) in (1..).zip([Zstd, Gzip].into_iter().zip(&dirs)) {
        let options = OpenOptions {
            compression: Some(compression),
            warcinfo: storage::Worker {
                number,
                crawl: "f".to_owned(),
            }
            .fields(),
            now_ms: NOW_MS + u64::from(number),
            ..options()
        };
        let mut store = Store::open(dir, &options).unwrap();
        fetch(&mut store, &[&format!("{compression:?}")], compression);
    }
    let target = dir.path().join("merged");
    let sources = dirs.map(|dir| MergeSource {
        name: dir.display().to_string(),
        dir,
    });
    let options = OpenOptions {
        compression: Some(Zstd),
        ..OpenOptions::existing()
    };
    let merge = storage::merge(&target, &sources, false, &options, &mut |_| ()).unwrap();
    merge.finish(&mut |_| ()).unwrap();
    assert_eq!(
        names(&target),
        [
            "crawl-20260321093000-00000.warc.zst",
            "crawl-20260321093000-00001.warc.gz",
            // The numbers of the pages.
            "crawl-20260321093000-00002.warc.zst"
        ]
    );
    assert_eq!(findings(&target), []);
    let before = pages(&opened(&target, Zstd));
    assert_eq!(before.len(), 2);
    fs::remove_dir_all(target.join("state")).unwrap();
    let (_, problems) = rebuilt(&target);
    assert_eq!(problems, [] as [&str; 0]);
    assert_eq!(pages(&opened(&target, Zstd)), before);
    assert_eq!(findings(&target), []);
}
