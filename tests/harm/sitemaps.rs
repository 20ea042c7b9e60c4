//! Sitemaps as a weapon. What is wrong with a sitemap is no page's failure: it is said in the log.

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{NO_LINKS, home};
use crate::support::site::{Answer, Site};
use std::fmt::Write as _;
use std::io::Write;

use super::doing::{Done, Harm, answer, plain, typed};
use crate::support::hostile::Act;

impl Harm {
    /// Does it by a sitemap that robots.txt names.
    #[track_caller]
    fn done_by_map(self, acts: impl Into<Vec<Act>>) -> Done {
        let named = self.also("/robots.txt", [typed("text/plain", "Sitemap: /map.xml\n")]);
        named.also("/map.xml", acts).page("/page", [plain(1)], "kept").done()
    }
}

fn xml(body: impl AsRef<[u8]>) -> [Act; 1] {
    [typed("application/xml", body)]
}

fn gzip(start: &str, filling: &str, bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(start.as_bytes()).unwrap();
    let filling = filling.repeat(1_000);
    (0..bytes / filling.len()).for_each(|_| encoder.write_all(filling.as_bytes()).unwrap());
    encoder.finish().unwrap()
}

#[test]
fn without_end() {
    let head = answer("Content-Type: application/xml\r\n", "<urlset>");
    let done = Harm::of("a sitemap without end")
        .done_by_map([head, Act::Repeat(b"<url><loc>/page</loc></url>\n".repeat(1_000))]);
    assert!(done.said.contains("body over 52428800 bytes"), "{}", done.said);
}

#[test]
fn bomb() {
    let filling = "<url><loc>/page</loc></url>\n";
    let bomb = gzip("<urlset>", filling, 200_000_000);
    let done = Harm::of("a gzip bomb as a sitemap (200 MB in 600 kB)").done_by_map(xml(bomb));
    assert!(done.outcomes.contains_key("/page"));
}

#[test]
fn bomb_by_content_encoding() {
    let bomb = gzip("<urlset>", "<url><loc>/page</loc></url>\n", 200_000_000);
    let header = format!(
        "Content-Type: application/xml\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n",
        bomb.len()
    );
    let done = Harm::of("a gzip bomb as a sitemap, by Content-Encoding").done_by_map([answer(&header, bomb)]);
    assert!(done.said.contains("body over 52428800 bytes"), "{}", done.said);
}

#[test]
fn indexes_without_end() {
    let mut harm = Harm::of("sitemap indexes without end").also("/map0.xml", []);
    for number in 0..50 {
        let body: String = (0..50).fold("<sitemapindex>".to_owned(), |mut body, next| {
            write!(body, "<sitemap><loc>/map{}.xml</loc></sitemap>", number * 50 + next).unwrap();
            body
        });
        harm = harm.also(&format!("/map{number}.xml"), xml(body + "</sitemapindex>"));
    }
    let done = harm.done_by_map(xml(
        "<sitemapindex><sitemap><loc>/map0.xml</loc></sitemap></sitemapindex>",
    ));
    let maps = done
        .server
        .times_asked()
        .keys()
        .filter(|path| path.starts_with("/map"))
        .count();
    assert!((3..=1_000).contains(&maps), "{maps} sitemaps");
}

#[test]
fn entity_bomb() {
    let mut map = "<!DOCTYPE urlset [<!ENTITY a0 \"aaaaaaaaaa\">".to_owned();
    for number in 1..30 {
        let before = format!("&a{};", number - 1).repeat(10);
        write!(map, "<!ENTITY a{number} \"{before}\">").unwrap();
    }
    let file = "<!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
    let map = format!("{map}{file}<urlset><url><loc>/&a29;</loc></url><url><loc>/&f;</loc></url></urlset>");
    let done = Harm::of("an entity bomb, and an entity that names a file").done_by_map(xml(map));
    assert!(
        !done
            .server
            .times_asked()
            .keys()
            .any(|path| path.contains("aaaa") || path.contains("root"))
    );
}

#[test]
fn long_locations() {
    let mut map = "<urlset>".to_owned();
    for number in 0..20_000 {
        write!(map, "<url><loc>/disallowed/{number}/{}</loc></url>", "x".repeat(2_000)).unwrap();
    }
    let name = format!("/{}.xml", "m".repeat(1_900));
    let robots = format!("User-agent: *\nDisallow: /disallowed\nSitemap: {name}\n");
    Harm::of("a sitemap of 40 MB whose URLs, and whose own, have 2 kB each")
        .also("/robots.txt", [typed("text/plain", robots)])
        .also(&name, xml(map))
        .page("/page", [plain(1)], "kept")
        .done();
}

#[test]
fn sitemaps_that_name_one_another_and_other_hosts_end() {
    let site = Site::scripted(|asked| {
        let index = |names: &[String]| {
            let maps: String = names
                .iter()
                .map(|name| format!("<sitemap><loc>{name}</loc></sitemap>"))
                .collect();
            Answer::xml(format!("<sitemapindex>{maps}</sitemapindex>"))
        };
        match asked.path.as_str() {
            "/robots.txt" => Answer::text("Sitemap: /map0.xml\nSitemap: http://localhost:9/elsewhere.xml\n"),
            "/" => home(NO_LINKS),
            path if path.starts_with("/map") => index(&["/map0.xml".to_owned(), "/map1.xml".to_owned()]),
            _ => Answer::status(404),
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let times = site.times_asked();
    assert!(times.values().all(|&times| times == 1), "{times:?}");
    assert_eq!(count(&crawl.report(), "kept"), 1);
}
