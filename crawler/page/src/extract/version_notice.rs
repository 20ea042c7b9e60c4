//! Notices above the title of a manual that another version of it exists: "This documentation is for an old version."
//!
//! Programs that make manuals put one on each page of each version but the newest (Read the Docs, Docusaurus, mike). It is not about what the page
//! says, and by it alone the same page of two versions would be two texts. So this rule comes behind the model, and it only removes. It knows English
//! notices only.

use std::ops::Range;

use super::display::heading_level;
use super::layout::{Layout, Run};

/// Longest notice, in bytes.
const MAX_NOTICE: usize = 400;

/// Most notices of a page.
const MAX_NOTICES: usize = 4;

/// Most boxes around a notice that are looked at.
const MAX_LEVELS: usize = 6;

/// A notice has a word of each of these.
const WORDS: [&[&str]; 3] = [
    &["version", "versions", "release", "releases"],
    &["documentation", "docs", "manual", "guide", "page"],
    &[
        "old",
        "older",
        "outdated",
        "obsolete",
        "archived",
        "unsupported",
        "unmaintained",
        "maintained",
        "latest",
        "newer",
        "newest",
        "current",
        "stable",
        "development",
        "unreleased",
        "upcoming",
    ],
];

/// Removes the notices from the runs that are content, with the short boxes around them: they have a label ("Warning"), and a further sentence.
pub(super) fn remove(layout: &Layout, runs: &mut Vec<usize>) {
    let is_title = |run: &Run| heading_level(&layout.boxes[run.owner].name) == 1;
    let Some(title) = layout.runs.iter().position(is_title) else {
        return;
    };
    let above = runs.iter().copied().take_while(|run| *run < title);
    let is_found = |run: &usize| layout.runs[*run].links > 0 && is_notice(layout.text_of(&layout.runs[*run]));
    let found: Vec<Range<usize>> = above.filter(is_found).map(|run| around(layout, run, title)).collect();
    runs.retain(|run| !found.iter().take(MAX_NOTICES).any(|notice| notice.contains(run)));
}

/// The runs of the largest box around a run that is short and ends above the title.
fn around(layout: &Layout, run: usize, title: usize) -> Range<usize> {
    let boxes = std::iter::successors(Some(layout.runs[run].owner), |at| {
        Some(layout.boxes[*at].parent).filter(|_| *at > 0)
    });
    let runs = boxes.map(|at| layout.boxes[at].runs.clone());
    let is_short = |runs: &Range<usize>| {
        runs.end <= title && layout.runs[runs.end - 1].text.end - layout.runs[runs.start].text.start <= MAX_NOTICE
    };
    runs.take(MAX_LEVELS)
        .take_while(is_short)
        .last()
        .unwrap_or(run..run + 1)
}

/// Whether a text says that there is another version.
fn is_notice(text: &str) -> bool {
    let has = |some: &[&str]| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| some.iter().any(|one| one.eq_ignore_ascii_case(word)))
    };
    text.len() <= MAX_NOTICE && WORDS.iter().all(|some| has(some))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::content_layout;
    use crate::parse::{Attributes, parse};

    /// What is left of a page of which all is content.
    fn left(html: &str) -> String {
        let document = parse(html, Attributes::Read);
        let layout = content_layout(&document, &[]).laid.layout;
        let mut runs: Vec<usize> = (0..layout.runs.len()).collect();
        remove(&layout, &mut runs);
        let texts: Vec<&str> = runs.iter().map(|run| layout.text_of(&layout.runs[*run])).collect();
        texts.join("|")
    }

    #[test]
    fn notices_of_other_versions_above_the_title_are_removed() {
        for (page, expected) in [
            // Sphinx, on Read the Docs.
            (
                "<blockquote><div><div class='admonition warning'><p class=admonition-title>Warning</p><p>This documentation is for an old version of \
                 IPython. You can find docs for newer versions <a href=/stable/>here</a>.</p></div></div></blockquote><h1>Lexers</h1><p>Text",
                "Lexers|Text",
            ),
            // Docusaurus.
            (
                "<article><div class='theme-doc-version-banner alert'><div>This is documentation for <b>App 2.x</b>, which is no longer actively \
                 maintained.</div><div>For up-to-date documentation, see the <b><a href=/docs>latest version</a></b> (3.1).</div></div>\
                 <h1>Install</h1><p>Text</article>",
                "Install|Text",
            ),
            // A text of the page, a note without a link, and a page without a title.
            (
                "<h1>Versions</h1><p>The docs of <a href=/old>older versions</a>.",
                "Versions|The docs of older versions.",
            ),
            (
                "<p>The docs of this release are not current.<h1>Title</h1>",
                "The docs of this release are not current.|Title",
            ),
            ("<p>Docs of <a href=/old>old versions</a>", "Docs of old versions"),
        ] {
            assert_eq!(left(page), expected, "{page}");
        }
    }
}
