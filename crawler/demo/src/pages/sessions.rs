//! A notice board with a session id in every link: the same few pages under many URLs.

use super::index::{self, link, note};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

/// The session ids. They look like ordinary query values, so that a rule about long hexadecimal strings cannot detect them.
const IDS: [&str; 8] = ["k3x9", "abc123", "77tq", "m0nd", "zz41", "p8w2", "q5r1", "v6hu"];

/// The notices behind every entrance.
const NOTICES: [&str; 4] = ["choir", "bicycle", "lecture", "allotment"];

/// The front page, and for each id the board and its notices.
pub fn pages() -> Vec<DemoPage> {
    let entrances = IDS
        .iter()
        .enumerate()
        .map(|(n, id)| link(board_path(id), format!("Entrance {}", letter(n))));
    let mut pages = vec![index::page("/board/", "board", Area::Sessions, entrances.collect())];
    for id in IDS {
        pages.push(board(id));
        pages.extend(NOTICES.iter().map(|slug| notice(slug, id)));
    }
    pages
}

/// The room behind the entrance `id`: it lists the notices, each under the same id.
fn board(id: &str) -> DemoPage {
    let paragraph = "Four slips are pinned to the cork today. Slips are taken down when they have turned yellow, or when \
                     what they announce has happened, whichever the caretaker notices first. Drawing pins are in the \
                     saucer; please do not lean on the frame, it was hung by a volunteer. A slip that has fallen behind \
                     the radiator counts as read.";
    let list = NOTICES
        .iter()
        .map(|slug| link(notice_path(slug, id), note(slug).heading))
        .collect();
    let document = Document {
        list,
        ..Document::new("What hangs on the board", &[paragraph])
    };
    page(board_path(id), &document, "board")
}

fn notice(slug: &'static str, id: &str) -> DemoPage {
    let others = NOTICES.iter().filter(|other| **other != slug);
    let mut pager = vec![link(board_path(id), "Back to the board")];
    pager.extend(others.map(|other| link(notice_path(other, id), note(other).heading)));
    page(notice_path(slug, id), &Document { pager, ..note(slug) }, slug)
}

fn page(path: String, document: &Document, cluster: &'static str) -> DemoPage {
    let answer = Answer::OneOf {
        cluster,
        wording: Wording::Exactly(cluster),
    };
    DemoPage::html(path, Area::Sessions, &document.in_almanac(), document.main_text()).expect(
        answer,
        "the same page under another session id; the crawl keeps one of them",
    )
}

fn board_path(id: &str) -> String {
    format!("/board/room?sid={id}")
}

fn notice_path(slug: &str, id: &str) -> String {
    format!("/board/{slug}?sid={id}")
}

fn letter(n: usize) -> char {
    char::from(b'A' + u8::try_from(n % 26).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_inside_the_board_carries_the_id_of_its_page() {
        for page in pages() {
            let Some((_, id)) = page.path.split_once("?sid=") else {
                continue;
            };
            let inner: Vec<_> = page
                .links
                .iter()
                .filter(|link| link.starts_with("/board/") && *link != "/board/")
                .collect();
            assert_eq!(inner.len(), 4, "{}", page.path);
            assert!(
                inner.iter().all(|link| link.ends_with(&format!("?sid={id}"))),
                "{}",
                page.path
            );
        }
    }
}
