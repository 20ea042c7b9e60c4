//! The heading that tells a page from the others of its site.
//!
//! Most pages have it in `<h1>`. Some sites write their own name there; it is then a later part of the title, too
//! (`bollard | Dictionary of sailing`), and the rest of the title tells the page. Without `<h1>` it is the title, without its numbers,
//! which are often a version or a count of messages.

/// What stands between the parts of a title.
const SEPARATORS: [&str; 12] = [
    " - ", " – ", " — ", " | ", "｜", " · ", " • ", " :: ", " » ", " « ", "_", " / ",
];

/// The heading of a page with this first `<h1>` and this title; empty if it has neither.
pub(crate) fn telling_heading(heading: Option<&str>, title: &str) -> String {
    let Some(heading) = heading.filter(|heading| !heading.trim().is_empty()) else {
        return title.chars().filter(|c| !c.is_numeric()).collect();
    };
    let parts = parts(title);
    let is_heading = |part: &&str| part.to_lowercase() == heading.trim().to_lowercase();
    if parts.iter().skip(1).any(is_heading) && !parts.first().is_some_and(is_heading) {
        let others: Vec<&str> = parts.into_iter().filter(|part| !is_heading(part)).collect();
        return others.join(" ");
    }
    heading.to_owned()
}

fn parts(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_is_that_of_the_page_and_not_of_the_site() {
        let table = [
            (Some("bollard"), "bollard | Dictionary of sailing", "bollard"),
            (
                Some("Dictionary of Sailing"),
                "bollard | Dictionary of sailing",
                "bollard",
            ),
            (Some("航海词典"), "系船柱_航海词典", "系船柱"),
            (
                Some("Version 1.2"),
                "Release notes - Version 1.2 - Gaff",
                "Release notes Gaff",
            ),
            (Some("Gaff"), "Gaff - Gaff", "Gaff"),
            (None, "Inbox (17) – Harbour 2.4", "Inbox () – Harbour ."),
            (Some(" "), "bollard", "bollard"),
            (None, "", ""),
        ];
        for (heading, title, expected) in table {
            assert_eq!(telling_heading(heading, title), expected, "{heading:?} {title}");
        }
    }
}
