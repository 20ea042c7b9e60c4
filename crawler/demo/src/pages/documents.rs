//! Articles as documents that are not HTML.

use super::articles::article;
use super::index::{self, link};
use crate::content::{self, ARTICLES, Entry};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::pdf;

/// The article that the site also serves as PDF, and the one as Markdown.
const IN_PDF: &str = "tides";
const IN_MARKDOWN: &str = "volcanoes";

/// The documents and their index page.
pub fn pages() -> Vec<DemoPage> {
    let entries = content::entries(ARTICLES);
    let mut listed = Vec::new();
    for entry in entries.iter().filter(|entry| entry.slug == IN_PDF) {
        let bytes = pdf::of(&article(entry));
        let page = document(entry, "/documents/tides.pdf", "application/pdf", &bytes);
        listed.push((
            page,
            format!("{} (PDF)", entry.title),
            "the article as a PDF file of several pages, with headers and numbers of pages",
        ));
    }
    for entry in entries.iter().filter(|entry| entry.slug == IN_MARKDOWN) {
        let text = markdown(entry);
        let page = document(
            entry,
            "/documents/volcanoes.md",
            "text/markdown; charset=utf-8",
            text.as_bytes(),
        );
        listed.push((page, format!("{} (Markdown)", entry.title), "the article in Markdown"));
    }
    let list = listed
        .iter()
        .map(|(page, label, _)| link(page.path.clone(), label.clone()))
        .collect();
    let front = index::page("/documents/", "documents", Area::Documents, list);
    let pages = listed.into_iter().map(|(page, _, why)| {
        let cluster = match page.content_type {
            "application/pdf" => IN_PDF,
            _ => IN_MARKDOWN,
        };
        let wording = Wording::Roughly;
        page.expect(Answer::OneOf { cluster, wording }, why)
    });
    std::iter::once(front).chain(pages).collect()
}

fn document(entry: &Entry, path: &str, content_type: &'static str, bytes: &[u8]) -> DemoPage {
    DemoPage {
        main_text: article(entry).main_text(),
        ..DemoPage::bare(path, Area::Documents, 200, content_type, bytes)
    }
}

fn markdown(entry: &Entry) -> String {
    let document = article(entry);
    let paragraphs = document.paragraphs.join("\n\n");
    format!("# {}\n\n*{}*\n\n{paragraphs}\n", document.heading, document.byline)
}
