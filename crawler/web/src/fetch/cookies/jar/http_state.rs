//! RFC 6265 by the test suite of its working group.

use serde::Deserialize;

use super::*;

/// The parser cases of the IETF's http-state working group, one JSON object a line, as the npm package tough-cookie 1.2.0 has them in
/// `test/ietf_data/parser.json` (BSD-3-Clause). Years of expiry that were to come when the suite was written are later by a hundred.
const CASES: &str = include_str!("../../../../tests/data/cookies-http-state.jsonl");

/// The cases with a different answer, and the reason.
const DEVIATIONS: [(&str, &str); 4] = [
    (
        "DISABLED_CHROMIUM0022",
        "a response with NUL in its head is refused, as by Chrome; the suite has disabled the case",
    ),
    (
        "DISABLED_CHROMIUM0023",
        "a response with CR in a line of its head is refused; the suite has disabled the case",
    ),
    (
        "DISABLED_PATH0029",
        "paths are compared as they are written, so %6F is not o; the suite has disabled the case",
    ),
    (
        "DOMAIN0013",
        "the library ignores blanks behind the dot of a domain; the domain must still be one of the host",
    ),
];

#[derive(Deserialize)]
struct Case {
    test: String,
    received: Vec<String>,
    sent_to: Option<String>,
    sent: String,
}

impl Case {
    /// The `Cookie` header that the crawler sends.
    fn answer(&self) -> String {
        let from = Url::parse(&format!("http://home.example.org:8888/cookie-parser?{}", self.test)).unwrap();
        let to = self.sent_to.as_deref().unwrap_or("/cookie-parser-result");
        let jar = CookieJar::default();
        for field in &self.received {
            // A byte that no field can have never gets here.
            if let Ok(value) = HeaderValue::from_bytes(field.as_bytes()) {
                jar.take(&from, &HeaderMap::from_iter([(SET_COOKIE, value)]));
            }
        }
        let header = jar.header(&from.join(to).unwrap());
        header.map_or(String::new(), |value| {
            String::from_utf8(value.as_bytes().to_vec()).unwrap()
        })
    }
}

#[test]
fn answers_differ_from_the_http_state_suite_only_in_the_listed_cases() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for line in CASES.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let is_listed = DEVIATIONS.iter().any(|(test, _)| *test == case.test);
        let answer = case.answer();
        if (answer == case.sent) == is_listed {
            wrong.push(format!(
                "{}: {:?} gives {answer:?}, expected {:?}",
                case.test, case.received, case.sent
            ));
        }
        asked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(asked, 222);
}

#[test]
fn the_documentation_lists_these_deviations_and_no_others() {
    let rows = DEVIATIONS
        .map(|(test, reason)| format!("| {test} | {reason} |\n"))
        .concat();
    let table = format!("| case | reason for the different answer |\n|---|---|\n{rows}\n");
    let page = include_str!("../../../../../../docs/src/standards.md");
    assert!(page.contains(&table), "docs/src/standards.md should have\n{table}");
}
