use super::*;

const HOST: &str = "shop.example";
const MAX_RETRIES: u8 = 2;

/// A run of pages at one host: each URL with the notice that it is, or `None` for a page with content.
struct Run {
    repeats: Repeats,
    pages: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            repeats: Repeats::new(MAX_RETRIES),
            pages: 0,
        }
    }
}

impl Run {
    /// Whether the notice at the URL is a wall.
    fn gives(&mut self, url: &str, notice: Option<u64>) -> Option<Wall> {
        self.gives_at(HOST, &format!("https://{HOST}{url}"), notice, 0)
    }

    fn gives_at(&mut self, host: &str, url: &str, notice: Option<u64>, attempts: u8) -> Option<Wall> {
        let notice = notice.map(|digest| Notice { digest, words: 12 });
        let wall = notice.and_then(|notice| self.repeats.wall(&notice, host, url, attempts));
        if wall.is_none() {
            self.pages += 1;
            self.repeats
                .decided(notice.as_ref(), host, url, (self.pages, notice.is_none()));
        }
        wall
    }

    /// The number of walls among the answers to these URLs, which all are one notice.
    fn walls(&mut self, urls: impl IntoIterator<Item = String>) -> usize {
        urls.into_iter()
            .filter(|url| self.gives(url, Some(1)).is_some())
            .count()
    }
}

fn sections(count: usize) -> Vec<String> {
    let names = [
        "", "about", "news", "shop", "jobs", "contact", "events", "press", "team", "help", "blog", "terms",
    ];
    names[..count].iter().map(|name| format!("/{name}")).collect()
}

/// The URL of a number.
type UrlOf = fn(usize) -> String;

#[test]
fn a_notice_at_eight_places_is_a_wall_and_the_pages_before_are_taken_back() {
    let mut run = Run::default();
    assert_eq!(run.walls(sections(7)), 0);
    let wall = run.gives("/press", Some(1)).unwrap();
    assert_eq!(wall.earlier, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        wall.evidence,
        "the same 12 words under 8 URLs, such as https://shop.example/, https://shop.example/about, https://shop.example/news"
    );
    let notice = Notice { digest: 1, words: 12 };
    run.repeats.taken_back(&notice, wall.earlier.len());
    for path in sections(7) {
        // None of them is counted twice.
        let again = run.gives(&path, Some(1)).unwrap();
        assert_eq!(again.earlier, [0; 0], "they are taken back once");
        assert!(
            again.evidence.starts_with("the same 12 words under 8 URLs"),
            "{}",
            again.evidence
        );
    }
    let further = run.gives("/shop/chairs/1", Some(1)).unwrap();
    assert!(
        further.evidence.starts_with("the same 12 words under 9 URLs"),
        "{}",
        further.evidence
    );
    assert_eq!(run.gives("/team", Some(2)), None, "another text");
}

#[test]
fn urls_that_lead_to_one_page_are_one_place() {
    let cases: [(&str, UrlOf); 8] = [
        ("parameters", |n| format!("/item?id={n}")),
        ("parameters of the home page", |n| format!("/?p={n}")),
        ("sessions", |n| format!("/cart;jsessionid={n}a{n}")),
        ("pages of a listing", |n| format!("/page-{n}")),
        ("days", |n| format!("/2024-05-{n:02}")),
        ("tags", |n| format!("/tag/{}", ["a", "b", "c", "d"][n % 4].repeat(n))),
        ("stubs of a wiki", |n| format!("/wiki/Place_{}", "x".repeat(n))),
        ("products", |n| format!("/product/{n}/chair-{}", "x".repeat(n))),
    ];
    for (name, url) in cases {
        assert_eq!(Run::default().walls((0..60).map(url)), 0, "{name}");
    }
    let mut mirrors = Run::default();
    for path in sections(7) {
        for host in ["shop.example", "www.shop.example"] {
            let url = format!("https://{host}{path}");
            assert_eq!(mirrors.gives_at(host, &url, Some(1), 0), None, "{url}");
        }
    }
}

#[test]
fn each_url_is_a_place_where_its_like_had_pages_of_their_own() {
    let mut run = Run::default();
    for n in 0..3 {
        assert_eq!(run.gives(&format!("/item?id={n}"), None), None);
    }
    assert_eq!(run.walls((10..17).map(|n| format!("/item?id={n}"))), 0);
    assert_eq!(run.walls((17..30).map(|n| format!("/item?id={n}"))), 13);
}

#[test]
fn a_notice_among_more_other_pages_is_none() {
    let mut run = Run::default();
    let names: Vec<String> = (b'a'..=b'z').map(|name| char::from(name).to_string()).collect();
    for name in &names {
        // An empty page of a section comes with two that have content.
        assert_eq!(run.gives(&format!("/{name}/empty"), Some(1)), None, "{name}");
        run.gives(&format!("/{name}/1"), None);
        run.gives(&format!("/{name}/2"), None);
    }
}

#[test]
fn a_search_without_results_is_no_wall_where_others_have_some() {
    let mut run = Run::default();
    for n in 0..60 {
        let found = (n % 3 == 0).then_some(1);
        assert_eq!(run.gives(&format!("/search?q=word{n}"), found), None, "{n}");
    }
    for n in 60..200 {
        let found = (n % 3 != 0).then_some(1);
        assert_eq!(run.gives(&format!("/search?q=word{n}"), found), None, "{n}");
    }
}

#[test]
fn a_wall_among_fewer_other_pages_is_found() {
    let mut run = Run::default();
    let mut found = 0;
    for n in 0..12_u8 {
        let name = char::from(b'a' + n);
        found += usize::from(run.gives(&format!("/{name}/one"), Some(1)).is_some());
        if n % 2 == 0 {
            run.gives(&format!("/{name}/two"), None);
        }
    }
    assert_eq!(found, 5);
}

#[test]
fn the_front_pages_of_many_hosts_are_places() {
    let mut run = Run::default();
    let found = (0..20).filter(|n| {
        let host = format!("host-{n}.example");
        run.gives_at(&host, &format!("https://{host}/"), Some(1), 0).is_some()
    });
    assert_eq!(found.count(), 13);
}

#[test]
fn a_url_is_tried_again_until_a_host_gave_nothing_but_walls() {
    let mut run = Run::default();
    run.walls(sections(7));
    let tried_again = |run: &mut Run, url: &str, attempts| {
        let url = format!("https://{HOST}{url}");
        run.gives_at(HOST, &url, Some(1), attempts).unwrap().is_tried_again
    };
    assert!(!tried_again(&mut run, "/press", MAX_RETRIES), "it has no try left");
    let tried = (0..60).filter(|n| tried_again(&mut run, &format!("/press/{n}"), 1));
    assert_eq!(tried.count() as u32, IN_A_ROW - 2);
    run.gives("/real", None);
    assert!(tried_again(&mut run, "/help", 0));
}

#[test]
fn the_memory_is_bounded_and_keeps_what_was_seen_last() {
    let mut run = Run::default();
    run.walls(sections(8));
    for n in 0..5 * TEXTS_A_GENERATION as u64 {
        let host = format!("h{n}.example");
        run.gives_at(&host, &format!("https://{host}/"), Some(1_000 + n), 0);
        if n % 1_000 == 0 {
            assert!(run.gives("/shop/1", Some(1)).is_some(), "{n}");
        }
    }
    assert!(run.repeats.texts.held() <= 2 * TEXTS_A_GENERATION);
    let long = format!("/{}", "x/".repeat(4_000));
    assert!(run.gives(&long, Some(7)).is_none());
    let text = run.repeats.texts.get_mut(7).unwrap();
    assert!(
        text.examples
            .iter()
            .all(|url| url.len() <= MAX_EXAMPLE_BYTES + '…'.len_utf8())
    );
}

#[test]
fn the_decision_follows_the_order_of_the_records_alone() {
    let urls = sections(12);
    let run = || {
        let mut run = Run::default();
        urls.iter().map(|url| run.gives(url, Some(1))).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
