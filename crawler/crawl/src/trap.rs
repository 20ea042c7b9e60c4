//! URLs that only a crawler trap has: paths that repeat their segments, queries that grow from page to page.
//!
//! A trap that grows too slowly for these checks is stopped by the bounds on depth, on the length of a URL and on the pages of a
//! host, and by steering, which learns from its duplicates.

use std::collections::HashMap;

use url::Url;

use config::settings::TrapLimits;

/// Bound on the times that a URL in a query is percent-encoded. Twice is ordinary: a proxy may name a login page,
/// which names a page.
const MAX_NESTED_ENCODINGS: usize = 2;

/// The reason to treat the URL as part of a trap, with the configuration key of the bound; `None` if there is none.
#[must_use]
pub fn found(url: &Url, limits: &TrapLimits) -> Option<String> {
    repeated_segment(url.path(), limits.max_segment_repeats).or_else(|| {
        url.query()
            .and_then(|query| grown_query(query, limits.max_query_parameters))
    })
}

fn repeated_segment(path: &str, max: usize) -> Option<String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for segment in path.split('/').filter(|segment| is_word(segment)) {
        let times = times.entry(segment).or_default();
        *times += 1;
        if *times > max {
            let shown: String = segment.chars().take(40).collect();
            return Some(format!(
                "trap: more than {max} times /{shown} in the path (scope.max_segment_repeats)"
            ));
        }
    }
    None
}

fn is_word(segment: &str) -> bool {
    !segment.is_empty() && !segment.bytes().all(|byte| byte.is_ascii_digit())
}

fn grown_query(query: &str, max: usize) -> Option<String> {
    if query.split('&').filter(|pair| !pair.is_empty()).count() > max {
        return Some(format!("trap: more than {max} parameters (scope.max_query_parameters)"));
    }
    // '%' becomes %25, then %2525, then %252525: each encoding adds a 25.
    let nested = format!("%{}", "25".repeat(MAX_NESTED_ENCODINGS + 1));
    query
        .contains(&nested)
        .then(|| format!("trap: a URL in the query of a URL, more than {MAX_NESTED_ENCODINGS} times over"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TrapLimits = TrapLimits {
        max_segment_repeats: 3,
        max_query_parameters: 4,
    };

    fn is_trap(path: &str) -> bool {
        found(&Url::parse(&format!("http://h{path}")).unwrap(), &LIMITS).is_some()
    }

    #[test]
    fn urls_that_grow_without_end_are_traps_and_long_urls_are_not() {
        for trap in [
            "/a/b/a/b/a/b/a/",
            "/x/x/x/x",
            "/?a&b&c&d&e",
            "/?a=1&a=1&a=1&a=1&a=1",
            "/login?next=%252525252Flogin",
        ] {
            assert!(is_trap(trap), "{trap}");
        }
        for page in [
            "/",
            "/a/b/a/b/a/b/",
            "/0/0/0/0/0/0",
            "/2026/11/11/11/11",
            "////a",
            "/?a=1&b=2&c=3&&&d=4",
            "/login?next=https%3A%2F%2Fh%2F%3Fq%3D100%25",
            "/login?next=%2Fproxy%3Fto%3D%252Fa%253Fq%253D100%2525",
        ] {
            assert!(!is_trap(page), "{page}");
        }
    }
}
