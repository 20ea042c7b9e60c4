//! How the workers of a crawl fetch: what must be the same for all workers that live at the same time.
//!
//! Unlike the [terms](crate::terms), the rules can change: the first worker that joins while no other one lives brings its own. The user can
//! change some of them for all workers ([`crate::change`]). Such a change holds until the user takes it back, whatever the workers bring.

use xxhash_rust::xxh3::xxh3_64;

use crate::error::FleetError;

/// Longer values are not shown in a message.
const SHOWN: usize = 80;

/// Takes the changes on the servers, keys with their values, and returns those that count.
pub type ValidChanges = fn(&[(String, String)]) -> Vec<(String, String)>;

/// One line a rule, in the order of the keys.
pub(crate) fn stored(rules: &[(String, String)]) -> String {
    let mut lines: Vec<String> = rules
        .iter()
        .map(|(key, value)| format!("{key}\t{}", value.replace('\n', " ")))
        .collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// The value of a key in stored rules.
pub(crate) fn value_in<'a>(rules: &'a str, key: &str) -> Option<&'a str> {
    let mut values = rules.lines().filter_map(|line| line.split_once('\t'));
    values.find(|(of, _)| *of == key).map(|(_, value)| value)
}

/// The rules as [`stored`] has them.
pub(crate) fn read(rules: &str) -> Vec<(String, String)> {
    let rules = rules.lines().filter_map(|line| line.split_once('\t'));
    rules.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// A number that no other changes of rules have; 0 for none.
pub(crate) fn number_of(changed: &str) -> u64 {
    if changed.is_empty() {
        0
    } else {
        xxh3_64(changed.as_bytes()).max(1)
    }
}

/// The rules, but not those that were changed.
pub(crate) fn unchanged(rules: &str, changed: &str) -> String {
    let lines = rules.lines().filter(|line| {
        let key = line.split_once('\t').map_or(*line, |(key, _)| key);
        value_in(changed, key).is_none()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The rules in which the live workers and this one differ, as an error that names both sides.
pub(crate) fn agree(ours: &str, theirs: &str, name: &str) -> Result<(), FleetError> {
    match differences(ours, theirs) {
        None => Ok(()),
        Some(differences) => Err(FleetError::Rules {
            name: name.to_owned(),
            differences,
        }),
    }
}

/// The rules that differ, each with both values; `None` if there is none.
pub(crate) fn differences(ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let value_in = |rules, key| value_in(rules, key).unwrap_or("no such key").to_owned();
    let mut keys: Vec<&str> = theirs
        .lines()
        .chain(ours.lines())
        .filter_map(|line| Some(line.split_once('\t')?.0))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let differences = keys.into_iter().filter_map(|key| {
        let (theirs, ours) = (value_in(theirs, key), value_in(ours, key));
        (theirs != ours).then(|| {
            if theirs.len().max(ours.len()) > SHOWN {
                return format!("{key} (differs)");
            }
            format!("{key} (the others: {theirs}; this worker: {ours})")
        })
    });
    Some(differences.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(all: &[(&str, &str)]) -> String {
        let owned: Vec<_> = all
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        stored(&owned)
    }

    #[test]
    fn every_difference_is_named_with_both_values() {
        let theirs = rules(&[("scope.mode", "host"), ("politeness.delay_ms", "1000"), ("old", "1")]);
        assert_eq!(agree(&theirs, &theirs, "crawl"), Ok(()));
        let ours = rules(&[("politeness.delay_ms", "0"), ("scope.mode", "host"), ("new", "2")]);
        let told = agree(&ours, &theirs, "crawl").unwrap_err().to_string();
        for said in [
            "politeness.delay_ms (the others: 1000; this worker: 0)",
            "old (the others: 1;",
            "new (the others: no such key",
        ] {
            assert!(told.contains(said), "{told}");
        }
        assert!(!told.contains("scope.mode"), "{told}");
    }
}
