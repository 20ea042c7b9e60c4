//! The scripts of a page, by a scan of its bytes. It is no parser: a wrong answer costs one rendering, and no text.

use memchr::memmem;
use web::url_rule::shape::masked;

/// Bound on the scripts that are looked at.
const MAX_SCRIPTS: usize = 200;

/// Bound on the bytes of a tag that are looked at.
const MAX_TAG_BYTES: usize = 2_048;

/// The types of elements with data. A browser does not run them.
const DATA: [&str; 5] = ["json", "template", "x-handlebars", "speculationrules", "text/html"];

/// The scripts of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripts {
    /// Whether there is one that a browser runs.
    pub are_run: bool,
    /// The names of the files without numbers and hashes, which change with each build, and `inline` if there is a script in the page.
    pub names: String,
}

impl Scripts {
    /// The scripts of a page in any encoding that contains ASCII.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        let (mut names, mut are_run) = (Vec::new(), false);
        for at in starts(body).take(MAX_SCRIPTS) {
            let tag = &body[at..body.len().min(at + MAX_TAG_BYTES)];
            let tag = &tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())];
            let tag = String::from_utf8_lossy(tag);
            let kind = attribute(&tag, "type").unwrap_or_default().to_ascii_lowercase();
            if DATA.iter().any(|data| kind.contains(data)) {
                continue;
            }
            are_run = true;
            names.push(attribute(&tag, "src").map_or_else(|| "inline".to_owned(), name));
        }
        names.sort_unstable();
        names.dedup();
        Self {
            are_run,
            names: names.join(" "),
        }
    }
}

/// The places behind each `<script`, in any case.
fn starts(body: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr_iter(b'<', body).filter_map(|at| {
        let behind = at + "<script".len();
        let name = body.get(at + 1..behind)?;
        let is_end = body
            .get(behind)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
        (name.eq_ignore_ascii_case(b"script") && is_end).then_some(behind)
    })
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let bytes = tag.as_bytes();
    let lower = tag.to_ascii_lowercase();
    let at = memmem::find_iter(lower.as_bytes(), name.as_bytes()).find(|&at| {
        let behind = lower[at + name.len()..].trim_start();
        at > 0 && bytes[at - 1].is_ascii_whitespace() && behind.starts_with('=')
    })?;
    let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => value.split(|c: char| c.is_ascii_whitespace()).next(),
    }
}

/// A script's file without query, and without the parts of its name that look like a hash: `/assets/index-BfEr3k9_.js` is `/assets/index-*.js`.
fn name(src: &str) -> String {
    let path = src.split(['?', '#']).next().unwrap_or_default();
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let parts = file
        .split(['.', '-', '~'])
        .map(|part| if is_hash(part) { "*" } else { part });
    format!("{}/{}", masked(folder), masked(&parts.collect::<Vec<_>>().join(".")))
}

/// Whether a part of a name is a hash: at least six letters and digits, with digits or with both cases.
fn is_hash(part: &str) -> bool {
    let has = |test: fn(&u8) -> bool| part.as_bytes().iter().any(test);
    let is_word = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    part.len() >= 6 && is_word && (has(u8::is_ascii_digit) || is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_that_a_browser_runs_count() {
        for (body, are_run) in [
            ("<p>text", false),
            ("<script type=\"application/ld+json\">{}</script>", false),
            ("<script type='text/template'>x</script>", false),
            ("<scripted>x</scripted>", false),
            ("<script>1</script>", true),
            ("<SCRIPT TYPE=module SRC=/a.js></SCRIPT>", true),
            ("<script data-type=\"json\" src=\"/a.js\">", true),
        ] {
            assert_eq!(Scripts::of(body.as_bytes()).are_run, are_run, "{body}");
        }
    }

    #[test]
    fn names_stay_the_same_from_build_to_build_and_in_any_order() {
        let names = |body: &str| Scripts::of(body.as_bytes()).names;
        let first =
            names("<script src=/assets/index-BfEr3k9x.js></script><script src=/v/main.4f2a91bc.chunk.js?v=1></script>");
        let later =
            names("<script src=/v/main.99aa00ff.chunk.js></script><script src='/assets/index-Q1x2y3Zk.js'></script>");
        assert_eq!(first, later);
        assert_eq!(first, "/assets/index.*.js /v/main.*.chunk.js");
        assert_ne!(first, names("<script src=/assets/other-BfEr3k9x.js></script>"));
        assert_eq!(names("<script>a</script><script>b</script>"), "inline");
    }
}
