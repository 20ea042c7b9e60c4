use super::*;

fn read(line: &str) -> Result<(Option<String>, String), String> {
    let mut scratch = Scratch {
        unescaped: "left from before".into(),
        repaired: "this too".into(),
    };
    let line = JsonLine::read(line.as_bytes(), &Fields::default(), &mut scratch).map_err(|refusal| refusal.reason)?;
    Ok((line.id.map(str::to_owned), line.text.to_owned()))
}

#[test]
fn an_id_keeps_its_spelling() {
    for id in [
        "\"a\"",
        "\"\\u4e2d \\\"q\\\"\"",
        "1",
        "-1.50",
        "1e400",
        "123456789012345678901234567890",
    ] {
        let read = read(&format!("{{\"id\": {id}, \"text\": \"t\"}}")).unwrap();
        assert_eq!(read.0.as_deref(), Some(id));
    }
    for none in ["{\"text\": \"t\"}", "{\"id\": null, \"text\": \"t\"}"] {
        assert_eq!(read(none).unwrap().0, None);
    }
}

#[test]
fn a_text_is_unescaped_and_the_last_of_two_counts() {
    assert_eq!(read(r#"{"text": "a\n\u4e2d\ud83d\ude00"}"#).unwrap().1, "a\n中😀");
    assert_eq!(read(r#"{"text": "a\n", "text": "plain"}"#).unwrap().1, "plain");
    assert_eq!(
        read(r#"{"text": "plain", "te\u0078t": "b\n", "x": [{"text": "inner"}]}"#)
            .unwrap()
            .1,
        "b\n"
    );
    assert_eq!(read("{\"text\": \"\"}\r").unwrap().1, "");
}

#[test]
fn json_that_programs_write_is_read() {
    for (line, text) in [
        (r#"{"text": "a\ud83d"}"#, "a\u{fffd}"),
        (r#"{"text": "\ude00b"}"#, "\u{fffd}b"),
        (r#"{"text": "\ud83d\u0041"}"#, "\u{fffd}A"),
        (r#"{"text": "\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
        (r#"{"text": "\\ud800"}"#, "\\ud800"),
        (r#"{"title": "\uD800", "te\u0078t": "t"}"#, "t"),
        (r#"{"text": "t", "x": NaN, "y": [Infinity, -Infinity]}"#, "t"),
        (r#"{"x": NaN, "text": "NaN is -Infinity\n"}"#, "NaN is -Infinity\n"),
        ("{\"text\": \"a\tb\u{1}\"}", "a\tb\u{1}"),
        (
            r#"{"text": "t", "x": 1e999999999999, "y": 123456789012345678901234567890}"#,
            "t",
        ),
        (r#"{"text": "t", "x": 1, "x": 2, "x\ud800": "\ud800"}"#, "t"),
    ] {
        assert_eq!(read(line).map(|read| read.1).as_deref(), Ok(text), "{line}");
    }
    let mut scratch = Scratch::default();
    // Python writes lone surrogates to a file so if it is told to ("surrogatepass").
    let bytes = JsonLine::read(b"{\"text\": \"a\xed\xa0\x80b\"}", &Fields::default(), &mut scratch).unwrap();
    assert_eq!(bytes.text, "a\u{fffd}b");
    let id = read(r#"{"id": "\ud800", "text": "t"}"#).unwrap().0;
    assert_eq!(id.as_deref(), Some(r#""\ud800""#));
}

#[test]
fn one_field_may_have_two_roles() {
    let fields = Fields {
        id: "url".into(),
        text: "title".into(),
        ..Fields::default()
    };
    let mut scratch = Scratch::default();
    let line = br#"{"url": "http:\/\/h/", "title": "T\n", "text": 5}"#;
    let read = JsonLine::read(line, &fields, &mut scratch).unwrap();
    assert_eq!(read.id, Some(r#""http:\/\/h/""#));
    assert_eq!(
        (read.url.as_deref(), read.title.as_deref(), read.text),
        (Some("http://h/"), Some("T\n"), "T\n")
    );
}

#[test]
fn a_name_with_dots_is_a_field_of_an_object_unless_a_key_has_the_dots() {
    let fields = Fields {
        id: "meta.id".into(),
        text: "a.b.text".into(),
        ..Fields::default()
    };
    for (line, id, text) in [
        (
            r#"{"a":{"b":{"text":"in\n"}},"meta":{"id":7}}"#,
            Some("7"),
            Some("in\n"),
        ),
        (r#"{"a.b.text":"out","a":{"b":{"text":"in"}}}"#, None, Some("out")),
        (r#"{"a":{"b.text":"mid","b":{"text":"in"}}}"#, None, Some("mid")),
        (r#"{"a":{"b":{"text":"1"}},"a":{"b":{"text":"2"}}}"#, None, Some("2")),
        (r#"{"a":[{"b":{"text":"in"}}],"meta":5}"#, None, None),
        (r#"{"a":{"b":"text"}}"#, None, None),
        (r#"{"a":{"x":NaN,"b":{"text":"in"}}}"#, None, Some("in")),
    ] {
        let mut scratch = Scratch::default();
        let read = JsonLine::read(line.as_bytes(), &fields, &mut scratch);
        match text {
            Some(text) => {
                let read = read.unwrap();
                assert_eq!((read.id, read.text), (id, text), "{line}");
            }
            None => assert!(read.unwrap_err().lacks_text, "{line}"),
        }
    }
}

#[test]
fn a_line_that_is_not_a_document_has_a_reason() {
    for (line, reason) in [
        ("", "EOF"),
        ("plain words", "expected"),
        ("[1]", "a JSON object"),
        ("{\"text\": \"t\"} {}", "trailing characters at column 15"),
        ("{\"text\": \"t\"", "EOF"),
        ("{\"id\": 1}", "no field \"text\""),
        ("{\"text\": 5}", "expected a string as the document's text"),
        ("{\"text\": null}", "its text is null"),
        ("{\"id\": [1], \"text\": \"t\"}", "neither a string nor a number"),
        ("{\"text\": \"\\ud80\"}", "escape"),
        ("{\"text\": \"\\x41\"}", "escape"),
        ("{\"text\": \"t\",}", "trailing comma"),
        ("{\"text\": \"t\", \"x\": nan}", "expected"),
        ("{\"text\": \"t\", \"x\": -NaN}", "invalid number"),
        ("{\"text\": NaN}", "its text is null"),
        ("{'text': 't'}", "key must be a string"),
    ] {
        let error = read(line).unwrap_err();
        assert!(error.contains(reason), "{line}: {error}");
    }
    let error = JsonLine::read(b"{\"text\": \"\xff\"}", &Fields::default(), &mut Scratch::default()).unwrap_err();
    assert!(error.reason.contains("not UTF-8"), "{error:?}");
    assert!(read(&"[".repeat(100_000)).is_err() && read(&format!("{{\"x\":{}", "[".repeat(100_000))).is_err());
}
