//! Variants of one product: another colour, another price, and otherwise the same words.

use super::index::{self, link};
use super::shop::{VARIED, card};
use crate::demo::content::{self, PRODUCTS};
use crate::demo::page::{Answer, Area, Page, Wording};
use crate::demo::template::Document;

/// Colour and price in euros of each variant. Moss and heather cost the same.
const VARIANTS: [(&str, &str); 8] = [
    ("moss", "168.00"),
    ("bracken", "172.00"),
    ("slate", "159.00"),
    ("oxblood", "181.50"),
    ("sand", "149.00"),
    ("night", "165.00"),
    ("rust", "176.00"),
    ("heather", "168.00"),
];

/// The cluster of the variants that cost the same, where numbers must match.
const SAME_PRICE: &str = "marlow-jacket at one price";

/// The variants and their index page.
pub fn pages() -> Vec<Page> {
    let Some(entry) = content::find(PRODUCTS, VARIED) else {
        return Vec::new();
    };
    let (pages, list): (Vec<Page>, Vec<_>) = VARIANTS
        .into_iter()
        .map(|(colour, price)| {
            let path = format!("/marlow/{colour}");
            let name = format!("{}, {colour}", entry.title);
            let document = in_colour(card(&entry, &name, price), colour, price);
            let wording = Wording::Exactly(colour);
            let twins = VARIANTS.iter().filter(|(_, other)| *other == price).count() > 1;
            let strict = if twins {
                Answer::OneOf {
                    cluster: SAME_PRICE,
                    wording,
                }
            } else {
                Answer::Kept
            };
            let page = Page::html(
                path.clone(),
                Area::Variants,
                &document.in_almanac(),
                document.main_text(),
            )
            .expect(
                Answer::OneOf {
                    cluster: VARIED,
                    wording,
                },
                "the same jacket in another colour; kept for its price where numbers must match",
            )
            .if_numbers_must_match(strict);
            (page, link(path, colour))
        })
        .unzip();
    std::iter::once(index::page("/marlow/", "marlow", Area::Variants, list))
        .chain(pages)
        .collect()
}

/// Says colour and price in the description as well, so that no extractor that drops headings or tables makes the
/// variants equal.
fn in_colour(mut document: Document, colour: &str, price: &str) -> Document {
    if let Some(first) = document.paragraphs.first_mut() {
        *first = format!("Dyed in {colour} and sold at {price} euros. {first}");
    }
    document
}
