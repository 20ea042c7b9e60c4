//! The decided pages from which steering learns, and the links that make a duplicate worth its fetch.

use std::collections::HashMap;

use storage::{Verdict, Via};
use url::Url;
use web::url_rule::shape;

/// A page with its verdict, from which steering learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedPage {
    /// The sequence number of the page.
    pub page: u64,
    /// Its canonical URL.
    pub url: String,
    /// The page that linked to it.
    pub via: Option<u64>,
    /// The kept page that it duplicates; `None` for a unique page.
    pub duplicate_of: Option<DuplicateOf>,
    /// Whether the browser gave it up before it was finished. Then it teaches nothing.
    pub is_incomplete: bool,
}

/// The kept page of a duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateOf {
    /// Its sequence number.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// Whether the normalised texts are equal.
    pub is_exact: bool,
    /// Links of the duplicate to which no page with this text linked before, as [`sample_of_links`] chooses them; `None` if they
    /// are unknown. A duplicate with unknown links proves nothing about similar URLs.
    pub new_links: Option<Vec<String>>,
}

impl DuplicateOf {
    /// The kept page `page` at `url`. `verdict` is the verdict on its duplicate.
    #[must_use]
    pub fn new(page: u64, url: String, verdict: &Verdict, new_links: Option<Vec<String>>) -> Self {
        Self {
            page,
            url,
            is_exact: matches!(verdict, Verdict::Exact { .. }),
            new_links,
        }
    }
}

impl JudgedPage {
    /// The verdict on page number `page`. `via` is the link to it.
    #[must_use]
    pub fn new(page: u64, url: &str, via: Option<&Via>, duplicate_of: Option<DuplicateOf>) -> Self {
        let via = match via {
            Some(Via::Page(via)) => Some(*via),
            Some(Via::Url(_)) | None => None,
        };
        Self {
            page,
            url: url.to_owned(),
            via,
            duplicate_of,
            is_incomplete: false,
        }
    }

    /// Page number `page`, which may say more another time.
    #[must_use]
    pub fn incomplete(page: u64, url: &str) -> Self {
        Self {
            is_incomplete: true,
            ..Self::new(page, url, None, None)
        }
    }
}

/// Bound on the new links of a duplicate that steering reads.
const MAX_NEW_LINKS: usize = 32;

/// Bound on the new links with the same first folder and the same number of segments: random links must not displace the one link to a
/// document.
const MAX_ALIKE: usize = 4;

/// A few links of each kind: one for each shape of path with its parameter names. A rule applies to all links of a kind or to none.
#[must_use]
pub fn sample_of_links<'a>(links: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut sample = Vec::new();
    let mut kinds = std::collections::HashSet::new();
    let mut alike: HashMap<(String, usize), usize> = HashMap::new();
    for link in links {
        if sample.len() >= MAX_NEW_LINKS {
            break;
        }
        let Ok(url) = Url::parse(link) else { continue };
        let kind = format!("{}{}", shape::origin(&url), shape::skeleton(&url));
        if kinds.contains(&kind) {
            continue;
        }
        let segments = shape::segments(&url);
        let folder = segments.first().map(|first| (*first).to_owned()).unwrap_or_default();
        let times = alike.entry((folder, segments.len())).or_default();
        *times += 1;
        if *times <= MAX_ALIKE {
            sample.push(link.to_owned());
            kinds.insert(kind);
        }
    }
    sample
}

/// Bound on the URL of a duplicate that is evidence. Steering remembers the URLs of thousands of duplicates.
pub(super) const MAX_URL_BYTES: usize = 1_024;

/// A judged page with its URLs parsed.
#[derive(Debug)]
pub(super) struct Decided<'a> {
    pub page: u64,
    pub via: Option<u64>,
    pub host: &'a str,
    pub url: Url,
    pub duplicate: Option<Duplicate>,
}

/// The part of [`Decided`] that only a duplicate has.
#[derive(Debug)]
pub(super) struct Duplicate {
    /// The kept page.
    pub of: u64,
    pub of_url: Url,
    pub is_exact: bool,
    new_links: Option<Vec<Url>>,
}

impl<'a> Decided<'a> {
    /// `None` if one of the URLs is not a URL.
    pub fn parse(host: &'a str, page: &JudgedPage) -> Option<Self> {
        let duplicate = match &page.duplicate_of {
            None => None,
            Some(of) => Some(Duplicate {
                of: of.page,
                of_url: Url::parse(&of.url).ok()?,
                is_exact: of.is_exact,
                new_links: of
                    .new_links
                    .as_ref()
                    .filter(|_| page.url.len() <= MAX_URL_BYTES)
                    .map(|links| links.iter().filter_map(|link| Url::parse(link).ok()).collect()),
            }),
        };
        Some(Self {
            page: page.page,
            via: page.via,
            host,
            url: Url::parse(&page.url).ok()?,
            duplicate,
        })
    }

    pub fn is_duplicate(&self) -> bool {
        self.duplicate.is_some()
    }
}

impl Duplicate {
    /// Whether the page leads nowhere: each of its new links is one that `is_expected`.
    pub fn is_barren(&self, is_expected: impl FnMut(&Url) -> bool) -> bool {
        self.new_links
            .as_ref()
            .is_some_and(|links| links.iter().all(is_expected))
    }

    /// The new links, if they are known.
    pub fn new_links(&self) -> Option<&[Url]> {
        self.new_links.as_deref()
    }

    /// Drops the links for which `is_known_barren` holds.
    pub fn drop_links(&mut self, mut is_known_barren: impl FnMut(&Url) -> bool) {
        if let Some(links) = &mut self.new_links {
            links.retain(|link| !is_known_barren(link));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_has_one_link_of_each_kind_and_random_links_crowd_out_no_other() {
        let mut links: Vec<String> = (0..500).map(|n| format!("http://h/t/x{n}/y")).collect();
        links.extend((b'a'..=b'z').map(|c| format!("http://h/t/{}/y", char::from(c))));
        links.extend(["http://h/item/17", "http://h/item/18", "http://h/?p=3"].map(str::to_owned));
        let sample = sample_of_links(links.iter().map(String::as_str));
        assert_eq!(
            sample,
            [
                "http://h/t/x0/y",
                "http://h/t/a/y",
                "http://h/t/b/y",
                "http://h/t/c/y",
                "http://h/item/17",
                "http://h/?p=3"
            ]
        );
    }
}
