//! Which box holds the content.

use super::hints::Role;
use super::layout::{Layout, LayoutBox};

/// The share of the page's content that a box must hold to be taken for all of it, by what it says of itself.
fn share_needed(role: Role) -> f64 {
    match role {
        Role::Main => 0.25,
        Role::Article => 0.5,
        Role::Content => 0.6,
        _ => 0.9,
    }
}

/// A box that holds this share of the page's text is no boilerplate, whatever it says of itself.
const TOO_MUCH_TO_LEAVE_OUT: f64 = 0.5;

/// The box that holds the content; 0 (the page) if none stands out.
///
/// Of the boxes that hold enough, the innermost of the strongest kind: `<main>` and `<article>` come before a class named
/// `content`, and that before a box that says nothing.
pub(super) fn find(layout: &mut Layout) -> usize {
    acquit(layout);
    let content = Content::of(layout, |this| this.is_left_out(0));
    let page = content.of_box(&layout.boxes[0]);
    let (mut best, mut at) = (0, 0);
    while at < layout.boxes.len() {
        let this = &layout.boxes[at];
        let share = content.of_box(this) / page.max(1.0);
        if share >= share_needed(this.role) && strength(this.role) >= strength(layout.boxes[best].role) {
            best = at;
        }
        at = if share < share_needed(Role::Main) || this.is_left_out(0) {
            this.end
        } else {
            at + 1
        };
    }
    best
}

fn strength(role: Role) -> u8 {
    match role {
        Role::Main | Role::Article => 2,
        Role::Content => 1,
        _ => 0,
    }
}

/// Takes the marks of boilerplate from boxes that hold most of the page or its main content.
///
/// Templates name their outermost boxes after all that is in them: `search-results`, `nav-wrapper`. Navigation that the
/// page declares as such stays navigation, be it the longest thing on a short page.
fn acquit(layout: &mut Layout) {
    let content = Content::of(layout, |this| matches!(this.role, Role::Navigation | Role::Footer));
    let page = content.of_box(&layout.boxes[0]);
    let mut main_ahead = layout.boxes.len();
    for at in (0..layout.boxes.len()).rev() {
        let this = &mut layout.boxes[at];
        if this.role == Role::Main {
            main_ahead = at;
        }
        if this.is_left_out(0) {
            let holds_main = main_ahead < this.end;
            if holds_main || content.of_box(this) > TOO_MUCH_TO_LEAVE_OUT * page {
                this.role = Role::None;
            }
        }
    }
}

/// How much content lies before each run, in bytes: text, a quarter of it inside links, none in what is left out.
struct Content(Vec<usize>);

impl Content {
    fn of(layout: &Layout, is_left_out: impl Fn(&LayoutBox) -> bool) -> Self {
        let mut before = Vec::with_capacity(layout.runs.len() + 1);
        let mut sum = 0;
        before.push(sum);
        let mut at = 0;
        let mut left_out_until = 0;
        for (index, run) in layout.runs.iter().enumerate() {
            while let Some(this) = layout.boxes.get(at).filter(|this| this.runs.start <= index) {
                if is_left_out(this) {
                    left_out_until = left_out_until.max(this.runs.end);
                }
                at += 1;
            }
            if index >= left_out_until {
                sum += run.text.len() - run.link_bytes * 3 / 4;
            }
            before.push(sum);
        }
        Self(before)
    }

    fn of_box(&self, this: &LayoutBox) -> f64 {
        (self.0[this.runs.end] - self.0[this.runs.start]) as f64
    }
}
