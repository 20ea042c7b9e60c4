//! Prints what a document says: `cargo run -p crawler-documents --example text -- pdf FILE`.

use std::error::Error;

use documents::{Content, InThisThread, Kind, Limits, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (name, file) = (
        arguments.next().unwrap_or_default(),
        arguments.next().unwrap_or_default(),
    );
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or("the first argument names a kind: pdf, docx, epub, markdown, feed")?;
    let document = InThisThread.read(kind, &std::fs::read(file)?, &Limits::default())?;
    eprintln!(
        "{:?}, {:?}, {:?} pages, {} links",
        document.title,
        document.language,
        document.pages,
        document.links.len()
    );
    match document.content {
        Content::Text(text) => println!("{text}"),
        Content::Html(parts) => parts.iter().for_each(|part| println!("{part}")),
    }
    Ok(())
}
