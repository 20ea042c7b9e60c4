//! Prints the features from which the model of page types decides, for the script that makes this model.
//!
//! `cargo run --release -p page --features training --example page_types FOLDER... > features.jsonl`
//!
//! A line is a page: `{"id", "features"}`. The id is the path of the file without its extension.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use page::page_type_training::features;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://file.invalid/")?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for folder in std::env::args().skip(1) {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == "html"));
        files.sort();
        for file in files {
            let bytes = std::fs::read(&file)?;
            let features: BTreeMap<String, i16> =
                features(&String::from_utf8_lossy(&bytes), &url).into_iter().collect();
            let id = file.with_extension("").to_string_lossy().into_owned();
            writeln!(out, "{}", serde_json::json!({"id": id, "features": features}))?;
        }
    }
    out.flush()?;
    Ok(())
}
