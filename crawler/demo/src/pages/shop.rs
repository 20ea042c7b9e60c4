//! Products in one template, each with its own description and the same small print.

use super::index::{self, link};
use crate::content::{self, Entry, PRODUCTS};
use crate::page::{Answer, Area, DemoPage};
use crate::template::Document;

/// The product with variants, which has its own index page.
pub const VARIED: &str = "marlow-jacket";

/// The products and the front page of the shop.
pub fn pages() -> Vec<DemoPage> {
    let products = content::entries(PRODUCTS)
        .into_iter()
        .filter(|entry| entry.slug != VARIED);
    let (pages, list): (Vec<DemoPage>, Vec<_>) = products
        .map(|entry| {
            let path = format!("/shop/{}", entry.slug);
            let document = card(&entry, entry.title, entry.field(0));
            let page = DemoPage::html(path.clone(), Area::Shop, &document.in_almanac(), document.main_text())
                .expect(Answer::Kept, "its own description; only the small print is common");
            (page, link(path, entry.title))
        })
        .unzip();
    std::iter::once(index::page("/shop/", "shop", Area::Shop, list))
        .chain(pages)
        .collect()
}

/// The card of a product under a name and at a price in euros.
pub fn card(entry: &Entry, name: &str, price: &str) -> Document {
    let facts = vec![
        ("Price", format!("EUR {price}")),
        ("Article", entry.field(1).to_owned()),
        ("Delivery", "two to four working days".to_owned()),
        ("Returns", "free of charge within a month".to_owned()),
        ("Guarantee", "two years on material and workmanship".to_owned()),
    ];
    Document {
        facts,
        ..Document::new(name, &entry.paragraphs)
    }
}
