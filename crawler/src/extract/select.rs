//! What in the root is content.

use html5ever::local_name;

use super::layout::{Layout, Run, is_heading};

/// A run outside of paragraphs, lists, tables and the like is a fragment up to this length, in bytes.
const MAX_FRAGMENT_BYTES: usize = 40;

/// Fragments are left out where text makes up this share of the content.
const TEXT_SHARE: f64 = 0.5;

/// The text of the root, a run a line.
pub(super) fn text(layout: &Layout, root: usize) -> String {
    let kept = without_fragments(layout, kept_runs(layout, root));
    let mut text = String::with_capacity(layout.text.len());
    for run in kept {
        if !text.is_empty() {
            text.push(if run.in_row { ' ' } else { '\n' });
        }
        text.push_str(&layout.text[run.text.clone()]);
    }
    text
}

/// The runs of the root that are in no box that its marks leave out.
fn kept_runs(layout: &Layout, root: usize) -> Vec<&Run> {
    let bounds = layout.boxes[root].runs.clone();
    let mut kept = Vec::with_capacity(bounds.len());
    let (mut run, mut at) = (bounds.start, root + 1);
    while run < bounds.end {
        // The boxes that begin here, outermost first.
        let mut left_out = None;
        while left_out.is_none() && at < layout.boxes[root].end && layout.boxes[at].runs.start <= run {
            let this = &layout.boxes[at];
            left_out = Some(this).filter(|this| (this.is_left_out(root) || links(layout, this)) && !this.runs.is_empty());
            at = if left_out.is_some() { this.end } else { at + 1 };
        }
        if let Some(left_out) = left_out {
            run = left_out.runs.end;
        } else {
            kept.push(&layout.runs[run]);
            run += 1;
        }
    }
    kept
}

/// Leaves out labels, counts, dates, names of buttons: short runs that stand in no element made for text.
fn without_fragments<'a>(layout: &Layout, runs: Vec<&'a Run>) -> Vec<&'a Run> {
    let all: usize = runs.iter().map(|run| run.text.len()).sum();
    let fragments: usize = runs.iter().filter(|run| is_fragment(layout, run)).map(|run| run.text.len()).sum();
    if fragments as f64 > (1.0 - TEXT_SHARE) * all as f64 {
        return runs;
    }
    runs.into_iter().filter(|run| !is_fragment(layout, run)).collect()
}

fn is_fragment(layout: &Layout, run: &Run) -> bool {
    run.text.len() <= std::env::var("FR").map_or(MAX_FRAGMENT_BYTES, |v| v.parse().unwrap()) && !stands_in_text(layout, run.owner)
}

/// True inside an element made for text, up to the next box that is not.
fn stands_in_text(layout: &Layout, at: usize) -> bool {
    let name = &layout.boxes[at].name;
    is_heading(name)
        || matches!(
            *name,
            local_name!("p") | local_name!("li") | local_name!("dt") | local_name!("dd") | local_name!("td")
                | local_name!("th") | local_name!("pre") | local_name!("blockquote") | local_name!("caption")
                | local_name!("figcaption") | local_name!("summary") | local_name!("address")
        )
}

fn env(name: &str, default: f64) -> f64 { std::env::var(name).map_or(default, |v| v.parse().unwrap()) }
fn links(layout: &Layout, this: &super::layout::LayoutBox) -> bool {
    let m = env("LINKMODE", 0.0);
    if m == 0.0 { return false; }
    let list = matches!(this.name, local_name!("ul") | local_name!("ol"));
    let div = matches!(this.name, local_name!("div") | local_name!("section") | local_name!("table"));
    if !(list || (m > 1.0 && div)) { return false; }
    let runs = &layout.runs[this.runs.clone()];
    let all: usize = runs.iter().map(|r| r.text.len()).sum();
    let link: usize = runs.iter().map(|r| r.link_bytes).sum();
    runs.len() >= env("LN", 3.0) as usize && link as f64 > env("LD", 0.8) * all as f64 && all < env("LL", 60.0) as usize * runs.len()
}
