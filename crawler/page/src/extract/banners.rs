//! The banners of documentation about its versions: "This documentation is for an old version. See the newest one."
//!
//! They stand above the first heading, within the content and in its style, on all pages of a version. The model takes them for notes that belong to
//! the page. With a banner, two pages with the same content would differ between versions. Two short pages with different content would
//! look alike.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::display::heading_level;
use super::layout::Layout;

/// Most text of a banner, in bytes: about 60 words.
const MAX_BYTES: usize = 420;

/// What a banner says of the version of its page, in small letters. "Latest version" alone is ordinary text: "The latest version is 3.2".
#[rustfmt::skip]
const SAYINGS: &[&str] = &[
    "old version", "older version", "outdated version", "previous version of the doc", "newer version", "development version", "unreleased version",
    "pre-release version", "no longer maintained", "no longer actively maintained", "no longer supported", "insecure version",
    "outdated documentation", "veraltete version", "ältere version", "alte version", "ancienne version", "version plus récente",
    "versión anterior", "versión antigua", "versão antiga", "versão anterior", "versione precedente", "starszej wersji", "oude versie",
    "устаревш", "旧版", "舊版", "不再维护", "不再維護", "古いバージョン", "이전 버전",
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SAYINGS).ok());

/// Removes the banners from the runs that are content.
pub(super) fn remove(layout: &Layout, runs: &mut Vec<usize>) {
    let is_first = |run: &usize| heading_level(&layout.boxes[layout.runs[*run].owner].name) == 1;
    let Some(heading) = runs.iter().copied().find(is_first) else {
        return;
    };
    // The end of the last box that was looked at, and whether it is a banner.
    let (mut end, mut is_banner) = (0, false);
    runs.retain(|run| {
        if *run >= heading {
            return true;
        }
        if *run >= end {
            let around = outermost_before(layout, *run, heading);
            end = layout.boxes[around].runs.end;
            is_banner = end <= heading && says_version(layout, around);
        }
        !is_banner
    });
}

/// The outermost box around a run that ends before the heading; the box of the run itself if that does not.
fn outermost_before(layout: &Layout, run: usize, heading: usize) -> usize {
    let mut at = layout.runs[run].owner;
    while at > 0 && layout.boxes[layout.boxes[at].parent].runs.end <= heading {
        at = layout.boxes[at].parent;
    }
    at
}

/// Whether a box is short, has a link, and speaks of versions.
fn says_version(layout: &Layout, at: usize) -> bool {
    let runs = &layout.runs[layout.boxes[at].runs.clone()];
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return false;
    };
    let text = &layout.text[first.text.start..last.text.end];
    text.len() <= MAX_BYTES
        && runs.iter().any(|run| run.outward_bytes > 0)
        && FINDER
            .as_ref()
            .is_some_and(|finder| finder.is_match(&text.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use crate::parse::{Attributes, parse};

    const ARTICLE: &str = "<h1>Local interfaces</h1><p>Simple utility for building a list of local addresses. The latest version of the module \
        asks the system, see <a href=/system>there</a>. It keeps the list until the program ends, because interfaces seldom come and go.\
        <p>Older versions asked the name server, which took a second and often failed.";

    fn text(banner: &str) -> String {
        let page = format!("<title>Local interfaces</title><div class=body role=main>{banner}{ARTICLE}</div>");
        crate::extract::main_text(&parse(&page, Attributes::Read), "", None).0
    }

    #[test]
    fn a_banner_about_versions_above_the_heading_is_no_text() {
        let plain = text("");
        assert!(
            plain.contains("latest version") && plain.contains("Older versions"),
            "{plain}"
        );
        for banner in [
            "<blockquote><div><div class='admonition warning'><p class=admonition-title>Warning<p>This documentation is for an old version of \
             the program. You can find docs for newer versions <a href=/stable/>here</a>.</div></div></blockquote>",
            "<div class='alert alert--warning'><div>This is documentation for the program <b>1.2</b>, which is no longer actively \
             maintained.</div><div>For up-to-date documentation, see the <b><a href=/docs>latest version</a></b> (3.0).</div></div>",
            "<div class=note><p>您正在查看旧版文档，<a href=/latest>请查看最新版</a>。</div>",
        ] {
            assert_eq!(text(banner), plain, "{banner}");
        }
    }

    #[test]
    fn other_text_above_the_heading_stays() {
        for (note, words) in [
            (
                "<div class=note><p>This article needs a ticket, which you can buy <a href=/t>here</a> for the whole day.</div>",
                "for the whole day",
            ),
            (
                "<p>An older version of the harbour stood on the other side of the river, where the mill is.",
                "where the mill is",
            ),
            (
                "<p>The latest version is 3.2, and you can <a href=/d>download it</a> for all systems.",
                "for all systems",
            ),
        ] {
            let text = text(note);
            assert!(text.contains(words), "{note}: {text}");
        }
    }

    #[test]
    fn what_stands_below_the_heading_makes_no_banner_of_what_stands_above() {
        let page = "<title>Release</title><main>12 May 2024 by <a href=/ann>Ann</a><h1>Release</h1><p>This replaces the old version, which is no longer \
            maintained. See <a href=/notes>the notes</a> for all that has changed since, and what to do about it.</main>";
        let text = crate::extract::main_text(&parse(page, Attributes::Read), "", None).0;
        assert!(text.starts_with("12 May 2024"), "{text}");
    }
}
