//! A line that is nearly JSON, as JSON of the same meaning.

/// Writes `line` as strict JSON into `into`. Returns whether this changes anything; if not, the line is no JSON for another reason.
pub(super) fn repair(line: &[u8], into: &mut String) -> bool {
    into.clear();
    let Some((text, mut is_changed)) = without_surrogates(line) else {
        return false;
    };
    let mut rest = &text[..];
    let mut is_string = false;
    while let Some(c) = rest.chars().next() {
        let (taken, written) = if is_string {
            in_string(rest, c)
        } else {
            outside(rest, c)
        };
        is_string ^= c == '"';
        is_changed |= written.is_some();
        into.push_str(written.as_deref().unwrap_or(&rest[..taken]));
        rest = &rest[taken..];
    }
    is_changed
}

/// The line as UTF-8 with U+FFFD for surrogates, and whether it had any; `None` if it has other bytes that are not UTF-8.
fn without_surrogates(line: &[u8]) -> Option<(String, bool)> {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        match std::str::from_utf8(rest) {
            Ok(last) => {
                text.push_str(last);
                return Some((text, rest.len() < line.len()));
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                text.push_str(std::str::from_utf8(valid).ok()?);
                rest = match after {
                    [0xed, 0xa0..=0xbf, 0x80..=0xbf, after @ ..] => after,
                    _ => return None,
                };
                text.push('\u{fffd}');
            }
        }
    }
}

/// Bytes of the next piece of a string, and what is written instead of it if it is not strict.
fn in_string(rest: &str, c: char) -> (usize, Option<String>) {
    match c {
        '\\' => match escaped_unit(rest) {
            Some(0xd800..=0xdbff) => match escaped_unit(&rest[6..]) {
                Some(0xdc00..=0xdfff) => (12, None),
                _ => (6, Some("\\ufffd".into())),
            },
            Some(0xdc00..=0xdfff) => (6, Some("\\ufffd".into())),
            _ => {
                let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                (1 + escaped, None)
            }
        },
        '\0'..='\u{1f}' => (1, Some(format!("\\u{:04x}", c as u32))),
        c => (c.len_utf8(), None),
    }
}

/// The number in `\u` and four digits at the start of `rest`.
fn escaped_unit(rest: &str) -> Option<u16> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

fn outside(rest: &str, c: char) -> (usize, Option<String>) {
    const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
    let found = NO_NUMBERS.iter().find(|name| {
        let after = rest.strip_prefix(**name).map(|after| after.chars().next());
        after.is_some_and(|next| next.is_none_or(|next| !next.is_ascii_alphanumeric()))
    });
    match found {
        Some(name) => (name.len(), Some("null".into())),
        None => (c.len_utf8(), None),
    }
}
