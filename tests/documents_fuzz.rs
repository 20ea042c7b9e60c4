//! Thousands of mutations of PDF, DOCX, EPUB and Markdown files and of feeds, read by child processes as in a crawl: each is read or refused within the bounds, and
//! no child takes more memory than it may.
//!
//! `DOCUMENT_MUTATIONS` sets the number for each format. The bar is 20,000.

use std::env;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::time::Instant;

use documents::{Fault, Kind, Limits, Pool, Reader};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::fuzz_seeds::{Random, mutate_to};

/// Mutations of each format unless `DOCUMENT_MUTATIONS` sets another number.
const MUTATIONS: usize = 300;

/// Most bytes that a child may hold.
const MAX_CHILD_BYTES: u64 = 500 * 1024 * 1024;

/// The files of `fuzz/seeds/documents` with this ending.
fn seeds(ending: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/documents");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The package with one of its files mutated, so that its checksums are right.
fn repacked(package: &[u8], random: &mut Random) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(package)).unwrap();
    let chosen = random.below(archive.len());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        if at == chosen {
            bytes = mutate_to(random, &[bytes], 1 << 20);
        }
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let name = file.name().unwrap().into_owned();
        writer.start_file(name, options).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The most memory that a child of this process has held, in bytes.
#[cfg(target_os = "linux")]
fn peak_of_children() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let children = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let peak = |id: &str| {
        let name = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:").map(str::to_owned));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        if name.contains("--read-documents") {
            kilobytes.unwrap_or(0) * 1024
        } else {
            0
        }
    };
    children
        .flat_map(|ids| ids.split_whitespace().map(peak).collect::<Vec<_>>())
        .max()
        .unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn peak_of_children() -> u64 {
    0
}

#[test]
fn every_mutation_of_a_document_is_read_or_refused_within_the_bounds() {
    let number = env::var("DOCUMENT_MUTATIONS").map_or(MUTATIONS, |number| number.parse().unwrap());
    let program =
        env::var_os("CRAWLER_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_crawler")), PathBuf::from);
    let pool = Pool::new(program, vec!["--read-documents-for-the-parent-process".into()], 2);
    let limits = Limits::default();
    for (kind, ending) in [
        (Kind::Pdf, "pdf"),
        (Kind::Docx, "docx"),
        (Kind::Epub, "epub"),
        (Kind::Markdown, "md"),
        (Kind::Feed, "xml"),
    ] {
        let seeds = seeds(ending);
        assert!(!seeds.is_empty(), "no seeds for {ending}");
        for seed in &seeds {
            let read = pool.read(kind, seed, &limits);
            assert!(
                matches!(read, Ok(_) | Err(Fault::Encrypted)),
                "a seed of {ending}: {read:?}"
            );
        }
        let mut random = Random(kind as u64 + 100);
        let (mut read, mut refused, mut given_up, mut peak) = (0, 0, 0, 0);
        let mut longest = 0.0_f64;
        for at in 0..number {
            let input = match kind {
                Kind::Docx | Kind::Epub if at % 4 != 0 => repacked(&seeds[random.below(seeds.len())], &mut random),
                _ => mutate_to(&mut random, &seeds, 1 << 20),
            };
            let began = Instant::now();
            match pool.read(kind, &input, &limits) {
                Ok(_) => read += 1,
                Err(Fault::TookTooLong { .. } | Fault::OutOfMemory { .. } | Fault::Crashed(_)) => given_up += 1,
                Err(Fault::Unavailable(reason)) => panic!("mutation {at} of {ending}: {reason}"),
                Err(_) => refused += 1,
            }
            longest = longest.max(began.elapsed().as_secs_f64());
            peak = peak.max(peak_of_children());
            assert!(peak <= MAX_CHILD_BYTES, "mutation {at} of {ending} took {peak} bytes");
        }
        println!(
            "{ending}: {number} mutations: {read} read, {refused} refused, {given_up} given up; longest {longest:.2} s, peak {} MB",
            peak / 1_000_000
        );
        // Nothing ends the reading of later documents.
        let read = pool.read(kind, &seeds[0], &limits);
        assert!(read.is_ok(), "{ending}: {read:?}");
    }
}
