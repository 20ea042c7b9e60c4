//! The scheme of a store's fingerprints, compared with the configured one.

use storage::Store;

use config::settings::Settings;
use error::RunError;

/// Characters between the words of a scheme.
const SEPARATORS: [char; 4] = [' ', ';', ':', '+'];

/// Whether the configured scheme made the store's fingerprints. The rules for URLs do not affect fingerprints.
pub(crate) fn has_scheme_of(store: &Store, settings: &Settings) -> bool {
    scheme_of_texts(store) == settings.scheme.id()
}

/// Refuses to compare fingerprints of two schemes.
///
/// # Errors
/// Another scheme than the configured one made the store's fingerprints.
pub fn require_same(store: &Store, settings: &Settings) -> Result<(), RunError> {
    if has_scheme_of(store, settings) {
        return Ok(());
    }
    Err(RunError::OtherScheme {
        dir: store.dir().to_owned(),
        found: scheme_of_texts(store).to_owned(),
        wanted: settings.scheme.id(),
    })
}

/// The part of the store's scheme that makes fingerprints, without the rules for URLs.
pub(crate) fn scheme_of_texts(store: &Store) -> &str {
    let scheme = store.scheme();
    scheme.split_once("; ").map_or(scheme, |(of_texts, _)| of_texts)
}

/// The words that only one of two schemes has, for each scheme; `None` if the schemes are equal.
pub fn difference(found: &str, wanted: &str) -> Option<(String, String)> {
    if found == wanted {
        return None;
    }
    let only = |one: &str, other: &str| {
        let others: Vec<&str> = words(other).collect();
        let own: Vec<&str> = words(one).filter(|word| !others.contains(word)).collect();
        if own.is_empty() {
            "nothing".to_owned()
        } else {
            own.join(", ")
        }
    };
    Some((only(found, wanted), only(wanted, found)))
}

fn words(scheme: &str) -> impl Iterator<Item = &str> {
    scheme.split(SEPARATORS).map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_schemes_names_only_the_words_that_differ() {
        assert_eq!(
            difference(
                "simhash64 v1 words mask=dates floor=8; canonical-url/1:fragment+sort_query",
                "simhash128 v1 words mask=dates floor=8; canonical-url/1:fragment",
            ),
            Some(("simhash64, sort_query".to_owned(), "simhash128".to_owned()))
        );
        assert_eq!(
            difference("a; b:c", "a; b:c+d"),
            Some(("nothing".to_owned(), "d".to_owned()))
        );
        assert_eq!(difference("a", "a"), None);
    }
}
