//! Leaves hosts and folders whose last pages said nothing new, by a bound that the user sets.
//!
//! A page says nothing new if it is a duplicate and leads nowhere: each of its links was on an earlier page with the same text, or is in
//! the folder. If at least `share` of the last `window` pages of a folder, or of a whole host, said nothing new, the crawl holds back the
//! remaining URLs there, except for a sample. These pages count only for the smallest such folder: the counts of the larger folders start
//! again. A page that says something new releases the URLs, and the count starts again.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;
use web::host_key::HostKey;
use web::url_rule::shape;

use super::judged::Decided;
use super::sample::Sample;
use config::settings::DuplicateShare;

/// Bound on the counted folders of a URL: the host as a whole, and this number of folders below it.
const MAX_FOLDERS_A_URL: usize = 3;

/// Bound on the bytes of a counted folder.
const MAX_FOLDER_BYTES: usize = 256;

/// Bound on the counted folders of all hosts. Later folders are not counted.
const MAX_FOLDERS: usize = 50_000;

/// The last pages of a folder.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Window {
    /// Whether each page said nothing new, 64 pages a word, as a ring.
    ring: Vec<u64>,
    next: usize,
    pages: usize,
    /// Pages in the window that said nothing new.
    old: usize,
    #[serde(skip)]
    sample: Sample,
}

impl Window {
    fn push(&mut self, says_nothing_new: bool, size: usize) {
        self.ring.resize(size.div_ceil(64), 0);
        let (word, bit) = (self.next / 64, 1_u64 << (self.next % 64));
        if self.pages == size {
            self.old -= usize::from(self.ring[word] & bit != 0);
        } else {
            self.pages += 1;
        }
        self.ring[word] &= !bit;
        if says_nothing_new {
            self.ring[word] |= bit;
            self.old += 1;
        }
        self.next = (self.next + 1) % size;
    }

    /// Whether pages can have made this window of `size` pages, which was read.
    fn is_possible(&self, size: usize) -> bool {
        // A folder that is left, or in one that is left, begins anew.
        if *self == Self::default() {
            return true;
        }
        let says_nothing_new: u32 = self.ring.iter().map(|word| word.count_ones()).sum();
        let has_room = self.ring.len() == size.div_ceil(64) && self.next < size && self.pages <= size;
        has_room && self.old == says_nothing_new as usize
    }

    fn is_left(&self, limit: &DuplicateShare) -> bool {
        self.pages == limit.window && self.old as f64 >= limit.share * limit.window as f64
    }
}

/// A folder that the crawl leaves, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderStanding {
    /// The host key.
    pub host: String,
    /// The folder; `/` is the whole host.
    pub folder: String,
    /// The last pages that are counted.
    pub pages: u32,
    /// Pages among them that said nothing new.
    pub duplicates: u32,
}

/// The folders of all hosts.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Folders {
    /// A setting, and not learned.
    #[serde(skip)]
    limit: Option<DuplicateShare>,
    windows: HashMap<(String, String), Window>,
}

impl Folders {
    pub fn new(limit: Option<DuplicateShare>) -> Self {
        Self {
            limit,
            windows: HashMap::new(),
        }
    }

    /// What was learned under the same limit, and read; `None` if pages cannot have taught that.
    pub fn limited_as(self, other: &Self) -> Option<Self> {
        let size = other.limit.map_or(0, |limit| limit.window);
        let are_possible = self.windows.values().all(|window| window.is_possible(size));
        (are_possible && self.windows.len() <= MAX_FOLDERS).then_some(Self {
            limit: other.limit,
            ..self
        })
    }

    /// Counts a decided page, in the smallest folder first. If the crawl leaves that folder, its pages count for no larger folder.
    /// Returns `true` if the page releases a folder.
    pub fn decided(&mut self, page: &Decided<'_>) -> bool {
        let Some(limit) = self.limit else { return false };
        let mut has_ended = false;
        let mut is_explained = false;
        for folder in folders(&page.url) {
            let says_nothing_new = page.duplicate.as_ref().is_some_and(|duplicate| {
                duplicate.is_barren(|link| {
                    HostKey::from_url(link).is_some_and(|host| host.as_str() == page.host)
                        && link.path().starts_with(&folder)
                })
            });
            let place = (page.host.to_owned(), folder);
            if self.windows.len() >= MAX_FOLDERS && !self.windows.contains_key(&place) {
                continue;
            }
            let window = self.windows.entry(place).or_default();
            let was_left = window.is_left(&limit);
            if is_explained || was_left && !page.is_duplicate() {
                has_ended |= was_left;
                *window = Window::default();
            }
            if !is_explained {
                window.push(says_nothing_new, limit.window);
            }
            if was_left && page.is_duplicate() {
                break;
            }
            is_explained |= !was_left && window.is_left(&limit);
        }
        has_ended
    }

    /// The smallest folder of the URL that the crawl leaves.
    pub fn left(&self, host: &str, url: &Url) -> Option<String> {
        let limit = self.limit?;
        folders(url).into_iter().find(|folder| {
            let window = self.windows.get(&(host.to_owned(), folder.clone()));
            window.is_some_and(|window| window.is_left(&limit))
        })
    }

    /// Counts a URL that is held back in the folder. Returns `true` for a URL of the sample.
    pub fn is_sample(&mut self, host: &str, folder: &str) -> bool {
        let window = self.windows.get_mut(&(host.to_owned(), folder.to_owned()));
        window.is_none_or(|window| window.sample.takes_next())
    }

    /// The folders that the crawl leaves, by host and folder.
    pub fn standing(&self) -> Vec<FolderStanding> {
        let Some(limit) = self.limit else { return Vec::new() };
        let left = self.windows.iter().filter(|(_, window)| window.is_left(&limit));
        let mut standing: Vec<_> = left
            .map(|((host, folder), window)| FolderStanding {
                host: host.clone(),
                folder: folder.clone(),
                pages: u32::try_from(window.pages).unwrap_or(u32::MAX),
                duplicates: u32::try_from(window.old).unwrap_or(u32::MAX),
            })
            .collect();
        standing.sort_by(|a, b| (&a.host, &a.folder).cmp(&(&b.host, &b.folder)));
        standing
    }
}

/// `/a/b/`, `/a/`, `/`: the folders that hold the URL, the smallest first.
fn folders(url: &Url) -> Vec<String> {
    let segments = shape::segments(url);
    let depth = segments.len().saturating_sub(1).min(MAX_FOLDERS_A_URL);
    let folder = |depth: usize| -> String { segments[..depth].iter().flat_map(|segment| ["/", segment]).collect() };
    let folders = (0..=depth).rev().map(|depth| format!("{}/", folder(depth)));
    folders.filter(|folder| folder.len() <= MAX_FOLDER_BYTES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steering::{DuplicateOf, JudgedPage};

    fn folders_of(share: f64, window: usize) -> Folders {
        Folders::new(Some(DuplicateShare { share, window }))
    }

    fn decide(folders: &mut Folders, path: &str, new_links: Option<&[&str]>) -> bool {
        let duplicate_of = new_links.map(|links| DuplicateOf {
            page: 1,
            url: "http://h/".to_owned(),
            is_exact: true,
            new_links: Some(links.iter().map(|link| format!("http://h{link}")).collect()),
        });
        let page = JudgedPage {
            page: 2,
            url: format!("http://h{path}"),
            via: None,
            duplicate_of,
            is_incomplete: false,
        };
        folders.decided(&Decided::parse("h", &page).unwrap())
    }

    fn left(folders: &Folders, path: &str) -> Option<String> {
        folders.left("h", &Url::parse(&format!("http://h{path}")).unwrap())
    }

    #[test]
    fn a_folder_is_left_when_the_share_of_its_last_pages_said_nothing_new() {
        let mut folders = folders_of(0.9, 100);
        for n in 0..99 {
            decide(&mut folders, "/b/1", None);
            decide(&mut folders, &format!("/a/{n}"), if n < 10 { None } else { Some(&[]) });
        }
        assert_eq!(left(&folders, "/a/x"), None, "the window is not full");
        decide(&mut folders, "/a/100", Some(&[]));
        assert_eq!(left(&folders, "/a/x").as_deref(), Some("/a/"));
        assert_eq!(left(&folders, "/b/x"), None);
        assert!(decide(&mut folders, "/a/new", None), "a new page ends it");
        assert_eq!(left(&folders, "/a/x"), None);
    }

    #[test]
    fn a_duplicate_that_leads_out_of_the_folder_says_something_new() {
        let mut folders = folders_of(1.0, 10);
        for _ in 0..30 {
            decide(&mut folders, "/a/1", Some(&["/a/2", "/item/1"]));
        }
        assert_eq!(left(&folders, "/a/x"), Some("/".to_owned()), "all of it is on the host");
        assert_eq!(folders.standing().len(), 1);
    }

    #[test]
    fn the_window_forgets_what_is_older() {
        let mut folders = folders_of(1.0, 70);
        decide(&mut folders, "/a/1", None);
        for _ in 0..69 {
            decide(&mut folders, "/a/1", Some(&[]));
        }
        assert_eq!(left(&folders, "/a/x"), None);
        decide(&mut folders, "/a/1", Some(&[]));
        assert_eq!(left(&folders, "/a/x").as_deref(), Some("/a/"), "the smallest folder");
        assert_eq!(left(&folders, "/b/x"), None);
    }
}
