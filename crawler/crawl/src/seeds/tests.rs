use super::*;
use config::Config;

fn seeds(text: &str) -> Seeds {
    Seeds::from_text(text.to_owned(), &settings(""))
}

/// Settings with this section.
fn settings(scope: &str) -> Settings {
    let config = Config::parse(&format!("[scope]\n{scope}"), Path::new("config.toml")).unwrap();
    Settings::new(&config).unwrap()
}

/// All seeds, and the first line without one.
fn read(mut seeds: Seeds) -> (Vec<String>, u64, Option<BadLine>) {
    let mut urls = Vec::new();
    while let Some(batch) = seeds.next_batch().unwrap() {
        urls.extend(batch.into_iter().map(|seed| seed.url.as_str().to_owned()));
    }
    (urls, seeds.lines, seeds.bad_lines.into_first())
}

#[test]
fn comments_and_blank_lines_are_no_seeds() {
    let (urls, _, bad) = read(seeds(
        "\u{feff}# seeds\n\nhttp://a.example/\r\n  https://b.example/x#y  # why\n",
    ));
    assert_eq!(urls, ["http://a.example/", "https://b.example/x"]);
    assert_eq!(bad, None);
}

#[test]
fn a_bad_line_is_named_with_its_number_and_skipped() {
    for (line, reason) in [
        ("localhost", "no scheme; did you mean https://localhost ?"),
        (
            "only: ftp://b.example/",
            "the scheme ftp is not supported; use http or https",
        ),
        (
            "sitemap: /sitemap.xml",
            "no scheme; did you mean https:///sitemap.xml ?",
        ),
        (
            "localhost:80",
            "no scheme; write https:// or http:// in front: https://localhost:80",
        ),
        (
            "example.org:99999",
            "the port of example.org is not valid: ports go up to 65535",
        ),
        ("not a url", "not a URL; write one such as https://example.org/"),
        ("ftp://b.example/", "the scheme ftp is not supported; use http or https"),
        ("http://", "empty host; write a URL such as https://example.org/"),
    ] {
        let (urls, _, bad) = read(seeds(&format!("http://a.example/\n{line}\nhttp://b.example/\n")));
        assert_eq!(urls.len(), 2);
        let bad = bad.unwrap();
        assert_eq!((bad.number, bad.text.as_str(), bad.reason.as_str()), (2, line, reason));
    }
}

#[test]
fn a_url_that_a_pattern_excludes_is_no_seed() {
    let text = "http://a.example/docs/\nhttp://a.example/blog/\n".to_owned();
    let of_docs = settings("include = [\"glob:/docs/**\"]");
    let (kept, _, bad) = read(Seeds::from_text(text, &of_docs));
    assert_eq!(kept, ["http://a.example/docs/"]);
    let reason = "excluded: scope.include has no pattern that matches the URL";
    assert_eq!(bad.map(|bad| (bad.number, bad.reason)), Some((2, reason.to_owned())));
}

#[test]
fn a_line_says_what_becomes_of_its_url() {
    let text = "example.org\nonly: https://a.example/x\nonly:b.example\nsitemap: https://c.example/map.xml\n";
    let mut seeds = seeds(text);
    let batch = seeds.next_batch().unwrap().unwrap();
    let found: Vec<(&str, SeedKind)> = batch.iter().map(|seed| (seed.url.as_str(), seed.kind)).collect();
    let expected = [
        ("https://example.org/", SeedKind::Page),
        ("https://a.example/x", SeedKind::Only),
        ("https://b.example/", SeedKind::Only),
        ("https://c.example/map.xml", SeedKind::Sitemap),
    ];
    assert_eq!(found, expected);
}

#[test]
fn bytes_that_are_no_utf_8_reach_the_server_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.txt");
    let lines = [
        &b"http://a.example/caf\xe9"[..],
        b"http://a.example/caf\xc3\xa9",
        b"1\thttp://a.example/?q=\xe9\tn\xe9",
        b"http://b\xc3\xbccher.example/\xe9",
    ];
    std::fs::write(&path, lines.join(&b'\n')).unwrap();
    let (urls, _, bad) = read(Seeds::open(&path, SeedKind::Page, &settings("")).unwrap());
    let expected = [
        "http://a.example/caf%E9",
        "http://a.example/caf%C3%A9",
        "http://a.example/?q=%E9",
        "http://xn--bcher-kva.example/%E9",
    ];
    assert_eq!(urls, expected);
    assert_eq!(bad, None);
}

#[test]
fn two_files_are_read_one_after_the_other_and_each_names_its_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, text: &str, kind: SeedKind| {
        std::fs::write(folder.path().join(name), text).unwrap();
        Seeds::open(&folder.path().join(name), kind, &settings("")).unwrap()
    };
    let first = open("seeds.txt", "http://a.example/\n", SeedKind::Page);
    let list = open(
        "list.txt",
        "http://b.example/\nsitemap:http://b.example/s.xml\n",
        SeedKind::Only,
    );
    let mut seeds = first.and_then(list);
    let kinds = [(); 2].map(|()| seeds.next_batch().unwrap().unwrap()[0].kind);
    assert_eq!(kinds, [SeedKind::Page, SeedKind::Only]);
    assert!(seeds.next_batch().unwrap().is_none());
    assert_eq!(seeds.lines(), 3);
    let bad = seeds.bad_lines.into_first().unwrap();
    assert!(bad.number == 2 && bad.reason.contains("--seeds"), "{bad}");
}

#[test]
fn three_sources_are_read_in_their_order() {
    let three = seeds("http://a.example/")
        .and_then(seeds("http://b.example/"))
        .and_then(seeds("c.example"));
    assert_eq!(
        read(three).0,
        ["http://a.example/", "http://b.example/", "https://c.example/"]
    );
}

#[test]
fn an_argument_is_a_seed_as_a_line_is() {
    let of = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Seeds::of_arguments(&texts, &settings("exclude = [\"glob:/private/**\"]"))
    };
    let urls = read(of(&["example.org", "http://a.example/x#y", "only:https://b.example/"]).unwrap()).0;
    assert_eq!(
        urls,
        ["https://example.org/", "http://a.example/x", "https://b.example/"]
    );
    for (text, reason) in [
        ("localhost", "did you mean https://localhost ?"),
        ("ftp://a.example/", "use http or https"),
        ("https://a.example/private/x", "excluded"),
        ("# a comment", "not a URL"),
        ("", "not a URL"),
    ] {
        let error = of(&["https://example.org/", text]).unwrap_err();
        assert!(matches!(error, SeedsError::NotASeed(_)), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_bad_line_shows_no_password_and_no_control_character() {
    for line in [
        "htp://user:secret@host/",
        "user:secret@host/x",
        "http://user:sec/ret@host:port/",
    ] {
        let bad = read(seeds(line)).2.unwrap();
        assert!(
            !bad.to_string().contains("secret") && !bad.to_string().contains("sec/ret"),
            "{bad}"
        );
    }
    let bad = read(seeds("\u{1b}]0;title\u{7}\u{9b}31m\n")).2.unwrap();
    assert!(!bad.to_string().contains(char::is_control), "{bad:?}");
}

#[test]
fn a_line_without_end_takes_no_memory_and_is_passed_over() {
    let long = format!(
        "http://a.example/{}\nhttp://b.example/\n",
        "x".repeat(10 * MAX_LINE_BYTES)
    );
    let (urls, lines, bad) = read(seeds(&long));
    assert_eq!((urls.as_slice(), lines), (&["http://b.example/".to_owned()][..], 2));
    assert!(bad.unwrap().text.chars().count() <= 200);
}

#[test]
fn seeds_come_in_batches_of_a_fixed_size() {
    let text: String = (0..2_500)
        .map(|number| format!("http://a.example/{number}\n"))
        .collect();
    let mut seeds = seeds(&text);
    let mut sizes = Vec::new();
    while let Some(batch) = seeds.next_batch().unwrap() {
        sizes.push(batch.len());
    }
    assert_eq!(sizes, [1_000, 1_000, 500]);
    assert_eq!(seeds.lines(), 2_500);
}

#[test]
fn a_file_without_a_seed_says_which_line_failed() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let opened = Seeds::open(&folder.path().join(name), SeedKind::Page, &settings(""));
        opened.unwrap_err().to_string()
    };
    std::fs::write(folder.path().join("seeds.txt"), "# nothing\nnot a url\n").unwrap();
    let message = open("seeds.txt");
    assert!(message.contains("line 2: not a url"), "{message}");
    std::fs::write(folder.path().join("wide.txt"), b"\xff\xfeh\0t\0").unwrap();
    assert!(open("wide.txt").contains("UTF-16"));
    std::fs::write(folder.path().join("seeds.gz"), b"\x1f\x8b\x08").unwrap();
    assert!(open("seeds.gz").contains("compressed"));
    assert!(open("none.txt").contains("none.txt"));
    assert!(open("").contains("directory"));
}

/// A reader that returns its text, and then an error.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the disk is gone")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_says_where() {
    let text: String = (0..1_234)
        .map(|number| format!("http://a.example/{number}\n"))
        .collect();
    let source = BufReader::new(Failing(Cursor::new(text.into_bytes())));
    let mut seeds = Seeds::of(Box::new(source), "seeds.txt".into(), SeedKind::Page, &settings(""));
    let sizes = [(); 2].map(|()| seeds.next_batch().unwrap().unwrap().len());
    assert_eq!(sizes, [1_000, 234]);
    let message = seeds.next_batch().unwrap_err().to_string();
    assert!(
        message.contains("seeds.txt behind line 1,234: the disk is gone"),
        "{message}"
    );
}

#[test]
fn a_line_of_a_table_has_a_seed_for_each_url_and_its_kind() {
    let text = "\u{feff}http://a.example/1\thttp://a.example/2\r\nonly:\thttp://a.example/3\ttitle\n\
                7\ta.example\t99\n\u{feff}http://a.example/4\n\tx\ty\n\"http://a.example/5\",\"A title\"\n";
    let mut seeds = seeds(text);
    let batch = seeds.next_batch().unwrap().unwrap();
    let found: Vec<(&str, SeedKind)> = batch.iter().map(|seed| (seed.url.as_str(), seed.kind)).collect();
    let expected = [
        ("http://a.example/1", SeedKind::Page),
        ("http://a.example/2", SeedKind::Page),
        ("http://a.example/3", SeedKind::Only),
        ("https://a.example/", SeedKind::Page),
        ("http://a.example/4", SeedKind::Page),
        ("http://a.example/5", SeedKind::Page),
    ];
    assert_eq!(found, expected);
    assert_eq!(seeds.bad_lines.into_first().unwrap().number, 5);
}
