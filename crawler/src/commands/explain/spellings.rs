//! What a URL that is not known may have been meant to be.

use ::url::Url;

/// URLs that differ from `url` in what people get wrong: scheme, `www.`, the slash at the end, an index page, case, the
/// query; some three dozen at most.
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
        // Between these two it can be changed.
        let _changed = url.set_scheme(scheme);
    });
    let host = url.host_str().unwrap_or_default().to_owned();
    with(&mut found, |url| {
        let other = host.strip_prefix("www.").map_or(format!("www.{host}"), str::to_owned);
        // What is no name, such as an address, has no `www.`.
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
            let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            url.set_path(&format!("{folder}/"));
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

/// Adds each of `found` with a change.
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
    fn what_people_get_wrong_is_tried() {
        let url = Url::parse("http://example.org/Docs/a?x=1").unwrap();
        let found: Vec<String> = of(&url).iter().map(Url::to_string).collect();
        for expected in [
            "https://www.example.org/Docs/a/?x=1",
            "http://example.org/Docs/a",
            "https://example.org/docs/a",
            "http://example.org/docs/a?x=1",
            "http://example.org/Docs/?x=1",
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
