//! The path patterns of `Allow` and `Disallow`, and the paths that they match (RFC 9309, sections 2.2.2 and 2.2.3).
//!
//! Pattern and path are converted to one normal form of percent-encoding and compared as bytes:
//!
//! ```text
//! unreserved characters       decoded          %62 is b
//! : @ ! ' ( ) , ; [ ]         decoded          by the RFC, raw and encoded reserved characters are the same
//! / ?                         unchanged        they delimit the parts of a path; behind the first ? they are decoded too
//! & = + # %                   unchanged        decoding would change the meaning
//! * $                         encoded          so that the raw characters are always operators
//! anything else               encoded          with upper-case digits: ツ and %e3%83%84 are %E3%83%84
//! ```

use memchr::memmem;

use super::work::{SEARCH_WORK, TRY_WORK, Work};

/// Separates the literals of a pattern. In a normal form, a raw `*` is always the operator.
const STAR: u8 = b'*';

/// A pattern in its normal form: literals between single `*`. The first and the last literal may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pattern<'a> {
    /// The normal form without a final `$`.
    pub text: &'a [u8],
    /// Whether the pattern ends in `$`, so that the last literal ends the path.
    pub anchored: bool,
}

/// A pattern as the rule has it, in memory of its own.
#[derive(Debug)]
pub(super) struct OwnedPattern {
    text: Vec<u8>,
    anchored: bool,
    /// Length of the normal form before runs of `*` are shortened, in octets. The longer of two matching patterns is the more specific.
    pub octets: usize,
}

impl OwnedPattern {
    pub fn new(value: &[u8]) -> Self {
        let (value, anchored) = match value.strip_suffix(b"$") {
            Some(rest) => (rest, true),
            None => (value, false),
        };
        let mut text = spell(value, Operators::Keep);
        let octets = text.len() + usize::from(anchored);
        // A run of `*` equals one.
        text.dedup_by(|next, before| *next == STAR && *before == STAR);
        Self { text, anchored, octets }
    }

    pub fn borrowed(&self) -> Pattern<'_> {
        Pattern {
            text: &self.text,
            anchored: self.anchored,
        }
    }
}

impl<'a> Pattern<'a> {
    /// The parts between the `*`: the first starts the path, the others follow in order with any text between them.
    pub fn literals(self) -> impl DoubleEndedIterator<Item = &'a [u8]> {
        self.text.split(|byte| *byte == STAR)
    }

    /// The first literal, if it alone decides.
    pub fn single(self) -> Option<Single<'a>> {
        match memchr::memchr(STAR, self.text) {
            None if self.anchored => Some(Single::Whole(self.text)),
            None => Some(Single::Beginning(self.text)),
            // `/a*` and `/a*$` match whatever `/a` matches.
            Some(star) if star + 1 == self.text.len() => Some(Single::Beginning(&self.text[..star])),
            Some(_) => None,
        }
    }

    /// Whether the pattern matches the path, which must be a result of [`spell_path`]; `None` if the work for the URL is spent.
    ///
    /// Each literal matches at its leftmost place. A later place only leaves less to the following literals, so there is no
    /// backtracking, and the time is linear in path and pattern for any number of `*`.
    pub fn matches(self, path: &[u8], work: &mut Work) -> Option<bool> {
        work.spend(TRY_WORK)?;
        let mut literals = self.literals();
        let Some(mut path) = literals.next().and_then(|first| path.strip_prefix(first)) else {
            return Some(false);
        };
        let Some(last) = literals.next_back() else {
            return Some(!self.anchored || path.is_empty());
        };
        for literal in literals {
            work.spend(SEARCH_WORK + literal.len())?;
            let Some(at) = find(path, literal) else {
                work.spend(path.len())?;
                return Some(false);
            };
            work.spend(at)?;
            path = &path[at + literal.len()..];
        }
        if self.anchored {
            return Some(path.ends_with(last));
        }
        work.spend(SEARCH_WORK + last.len() + path.len())?;
        Some(find(path, last).is_some())
    }
}

/// The first position of the literal. The search for a single byte needs no preparation.
fn find(path: &[u8], literal: &[u8]) -> Option<usize> {
    match literal {
        [byte] => memchr::memchr(*byte, path),
        _ => memmem::find(path, literal),
    }
}

/// A pattern that its only literal decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Single<'a> {
    /// Matches every path that begins with the literal.
    Beginning(&'a [u8]),
    /// Matches the path that equals the literal.
    Whole(&'a [u8]),
}

/// The normal form of a path with its query.
pub(super) fn spell_path(path: &str) -> Vec<u8> {
    spell(path.as_bytes(), Operators::Encode)
}

/// The treatment of a raw `*` or `$`: an operator in a pattern, an ordinary character in a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operators {
    Keep,
    Encode,
}

fn spell(text: &[u8], operators: Operators) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(text.len());
    let mut in_query = false;
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let Some((decoded, tail)) = hex_pair(tail) else {
                encode(byte, &mut spelled);
                continue;
            };
            rest = tail;
            match decoded {
                _ if means_the_same_encoded(decoded, in_query) => spelled.push(decoded),
                _ => encode(decoded, &mut spelled),
            }
            continue;
        }
        in_query |= byte == b'?';
        match byte {
            b'*' if operators == Operators::Keep => spelled.push(byte),
            b'/' | b'?' | b'&' | b'=' | b'+' | b'#' => spelled.push(byte),
            _ if means_the_same_encoded(byte, in_query) => spelled.push(byte),
            _ => encode(byte, &mut spelled),
        }
    }
    spelled
}

fn means_the_same_encoded(byte: u8, in_query: bool) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => true,
        b':' | b'@' | b'!' | b'\'' | b'(' | b')' | b',' | b';' | b'[' | b']' => true,
        b'/' | b'?' => in_query,
        _ => false,
    }
}

fn encode(byte: u8, spelled: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    spelled.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

fn hex_pair(text: &[u8]) -> Option<(u8, &[u8])> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match text {
        [high, low, rest @ ..] => Some((digit(*high)? << 4 | digit(*low)?, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let mut work = Work::without_end();
        let pattern = OwnedPattern::new(pattern.as_bytes());
        pattern.borrowed().matches(&spell_path(path), &mut work).unwrap()
    }

    #[test]
    fn raw_and_encoded_spellings_of_a_path_are_one() {
        for (pattern, path) in [
            // The rows of the table in RFC 9309 §2.2.2.
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
            ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
            ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https://foo.bar"),
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
            // §2.2.3: the operators as literals.
            ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
            ("/path/foo-%24", "/path/foo-$"),
            ("/a$b", "/a%24b"),
            ("/~joe", "/%7Ejoe"),
            ("/{x} y", "/%7Bx%7D%20y"),
            ("/100%", "/100%25"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn an_encoded_delimiter_is_not_the_delimiter() {
        for (pattern, path) in [
            ("/a/b", "/a%2Fb"),
            ("/a?b", "/a%3Fb"),
            ("/a?b&c", "/a?b%26c"),
            ("/a%2Fb", "/a/b"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn the_dollar_ends_the_path_only_at_the_end_of_the_pattern() {
        assert!(matches("/*.php$", "/a.php"));
        assert!(matches("/*.php$", "/a.php/b.php"));
        assert!(!matches("/*.php$", "/a.php5"));
        assert!(matches("/$", "/"));
        assert!(!matches("/$", "/a"));
        assert!(matches("/*$", "/anything"));
        assert!(!matches("/ab*b$", "/ab"));
    }

    #[test]
    fn a_pattern_of_many_stars_is_matched_in_linear_time() {
        let pattern = format!("/{}b", "*a".repeat(8_000));
        let path = format!("/{}", "a".repeat(200_000));
        let began = std::time::Instant::now();
        assert!(!matches(&pattern, &path));
        // Backtracking would need longer than the age of the universe; a second is for a machine under load.
        assert!(began.elapsed() < std::time::Duration::from_secs(1));
    }

    /// The pattern language as the RFC words it, by the shortest possible recursion over characters.
    fn oracle(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|at| oracle(rest, &path[at..])),
            [byte, rest @ ..] => path.first() == Some(byte) && oracle(rest, &path[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn matching_agrees_with_the_naive_matcher(pattern in "/[ab/*]{0,8}[$]?", path in "/[ab/]{0,12}") {
            prop_assert_eq!(matches(&pattern, &path), oracle(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn one_spelling_is_its_own_spelling(path in "[ -~]{0,40}") {
            let once = spell_path(&path);
            let twice = spell_path(std::str::from_utf8(&once).unwrap());
            prop_assert_eq!(once, twice);
        }
    }
}
