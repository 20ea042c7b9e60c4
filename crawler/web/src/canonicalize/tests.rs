//! Each rule on and off, and what holds of all of them together.

use proptest::prelude::*;

use super::*;

/// Every rule off, so that only the URL parser normalizes.
const NONE: CanonicalRules = CanonicalRules {
    drop_trailing_dot: false,
    drop_userinfo: false,
    drop_fragment: false,
    normalize_percent_encoding: false,
    drop_session_ids: false,
    drop_tracking_parameters: false,
    drop_empty_parameters: false,
    sort_query: false,
    drop_empty_query: false,
    drop_index_file: false,
    max_url_bytes: 2_048,
};

fn canonical(url: &str, rules: &CanonicalRules) -> String {
    CanonicalUrl::parse(url, rules).unwrap().into()
}

/// With the one rule, the first becomes the second; without any, it stays.
fn rule_alone(rules: &CanonicalRules, cases: &[(&str, &str)]) {
    for (url, expected) in cases {
        assert_eq!(canonical(url, rules), *expected, "by the rule");
        assert_eq!(canonical(url, &NONE), *url, "without it");
    }
}

#[test]
fn the_parser_normalizes_without_any_rule() {
    for (url, expected) in [
        ("HTTP://EXAMPLE.com:80", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com/a/./b/../c/%2e%2E/d", "http://example.com/a/d"),
        ("  http:\\\\example.com\\a\tb \n", "http://example.com/ab"),
        (
            "http://bücher.example/ü ?ü",
            "http://xn--bcher-kva.example/%C3%BC%20?%C3%BC",
        ),
        ("http://0x7f.1/", "http://127.0.0.1/"),
    ] {
        assert_eq!(canonical(url, &NONE), expected);
    }
}

#[test]
fn a_trailing_dot_is_dropped() {
    rule_alone(
        &CanonicalRules {
            drop_trailing_dot: true,
            ..NONE
        },
        &[
            ("http://example.com./a", "http://example.com/a"),
            ("http://example.com.:81/", "http://example.com:81/"),
        ],
    );
}

#[test]
fn userinfo_is_dropped() {
    rule_alone(
        &CanonicalRules {
            drop_userinfo: true,
            ..NONE
        },
        &[
            ("http://u:p@example.com/", "http://example.com/"),
            ("http://u@example.com/", "http://example.com/"),
        ],
    );
}

#[test]
fn a_fragment_is_dropped_even_an_empty_one() {
    rule_alone(
        &CanonicalRules {
            drop_fragment: true,
            ..NONE
        },
        &[
            ("http://a.example/#b", "http://a.example/"),
            ("http://a.example/?c#", "http://a.example/?c"),
        ],
    );
}

#[test]
fn percent_encoding_is_normalised() {
    rule_alone(
        &CanonicalRules {
            normalize_percent_encoding: true,
            ..NONE
        },
        &[
            ("http://a.example/%7ejoe/%2f%E4", "http://a.example/~joe/%2F%E4"),
            ("http://a.example/?q=%41%26%c3%a9", "http://a.example/?q=A%26%C3%A9"),
            ("http://a.example/a%2ehtml", "http://a.example/a.html"),
        ],
    );
}

#[test]
fn session_ids_are_dropped_from_path_and_query() {
    rule_alone(
        &CanonicalRules {
            drop_session_ids: true,
            ..NONE
        },
        &[
            ("http://a.example/b;jsessionid=1F.node2?c=d", "http://a.example/b?c=d"),
            ("http://a.example/b;v=2;JSESSIONID=1F/c", "http://a.example/b;v=2/c"),
            (
                "http://a.example/(S(lit3py55t21z5v55vlm25s55))/b.aspx",
                "http://a.example/b.aspx",
            ),
            ("http://a.example/?PHPSESSID=x&b=1", "http://a.example/?b=1"),
            (
                "http://a.example/?b=1&ASPSESSIONIDQQABCDEF=XYZ",
                "http://a.example/?b=1",
            ),
            ("http://a.example/?CFID=1&b=1&CFTOKEN=2", "http://a.example/?b=1"),
            (
                "http://a.example/?sid=0123456789abcdef0123456789abcdef&b=1",
                "http://a.example/?b=1",
            ),
        ],
    );
}

#[test]
fn a_parameter_that_only_might_be_a_session_id_stays() {
    for url in [
        "http://a.example/?sid=abc123",
        "http://a.example/?sid=42&session=2024",
        "http://a.example/?cfid=17",
        "http://a.example/b;page=2",
        "http://a.example/jsessionid=1/b",
        "http://a.example/(S(short))/b",
    ] {
        assert_eq!(canonical(url, &CanonicalRules::default()), url);
    }
}

#[test]
fn tracking_parameters_are_dropped_whatever_their_case() {
    rule_alone(
        &CanonicalRules {
            drop_tracking_parameters: true,
            ..NONE
        },
        &[
            (
                "http://a.example/?utm_source=x&id=7&UTM_Medium=y",
                "http://a.example/?id=7",
            ),
            ("http://a.example/?id=7&fbclid=z&gclid", "http://a.example/?id=7"),
            ("http://a.example/?msclkid=1", "http://a.example/?"),
        ],
    );
    for url in [
        "http://a.example/?ref=x",
        "http://a.example/?source=utm_x",
        "http://a.example/?gclids=1",
    ] {
        assert_eq!(canonical(url, &CanonicalRules::default()), url);
    }
}

#[test]
fn empty_parameters_and_an_empty_query_are_dropped() {
    rule_alone(
        &CanonicalRules {
            drop_empty_parameters: true,
            ..NONE
        },
        &[
            ("http://a.example/?&b&&c=&", "http://a.example/?b&c="),
            ("http://a.example/?&", "http://a.example/?"),
        ],
    );
    rule_alone(
        &CanonicalRules {
            drop_empty_query: true,
            ..NONE
        },
        &[("http://a.example/?", "http://a.example/")],
    );
}

#[test]
fn a_query_is_sorted_by_name_and_lists_keep_their_order() {
    rule_alone(
        &CanonicalRules {
            sort_query: true,
            ..NONE
        },
        &[("http://a.example/?b=1&a=2&b=0&a=1", "http://a.example/?a=2&a=1&b=1&b=0")],
    );
}

#[test]
fn an_index_file_is_dropped() {
    rule_alone(
        &CanonicalRules {
            drop_index_file: true,
            ..NONE
        },
        &[
            ("http://a.example/b/index.html?c", "http://a.example/b/?c"),
            ("http://a.example/INDEX.php", "http://a.example/"),
            ("http://a.example/default.aspx", "http://a.example/"),
        ],
    );
    let rules = CanonicalRules {
        drop_index_file: true,
        ..NONE
    };
    for url in [
        "http://a.example/myindex.html",
        "http://a.example/index.html/",
        "http://a.example/index.txt",
        "http://a.example/index",
    ] {
        assert_eq!(canonical(url, &rules), url);
    }
}

/// A row of the table in `docs/src/standards.md`: rule, default, a URL, and its form under the rule alone.
fn documented_rules() -> Vec<[&'static str; 4]> {
    let documented = include_str!("../../../../docs/src/standards.md");
    let (_, table) = documented.split_once("| rule | default | a URL | becomes |\n").unwrap();
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        row.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().trim_matches('`'))
    });
    cells
        .map(|cells| cells.collect::<Vec<_>>().try_into().unwrap())
        .collect()
}

#[test]
fn the_documentation_lists_every_rule_with_what_it_does() {
    let switches = |rules: &CanonicalRules| match serde_json::to_value(rules).unwrap() {
        serde_json::Value::Object(mut keys) => {
            keys.retain(|_, value| value.is_boolean());
            keys
        }
        other => panic!("{other}"),
    };
    let defaults = switches(&CanonicalRules::default());
    let documented = documented_rules();
    let names: Vec<&str> = documented.iter().map(|[name, ..]| *name).collect();
    assert_eq!(names.len(), defaults.len());
    for [name, default, url, becomes] in documented {
        assert_eq!(defaults[name], default == "on", "{name}");
        let mut alone = switches(&NONE);
        alone.insert(name.to_owned(), true.into());
        let alone: CanonicalRules = serde_json::from_value(alone.into()).unwrap();
        assert_eq!(canonical(url, &alone), becomes, "{name}");
        assert_eq!(canonical(url, &NONE), url, "without {name}");
    }
}

/// Pairs that are equivalent by RFC 3986, sections 6.2.2 and 6.2.3, and similar pairs that are not.
#[test]
fn equivalent_urls_have_one_form_and_others_do_not() {
    let rules = CanonicalRules::default();
    for (one, other) in [
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com/"),
        ("http://example.com/a%c2%b1b", "http://example.com/a%C2%B1b"),
        ("http://example.com/%7Efoo", "http://example.com/~foo"),
        (
            "http://example.com/foo/./bar/baz/../qux",
            "http://example.com/foo/bar/qux",
        ),
        ("http://example.com", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com/?", "http://example.com/"),
        ("http://example.com/a/%2e%2e/b", "http://example.com/b"),
        ("http://ex%61mple.com/", "http://example.com/"),
        ("http://ドメイン.example/", "http://xn--eckwd4c7c.example/"),
        ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
    ] {
        assert_eq!(canonical(one, &rules), canonical(other, &rules));
    }
    for (one, other) in [
        ("http://example.com/a", "http://example.com/A"),
        ("http://example.com/a", "http://example.com/a/"),
        ("http://example.com/a%2Fb", "http://example.com/a/b"),
        ("http://example.com/a//b", "http://example.com/a/b"),
        ("http://example.com/a?b", "http://example.com/a%3Fb"),
        ("http://example.com/?a=b%26c", "http://example.com/?a=b&c"),
        ("http://example.com/?a+b", "http://example.com/?a%20b"),
        ("http://example.com/?a", "http://example.com/?a="),
        ("http://example.com/%41%2541", "http://example.com/AA"),
        ("http://www.example.com/", "http://example.com/"),
        ("http://example.com/", "https://example.com/"),
        ("http://example.com:443/", "https://example.com/"),
    ] {
        assert_ne!(canonical(one, &rules), canonical(other, &rules), "{one} {other}");
    }
}

#[test]
fn a_url_that_cannot_be_crawled_says_why() {
    let refusal = |url: &str| {
        CanonicalUrl::parse(url, &CanonicalRules::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refusal("mailto:a@example.com"),
        "scheme `mailto` is neither http nor https"
    );
    assert_eq!(refusal("file:///etc/passwd"), "scheme `file` is neither http nor https");
    assert_eq!(refusal("/relative"), "not a URL: relative URL without a base");
    assert_eq!(refusal("http://./"), "the URL names no host");
    let long = format!("http://a.example/{}", "x".repeat(2_032));
    assert_eq!(
        refusal(&long),
        "the URL has 2049 bytes, the limit is 2048 (canonicalize.max_url_bytes)"
    );
    assert_eq!(canonical(&long[..2_048], &CanonicalRules::default()).len(), 2_048);
}

#[test]
fn the_scheme_names_the_version_and_the_rules_that_are_on() {
    assert_eq!(
        CanonicalRules::default().scheme(),
        "canonical-url/1:trailing_dot+userinfo+fragment+percent_encoding+session_ids+tracking_parameters+empty_parameters+empty_query"
    );
    assert_eq!(NONE.scheme(), "canonical-url/1:");
}

#[test]
fn an_unknown_rule_in_the_configuration_is_refused() {
    let read = |json: &str| serde_json::from_str::<CanonicalRules>(json);
    assert_eq!(read("{}").unwrap(), CanonicalRules::default());
    assert!(read(r#"{"sort_query": true}"#).unwrap().sort_query);
    assert!(
        read(r#"{"sort_querry": true}"#)
            .unwrap_err()
            .to_string()
            .contains("sort_querry")
    );
}

fn any_rules() -> impl Strategy<Value = CanonicalRules> {
    any::<[bool; 10]>().prop_map(|on| CanonicalRules {
        drop_trailing_dot: on[0],
        drop_userinfo: on[1],
        drop_fragment: on[2],
        normalize_percent_encoding: on[3],
        drop_session_ids: on[4],
        drop_tracking_parameters: on[5],
        drop_empty_parameters: on[6],
        sort_query: on[7],
        drop_empty_query: on[8],
        drop_index_file: on[9],
        max_url_bytes: 2_048,
    })
}

/// URLs made of the parts that the rules match.
fn any_url() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "/",
        "/",
        "a",
        "..",
        "%2e",
        "%",
        "%25",
        "%4",
        "31",
        "é",
        "\\",
        ";",
        ";jsessionid=1",
        ";sid=x",
        "(S(lit3py55t21z5v55vlm25s55))",
        "index.html",
        "default.asp",
        "?",
        "&",
        "=",
        "utm_a=1",
        "PHPSESSID=2",
        "cfid=1",
        "cftoken=2",
        "sid=0123456789abcdef0123456789abcdef",
        "%75tm_b",
        "#",
        "'",
        "|",
        " ",
        "b=2",
        "a=1",
        ":",
        "@",
    ]);
    let host = prop::sample::select(vec![
        "a.example",
        "A.example.",
        "u:p@a.example:80",
        "1.2.3.4..",
        "[::1]:443",
        "a.example..",
        "0x7f.1.",
    ]);
    (host, prop::collection::vec(piece, 0..12)).prop_map(|(host, pieces)| format!("http://{host}/{}", pieces.concat()))
}

#[test]
fn only_urls_with_nothing_to_rewrite_take_the_short_cut() {
    let rules = CanonicalRules::default();
    for (url, is_short) in [
        ("https://example.com/a/b.html", true),
        ("https://example.com:8443/a~b/=,:@", true),
        ("https://example.com/a?b", false),
        ("https://example.com/a#b", false),
        ("https://example.com/%7ea", false),
        ("https://example.com/a;jsessionid=1", false),
        ("https://example.com/(S(lit3py55t21z5v55vlm25s55))/a", false),
        ("https://user@example.com/", false),
        ("https://example.com./", false),
    ] {
        assert_eq!(is_plain(&Url::parse(url).unwrap(), &rules), is_short, "{url}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_short_cut_for_plain_urls_changes_nothing(url in any_url(), rules in any_rules()) {
        if let Ok(url) = Url::parse(&url)
            && is_plain(&url, &rules)
        {
            prop_assert_eq!(rewritten(url.clone(), &rules).unwrap(), url);
        }
    }

    #[test]
    fn canonicalising_twice_is_canonicalising_once(url in any_url(), rules in any_rules()) {
        if let Ok(once) = CanonicalUrl::parse(&url, &rules) {
            prop_assert_eq!(&canonicalize(once.url(), &rules).unwrap(), &once);
            // The text says all that the parsed form does.
            prop_assert_eq!(&CanonicalUrl::parse(once.as_str(), &rules).unwrap(), &once);
            prop_assert!(!surt(&once).is_empty());
        }
    }

    #[test]
    fn any_text_can_be_parsed(text: String, rules in any_rules()) {
        if let Ok(url) = CanonicalUrl::parse(&format!("http://{text}"), &rules) {
            prop_assert!(url.as_str().len() <= rules.max_url_bytes);
        }
    }
}
