//! The cases of html5lib-tests for encodings.

use encoding_rs::Encoding;

use super::*;

const FILES: [&[u8]; 3] = [
    include_bytes!("../../tests/data/html5lib/tests1.dat"),
    include_bytes!("../../tests/data/html5lib/tests2.dat"),
    include_bytes!("../../tests/data/html5lib/test-yahoo-jp.dat"),
];

/// The cases that this crate reads in another way, by their number.
const DEVIATIONS: &[usize] = &[
    // ASCII with a declaration behind the prescan: it is the same text in all encodings.
    47, 48, 49, 50, 51, 52, //
    // UTF-8 with an old declaration of EUC-JP.
    81,
];

/// The body and the name of the encoding of each case.
fn cases() -> Vec<(Vec<u8>, String)> {
    let mut cases: Vec<(Vec<u8>, String)> = Vec::new();
    for file in FILES {
        let mut part = None;
        for line in file.split_inclusive(|byte| *byte == b'\n') {
            match line.trim_ascii_end() {
                b"#data" => {
                    cases.push((Vec::new(), String::new()));
                    part = Some(true);
                }
                b"#encoding" => part = Some(false),
                text => match (part, cases.last_mut()) {
                    (Some(true), Some(case)) => case.0.extend(line),
                    (Some(false), Some(case)) => case.1.push_str(&String::from_utf8_lossy(text)),
                    _ => {}
                },
            }
        }
    }
    for (body, _) in &mut cases {
        body.truncate(body.trim_ascii_end().len().max(body.len().saturating_sub(1)));
    }
    cases
}

#[test]
fn the_encoding_cases_of_html5lib_have_the_encoding_that_they_say() {
    let (mut passed, mut deviations, mut wrong) = (0, 0, Vec::new());
    for (number, (body, name)) in cases().into_iter().enumerate() {
        let decoded = decode(&body, None);
        // The cases know no detection: what declares nothing is in windows-1252.
        let found = match decoded.source {
            EncodingSource::Utf8 | EncodingSource::Detected => encoding_rs::WINDOWS_1252,
            _ => decoded.encoding,
        };
        let is_read = Some(found) == Encoding::for_label(name.as_bytes());
        match (is_read, DEVIATIONS.contains(&number)) {
            (true, false) => passed += 1,
            (false, true) => deviations += 1,
            _ => wrong.push(format!(
                "{number}: {} is not {name}: {}",
                found.name(),
                String::from_utf8_lossy(&body)
            )),
        }
    }
    assert!(
        wrong.is_empty(),
        "{passed} passed; not as listed:\n{}",
        wrong.join("\n---\n")
    );
    let documented = include_str!("../../../../docs/src/standards.md");
    let row = format!("| `encoding`: the declared encoding of a page | {passed} | {deviations} |");
    assert!(documented.contains(&row), "docs/src/standards.md should have\n{row}");
}
