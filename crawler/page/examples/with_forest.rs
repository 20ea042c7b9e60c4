//! Prints the main text that another model finds, one JSON object a line: `{"id": path, "text"}`. The paths of the HTML files are the lines of the
//! input.
//!
//! `cargo run --release -p crawler-page --features training --example with_forest FOREST [precision|balanced|recall] < paths > extracted.jsonl`

use std::io::{BufRead, Write};

use page::Favor;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let forest = arguments.next().ok_or("give the file of the model")?;
    page::training::use_forest(&std::fs::read_to_string(forest)?);
    let favor = match arguments.next().as_deref() {
        None => Favor::default(),
        Some("precision") => Favor::Precision,
        Some("balanced") => Favor::Balanced,
        Some("recall") => Favor::Recall,
        Some(other) => return Err(format!("a model favors precision, balanced or recall, not {other}").into()),
    };
    let url = url::Url::parse("http://file.invalid/")?;
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: usize::MAX,
        extract: None,
        favor,
        documents: page::Documents::in_this_thread(),
        markdown: None,
        metadata: None,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let page = page::read(&std::fs::read(&path)?, &http::HeaderMap::new(), &url, &options)?;
        writeln!(out, "{}", serde_json::json!({"id": path, "text": page.text}))?;
    }
    out.flush()?;
    Ok(())
}
