//! All pages together: look-up by path, link depths, robots.txt and the sitemap.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

use url::Url;

use super::page::{Area, DemoPage};
use super::pages::calendar::{self, Month};
use super::pages::{self, app, private};

/// The path of the seed.
pub const SEED: &str = "/";
/// The path of the sitemap, which robots.txt names.
pub const SITEMAP: &str = "/sitemap.xml";
/// The path of robots.txt.
pub const ROBOTS: &str = "/robots.txt";

/// Linked pages that the sitemap names too.
const ALSO_IN_SITEMAP: [&str; 5] = ["/", "/articles/", "/articles/tides", "/shop/compass", "/zh/panda"];

/// The site: every page with a fixed path, and the calendar, whose sheets are generated on request.
#[derive(Debug, Clone)]
pub struct Site {
    pages: Vec<DemoPage>,
    by_path: HashMap<String, usize>,
}

impl Default for Site {
    fn default() -> Site {
        Site::new()
    }
}

impl Site {
    /// Builds all pages, always with the same bytes.
    pub fn new() -> Site {
        let pages = pages::all();
        let by_path = pages
            .iter()
            .enumerate()
            .map(|(n, page)| (page.path.clone(), n))
            .collect();
        Site { pages, by_path }
    }

    /// The pages with a fixed path: all except the sheets of the calendar.
    #[cfg(test)]
    pub fn pages(&self) -> &[DemoPage] {
        &self.pages
    }

    /// The page at a path (with its query), if there is one.
    pub fn page(&self, path: &str) -> Option<Cow<'_, DemoPage>> {
        match self.by_path.get(path) {
            Some(&n) => self.pages.get(n).map(Cow::Borrowed),
            None => Month::of_path(path).map(|month| Cow::Owned(calendar::sheet(month))),
        }
    }

    /// What only scripts and style sheets ask for: the content type and the body.
    pub fn asset(path: &str) -> Option<(&'static str, String)> {
        app::asset(path)
    }

    /// Every path that links, redirects and the sitemap lead to, with its depth.
    ///
    /// The seed has depth 0; a link adds 1, a redirect 0, and entries of the sitemap have depth 1. The search is breadth first. It does
    /// not follow links deeper than `max_depth` or on pages that robots.txt forbids, nor those that scripts make unless a browser `renders`
    /// the pages.
    pub fn depths(&self, max_depth: u16, renders: bool) -> BTreeMap<String, u16> {
        let mut depths = BTreeMap::new();
        let mut queue = VecDeque::from([(SEED.to_owned(), 0)]);
        queue.extend(self.sitemap_paths().into_iter().map(|path| (path, 1)));
        while let Some((path, depth)) = queue.pop_front() {
            if depths.contains_key(&path) {
                continue;
            }
            if let Some(page) = self
                .page(&path)
                .filter(|_| depth <= max_depth && !path.starts_with(private::FORBIDDEN))
            {
                match &page.location {
                    Some(target) => queue.push_front((target.clone(), depth)),
                    None if page.needs_browser && !renders => {}
                    None => queue.extend(page.links.iter().map(|link| (link.clone(), depth + 1))),
                }
            }
            depths.insert(path, depth);
        }
        depths
    }

    /// The paths in the sitemap: some linked pages, and all pages without a link.
    pub fn sitemap_paths(&self) -> Vec<String> {
        let unlinked = self
            .pages
            .iter()
            .filter(|page| page.area == Area::Sitemap)
            .map(|page| page.path.clone());
        ALSO_IN_SITEMAP.into_iter().map(str::to_owned).chain(unlinked).collect()
    }

    /// The sitemap of the site at `base` (sitemaps.org protocol 0.9).
    pub fn sitemap_xml(&self, base: &Url) -> String {
        let entry = |path: String| format!("<url><loc>{}</loc></url>\n", absolute(base, &path));
        let urls: String = self.sitemap_paths().into_iter().map(entry).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
        )
    }

    /// The robots.txt of the site at `base` (RFC 9309, with the `Sitemap` line of sitemaps.org).
    pub fn robots_txt(base: &Url) -> String {
        format!(
            "# Everybody may read everything but three rooms.\nUser-agent: *\nDisallow: {}\n\nSitemap: {}\n",
            private::FORBIDDEN,
            absolute(base, SITEMAP)
        )
    }
}

/// The URL of a path with its query, with scheme, host and port of `base`.
pub fn absolute(base: &Url, path: &str) -> String {
    format!("{}{path}", base.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Answer;
    use std::collections::HashSet;

    const ENOUGH: u16 = 8;

    #[test]
    fn every_path_is_unique() {
        let site = Site::new();
        assert_eq!(site.by_path.len(), site.pages.len());
    }

    #[test]
    fn every_link_leads_to_a_page_and_every_page_is_reached() {
        let site = Site::new();
        let depths = site.depths(ENOUGH, true);
        for path in depths.keys() {
            assert!(site.page(path).is_some(), "{path} is linked but there is no such page");
        }
        for page in site.pages() {
            assert!(depths.contains_key(&page.path), "{} cannot be reached", page.path);
            assert!(!page.why.is_empty(), "{} has no reason", page.path);
        }
    }

    #[test]
    fn every_page_outside_the_calendar_is_near_the_seed() {
        let site = Site::new();
        for (path, depth) in site.depths(ENOUGH, true) {
            assert!(
                Month::of_path(&path).is_some() || depth <= 7,
                "{path} is at depth {depth}"
            );
        }
    }

    #[test]
    fn depths_grow_by_one_a_step() {
        let depths = Site::new().depths(ENOUGH, true);
        let expected = [
            ("/", 0),
            ("/rooms/map-room", 1),
            ("/mirror/", 1),
            ("/mirror/articles/tea", 2),
            ("/board/room?sid=abc123", 2),
            ("/board/choir?sid=abc123", 3),
            ("/moved/first", 2),
            ("/moved/second", 2),
            ("/moved/third", 2),
            ("/calendar/2026/11", 2),
            ("/calendar/2026/12", 3),
            ("/calendar/2027/01", 4),
            ("/calendar/2026/05", 8),
            ("/calendar/2026/04", 9),
        ];
        for (path, depth) in expected {
            assert_eq!(depths.get(path), Some(&depth), "{path}");
        }
        assert!(
            !depths.contains_key("/calendar/2026/03"),
            "two steps beyond the limit nothing is known"
        );
    }

    #[test]
    fn only_the_home_page_leads_into_the_calendar() {
        for page in Site::new().pages() {
            let leads = page.links.iter().any(|link| link.starts_with("/calendar/"));
            assert_eq!(
                leads,
                ["/", "/calendar/"].contains(&page.path.as_str()),
                "{}",
                page.path
            );
        }
        assert!(
            calendar::sheet(Month::FIRST_SHOWN)
                .links
                .iter()
                .all(|link| link != "/calendar/")
        );
    }

    #[test]
    fn sitemap_pages_are_linked_from_nowhere_and_the_others_are() {
        let site = Site::new();
        let linked: HashSet<&String> = site.pages().iter().flat_map(|page| &page.links).collect();
        let unlinked: Vec<_> = site.pages().iter().filter(|page| page.area == Area::Sitemap).collect();
        assert_eq!(unlinked.len(), 3);
        for page in site.pages() {
            assert_eq!(linked.contains(&page.path), page.area != Area::Sitemap, "{}", page.path);
        }
        for path in site.sitemap_paths() {
            assert!(
                site.page(&path).is_some() && !path.starts_with("/calendar") && !path.starts_with(private::FORBIDDEN)
            );
        }
    }

    #[test]
    fn robots_and_sitemap_agree_with_the_pages() {
        let base = Url::parse("http://127.0.0.1:4711/").expect("the URL is valid");
        let site = Site::new();
        let robots = Site::robots_txt(&base);
        assert!(robots.contains("Sitemap: http://127.0.0.1:4711/sitemap.xml\n"));
        let prefix = robots
            .lines()
            .find_map(|line| line.strip_prefix("Disallow: "))
            .expect("there is a rule");
        for page in site.pages() {
            let forbidden = page.answer == Answer::Excluded(crate::page::Exclusion::Robots);
            assert_eq!(page.path.starts_with(prefix), forbidden, "{}", page.path);
        }
        assert_eq!(
            site.sitemap_xml(&base).matches("<loc>http://127.0.0.1:4711/").count(),
            site.sitemap_paths().len()
        );
    }
}
