//! The shape of a URL: the URL without the parts that vary from page to page.

use url::Url;

/// Segments of a path that are distinguished. All deeper segments count as one.
const MAX_SEGMENTS: usize = 32;

/// The path with every run of digits as `#`: `/calendar/2026/11` is `/calendar/#/#`.
pub fn shape(url: &Url) -> String {
    masked(url.path())
}

/// `text` with every run of digits as `#`.
pub fn masked(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    let mut in_digits = false;
    for c in text.chars() {
        let is_digit = c.is_ascii_digit();
        match (is_digit, in_digits) {
            (true, false) => shape.push('#'),
            (true, true) => {}
            (false, _) => shape.push(c),
        }
        in_digits = is_digit;
    }
    shape
}

/// The pattern of a URL: the shape of its folder, `*` (`#` for a number) and the extension for its file name, and the names
/// of its parameters in alphabetical order: `/news/#/*.html?page&sort`.
pub fn pattern(url: &Url) -> String {
    let path = url.path();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => (stem, Some(ending)),
        _ => (name, None),
    };
    let mut pattern = masked(folder);
    pattern.push('/');
    match stem {
        "" => {}
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => pattern.push('#'),
        _ => pattern.push('*'),
    }
    if let Some(ending) = ending {
        pattern.push('.');
        pattern.push_str(ending);
    }
    push_names(&mut pattern, url);
    pattern
}

/// The common part of URLs that are likely to name one page: the shape of the path and the names of the parameters.
pub fn skeleton(url: &Url) -> String {
    let mut skeleton = shape(url);
    push_names(&mut skeleton, url);
    skeleton
}

fn push_names(out: &mut String, url: &Url) {
    let mut names: Vec<&str> = parameters(url).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    for (n, name) in names.into_iter().enumerate() {
        out.push(if n == 0 { '?' } else { '&' });
        out.push_str(name);
    }
}

/// The name and the whole text of each parameter of the query, as written in the URL.
pub fn parameters(url: &Url) -> impl Iterator<Item = (&str, &str)> {
    let pairs = url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty());
    pairs.map(|pair| (pair.split('=').next().unwrap_or_default(), pair))
}

/// `scheme://host:port`.
pub fn origin(url: &Url) -> &str {
    &url[..url::Position::BeforePath]
}

/// The segments of the path.
pub fn segments(url: &Url) -> Vec<&str> {
    url.path().trim_start_matches('/').splitn(MAX_SEGMENTS, '/').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_values_are_taken_out() {
        for (url, shape_of, pattern_of, skeleton_of) in [
            (
                "http://h/calendar/2026/11",
                "/calendar/#/#",
                "/calendar/#/#",
                "/calendar/#/#",
            ),
            (
                "http://h/board/room?sid=k3x9",
                "/board/room",
                "/board/*?sid",
                "/board/room?sid",
            ),
            ("http://h/", "/", "/", "/"),
            (
                "http://h/a/b-2.html?y=1&x=2&y=3",
                "/a/b-#.html",
                "/a/*.html?x&y",
                "/a/b-#.html?x&y",
            ),
            ("http://h/v1.2/x/", "/v#.#/x/", "/v#.#/x/", "/v#.#/x/"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(
                (shape(&url), pattern(&url), skeleton(&url)),
                (shape_of.into(), pattern_of.into(), skeleton_of.into())
            );
        }
    }
}
