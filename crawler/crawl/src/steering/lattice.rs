//! The patterns of a URL, from the smallest to the largest.
//!
//! A pattern keeps a part of the URL and generalises the rest, one step at a time:
//!
//! ```text
//! path    /shop/x8k2/9fk3   digits as # ▶ any one segment ▶ the class of each later segment ▶ any ▶ any number of them
//!                           /shop/x#k#/#fk#   /shop/*/#fk#   /shop/{mixed}/{mixed}         /shop/*/*   /shop/**
//! query   ?a=1&b=2          the names ▶ any query
//!                           ?a&b        ?*
//! ```
//!
//! The number of patterns of a URL is bounded, and most of them are shared by many URLs of a site.

use url::Url;
use web::url_rule::shape;

/// Bound on the segments of a path whose segments are generalised one by one. Longer paths have only the patterns with `**`.
const MAX_SEGMENTS: usize = 8;

/// Bound on the parameters that a pattern names. A query with more parameters has only the pattern `?*`.
const MAX_NAMES: usize = 8;

/// The patterns that match the URL, the smallest first.
pub(super) fn patterns(url: &Url) -> Vec<String> {
    let segments = shape::segments(url);
    let masked: Vec<String> = segments.iter().map(|segment| shape::masked(segment)).collect();
    let any_query = if url.query().is_some_and(|query| !query.is_empty()) {
        "?*"
    } else {
        ""
    };
    let mut paths = Vec::with_capacity(4 * segments.len());
    let is_short = segments.len() <= MAX_SEGMENTS;
    let classes: Vec<&str> = segments.iter().map(|segment| class(segment)).collect();
    if let Some(last) = segments.len().checked_sub(1).filter(|_| is_short) {
        paths.push(format!("{}{}", joined(&masked[..last]), joined(&classes[last..])));
        // One segment varies; the other segments are the segments of the URL.
        paths.extend(
            (0..=last)
                .rev()
                .map(|at| format!("{}/*{}", joined(&masked[..at]), joined(&masked[at + 1..]))),
        );
    }
    for kept in (0..segments.len()).rev() {
        let start = joined(&masked[..kept]);
        if is_short {
            paths.push(format!("{start}{}", joined(&classes[kept..])));
            paths.push(format!("{start}{}", "/*".repeat(segments.len() - kept)));
        }
        if kept < MAX_SEGMENTS {
            paths.push(format!("{start}/**"));
        }
    }
    let whole = joined(&masked);
    let mut patterns = Vec::with_capacity(paths.len() + 2);
    if is_short {
        patterns.extend(names(url).map(|names| format!("{whole}?{names}")));
        if !any_query.is_empty() || whole.contains('#') {
            patterns.push(format!("{whole}{any_query}"));
        }
    }
    for path in paths {
        let pattern = format!("{path}{any_query}");
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns
}

fn joined(segments: &[impl AsRef<str>]) -> String {
    segments.iter().flat_map(|segment| ["/", segment.as_ref()]).collect()
}

/// Whether the pattern keeps a part of the path and the names of the parameters, so that its URLs are similar. `/*/*` matches half a
/// site, and `/index.php?*` may match as much.
pub(super) fn names_a_place(pattern: &str) -> bool {
    if pattern.ends_with("?*") || pattern.contains("**") {
        return false;
    }
    let path = pattern.split('?').next().unwrap_or_default();
    let is_general = |segment: &str| segment.is_empty() || ["*", "**", "#", "{word}", "{mixed}"].contains(&segment);
    !path.split('/').all(is_general)
}

/// The names of the parameters in alphabetical order.
fn names(url: &Url) -> Option<String> {
    let mut names: Vec<&str> = shape::parameters(url)
        .map(|(name, _)| name)
        .take(MAX_NAMES + 1)
        .collect();
    names.sort_unstable();
    names.dedup();
    (1..=MAX_NAMES).contains(&names.len()).then(|| names.join("&"))
}

/// The class of a segment: a number, a word, or a mixture of both.
fn class(segment: &str) -> &'static str {
    let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
    let has_other = segment.bytes().any(|byte| !byte.is_ascii_digit());
    match (has_digit, has_other) {
        (true, false) => "#",
        (true, true) => "{mixed}",
        (false, true) => "{word}",
        (false, false) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns_of(url: &str) -> Vec<String> {
        patterns(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_url_is_generalised_segment_by_segment() {
        assert_eq!(
            patterns_of("http://h/t/x8/b"),
            [
                "/t/x#/b",
                "/t/x#/{word}",
                "/t/x#/*",
                "/t/*/b",
                "/*/x#/b",
                "/t/x#/**",
                "/t/{mixed}/{word}",
                "/t/*/*",
                "/t/**",
                "/{word}/{mixed}/{word}",
                "/*/*/*",
                "/**"
            ]
        );
    }

    #[test]
    fn the_names_of_a_query_are_generalised_too() {
        assert_eq!(
            patterns_of("http://h/p?b=1&a=2"),
            ["/p?a&b", "/p?*", "/{word}?*", "/*?*", "/**?*"]
        );
        let many: String = (0..20).map(|n| format!("n{n}=1&")).collect();
        assert_eq!(patterns_of(&format!("http://h/p?{many}"))[0], "/p?*");
    }

    #[test]
    fn the_patterns_of_any_url_are_few_and_differ() {
        for url in [
            "http://h/",
            "http://h/a",
            "http://h/1/",
            "http://h//?",
            "http://h/a/a/a/a/a/a/a/a?x=1",
        ] {
            let patterns = patterns_of(url);
            assert!(patterns.len() <= 4 * MAX_SEGMENTS + 2, "{url}");
            let mut distinct = patterns.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), patterns.len(), "{url}: {patterns:?}");
        }
        assert!(patterns_of(&format!("http://h{}", "/a".repeat(500))).len() <= MAX_SEGMENTS);
    }
}
