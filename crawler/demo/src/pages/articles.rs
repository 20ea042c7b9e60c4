//! Long articles in one template, their mirrors under other URLs and their print views.

use super::index::{self, link};
use crate::content::{self, ARTICLES, Entry};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// Articles that the site also serves under `/mirror`, byte for byte.
const MIRRORED: [&str; 5] = ["glaciers", "lighthouses", "printing", "bridges", "tea"];
/// Articles that have a print view.
const PRINTED: [&str; 4] = ["glaciers", "printing", "tides", "volcanoes"];

/// The articles, the mirrors, the print views and the index page of each.
pub fn pages() -> Vec<DemoPage> {
    let entries = content::entries(ARTICLES);
    let mut pages = branch("/articles/", "articles", Area::Articles, entries.iter(), |entry| {
        let document = article(entry);
        let page = DemoPage::html(
            path(entry),
            Area::Articles,
            &document.in_almanac(),
            document.main_text(),
        );
        page.expect(
            original(entry.slug),
            "a long article in the common template; the crawl keeps it or one of its copies",
        )
    });
    let mirrored = entries.iter().filter(|entry| MIRRORED.contains(&entry.slug));
    pages.extend(branch("/mirror/", "mirror", Area::Mirror, mirrored, |entry| {
        let document = article(entry);
        let path = format!("/mirror{}", path(entry));
        DemoPage::html(path, Area::Mirror, &document.in_almanac(), document.main_text())
            .expect(original(entry.slug), "the same bytes as the article, under another URL")
    }));
    let printed = entries.iter().filter(|entry| PRINTED.contains(&entry.slug));
    pages.extend(branch("/print/", "print", Area::Print, printed, |entry| {
        let document = article(entry);
        let path = format!("/print{}", path(entry));
        DemoPage::html(path, Area::Print, &document.for_print(), document.main_text()).expect(
            Answer::OneOf {
                cluster: entry.slug,
                wording: Wording::Roughly,
            },
            "the article in another template; the extractor decides whether its text is exactly equal",
        )
    }));
    pages
}

/// The document of an article entry.
pub fn article(entry: &Entry) -> Document {
    Document {
        byline: byline(entry.field(0)),
        ..Document::new(entry.title, &entry.paragraphs)
    }
}

/// The line under the heading of an article.
pub fn byline(date: &str) -> String {
    format!("Last revised on {date}")
}

/// The answer for an article and its exact copies.
fn original(slug: &'static str) -> Answer {
    Answer::OneOf {
        cluster: slug,
        wording: Wording::Exactly(slug),
    }
}

fn path(entry: &Entry) -> String {
    format!("/articles/{}", entry.slug)
}

/// An index page and the pages that it lists.
fn branch<'a>(
    front: &str,
    introduction: &str,
    area: Area,
    entries: impl Iterator<Item = &'a Entry>,
    page: impl Fn(&Entry) -> DemoPage,
) -> Vec<DemoPage> {
    let (pages, list): (Vec<DemoPage>, Vec<_>) = entries
        .map(|entry| {
            let page = page(entry);
            let item = link(page.path.clone(), entry.title);
            (page, item)
        })
        .unzip();
    std::iter::once(index::page(front, introduction, area, list))
        .chain(pages)
        .collect()
}
