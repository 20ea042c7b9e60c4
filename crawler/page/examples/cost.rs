//! Prints how fast the HTML files of folders are read: megabytes of source for each second of processor time, in total and by stage.
//!
//! `cargo run --release -p crawler-page --features stages --example cost FOLDER...`

mod html_files;

use std::path::Path;
use std::time::Duration;

use page::stages::{STAGES, costs};
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Readings of each file. The fastest counts, because other programs share the caches of the processor.
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for folder in std::env::args().skip(1) {
        let files = html_files::in_folder(Path::new(&folder))?;
        let (mut stages, mut whole, mut bytes) = ([Duration::ZERO; STAGES.len()], Duration::ZERO, 0);
        for file in &files {
            let body = std::fs::read(file)?;
            bytes += body.len();
            let (fastest, total) = cost(&body)?;
            stages.iter_mut().zip(fastest).for_each(|(sum, stage)| *sum += stage);
            whole += total;
        }
        let rate = |cost: Duration| bytes as f64 / 1e6 / cost.as_secs_f64();
        println!(
            "{folder}: {} files of {:.1} kB",
            files.len(),
            bytes as f64 / 1e3 / files.len() as f64
        );
        println!(
            "  {:<10} {:8.1} MB/s {:8.3} s",
            "read",
            rate(whole),
            whole.as_secs_f64()
        );
        for (name, stage) in STAGES.iter().zip(stages) {
            println!("  {name:<10} {:8.1} MB/s {:8.3} s", rate(stage), stage.as_secs_f64());
        }
    }
    Ok(())
}

/// The processor time of each stage, and of the whole reading.
fn cost(body: &[u8]) -> Result<([Duration; STAGES.len()], Duration), Box<dyn std::error::Error>> {
    let url = url::Url::parse("https://example.org/a/b/page.html")?;
    let options = page::Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        favor: page::Favor::default(),
        documents: page::Documents::in_this_thread(),
        markdown: None,
    };
    let (mut stages, mut whole) = ([Duration::MAX; STAGES.len()], Duration::MAX);
    for _ in 0..ROUNDS {
        let fastest = stages.iter_mut().zip(costs(body, &url, &options, processor_time));
        fastest.for_each(|(fastest, stage)| *fastest = stage.min(*fastest));
        let start = processor_time();
        let page = page::read(body, &http::HeaderMap::new(), &url, &options);
        let language = page.as_ref().ok().and_then(page::Page::language);
        drop(language);
        drop(page);
        whole = whole.min(processor_time() - start);
    }
    Ok((stages, whole))
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
