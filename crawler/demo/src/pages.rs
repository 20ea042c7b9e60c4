//! All pages of the site, one file for each difficulty.
//!
//! The code that builds a page also states its expected answer and the reason, so that content and truth change together.

pub mod app;
pub mod archive;
pub mod articles;
pub mod calendar;
pub mod chinese;
pub mod documents;
pub mod index;
pub mod listing;
pub mod lost;
pub mod moved;
pub mod private;
pub mod rooms;
pub mod sessions;
pub mod shop;
pub mod sparse;
pub mod titles;
pub mod variants;

use super::page::DemoPage;

/// All pages except the endless sheets of the calendar.
pub fn all() -> Vec<DemoPage> {
    [
        index::home(&listing::FRONTS),
        articles::pages(),
        documents::pages(),
        app::pages(),
        archive::pages(),
        shop::pages(),
        variants::pages(),
        chinese::pages(),
        sessions::pages(),
        moved::pages(),
        lost::pages(),
        calendar::front(),
        private::pages(),
        rooms::pages(),
        sparse::pages(),
        titles::pages(),
        listing::pages(),
    ]
    .concat()
}
