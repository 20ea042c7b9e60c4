//! All that a page shows, in which the names of authors are looked for.

use std::cell::{Cell, OnceCell};

use html5ever::local_name;

use super::super::text::folded;
use super::Said;
use crate::parse::{Node, NodeRef, Tree, Visit, is_unseen};

/// Letters that may be compared on a page of any size, and further ones for each byte of its text. Names and texts of one letter would need a
/// hundred times as many.
const BASE_LETTERS: usize = 1 << 16;
const LETTERS_PER_BYTE: usize = 8;

/// The texts of a page in order.
#[derive(Debug, Default)]
pub(super) struct AllTexts<'t> {
    texts: Vec<&'t str>,
    /// Letters that may still be compared.
    letters: Cell<usize>,
    /// All of it folded, for names that are not in ASCII.
    folded: OnceCell<String>,
}

impl<'t> AllTexts<'t> {
    pub(super) fn of(tree: &'t Tree) -> Self {
        let mut all = Self::default();
        tree.root().walk(&mut all);
        let bytes: usize = all.texts.iter().map(|text| text.len()).sum();
        all.letters.set(BASE_LETTERS + LETTERS_PER_BYTE * bytes);
        all
    }

    /// Whether a name that is folded is in the folded texts, where one follows the other. For a name in ASCII, only what begins like
    /// it is folded.
    pub(super) fn have(&self, name: &str) -> bool {
        let mut texts = self.texts.iter().enumerate();
        match name.as_bytes().first() {
            Some(first) if name.is_ascii() => texts.any(|(at, text)| {
                let (small, large) = (*first, first.to_ascii_uppercase());
                let mut places = memchr::memchr2_iter(small, large, text.as_bytes());
                places.any(|place| self.has_at(at, place, name))
            }),
            // Letters of other scripts are folded slowly, once for all names. The first letter may become two, as that of İsmail.
            _ => {
                let all = || self.texts.iter().map(|text| folded(text)).collect();
                let text: &String = self.folded.get_or_init(all);
                memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some()
            }
        }
    }

    /// Whether a text and those behind it have the name at a place in this text.
    fn has_at(&self, at: usize, place: usize, name: &str) -> bool {
        let behind = self.texts[at + 1..].iter().copied();
        let texts = std::iter::once(&self.texts[at][place..]).chain(behind);
        let letters = texts.flat_map(str::chars).filter(|c| c.is_alphanumeric());
        let mut folded = letters.flat_map(char::to_lowercase).take(self.letters.get());
        let mut compared = 0;
        let is_name = name.chars().all(|letter| {
            compared += 1;
            folded.next() == Some(letter)
        });
        self.letters.set(self.letters.get().saturating_sub(compared));
        is_name
    }
}

impl<'t> Visit<'t> for AllTexts<'t> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Text(text) => {
                self.texts.push(text);
                false
            }
            Node::Element(element) => {
                !is_unseen(element) && !Said::by(element).is_hidden && element.name.local != local_name!("head")
            }
            _ => true,
        }
    }

    fn leave(&mut self, _: NodeRef<'t>) {}
}

#[cfg(test)]
mod tests {
    use super::AllTexts;
    use crate::parse::{Attributes, parse};

    fn have(html: &str, name: &str) -> bool {
        let document = parse(html, Attributes::Requested);
        AllTexts::of(&document.html).have(name)
    }

    #[test]
    fn a_name_is_found_in_any_case_across_elements_and_where_it_is_shown() {
        for (html, name, expected) in [
            ("<p>by JANE DOE", "janedoe", true),
            ("<p>jjane-<b>d</b>oe, Paris", "janedoe", true),
            ("<p>Jane Do", "janedoe", false),
            ("<p>İsmail Can", "i\u{307}smailcan", true),
            ("<p>ÉMILE ZOLA", "émilezola", true),
            ("<title>Jane Doe</title><p>text", "janedoe", false),
            ("<p hidden>Jane Doe</p><p>text", "janedoe", false),
            ("<p style='display: none'>Jane Doe</p><p>text", "janedoe", false),
            ("<body hidden>Jane Doe", "janedoe", true),
        ] {
            assert_eq!(have(html, name), expected, "{html}");
        }
    }

    #[test]
    fn few_letters_of_a_hostile_page_are_compared() {
        let letters = "a".repeat(1 << 20);
        let document = parse(&letters, Attributes::Requested);
        let texts = AllTexts::of(&document.html);
        assert!(!texts.have(&format!("{}b", &letters[..100])));
        assert_eq!(texts.letters.get(), 0);
        assert!(!texts.have("a"));
    }
}
