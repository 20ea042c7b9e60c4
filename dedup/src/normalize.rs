//! One spelling for texts that read the same: compatibility composition (NFKC, UAX #15), lower case, single spaces.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// `text` in NFKC and lower case, runs of white space and control characters as one space, none at the ends.
///
/// Idempotent, and the same for a text in any encoding form: `ﬁ` and `fi`, `Ｅ` and `e`, `e` + `´` and `é`.
#[must_use]
pub fn normalize(text: &str) -> String {
    let composed: Cow<'_, str> = if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    };
    let mut out = String::with_capacity(composed.len());
    let mut gap = false;
    for c in composed.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
    // Lower case can leave composed form (`İ` becomes `i` and a dot above); a second pass closes the circle.
    if out.is_ascii() || is_nfkc_quick(out.chars()) == IsNormalized::Yes { out } else { out.nfkc().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_that_read_the_same_are_the_same() {
        for (a, b) in [
            ("The  CAT\n sat\t", "the cat sat"),
            ("ﬁne Ｔｅｘｔ", "fine text"),
            ("cafe\u{301}", "café"),
            ("①②", "12"),
            ("한글", "한글"),
            ("全角，１２３", "全角,123"),
        ] {
            assert_eq!(normalize(a), b, "{a:?}");
        }
    }

    #[test]
    fn white_space_alone_is_nothing() {
        assert_eq!(normalize(" \u{3000}\r\n\u{0}\t"), "");
    }

    proptest! {
        #[test]
        fn it_is_idempotent(text in any::<String>()) {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }
    }
}
