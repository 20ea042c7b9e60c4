//! Patterns of URLs. Each says of which kind it is: `glob:` or `regex:`.

mod percent_encoded;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use regex::{Regex, RegexBuilder};

use self::percent_encoded::percent_encoded;

/// Memory limit of a compiled expression, in bytes. Expressions that people type stay far below it.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Memory limit of the states that an expression keeps between two URLs, in bytes.
const MAX_STATE_BYTES: usize = 1 << 18;

const HINT: &str = "write glob: and a pattern of the whole URL, such as 'glob:https://example.org/docs/**' or 'glob:/docs/**', or \
                    regex: and a regular expression of a part of the URL, such as 'regex:/docs/'";

/// The characters that a canonical URL never contains as they are.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');

/// Selects URLs by their canonical form.
#[derive(Debug, Clone)]
pub struct UrlPattern {
    text: String,
    regex: Regex,
}

impl UrlPattern {
    /// Parses `glob:…` or `regex:…`.
    ///
    /// A regular expression matches a part of the URL. A glob matches the whole URL, or its path and query if it begins with `/`. In
    /// it, `*` stands for any characters but `/`, `**` for any characters, and `/**/` also for a single `/`. Every other
    /// character stands for itself. A character that is not ASCII stands for its percent-encoded form in both kinds.
    ///
    /// # Errors
    /// The pattern has no kind, or is invalid or too large.
    pub fn parse(text: &str) -> Result<Self, String> {
        let regex = if let Some(glob) = text.strip_prefix("glob:") {
            parse_regex(&regex_of(glob)?)?
        } else if let Some(regex) = text.strip_prefix("regex:") {
            if regex.is_empty() {
                return Err(HINT.to_owned());
            }
            parse_regex(&percent_encoded(regex)?)?
        } else {
            return Err(format!("it must say of which kind it is: {HINT}"));
        };
        let text = text.to_owned();
        Ok(Self { text, regex })
    }

    /// As [`UrlPattern::parse`]; a text without a kind is a regular expression.
    ///
    /// # Errors
    /// The pattern is invalid or too large.
    pub fn parse_or_regex(text: &str) -> Result<Self, String> {
        if text.starts_with("glob:") || text.starts_with("regex:") {
            return Self::parse(text);
        }
        let regex = parse_regex(&percent_encoded(text)?)?;
        let text = text.to_owned();
        Ok(Self { text, regex })
    }

    /// Whether the pattern matches this canonical URL.
    #[must_use]
    pub fn matches(&self, url: &str) -> bool {
        self.regex.is_match(url)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Parses a regular expression, which matches in time linear in the URL.
fn parse_regex(text: &str) -> Result<Regex, String> {
    let regex = RegexBuilder::new(text)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_STATE_BYTES)
        .build();
    regex.map_err(|error| {
        format!("{error}\nwrite a regular expression that matches a part of the URL: '/docs/', '^https://', '\\.html$'")
    })
}

/// The regular expression that matches what the glob matches.
fn regex_of(glob: &str) -> Result<String, String> {
    let beginning = if glob.starts_with('/') {
        "^https?://[^/]+"
    } else if glob.starts_with('*') || glob.starts_with("http") {
        "^"
    } else {
        return Err(format!("a glob begins with https://, http://, * or /; {HINT}"));
    };
    let mut regex = format!("(?s){beginning}");
    let mut rest = glob;
    while let Some(next) = rest.chars().next() {
        let (pattern, length) = if rest.starts_with("/**/") {
            ("/(?:.*/)?".to_owned(), 4)
        } else if rest.starts_with("**") {
            (".*".to_owned(), 2)
        } else if next == '*' {
            ("[^/]*".to_owned(), 1)
        } else {
            (regex_of_char(next), next.len_utf8())
        };
        regex.push_str(&pattern);
        rest = &rest[length..];
    }
    regex.push('$');
    Ok(regex)
}

/// The regular expression that matches a character of a glob, percent-encoded with letters of either case if a URL has it so.
fn regex_of_char(c: char) -> String {
    let (mut bytes, mut encoded) = ([0; 4], String::new());
    let text: &str = c.encode_utf8(&mut bytes);
    encoded.extend(utf8_percent_encode(text, ENCODED));
    if encoded == text {
        regex::escape(text)
    } else {
        format!("(?i:{encoded})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_as_its_kind_says() {
        for (pattern, url, matches) in [
            ("glob:https://example.org/docs/**", "https://example.org/docs/", true),
            (
                "glob:https://example.org/docs/**",
                "https://example.org/docs/a/b?c=d/e",
                true,
            ),
            ("glob:https://example.org/docs/**", "https://example.org/docs", false),
            ("glob:https://example.org/docs/**", "http://example.org/docs/", false),
            ("glob:https://example.org/docs/*", "https://example.org/docs/a", true),
            ("glob:https://example.org/docs/*", "https://example.org/docs/a/b", false),
            ("glob:https://example.org/docs", "https://example.org/docs/a", false),
            ("glob:https://*.example.org/**", "https://a.b.example.org/x", true),
            (
                "glob:https://*.example.org/**",
                "https://other.net/.example.org/x",
                false,
            ),
            ("glob:/docs/**", "https://example.org:8080/docs/a", true),
            ("glob:/docs/**", "https://example.org/en/docs/a", false),
            ("glob:/**/print/*", "https://example.org/print/a", true),
            ("glob:/**/print/*", "https://example.org/a/b/print/c", true),
            ("glob:/**/print/*", "https://example.org/fingerprint/c", false),
            ("glob:**/docs/**", "https://example.org/en/docs/a", true),
            ("glob:/a.html?page=*", "https://example.org/a.html?page=3", true),
            ("glob:/a.html?page=*", "https://example.org/axhtml?page=3", false),
            ("glob:/bücher/*", "https://example.org/b%C3%BCcher/1", true),
            ("glob:/bücher/*", "https://example.org/b%c3%bccher/1", true),
            ("glob:/bücher/*", "https://example.org/B%C3%BCcher/1", false),
            ("regex:/新闻/", "https://example.org/%e6%96%b0%e9%97%bb/1", true),
            ("regex:/新闻/[^/新]+$", "https://example.org/%E6%96%B0%E9%97%BB/1", true),
            ("regex:^[^新]+$", "https://example.org/%E6%96%B0%E9%97%BB/1", true),
            ("regex:/docs/", "https://example.org/en/docs/a", true),
            ("regex:/新闻/", "https://example.org/%E6%96%B0%E9%97%BB/1", true),
            ("regex:/(新闻|公告)+/", "https://example.org/%E5%85%AC%E5%91%8A/1", true),
            ("regex:/新闻/", "https://example.org/%E5%85%AC%E5%91%8A/1", false),
            ("regex:(?i)/BÜCHER", "https://example.org/b%C3%BCcher/1", true),
            ("regex:^https://example\\.org/$", "https://example.org/", true),
            ("regex:\\.PDF$", "https://example.org/a.pdf", false),
            ("regex:(?i)\\.PDF$", "https://example.org/a.pdf", true),
        ] {
            assert_eq!(
                UrlPattern::parse(pattern).unwrap().matches(url),
                matches,
                "{pattern} {url}"
            );
        }
    }

    #[test]
    fn a_pattern_without_a_kind_is_rejected_with_the_two_kinds() {
        for bad in ["", "/docs/", "glob:", "regex:", "glob:docs/*", "glob:example.org/**"] {
            let error = UrlPattern::parse(bad).unwrap_err();
            assert!(error.contains("glob:") && error.contains("regex:"), "{bad}: {error}");
        }
        assert!(UrlPattern::parse("regex:(").unwrap_err().contains("regular expression"));
        assert!(
            UrlPattern::parse_or_regex("*/docs")
                .unwrap_err()
                .contains("regular expression")
        );
        assert!(
            UrlPattern::parse("regex:[新闻]")
                .unwrap_err()
                .contains("percent-encoded")
        );
        assert!(UrlPattern::parse("regex:(a{1000}){1000}").is_err());
        assert!(UrlPattern::parse(&format!("glob:/{}", "*".repeat(1 << 20))).is_err());
    }
}
