//! The URLs of a line. People make lists of URLs with other programs: with a tab or a line end between fields, with quotes, with a rank before
//! each domain. The URL parser itself would accept such a line as one URL, because it drops tabs and line ends, and encodes blanks.

use super::domain::bare_domain;

/// The URLs in a line: the whole line, or its fields that are URLs, in their order. A line without any is returned whole.
pub fn urls_in(line: &str) -> Vec<&str> {
    let line = trimmed(line);
    let fields = fields_of(line);
    let urls: Vec<&str> = fields.iter().copied().filter(|field| is_web(field)).collect();
    if !urls.is_empty() {
        return urls;
    }
    let domain = fields.iter().copied().find(|field| bare_domain(field).is_some());
    vec![domain.unwrap_or(line)]
}

/// The fields of a line; one for a line that is no row of a table.
fn fields_of(line: &str) -> Vec<&str> {
    let control = |c: char| c.is_control();
    if line.contains(control) {
        return line.split(control).map(trimmed).collect();
    }
    if line.starts_with('"') && line.contains("\",") {
        return quoted_fields(line);
    }
    let words: Vec<&str> = line.split_whitespace().map(trimmed).collect();
    if words.iter().filter(|word| is_web(word)).count() > 1 {
        return words;
    }
    // No name of a host has a comma or a semicolon; a URL may have both.
    let name = line.split('/').next().unwrap_or_default();
    if !line.contains("://") && name.contains([',', ';']) {
        return line.split([',', ';']).map(trimmed).collect();
    }
    vec![line]
}

/// The fields of a line of comma-separated values with quotes (RFC 4180).
fn quoted_fields(line: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (field, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        fields.push(trimmed(field));
        rest = behind.split_once(',').map_or("", |(_, next)| next.trim_start());
    }
    fields
}

/// A field without the blanks, marks and quotes around it. Copied text brings marks that nobody sees.
pub(super) fn trimmed(field: &str) -> &str {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}');
    let field = field.trim_matches(is_blank);
    for (open, close) in [('"', '"'), ('\'', '\''), ('<', '>'), ('\u{201c}', '\u{201d}')] {
        let inside = field.strip_prefix(open).and_then(|field| field.strip_suffix(close));
        if let Some(inside) = inside.filter(|inside| !inside.contains([open, close])) {
            return inside.trim_matches(is_blank);
        }
    }
    field
}

fn is_web(field: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        let start = field.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_an_exported_list_has_the_urls_of_its_fields() {
        for (line, urls) in [
            ("http://a.example/", &["http://a.example/"][..]),
            (
                "http://a.example/\thttp://b.example/",
                &["http://a.example/", "http://b.example/"],
            ),
            (
                "1\thttp://a.example/\tA title, with http:// in it",
                &["http://a.example/"],
            ),
            ("A title\t\tHTTPS://a.example/x y", &["HTTPS://a.example/x y"]),
            ("http://a.example/\t", &["http://a.example/"]),
            (
                "http://a.example/\rhttp://b.example/",
                &["http://a.example/", "http://b.example/"],
            ),
            (
                "http://a.example/\u{b}http://b.example/",
                &["http://a.example/", "http://b.example/"],
            ),
            ("12\tgoogle.example\t99", &["google.example"]),
            ("12,google.example", &["google.example"]),
            ("google.example;Search", &["google.example"]),
            ("\"http://a.example/\",\"A, b\",3", &["http://a.example/"]),
            ("\"A, b\",\"http://a.example/?x=1,2\"", &["http://a.example/?x=1,2"]),
            ("\"http://a.example/\"", &["http://a.example/"]),
            ("'http://a.example/'", &["http://a.example/"]),
            ("<http://a.example/>", &["http://a.example/"]),
            ("\u{201c}http://a.example/\u{201d}", &["http://a.example/"]),
            ("\u{feff}\u{a0}http://a.example/\u{200b}\u{a0}", &["http://a.example/"]),
            (
                "http://a.example/ http://b.example/",
                &["http://a.example/", "http://b.example/"],
            ),
            (
                "http://a.example/\u{a0}http://b.example/",
                &["http://a.example/", "http://b.example/"],
            ),
            // These are URLs, or meant as one.
            ("http://a.example/a b", &["http://a.example/a b"]),
            ("http://a.example/a,b;c", &["http://a.example/a,b;c"]),
            (
                "http://a.example/?u=http://b.example/,http://c.example/",
                &["http://a.example/?u=http://b.example/,http://c.example/"],
            ),
            ("a.example/x,y", &["a.example/x,y"]),
            // Of these, the message shows the whole line.
            ("not a url", &["not a url"]),
            ("a\tb", &["a\tb"]),
            ("a,b", &["a,b"]),
            ("ftp://a.example/\tx", &["ftp://a.example/\tx"]),
            ("", &[""]),
        ] {
            assert_eq!(urls_in(line), urls, "{line:?}");
        }
    }
}
