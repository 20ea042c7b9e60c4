//! A forum in the markup of phpBB: pages of topics by `start`, each topic with a text of its own.

use super::{document, listing, shown_in_pager};
use crate::content;
use crate::page::{Area, DemoPage};

const PAGES: usize = 8;
const TOPICS: usize = 5;

/// Number of the forum, which all its URLs carry.
const FORUM: usize = 2;

/// The path of the first page.
pub const FRONT: &str = "/forum/viewforum.php?f=2";

/// The forum with its topics.
pub fn pages() -> Vec<DemoPage> {
    let topics = (0..PAGES * TOPICS).map(topic);
    (1..=PAGES).map(page).chain(topics).collect()
}

fn path(page: usize) -> String {
    match page {
        1 => FRONT.to_owned(),
        _ => format!("{FRONT}&start={}", (page - 1) * TOPICS),
    }
}

fn topic_path(n: usize) -> String {
    format!("/forum/viewtopic.php?f={FORUM}&t={}", 100 + n)
}

fn href(path: &str) -> String {
    path.replace('&', "&amp;")
}

fn page(page: usize) -> DemoPage {
    let topics = ((page - 1) * TOPICS..page * TOPICS).map(|n| {
        format!(
            "<li class=\"row bg1\"><dl class=\"row-item topic_read\"><dt title=\"No unread posts\"><div class=\"list-inner\">\
             <a href=\"{}\" class=\"topictitle\">{}</a></div></dt><dd class=\"posts\">1</dd></dl></li>\n",
            href(&topic_path(n)),
            content::title("/forum/", n)
        )
    });
    let topics: String = topics.collect();
    let pager: String = shown_in_pager(page, PAGES)
        .into_iter()
        .map(|other| {
            format!(
                "<li><a class=\"button\" href=\"{}\" role=\"button\">{other}</a></li>",
                href(&path(other))
            )
        })
        .collect();
    let rules = content::prose("forum rules", 70);
    let html = frame(
        "Workshop talk",
        &format!(
            "<h2 class=\"forum-title\"><a href=\"{}\">Workshop talk</a></h2>\n<div class=\"rules\"><p>{rules}</p></div>\n\
             <div class=\"action-bar bar-top\"><div class=\"pagination\">40 topics <ul>{pager}</ul></div></div>\n\
             <div class=\"forumbg\"><div class=\"inner\"><ul class=\"topiclist topics\">\n{topics}</ul></div></div>",
            href(FRONT)
        ),
    );
    listing(path(page), Area::Forum, &html)
}

fn topic(n: usize) -> DemoPage {
    let title = content::title("/forum/", n);
    document(topic_path(n), Area::Forum, &title, |text| {
        frame(
            &title,
            &format!(
                "<h2 class=\"topic-title\"><a href=\"{}\">{title}</a></h2>\n<div id=\"p{n}\" class=\"post has-profile bg2\">\
                 <div class=\"inner\"><div class=\"postbody\"><div class=\"content\">{text}</div></div></div></div>",
                href(&topic_path(n))
            ),
        )
    })
}

fn frame(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Forum - {title}</title></head>\n\
         <body id=\"phpbb\" class=\"nojs notouch section-viewforum ltr\"><div id=\"wrap\" class=\"wrap\">\n\
         <div id=\"page-header\"><a href=\"/\">The Hollin Almanac</a></div>\n\
         <div id=\"page-body\" class=\"page-body\" role=\"main\">\n{body}\n</div>\n\
         <div id=\"page-footer\" class=\"page-footer\" role=\"contentinfo\">Powered by boards</div></div></body></html>\n"
    )
}
