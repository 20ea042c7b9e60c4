//! The rules: the box that holds the content, by the marks of the template.

use super::hints::Role;
use super::layout::{Layout, LayoutBox};
use super::marks::MIN_BYTES_OF_HIDDEN;

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

/// A box that is named as a menu, and has more than this share of its text in links, is a menu. The menus of reference sites have short
/// notes beside their links.
const LINKS_OF_MENU: f64 = 0.7;

/// The index of the box that holds the content; 0 (the page) if no box qualifies. First corrects the marks of boxes that hold most of the
/// page, and of menus.
///
/// Of the boxes with enough content, it is the innermost of the strongest role: `<main>` and `<article>` come before a class
/// named `content`, which comes before a box without a role.
pub(super) fn find(layout: &mut Layout) -> usize {
    declare_menus(layout);
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

/// Makes navigation of the boxes that are menus by their names and by their links. On a short page, a menu can be the longest part.
///
/// A name alone is not enough: the dishes of a `menu` are content.
fn declare_menus(layout: &mut Layout) {
    let links = Links::of(layout);
    for this in &mut layout.boxes {
        if this.role == Role::Boilerplate && this.is_named_menu() && links.share_of(this) > LINKS_OF_MENU {
            this.role = Role::Navigation;
        }
    }
}

/// Corrects the marks of boxes that hold most of the page or its main content: they are neither boilerplate nor hidden.
///
/// Templates name their outermost boxes after their parts: `search-results`, `nav-wrapper`. Navigation stays navigation, even if it is the longest part of a short page. Frameworks that stream pages put the content into a hidden box, which a
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

/// The text before each run and its part in links, in bytes.
struct Links(Vec<(usize, usize)>);

impl Links {
    fn of(layout: &Layout) -> Self {
        let mut sum = (0, 0);
        let mut before = vec![sum];
        for run in &layout.runs {
            sum = (sum.0 + run.text.len(), sum.1 + run.link_bytes);
            before.push(sum);
        }
        Self(before)
    }

    /// The share of the text of a box that is in links; 0 without text.
    fn share_of(&self, this: &LayoutBox) -> f64 {
        let (start, end) = (self.0[this.runs.start], self.0[this.runs.end]);
        (end.1 - start.1) as f64 / ((end.0 - start.0) as f64).max(1.0)
    }
}
