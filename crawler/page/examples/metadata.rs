//! Prints what HTML files say about themselves, one JSON object a line: `{"id", "title", "author", "date", …, "sources"}`. The id is the
//! file's name without its extension; the date is that of the last change if the page names none of its publication. A file of JSON lines with `id` and `url` gives the URLs of the pages.
//!
//! `cargo run --release -p crawler-page --example metadata FOLDER [PAGES.jsonl] > extracted.jsonl`

mod html_files;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use page::{Metadata, Sourced};
use serde_json::{Map, Value, json};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("give the folder of the HTML files")?;
    let urls = match arguments.next() {
        Some(pages) => urls(&std::fs::read_to_string(pages)?)?,
        None => HashMap::new(),
    };
    let unknown = Url::parse("http://file.invalid/")?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for file in html_files::in_folder(Path::new(&folder))? {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let url = urls.get(&*id).unwrap_or(&unknown);
        let found = page::metadata(&std::fs::read(&file)?, &http::HeaderMap::new(), url, SystemTime::now());
        writeln!(out, "{}", row(&id, &found.unwrap_or_default()))?;
    }
    out.flush()?;
    Ok(())
}

/// The URL of each page by its id.
fn urls(pages: &str) -> Result<HashMap<String, Url>, Box<dyn std::error::Error>> {
    let mut urls = HashMap::new();
    for line in pages.lines() {
        let page: Value = serde_json::from_str(line)?;
        let url = page["url"].as_str().and_then(|url| Url::parse(url).ok());
        if let (Some(id), Some(url)) = (page["id"].as_str(), url) {
            urls.insert(id.to_owned(), url);
        }
    }
    Ok(urls)
}

fn row(id: &str, found: &Metadata) -> Value {
    let mut row = Row::default();
    row.values.insert("id".to_owned(), json!(id));
    row.add("title", found.title.as_ref());
    row.add("author", found.authors.as_ref());
    row.add("date", found.published.as_ref().or(found.modified.as_ref()));
    row.add("modified", found.modified.as_ref());
    row.add("description", found.description.as_ref());
    row.add("sitename", found.site_name.as_ref());
    row.add("language", found.language.as_ref());
    row.add("tags", found.tags.as_ref());
    row.add("section", found.section.as_ref());
    row.add("license", found.licence.as_ref());
    row.add("image", found.image.as_ref());
    row.add("type", found.page_type.as_ref());
    row.values.insert("sources".to_owned(), Value::Object(row.sources));
    Value::Object(row.values)
}

#[derive(Default)]
struct Row {
    values: Map<String, Value>,
    sources: Map<String, Value>,
}

impl Row {
    fn add<T: Clone + Into<Value>>(&mut self, key: &str, found: Option<&Sourced<T>>) {
        let value = found.map_or(Value::Null, |found| found.value.clone().into());
        self.values.insert(key.to_owned(), value);
        if let Some(found) = found {
            self.sources.insert(key.to_owned(), json!(found.source.name()));
        }
    }
}
