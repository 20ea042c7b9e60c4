//! The rules: the box that holds the content, by the marks of the template.

use std::collections::{HashMap, HashSet};

use html5ever::local_name;

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
/// named `content`, which comes before a box without a role. One article [of several](Series) is not the content, however long it is. A box without
/// a role comes with [the heading above it](with_heading).
pub(super) fn find(layout: &mut Layout) -> usize {
    declare_menus(layout);
    acquit(layout);
    let content = Content::of(layout, |this| this.is_left_out(0));
    let series = Series::of(layout);
    let page = content.of_box(&layout.boxes[0]);
    let (mut best, mut at) = (0, 0);
    while at < layout.boxes.len() {
        let this = &layout.boxes[at];
        let share = content.of_box(this) / page.max(1.0);
        if share < share_needed(Role::Main) || this.is_left_out(0) || series.has(at) {
            at = this.end;
            continue;
        }
        if share >= share_needed(this.role) && strength(this.role) >= strength(layout.boxes[best].role) {
            best = at;
        }
        at += 1;
    }
    with_heading(layout, best)
}

/// For a box without a role: the outermost box around it that directly contains an `<h1>` before it, or the box itself if there is none. The text
/// between the heading and the box, and the text after the box, belong to the heading too. An example is a short entry beside a long text that all
/// pages share.
fn with_heading(layout: &Layout, best: usize) -> usize {
    if strength(layout.boxes[best].role) > 0 {
        return best;
    }
    let (mut at, mut widest) = (best, best);
    while at > 0 {
        at = layout.boxes[at].parent;
        if has_heading_before(layout, at, best) {
            widest = at;
        }
    }
    widest
}

/// Whether one of the boxes directly in `around`, and before `inner`, is a heading of the first level. One that is a link is the name of the site.
fn has_heading_before(layout: &Layout, around: usize, inner: usize) -> bool {
    let mut at = around + 1;
    while at < inner {
        let this = &layout.boxes[at];
        let mut runs = layout.runs[this.runs.clone()].iter();
        let has_words = this.name == local_name!("h1") && runs.any(|run| run.outward_bytes < run.text.len());
        if has_words && !this.is_left_out(0) {
            return true;
        }
        at = this.end;
    }
    false
}

/// The articles that stand beside others like them: the posts of a thread, the entries of a blog. Where one alone has an `<h1>`, it is the article of
/// the page, and the others are teasers.
struct Series(HashSet<usize>);

impl Series {
    fn of(layout: &Layout) -> Self {
        let links = Links::of(layout);
        let mut open = 0;
        let articles: Vec<usize> = (0..layout.boxes.len())
            .filter(|&at| {
                let this = &layout.boxes[at];
                if at >= open && this.is_left_out(0) {
                    open = this.end;
                }
                at >= open && strength(this.role) == STRONGEST && links.words_of(this) > 0
            })
            .collect();
        let mut beside: HashMap<(usize, Role), Vec<usize>> = HashMap::new();
        let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
        for &at in &articles {
            let this = &layout.boxes[at];
            beside.entry((this.parent, this.role)).or_default().push(at);
            if links.words_of(this) >= MIN_WORDS_OF_LIKE {
                alike.entry(this.signature).or_default().push(at);
            }
        }
        // An article within another of the same name is a part of it.
        let stand_apart = |group: &Vec<usize>| group.windows(2).all(|pair| layout.boxes[pair[0]].end <= pair[1]);
        let has_title = |at: &&usize| {
            let within = &layout.boxes[**at..layout.boxes[**at].end];
            within.iter().any(|this| this.name == local_name!("h1"))
        };
        let are_several =
            |group: &Vec<usize>| group.len() > 1 && stand_apart(group) && group.iter().filter(has_title).count() != 1;
        let groups = beside.into_values().chain(alike.into_values());
        Self(groups.filter(are_several).flatten().collect())
    }

    fn has(&self, at: usize) -> bool {
        self.0.contains(&at)
    }
}

/// Least text outside of links, in bytes, of articles that are alike in name and class and stand in different boxes. The teaser of another article has
/// less.
const MIN_WORDS_OF_LIKE: usize = 60;

/// The [strength] of `<main>` and `<article>`.
const STRONGEST: u8 = 2;

fn strength(role: Role) -> u8 {
    match role {
        Role::Main | Role::Article => STRONGEST,
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

    /// The text of a box, and its part in links.
    fn of_box(&self, this: &LayoutBox) -> (usize, usize) {
        let (start, end) = (self.0[this.runs.start], self.0[this.runs.end]);
        (end.0 - start.0, end.1 - start.1)
    }

    /// The text of a box outside of links, in bytes.
    fn words_of(&self, this: &LayoutBox) -> usize {
        let (text, links) = self.of_box(this);
        text - links
    }

    /// The share of the text of a box that is in links; 0 without text.
    fn share_of(&self, this: &LayoutBox) -> f64 {
        let (text, links) = self.of_box(this);
        links as f64 / (text as f64).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::{Attributes, parse};

    /// About the house of all pages: longer than anything else in them.
    const HOUSE: &str = "<p>The ice house stands at the landward end of the north quay, and most visitors take it for a chapel.<p>It was built in \
        the winter of 1846 by a company of merchants who had grown tired of watching their catch spoil on the way to the markets.<p>Ice came \
        from two ponds on the hill above the town. Men cut it in January with saws borrowed from the shipyard, and carts brought it down.\
        <p>The walls are four feet thick and filled with sawdust between two skins of brick, and a drain leads the melt water away.";

    fn text(body: &str) -> String {
        let page = format!(
            "<title>Teacher - Harbour Trust</title><body><div id=nav><a href=/>Home</a> <a href=/j>Jobs</a></div>{body}<div id=footer>\
             Harbour Trust, a charity</div>"
        );
        crate::extract::main_text(&parse(&page, Attributes::Read), "", None).0
    }

    #[test]
    fn a_short_entry_beside_a_long_text_is_content_under_one_heading() {
        let entry =
            "<div class=job><h2>Your work</h2><p>School groups on weekday mornings, in English and Cornish.</div>";
        for (begin, end) in [
            ("<div id=content>", "</div>"),
            ("<div id=main>", "</div>"),
            ("<main>", "</main>"),
            ("<div class=row><div class=col>", "</div></div>"),
            ("<table><tr><td>", "</table>"),
            ("", ""),
        ] {
            let text = text(&format!(
                "{begin}<h1>Teacher</h1><div class=employer>{HOUSE}</div>{entry}{end}"
            ));
            assert!(text.starts_with("Teacher\n"), "{begin}: {text}");
            assert!(
                text.contains("in English and Cornish") && text.contains("skins of brick"),
                "{begin}: {text}"
            );
            assert!(!text.contains("a charity") && !text.contains("Jobs"), "{begin}: {text}");
        }
    }

    #[test]
    fn one_article_of_several_is_not_the_content() {
        let post = |class: &str, words: &str| {
            format!(
                "<article class='message {class}'><div class=user>gus</div><article class=body><div>{words}</div></article></article>"
            )
        };
        let posts = [
            HOUSE,
            "We had the same on our boat; the seal behind the pump was worn out.",
            "Ask the yard, they keep it.",
            "Mine works.",
        ];
        let thread: String = posts
            .iter()
            .zip(["", "js-post", "", ""])
            .map(|(words, class)| post(class, words))
            .collect();
        let blog: String = posts.iter().map(|words| format!("<div class=outer><div class=entry itemprop=articleBody>{words}<p>And that was all that happened in the harbour on that day.</div></div>")).collect();
        for page in [
            format!("<div class=thread><h1>Water in the bilge</h1>{thread}</div>"),
            format!("<div class=blog>{blog}</div>"),
        ] {
            let text = text(&page);
            for words in ["skins of brick", "behind the pump", "Ask the yard", "Mine works"] {
                assert!(text.contains(words), "{words}: {text}");
            }
        }
    }

    #[test]
    fn an_article_with_the_teasers_of_others_is_the_content() {
        let teaser = "<article><h3><a href=/1>The roof of the chapel falls in</a></h3></article>";
        let excerpt = "<article class=card><h3><a href=/1>The roof of the chapel falls in</a></h3><p>Nobody was hurt when it fell on the night of \
            the storm.</article>";
        let note = "<article class=note>Become a friend of the museum and come in free, with a guest of your choice.</article>";
        for page in [
            format!(
                "<section><article><h1>The ice house</h1>{HOUSE}</article></section><section>{teaser}{teaser}</section>"
            ),
            format!("<section><article><h1>The ice house</h1>{HOUSE}</article>{excerpt}{excerpt}</section>"),
            format!("<div><main><h1>The ice house</h1>{HOUSE}</main>{note}</div>"),
        ] {
            let text = text(&page);
            assert!(text.starts_with("The ice house"), "{text}");
            assert!(
                !text.contains("falls in") && !text.contains("Become a friend"),
                "{text}"
            );
        }
    }

    #[test]
    fn the_name_of_the_site_does_not_bring_what_stands_beside_the_content() {
        let page = format!(
            "<div class=frame><h1><a href=/>The Harbour Trust</a></h1><div class=hours>Open from Tuesday to Sunday</div><div class=text>{HOUSE}</div></div>"
        );
        let text = text(&page);
        assert!(
            text.starts_with("The ice house") && !text.contains("Open from"),
            "{text}"
        );
    }

    #[test]
    fn an_id_that_a_generator_made_from_a_heading_says_nothing() {
        let requests = format!(
            "<div><h1>Requests</h1><section id=post><h2>POST<a class=headerlink href=#post>¶</a></h2>{HOUSE}</section><section id=put><h2>PUT</h2>\
             <p>Replaces the whole entry of the harbour, and answers with the new one.</section></div>"
        );
        let requests = text(&requests);
        assert!(
            requests.contains("skins of brick") && requests.contains("the whole entry"),
            "{requests}"
        );
        let text = text(&format!(
            "<div><h1>Manual</h1>{HOUSE}<section id=content><h2>Content</h2><p>The list of all parts of this manual, one after the other.</section>\
            <section id=license-and-copyright><h2>License and copyright</h2><p>Everybody may copy this manual, and change it.</section></div>"
        ));
        assert!(
            text.contains("skins of brick") && text.contains("all parts") && text.contains("may copy"),
            "{text}"
        );
    }
}
