//! Prints the walls among the HTML files of folders, to look at each of them.
//!
//! `cargo run --release -p crawler-page --example walls FOLDER...`

mod html_files;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = page::Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        documents: page::Documents::in_this_thread(),
        favor: page::Favor::default(),
        markdown: None,
        metadata: None,
    };
    let url = url::Url::parse("https://example.org/a/b/page.html")?;
    let headers = http::HeaderMap::new();
    let (mut pages, mut walls) = (0_u32, 0_u32);
    for folder in std::env::args().skip(1) {
        for file in html_files::in_folder(Path::new(&folder))? {
            let body = std::fs::read(&file)?;
            let Ok(page) = page::read(&body, &headers, &url, &options) else {
                continue;
            };
            pages += 1;
            let answer = page::Answer {
                url: &url,
                headers: &headers,
                body: &body,
            };
            if let Some(wall) = page::wall(&answer, &page) {
                walls += 1;
                println!("{}\t{}\t{wall}", file.display(), wall.kind.name());
            }
        }
    }
    println!("{walls} walls among {pages} pages");
    Ok(())
}
