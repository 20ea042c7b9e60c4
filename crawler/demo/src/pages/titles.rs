//! Pages with hostile titles.

use super::index::{self, link, note};
use crate::page::{Answer, Area, DemoPage};
use crate::template::Document;

/// Characters in the longest title.
pub const LONGEST_TITLE: usize = 10_000;

/// The slug, the title and the reason of each page.
pub fn titles() -> [(&'static str, String, &'static str); 5] {
    [
        (
            "script",
            "<script>alert(\"title\")</script>".to_owned(),
            "a title that is a script and must appear as text",
        ),
        (
            "quotes",
            "\"It's\" said 'she' & <he> replied \"5 > 3\", =1+1".to_owned(),
            "a title of quotation marks and operators that must appear as text",
        ),
        (
            "bidi",
            "Invoice \u{202e}fdp.exe\u{202c} and \u{200f}hidden\u{200e} turns".to_owned(),
            "a title with directional marks",
        ),
        (
            "longest",
            "An improved corkscrew, ".chars().cycle().take(LONGEST_TITLE).collect(),
            "a title of ten thousand characters",
        ),
        (
            "ansi",
            "Alert \u{1b}[31mred\u{1b}[0m and \u{1b}]0;owned\u{7}".to_owned(),
            "a title with terminal control sequences",
        ),
    ]
}

/// The pages with those titles and their index page.
pub fn pages() -> Vec<DemoPage> {
    let (pages, list): (Vec<DemoPage>, Vec<_>) = titles()
        .into_iter()
        .map(|(slug, title, why)| {
            let path = format!("/titles/{slug}");
            let document = Document { title, ..note(slug) };
            let page = DemoPage::html(path.clone(), Area::Titles, &document.in_almanac(), document.main_text());
            (page.expect(Answer::Kept, why), link(path, document.heading))
        })
        .unzip();
    std::iter::once(index::page("/titles/", "titles", Area::Titles, list))
        .chain(pages)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_is_markup_in_the_html() {
        for page in pages() {
            let html = String::from_utf8(page.body).expect("the page is UTF-8");
            assert!(!html.contains("<script") && !html.contains("<he>"), "{}", page.path);
        }
        assert!(
            titles()
                .iter()
                .any(|(_, title, _)| title.chars().count() == LONGEST_TITLE)
        );
    }
}
