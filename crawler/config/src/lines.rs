//! Where the keys of a `config.toml` stand.

use std::collections::BTreeMap;

use toml::de::DeTable;

/// The line of the byte offset `at`, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|&&b| b == b'\n').count()
}

/// The line of each section and key, counted from 1, such as `scope`, `scope.max_pages`, `extract`, `extract[2]` and
/// `extract[2].content`.
pub(super) fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    let (document, _errors) = DeTable::parse_recoverable(text);
    for (section, value) in document.get_ref() {
        let name = section.get_ref();
        lines.insert(name.to_string(), line_of(text, section.span().start));
        lines.extend(lines_of_keys(text, name, value.get_ref().as_table()));
        for (index, entry) in value.get_ref().as_array().into_iter().flatten().enumerate() {
            let name = format!("{name}[{}]", index + 1);
            lines.insert(name.clone(), line_of(text, entry.span().start));
            lines.extend(lines_of_keys(text, &name, entry.get_ref().as_table()));
        }
    }
    lines
}

fn lines_of_keys<'a>(
    text: &'a str,
    table: &'a str,
    keys: Option<&'a DeTable<'_>>,
) -> impl Iterator<Item = (String, usize)> + 'a {
    let keys = keys.into_iter().flatten();
    keys.map(move |(key, _)| (format!("{table}.{}", key.get_ref()), line_of(text, key.span().start)))
}
