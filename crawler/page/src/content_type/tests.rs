use encoding_rs::Encoding;
use serde_json::Value;

use super::*;

/// (fields, media type, charset): what browsers take from fields that servers send, by the standards named above.
const FIELDS: &[(&[&str], Option<&str>, Option<&str>)] = &[
    (&["text/html"], Some("text/html"), None),
    (&["Text/HTML; a=b; Charset=\"gbk\""], Some("text/html"), Some("gbk")),
    (&[" text/html ;charset=gbk "], Some("text/html"), Some("gbk")),
    (&["text/html;"], Some("text/html"), None),
    (&["text/html;charset"], Some("text/html"), None),
    (&["text/html;charset=x;charset=y"], Some("text/html"), Some("x")),
    (&["text/html;charset=\"a\\\"b\""], Some("text/html"), Some("a\"b")),
    // Lists, in one field or in several.
    (&["text/html, text/html"], Some("text/html"), None),
    (&["text/html;charset=gbk, text/html"], Some("text/html"), Some("gbk")),
    (&["text/html;charset=gbk", "text/html"], Some("text/html"), Some("gbk")),
    (
        &["text/html;charset=gbk,text/html;charset=x"],
        Some("text/html"),
        Some("x"),
    ),
    (&["text/html;charset=gbk, text/plain"], Some("text/plain"), None),
    (
        &["text/html;charset=gbk, text/plain, text/html"],
        Some("text/html"),
        None,
    ),
    (&["text/html, */*"], Some("text/html"), None),
    (&["text/html, html"], Some("text/html"), None),
    (&["text/html;charset=gbk", "x", ""], Some("text/html"), Some("gbk")),
    (&["text/plain", "text/html"], Some("text/html"), None),
    (&["text/html;x=\", text/plain;\", text/html"], Some("text/html"), None),
    // Nothing is declared.
    (&[], None, None),
    (&[""], None, None),
    (&["*/*"], None, None),
    (&["*/*;charset=gbk"], None, Some("gbk")),
    (&["unknown/unknown"], None, None),
    (&["Application/Unknown; charset=gbk"], None, Some("gbk")),
    // Malformed.
    (&["; charset=x"], None, Some("x")),
    (&["html"], None, None),
    (&["text"], None, None),
    (&["text/"], None, None),
    (&["/html"], None, None),
    (&["text /html"], None, None),
    (&["text/html charset=gbk"], None, None),
    (&["text/html/x"], None, None),
    (&["\"text/html\""], None, None),
    (&["(null); charset=gbk"], None, Some("gbk")),
];

#[test]
fn fields_are_read_as_browsers_read_them() {
    for (fields, media, encoding) in FIELDS {
        let headers: HeaderMap = fields
            .iter()
            .map(|value| (CONTENT_TYPE, value.parse().unwrap()))
            .collect();
        let field = field(&headers);
        let found = (
            field.as_deref().and_then(media_type),
            field.as_deref().and_then(charset),
        );
        assert_eq!(
            (found.0.as_deref(), found.1.as_deref()),
            (*media, *encoding),
            "{fields:?}"
        );
    }
}

#[test]
fn bytes_beyond_ascii_do_not_hide_the_type() {
    let value = http::HeaderValue::from_bytes(b"text/html; name=caf\xe9; charset=gbk").unwrap();
    let field = field(&HeaderMap::from_iter([(CONTENT_TYPE, value)])).unwrap();
    assert_eq!(media_type(&field).as_deref(), Some("text/html"));
    assert_eq!(charset(&field).as_deref(), Some("gbk"));
}

#[test]
fn types_of_xml_are_told_by_their_names() {
    for (name, expected) in [
        ("text/xml", true),
        ("application/xml", true),
        ("application/xhtml+xml", true),
        ("application/vnd.x+xml", true),
        ("text/html", false),
        ("application/xml-dtd", false),
        ("text/xmlx", false),
    ] {
        assert_eq!(is_xml(name), expected, "{name}");
    }
}

/// The cases of web-platform-tests, `mimesniff/mime-types/resources`.
const CASES: [&str; 2] = [
    include_str!("../../tests/data/wpt/mime-types.json"),
    include_str!("../../tests/data/wpt/generated-mime-types.json"),
];

/// Cases of web-platform-tests that passed, with a line for each other one.
fn platform_cases() -> (usize, Vec<String>) {
    let (mut passed, mut failed) = (0, Vec::new());
    for case in CASES
        .iter()
        .flat_map(|cases| serde_json::from_str::<Vec<Value>>(cases).unwrap())
    {
        let Some(input) = case.get("input").and_then(Value::as_str) else {
            continue;
        };
        let parsed = MediaType::parse(input);
        let is_serialized = parsed.as_ref().map(ToString::to_string).as_deref() == case["output"].as_str();
        // Those with an encoding are about the page in a frame, which knows no label that the Encoding standard does not know.
        let label = parsed.as_ref().and_then(|parsed| parsed.parameter("charset"));
        let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        let is_decoded = case
            .get("encoding")
            .is_none_or(|expected| encoding.map(Encoding::name) == expected.as_str());
        if is_serialized && is_decoded {
            passed += 1;
        } else {
            failed.push(format!("{input:?}: {parsed:?}"));
        }
    }
    (passed, failed)
}

#[test]
fn the_cases_of_web_platform_tests_are_parsed_as_they_say() {
    let (passed, failed) = platform_cases();
    assert!(failed.is_empty(), "{passed} passed\n{}", failed.join("\n"));
    let documented = include_str!("../../../../docs/src/standards.md");
    let row = format!("| `mimesniff/mime-types`: parsing and serializing of media types, charsets | {passed} | 0 |");
    assert!(documented.contains(&row), "docs/src/standards.md should have\n{row}");
}
