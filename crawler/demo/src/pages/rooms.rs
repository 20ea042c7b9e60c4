//! Pages without a link to them; only the sitemap names them.

use super::index::note;
use crate::page::{Answer, Area, DemoPage};

/// The slugs of the rooms; their paths are `/rooms/` and the slug.
const ROOMS: [&str; 3] = ["reading-room", "map-room", "seed-vault"];

/// The rooms.
pub fn pages() -> Vec<DemoPage> {
    let room = |slug: &str| {
        let document = note(slug);
        DemoPage::html(
            format!("/rooms/{slug}"),
            Area::Sitemap,
            &document.in_almanac(),
            document.main_text(),
        )
        .expect(Answer::Kept, "no page links to it; the sitemap names it")
    };
    ROOMS.into_iter().map(room).collect()
}
