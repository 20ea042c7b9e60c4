use super::*;
use crate::steering::{DuplicateOf, JudgedPage};

/// Pages of one host. Page 1 is the kept page of all duplicates.
#[derive(Default)]
struct Site {
    traps: Traps,
    next: u64,
}

impl Site {
    fn decide(&mut self, path: &str, via: Option<u64>, duplicate: Option<(bool, &[&str])>) -> bool {
        self.next += 1;
        let duplicate_of = duplicate.map(|(is_exact, links)| DuplicateOf {
            page: 1,
            url: "http://h/kept".to_owned(),
            is_exact,
            new_links: Some(links.iter().map(|link| format!("http://h{link}")).collect()),
        });
        let page = JudgedPage {
            page: self.next,
            url: format!("http://h{path}"),
            via,
            duplicate_of,
            is_incomplete: false,
        };
        let mut page = Decided::parse("h", &page).unwrap();
        if let Some(duplicate) = &mut page.duplicate {
            duplicate.drop_links(|link| self.traps.is_known_barren(link));
        }
        self.traps.decided(&page)
    }

    fn new_page(&mut self, path: &str) -> bool {
        self.decide(path, None, None)
    }

    /// A duplicate that was found on the page before.
    fn exact(&mut self, path: &str, links: &[&str]) {
        self.decide(path, Some(self.next), Some((true, links)));
    }

    fn near(&mut self, path: &str, links: &[&str]) {
        self.decide(path, Some(self.next), Some((false, links)));
    }

    fn trap(&self, path: &str) -> Option<&str> {
        self.traps.trap("h", &Url::parse(&format!("http://h{path}")).unwrap())
    }
}

/// A word without meaning and without digits.
fn word(n: u32) -> String {
    (0..6)
        .map(|at| char::from(b'a' + u8::try_from((n >> (4 * at)) % 16).unwrap()))
        .collect()
}

#[test]
fn a_trap_of_any_shape_is_recognised_by_the_smallest_pattern() {
    type Shape = fn(u32) -> String;
    let shapes: [(Shape, &str); 7] = [
        (|n| format!("/p?a={n}&b=x{n}"), "/p?a&b"),
        (|n| format!("/p?{}=1&{}=2", word(n), word(n + 7)), "/p?*"),
        (|n| format!("/t/{}/{}", word(n), word(n * 31)), "/t/{word}/{word}"),
        (|n| format!("/t/x{}/end", word(n)), "/t/*/end"),
        (|n| format!("/item-{n}-{n}"), "/item-#-#"),
        (
            |n| format!("/t{}", format!("/{}", word(n)).repeat(1 + n as usize % 7)),
            "/t/**",
        ),
        (|n| format!("/t/{}?{}=1", word(n), word(n)), "/t/{word}?*"),
    ];
    for (shape, pattern) in shapes {
        let mut site = Site::default();
        site.new_page("/kept");
        for n in 0..EXACT_RUN {
            assert_eq!(site.trap(&shape(5_000)), None, "{pattern}");
            site.exact(&shape(n), &[&shape(n + 1), &shape(n + 9)]);
        }
        assert_eq!(site.trap(&shape(5_000)), Some(pattern));
        assert_eq!(site.trap("/about/us"), None, "{pattern}");
    }
}

#[test]
fn near_duplicates_need_a_longer_run() {
    let mut site = Site::default();
    for n in 0..NEAR_RUN {
        assert_eq!(site.trap("/t/zz/zz"), None);
        site.near(&format!("/t/{}/{}", word(n), word(n)), &[]);
    }
    assert!(site.trap("/t/zz/zz").is_some());
}

#[test]
fn pages_that_an_index_lists_are_no_trap() {
    let mut site = Site::default();
    site.new_page("/kept");
    site.new_page("/api/index");
    for n in 0..5_000 {
        site.decide(&format!("/api/{}", word(n)), Some(2), Some((true, &[])));
    }
    assert_eq!(site.trap("/api/zz"), None);
}

#[test]
fn duplicates_that_lead_to_other_documents_are_no_evidence() {
    let mut site = Site::default();
    for n in 0..2_000 {
        site.exact(
            &format!("/list?p={n}"),
            &[&format!("/list?p={}", n + 1), &format!("/item/{n}")],
        );
    }
    assert_eq!(site.trap("/list?p=9999"), None);
}

#[test]
fn links_to_other_duplicates_are_no_news() {
    let mut site = Site::default();
    for n in 0..20 {
        site.new_page(&format!("/{}/{}", word(9_000 + n), word(n)));
    }
    for n in 0..400 {
        let id = word(n);
        site.exact(&format!("/{id}/room"), &[&format!("/{id}/choir")]);
        site.exact(&format!("/{id}/choir"), &[&format!("/{}/room", word(n + 1))]);
    }
    assert_eq!(site.trap("/zz/room"), Some("/*/room"));
    assert_eq!(site.trap("/zz/choir"), Some("/*/choir"));
}

#[test]
fn one_new_page_ends_a_trap_and_makes_the_next_one_harder() {
    let mut site = Site::default();
    let path = |n: u32| format!("/p?a={n}&b={}", word(n));
    site.new_page(&path(0));
    for n in 1..=EXACT_RUN {
        site.exact(&path(n), &[]);
    }
    assert!(site.trap(&path(9_000)).is_some());
    assert!(site.new_page(&path(8_000)), "held-back URLs are judged again");
    assert_eq!(site.trap(&path(9_000)), None);
    for n in 1..=EXACT_RUN {
        site.exact(&path(1_000 + n), &[]);
    }
    assert_eq!(site.trap(&path(9_000)), None, "twice the run, for it had two new pages");
}

#[test]
fn a_new_page_to_which_a_trap_led_ends_it() {
    let mut site = Site::default();
    for n in 1..=EXACT_RUN {
        site.exact(&format!("/p?a={n}"), &[]);
    }
    assert!(site.trap("/p?a=77777").is_some());
    let last = site.next;
    assert!(site.decide("/secret/document", Some(last), None));
    assert_eq!(site.trap("/p?a=77777"), None);
}

#[test]
fn a_folder_with_many_new_pages_is_no_trap_but_a_trap_in_it_is() {
    let mut site = Site::default();
    for n in 0..300 {
        site.new_page(&format!("/shop/{}", word(n)));
    }
    for n in 0..EXACT_RUN + 20 {
        site.exact(&format!("/shop/x{n}y/{}", word(n)), &[]);
    }
    assert!(site.trap("/shop/x9y/zz").is_some());
    assert_eq!(site.trap("/shop/zz"), None);
}

#[test]
fn session_ids_in_the_path_of_sixty_documents_are_a_trap() {
    let mut site = Site::default();
    for n in 0..60 {
        site.new_page(&format!("/s-{}/p/{n}", word(n)));
    }
    let mut n = 0;
    while site.trap("/s-zz/p/7").is_none() {
        n += 1;
        site.exact(
            &format!("/s-{}/p/{}", word(1_000 + n), n % 60),
            &[&format!("/s-{}/p/9", word(n))],
        );
        assert!(n < 1_000);
    }
    assert_eq!(site.trap("/s-zz/p/7"), Some("/*/p/#"));
}

#[test]
fn a_new_page_in_two_hundred_keeps_a_pattern_open() {
    let mut site = Site::default();
    for n in 0..20_000_u32 {
        let path = format!("/api/x{n}/{}", word(n));
        // At irregular distances, 200 on average.
        if (n.wrapping_mul(2_654_435_761) >> 16).is_multiple_of(200) {
            site.new_page(&path);
        } else {
            site.near(&path, &[]);
        }
        assert_eq!(site.trap("/api/x9/zz"), None, "after {n} pages");
    }
}

#[test]
fn the_memory_of_patterns_is_bounded() {
    let mut site = Site::default();
    for n in 0..60_000 {
        site.exact(&format!("/{}/{}/{}", word(n), word(n * 3), word(n * 7)), &["/a", "/b"]);
    }
    let kept = (0..60_000).filter(|&n| site.traps.sources.contains(n)).count();
    assert!(kept <= 2 * DUPLICATES_A_GENERATION);
    assert!(site.traps.traps.values().all(|traps| traps.len() <= MAX_TRAPS));
}
