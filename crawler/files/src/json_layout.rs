//! How records of JSON are laid out in lines.

/// `record` on one line: without the white space between its parts, if it has several lines.
pub(super) fn on_one_line(record: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if memchr::memchr2(b'\n', b'\r', record).is_none() {
        return record.into();
    }
    let mut line = Vec::with_capacity(record.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for &byte in record {
        if is_string || !byte.is_ascii_whitespace() {
            line.push(byte);
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            _ => {}
        }
    }
    line.into()
}

/// Whether JSON that begins with `start` has one object on each line; otherwise `json_values` must cut it into its records. `start` may end
/// anywhere.
pub(super) fn has_a_record_on_each_line(start: &[u8]) -> bool {
    let Some((first, rest)) = start.split_first() else {
        return true;
    };
    if *first != b'{' {
        return false;
    }
    let (mut depth, mut is_string, mut is_escaped, mut last) = (1_u32, false, false, *first);
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            // JSON has no line end in a string: the line is cut, and a matter of its own.
            b'\n' if is_string => return true,
            _ if is_string => {}
            b'\n' => {
                let next = rest[at..].trim_ascii_start().first();
                let goes_on = match last {
                    b'{' | b',' => next.is_none_or(|next| matches!(next, b'"' | b'}')),
                    b'[' | b':' => true,
                    _ => next.is_some_and(|next| matches!(next, b'}' | b']' | b',' | b':')),
                };
                return !goes_on;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            // What follows on the same line would be lost.
            let after = rest[at + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
            return after.is_none_or(|after| *after == b'\n');
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_told_by_the_first_record() {
        for (start, is_lines) in [
            ("{\"a\":1}\n{\"b\":2}", true),
            ("{\"a\":1}", true),
            ("{\"a\":\"x", true),
            ("{\"a\":{\"b\":[1,{}]}} \r\n", true),
            ("", true),
            // Lines that are cut are lines.
            ("{\"a\":\"x\n{\"b\":2}", true),
            ("{\"a\":1\n{\"b\":2}", true),
            ("{\"a\":1,\n{\"b\":2}", true),
            ("{\n \"a\": 1\n}", false),
            ("{", true),
            ("{\n", false),
            ("{\"a\":1,\n\"b\":2}", false),
            ("{\"a\":\n1}", false),
            ("{\"a\":[\n1]}", false),
            ("{\"a\":1}{\"b\":2}", false),
            ("{\"a\":1}, {\"b\":2}", false),
            ("[{\"a\":1}]", false),
        ] {
            assert_eq!(has_a_record_on_each_line(start.as_bytes()), is_lines, "{start}");
        }
    }

    #[test]
    fn a_record_of_several_lines_becomes_one_line() {
        let shown = |record: &str| String::from_utf8(on_one_line(record.as_bytes()).into_owned()).unwrap();
        assert_eq!(shown("{ \"a\": 1 }"), "{ \"a\": 1 }");
        assert_eq!(
            shown("{\r\n  \"a b\": \" \\\" \\\\\",\n\t\"c\": [ 1 ]\n}"),
            "{\"a b\":\" \\\" \\\\\",\"c\":[1]}"
        );
    }
}
