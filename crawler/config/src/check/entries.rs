//! Lists of sections, such as `[[extract]]`: the faults of each entry and of each of its keys.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::{Assigned, Finding, Name, did_you_mean, line_of_key, listed};
use crate::lines::line_of;
use crate::secrets;
use crate::sections::{CredentialsEntry, ExtractEntry, HostEntry, LoginEntry};
use crate::settings::{InvalidSetting, extract_rule, host_entry, login_entry};
use crate::wording::fault;

/// A list of sections.
pub(super) struct EntryList {
    /// Its key, such as `fetch.credentials`.
    key: &'static str,
    /// The keys of an entry.
    keys: &'static [&'static str],
    /// The keys that an entry must have; all of them are texts.
    required: &'static [&'static str],
    /// The fault of the types of an entry.
    types: fn(Entry<'_>) -> Option<Error>,
    /// The fault of the values of an entry with this index, if it is known without the other sections.
    values: fn(usize, Entry<'_>) -> Option<InvalidSetting>,
}

type Entry<'i> = Spanned<DeTable<'i>>;

const LISTS: [EntryList; 4] = [
    EntryList {
        key: "extract",
        keys: &["host", "match", "content", "drop", "favor"],
        required: &[],
        types: |entry| read::<ExtractEntry>(entry).err(),
        values: |index, entry| extract_rule(index, &read(entry).ok()?).err(),
    },
    EntryList {
        key: "fetch.credentials",
        keys: &["host", "user", "password", "password_env"],
        required: &["host", "user"],
        types: |entry| read::<CredentialsEntry>(entry).err(),
        // Passwords come from the environment, so this waits until the file has no fault.
        values: |_, _| None,
    },
    EntryList {
        key: "fetch.login",
        keys: &["url", "fields", "success", "lapsed", "origins"],
        required: &["url", "success"],
        types: |entry| read::<LoginEntry>(entry).err(),
        values: |index, entry| login_entry(index, &read(entry).ok()?).err(),
    },
    EntryList {
        key: "host",
        keys: &["host", "delay_ms", "parallel", "headers", "include", "exclude"],
        required: &["host"],
        types: |entry| read::<HostEntry>(entry).err(),
        values: |index, entry| host_entry(index, &read(entry).ok()?).err(),
    },
];

fn read<T: DeserializeOwned>(entry: Entry<'_>) -> Result<T, Error> {
    T::deserialize(toml::de::Deserializer::from(entry))
}

impl EntryList {
    /// The list with this key.
    pub(super) fn at(key: &str) -> Option<&'static Self> {
        const { &LISTS }.iter().find(|list| list.key == key)
    }

    /// The faults of a list.
    pub(super) fn check(&self, text: &str, value: &Assigned<'_>) -> Vec<Finding> {
        let key = self.key;
        let no_list = |at: &std::ops::Range<usize>| Finding {
            line: line_of(text, at.start),
            message: format!("`{key}` is a list of sections: write [[{key}]] and the keys of an entry below"),
        };
        let Some(entries) = value.get_ref().as_array() else {
            return vec![no_list(&value.span())];
        };
        let mut findings = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match entry.get_ref().as_table() {
                Some(keys) => findings.extend(self.check_entry(text, index, &entry.span(), keys)),
                None => findings.push(no_list(&entry.span())),
            }
        }
        findings
    }

    fn check_entry(&self, text: &str, index: usize, at: &std::ops::Range<usize>, keys: &DeTable<'_>) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for (name, value) in keys {
            findings.extend(self.fault_of(name, value).map(|message| Finding {
                line: line_of(text, name.span().start),
                message,
            }));
        }
        let missing: Vec<&str> = self
            .required
            .iter()
            .copied()
            .filter(|name| !keys.keys().any(|key| key.get_ref() == name))
            .collect();
        if !missing.is_empty() {
            findings.push(Finding {
                line: line_of(text, at.start),
                message: format!("an entry of [[{}]] must have {}", self.key, missing.join(" and ")),
            });
        }
        if findings.is_empty() {
            let entry = Spanned::new(at.clone(), keys.clone());
            findings.extend((self.values)(index, entry).map(|error| Finding {
                line: line_of_key(text, error.key()),
                message: error.to_string(),
            }));
        }
        findings
    }

    /// The fault of one key of an entry, regardless of the other keys.
    fn fault_of<'i>(&self, name: &Name<'i>, value: &Assigned<'i>) -> Option<String> {
        let (key, name_text) = (self.key, name.get_ref().as_ref());
        if !self.keys.contains(&name_text) {
            let meant = did_you_mean(name_text, self.keys);
            let known = listed(self.keys);
            return Some(format!("unknown key `{key}.{name_text}`{meant}; [[{key}]] has {known}"));
        }
        let filled = self.required.iter().map(|required| {
            let text = DeValue::String("".into());
            (
                Spanned::new(name.span(), (*required).into()),
                Spanned::new(name.span(), text),
            )
        });
        let entry: DeTable<'_> = filled.chain([(name.clone(), value.clone())]).collect();
        let error = (self.types)(Spanned::new(name.span(), entry))?;
        let path = format!("{key}.{name_text}");
        Some(if secrets::may_hold(&path) {
            format!("`{path}` must be {}", secrets::accepted(&path))
        } else {
            fault(&path, value.get_ref().is_array(), error.message())
        })
    }
}
