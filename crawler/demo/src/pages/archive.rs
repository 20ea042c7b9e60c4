//! Edited copies of articles, each with another date, a changed sentence or an added paragraph.

use super::articles::{article, byline};
use super::index::{self, link};
use crate::content::{self, ARTICLES};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// An edit of an article.
enum Edit {
    /// Changes the date under the heading.
    Date(&'static str),
    /// Replaces one piece of text.
    Sentence { old: &'static str, new: &'static str },
    /// Adds a paragraph after the paragraph with this number, counted from 0.
    Paragraph { after: usize, text: &'static str },
}

/// The edited copies: the article's slug, the copy's name and the edit. Only the edits of a date add numbers, so that the answers also
/// hold with `numbers_must_match`.
const COPIES: [(&str, &str, Edit); 8] = [
    ("printing", "printing-redated", Edit::Date("3 October 2025")),
    ("honeybees", "honeybees-redated", Edit::Date("28 February 2025")),
    (
        "tides",
        "tides-reworded",
        Edit::Sentence {
            old: "The first useful predictions were guarded as trade secrets by families of pilots.",
            new: "Tables of high water were once handed down from father to son and shown to no stranger.",
        },
    ),
    (
        "bread",
        "bread-reworded",
        Edit::Sentence {
            old: "A sour dough that is fed every day can be kept for decades.",
            new: "Some bakers claim that their sour dough is older than they are, and nobody can prove them wrong.",
        },
    ),
    (
        "maps",
        "maps-extended",
        Edit::Sentence {
            old: "and the poles vanish into infinity.",
            new: "and the poles vanish into infinity. Explorers of the Arctic therefore carried charts of another kind.",
        },
    ),
    (
        "bridges",
        "bridges-enlarged",
        Edit::Paragraph {
            after: 3,
            text: "A correspondent in Norway reminds us of a fourth kind, the floating bridge, whose deck rests on \
                   pontoons and is held by the water itself. It suits deep fjords, where no pier would ever find the \
                   bottom, and rises and sinks with the tide.",
        },
    ),
    (
        "chess",
        "chess-enlarged",
        Edit::Paragraph {
            after: 2,
            text: "Women were long kept out of the clubs in which masters were made. Vera Menchik, who played among \
                   them between the wars, beat so many that the losers were said to have joined a club of their own.",
        },
    ),
    (
        "violins",
        "violins-enlarged",
        Edit::Paragraph {
            after: 1,
            text: "Varnish comes last and takes as long as the rest together. Oil, resin and colour are laid on in \
                   many thin coats, and each must dry in daylight before the next, so makers like to finish in June.",
        },
    ),
];

/// The edited copies and their index page.
pub fn pages() -> Vec<DemoPage> {
    let mut list = Vec::new();
    let mut copies = Vec::new();
    for (slug, name, edit) in &COPIES {
        let Some(entry) = content::find(ARTICLES, slug) else {
            continue;
        };
        let (document, wording, why) = edited(article(&entry), name, edit);
        let path = format!("/archive/{name}");
        list.push(link(path.clone(), format!("{}, a later state", entry.title)));
        copies.push(
            DemoPage::html(path, Area::Archive, &document.in_almanac(), document.main_text()).expect(
                Answer::OneOf {
                    cluster: entry.slug,
                    wording,
                },
                why,
            ),
        );
    }
    std::iter::once(index::page("/archive/", "archive", Area::Archive, list))
        .chain(copies)
        .collect()
}

fn edited(mut document: Document, name: &'static str, edit: &Edit) -> (Document, Wording, &'static str) {
    match edit {
        Edit::Date(date) => {
            document.byline = byline(date);
            (
                document,
                Wording::Roughly,
                "the article with another date under its heading; equal if dates are masked",
            )
        }
        Edit::Sentence { old, new } => {
            for paragraph in &mut document.paragraphs {
                *paragraph = paragraph.replace(old, new);
            }
            (
                document,
                Wording::Exactly(name),
                "the article with one sentence changed or added",
            )
        }
        Edit::Paragraph { after, text } => {
            let place = (after + 1).min(document.paragraphs.len());
            document.paragraphs.insert(place, (*text).to_owned());
            (document, Wording::Exactly(name), "the article with an added paragraph")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_changes_its_article() {
        for (slug, name, edit) in &COPIES {
            let original = article(&content::find(ARTICLES, slug).expect("the article exists"));
            let copy = edited(original.clone(), name, edit).0;
            assert_ne!(copy.main_text(), original.main_text(), "{name}");
        }
        assert_eq!(pages().len(), COPIES.len() + 1);
    }
}
