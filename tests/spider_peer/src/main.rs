//! Crawls one site with the crate spider: links only, nothing stored. Prints the number of pages.
//!
//! ```text
//! spider_peer URL
//! ```

use spider::tokio;
use spider::website::Website;

#[tokio::main]
async fn main() {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("name a URL");
        std::process::exit(2);
    };
    let mut website = Website::new(&url);
    website.configuration.respect_robots_txt = false;
    website.configuration.delay = 0;
    website.crawl().await;
    println!("{} pages", website.get_links().len());
}
