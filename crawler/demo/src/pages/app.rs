//! Pages that are empty until a script draws them, as in an application with client-side routing: one shell for every path, and the
//! content as JSON.

use serde_json::json;

use super::articles::article;
use super::index::link;
use crate::content::{self, APP, ARTICLES};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// The article that the application shows too.
const REPEATED: &str = "bridges";

const FRONT: &str = "/app/";
const SCRIPT: &str = "/app/app.js";
const DATA: &str = "/app/data/";

/// What the server sends for every path of the application.
const SHELL: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The Hollin Almanac</title></head>\n\
    <body><div id=\"app\"></div><script src=\"/app/app.js\"></script></body></html>\n";

/// The pages of the application, whose expected answers are those with a browser.
pub fn pages() -> Vec<DemoPage> {
    documents()
        .into_iter()
        .map(|(name, document)| {
            let page = DemoPage {
                main_text: document.main_text(),
                links: document.list.iter().map(|(path, _)| path.clone()).collect(),
                needs_browser: true,
                ..DemoPage::html(path(name), Area::Scripts, SHELL, String::new())
            };
            match name {
                REPEATED => page.expect(
                    Answer::OneOf {
                        cluster: REPEATED,
                        wording: Wording::Roughly,
                    },
                    "the article, drawn by a script; without one, all pages of the application have the same bytes",
                ),
                _ => page.expect(Answer::Kept, "a text of its own, drawn by a script"),
            }
        })
        .collect()
}

/// What the scripts of the application ask for: the content type and the body.
pub fn asset(path: &str) -> Option<(&'static str, String)> {
    if path == SCRIPT {
        return Some(("text/javascript; charset=utf-8", include_str!("app.js").to_owned()));
    }
    let name = path.strip_prefix(DATA)?.strip_suffix(".json")?;
    let (_, document) = documents().into_iter().find(|(known, _)| *known == name)?;
    let content = json!({
        "title": document.heading,
        "byline": document.byline,
        "paragraphs": document.paragraphs,
        "links": document.list,
    });
    Some(("application/json", content.to_string()))
}

fn path(name: &str) -> String {
    match name {
        INDEX => FRONT.to_owned(),
        _ => format!("{FRONT}{name}"),
    }
}

/// The name of the first page.
const INDEX: &str = "screen";

/// The pages by their names. The first lists the others.
fn documents() -> Vec<(&'static str, Document)> {
    let own = content::entries(APP)
        .into_iter()
        .map(|entry| (entry.slug, Document::new(entry.title, &entry.paragraphs)));
    let repeated = content::find(ARTICLES, REPEATED).map(|entry| (REPEATED, article(&entry)));
    let mut documents: Vec<_> = own.chain(repeated).collect();
    let list = documents[1..]
        .iter()
        .map(|(name, document)| link(path(name), document.heading.clone()))
        .collect();
    documents[0].1.list = list;
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_data_and_the_same_bytes() {
        let pages = pages();
        assert_eq!(pages[0].path, FRONT);
        assert_eq!(pages[0].links.len(), pages.len() - 1);
        for page in &pages {
            let name = page.path.strip_prefix(FRONT).unwrap();
            let name = if name.is_empty() { INDEX } else { name };
            let (_, data) = asset(&format!("{DATA}{name}.json")).unwrap();
            assert!(data.contains(page.main_text.lines().last().unwrap()), "{name}");
            assert_eq!(page.body, SHELL.as_bytes());
        }
        assert!(asset("/app/data/none.json").is_none());
    }
}
