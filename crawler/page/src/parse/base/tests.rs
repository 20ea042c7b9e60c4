use serde_json::Value;

use super::*;

fn base(encoding: &str) -> Base {
    let encoding = Encoding::for_label(encoding.as_bytes()).unwrap();
    Base::new(None, &Url::parse("http://example.org/a/b?c").unwrap(), encoding)
}

/// (encoding of the document, reference, URL)
const REFERENCES: &[(&str, &str, &str)] = &[
    ("gbk", "/s?q=中文", "http://example.org/s?q=%D6%D0%CE%C4"),
    (
        "gb2312",
        "?q=中文#中文",
        "http://example.org/a/b?q=%D6%D0%CE%C4#%E4%B8%AD%E6%96%87",
    ),
    ("gb18030", "/中/?中", "http://example.org/%E4%B8%AD/?%D6%D0"),
    ("gbk", "//例子.example/?中", "http://xn--fsqu00a.example/?%D6%D0"),
    ("gbk", "?q=%E4%B8%AD中", "http://example.org/a/b?q=%E4%B8%AD%D6%D0"),
    ("big5", "?q=中文", "http://example.org/a/b?q=%A4%A4%A4%E5"),
    ("shift_jis", "?q=日本", "http://example.org/a/b?q=%93%FA%96{"),
    ("euc-jp", "?q=日本", "http://example.org/a/b?q=%C6%FC%CB%DC"),
    ("iso-2022-jp", "?q=日本", "http://example.org/a/b?q=%1B$BF|K\\%1B(B"),
    ("euc-kr", "?q=한국", "http://example.org/a/b?q=%C7%D1%B1%B9"),
    ("windows-1251", "?q=мир", "http://example.org/a/b?q=%EC%E8%F0"),
    ("koi8-r", "?q=мир", "http://example.org/a/b?q=%CD%C9%D2"),
    ("windows-1252", "?q=café €", "http://example.org/a/b?q=caf%E9%20%80"),
    (
        "iso-8859-1",
        "?q=мир",
        "http://example.org/a/b?q=%26%231084%3B%26%231080%3B%26%231088%3B",
    ),
    (
        "windows-1251",
        "?q=\u{1f600}",
        "http://example.org/a/b?q=%26%23128512%3B",
    ),
    ("utf-8", "///other.example/a", "http://other.example/a"),
    ("gbk", " \\\\/other.example?中", "http://other.example/?%D6%D0"),
    ("utf-8", "?q=中", "http://example.org/a/b?q=%E4%B8%AD"),
    ("utf-16le", "?q=中", "http://example.org/a/b?q=%E4%B8%AD"),
    // Only http, https, ftp and file have a query in the encoding of the document.
    ("gbk", "ws://example.org/?中", "ws://example.org/?%E4%B8%AD"),
    ("gbk", "mailto:a@b?中", "mailto:a@b?%E4%B8%AD"),
    ("gbk", "https://example.org/?中", "https://example.org/?%D6%D0"),
];

#[test]
fn the_query_of_a_reference_is_in_the_encoding_of_its_document() {
    for (encoding, reference, expected) in REFERENCES {
        let url = base(encoding).join(reference);
        assert_eq!(url.as_ref().map(Url::as_str), Some(*expected), "{encoding} {reference}");
    }
}

#[test]
fn the_href_of_a_base_is_a_reference_too() {
    let page_url = Url::parse("http://example.org/").unwrap();
    let base = Base::new(Some("/中/?中"), &page_url, encoding_rs::GBK);
    assert_eq!(base.url().as_str(), "http://example.org/%E4%B8%AD/?%D6%D0");
    for unusable in ["data:text/html,x", "javascript:x", "http://["] {
        assert_eq!(
            *Base::new(Some(unusable), &page_url, UTF_8).url(),
            page_url,
            "{unusable}"
        );
    }
}

/// The cases of web-platform-tests, `url/resources`, in the form of `tests/data/README.md`.
const ENCODED: &str = include_str!("../../../tests/data/wpt/percent-encoding.json");
const PARSED: &str = include_str!("../../../tests/data/wpt/urltestdata.json");
const HOSTS: &str = include_str!("../../../tests/data/wpt/toascii.json");

/// The cases that the crate `url` reads in another way.
const DEVIATIONS: &[&str] = &[
    // `file:` URLs: the crawler follows none.
    "file:///w|/m at ",
    "/ at file://h/C:/a/b",
    "file:\\\\// at ",
    "file:\\\\\\\\ at ",
    "file:\\\\\\\\?fox at ",
    "file:\\\\\\\\#guppy at ",
    "file://spider/// at ",
    "file:\\\\localhost// at ",
    "file://\\/localhost//cat at ",
    "file://localhost//a//../..// at ",
    "/////mouse at file:///elephant",
    "\\/localhost//pig at file://lion/",
    "//localhost//pig at file://lion/",
    "/..//localhost//pig at file://lion/",
    "C| at file://host/dir/file",
    "C| at file://host/D:/dir1/dir2/file",
    "C|# at file://host/dir/file",
    "C|? at file://host/dir/file",
    "C|/ at file://host/dir/file",
    "C|\n/ at file://host/dir/file",
    "C|\\ at file://host/dir/file",
    "/c:/foo/bar at file://host/path",
    ".. at abc://x/y/z/C:/",
    ".. at file://x/C:/",
    "file://example.net/C:/ at ",
    "file://1.2.3.4/C:/ at ",
    "file://[1::8]/C:/ at ",
    "C|/ at file://host/",
    "/C:/ at file://host/",
    "file:C:/ at file://host/",
    "file:/C:/ at file://host/",
    "file://localhost//a//../..//foo at ",
    "file://localhost////foo at ",
    "file:////foo at ",
    "file:////one/two at file:///",
    "////one/two at file:///",
    "file:///.// at file:////",
    "file:.//p at ",
    "file:/.//p at ",
    "file://xn--/p at ",
    "/\\//\\/a/../ at file:///",
    // Host names whose Punycode is malformed: they lead nowhere.
    "http://a.b.c.xn--pokxncvks at ",
    "http://10.0.0.xn--pokxncvks at ",
    "http://a.b.c.XN--pokxncvks at ",
    "http://a.b.c.Xn--pokxncvks at ",
    "http://10.0.0.XN--pokxncvks at ",
    "http://10.0.0.xN--pokxncvks at ",
    "https://xn--/ at ",
    "host xn--a",
    "host xn--a.xn--zca",
    "host xn--ls8h=",
    "host xn--1ug.example",
    "host xn--a-yoc",
    "host xn--zn7c.com",
    "host xn--0.com",
    // Opaque paths of other schemes: the crawler follows none.
    "non-special:opaque  ?hi at ",
    "non-special:opaque  #hi at ",
    "non-special:opaque \t\t  \t#hi at ",
    "non-special:opaque \t\t  #hi at ",
    "non-special:opaque\t\t  \r #hi at ",
    // Other schemes: the crawler follows none.
    "foo://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~ at ",
    "wss://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~ at ",
    "\\a at foo://foo/a",
    "\\/a at foo://foo/a",
    "\\\\a at foo://foo/a",
];

fn cases(json: &str) -> Vec<Value> {
    let mut cases: Vec<Value> = serde_json::from_str(json).unwrap();
    // The others are comments.
    cases.retain(Value::is_object);
    cases
}

fn text<'a>(case: &'a Value, key: &str) -> Option<&'a str> {
    case.get(key).and_then(Value::as_str)
}

/// The number of the cases of a file that pass, and of those that are known to fail.
fn counted(file: &str, cases: impl Iterator<Item = (String, bool)>) -> String {
    let (mut passed, mut wrong, mut deviations) = (0, Vec::new(), 0);
    for (case, passes) in cases {
        let is_known = DEVIATIONS.contains(&case.as_str());
        match (passes, is_known) {
            (true, false) => passed += 1,
            (false, true) => deviations += 1,
            _ => wrong.push(format!("{case:?},")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{file}: {passed} passed; not as listed:\n{}",
        wrong.join("\n")
    );
    format!("| {file} | {passed} | {deviations} |")
}

#[test]
fn the_url_cases_of_web_platform_tests_are_read_as_they_say() {
    let encoded = cases(ENCODED);
    let encoded = encoded.iter().flat_map(|case| {
        let outputs = case["output"].as_object().unwrap().iter();
        outputs.map(|(encoding, output)| {
            let input = text(case, "input").unwrap();
            let url = base(encoding).join(&format!("?{input}"));
            let is_read = url.as_ref().and_then(Url::query) == output.as_str();
            (format!("{encoding}: {input}"), is_read)
        })
    });
    let parsed = cases(PARSED);
    let parsed = parsed.iter().map(|case| {
        let input = text(case, "input").unwrap();
        let url = match text(case, "base") {
            Some(base) => Url::parse(base)
                .ok()
                .and_then(|base| Base::of_header(&base).join(input)),
            None => Url::parse(input).ok(),
        };
        let name = format!("{input} at {}", text(case, "base").unwrap_or_default());
        (name, url.as_ref().map(Url::as_str) == text(case, "href"))
    });
    let hosts = cases(HOSTS);
    let hosts = hosts.iter().map(|case| {
        let input = text(case, "input").unwrap();
        let url = Url::parse(&format!("https://{input}/x")).ok();
        let host = url.as_ref().and_then(Url::host_str);
        (format!("host {input}"), host == text(case, "output"))
    });
    let documented = include_str!("../../../../../docs/src/standards.md");
    let rows = [
        counted(
            "`url/resources/percent-encoding.json`: queries in the encoding of a document",
            encoded,
        ),
        counted("`url/resources/urltestdata.json`: URLs and references", parsed),
        counted("`url/resources/toascii.json`: host names", hosts),
    ];
    let rows = rows.join("\n");
    assert!(documented.contains(&rows), "docs/src/standards.md should have\n{rows}");
}
