//! The rules: the box that holds the content, by the marks of the template.

use super::choose::MIN_BYTES_OF_HIDDEN;
use super::hints::Role;
use super::layout::{Layout, LayoutBox};

/// Smallest share of the page's content in the box of the content, by the role of the box.
fn share_needed(role: Role) -> f64 {
    match role {
        Role::Main => 0.25,
        Role::Article => 0.5,
        Role::Content => 0.6,
        _ => 0.9,
    }
}

/// A box with more than this share of the page's text is not boilerplate, whatever its role.
const TOO_MUCH_TO_LEAVE_OUT: f64 = 0.5;

/// The index of the box that holds the content; 0 (the page) if no box qualifies. First corrects the marks of boxes that hold most of the
/// page.
///
/// Of the boxes with enough content, it is the innermost of the strongest role: `<main>` and `<article>` come before a class
/// named `content`, which comes before a box without a role.
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

/// Corrects the marks of boxes that hold most of the page or its main content: they are neither boilerplate nor hidden.
///
/// Templates name their outermost boxes after their parts: `search-results`, `nav-wrapper`. Declared navigation stays
/// navigation, even if it is the longest part of a short page. Frameworks that stream pages put the content into a hidden box, which a
/// script shows.
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
            let bytes = content.of_box(this);
            let is_worth_it = this.hidden.is_none() || bytes >= MIN_BYTES_OF_HIDDEN as f64;
            if is_worth_it && (holds_main || bytes > TOO_MUCH_TO_LEAVE_OUT * page) {
                this.role = Role::None;
                this.hidden = None;
            }
        }
    }
}

/// The content before each run, in bytes. Text inside links counts a quarter, and excluded boxes count nothing.
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
