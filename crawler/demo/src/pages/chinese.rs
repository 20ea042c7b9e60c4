//! Chinese articles in UTF-8, three of them also in GBK, and one near-duplicate.

use encoding_rs::GBK;

use super::index::{self, link};
use crate::content::{self, CHINESE, Entry};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// Where a page declares its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    InHeader,
    InMeta,
    Nowhere,
}

/// The articles that the site also serves in GBK.
const IN_GBK: [(&str, Declared, &str); 3] = [
    (
        "dujiangyan",
        Declared::InHeader,
        "the same text in GBK, declared by the Content-Type header",
    ),
    (
        "panda",
        Declared::InMeta,
        "the same text in GBK, declared by a meta element",
    ),
    ("porcelain", Declared::Nowhere, "the same text in GBK, declared nowhere"),
];

/// The article with an edited copy, the original sentence and the changed one.
const EDITED: (&str, &str, &str) = (
    "great-wall",
    "许多段落被风沙掩埋，或者被附近的村民拆去盖了房子。",
    "不少地方早已被黄沙吞没，还有的给乡民拆走砖石砌了猪圈。",
);

/// The articles, their copies and the index page.
pub fn pages() -> Vec<DemoPage> {
    let entries = content::entries(CHINESE);
    let mut listed: Vec<(DemoPage, String)> = Vec::new();
    for entry in &entries {
        let document = article(entry);
        let page = DemoPage::html(
            path("/zh", entry),
            Area::Chinese,
            &document.in_almanac(),
            document.main_text(),
        );
        listed.push((
            page.expect(original(entry), "a Chinese article in UTF-8"),
            entry.title.to_owned(),
        ));
    }
    for (slug, declared, why) in IN_GBK {
        for entry in entries.iter().filter(|entry| entry.slug == slug) {
            listed.push((
                in_gbk(entry, declared).expect(original(entry), why),
                format!("{}（旧编码）", entry.title),
            ));
        }
    }
    for entry in entries.iter().filter(|entry| entry.slug == EDITED.0) {
        listed.push((edited(entry), format!("{}（改稿）", entry.title)));
    }
    let list = listed
        .iter()
        .map(|(page, label)| link(page.path.clone(), label.clone()))
        .collect();
    let front = index::page("/zh/", "zh", Area::Chinese, list);
    std::iter::once(front)
        .chain(listed.into_iter().map(|(page, _)| page))
        .collect()
}

fn article(entry: &Entry) -> Document {
    let byline = format!("最后修订：{}", entry.field(0));
    Document {
        byline,
        lang: "zh",
        ..Document::new(entry.title, &entry.paragraphs)
    }
}

fn original(entry: &Entry) -> Answer {
    Answer::OneOf {
        cluster: entry.slug,
        wording: Wording::Exactly(entry.slug),
    }
}

fn in_gbk(entry: &Entry, declared: Declared) -> DemoPage {
    let charset = (declared == Declared::InMeta).then_some("gbk");
    let document = Document {
        charset,
        ..article(entry)
    };
    let html = document.in_almanac();
    let content_type = if declared == Declared::InHeader {
        "text/html; charset=gbk"
    } else {
        "text/html"
    };
    let page = DemoPage::html(path("/zh/gbk", entry), Area::Chinese, &html, document.main_text());
    DemoPage {
        content_type,
        body: GBK.encode(&html).0.into_owned(),
        ..page
    }
}

fn edited(entry: &Entry) -> DemoPage {
    let mut document = article(entry);
    for paragraph in &mut document.paragraphs {
        *paragraph = paragraph.replace(EDITED.1, EDITED.2);
    }
    DemoPage::html(
        path("/zh/edited", entry),
        Area::Chinese,
        &document.in_almanac(),
        document.main_text(),
    )
    .expect(
        Answer::OneOf {
            cluster: entry.slug,
            wording: Wording::Exactly("great-wall, edited"),
        },
        "a Chinese article with one sentence changed",
    )
}

fn path(folder: &str, entry: &Entry) -> String {
    format!("{folder}/{}", entry.slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gbk_and_utf8_bytes_hold_the_same_text() {
        let pages = pages();
        for (slug, declared, _) in IN_GBK {
            let at = |path: String| pages.iter().find(|page| page.path == path).expect("the page exists");
            let (utf8, gbk) = (at(format!("/zh/{slug}")), at(format!("/zh/gbk/{slug}")));
            assert_eq!(utf8.main_text, gbk.main_text);
            let (decoded, malformed) = GBK.decode_without_bom_handling(&gbk.body);
            assert!(
                !malformed && std::str::from_utf8(&gbk.body).is_err(),
                "{slug} is GBK and nothing else"
            );
            let first_line = utf8.main_text.lines().nth(2).expect("there is a first paragraph");
            assert!(
                decoded.contains(first_line) && !decoded.contains("&#"),
                "{slug} lost no character"
            );
            assert_eq!(decoded.contains("charset"), declared == Declared::InMeta);
            assert_eq!(gbk.content_type.contains("gbk"), declared == Declared::InHeader);
        }
    }

    #[test]
    fn the_near_copy_differs_by_its_sentence() {
        let text: String = pages()
            .iter()
            .filter(|page| page.path == "/zh/edited/great-wall")
            .map(|p| p.main_text.clone())
            .collect();
        assert!(text.contains(EDITED.2) && !text.contains(EDITED.1));
    }
}
