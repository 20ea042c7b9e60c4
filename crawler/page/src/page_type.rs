//! The type of a page: article, listing, product, forum, documentation, service.
//!
//! ```text
//! tree ─▶ signs ─▶ row ─▶ forest ─▶ type
//!         sums,    numbers          the most likely one, if it is
//!         names,                    clearly ahead of the second
//!         declared types
//! ```
//!
//! The signs are: types of schema.org and `og:type`, the program that made the page, words of class names and of the canonical URL,
//! shares of links and code, prices, headings, and the largest row of siblings that look alike. No sign is a word of the text.
//!
//! How good it is, cross-validated over the 784 pages of 650 sites of the development split of WCXB: each page is judged by a model that
//! has not seen its site. The most likely type is right for 80.5 % of the pages. It is clear for 78.6 % of them, and right for 90.1 % of
//! these; the others are unknown. A line is the type that people named, a column the type that the model finds:
//!
//! ```text
//!                article  listing  product  forum  documentation  service  unknown
//! article            133        1        0      0              5        8       28
//! listing              5      135        3      0              0        7       31
//! product              0        2       50      0              0        3       35
//! forum                3        1        0     95              0        0       13
//! documentation        3        4        0      0             71        2        8
//! service              6        7        1      0              0       71       53
//! ```
//!
//! Listings and collections of products are one type: apart from each other, 27 of 181 were taken for the other one. Most errors
//! are between articles, listings and services. Most of these pages are in English. Other pages were not measured, and the shares of the
//! types on the web are others: there, more pages are articles and listings.

mod declared;
mod forest;
mod names;
mod row;
mod signs;
#[cfg(feature = "training")]
pub mod training;

use url::Url;

use self::forest::FOREST;
use self::row::for_each_feature;
use self::signs::Signs;
use crate::parse::Document;

/// How far the log-odds of the most likely type must be ahead of those of the second, in 4096ths of a unit.
const CLEARLY: i32 = 4096 * 3 / 4;

/// Fewest bytes of text of a page that declares nothing of its type. Forums may have all their text in `<noscript>`; they declare much.
const LEAST_BYTES: u32 = 100;

/// The type of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PageType {
    /// One text: news, a post of a blog, a recipe.
    Article,
    /// A list of other pages: products of a category, articles of a section, results of a search.
    Listing,
    /// One product that is for sale.
    Product,
    /// What several people wrote to each other: a thread, a question with answers.
    Forum,
    /// A part of a manual or of a reference.
    Documentation,
    /// What an organisation offers or says of itself: home pages, services, prices, contacts.
    Service,
    /// The signs are weak, or there is no markup.
    #[default]
    Unknown,
}

impl PageType {
    /// All types but [`Unknown`](Self::Unknown).
    pub const KNOWN: [Self; 6] = [
        Self::Article,
        Self::Listing,
        Self::Product,
        Self::Forum,
        Self::Documentation,
        Self::Service,
    ];

    /// Its name: `article`, `listing`, `product`, `forum`, `documentation`, `service` or `unknown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Listing => "listing",
            Self::Product => "product",
            Self::Forum => "forum",
            Self::Documentation => "documentation",
            Self::Service => "service",
            Self::Unknown => "unknown",
        }
    }

    /// The type of a page whose canonical URL, or else whose own, is `url`.
    pub(crate) fn of(document: &Document, url: &Url) -> Self {
        let signs = Signs::of(&document.html, url);
        let declares = signs.groups.iter().any(|count| *count > 0) || signs.programs.contains(&true);
        if signs.page.bytes < LEAST_BYTES && !declares {
            return Self::Unknown;
        }
        let mut row = Vec::with_capacity(256);
        for_each_feature(&signs, &mut |_, _, value| row.push(value));
        clearly_first(FOREST.sums(&row))
    }
}

/// The type with the largest sum, if it is clearly ahead.
fn clearly_first(sums: [i32; PageType::KNOWN.len()]) -> PageType {
    let mut order: Vec<(i32, PageType)> = sums.into_iter().zip(PageType::KNOWN).collect();
    order.sort_by_key(|&(sum, _)| std::cmp::Reverse(sum));
    match order[..] {
        [(first, kind), (second, _), ..] if first - second >= CLEARLY => kind,
        _ => PageType::Unknown,
    }
}

#[cfg(test)]
mod tests;
