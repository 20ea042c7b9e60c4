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

/// A pattern, cut at its `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The literal parts: the first starts the path, the others follow in order with any text between them.
    literals: Vec<Vec<u8>>,
    /// Whether the pattern ends in `$`, so that the last literal ends the path.
    anchored: bool,
    /// Length of the normal form, in octets. The longer of two matching patterns is the more specific.
    octets: usize,
}

impl Pattern {
    pub(super) fn new(value: &[u8]) -> Self {
        let (value, anchored) = match value.strip_suffix(b"$") {
            Some(rest) => (rest, true),
            None => (value, false),
        };
        // Normalized as a whole, before the cut, because the meaning of `/` depends on a `?` before it.
        let spelled = spell(value, Operators::Keep);
        let mut literals: Vec<Vec<u8>> = spelled.split(|byte| *byte == b'*').map(<[u8]>::to_vec).collect();
        // A run of `*` equals one. The first and the last literal stay even when empty.
        let last = literals.len() - 1;
        let mut position = 0;
        literals.retain(|literal| {
            let keep = position == 0 || position == last || !literal.is_empty();
            position += 1;
            keep
        });
        Self {
            octets: spelled.len() + usize::from(anchored),
            literals,
            anchored,
        }
    }

    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    /// The parts between the `*`. The first and the last may be empty.
    pub(super) fn literals(&self) -> &[Vec<u8>] {
        &self.literals
    }

    /// Whether the last literal ends the path.
    pub(super) fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Whether the pattern matches the path, which must be a result of [`spell_path`].
    ///
    /// Each literal matches at its leftmost place. A later place only leaves less to the following literals, so there is no
    /// backtracking, and the time is linear in path and pattern for any number of `*`.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let Some((first, rest)) = self.literals.split_first() else {
            return false;
        };
        let Some(mut path) = path.strip_prefix(first.as_slice()) else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return !self.anchored || path.is_empty();
        };
        for literal in middle {
            let Some(at) = memmem::find(path, literal) else {
                return false;
            };
            path = &path[at + literal.len()..];
        }
        if self.anchored {
            path.ends_with(last)
        } else {
            memmem::find(path, last).is_some()
        }
    }
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
        Pattern::new(pattern.as_bytes()).matches(&spell_path(path))
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
