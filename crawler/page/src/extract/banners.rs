//! The banners of documentation about its versions: "This documentation is for an old version. See the newest one."
//!
//! They stand above the first heading, within the content and in its style, on all pages of a version. The model takes them for a note of the
//! page. A banner would make the pages of two versions differ that say the same, and pages alike that say little else.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::display::heading_level;
use super::layout::Layout;

/// Most text of a banner, in bytes: about 60 words.
const MAX_BYTES: usize = 420;

/// What a banner says of versions, in small letters.
#[rustfmt::skip]
const SAYINGS: &[&str] = &[
    "old version", "older version", "outdated version", "previous version", "newer version", "latest version", "latest stable", "current version",
    "stable version", "development version", "unreleased version", "pre-release version", "no longer maintained", "no longer actively maintained",
    "no longer supported", "insecure version", "up-to-date documentation", "latest documentation", "current documentation", "outdated documentation",
    "veraltete version", "ältere version", "alte version", "neueste version", "aktuelle version", "ancienne version", "dernière version",
    "version plus récente", "versión anterior", "versión antigua", "última versión", "versão antiga", "versão anterior", "última versão",
    "versione precedente", "ultima versione", "starszej wersji", "najnowsza wersja", "oude versie", "nieuwste versie", "устаревш", "последнюю версию",
    "旧版", "舊版", "最新版", "不再维护", "不再維護", "最新文档", "最新文件", "古いバージョン", "最新のバージョン", "이전 버전", "최신 버전",
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SAYINGS).ok());

/// Removes the banners from the runs that are content.
pub(super) fn remove(layout: &Layout, runs: &mut Vec<usize>) {
    let is_first = |run: &usize| heading_level(&layout.boxes[layout.runs[*run].owner].name) == 1;
    let Some(heading) = runs.iter().copied().find(is_first) else {
        return;
    };
    let mut banner = None;
    runs.retain(|run| {
        if *run >= heading {
            return true;
        }
        let around = outermost_before(layout, *run, heading);
        let is_banner = match banner {
            Some((of, is_banner)) if of == around => is_banner,
            _ => says_version(layout, around),
        };
        banner = Some((around, is_banner));
        !is_banner
    });
}

/// The outermost box around a run that ends before the heading.
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
    fn other_notes_above_the_heading_stay() {
        for note in [
            "<div class=note><p>This article needs a ticket for the museum, which you can buy <a href=/t>here</a> for the whole day.</div>",
            "<p>An older version of the harbour stood on the other side of the river.",
        ] {
            assert_ne!(text(note), text(""), "{note}");
        }
    }
}
