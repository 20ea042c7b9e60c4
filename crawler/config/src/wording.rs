//! Says in words which values a key accepts, where serde speaks of types.

/// The fault of the value of `key`, from the message of the deserializer. `is_list` tells that the value is a list, so that a fault in
/// one of its entries is told apart from a fault of the whole value.
pub(super) fn fault(key: &str, is_list: bool, message: &str) -> String {
    let Some(mismatch) = Mismatch::of(message) else {
        return format!("`{key}`: {}", in_one_line(message));
    };
    let is_entry = is_list && mismatch.found.as_deref() != Some("a list");
    let subject = if is_entry { "each entry of " } else { "" };
    let pronoun = if is_entry { "one entry" } else { "it" };
    let found = mismatch
        .found
        .map_or(String::new(), |found| format!("; {pronoun} is {found}"));
    format!("{subject}`{key}` must be {}{found}", mismatch.accepted)
}

/// What a value must be and what it is, from the message of the deserializer.
pub(super) fn must_be(message: &str) -> Option<String> {
    let mismatch = Mismatch::of(message)?;
    let found = mismatch.found.map_or(String::new(), |found| format!("; it is {found}"));
    Some(format!("must be {}{found}", mismatch.accepted))
}

/// The values that are accepted instead, from the message of the deserializer.
pub(super) fn accepted(message: &str) -> Option<String> {
    Mismatch::of(message).map(|mismatch| mismatch.accepted)
}

pub(super) fn in_one_line(message: &str) -> String {
    message.trim_end().replace('\n', " ")
}

/// A value that its key does not accept.
struct Mismatch {
    /// What the key accepts.
    accepted: String,
    /// What it got; `None` if the message does not say it.
    found: Option<String>,
}

impl Mismatch {
    fn of(message: &str) -> Option<Self> {
        let message = in_one_line(message);
        // The deserializer's words for an entry of a list of choices.
        if let Some(expected) = message.strip_prefix("wanted ") {
            return Some(Self {
                accepted: in_words(expected),
                found: None,
            });
        }
        let (fault, expected) = message.rsplit_once(", expected ")?;
        if let Some(variant) = fault.strip_prefix("unknown variant ") {
            return Some(Self {
                accepted: choices(expected),
                found: Some(format!("the text \"{}\"", variant.trim_matches('`'))),
            });
        }
        let found = fault
            .strip_prefix("invalid type: ")
            .or_else(|| fault.strip_prefix("invalid value: "))?;
        Some(Self {
            accepted: in_words(expected),
            found: Some(value(found)),
        })
    }
}

/// The accepted values by the name of their type.
fn in_words(expected: &str) -> String {
    let words = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "path string" | "string" | "str" | "string or table" => "a text in quotes",
        "a sequence" => "a list in square brackets",
        "a map" => "a section",
        other if other.starts_with("struct ") => "a section",
        other => other,
    };
    words.to_owned()
}

/// A value as the deserializer shows it.
fn value(shown: &str) -> String {
    if let Some(text) = shown.strip_prefix("string ") {
        return format!("the text {text}");
    }
    for kind in ["integer", "floating point"] {
        if let Some(number) = shown.strip_prefix(kind) {
            return format!("the number {}", number.trim().trim_matches('`'));
        }
    }
    match shown {
        "sequence" => "a list".to_owned(),
        "map" => "a section or a time".to_owned(),
        other => other.trim_start_matches("boolean ").trim_matches('`').to_owned(),
    }
}

/// The names in `one of `a`, `b`` or in `` `a` or `b` ``, as texts of a file.
fn choices(expected: &str) -> String {
    let names: Vec<String> = expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|name| format!("\"{name}\""))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_words() {
        for (message, words) in [
            (
                "invalid type: string \"x\", expected usize",
                "`a.b` must be a whole number, 0 or more; it is the text \"x\"",
            ),
            (
                "invalid type: string \"x, expected y\", expected u16",
                "`a.b` must be a whole number from 0 to 65535; it is the text \"x, expected y\"",
            ),
            (
                "invalid value: integer `-1`, expected u64",
                "`a.b` must be a whole number, 0 or more; it is the number -1",
            ),
            (
                "invalid type: floating point `3.5`, expected a boolean",
                "`a.b` must be true or false; it is the number 3.5",
            ),
            (
                "invalid type: boolean `true`, expected a string",
                "`a.b` must be a text in quotes; it is true",
            ),
            (
                "unknown variant `web`, expected `host` or `subdomains`",
                "`a.b` must be \"host\" or \"subdomains\"; it is the text \"web\"",
            ),
            (
                "unknown variant `x`, expected one of `a`, `b`, `c`",
                "`a.b` must be \"a\", \"b\" or \"c\"; it is the text \"x\"",
            ),
        ] {
            assert_eq!(fault("a.b", false, message), words);
        }
        assert_eq!(
            fault("a.b", true, "invalid type: integer `3`, expected a string"),
            "each entry of `a.b` must be a text in quotes; one entry is the number 3"
        );
    }

    #[test]
    fn what_is_not_about_types_stays_as_it_is() {
        assert_eq!(fault("a.b", false, "too\nlong\n"), "`a.b`: too long");
    }
}
