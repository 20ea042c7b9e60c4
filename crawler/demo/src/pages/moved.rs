//! A chain of redirects that ends at a page, and a loop of redirects.

use super::index::{self, link};
use crate::page::{Answer, Area, DemoPage};

/// Status and path of each redirect in the chain. The last one leads to [`DESTINATION`].
const CHAIN: [(u16, &str); 3] = [(301, "/moved/first"), (302, "/moved/second"), (308, "/moved/third")];
/// The end of the chain, a page with other links to it.
const DESTINATION: &str = "/shop/compass";
/// The two redirects of the loop.
const LOOP: [&str; 2] = ["/moved/hither", "/moved/thither"];

/// The redirects and the index page.
pub fn pages() -> Vec<DemoPage> {
    let list = vec![
        link(CHAIN[0].1, "The compasses, three cards later"),
        link(LOOP[0], "Hither and thither"),
    ];
    let mut pages = vec![index::page("/moved/", "moved", Area::Moved, list)];
    let targets = CHAIN.iter().skip(1).map(|(_, path)| *path).chain([DESTINATION]);
    for ((status, path), target) in CHAIN.into_iter().zip(targets) {
        pages.push(DemoPage::redirect(path, Area::Moved, status, target).expect(
            Answer::Redirect,
            "a redirect in a chain that ends at a page with other links",
        ));
    }
    for (path, target) in LOOP.into_iter().zip(LOOP.into_iter().rev()) {
        pages.push(
            DemoPage::redirect(path, Area::Moved, 302, target)
                .expect(Answer::RedirectLoop, "one of two redirects that lead to each other"),
        );
    }
    pages
}
