//! Prints the features from which the model of page types decides, for the script that makes this model.
//!
//! `cargo run --release -p crawler-page --features training --example page_types FOLDER... > features.jsonl`
//!
//! A line is a page: `{"id", "features"}`. The id is the path of the file without its extension.

mod html_files;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use page::page_type_training::features;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = url::Url::parse("http://file.invalid/")?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for folder in std::env::args().skip(1) {
        let files = html_files::in_folder(Path::new(&folder))?;
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
