//! The meaning of each key, from the comments of the sample `config.toml`, so that only one text exists.

use std::collections::BTreeMap;

const SAMPLE: &str = include_str!("../../../config.toml");

/// What a key means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The lines of its comment. Keys that follow each other without a comment between share one.
    pub lines: Vec<String>,
}

impl Meaning {
    /// The comment as one text: a line that ends a sentence, or begins a value in quotation marks, stays a line of its own.
    #[must_use]
    pub fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs: Vec<String> = Vec::new();
        for line in &self.lines {
            let ends = paragraphs.last().is_none_or(|last| last.ends_with(['.', ':']));
            match paragraphs.last_mut() {
                Some(last) if !(ends && line.starts_with('"')) => {
                    last.push(' ');
                    last.push_str(line);
                }
                _ => paragraphs.push(line.clone()),
            }
        }
        paragraphs
    }
}

/// The meanings of all keys, such as `scope.max_pages`, `extract` and `fetch.login`.
#[must_use]
pub fn meanings() -> BTreeMap<String, Meaning> {
    let mut meanings = BTreeMap::new();
    let (mut section, mut comment, mut is_open) = (String::new(), Vec::new(), false);
    for line in SAMPLE.lines() {
        if let Some(text) = line.strip_prefix('#') {
            let text = text.strip_prefix(' ').unwrap_or(text);
            if !std::mem::replace(&mut is_open, true) {
                comment.clear();
            }
            // The example of a list of tables, which has no key in the sample.
            let list = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
            if let Some(list) = list {
                add(&mut meanings, list.to_owned(), &comment);
            }
            comment.push(text.to_owned());
            continue;
        }
        let table = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(table) = table {
            if table.contains('.') {
                add(&mut meanings, table.to_owned(), &comment);
            }
            table.clone_into(&mut section);
            comment.clear();
        } else if let Some((name, _)) = line.split_once(" = ") {
            add(&mut meanings, format!("{section}.{name}"), &comment);
        }
        is_open = false;
    }
    meanings
}

fn add(meanings: &mut BTreeMap<String, Meaning>, key: String, comment: &[String]) {
    let lines = comment.to_vec();
    meanings.entry(key).or_insert(Meaning { lines });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::keys;

    #[test]
    fn every_key_has_a_meaning_in_the_sample() {
        let meanings = meanings();
        for key in keys() {
            let meaning = meanings.get(&key.path());
            let is_said = meaning.is_some_and(|meaning| meaning.paragraphs().iter().any(|text| text.len() > 10));
            assert!(is_said, "{}: {meaning:?}", key.path());
        }
    }

    #[test]
    fn a_comment_is_that_of_its_key() {
        let meanings = meanings();
        let of = |key: &str| meanings[key].paragraphs().join("\n");
        assert!(of("politeness.latency_factor").starts_with("The delay is at least this factor times the latency"));
        assert!(
            of("politeness.parallel_per_address")
                .starts_with("Delay in milliseconds between two requests to one address")
        );
        assert!(of("host").starts_with("How the crawler treats some hosts"));
        assert!(!of("host").contains("[[host]]"), "{}", of("host"));
        assert!(of("fetch.headers").starts_with("Additional header fields"));
        let leave = meanings["steering.leave"].paragraphs();
        assert!(leave.iter().any(|text| text.starts_with("\"traps\": ")), "{leave:?}");
    }
}
