//! Finds every fault in a `config.toml`, not only the first. No message shows a secret.
//!
//! - `entries`: lists of sections such as `[[extract]]`

mod entries;

use std::fmt;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Key, keys, nearest};
use super::lines::{line_of, lines};
use super::settings::{InvalidSetting, Settings};
use super::wording::{accepted, fault, in_one_line};
use super::{Config, secrets};
use entries::EntryList;

/// A fault in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Number of the line, counted from 1.
    pub(super) line: usize,
    /// The fault and the allowed values.
    pub(super) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.line, self.message)
    }
}

/// Finds the faults in the text of a `config.toml`, sorted by line: errors of syntax, unknown keys, invalid values, and values that
/// contradict each other.
pub fn check(text: &str) -> Vec<Finding> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut findings: Vec<Finding> = errors
        .iter()
        .map(|error| Finding {
            line: line_of(text, error.span().map_or(0, |span| span.start)),
            message: in_one_line(error.message()),
        })
        .collect();
    let keys = keys();
    for (section, value) in document.get_ref() {
        findings.extend(check_section(text, section, value, &keys));
    }
    if findings.is_empty() {
        // Values that are valid alone may contradict each other.
        findings.extend(toml::from_str(text).ok().and_then(|config: Config| {
            let error = Settings::new(&config).err()?;
            let line = line_of_key(text, error.key());
            let message = error.to_string();
            Some(Finding { line, message })
        }));
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

type Name<'i> = Spanned<std::borrow::Cow<'i, str>>;
type Assigned<'i> = Spanned<DeValue<'i>>;

fn check_section<'i>(text: &str, section: &Name<'i>, value: &Assigned<'i>, keys: &[Key]) -> Vec<Finding> {
    let name = section.get_ref().as_ref();
    let finding = |at: usize, message| Finding {
        line: line_of(text, at),
        message,
    };
    let mut sections: Vec<&str> = keys.iter().map(|key| key.section.as_str()).collect();
    sections.dedup();
    if !sections.contains(&name) {
        let message = match keys.iter().find(|key| key.name == name) {
            Some(key) => format!("`{name}` belongs to the section [{}]", key.section),
            None => format!(
                "unknown section `{name}`{}; the sections are {}",
                did_you_mean(name, &sections),
                listed(&sections)
            ),
        };
        return vec![finding(section.span().start, message)];
    }
    if let Some(list) = EntryList::at(name) {
        return list.check(text, value);
    }
    let Some(names) = value.get_ref().as_table() else {
        let message = format!("`{name}` is a section: write [{name}] and its keys below");
        return vec![finding(section.span().start, message)];
    };
    // A value may be valid only together with another one, so check the whole section first.
    let is_known = |key: &Name<'_>| {
        keys.iter()
            .any(|known| known.section == name && known.name == key.get_ref().as_ref())
    };
    let known = names.iter().filter(|(key, _)| is_known(key));
    let is_sound = settings_of(section, known).is_ok_and(|settings| settings.is_ok());
    let mut findings = Vec::new();
    for (key, value) in names {
        let at = key.span().start;
        let key_name = key.get_ref().as_ref();
        let known = keys.iter().find(|key| key.section == name && key.name == key_name);
        if let Some(list) = known.and_then(|key| EntryList::at(&key.path())) {
            findings.extend(list.check(text, value));
            continue;
        }
        let fault = match known {
            Some(_) if is_sound => None,
            Some(known) => check_value(section, key, value, known),
            None => Some(unknown(name, key_name, keys)),
        };
        findings.extend(fault.map(|message| finding(at, message)));
    }
    findings
}

fn unknown(section: &str, name: &str, keys: &[Key]) -> String {
    let of_section: Vec<&str> = keys
        .iter()
        .filter(|key| key.section == section)
        .map(|key| key.name.as_str())
        .collect();
    let elsewhere = keys.iter().find(|key| key.name == name);
    let meant = match elsewhere {
        Some(key) => format!("; it belongs to the section [{}]", key.section),
        None => did_you_mean(name, &of_section),
    };
    format!(
        "unknown key `{section}.{name}`{meant}; [{section}] has {}",
        listed(&of_section)
    )
}

/// The fault in a value, regardless of the other keys.
fn check_value<'i>(section: &Name<'i>, name: &Name<'i>, value: &Assigned<'i>, key: &Key) -> Option<String> {
    let path = key.path();
    match settings_of(section, [(name, value)]) {
        Err(_) if secrets::may_hold(&path) => Some(format!("`{path}` must be {}", secrets::accepted(&path))),
        Err(error) => Some(match (error.message(), choices_of(section, name, key)) {
            ("wanted string or table", Some(choices)) => format!("`{path}` must be {choices}"),
            (message, _) => fault(&path, value.get_ref().is_array(), message),
        }),
        Ok(settings) => {
            let error = settings.err()?;
            (error.key() == path).then(|| error.to_string())
        }
    }
}

/// The names that a key accepts, if it accepts only some.
fn choices_of<'i>(section: &Name<'i>, name: &Name<'i>, key: &Key) -> Option<String> {
    let unknown = Spanned::new(name.span(), DeValue::String("".into()));
    let error = settings_of(section, [(name, &unknown)]).err()?;
    accepted(error.message()).filter(|_| key.default.is_str())
}

/// The settings of a file that has only these keys of the section. The outer error is a value of a wrong type.
fn settings_of<'a, 'i: 'a>(
    section: &Name<'i>,
    keys: impl IntoIterator<Item = (&'a Name<'i>, &'a Assigned<'i>)>,
) -> Result<Result<Settings, InvalidSetting>, toml::de::Error> {
    let keys = keys.into_iter().map(|(name, value)| (name.clone(), value.clone()));
    let keys = Spanned::new(section.span(), DeValue::Table(DeTable::from_iter(keys)));
    let file = Spanned::new(section.span(), DeTable::from_iter([(section.clone(), keys)]));
    let config = Config::deserialize(toml::de::Deserializer::from(file))?;
    Ok(Settings::new(&config))
}

/// The line of a key, or of its section if the key has its default.
fn line_of_key(text: &str, key: &str) -> usize {
    let lines = lines(text);
    let section = key.split('.').next().unwrap_or_default();
    let line = lines.get(key).or_else(|| lines.get(section));
    line.copied().unwrap_or(1)
}

fn did_you_mean(wrong: &str, names: &[&str]) -> String {
    nearest(wrong, names.iter().copied()).map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn listed(names: &[&str]) -> String {
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        check(text).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn the_sample_file_has_no_fault() {
        assert_eq!(found(include_str!("../../../config.toml")), Vec::<String>::new());
        assert_eq!(found(""), Vec::<String>::new());
    }

    #[test]
    fn values_that_are_right_together_are_no_fault() {
        let always = "[refresh]\nmin_interval = \"0s\"\nfirst_interval = \"0s\"\nmax_interval = \"0s\"\n";
        assert_eq!(found(always), Vec::<String>::new());
        let seldom = "[refresh]\nmin_interval = \"90d\"\nfirst_interval = \"91d\"\nmax_interval = \"92d\"\n";
        assert_eq!(found(seldom), Vec::<String>::new());
        assert_eq!(found("[refresh]\nfirst_interval = \"0s\"\n").len(), 1);
    }

    #[test]
    fn every_fault_is_found_at_once() {
        let text = "[scope]\nmax_depht = 3\nmode = \"web\"\nmax_pages = \"ten\"\ndelay_ms = 5\n\n[polite]\nx = 1\n\n\
                    [fetch]\nparallel = 0\n\n[dedup]\nmax_distance = 40\n";
        let found = found(text);
        for (start, part) in [
            (
                "2: unknown key `scope.max_depht`; did you mean `max_depth`?",
                "follow_nofollow",
            ),
            (
                "3: `scope.mode` must be \"host\" or \"subdomains\"; it is the text \"web\"",
                "",
            ),
            (
                "4: `scope.max_pages` must be a whole number, 0 or more; it is the text \"ten\"",
                "",
            ),
            (
                "5: unknown key `scope.delay_ms`; it belongs to the section [politeness]",
                "",
            ),
            ("7: unknown section `polite`", "politeness"),
            ("11: fetch.parallel = 0: ", "at least 1"),
            ("14: dedup.max_distance = 40: ", "64 bits"),
        ] {
            let is_it = |line: &String| line.starts_with(start) && line.contains(part);
            assert!(found.iter().any(is_it), "{start:?} … {part:?} is not in {found:#?}");
        }
        assert_eq!(found.len(), 7, "{found:#?}");
    }

    #[test]
    fn values_that_contradict_each_other_are_found() {
        let found = found("[refresh]\nmax_interval = \"2d\"\nfirst_interval = \"3d\"\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("3: refresh.first_interval = \"3d\""), "{found:?}");
    }

    #[test]
    fn an_error_of_syntax_is_found_with_its_line() {
        let found = found("[scope]\nmax_depth = \n[fetch\nparallel = 3\n");
        assert!(found.iter().any(|line| line.starts_with("2: ")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("3: ")), "{found:?}");
    }

    #[test]
    fn a_key_outside_its_section_and_a_section_without_keys_are_found() {
        let found = found("max_pages = 3\nfetch = 3\n");
        assert_eq!(found[0], "1: `max_pages` belongs to the section [scope]");
        assert!(found[1].starts_with("2: `fetch` is a section"), "{found:?}");
    }

    #[test]
    fn the_faults_of_all_rules_are_found() {
        let text = "[[extract]]\nhost = \"a.example\"\ncontents = [\"p\"]\ndrop = \"aside\"\n\n\
                    [[extract]]\nmatch = '/b/'\n\n[[extract]]\nhost = \"c.example\"\ncontent = [\"p\", \"p >> a\"]\n\n\
                    [[extract]]\nhost = \"d.example\"\ndrop = [\"aside\"]\n";
        let expected = [
            "3: unknown key `extract.contents`; did you mean `content`?; [[extract]] has host, match, content, drop, favor",
            "4: `extract.drop` must be a list in square brackets; it is the text \"aside\"",
            "6: extract[2] = { match = \"/b/\" }: must have content or drop with at least one CSS selector, or favor",
            "11: extract[3].content = \"p >> a\": it is not a CSS selector",
        ];
        let found = found(text);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (line, start) in found.iter().zip(expected) {
            assert!(line.starts_with(start), "{line}");
        }
        for text in ["extract = 3\n", "[extract]\nhost = \"a\"\n", "extract = [3]\n"] {
            let found = check(text);
            assert!(
                found.len() == 1 && found[0].to_string().starts_with("1: `extract` is a list"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn no_finding_shows_a_secret() {
        let text = "[fetch]\nheaders = \"s3cret\"\ncredentials = [{ host = \"a\", pass = \"s3cret\" }]\nproxy = [\"s3cret\"]\n";
        let found = found(text);
        assert!(found.len() == 4 && !found.concat().contains("s3cret"), "{found:?}");
    }

    #[test]
    fn no_message_speaks_of_types() {
        let wrong = [
            "\"a text\"",
            "3",
            "-1",
            "3.5",
            "true",
            "[1]",
            "[\"a\", 2]",
            "{ a = 1 }",
            "1979-05-27",
            "70000",
        ];
        let mut faults = 0;
        for key in keys().iter().filter(|key| !key.name.is_empty()) {
            for value in wrong {
                let found = found(&format!("[{}]\n{} = {value}\n", key.section, key.name));
                for line in &found {
                    for word in [
                        "expected",
                        "invalid type",
                        "invalid value",
                        "usize",
                        "u64",
                        "sequence",
                        "variant",
                        "wanted",
                    ] {
                        assert!(!line.contains(word), "{value}: {line}");
                    }
                    assert!(line.contains(&key.path()), "{value}: {line}");
                    faults += 1;
                }
            }
        }
        assert!(faults > 300, "{faults}");
    }
}
