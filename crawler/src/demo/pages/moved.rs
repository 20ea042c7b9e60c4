//! A chain of redirects that ends at a page, and one that never ends.

use super::index::{self, link};
use crate::demo::page::{Answer, Area, Page};

/// Status and path of each hop of the chain; the last one leads to [`DESTINATION`].
const CHAIN: [(u16, &str); 3] = [(301, "/moved/first"), (302, "/moved/second"), (308, "/moved/third")];
/// Where the chain ends: a page that is linked elsewhere as well.
const DESTINATION: &str = "/shop/compass";
/// The two hops that lead to each other.
const LOOP: [&str; 2] = ["/moved/hither", "/moved/thither"];

/// The hops and the index page.
pub fn pages() -> Vec<Page> {
    let list = vec![
        link(CHAIN[0].1, "The compasses, three cards later"),
        link(LOOP[0], "Hither and thither"),
    ];
    let mut pages = vec![index::page("/moved/", "moved", Area::Moved, list)];
    let targets = CHAIN.iter().skip(1).map(|(_, path)| *path).chain([DESTINATION]);
    for ((status, path), target) in CHAIN.into_iter().zip(targets) {
        pages.push(
            Page::redirect(path, Area::Moved, status, target)
                .expect(Answer::Redirect, "a hop of a chain that ends at a page known otherwise"),
        );
    }
    for (path, target) in LOOP.into_iter().zip(LOOP.into_iter().rev()) {
        pages.push(
            Page::redirect(path, Area::Moved, 302, target)
                .expect(Answer::RedirectLoop, "one of two redirects that lead to each other"),
        );
    }
    pages
}
