//! Three shops with different templates for their goods: a list, a grid of boxes, a table.

use super::{document, listing, shown_in_pager};
use crate::content;
use crate::page::{Area, DemoPage};
use crate::pages::index::{self, link};

/// Pages of a shop, and goods on each of them.
const PAGES: usize = 8;
const GOODS: usize = 5;

/// The markup of a shop.
#[derive(Debug, Clone, Copy)]
enum Template {
    /// WooCommerce: `ul.products`.
    List,
    /// The grid of Shopify's themes.
    Grid,
    /// A plain table.
    Table,
}

/// A shop: its folder, the name of its page parameter, and its template.
struct Store {
    folder: &'static str,
    name: &'static str,
    parameter: &'static str,
    template: Template,
}

const STORES: [Store; 3] = [
    Store {
        folder: "/outfitter/",
        name: "Outfitter",
        parameter: "paged",
        template: Template::List,
    },
    Store {
        folder: "/lamps/",
        name: "Lamps",
        parameter: "page",
        template: Template::Grid,
    },
    Store {
        folder: "/parts/",
        name: "Spare parts",
        parameter: "p",
        template: Template::Table,
    },
];

/// The shops, and the page that lists them.
pub fn pages() -> Vec<DemoPage> {
    let list = STORES.iter().map(|store| link(store.folder, store.name)).collect();
    let front = index::page("/stores/", "stores", Area::Listings, list);
    let goods = STORES
        .iter()
        .flat_map(|store| (0..PAGES * GOODS).map(|n| store.product(n)));
    let pages = STORES.iter().flat_map(|store| (1..=PAGES).map(|n| store.page(n)));
    std::iter::once(front).chain(pages).chain(goods).collect()
}

impl Store {
    fn path(&self, page: usize) -> String {
        match page {
            1 => self.folder.to_owned(),
            _ => format!("{}?{}={page}", self.folder, self.parameter),
        }
    }

    fn product_path(&self, n: usize) -> String {
        format!("{}{}-{n}", self.folder, content::word(self.folder, n))
    }

    fn page(&self, page: usize) -> DemoPage {
        let goods = ((page - 1) * GOODS..page * GOODS).map(|n| {
            let (path, title, price) = (self.product_path(n), content::title(self.folder, n), 7 + 3 * (n % 40));
            match self.template {
                Template::List => format!(
                    "<li class=\"product type-product post-{n} status-publish instock product-type-simple\">\
                     <a href=\"{path}\" class=\"woocommerce-LoopProduct-link woocommerce-loop-product__link\">\
                     <img src=\"/img/{n}.png\" class=\"attachment-woocommerce_thumbnail\" alt=\"\">\
                     <h2 class=\"woocommerce-loop-product__title\">{title}</h2>\
                     <span class=\"price\"><span class=\"woocommerce-Price-amount amount\"><bdi>{price}.00</bdi></span></span></a></li>\n"
                ),
                Template::Grid => format!(
                    "<div class=\"grid__item\"><div class=\"card-wrapper product-card-wrapper\"><div class=\"card__content\">\
                     <h3 class=\"card__heading\"><a href=\"{path}\" class=\"full-unstyled-link\">{title}</a></h3>\
                     <div class=\"price\"><span class=\"price-item price-item--regular\">{price}.00 EUR</span></div></div></div></div>\n"
                ),
                Template::Table => format!(
                    "<tr><td>{n:04}</td><td><a href=\"{path}\">{title}</a></td><td>{price}.00</td></tr>\n"
                ),
            }
        });
        let goods: String = goods.collect();
        let pager: String = shown_in_pager(page, PAGES)
            .into_iter()
            .map(|other| {
                format!(
                    "<li><a class=\"page-numbers\" href=\"{}\">{other}</a></li>",
                    self.path(other)
                )
            })
            .collect();
        let (name, intro) = (self.name, content::prose(self.folder, 70));
        let (list, heading) = match self.template {
            Template::List => (
                format!("<ul class=\"products columns-4\">\n{goods}</ul>"),
                "woocommerce-products-header__title",
            ),
            Template::Grid => (
                format!("<div class=\"grid product-grid\" id=\"product-grid\">\n{goods}</div>"),
                "collection-hero__title",
            ),
            Template::Table => (
                format!("<table class=\"parts\"><tbody>\n{goods}</tbody></table>"),
                "title",
            ),
        };
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title></head>\n\
             <body class=\"archive post-type-archive post-type-archive-product\">\n\
             <header class=\"site-header\"><a href=\"/\">The Hollin Almanac</a></header>\n\
             <main id=\"main\" class=\"site-main\"><h1 class=\"{heading}\">{name}</h1>\n\
             <div class=\"term-description\"><p>{intro}</p></div>\n{list}\n\
             <nav class=\"woocommerce-pagination pagination\"><ul class=\"page-numbers\">{pager}</ul></nav></main>\n\
             <footer class=\"site-footer\">The Hollin Almanac</footer></body></html>\n"
        );
        listing(self.path(page), Area::Listings, &html)
    }

    fn product(&self, n: usize) -> DemoPage {
        let title = content::title(self.folder, n);
        document(self.product_path(n), Area::Listings, &title, |text| {
            format!(
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
                 <body class=\"product-template-default single single-product\">\n\
                 <header class=\"site-header\"><a href=\"/\">The Hollin Almanac</a></header>\n\
                 <main id=\"main\" class=\"site-main\"><div class=\"product type-product\"><div class=\"summary entry-summary\">\
                 <h1 class=\"product_title entry-title\">{title}</h1>\n\
                 <div class=\"product-description\"><p>{text}</p></div></div></div></main>\n\
                 <footer class=\"site-footer\">The Hollin Almanac</footer></body></html>\n"
            )
        })
    }
}
