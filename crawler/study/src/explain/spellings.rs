//! Known URLs that a mistyped URL may stand for.

use ::url::{Position, Url};
use percent_encoding::percent_decode_str;

/// URLs that differ from `url` by a usual mistake: scheme, `www.`, final slash, index page, case, query; at most 40.
pub(super) fn of(url: &Url) -> Vec<Url> {
    let mut found = vec![url.clone()];
    with(&mut found, |url| {
        let path = url.path().to_owned();
        match path.strip_suffix('/') {
            Some(path) => url.set_path(path),
            None => url.set_path(&format!("{path}/")),
        }
    });
    with(&mut found, |url| {
        let scheme = if url.scheme() == "http" { "https" } else { "http" };
        // A change between these two schemes cannot fail.
        let _changed = url.set_scheme(scheme);
    });
    let host = url.host_str().unwrap_or_default().to_owned();
    with(&mut found, |url| {
        let other = host.strip_prefix("www.").map_or(format!("www.{host}"), str::to_owned);
        // Fails for an address, which has no `www.`.
        let _changed = url.set_host(Some(&other));
    });
    with(&mut found, |url| url.set_path(&url.path().to_lowercase()));
    with(&mut found, |url| url.set_query(None));
    let change = |change: fn(&mut Url)| {
        let mut other = url.clone();
        change(&mut other);
        other
    };
    found.extend([
        change(|url| {
            if let Some((folder, page)) = url.path().rsplit_once('/')
                && page.starts_with("index.")
            {
                url.set_path(&format!("{folder}/"));
            }
        }),
        change(|url| {
            let path = url.path().trim_end_matches('/').to_owned();
            url.set_path(&format!("{path}/index.html"));
        }),
        change(|url| {
            let path = url.path().trim_end_matches('/').to_owned();
            url.set_path(&format!("{path}.html"));
        }),
        change(|url| {
            let path = url.path().trim_end_matches(".html").to_owned();
            url.set_path(&path);
        }),
    ]);
    found
}

/// The path and query that a known URL must resemble.
pub(super) struct Wanted {
    decoded: String,
    /// Upper bound on the edits between similar URLs.
    most_edits: usize,
}

impl Wanted {
    pub fn of(url: &Url) -> Self {
        let decoded = decoded(url);
        let length = decoded.chars().count();
        // Counting the edits between long texts takes long.
        let most_edits = if length > MAX_COMPARED { 0 } else { length / 6 };
        Self { decoded, most_edits }
    }

    /// The number of edits to the path and query of `other` (optimal string alignment; Damerau 1964), without percent-encoding;
    /// `None` if there is more than one edit for six characters.
    pub fn edits_to(&self, other: &Url) -> Option<usize> {
        let other = decoded(other);
        if other == self.decoded {
            return Some(0);
        }
        let lengths = [&self.decoded, &other].map(|text| text.chars().count());
        if self.most_edits == 0 || lengths[0].abs_diff(lengths[1]) > self.most_edits {
            return None;
        }
        Some(strsim::osa_distance(&self.decoded, &other)).filter(|edits| *edits <= self.most_edits)
    }
}

/// Upper bound on the characters of a path and query whose edits are counted.
const MAX_COMPARED: usize = 400;

/// Path and query without percent-encoding.
fn decoded(url: &Url) -> String {
    percent_decode_str(&url[Position::BeforePath..Position::AfterQuery])
        .decode_utf8_lossy()
        .into_owned()
}

/// Adds a changed copy of each URL in `found`.
fn with(found: &mut Vec<Url>, change: impl Fn(&mut Url)) {
    for mut url in found.clone() {
        change(&mut url);
        found.push(url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_edits_make_urls_similar() {
        let edits = |a: &str, b: &str| {
            let url = |path: &str| Url::parse(&format!("http://example.org{path}")).unwrap();
            Wanted::of(&url(a)).edits_to(&url(b))
        };
        assert_eq!(edits("/s?q=%3Ealert(9)", "/s?q=%3Ealert%289%29"), Some(0));
        assert_eq!(edits("/contcat", "/contact"), Some(1));
        assert_eq!(edits("/nothing", "/"), None);
        assert_eq!(edits("/a", "/b"), None);
        assert_eq!(edits(&"/x".repeat(1_000), &("/x".repeat(1_000) + "y")), None);
    }

    #[test]
    fn usual_mistakes_are_tried() {
        let url = Url::parse("http://example.org/Docs/a?x=1").unwrap();
        let found: Vec<String> = of(&url).iter().map(Url::to_string).collect();
        for expected in [
            "https://www.example.org/Docs/a/?x=1",
            "http://example.org/Docs/a",
            "https://example.org/docs/a",
            "http://example.org/docs/a?x=1",
            "http://example.org/Docs/a/index.html?x=1",
            "http://example.org/Docs/a.html?x=1",
        ] {
            assert!(
                found.iter().any(|url| url == expected),
                "{expected} is not in {found:?}"
            );
        }
        assert!(found.len() <= 40);
    }
}
