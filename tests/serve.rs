//! `crawler serve`: who is answered, and that the views say what the commands say.
//!
//! - `control`: Control; `guard`: who is answered; `pages`: Overview, Pages and the description for programs; `labels`: Duplicates; `tune`: Tune; `check`: Check
//! - `runs`: beside a crawl that runs; `follow`: pages that stay open meanwhile
//! - `served`: how a server is asked
//!
//! The page of a fleet is tested in `fleet::page`.

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, replaced, words};
use crate::support::site::Site;

mod check;
mod control;
mod follow;
mod guard;
mod labels;
mod pages;
mod runs;
pub mod served;
mod tune;

/// A title that would do harm, in its HTML spelling.
const HARMFUL: &str = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;\u{202e}";

/// An article, a copy, a near-duplicate, another article with a harmful title, a page in German, and a missing page.
fn site() -> Site {
    let text = words(1, 300);
    Site::of([
        ("/", home(&["/a", "/missing?<script>alert(3)</script>"])),
        ("/a", page("First article", &text, &["/copy"])),
        ("/copy", page("Copy", &text, &["/near"])),
        ("/near", page("Nearly", &replaced(&text, 40, 3, 90), &["/harm"])),
        ("/harm", page(HARMFUL, &words(2, 300), &["/doubtful"])),
        ("/doubtful", page("Doubtful", &replaced(&text, 60, 60, 91), NO_LINKS)),
    ])
}

fn crawled(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("steering.enabled", false);
    crawl.run();
    crawl
}

/// The JSON of a command.
#[track_caller]
fn command(crawl: &Crawl, name: &str, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--config", "test.toml", "--format", "json"]].concat();
    serde_json::from_str(&crawl.read(name, &arguments).succeeded().stdout).unwrap()
}
