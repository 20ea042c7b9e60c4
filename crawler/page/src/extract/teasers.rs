//! Boxes with teasers beside an article: headlines of other pages, each with a short text at most. They change while the article stays.
//!
//! The model takes a headline and a sentence under it for a section of the content, because in other pages they are. So this rule
//! comes behind the model, and it only removes. It needs a page with an article: running text, at least as much as the teasers. A list of
//! products, an index or a forum has none.
//!
//! A *card* is a box, or a link with the text behind it, that has a headline and little else. Cards that follow one another are a
//! *group*. Where a known [label](labels) stands above it, the group is one of teasers. Without one, the names of its boxes must say so.
//! A link to a part of a page (`#usage`) is no headline: the headings of manuals have such links.

mod groups;
mod labels;

use std::ops::Range;

use self::groups::{Group, MIN_CARDS, groups};
use super::hints::Role;
use super::layout::Layout;
use super::marks::RELATED;

/// Least mean length of the headlines of a group, in bytes. Names of people and products are shorter.
const MIN_HEADLINES: usize = 24;

/// Least running text of an article, in bytes: about 150 words.
const MIN_ARTICLE: usize = 900;

/// Least text of a paragraph of an article outside of links, in bytes.
const MIN_PARAGRAPH: usize = 80;

/// Share of the article that stands before a group without a label.
const BEFORE_GROUP: f64 = 0.8;

/// Most boxes around a group whose names are read.
const MAX_LEVELS: usize = 6;

/// Removes the teasers from the runs that are content, if the page has an article besides.
pub(super) fn remove(layout: &Layout, runs: &mut Vec<usize>) {
    let groups = groups(layout);
    let possible = within(layout, groups.iter().filter(|group| group.may_be_teasers()));
    let article = Article::of(layout, runs, &possible);
    let is_teasers =
        |group: &&Group| group.may_be_teasers() && (group.is_labelled || article.has_beside(layout, group));
    let found = within(layout, groups.iter().filter(is_teasers));
    let gone = runs.iter().filter(|run| found[**run]);
    let bytes: usize = gone.map(|run| layout.runs[*run].text.len()).sum();
    if article.bytes() >= MIN_ARTICLE.max(bytes) {
        runs.retain(|run| !found[*run]);
    }
}

/// For each run whether it is in one of the groups. They stand beside and within one another.
fn within<'g>(layout: &Layout, groups: impl Iterator<Item = &'g Group>) -> Vec<bool> {
    let (mut begun, mut ended) = (vec![0; layout.runs.len() + 1], vec![0; layout.runs.len() + 1]);
    for group in groups {
        begun[group.runs.start] += 1;
        ended[group.runs.end] += 1;
    }
    let mut open = 0;
    let is_within = |run: usize| {
        open += begun[run];
        open -= ended[run];
        open > 0
    };
    (0..layout.runs.len()).map(is_within).collect()
}

/// The running text of a page outside of its groups.
struct Article {
    /// Its bytes before each run, and of all runs.
    before: Vec<usize>,
}

impl Article {
    fn of(layout: &Layout, content: &[usize], teasers: &[bool]) -> Self {
        let mut own = vec![0; layout.runs.len()];
        for &run in content.iter().filter(|run| !teasers[**run]) {
            let this = &layout.runs[run];
            let bytes = this.text.len() - this.link_bytes;
            if bytes >= MIN_PARAGRAPH && bytes > this.link_bytes {
                own[run] = bytes;
            }
        }
        let mut before = vec![0];
        let mut sum = 0;
        before.extend(own.iter().map(|bytes| {
            sum += bytes;
            sum
        }));
        Self { before }
    }

    fn bytes(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    fn of_runs(&self, runs: &Range<usize>) -> usize {
        self.before[runs.end] - self.before[runs.start]
    }

    /// Whether a group without a known label stands behind the article: behind such a group, or in boxes that are named after teasers.
    fn has_beside(&self, layout: &Layout, group: &Group) -> bool {
        let is_behind = self.before[group.runs.start] as f64 >= BEFORE_GROUP * self.bytes() as f64;
        let is_long = group.cards >= MIN_CARDS && group.headline_bytes >= MIN_HEADLINES * group.cards;
        is_behind
            && is_long
            && (group.is_next || 2 * group.teasers >= group.cards && self.is_named_apart(layout, group))
    }

    fn is_named_apart(&self, layout: &Layout, group: &Group) -> bool {
        let around = std::iter::successors(Some(group.inside), |at| {
            Some(layout.boxes[*at].parent).filter(|_| *at > 0)
        });
        let mut around = around
            .take(MAX_LEVELS)
            .take_while(|at| self.of_runs(&layout.boxes[*at].runs) == 0)
            .map(|at| &layout.boxes[at]);
        around.any(|this| {
            this.topics & RELATED != 0 || matches!(this.role, Role::Boilerplate | Role::Aside | Role::Footer)
        })
    }
}

#[cfg(test)]
mod tests;
