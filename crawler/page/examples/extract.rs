//! Prints the main text of HTML files, one JSON object a line: `{"id", "text"}`. The id is the file's name without its extension.
//!
//! `cargo run --release -p page --example extract FOLDER > extracted.jsonl`

mod html_files;

use std::io::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder of the HTML files")?;
    let files = html_files::in_folder(Path::new(&folder))?;
    let url = url::Url::parse("http://file.invalid/")?;
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        documents: page::Documents::in_this_thread(),
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for file in files {
        let page = page::read(&std::fs::read(&file)?, &http::HeaderMap::new(), &url, &options)?;
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(out, "{}", serde_json::json!({"id": id, "text": page.text}))?;
    }
    out.flush()?;
    Ok(())
}
