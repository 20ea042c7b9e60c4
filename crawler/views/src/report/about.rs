//! Which crawl a report is about: its data folder and its seeds.

use std::collections::{BTreeMap, HashSet};

use storage::{PageRecord, Store, Via};

use super::failures::Failure;
use super::urls::Redirect;

/// Seeds that a report names. It counts the others.
const MAX_NAMED: usize = 20;
/// Upper bound on the seeds that are counted.
const MAX_COUNTED: usize = 10_000;
/// Upper bound on the redirects between a seed and its page.
const MAX_REDIRECTS: usize = 10;

/// The data folder, and the seeds as far as the store knows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct About {
    /// The data folder as the user named it.
    pub data: String,
    /// The first seeds: with a page, in the order in which the pages were decided, then those that failed.
    pub seeds: Vec<String>,
    /// Further seeds.
    pub further: usize,
    /// Whether there are still more, which are not counted.
    pub is_open: bool,
}

/// The seeds that were found so far.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    named: Vec<String>,
    known: HashSet<String>,
    is_open: bool,
}

impl Seeds {
    /// Adds the seed of a page, if it is one: a page at depth 0 is a seed, or the target of redirects from one.
    pub fn add(&mut self, page: &PageRecord) {
        match &page.via {
            _ if page.depth > 0 => {}
            None => self.insert(&page.url),
            Some(Via::Url(from)) => self.insert(from),
            Some(Via::Page(_)) => {}
        }
    }

    fn insert(&mut self, url: &str) {
        if self.known.contains(url) {
            return;
        }
        if self.known.len() == MAX_COUNTED {
            self.is_open = true;
            return;
        }
        self.known.insert(url.to_owned());
        if self.named.len() < MAX_NAMED {
            self.named.push(url.to_owned());
        }
    }

    pub fn about(mut self, store: &Store, failures: &[Failure], redirects: &[Redirect]) -> About {
        for failure in failures.iter().filter(|failure| failure.via.is_none()) {
            self.insert(&failure.url);
        }
        let from = sources(redirects);
        About {
            data: store.dir().display().to_string(),
            further: self.known.len() - self.named.len(),
            seeds: self.named.iter().map(|url| first_of(url, &from).to_owned()).collect(),
            is_open: self.is_open,
        }
    }
}

/// For each target of redirects, the one URL that redirects to it; `None` if there are several.
fn sources(redirects: &[Redirect]) -> BTreeMap<&str, Option<&str>> {
    let mut from: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for redirect in redirects {
        let only = from.entry(&redirect.to).or_insert(Some(&redirect.url));
        only.take_if(|source| *source != redirect.url);
    }
    from
}

/// The first URL of the redirects that lead to `url`.
fn first_of<'a>(url: &'a str, from: &BTreeMap<&'a str, Option<&'a str>>) -> &'a str {
    let before = |url: &&'a str| from.get(*url).copied().flatten();
    let chain = std::iter::successors(Some(url), before);
    chain.take(MAX_REDIRECTS).last().unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(url: &str, to: &str) -> Redirect {
        Redirect {
            url: url.to_owned(),
            to: to.to_owned(),
            status: 301,
            in_html: false,
        }
    }

    #[test]
    fn redirects_are_followed_back_where_they_are_clear() {
        let clear = [redirect("a", "b"), redirect("b", "c")];
        assert_eq!(first_of("c", &sources(&clear)), "a");
        let unclear = [redirect("a", "b"), redirect("x", "b"), redirect("b", "c")];
        assert_eq!(first_of("c", &sources(&unclear)), "b");
        let circle = [redirect("a", "b"), redirect("b", "a")];
        assert!(["a", "b"].contains(&first_of("a", &sources(&circle))));
    }

    #[test]
    fn seeds_are_named_once_and_counted_up_to_a_bound() {
        let mut seeds = Seeds::default();
        for number in 0..MAX_COUNTED + 5 {
            seeds.insert(&format!("http://a.example/{}", number % (MAX_COUNTED + 1)));
        }
        assert_eq!(
            (seeds.named.len(), seeds.known.len(), seeds.is_open),
            (MAX_NAMED, MAX_COUNTED, true)
        );
    }
}
