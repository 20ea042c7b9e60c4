//! Prints how fast the HTML files of folders are read: megabytes of source for each second of processor time, in total and by stage. The stages that only
//! those pay for who ask for them follow, with the share of the reading that each adds.
//!
//! `cargo run --release -p crawler-page --features stages --example cost FOLDER...`

mod html_files;

use std::path::Path;
use std::time::Duration;

use page::stages::{REQUESTED, STAGES, costs, requested};
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Readings of each file. The fastest counts, because other programs share the caches of the processor.
const ROUNDS: usize = 3;

/// The processor time that a page, or a folder of pages, takes.
#[derive(Clone, Copy)]
struct Cost {
    stages: [Duration; STAGES.len()],
    requested: [Duration; REQUESTED.len()],
    read: Duration,
    /// The same with Markdown and metadata.
    with_both: Duration,
}

impl Cost {
    fn of_each(self, other: Self, of: impl Fn(Duration, Duration) -> Duration + Copy) -> Self {
        let mut sum = self;
        sum.stages
            .iter_mut()
            .zip(other.stages)
            .for_each(|(a, b)| *a = of(*a, b));
        let requested = sum.requested.iter_mut().zip(other.requested);
        requested.for_each(|(a, b)| *a = of(*a, b));
        sum.read = of(self.read, other.read);
        sum.with_both = of(self.with_both, other.with_both);
        sum
    }

    fn print(&self, bytes: usize) {
        let rate = |cost: Duration| bytes as f64 / 1e6 / cost.as_secs_f64();
        let line = |name: &str, cost: Duration| {
            print!("  {name:<18} {:8.1} MB/s {:8.3} s", rate(cost), cost.as_secs_f64());
        };
        let share = |name: &str, cost: Duration| {
            line(name, cost);
            println!(" {:6.1} %", 100.0 * cost.as_secs_f64() / self.read.as_secs_f64());
        };
        line("read", self.read);
        println!();
        for (name, stage) in STAGES.iter().zip(self.stages) {
            line(name, stage);
            println!();
        }
        for (name, stage) in REQUESTED.iter().zip(self.requested) {
            share(&format!("+ {name}"), stage);
        }
        share("read with both", self.with_both);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for folder in std::env::args().skip(1) {
        let files = html_files::in_folder(Path::new(&folder))?;
        let (mut sum, mut bytes) = (None, 0);
        for file in &files {
            let body = std::fs::read(file)?;
            bytes += body.len();
            let cost = cost_of(&body)?;
            sum = Some(sum.map_or(cost, |sum: Cost| sum.of_each(cost, |a, b| a + b)));
        }
        println!(
            "{folder}: {} files of {:.1} kB",
            files.len(),
            bytes as f64 / 1e3 / files.len() as f64
        );
        if let Some(sum) = sum {
            sum.print(bytes);
        }
    }
    Ok(())
}

/// The least that the page with this body takes.
fn cost_of(body: &[u8]) -> Result<Cost, Box<dyn std::error::Error>> {
    let url = url::Url::parse("https://example.org/a/b/page.html")?;
    let options = page::Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        favor: page::Favor::default(),
        documents: page::Documents::in_this_thread(),
        markdown: None,
        metadata: None,
    };
    let with_both = page::Options {
        markdown: Some(page::MarkdownOptions::default()),
        metadata: Some(std::time::SystemTime::UNIX_EPOCH),
        ..options
    };
    let one = || Cost {
        stages: costs(body, &url, &options, processor_time),
        requested: requested(body, &url, &options, processor_time),
        read: whole(body, &url, &options),
        with_both: whole(body, &url, &with_both),
    };
    Ok((1..ROUNDS).fold(one(), |least, _| least.of_each(one(), Duration::min)))
}

/// The processor time of a whole reading.
fn whole(body: &[u8], url: &url::Url, options: &page::Options<'_>) -> Duration {
    let start = processor_time();
    let page = page::read(body, &http::HeaderMap::new(), url, options);
    let language = page.as_ref().ok().and_then(page::Page::language);
    drop(language);
    drop(page);
    processor_time() - start
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
