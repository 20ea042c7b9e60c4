//! The answer of a host to a path.
//!
//! | path | answer |
//! |---|---|
//! | `/`, `/s/N/title-N.html` | page 0, page N; a query of it changes nothing |
//! | `/private/N` | page N, which some hosts forbid |
//! | `/print/N` | page N in another frame |
//! | `/old/N` | a redirect to page N |
//! | `/lost/N` | "not found" with status 200 |
//! | `/void/N` | status 404 |
//! | `/sitemap.xml` | where robots.txt names it: pages of the host; else 404 |

use std::fmt::Write as _;

use crate::random::Random;
use crate::words::Writer;
use crate::world::{Host, Manner, Robots, World};

/// Links of a page.
const LINKS: usize = 30;
/// Links in a hundred that lead to another host.
const AWAY: u64 = 18;
/// Pages of a sitemap.
const SITEMAP_PAGES: u64 = 200;
/// One page in so many is an edition of the page before it.
const EDITION_EVERY: u64 = 7;
/// One sentence in so many differs in an edition.
const CHANGED_EVERY: u64 = 40;
/// Streams of numbers of a page.
const TEXT: u64 = 3;
const LINKED: u64 = 4;
const CHANGES: u64 = 5;

/// An answer.
pub struct Answer {
    pub status: &'static str,
    pub media_type: &'static str,
    pub location: Option<String>,
    pub body: String,
}

impl Answer {
    fn of(status: &'static str, media_type: &'static str, body: String) -> Self {
        Self {
            status,
            media_type,
            location: None,
            body,
        }
    }

    fn html(body: String) -> Self {
        Self::of("200 OK", "text/html; charset=utf-8", body)
    }

    fn missing() -> Self {
        Self::of(
            "404 Not Found",
            "text/html",
            "<title>404</title><p>Not Found".to_owned(),
        )
    }

    fn redirect(to: String) -> Self {
        Self {
            location: Some(to),
            ..Self::of("301 Moved Permanently", "text/html", String::new())
        }
    }
}

/// What `host` answers to the target of a request.
pub fn answer(world: &World, host: &Host, target: &str, markup: &str) -> Answer {
    let path = target.split('?').next().unwrap_or(target);
    if path == "/robots.txt" {
        return robots(host, world);
    }
    if host.manner == Manner::Redirects {
        let to = world.authority(Random::of(&[world.seed, 6, host.number]).low(world.hosts, 3.0));
        return Answer::redirect(format!("http://{to}{target}"));
    }
    let mut parts = path.trim_start_matches('/').split('/');
    let kind = parts.next().unwrap_or_default();
    let number = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    match kind {
        "" | "s" | "private" | "print" if number < host.pages => Answer::html(page(world, host, number, kind, markup)),
        "old" if number < host.pages => Answer::redirect(path_of(number)),
        "lost" => Answer::html(lost(world, host, markup)),
        "sitemap.xml" if host.robots != Robots::Missing => sitemap(world, host),
        _ => Answer::missing(),
    }
}

fn path_of(number: u64) -> String {
    if number == 0 {
        "/".to_owned()
    } else {
        format!("/s/{number}/title-{number}.html")
    }
}

fn robots(host: &Host, world: &World) -> Answer {
    let rules = match host.robots {
        Robots::Missing => return Answer::missing(),
        Robots::Allows => "Disallow:\n".to_owned(),
        Robots::ForbidsPart => "Disallow: /private/\nDisallow: /*?sort=\n".to_owned(),
        Robots::Delays(seconds) => format!("Crawl-delay: {seconds}\n"),
    };
    let sitemap = match host.number % 4 {
        0 => format!("Sitemap: http://{}/sitemap.xml\n", world.authority(host.number)),
        _ => String::new(),
    };
    Answer::of("200 OK", "text/plain", format!("User-agent: *\n{rules}{sitemap}"))
}

fn sitemap(world: &World, host: &Host) -> Answer {
    let origin = world.authority(host.number);
    let mut body = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">".to_owned();
    for number in 0..host.pages.min(SITEMAP_PAGES) {
        let _ = write!(body, "<url><loc>http://{origin}{}</loc></url>", path_of(number));
    }
    body.push_str("</urlset>");
    Answer::of("200 OK", "application/xml", body)
}

/// The page that a host shows for what it does not have.
fn lost(world: &World, host: &Host, markup: &str) -> String {
    let mut body = head(host, "Not found", markup);
    let writer = Writer::new(host.language, host.original);
    let mut random = Random::of(&[world.seed, 8, host.original]);
    body.push_str("<main><h1>Not found</h1><p>");
    for _ in 0..4 {
        writer.sentence(&mut random, 12, &mut body);
    }
    body.push_str("</p><a href=\"/\">home</a></main></body></html>");
    body
}

fn head(host: &Host, title: &str, markup: &str) -> String {
    let bytes = host.markup_bytes.min(markup.len());
    let mut body = String::with_capacity(bytes + 16_384);
    let _ = write!(
        body,
        "<!DOCTYPE html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{}</style><script>{}</script></head><body>",
        host.language.tag,
        &markup[..bytes / 3],
        &markup[bytes / 3..bytes],
    );
    body
}

fn page(world: &World, host: &Host, number: u64, kind: &str, markup: &str) -> String {
    let is_edition = number % EDITION_EVERY == EDITION_EVERY - 1;
    let text = if is_edition { number - 1 } else { number };
    let writer = Writer::new(host.language, host.original);
    let mut random = Random::of(&[world.seed, TEXT, host.original, text]);
    let mut title = String::new();
    writer.sentence(&mut random, 5, &mut title);
    let mut body = head(host, &title, markup);
    let links = links(world, host, number);
    let (menu, others) = links.split_at(links.len() / 3);
    if kind != "print" {
        body.push_str("<header><nav class=\"menu\"><ul>");
        list(
            menu,
            &writer,
            &mut Random::of(&[world.seed, 9, host.original]),
            &mut body,
        );
        body.push_str("</ul></nav></header>");
    }
    let _ = write!(body, "<main><article class=\"post\"><h1>{title}</h1>");
    let mut changes = is_edition.then(|| Random::of(&[world.seed, CHANGES, host.original, number]));
    let mut words = random.log_normal(280.0, 0.8).clamp(20.0, 6_000.0) as u64;
    while words > 0 {
        body.push_str("<p>");
        for _ in 0..3 + random.below(4) {
            let length = 6 + random.below(14);
            let mut own = Random::of(&[random.next()]);
            if changes
                .as_mut()
                .is_some_and(|changes| changes.below(CHANGED_EVERY) == 0)
            {
                own = Random::of(&[own.next(), number]);
            }
            writer.sentence(&mut own, length, &mut body);
            words = words.saturating_sub(length);
        }
        body.push_str("</p>");
    }
    body.push_str("</article></main><aside><ul class=\"related\">");
    list(others, &writer, &mut random, &mut body);
    body.push_str("</ul></aside><footer><p>all rights reserved</p></footer></body></html>");
    body
}

fn list(links: &[String], writer: &Writer, random: &mut Random, body: &mut String) {
    for link in links {
        let _ = write!(body, "<li class=\"item\"><a href=\"{link}\">");
        writer.sentence(random, 3, body);
        body.push_str("</a></li>");
    }
}

/// Most links lead to pages of the host, the earlier the more; the others to hosts, the earlier the more.
fn links(world: &World, host: &Host, number: u64) -> Vec<String> {
    let mut random = Random::of(&[world.seed, LINKED, host.original, number]);
    let mut links: Vec<String> = (1..LINKS)
        .map(|_| {
            if random.below(100) < AWAY {
                away(world, &mut random)
            } else {
                inside(host, &mut random)
            }
        })
        .collect();
    links.push(path_of((number + 1) % host.pages));
    links
}

fn inside(host: &Host, random: &mut Random) -> String {
    let number = random.low(host.pages, 1.6);
    match random.below(100) {
        0..3 => format!("{}?ref={}", path_of(number), random.below(40)),
        3..5 => format!("{}?sort={}", path_of(number), random.below(4)),
        5..7 => format!("/print/{number}"),
        7..10 => format!("/private/{number}"),
        10..12 => format!("/old/{number}"),
        12 => format!("/lost/{}", random.below(1_000)),
        13 => format!("/void/{number}"),
        14 => format!("{}?PHPSESSID={:032x}", path_of(number), random.next()),
        _ => path_of(number),
    }
}

fn away(world: &World, random: &mut Random) -> String {
    let number = random.low(world.hosts, 3.0);
    let path = match random.below(10) {
        0..6 => "/".to_owned(),
        _ => path_of(random.low(world.host(number).pages, 3.0)),
    };
    format!("http://{}{path}", world.authority(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> World {
        World {
            seed: 7,
            hosts: 1_000,
            port: 80,
            dead_port: 81,
        }
    }

    #[test]
    fn a_page_is_the_same_each_time_and_has_thirty_links() {
        let (world, markup) = (world(), "x".repeat(100_000));
        let host = (0..)
            .map(|number| world.host(number))
            .find(|host| host.manner == Manner::Usual && host.pages > 50);
        let host = host.expect("some host has as many pages");
        let [first, second] = [(); 2].map(|()| answer(&world, &host, "/s/5/title-5.html", &markup).body);
        assert_eq!(first, second);
        assert_eq!(first.matches("<a href=").count(), LINKS);
        assert_eq!(first, answer(&world, &host, "/s/5/title-5.html?ref=3", &markup).body);
        assert_ne!(first, answer(&world, &host, "/s/6/title-6.html", &markup).body);
        assert!(answer(&world, &host, "/void/3", "").status.starts_with("404"));
        assert!(answer(&world, &host, "/old/3", "").location.is_some());
    }
}
