//! Prints the runs of HTML files with the features that the model sees, for the script that makes the model.
//!
//! `cargo run --release -p crawler-page --features training --example features FOLDER... > features.jsonl`
//!
//! The first line has the names of the features. Each further line is a page: `{"id", "texts", "features"}`, with an entry for each
//! run. The id is the path of the file without its extension.

mod html_files;

use std::io::Write;
use std::path::Path;

use page::training::{FEATURES, runs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://file.invalid/")?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", serde_json::json!(FEATURES))?;
    for folder in std::env::args().skip(1) {
        let files = html_files::in_folder(Path::new(&folder))?;
        for file in files {
            let bytes = std::fs::read(&file)?;
            let runs = runs(&bytes, &url);
            let texts: Vec<&str> = runs.iter().map(|run| run.text.as_str()).collect();
            let features: Vec<&[i16]> = runs.iter().map(|run| run.features.as_slice()).collect();
            let id = file.with_extension("").to_string_lossy().into_owned();
            writeln!(
                out,
                "{}",
                serde_json::json!({"id": id, "texts": texts, "features": features})
            )?;
        }
    }
    out.flush()?;
    Ok(())
}
