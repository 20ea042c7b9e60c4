//! Which box holds the content.

use super::hints::Role;
use super::layout::{Layout, LayoutBox};

/// The share of the page's content that a box must hold, by what it says of itself.
const MAIN_SHARE: f64 = 0.4;
const ARTICLE_SHARE: f64 = 0.5;
const CONTENT_SHARE: f64 = 0.6;

/// A box that holds this share of the page's text is no boilerplate, whatever it says of itself.
const TOO_MUCH_TO_DROP: f64 = 0.5;

/// The box that holds the content; 0 (the page) if none stands out.
pub(super) fn find(layout: &mut Layout) -> usize {
    acquit(layout);
    let content = Content::of(layout, |this| this.is_left_out(0));
    let page = content.of_box(layout, 0);
    let mut best = 0;
    let mut at = 0;
    let mut strong = false;
    let mut named = false;
    while at < layout.boxes.len() {
        let this = &layout.boxes[at];
        let share = content.of_box(layout, at) as f64 / page.max(1) as f64;
        let bar = match this.role {
            Role::Main => env("MAIN", MAIN_SHARE),
            Role::Article => env("ART", ARTICLE_SHARE),
            Role::Content if !strong => env("CONT", CONTENT_SHARE),
            _ if !named => env("GEN", 0.9),
            _ => 2.0,
        };
        if share >= bar {
            strong |= matches!(this.role, Role::Main | Role::Article);
            named |= this.role != Role::None;
            best = at;
        }
        at = if share < MAIN_SHARE || this.is_left_out(0) {
            this.end
        } else {
            at + 1
        };
    }
    best
}

/// Takes the marks of boilerplate from boxes that hold most of the page or its main content.
///
/// Templates name their outermost boxes after all that is in them: `search-results`, `nav-wrapper`. Navigation that the
/// page declares as such stays navigation, be it the longest thing on a short page.
fn acquit(layout: &mut Layout) {
    let content = Content::of(layout, |this| matches!(this.role, Role::Navigation | Role::Footer));
    let page = content.of_box(layout, 0) as f64;
    for at in 0..layout.boxes.len() {
        if layout.boxes[at].is_left_out(0) {
            let holds_main = (at..layout.boxes[at].end).any(|inner| layout.boxes[inner].role == Role::Main);
            if holds_main || content.of_box(layout, at) as f64 > TOO_MUCH_TO_DROP * page {
                layout.boxes[at].role = Role::None;
            }
        }
    }
}

/// How much content lies before each run, in bytes: text, a quarter of it inside links, none in what is left out.
struct Content(Vec<usize>);

impl Content {
    fn of(layout: &Layout, is_left_out: impl Fn(&LayoutBox) -> bool) -> Self {
        let mut left_out = vec![false; layout.runs.len()];
        for this in layout.boxes.iter().filter(|this| is_left_out(this)) {
            left_out[this.runs.clone()].fill(true);
        }
        let mut before = Vec::with_capacity(layout.runs.len() + 1);
        before.push(0);
        for (run, left_out) in layout.runs.iter().zip(left_out) {
            let content = if left_out {
                0
            } else {
                run.text.len() - run.link_bytes * 3 / 4
            };
            before.push(before[before.len() - 1] + content);
        }
        Self(before)
    }

    fn of_box(&self, layout: &Layout, at: usize) -> usize {
        let runs = &layout.boxes[at].runs;
        self.0[runs.end] - self.0[runs.start]
    }
}

fn env(name: &str, default: f64) -> f64 { std::env::var(name).map_or(default, |v| v.parse().unwrap()) }
