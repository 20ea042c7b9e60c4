//! Prints the main text of HTML files, one JSON object a line: `{"id", "text", "language"}`, and `markdown` with a second argument. The id is the
//! file's name without its extension.
//!
//! `cargo run --release -p crawler-page --example extract FOLDER [full|as-written|text-only] > extracted.jsonl`
//!
//! The second argument says how the Markdown has its links.

mod html_files;

use std::io::Write;
use std::path::Path;

use page::{Links, MarkdownOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder of the HTML files")?;
    let links = match std::env::args().nth(2).as_deref() {
        None => None,
        Some("full") => Some(Links::Full),
        Some("as-written") => Some(Links::AsWritten),
        Some("text-only") => Some(Links::TextOnly),
        Some(other) => return Err(format!("links are full, as-written or text-only, not {other}").into()),
    };
    let files = html_files::in_folder(Path::new(&folder))?;
    let url = url::Url::parse("http://file.invalid/")?;
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        favor: page::Favor::default(),
        documents: page::Documents::in_this_thread(),
        markdown: links.map(|links| MarkdownOptions {
            links,
            ..MarkdownOptions::default()
        }),
        metadata: None,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for file in files {
        let page = page::read(&std::fs::read(&file)?, &http::HeaderMap::new(), &url, &options)?;
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let mut said = serde_json::json!({"id": id, "text": page.text, "language": page.language()});
        if let Some(markdown) = page.markdown {
            said["markdown"] = markdown.into();
        }
        writeln!(out, "{said}")?;
    }
    out.flush()?;
    Ok(())
}
