//! Fields that a run adds to a record.

use std::io::Write;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use files::json_string;

/// Appends a record, which is a JSON object, as a line with the fields `names` at its end, which `fields` appends without braces. Fields of the
/// same names, as a record has them that was annotated before, make way. All others stay byte for byte.
pub(super) fn write(record: &[u8], names: &[&str], fields: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    let record = record.trim_ascii();
    let has = |name: &&str| memchr::memmem::find(record, &quoted(name)).is_some();
    let others = || without(names, record).or_else(|| without_end(names, record));
    let others = names.iter().any(has).then(others).flatten();
    let record = others.as_deref().unwrap_or(record);
    let before = record.strip_suffix(b"}").unwrap_or(record).trim_ascii_end();
    out.extend_from_slice(before);
    if !before.ends_with(b"{") {
        out.push(b',');
    }
    fields(out);
    out.extend_from_slice(b"}\n");
}

fn quoted(name: &str) -> Vec<u8> {
    [b"\"", name.as_bytes(), b"\""].concat()
}

/// A record without the fields of these names; `None` if it is JSON that only a lenient reader takes.
fn without(names: &[&str], record: &[u8]) -> Option<Vec<u8>> {
    struct Others<'a>(&'a [&'a str]);
    impl<'de> Visitor<'de> for Others<'_> {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<u8>, A::Error> {
            let mut others = b"{".to_vec();
            while let Some(key) = map.next_key::<String>()? {
                if self.0.contains(&key.as_str()) {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                let value: &RawValue = map.next_value()?;
                let comma = if others.len() > 1 { "," } else { "" };
                // A vector takes everything.
                write!(others, "{comma}{}:{value}", json_string(&key)).ok();
            }
            others.push(b'}');
            Ok(others)
        }
    }
    let mut json = serde_json::Deserializer::from_slice(record);
    let others = json.deserialize_map(Others(names)).ok()?;
    json.end().ok().map(|()| others)
}

/// A record that only a lenient reader takes, without the fields that an earlier run has put at its end; `None` if it has none there.
fn without_end(names: &[&str], record: &[u8]) -> Option<Vec<u8>> {
    let first = [quoted(names.first()?), b":".to_vec()].concat();
    let at = memchr::memmem::rfind(record, &first)?;
    let end = [b"{", &record[at..]].concat();
    if without(names, &end)? != b"{}" {
        return None;
    }
    let before = record[..at].trim_ascii_end();
    Some([before.strip_suffix(b",").unwrap_or(before), b"}"].concat())
}
