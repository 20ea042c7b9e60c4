//! The names of the fields that a record has, for the one who named a field that it lacks.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Most names in a message.
const MAX_NAMES: usize = 20;

/// Most characters of a name in a message.
const MAX_NAME_CHARS: usize = 40;

/// What other programs call the text of a document, in the order of preference.
const TEXTS: [&str; 11] = [
    "text",
    "content",
    "raw_content",
    "page_content",
    "body",
    "markdown",
    "document",
    "article",
    "passage",
    "sentence",
    "message",
];

/// Names of fields in their order; those within an object have the name of the object and a dot in front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FieldNames {
    names: Vec<String>,
    /// Those that hold a list of objects, which may be the records.
    lists: Vec<String>,
}

impl FieldNames {
    /// Of a table, whose columns have these names.
    pub fn of_columns(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            names: names.into_iter().collect(),
            lists: Vec::new(),
        }
    }
}

/// The fields of a JSON object, and of the objects in it.
pub(super) fn of_json(object: &str) -> FieldNames {
    type Object<'a> = BTreeMap<String, &'a RawValue>;
    let mut found = FieldNames::default();
    for (name, value) in serde_json::from_str::<Object<'_>>(object).unwrap_or_default() {
        if value.get().starts_with('{') {
            let inner = serde_json::from_str::<Object<'_>>(value.get()).unwrap_or_default();
            found
                .names
                .extend(inner.into_keys().map(|inner| format!("{name}.{inner}")));
            continue;
        }
        let list = value.get().strip_prefix('[');
        if list.is_some_and(|list| list.trim_ascii_start().starts_with('{')) {
            found.lists.push(name.clone());
        }
        found.names.push(name);
    }
    found
}

/// Why a record with these fields is no document: it lacks the field `wanted`.
pub(super) fn lacking(wanted: &str, found: &FieldNames) -> String {
    let mut reason = format!("it has no field {wanted:?}");
    if found.names.is_empty() {
        return reason + ", and no other field";
    }
    let shown = found.names.iter().take(MAX_NAMES).map(|name| quoted(name));
    reason += &format!("; it has {}", shown.collect::<Vec<_>>().join(", "));
    match found.names.len().saturating_sub(MAX_NAMES) {
        0 => {}
        more => reason += &format!(" and {more} more"),
    }
    if let Some(meant) = meant(wanted, &found.names) {
        reason += &format!("; did you mean --text-field {}?", shortened(meant));
    } else if let [list, ..] = &found.lists[..] {
        let list = quoted(list);
        reason += &format!("; if its records are in {list}, write them one on each line: jq -c '.[{list}][]' FILE");
    }
    reason
}

/// The field that was probably meant: one with a similar name, or with the name of a text.
fn meant<'n>(wanted: &str, names: &'n [String]) -> Option<&'n str> {
    fn last(name: &str) -> &str {
        name.rsplit('.').next().unwrap_or(name)
    }
    let names = || names.iter().map(String::as_str);
    let similar = || config::nearest(wanted, names());
    let of_a_text = || {
        let is_text = |text: &&str| names().find(|name| last(name).eq_ignore_ascii_case(text));
        TEXTS.iter().find_map(is_text)
    };
    let same = names().find(|name| name.eq_ignore_ascii_case(wanted) || last(name).eq_ignore_ascii_case(wanted));
    // Nobody has typed the default.
    let is_typed = wanted != TEXTS[0];
    same.or_else(|| if is_typed { similar() } else { of_a_text() })
        .or_else(|| if is_typed { of_a_text() } else { similar() })
}

fn quoted(name: &str) -> String {
    format!("{:?}", shortened(name))
}

fn shortened(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_field_is_named_with_those_that_exist() {
        for (wanted, object, reason) in [
            ("text", r#"{}"#, r#"it has no field "text", and no other field"#),
            (
                "text",
                r#"{"id":1,"url":"u"}"#,
                r#"it has no field "text"; it has "id", "url""#,
            ),
            (
                "txet",
                r#"{"id":1,"text":"u"}"#,
                r#"it has no field "txet"; it has "id", "text"; did you mean --text-field text?"#,
            ),
            (
                "text",
                r#"{"id":1,"meta":{"lang":"en","Text":"t"}}"#,
                r#"it has no field "text"; it has "id", "meta.Text", "meta.lang"; did you mean --text-field meta.Text?"#,
            ),
            (
                "text",
                r#"{"id":1,"raw_content":"t"}"#,
                r#"it has no field "text"; it has "id", "raw_content"; did you mean --text-field raw_content?"#,
            ),
            (
                "text",
                r#"{"rows":[{"text":"t"}]}"#,
                "it has no field \"text\"; it has \"rows\"; if its records are in \"rows\", write them one on each line: \
                 jq -c '.[\"rows\"][]' FILE",
            ),
        ] {
            assert_eq!(lacking(wanted, &of_json(object)), reason);
        }
        let many = FieldNames::of_columns((0..100_000).map(|n| format!("{n}{}", "x".repeat(1_000))));
        let reason = lacking("text", &many);
        assert!(reason.ends_with(" and 99980 more") && reason.len() < 2_000, "{reason}");
    }
}
