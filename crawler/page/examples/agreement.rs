//! Reads the HTML files of folders with the tree of this crate and with scraper's selectors, prints where the two differ, and how fast each is.
//!
//! `cargo run --release -p crawler-page --features stages --example agreement FOLDER...`

mod html_files;

use std::path::Path;
use std::time::Duration;

use page::stages::agreement::{by_selectors, by_tree};
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Readings of each file. The fastest counts, because other programs share the caches of the processor.
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut pages, mut differing, mut cut, mut bytes) = (0, 0, 0, 0);
    let (mut tree_time, mut selector_time) = (Duration::ZERO, Duration::ZERO);
    for folder in std::env::args().skip(1) {
        for file in html_files::in_folder(Path::new(&folder))? {
            let html = page::stages::decoded(&std::fs::read(&file)?);
            let ((tree, truncated), time) = fastest(|| by_tree(&html));
            tree_time += time;
            let (selectors, time) = fastest(|| by_selectors(&html));
            selector_time += time;
            pages += 1;
            bytes += html.len();
            cut += usize::from(truncated.is_some());
            let differences = tree.differences(&selectors);
            if !differences.is_empty() {
                differing += 1;
                println!("{}: {differences:?} {truncated:?}", file.display());
            }
        }
    }
    println!("{pages} pages, {differing} differ, {cut} cut at a limit");
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "tree {:.1} MB/s, scraper {:.1} MB/s",
        rate(tree_time),
        rate(selector_time)
    );
    Ok(())
}

/// The result, and the processor time of the fastest reading.
fn fastest<T>(read: impl Fn() -> T) -> (T, Duration) {
    let timed = || {
        let start = processor_time();
        let result = read();
        (result, processor_time().saturating_sub(start))
    };
    let first = timed();
    (1..ROUNDS).fold(first, |fastest, _| {
        let next = timed();
        if next.1 < fastest.1 { next } else { fastest }
    })
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
