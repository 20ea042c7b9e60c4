//! Selects the content within the root box.

use html5ever::{LocalName, local_name};

use super::display::is_heading;
use super::layout::{Layout, Run};

/// Longest fragment, in bytes: a short run outside of paragraphs, lists, tables and other elements for text.
const MAX_FRAGMENT_BYTES: usize = 24;

/// Fragments are removed if other text has at least this share of the content.
const TEXT_SHARE: f64 = 0.5;

/// The text of the root, one run a line, with the cells of a table row on one line.
pub(super) fn text(layout: &Layout, root: usize) -> String {
    text_of(layout, without_fragments(layout, kept_runs(layout, root)))
}

/// The text of these runs, one a line, with the cells of a table row on one line.
pub(super) fn text_of<'a>(layout: &Layout, runs: impl IntoIterator<Item = &'a Run>) -> String {
    let mut text = String::with_capacity(layout.text.len());
    for run in runs {
        if !text.is_empty() {
            text.push(if run.in_row { ' ' } else { '\n' });
        }
        text.push_str(&layout.text[run.text.clone()]);
    }
    text
}

/// The runs of the root outside of excluded boxes.
fn kept_runs(layout: &Layout, root: usize) -> Vec<&Run> {
    let bounds = layout.boxes[root].runs.clone();
    let mut kept = Vec::with_capacity(bounds.len());
    let (mut run, mut at) = (bounds.start, root + 1);
    while run < bounds.end {
        // The boxes that begin here, outermost first.
        let mut left_out = None;
        while left_out.is_none() && at < layout.boxes[root].end && layout.boxes[at].runs.start <= run {
            let this = &layout.boxes[at];
            left_out = Some(this).filter(|this| this.is_left_out(root) && !this.runs.is_empty());
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

/// Removes labels, counts, dates and names of buttons: short runs outside of elements for text.
fn without_fragments<'a>(layout: &Layout, runs: Vec<&'a Run>) -> Vec<&'a Run> {
    let all: usize = runs.iter().map(|run| run.text.len()).sum();
    let fragments: usize = runs
        .iter()
        .filter(|run| is_fragment(layout, run))
        .map(|run| run.text.len())
        .sum();
    if fragments as f64 > (1.0 - TEXT_SHARE) * all as f64 {
        return runs;
    }
    runs.into_iter().filter(|run| !is_fragment(layout, run)).collect()
}

fn is_fragment(layout: &Layout, run: &Run) -> bool {
    run.text.len() <= MAX_FRAGMENT_BYTES && !is_made_for_text(&layout.boxes[run.owner].name)
}

/// Whether such elements hold text rather than other boxes.
fn is_made_for_text(name: &LocalName) -> bool {
    is_heading(name)
        || matches!(
            *name,
            local_name!("p")
                | local_name!("li")
                | local_name!("dt")
                | local_name!("dd")
                | local_name!("td")
                | local_name!("th")
                | local_name!("pre")
                | local_name!("blockquote")
                | local_name!("caption")
                | local_name!("figcaption")
                | local_name!("summary")
                | local_name!("address")
        )
}
