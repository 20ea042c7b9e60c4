//! Variants of one product, which differ only in colour and price.

use super::index::{self, link};
use super::shop::{VARIED, card};
use crate::content::{self, PRODUCTS};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// Colour and price in euros of each variant. Moss and heather have the same price.
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

/// The cluster of the variants with the same price, with `numbers_must_match`.
const SAME_PRICE: &str = "marlow-jacket at one price";

/// The variants and their index page.
pub fn pages() -> Vec<DemoPage> {
    let Some(entry) = content::find(PRODUCTS, VARIED) else {
        return Vec::new();
    };
    let (pages, list): (Vec<DemoPage>, Vec<_>) = VARIANTS
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
            let page = DemoPage::html(
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
                "the same jacket in another colour; with numbers_must_match its price keeps it",
            )
            .if_numbers_must_match(strict);
            (page, link(path, colour))
        })
        .unzip();
    std::iter::once(index::page("/marlow/", "marlow", Area::Variants, list))
        .chain(pages)
        .collect()
}

/// Adds colour and price to the description, so that the variants differ even if the extractor drops headings and tables.
fn in_colour(mut document: Document, colour: &str, price: &str) -> Document {
    if let Some(first) = document.paragraphs.first_mut() {
        *first = format!("Dyed in {colour} and sold at {price} euros. {first}");
    }
    document
}
