//! Listings of honest sites whose pages have equal texts. The log of the site shows that the crawl loses no document.

use std::collections::HashSet;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home, page, words};
use crate::support::site::{Answer, Asked, Site};

/// Pages of the shop, and goods on each.
const PAGES: u64 = 30;
const GOODS: u64 = 12;

/// The goods as a shop's template shows them: a list, a grid of boxes, a table.
fn goods(template: &str, n: u64) -> String {
    let item = |k: u64| {
        let title = words(10_000 + k, 2);
        match template {
            "list" => format!(
                "<li class=\"product\"><a href=\"/item/{k}\"><h2>{title}</h2></a><span class=\"price\">{k}</span></li>"
            ),
            "grid" => format!("<div class=\"grid__item\"><h3><a href=\"/item/{k}\">{title}</a></h3></div>"),
            _ => format!("<tr><td>{k}</td><td><a href=\"/item/{k}\">{title}</a></td></tr>"),
        }
    };
    let items: String = ((n - 1) * GOODS..n * GOODS).map(item).collect();
    match template {
        "list" => format!("<ol class=\"products\">{items}</ol>"),
        "grid" => format!("<div class=\"grid products\">{items}</div>"),
        _ => format!("<table class=\"products\">{items}</table>"),
    }
}

/// A shop by `?p=N`. Each page links to its neighbours and to the last page. The home page links to `known` goods.
fn shop(template: &'static str, known: u64) -> Site {
    Site::scripted(move |asked: &Asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => {
            let newest = (0..known).map(|k| format!("/item/{k}"));
            home(&newest.chain(["/shop?p=1".to_owned()]).collect::<Vec<_>>())
        }
        path => match path.strip_prefix("/shop?p=") {
            Some(n) => {
                let n: u64 = n.parse().unwrap();
                let others = [n.saturating_sub(1), n + 1, PAGES]
                    .into_iter()
                    .filter(|q| (1..=PAGES).contains(q));
                let pager: String = others.map(|q| format!("<a href=\"/shop?p={q}\">{q}</a> ")).collect();
                Answer::html(format!(
                    "<!doctype html><html lang=\"en\"><head><title>Shop</title></head><body><main><h1>Shop</h1><p>{}</p>{}\
                     <nav class=\"pagination\">{pager}</nav></main></body></html>",
                    words(7, 90),
                    goods(template, n)
                ))
            }
            None => article(
                asked.path.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte)),
                NO_LINKS,
            ),
        },
    })
}

fn asked_for(site: &Site, beginning: &str) -> usize {
    let paths: HashSet<String> = site
        .paths()
        .into_iter()
        .filter(|path| path.starts_with(beginning))
        .collect();
    paths.len()
}

#[track_caller]
fn loses_nothing(site: &Site) {
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 100);
    crawl.run();
    let found = (asked_for(site, "/shop?p="), asked_for(site, "/item/"));
    assert_eq!(found, (PAGES as usize, (PAGES * GOODS) as usize));
}

#[test]
fn all_goods_of_a_paged_shop_are_found_in_every_template() {
    for template in ["list", "grid", "table"] {
        loses_nothing(&shop(template, 0));
    }
}

#[test]
fn a_home_page_that_shows_the_first_goods_hides_no_others() {
    loses_nothing(&shop("list", 5 * GOODS));
}

#[test]
fn a_restart_in_the_middle_of_a_listing_loses_nothing() {
    let site = shop("list", 5 * GOODS);
    let crawl = Crawl::of(site.url("/")).set("scope.max_depth", 100);
    for _ in 0..40 {
        let pages = asked_for(&site, "/").to_string();
        let limit = (pages.parse::<usize>().unwrap() + 9).to_string();
        let ended = crawl.end(&["--max-pages", &limit]);
        assert!(matches!(ended.code, Some(0 | 6)), "{ended:?}");
    }
    crawl.run();
    assert_eq!(asked_for(&site, "/item/"), (PAGES * GOODS) as usize);
}

#[test]
fn posts_behind_the_months_of_plain_permalinks_are_found() {
    // WordPress without pretty links: every document is a query of the home page.
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&["/?m=202301"]),
        path => match path.strip_prefix("/?m=2023") {
            Some(month) => {
                let month: u64 = month.parse().unwrap();
                let mut links: Vec<String> = (0..3).map(|n| format!("/?p={}", 10 * month + n)).collect();
                links.extend((month < 40).then(|| format!("/?m=2023{:02}", month + 1)));
                page("Archive", &words(7, 120), &links)
            }
            None => article(
                path.bytes().map(u64::from).sum::<u64>() * 7 + path.len() as u64,
                NO_LINKS,
            ),
        },
    });
    Crawl::of(site.url("/")).set("scope.max_depth", 100).run();
    assert_eq!((asked_for(&site, "/?m="), asked_for(&site, "/?p=")), (40, 120));
}

#[test]
fn a_variant_of_a_product_with_a_text_of_its_own_is_found() {
    // Every product has twenty variants with numbers of their own. All variants except one in fifty have the text of the product.
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&(0..10).map(|n| format!("/product/{n}")).collect::<Vec<_>>()),
        path => {
            let (product, variant) = path.split_once("?variant=").unwrap_or((path, "0"));
            let n: u64 = product.trim_start_matches("/product/").parse().unwrap();
            let variant: u64 = variant.parse().unwrap();
            let links: Vec<String> = (1..=20).map(|v| format!("{product}?variant={}", 100 * n + v)).collect();
            match variant % 50 {
                17 => page("Variant", &words(1_000 + variant, 150), &links),
                _ => page("Product", &words(10 + n, 150), &links),
            }
        }
    });
    Crawl::of(site.url("/")).run().says(&["still queued 0"]);
    assert_eq!(asked_for(&site, "/product/"), 10 + 200);
}

#[test]
fn a_filter_of_a_catalogue_is_held_back_in_every_combination() {
    let site = Site::scripted(|asked| match asked.path.split_once('?') {
        None if asked.path == "/robots.txt" => Answer::status(404),
        None if asked.path == "/" => home(&["/list"]),
        None if asked.path.starts_with("/item") => article(asked.path.len() as u64, NO_LINKS),
        query => {
            let chosen: Vec<&str> = query.map(|(_, query)| query.split('&').collect()).unwrap_or_default();
            let mut links = vec!["/item".to_owned(), "/items".to_owned()];
            for name in ["a", "b", "c", "d"] {
                for value in 0..5 {
                    let mut query: Vec<String> = chosen
                        .iter()
                        .filter(|pair| !pair.starts_with(name))
                        .map(|p| (*p).to_owned())
                        .collect();
                    query.push(format!("{name}={value}"));
                    query.sort();
                    links.push(format!("/list?{}", query.join("&")));
                }
            }
            page("List", &words(7, 150), &links)
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run().says(&["held back", "to fetch them"]);
    let asked = asked_for(&site, "/list");
    println!("{asked} of 1296 combinations");
    assert!(asked <= 1_296 / 5, "{asked}");
    crawl
        .read("report", &[])
        .succeeded()
        .says(&["held back", "steering.leave"]);
}
