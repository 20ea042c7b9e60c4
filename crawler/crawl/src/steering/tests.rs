use super::host_rules::{MAX_PATTERNS, MAX_SHAPES, MAX_WIDE_RULES};
use super::*;
use config::Leave;

pub(super) fn policy() -> SteeringSettings {
    SteeringSettings {
        enabled: true,
        min_confirmed: 3,
        min_pattern_pages: 10,
        leave: Leave::Traps,
        apply: Vec::new(),
        duplicate_share: None,
    }
}

/// A site of pages with given texts: the same text is an exact duplicate.
struct Crawl {
    steering: Steering,
    /// Whether the browser gives the pages up.
    gives_up: bool,
    kept: HashMap<String, String>,
    pages: HashMap<String, u64>,
}

impl Crawl {
    fn new(policy: SteeringSettings) -> Self {
        Self {
            steering: Steering::new(policy),
            gives_up: false,
            kept: HashMap::new(),
            pages: HashMap::new(),
        }
    }

    /// Decides on a page with this text, which `via` linked to. Returns whether it contradicts a rule.
    fn page(&mut self, path: &str, text: &str, via: Option<&str>) -> bool {
        let url = url(path).to_string();
        let id = self.pages.len() as u64 + 1;
        self.pages.insert(path.to_owned(), id);
        let of = self.kept.get(text).cloned();
        if of.is_none() {
            self.kept.insert(text.to_owned(), url.clone());
        }
        let decision = JudgedPage {
            page: id,
            url,
            via: via.map(|via| self.pages[via]),
            duplicate_of: of.map(|url| DuplicateOf {
                page: self.pages[url.trim_start_matches("http://h")],
                url,
                is_exact: true,
                new_links: Some(Vec::new()),
            }),
            is_incomplete: self.gives_up,
        };
        !self.steering.decided("h", &decision).is_empty()
    }

    fn forecast(&self, path: &str) -> Forecast {
        self.steering.forecast("h", &url(path))
    }

    fn is_held_back(&self, path: &str) -> Option<bool> {
        match self.forecast(path) {
            Forecast::Duplicate(prediction) => Some(prediction.is_held_back),
            _ => None,
        }
    }
}

fn url(path: &str) -> Url {
    Url::parse(&format!("http://h{path}")).unwrap()
}

#[test]
fn pages_that_the_browser_gave_up_teach_nothing() {
    let mut crawl = Crawl::new(policy());
    crawl.gives_up = true;
    for path in ["/room", "/choir", "/lecture"] {
        for id in 1..8 {
            crawl.page(&format!("{path}?sid={id}"), "loading", None);
        }
    }
    assert_eq!(crawl.forecast("/room?sid=9"), Forecast::New);
    crawl.gives_up = false;
    crawl.page("/room?sid=10", "room", None);
    crawl.page("/room?sid=11", "room", None);
    assert!(matches!(crawl.forecast("/room?sid=12"), Forecast::Test(_)));
    crawl.gives_up = true;
    assert!(
        !crawl.page("/room?sid=13", "another", None),
        "it does not contradict, either"
    );
}

#[test]
fn a_session_id_is_suspected_then_deprioritised_then_held_back_where_two_paths_agree() {
    let mut crawl = Crawl::new(policy());
    crawl.page("/room?sid=1", "room", None);
    assert_eq!(crawl.forecast("/room?sid=2"), Forecast::New);
    crawl.page("/room?sid=2", "room", None);
    assert!(matches!(crawl.forecast("/room?sid=3"), Forecast::Test(_)));
    assert_eq!(
        crawl.forecast("/choir?sid=3"),
        Forecast::New,
        "not decided under any id"
    );
    crawl.page("/room?sid=3", "room", None);
    crawl.page("/room?sid=4", "room", None);
    assert_eq!(
        crawl.is_held_back("/room?sid=5"),
        Some(false),
        "one path is no proof for all"
    );
    crawl.page("/choir?sid=1", "choir", None);
    assert!(matches!(crawl.forecast("/choir?sid=2"), Forecast::Test(_)));
    crawl.page("/choir?sid=2", "choir", None);
    assert_eq!(crawl.is_held_back("/choir?sid=3"), Some(true));
    crawl.page("/lecture?sid=1", "lecture", None);
    assert_eq!(
        crawl.is_held_back("/lecture?sid=2"),
        Some(false),
        "each page has to show it once"
    );
    assert_eq!(
        crawl.is_held_back("/room"),
        Some(true),
        "without the parameter it is the same page"
    );
    assert_eq!(
        crawl.forecast("/allotment?sid=3"),
        Forecast::New,
        "the first of each page is fetched"
    );
}

#[test]
fn an_endless_calendar_is_held_back_and_a_list_of_similar_pages_only_deprioritised() {
    let mut crawl = Crawl::new(policy());
    crawl.page("/list", "list", None);
    for n in 0..6 {
        crawl.page(&format!("/item/{n}"), "item", Some("/list"));
    }
    assert_eq!(crawl.is_held_back("/item/9"), Some(false));
    crawl.page("/cal/1/1", "month", None);
    for n in 2..=4 {
        assert_ne!(crawl.is_held_back(&format!("/cal/1/{n}")), Some(true));
        crawl.page(&format!("/cal/1/{n}"), "month", Some(&format!("/cal/1/{}", n - 1)));
    }
    assert_eq!(crawl.is_held_back("/cal/1/5"), Some(true));
}

#[test]
fn a_page_that_says_something_new_ends_a_rule() {
    let mut crawl = Crawl::new(policy());
    crawl.page("/cal/1/1", "month", None);
    for n in 2..=5 {
        crawl.page(&format!("/cal/1/{n}"), "month", Some(&format!("/cal/1/{}", n - 1)));
    }
    assert_eq!(crawl.is_held_back("/cal/2/9"), Some(true));
    let Forecast::Duplicate(prediction) = crawl.forecast("/cal/2/9") else {
        panic!("it is forecast as a duplicate")
    };
    let samples: Vec<u64> = (1..=90)
        .filter(|_| crawl.steering.is_sample("h", &prediction.by))
        .collect();
    assert_eq!(samples, [9, 36, 81]);
    assert!(crawl.page("/cal/7/7", "a feast", None), "wakes what was left");
    assert_eq!(crawl.forecast("/cal/2/9"), Forecast::New);
}

#[test]
fn kept_pages_from_before_a_rule_contradict_it() {
    let mut crawl = Crawl::new(policy());
    for month in 1..=6 {
        crawl.page(&format!("/archive/2/{month}"), &format!("month {month}"), None);
    }
    crawl.page("/archive/1/1", "nothing", None);
    let mut before = "/archive/1/1".to_owned();
    for month in 2..=9 {
        let path = format!("/archive/1/{month}");
        crawl.page(&path, "nothing", Some(&before));
        before = path;
    }
    assert_eq!(crawl.forecast("/archive/1/10"), Forecast::New);
    let rules = crawl.steering.rules();
    assert_eq!((rules[0].evidence.confirmed, rules[0].evidence.contradicted), (8, 6));
}

#[test]
fn a_calendar_of_several_parameters_is_recognised() {
    let mut crawl = Crawl::new(policy());
    crawl.page("/cal?y=2026&m=11", "month", None);
    let mut before = "/cal?y=2026&m=11".to_owned();
    for (year, month) in [(2026, 12), (2027, 1), (2027, 2), (2027, 3), (2027, 4)] {
        let path = format!("/cal?y={year}&m={month}");
        crawl.page(&path, "month", Some(&before));
        before = path;
    }
    assert_eq!(crawl.is_held_back("/cal?y=2027&m=5"), Some(true));
}

#[test]
fn the_least_useful_rule_makes_room() {
    let mut crawl = Crawl::new(policy());
    for n in 0..2 * MAX_WIDE_RULES {
        let word: String = format!("w{n}")
            .bytes()
            .map(|byte| char::from(byte.max(b'a' - 10 + byte % 48)))
            .collect();
        crawl.page(&format!("/{n}/x"), &format!("text {n}"), None);
        crawl.page(&format!("/{n}/{word}/x"), &format!("text {n}"), None);
    }
    for n in 0..6 {
        crawl.page(&format!("/p{n}?sid=1"), &format!("page {n}"), None);
        crawl.page(&format!("/p{n}?sid=2"), &format!("page {n}"), None);
    }
    assert_eq!(crawl.is_held_back("/p3?sid=7"), Some(true));
}

#[test]
fn nine_duplicates_in_ten_deprioritise_a_pattern_whatever_they_duplicate() {
    let mut crawl = Crawl::new(policy());
    for n in [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ] {
        crawl.page(&format!("/{n}"), n, None);
        assert_eq!(crawl.forecast("/copies/of-a-page?lang=x"), Forecast::New);
        crawl.page(&format!("/copies/{n}-x?lang={n}"), n, None);
    }
    crawl.page("/copies/eleven?lang=b", "one", None);
    assert_eq!(crawl.forecast("/copies/of-a-page?lang=x"), Forecast::Deprioritised);
    assert_eq!(crawl.forecast("/copies/of-a-page?size=x"), Forecast::New);
    for n in 0..2 {
        crawl.page(&format!("/copies/new{n}?lang=c"), &format!("new {n}"), None);
    }
    assert_eq!(crawl.forecast("/copies/of-a-page?lang=x"), Forecast::New);
    let patterns = crawl.steering.deprioritised_patterns();
    assert_eq!(patterns, []);
}

#[test]
fn print_versions_and_other_origins_are_recognised_in_both_directions() {
    let mut crawl = Crawl::new(policy());
    for n in ["a", "b", "c"] {
        crawl.page(&format!("/{n}"), n, None);
        crawl.page(&format!("/print/{n}"), n, None);
    }
    crawl.page("/d", "d", None);
    crawl.page("/print/e", "e", None);
    assert_eq!(crawl.is_held_back("/print/d"), Some(false));
    assert_eq!(crawl.is_held_back("/e"), Some(false));
    assert_eq!(crawl.forecast("/print/f"), Forecast::New);
}

#[test]
fn a_rule_that_the_user_applies_holds_from_the_start_but_not_for_the_first_url() {
    let rule: HostRule = "h: parameter sid".parse().unwrap();
    for enabled in [true, false] {
        let mut crawl = Crawl::new(SteeringSettings {
            apply: vec![rule.clone()],
            enabled,
            ..policy()
        });
        assert_eq!(crawl.forecast("/a?sid=1"), Forecast::New);
        crawl.page("/a?sid=1", "a", None);
        assert!(matches!(crawl.forecast("/a?sid=2"), Forecast::Same(_)));
        assert!(matches!(crawl.forecast("/a"), Forecast::Same(_)));
        assert_eq!(crawl.forecast("/b?sid=2"), Forecast::New);
    }
}

#[test]
fn one_url_at_a_time_tests_a_suspicion() {
    let mut crawl = Crawl::new(policy());
    crawl.page("/a?x=1", "a", None);
    crawl.page("/a?x=2", "a", None);
    let Forecast::Test(rule) = crawl.forecast("/a?x=3") else {
        panic!("a suspicion")
    };
    assert!(!crawl.steering.is_tested("h", &rule));
    crawl.steering.begin_test("h", 7, rule.clone());
    assert!(crawl.steering.is_tested("h", &rule));
    crawl.steering.end_test("h", 8);
    assert!(crawl.steering.is_tested("h", &rule));
    crawl.steering.end_test("h", 7);
    assert!(!crawl.steering.is_tested("h", &rule));
}

#[test]
fn rules_and_patterns_of_a_host_are_bounded() {
    let mut crawl = Crawl::new(policy());
    for n in 0..3_000_u32 {
        let word: String = n
            .to_string()
            .bytes()
            .map(|digit| char::from(digit - b'0' + b'a'))
            .collect();
        crawl.page(&format!("/{word}/x?{word}=1"), &word, None);
        crawl.page(&format!("/{word}/x?{word}=2"), &word, None);
        crawl.page(&format!("/{word}/y"), &format!("{word} y"), None);
        crawl.page(&format!("/{word}/{word}q/y"), &format!("{word} y"), None);
    }
    let host = &crawl.steering.hosts["h"];
    assert!(
        host.wide.len() <= MAX_WIDE_RULES && host.by_shape.len() <= MAX_SHAPES && host.patterns.len() <= MAX_PATTERNS
    );
}
