//! A search: a cloud of words, each with its results. Some words find nothing, and some documents are reachable only through a search.

use super::{document, listing};
use crate::content;
use crate::page::{Area, DemoPage};

/// The path of the cloud.
pub const FRONT: &str = "/find/";

/// Words of the cloud. Every third word finds a document; the other words find nothing.
const WORDS: usize = 30;
const STRIDE: usize = 3;

/// The cloud, the pages of results and the documents.
pub fn pages() -> Vec<DemoPage> {
    let words: String = (0..WORDS)
        .map(|n| {
            format!(
                "<a href=\"{}\" class=\"tag-cloud-link\">{}</a>\n",
                results_path(n),
                content::word("cloud", n)
            )
        })
        .collect();
    let cloud = format!(
        "<p>{}</p>\n<div class=\"tagcloud\">{words}</div>",
        content::prose("cloud", 60)
    );
    let front = listing(FRONT.to_owned(), Area::Search, &frame("Search", &cloud));
    let results = (0..WORDS).map(results);
    let documents = (0..WORDS).step_by(STRIDE).map(found);
    std::iter::once(front).chain(results).chain(documents).collect()
}

fn results_path(n: usize) -> String {
    format!("{FRONT}?s={}{n}", content::word("cloud", n))
}

fn document_path(n: usize) -> String {
    format!("/notes/{}-{n}", content::word("cloud", n))
}

fn results(n: usize) -> DemoPage {
    let list = match n % STRIDE {
        0 => format!(
            "<ol class=\"search-results\"><li><a href=\"{}\">{}</a></li></ol>",
            document_path(n),
            content::title("cloud", n)
        ),
        _ => "<p class=\"no-results\">Nothing matched the search terms. Please try again with other words.</p>"
            .to_owned(),
    };
    let body = format!(
        "<h1 class=\"page-title\">Search results</h1>\n{list}\n<p>{}</p>",
        content::prose("search help", 60)
    );
    listing(results_path(n), Area::Search, &frame("Search results", &body))
}

fn found(n: usize) -> DemoPage {
    let title = content::title("cloud", n);
    document(document_path(n), Area::Search, &title, |text| {
        frame(&title, &format!("<h1>{title}</h1>\n<p>{text}</p>"))
    })
}

fn frame(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
         <body class=\"search search-results\"><header class=\"site-header\"><a href=\"/\">The Hollin Almanac</a></header>\n\
         <main id=\"primary\" class=\"site-main\">{body}</main></body></html>\n"
    )
}
