//! The main text of HTML files, one JSON object a line: `{"id", "text"}`, the id being the file's name without its ending.
//!
//! `cargo run --release -p crawler --example extract FOLDER > extracted.jsonl`

use std::io::Write;
use std::path::PathBuf;

use crawler::{decode, extract, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder of the HTML files")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "html"));
    files.sort();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for file in files {
        let body = std::fs::read(&file)?;
        let document = parse::parse(&decode::decode(&body, None).text);
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = extract::main_text(&document).text;
        writeln!(out, "{}", serde_json::json!({"id": id, "text": text}))?;
    }
    out.flush()?;
    Ok(())
}
