//! What the rules select within the root box.

use html5ever::{LocalName, local_name};

use super::display::is_heading;
use super::layout::{Layout, Run};

/// Longest fragment, in bytes: a short run outside of paragraphs, lists, tables and other elements for text.
const MAX_FRAGMENT_BYTES: usize = 24;

/// The runs of the root outside of excluded boxes.
pub(super) fn kept_runs(layout: &Layout, root: usize) -> Vec<usize> {
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
            kept.push(run);
            run += 1;
        }
    }
    kept
}

/// Whether a run is a label, a count, a date or the name of a button: short, and outside of elements for text.
pub(super) fn is_fragment(layout: &Layout, run: &Run) -> bool {
    run.text.len() <= MAX_FRAGMENT_BYTES && !is_made_for_text(&layout.boxes[run.owner].name)
}

/// Whether such elements hold text rather than other boxes.
pub(super) fn is_made_for_text(name: &LocalName) -> bool {
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
