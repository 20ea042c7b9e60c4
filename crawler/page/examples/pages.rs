//! Prints all that is read of the HTML files of folders, to compare two versions of the program.
//!
//! `cargo run --release -p crawler-page --example pages FOLDER... > pages.txt`
//!
//! Each file is read once with all options, and once with a rule for its main text.

mod html_files;

use std::io::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut content = page::ExtractRule::new();
    content.content("main, article > *, div[class] > p:first-child, td")?;
    content.drop("nav, .sidebar, li:nth-child(2n)")?;
    let mut drop = page::ExtractRule::new();
    drop.drop("header, a[href^=http], p + p, .menu li, #footer ~ *")?;
    for folder in std::env::args().skip(1) {
        let files = html_files::in_folder(Path::new(&folder))?;
        for file in files {
            let body = std::fs::read(&file)?;
            for rule in [None, Some(&content), Some(&drop)] {
                writeln!(out, "{}", file.display())?;
                print(&mut out, &body, rule)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn print(
    out: &mut impl Write,
    body: &[u8],
    rule: Option<&page::ExtractRule>,
) -> Result<(), Box<dyn std::error::Error>> {
    let options = page::Options {
        agent: "mybot",
        embedded: rule.is_none(),
        max_text_bytes: usize::MAX,
        extract: rule,
        favor: page::Favor::default(),
        documents: page::Documents::in_this_thread(),
        markdown: rule.is_none().then(page::MarkdownOptions::default),
        metadata: rule.is_none().then_some(std::time::SystemTime::UNIX_EPOCH),
    };
    let url = url::Url::parse("https://example.org/a/b/page.html")?;
    let page = page::read(body, &http::HeaderMap::new(), &url, &options);
    match (page, rule) {
        (Ok(page), Some(_)) => writeln!(out, "{:?} {:?}", page.rule_effect, page.text)?,
        (Ok(page), None) => writeln!(out, "{:?} {} {page:?}", page.language(), page.is_soft_404())?,
        (Err(error), _) => writeln!(out, "{error}")?,
    }
    Ok(())
}
