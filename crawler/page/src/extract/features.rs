//! The features of a run, from which the model decides whether the run is content.
//!
//! Features are small integers: counts on a scale of logarithms ([`log`]), shares in 64ths ([`share`]), and distances. The words of a
//! language count only in short labels (see [`sayings`](super::sayings)), and lengths are in bytes of UTF-8. Integers make the choice exact, so a page has the same text on every
//! machine.
//!
//! What the rules of [`root`](super::root) would take is a feature, too.

use std::hash::Hash;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::around::{AROUND, Around};
use super::display::heading_level;
use super::hints::Role;
use super::kind::Kinds;
use super::layout::{Layout, LayoutBox, Run};
use super::marks::Mark;
use super::measure::{Letters, small, tag};
use super::path::{NOWHERE, Path, paths};
use super::sayings::{SAYINGS, Said};
use super::select;
use super::sums::{Sums, between, sums};
use super::title::Title;
use crate::map::Map;
use crate::scale::{log, share};

/// The names of the features in the order of a [`Row`]. The model names features by them.
#[rustfmt::skip]
pub(super) const NAMES: [&str; FEATURES] = [
    // The run itself.
    "bytes", "link_share", "links", "marks", "end", "digits", "capitals", "tag", "heading", "depth", "hidden", "repeats", "in_title",
    "prices",
    // Distances to the nearest enclosing box of each mark.
    "in_main", "in_article", "in_aside", "in_nav", "in_header", "in_footer", "in_form", "in_figure", "in_table", "in_list",
    "in_section", "in_pre", "in_quote",
    // Distances to the nearest enclosing box of each topic; 0 for an inline element of the run.
    "of_comment", "of_review", "of_related", "of_author", "of_meta", "of_caption", "of_share", "of_price", "of_product",
    "of_description", "of_post", "of_content", "of_promo", "of_menu", "of_legal", "of_aside",
    // The enclosing boxes: the innermost, its parent, ..., and the innermost ones with some text.
    "b0_bytes", "b0_page", "b0_link", "b0_marks", "b0_text", "b0_mean", "b0_alike",
    "b1_bytes", "b1_page", "b1_link", "b1_marks", "b1_text", "b1_mean", "b1_alike",
    "b2_bytes", "b2_page", "b2_link", "b2_marks", "b2_text", "b2_mean", "b2_alike",
    "b3_bytes", "b3_page", "b3_link", "b3_marks", "b3_text", "b3_mean", "b3_alike",
    "c0_bytes", "c0_page", "c0_link", "c0_marks", "c0_text", "c0_mean", "c0_alike",
    "c1_bytes", "c1_page", "c1_link", "c1_marks", "c1_text", "c1_mean", "c1_alike",
    // Its place.
    "before", "since_h1", "h1s", "since_heading", "last_heading", "before_in_main", "before_in_article", "article_page", "main_page",
    // The runs beside it.
    "previous_bytes", "previous_link", "previous_heading", "next_bytes", "next_link", "next_heading",
    // The page.
    "page_bytes", "page_link", "page_runs", "page_marks", "page_text", "page_mean", "page_articles", "page_prices", "page_headings",
    "page_boxes",
    // The kinds that the page declares.
    "kind_article", "kind_product", "kind_list", "kind_discussion", "kind_site",
    // What the rules say.
    "rule_kept", "rule_in_root", "rule_fragment", "rule_out_distance", "rule_out_role", "rule_root_page", "rule_root_role",
    "rule_root_before", "rule_kept_page", "rule_root_depth",
    // What the words of the run say of its part in the page.
    "says_related", "says_comment", "says_share", "says_byline", "says_date", "says_promotion", "says_legal", "says_navigation",
    "says_credit", "says_tags",
    // Where the run stands to the running text.
    "text_before", "text_after", "since_text", "until_text", "core_up", "core_side", "core_page", "core_down", "near_link", "near_bytes",
    "wide_link", "wide_bytes", "since_related", "since_comment", "since_promotion", "under_related", "under_comment", "under_share",
    "under_promotion",
];

/// Number of features.
pub(super) const FEATURES: usize = 125 + SAYINGS + AROUND;

/// Number of features of a box around a run.
const BOX_FEATURES: usize = 7;

/// The features of a run.
pub(super) type Row = [i16; FEATURES];

/// A distance or share that does not exist.
const NONE: i16 = -1;

/// Text of the enclosing boxes `c0` and `c1`, in bytes: about a paragraph and about a section.
const CONTAINERS: [usize; 2] = [300, 2_000];

/// Most runs between a run and the last heading that are counted.
const MAX_HEADING_DISTANCE: usize = 40;

/// A page with all that the rows need.
pub(super) struct Page<'a> {
    layout: &'a Layout,
    letters: Vec<Letters>,
    /// The sums of the runs before each run.
    before: Vec<Sums>,
    paths: Vec<Path>,
    /// The boxes that are navigation, or inside of it.
    in_navigation: Vec<bool>,
    /// For each box, the innermost enclosing boxes with the text of [`CONTAINERS`].
    containers: Vec<[usize; CONTAINERS.len()]>,
    /// What each box says of the runs in it.
    boxes: Vec<[i16; BOX_FEATURES]>,
    /// For each run, the number of runs with its text.
    repeats: Vec<usize>,
    title: Title,
    /// The runs that are headings.
    headings: Vec<usize>,
    /// The runs that are headings of level 1.
    h1s: Vec<usize>,
    articles: usize,
    kinds: Kinds,
    rules: Rules,
    said: Vec<Said>,
    around: Around,
}

/// What the rules take.
struct Rules {
    root: usize,
    /// For each box, the outermost enclosing box within the root that the rules leave out, 0 for none.
    left_out: Vec<usize>,
    kept: Vec<bool>,
    kept_bytes: usize,
}

impl Rules {
    fn of(layout: &Layout, root: usize) -> Self {
        let mut kept = vec![false; layout.runs.len()];
        let mut kept_bytes = 0;
        for run in select::kept_runs(layout, root) {
            kept[run] = true;
            kept_bytes += layout.runs[run].text.len();
        }
        Self {
            root,
            left_out: left_out(layout, root),
            kept,
            kept_bytes,
        }
    }
}

impl<'a> Page<'a> {
    /// Prepares the rows of a page. `root` is the box that the rules take.
    pub(super) fn of(layout: &'a Layout, root: usize, title: &str, kinds: Kinds) -> Self {
        let letters: Vec<Letters> = layout.runs.iter().map(|run| Letters::of(layout.text_of(run))).collect();
        let said: Vec<Said> = layout.runs.iter().map(|run| Said::of(layout.text_of(run))).collect();
        let (paths, articles) = paths(layout);
        let before = sums(layout, &letters);
        let level = |at: &usize| level(layout, &layout.runs[*at]);
        let headings: Vec<usize> = (0..layout.runs.len()).filter(|at| level(at) > 0).collect();
        Self {
            containers: containers(layout, &before),
            h1s: headings.iter().copied().filter(|at| level(at) == 1).collect(),
            headings,
            boxes: boxes(layout, &before, &alike(layout)),
            before,
            in_navigation: in_navigation(layout, &paths),
            paths,
            repeats: repeats(layout.runs.iter().map(|run| layout.text_of(run))),
            title: Title::of(title),
            articles,
            kinds,
            rules: Rules::of(layout, root),
            around: Around::of(layout, &letters, &said),
            said,
            letters,
            layout,
        }
    }

    /// The features of a run.
    pub(super) fn row(&self, at: usize) -> Row {
        let mut row = Fill::default();
        self.push_run(&mut row, at);
        self.push_boxes(&mut row, at);
        self.push_place(&mut row, at);
        self.push_neighbour(&mut row, at.checked_sub(1));
        self.push_neighbour(&mut row, Some(at + 1));
        self.push_page(&mut row);
        self.push_rules(&mut row, at);
        self.said[at].shares.iter().for_each(|&share| row.push(share));
        self.around.row(at).iter().for_each(|&feature| row.push(feature));
        debug_assert_eq!(row.at, FEATURES);
        row.row
    }

    /// Whether the rules keep a run.
    pub(super) fn is_kept_by_rules(&self, run: usize) -> bool {
        self.rules.kept[run]
    }

    /// Whether a run stands in navigation.
    pub(super) fn is_in_navigation(&self, run: usize) -> bool {
        self.in_navigation[self.layout.runs[run].owner]
    }

    fn push_run(&self, row: &mut Fill, at: usize) {
        let run = &self.layout.runs[at];
        let text = self.layout.text_of(run);
        let (letters, path, name) = (
            self.letters[at],
            &self.paths[run.owner],
            &self.layout.boxes[run.owner].name,
        );
        row.push(log(text.len()));
        row.push(share(run.link_bytes, text.len()));
        row.push(log(run.links));
        row.push(share(16 * letters.marks, text.len()));
        row.push(letters.end);
        row.push(share(letters.digits, text.len()));
        row.push(share(letters.capitals, letters.ascii));
        row.push(tag(name));
        row.push(i16::from(heading_level(name)));
        row.push(path.depth);
        row.push(path.hidden);
        row.push(small(self.repeats[at]));
        row.push(self.title.share_of(text));
        row.push(small(letters.prices));
        path.marks.iter().for_each(|&distance| row.push(i16::from(distance)));
        for (topic, &distance) in path.topics.iter().enumerate() {
            row.push(if run.topics >> topic & 1 == 1 {
                0
            } else {
                i16::from(distance)
            });
        }
    }

    fn push_boxes(&self, row: &mut Fill, at: usize) {
        let owner = self.layout.runs[at].owner;
        let mut this = owner;
        for _ in 0..4 {
            self.push_box(row, this);
            this = self.layout.boxes[this].parent;
        }
        for this in self.containers[owner] {
            self.push_box(row, this);
        }
    }

    fn push_box(&self, row: &mut Fill, at: usize) {
        self.boxes[at].iter().for_each(|&feature| row.push(feature));
    }

    fn push_place(&self, row: &mut Fill, at: usize) {
        let layout = self.layout;
        let path = &self.paths[layout.runs[at].owner];
        let before = self.before[at].bytes;
        let page = self.page().bytes;
        row.push(share(before, page));
        let h1 = self.h1s[..self.h1s.partition_point(|&h1| h1 <= at)].last();
        row.push(h1.map_or(NONE, |&h1| share(before - self.before[h1].bytes, page)));
        row.push(log(self.h1s.len()));
        let heading = self.headings[..self.headings.partition_point(|&heading| heading <= at)].last();
        let distance = heading.map_or(MAX_HEADING_DISTANCE, |&heading| {
            (at - heading).min(MAX_HEADING_DISTANCE)
        });
        row.push(distance as i16);
        row.push(heading.map_or(0, |&heading| level(layout, &layout.runs[heading])));
        for this in [path.main, path.article] {
            let runs = &layout.boxes[this].runs;
            row.push(share(before - self.before[runs.start].bytes, self.sums(runs).bytes));
        }
        for this in [path.article, path.main] {
            let share = share(self.sums(&layout.boxes[this].runs).bytes, page);
            row.push(if this == 0 { NONE } else { share });
        }
    }

    fn push_neighbour(&self, row: &mut Fill, at: Option<usize>) {
        let Some(run) = at.and_then(|at| self.layout.runs.get(at)) else {
            return (0..3).for_each(|_| row.push(NONE));
        };
        row.push(log(run.text.len()));
        row.push(share(run.link_bytes, run.text.len()));
        row.push(level(self.layout, run));
    }

    fn push_page(&self, row: &mut Fill) {
        let (page, runs) = (self.page(), self.layout.runs.len());
        row.push(log(page.bytes));
        row.push(share(page.link_bytes, page.bytes));
        row.push(log(runs));
        row.push(share(16 * page.marks, page.bytes));
        row.push(share(page.text, page.bytes));
        row.push(log(page.bytes / runs.max(1)));
        row.push(log(self.articles));
        row.push(log(page.prices));
        row.push(log(self.headings.len()));
        row.push(log(self.layout.boxes.len()));
        let Kinds {
            article,
            product,
            list,
            discussion,
            site,
        } = self.kinds;
        [article, product, list, discussion, site]
            .into_iter()
            .for_each(|count| row.push(small(count as usize)));
    }

    fn push_rules(&self, row: &mut Fill, at: usize) {
        let (layout, page) = (self.layout, self.page().bytes);
        let run = &layout.runs[at];
        let Rules {
            root, kept, kept_bytes, ..
        } = &self.rules;
        let this = &layout.boxes[*root];
        let inside = this.runs.contains(&at);
        row.push(i16::from(kept[at]));
        row.push(i16::from(inside));
        row.push(i16::from(select::is_fragment(layout, run)));
        let left_out = self.rules.left_out[run.owner];
        let distance = self.paths[run.owner].depth - self.paths[left_out].depth;
        row.push(if left_out == 0 { NONE } else { distance });
        row.push(if left_out == 0 {
            NONE
        } else {
            layout.boxes[left_out].role as i16
        });
        let within = self.sums(&this.runs).bytes;
        row.push(share(within, page));
        row.push(this.role as i16);
        let before = self.before[at].bytes;
        row.push(if inside {
            share(before - self.before[this.runs.start].bytes, within)
        } else if at < this.runs.start {
            -share(self.before[this.runs.start].bytes - before, page)
        } else {
            share(1, 1) + share(before - self.before[this.runs.end].bytes, page)
        });
        row.push(share(*kept_bytes, page));
        row.push(self.paths[*root].depth);
    }

    fn sums(&self, runs: &Range<usize>) -> Sums {
        between(&self.before, runs)
    }

    fn page(&self) -> Sums {
        self.before.last().copied().unwrap_or_default()
    }
}

/// A row that is being filled.
struct Fill {
    row: Row,
    at: usize,
}

impl Default for Fill {
    fn default() -> Self {
        Self {
            row: [0; FEATURES],
            at: 0,
        }
    }
}

impl Fill {
    fn push(&mut self, feature: i16) {
        self.row[self.at] = feature;
        self.at += 1;
    }
}

fn left_out(layout: &Layout, root: usize) -> Vec<usize> {
    let mut outermost: Vec<usize> = Vec::with_capacity(layout.boxes.len());
    for (at, this) in layout.boxes.iter().enumerate() {
        let around = outermost.get(this.parent).copied().unwrap_or(0);
        let is_inside = at > root && at < layout.boxes[root].end;
        let own = if is_inside && this.is_left_out(root) { at } else { 0 };
        outermost.push(if around == 0 { own } else { around });
    }
    outermost
}

/// Navigation is so by its element or ARIA role, or by its names and links.
fn in_navigation(layout: &Layout, paths: &[Path]) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(layout.boxes.len());
    for (this, path) in layout.boxes.iter().zip(paths) {
        let around = inside.get(this.parent).copied().unwrap_or(false);
        inside.push(around || this.role == Role::Navigation || path.marks[Mark::Navigation as usize] != NOWHERE);
    }
    inside
}

fn containers(layout: &Layout, before: &[Sums]) -> Vec<[usize; CONTAINERS.len()]> {
    let mut containers: Vec<[usize; CONTAINERS.len()]> = Vec::with_capacity(layout.boxes.len());
    for (at, this) in layout.boxes.iter().enumerate() {
        let bytes = before[this.runs.end].bytes - before[this.runs.start].bytes;
        let around = containers.get(this.parent).copied().unwrap_or_default();
        let own = |(wanted, around)| if bytes >= wanted { at } else { around };
        containers.push([own((CONTAINERS[0], around[0])), own((CONTAINERS[1], around[1]))]);
    }
    containers
}

/// What each box says of the runs in it. `alike` has for each box the number of its siblings of the same name and classes, and itself.
fn boxes(layout: &Layout, before: &[Sums], alike: &[usize]) -> Vec<[i16; BOX_FEATURES]> {
    let page = before.last().map_or(0, |page| page.bytes);
    let features = |(this, alike): (&LayoutBox, &usize)| {
        let sums = between(before, &this.runs);
        [
            log(sums.bytes),
            share(sums.bytes, page),
            share(sums.link_bytes, sums.bytes),
            share(16 * sums.marks, sums.bytes),
            share(sums.text, sums.bytes),
            log(sums.bytes / this.runs.len().max(1)),
            log(*alike),
        ]
    };
    layout.boxes.iter().zip(alike).map(features).collect()
}

fn alike(layout: &Layout) -> Vec<usize> {
    repeats(layout.boxes.iter().map(|this| (this.parent, this.signature)))
}

/// For each key, how often it occurs.
fn repeats<K: Eq + Hash>(keys: impl ExactSizeIterator<Item = K>) -> Vec<usize> {
    let mut groups = Map::with_capacity_and_hasher(keys.len(), RandomState::default());
    let mut counts: Vec<usize> = Vec::with_capacity(keys.len());
    let group_of = |key| {
        let group = *groups.entry(key).or_insert(counts.len());
        match counts.get_mut(group) {
            Some(count) => *count += 1,
            None => counts.push(1),
        }
        group
    };
    let groups: Vec<usize> = keys.map(group_of).collect();
    groups.into_iter().map(|group| counts[group]).collect()
}

fn level(layout: &Layout, run: &Run) -> i16 {
    i16::from(heading_level(&layout.boxes[run.owner].name))
}
