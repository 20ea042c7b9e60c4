//! A diary in the markup of WordPress: an archive page for each month, with the titles of its entries alone.

use super::{document, listing};
use crate::content;
use crate::page::{Area, DemoPage};

/// The first year of the diary, and its months.
const FIRST_YEAR: usize = 2023;
const MONTHS: usize = 18;
/// Entries of a month.
const ENTRIES: usize = 3;

/// The path of the diary's newest entries.
pub const FRONT: &str = "/diary/";

/// The front page, the months and the entries.
pub fn pages() -> Vec<DemoPage> {
    let newest: Vec<usize> = (MONTHS * ENTRIES - ENTRIES..MONTHS * ENTRIES).collect();
    let front = archive(FRONT.to_owned(), &newest);
    let months = (0..MONTHS).map(|month| {
        let entries: Vec<usize> = (month * ENTRIES..(month + 1) * ENTRIES).collect();
        archive(month_path(month), &entries)
    });
    let entries = (0..MONTHS * ENTRIES).map(entry);
    std::iter::once(front).chain(months).chain(entries).collect()
}

fn month_path(month: usize) -> String {
    format!("{FRONT}{}/{:02}/", FIRST_YEAR + month / 12, month % 12 + 1)
}

fn entry_path(n: usize) -> String {
    format!(
        "{}{}-{}/",
        month_path(n / ENTRIES),
        content::word("diary", n),
        content::word("entry", n)
    )
}

fn archive(path: String, entries: &[usize]) -> DemoPage {
    let entries: String = entries
        .iter()
        .map(|&n| {
            format!(
                "<article id=\"post-{n}\" class=\"post-{n} post type-post status-publish format-standard hentry\">\
                 <header class=\"entry-header\"><h2 class=\"entry-title\"><a href=\"{}\" rel=\"bookmark\">{}</a></h2></header>\
                 </article>\n",
                entry_path(n),
                content::title("diary", n)
            )
        })
        .collect();
    let months: String = (0..MONTHS)
        .map(|month| {
            format!(
                "<li><a href=\"{}\">{}</a></li>\n",
                month_path(month),
                content::word("month", month)
            )
        })
        .collect();
    let about = content::prose("diary archive", 60);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Diary</title></head>\n\
         <body class=\"archive date hfeed\"><div id=\"page\" class=\"site\"><header id=\"masthead\" class=\"site-header\">\
         <a href=\"/\">The Hollin Almanac</a></header>\n<main id=\"primary\" class=\"site-main\">\
         <header class=\"page-header\"><h1 class=\"page-title\">Archive</h1>\
         <div class=\"archive-description\"><p>{about}</p></div></header>\n{entries}</main>\n\
         <aside id=\"secondary\" class=\"widget-area\"><section class=\"widget widget_archive\"><h2>Months</h2><ul>\n{months}</ul>\
         </section></aside></div></body></html>\n"
    );
    listing(path, Area::Diary, &html)
}

fn entry(n: usize) -> DemoPage {
    let title = content::title("diary", n);
    document(entry_path(n), Area::Diary, &title, |text| {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body class=\"post-template-default single single-post\"><div id=\"page\" class=\"site\">\
             <header id=\"masthead\" class=\"site-header\"><a href=\"/\">The Hollin Almanac</a></header>\n\
             <main id=\"primary\" class=\"site-main\"><article class=\"post type-post hentry\">\
             <h1 class=\"entry-title\">{title}</h1><div class=\"entry-content\"><p>{text}</p></div></article></main></div></body></html>\n"
        )
    })
}
