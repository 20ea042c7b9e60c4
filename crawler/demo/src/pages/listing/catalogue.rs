//! A catalogue with filters and sort orders: every combination has a URL, and all of them show the same few goods.

use super::{document, listing};
use crate::content;
use crate::page::{Area, DemoPage};

/// The path without filters.
pub const FRONT: &str = "/catalogue/";

const COLORS: [&str; 5] = ["red", "blue", "green", "black", "white"];
const SIZES: [&str; 4] = ["s", "m", "l", "xl"];
const ORDERS: [&str; 5] = ["price", "price-desc", "date", "popularity", "rating"];
const GOODS: usize = 20;

/// The filters and the sort order of a page: indices, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Choice {
    color: Option<usize>,
    size: Option<usize>,
    order: Option<usize>,
}

/// Every combination, and the goods.
pub fn pages() -> Vec<DemoPage> {
    let with_none = |n: usize| std::iter::once(None).chain((0..n).map(Some));
    let mut pages = Vec::new();
    for color in with_none(COLORS.len()) {
        for size in with_none(SIZES.len()) {
            pages.extend(with_none(ORDERS.len()).map(|order| Choice { color, size, order }.page()));
        }
    }
    pages.extend((0..GOODS).map(product));
    pages
}

impl Choice {
    fn path(self) -> String {
        let parts = [
            self.color.map(|n| format!("filter_color={}", COLORS[n])),
            self.size.map(|n| format!("filter_size={}", SIZES[n])),
            self.order.map(|n| format!("orderby={}", ORDERS[n])),
        ];
        let query: Vec<String> = parts.into_iter().flatten().collect();
        if query.is_empty() {
            FRONT.to_owned()
        } else {
            format!("{FRONT}?{}", query.join("&"))
        }
    }

    fn shows(self, n: usize) -> bool {
        self.color.is_none_or(|color| n % COLORS.len() == color) && self.size.is_none_or(|size| n % SIZES.len() == size)
    }

    fn page(self) -> DemoPage {
        let mut shown: Vec<usize> = (0..GOODS).filter(|&n| self.shows(n)).collect();
        if let Some(order) = self.order {
            let by = order % shown.len().max(1);
            shown.rotate_left(by);
        }
        let goods: String = shown
            .iter()
            .map(|&n| {
                format!(
                    "<li class=\"product type-product post-{n} instock\"><a href=\"{}\" class=\"woocommerce-LoopProduct-link\">\
                     <h2 class=\"woocommerce-loop-product__title\">{}</h2></a></li>\n",
                    product_path(n),
                    content::title("catalogue", n)
                )
            })
            .collect();
        let filters = (0..COLORS.len())
            .map(|n| (Self { color: Some(n), ..self }, COLORS[n]))
            .chain((0..SIZES.len()).map(|n| (Self { size: Some(n), ..self }, SIZES[n])));
        let filters = self.links(filters, "woocommerce-widget-layered-nav-list__item wc-layered-nav-term");
        let orders = (0..ORDERS.len()).map(|n| (Self { order: Some(n), ..self }, ORDERS[n]));
        let orders = self.links(orders, "orderby");
        let (count, about) = (shown.len(), content::prose("catalogue", 90));
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Catalogue</title></head>\n\
             <body class=\"archive tax-product_cat woocommerce\"><header class=\"site-header\"><a href=\"/\">The Hollin Almanac</a>\
             </header>\n<main id=\"main\" class=\"site-main\"><h1 class=\"page-title\">Catalogue</h1>\n\
             <div class=\"term-description\"><p>{about}</p></div>\n\
             <p class=\"woocommerce-result-count\">Showing all {count} results</p>\n\
             <ul class=\"woocommerce-ordering\">{orders}</ul>\n<ul class=\"products columns-4\">\n{goods}</ul></main>\n\
             <aside id=\"secondary\" class=\"widget-area\"><div class=\"widget woocommerce widget_layered_nav\">\
             <ul class=\"woocommerce-widget-layered-nav-list\">{filters}</ul></div></aside></body></html>\n"
        );
        listing(self.path(), Area::Facets, &html)
    }

    fn links(self, choices: impl Iterator<Item = (Self, &'static str)>, class: &str) -> String {
        choices
            .filter(|(choice, _)| *choice != self)
            .map(|(choice, label)| {
                let href = choice.path().replace('&', "&amp;");
                format!("<li class=\"{class}\"><a rel=\"nofollow\" href=\"{href}\">{label}</a></li>")
            })
            .collect()
    }
}

fn product_path(n: usize) -> String {
    format!("{FRONT}{}-{n}", content::word("catalogue", n))
}

fn product(n: usize) -> DemoPage {
    let title = content::title("catalogue", n);
    document(product_path(n), Area::Facets, &title, |text| {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body class=\"single single-product\"><header class=\"site-header\"><a href=\"/\">The Hollin Almanac</a></header>\n\
             <main id=\"main\" class=\"site-main\"><h1 class=\"product_title\">{title}</h1><p>{text}</p></main></body></html>\n"
        )
    })
}
