//! Every page of the site, one file for each kind of trouble that it makes.
//!
//! A page's answer and the reason for it are stated where its content is made, so the truth cannot drift from it.

pub mod archive;
pub mod articles;
pub mod calendar;
pub mod chinese;
pub mod index;
pub mod lost;
pub mod moved;
pub mod private;
pub mod rooms;
pub mod sessions;
pub mod shop;
pub mod sparse;
pub mod titles;
pub mod variants;

use super::page::Page;

/// Every page but the sheets of the calendar, of which there is no end.
pub fn all() -> Vec<Page> {
    [
        index::home(),
        articles::pages(),
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
    ]
    .concat()
}
