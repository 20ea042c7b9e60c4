//! Pages that no page links to; only the sitemap names them.

use super::index::note;
use crate::demo::page::{Answer, Area, Page};

/// The slugs of the rooms; their paths are `/rooms/` and the slug.
const ROOMS: [&str; 3] = ["reading-room", "map-room", "seed-vault"];

/// The rooms.
pub fn pages() -> Vec<Page> {
    let room = |slug: &str| {
        let document = note(slug);
        Page::html(
            format!("/rooms/{slug}"),
            Area::Sitemap,
            &document.in_almanac(),
            document.main_text(),
        )
        .expect(Answer::Kept, "linked from nowhere; the sitemap names it")
    };
    ROOMS.into_iter().map(room).collect()
}
