//! `crawler check`: whether the crawl has kept a text already.

use std::fs;
use std::io::{Seek, Write};
use std::process::Stdio;

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::archive::damage_text_of;
use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, html, page, replaced, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

const CHINESE: &str = "大熊猫是生活在中国西部高山竹林里的一种熊，身上的毛只有黑白两色，眼睛周围各有一块黑斑。";

fn chinese() -> String {
    (0..12).map(|n| format!("第{n}段{CHINESE}")).collect()
}

/// The text that the store holds of a page with this text.
fn stored(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    words.chunks(40).map(|paragraph| paragraph.join(" ") + ".\n").collect()
}

fn crawled() -> (Site, Crawl) {
    let site = Site::of([
        ("/", home(&["/a", "/b", "/zh", "/memo", "/word"])),
        ("/a", page("\u{1b}[31mThe first\u{202e}", &words(1, 300), NO_LINKS)),
        ("/b", page("Another", &words(2, 300), NO_LINKS)),
        ("/zh", page("大熊猫", &chinese(), NO_LINKS)),
        ("/memo", page("Memo", &words(4, 20), NO_LINKS)),
        ("/word", page("Word", "harbour", NO_LINKS)),
        ("/elsewhere", page("Not crawled", &words(2, 300), NO_LINKS)),
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /private")),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

#[track_caller]
fn check(crawl: &Crawl, source: &str, arguments: &[&str]) -> Ended {
    crawl.read("check", &[&[source], arguments].concat())
}

/// The text as a file, and the answer in both forms.
#[track_caller]
fn checked(crawl: &Crawl, name: &str, text: &str, code: i32) -> Value {
    fs::write(crawl.path(name), text).unwrap();
    fits(&check(crawl, name, &[]).with_code(code).stdout);
    json(&check(crawl, name, &["--format", "json"]).with_code(code))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap()
}

#[track_caller]
fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
        assert!(
            !line.contains(char::is_control) && !line.contains('\u{202e}'),
            "{line:?}"
        );
    }
}

#[test]
fn the_exit_code_is_the_verdict() {
    let (site, crawl) = crawled();
    let first = words(1, 300);
    let exact = checked(
        &crawl,
        "exact.txt",
        &stored(&first).to_uppercase().replace(' ', "\n"),
        11,
    );
    assert_eq!(
        (&exact["verdict"], &exact["compared_by"]),
        (&"exact".into(), &"fingerprint".into())
    );
    let nearest = &exact["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["is_exact"]),
        (&site.url("/a").into(), &true.into())
    );
    assert_eq!((&nearest["jaccard"], &nearest["covered"]), (&1.0.into(), &1.0.into()));

    let near = checked(
        &crawl,
        "near.html",
        &html("Mine", &replaced(&first, 150, 3, 9), NO_LINKS),
        10,
    );
    assert_eq!((&near["verdict"], &near["title"]), (&"near".into(), &"Mine".into()));
    let nearest = &near["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["is_duplicate"]),
        (&site.url("/a").into(), &true.into())
    );
    // 296 runs of five words; three words in the middle change seven of them.
    let jaccard = nearest["jaccard"].as_f64().unwrap();
    assert!((jaccard - 289.0 / 303.0).abs() < 1e-6, "{jaccard}");
    assert!(
        (nearest["similarity"].as_f64().unwrap() - jaccard).abs() < 0.1,
        "{nearest}"
    );

    let new = checked(&crawl, "new.txt", &words(77, 300), 0);
    assert_eq!((&new["verdict"], &new["covered"]), (&"new".into(), &0.0.into()));
}

#[test]
fn passages_in_common_are_named_with_their_places() {
    let (site, crawl) = crawled();
    let first = words(1, 300);
    let text = format!("{} {first} {}", words(50, 15), words(51, 15));
    let answer = checked(&crawl, "essay.txt", &text, 10);
    let nearest = &answer["nearest"][0];
    assert_eq!(nearest["url"], site.url("/a"));
    let passage = &nearest["passages"][0];
    assert_eq!(passage["tokens"], 300);
    let place = |key: &str| usize::try_from(passage[key].as_u64().unwrap()).unwrap();
    assert_eq!(&text[place("start")..place("end")], first);
    assert_eq!(nearest["covered_of_page"], 1.0);
    assert!(
        (answer["covered"].as_f64().unwrap() - 300.0 / 330.0).abs() < 1e-9,
        "{answer}"
    );
}

#[test]
fn a_text_too_short_for_a_fingerprint_has_a_verdict_of_its_own() {
    let (site, crawl) = crawled();
    let short = checked(&crawl, "short.txt", "harbour master", 12);
    assert_eq!(
        (&short["verdict"], &short["tokens"], &short["min_words"]),
        (&"too_short".into(), &2.into(), &50.into())
    );
    assert_eq!(short["compared_by"], "digest");
    let text = check(&crawl, "short.txt", &[]).stdout;
    assert!(text.contains("2 words") && text.contains("50 words"), "{text}");
    // The store holds this one word as a page.
    let known = checked(&crawl, "word.txt", "HARBOUR.", 11);
    let nearest = &known["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["distance"]),
        (&site.url("/word").into(), &0.into())
    );
    let nothing = checked(&crawl, "nothing.txt", " ... \n", 12);
    assert_eq!(
        (&nothing["tokens"], &nothing["compared_by"]),
        (&0.into(), &"nothing".into())
    );
    let memo = replaced(&words(4, 20), 19, 1, 5);
    let near = checked(&crawl, "memo.txt", &memo, 10);
    assert_eq!(
        (&near["compared_by"], &near["nearest"][0]["distance"]),
        (&"shingles".into(), &Value::Null)
    );
    // It was compared with short pages only; a longer page may contain it.
    let other = checked(&crawl, "other.txt", &words(60, 20), 12);
    assert_eq!(
        (&other["verdict"], &other["compared_by"]),
        (&"too_short".into(), &"shingles".into())
    );
    let thorough = thoroughly(&crawl, "other.txt", 0);
    assert_eq!(
        (&thorough["verdict"], &thorough["texts_compared"]),
        (&"new".into(), &6.into())
    );
    let reason = thorough["reason"].as_str().unwrap();
    assert_eq!(reason, "No kept page shares a run of five words with this text.");
}

/// The words of a text from one on.
fn excerpt(text: &str, from: usize, count: usize) -> String {
    let words: Vec<&str> = text.split(' ').skip(from).take(count).collect();
    words.join(" ")
}

/// The answer as JSON, after a check that the text fits the terminal.
#[track_caller]
fn thoroughly(crawl: &Crawl, name: &str, code: i32) -> Value {
    fits(&check(crawl, name, &["--thorough"]).with_code(code).stdout);
    json(&check(crawl, name, &["--thorough", "--format", "json"]).with_code(code))
}

#[test]
fn an_excerpt_of_a_kept_page_is_contained_in_it() {
    let (site, crawl) = crawled();
    let first = words(1, 300);
    for (name, from, count) in [("five.txt", 100, 5), ("forty.txt", 200, 40), ("long.txt", 33, 110)] {
        fs::write(crawl.path(name), excerpt(&first, from, count)).unwrap();
        let answer = thoroughly(&crawl, name, 13);
        let nearest = &answer["nearest"][0];
        assert_eq!(
            (
                &answer["verdict"],
                &nearest["url"],
                &nearest["covered"],
                &answer["texts_unread"]
            ),
            (&"contained".into(), &site.url("/a").into(), &1.0.into(), &0.into()),
            "{name}"
        );
        assert_eq!(nearest["is_duplicate"], false);
        let reason = answer["reason"].as_str().unwrap();
        assert_eq!(reason, format!("All of it is in {}.", site.url("/a")));
    }
    let text = check(&crawl, "forty.txt", &["--thorough"]).with_code(13).stdout;
    assert!(text.starts_with("CONTAINED IN ANOTHER PAGE\nAll of it is in"), "{text}");

    // Without --thorough the answer claims nothing about longer pages.
    let short = checked(&crawl, "forty.txt", &excerpt(&first, 200, 40), 12);
    let reason = short["reason"].as_str().unwrap();
    assert!(
        reason.contains("short pages only") && reason.contains("--thorough"),
        "{reason}"
    );
    let long = checked(&crawl, "long.txt", &excerpt(&first, 33, 110), 0);
    let reason = long["reason"].as_str().unwrap();
    assert!(
        reason.contains("did not look for") && reason.contains("--thorough"),
        "{reason}"
    );

    let sixty = format!("{} {}", excerpt(&first, 0, 60), words(90, 10));
    fs::write(crawl.path("most.txt"), sixty).unwrap();
    let most = thoroughly(&crawl, "most.txt", 13);
    let reason = most["reason"].as_str().unwrap();
    assert_eq!(reason, format!("86 % of it is in {}.", site.url("/a")));
}

#[test]
fn five_characters_of_chinese_are_too_short_to_say_until_all_texts_are_read() {
    let (site, crawl) = crawled();
    let five = checked(&crawl, "five.txt", "高山竹林里", 12);
    assert_eq!(
        (&five["verdict"], &five["characters"]),
        (&"too_short".into(), &5.into())
    );
    let found = thoroughly(&crawl, "five.txt", 13);
    assert_eq!(
        (&found["verdict"], &found["nearest"][0]["url"]),
        (&"contained".into(), &site.url("/zh").into())
    );
    // Any page may contain four by chance.
    fs::write(crawl.path("four.txt"), "高山竹林").unwrap();
    thoroughly(&crawl, "four.txt", 12);
}

#[test]
fn a_page_that_the_index_finds_may_contain_the_text() {
    let (site, crawl) = crawled();
    fs::write(crawl.path("strict.toml"), "dedup.min_similarity = 0.99").unwrap();
    fs::write(crawl.path("most.txt"), excerpt(&words(1, 300), 0, 290)).unwrap();
    let answer = check(&crawl, "most.txt", &["--config", "strict.toml", "--format", "json"]).with_code(13);
    let answer = json(&answer);
    assert_eq!(
        (
            &answer["verdict"],
            &answer["nearest"][0]["url"],
            &answer["texts_compared"]
        ),
        (&"contained".into(), &site.url("/a").into(), &Value::Null)
    );
}

#[test]
fn a_text_from_several_pages_is_new_only_as_a_whole() {
    let (_site, crawl) = crawled();
    let text = format!("{} {}", excerpt(&words(1, 300), 0, 100), excerpt(&words(2, 300), 0, 90));
    fs::write(crawl.path("both.txt"), text).unwrap();
    let answer = thoroughly(&crawl, "both.txt", 0);
    assert_eq!((&answer["verdict"], &answer["covered"]), (&"new".into(), &1.0.into()));
    check(&crawl, "both.txt", &["--thorough"]).succeeded().says(&[
        "NEW ONLY AS A WHOLE",
        "53 % of it is in",
        "All of it is in the pages",
    ]);
}

#[test]
fn standard_input_is_read() {
    let (_site, crawl) = crawled();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(stored(&words(1, 300)).as_bytes()).unwrap();
    file.rewind().unwrap();
    let mut command = crawler(["check", "-", "--format", "json", "--data"]);
    let ended = run(command.arg(crawl.data()).stdin(Stdio::from(file))).with_code(11);
    assert_eq!(json(&ended)["source"], "-");
}

#[test]
fn a_url_is_fetched_politely_and_its_own_page_is_named() {
    let (site, crawl) = crawled();
    let own = check(&crawl, &site.url("/a#part"), &["--allow-private", "--format", "json"]).with_code(11);
    let own = json(&own);
    assert_eq!(
        (&own["url"], &own["same_url"]["url"]),
        (&site.url("/a").into(), &site.url("/a").into())
    );
    assert_eq!(own["same_url"]["kept"], true);
    check(&crawl, &site.url("/a"), &["--allow-private"]).says(&["the same URL"]);
    let elsewhere = json(
        &check(
            &crawl,
            &site.url("/elsewhere"),
            &["--allow-private", "--format", "json"],
        )
        .with_code(11),
    );
    assert_eq!(
        (&elsewhere["same_url"], &elsewhere["nearest"][0]["url"]),
        (&Value::Null, &site.url("/b").into())
    );
    let forbidden = check(&crawl, &site.url("/private/a"), &["--allow-private"]).with_code(1);
    forbidden.complains_of(&["robots.txt forbids it"]);
    assert!(!site.paths().contains(&"/private/a".to_owned()));
    check(&crawl, &site.url("/lost"), &["--allow-private"])
        .with_code(1)
        .complains_of(&["404"]);
}

#[test]
fn a_thorough_check_names_the_nearest_page_of_a_new_text() {
    let (site, crawl) = crawled();
    let half = format!(
        "{} {}",
        words(1, 300).split(' ').take(80).collect::<Vec<_>>().join(" "),
        words(70, 220)
    );
    let quick = checked(&crawl, "half.txt", &half, 0);
    assert_eq!(quick["covered"], 0.0);
    let thorough = json(&check(&crawl, "half.txt", &["--thorough", "--format", "json"]).succeeded());
    let nearest = &thorough["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["is_duplicate"]),
        (&site.url("/a").into(), &false.into())
    );
    assert_eq!(nearest["passages"][0]["tokens"], 80);
    let text = check(&crawl, "half.txt", &["--thorough"]).succeeded();
    text.says(&["NEW IN PART\n27 % of it is in"]);
    assert_eq!(thorough["nearest"].as_array().unwrap().len(), 3);
}

#[test]
fn chinese_is_checked_by_its_characters() {
    let (site, crawl) = crawled();
    let answer = checked(&crawl, "zh.txt", &chinese().replace("第5段", "第五节"), 10);
    let nearest = &answer["nearest"][0];
    assert_eq!(nearest["url"], site.url("/zh"));
    assert!(answer["characters"].as_u64().unwrap() > 400, "{answer}");
    assert_eq!(nearest["passages"].as_array().unwrap().len(), 2);
}

#[test]
fn another_rule_takes_effect_and_nothing_is_written() {
    let (_site, crawl) = crawled();
    fs::write(crawl.path("memo.txt"), replaced(&words(4, 20), 10, 1, 5)).unwrap();
    // Of 16 runs of five words a word in the middle changes five: 11 of 21 are the same.
    check(&crawl, "memo.txt", &[]).with_code(13);
    fs::write(crawl.path("lenient.toml"), "dedup.min_similarity_short = 0.5").unwrap();
    let lenient = check(&crawl, "memo.txt", &["--config", "lenient.toml"]).with_code(10);
    lenient.complains_of(&["the store's index was built for another rule than the configured one"]);
    let again = check(&crawl, "memo.txt", &[]).with_code(13);
    assert_eq!(again.stderr, "");
    crawl.run();
}

#[test]
fn another_scheme_is_an_error_that_names_the_remedy() {
    let (_site, crawl) = crawled();
    fs::write(crawl.path("a.txt"), words(1, 300)).unwrap();
    fs::write(crawl.path("wide.toml"), "dedup.bits = 128").unwrap();
    let refused = check(&crawl, "a.txt", &["--config", "wide.toml"]).with_code(1);
    refused.complains_of(&["simhash128", "simhash64", "crawler rebuild"]);
}

#[test]
fn a_damaged_text_does_not_change_the_verdict() {
    let (site, crawl) = crawled();
    damage_text_of(&crawl.data(), &site.url("/a"));
    let answer = checked(&crawl, "near.txt", &replaced(&stored(&words(1, 300)), 150, 3, 9), 10);
    let nearest = &answer["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["is_duplicate"], &nearest["covered"]),
        (&site.url("/a").into(), &true.into(), &Value::Null)
    );
    assert!(
        nearest["unreadable"].as_str().unwrap().contains(".warc.gz"),
        "{nearest}"
    );
    assert_eq!(answer["is_cut"], true);
    check(&crawl, "near.txt", &[])
        .with_code(10)
        .says(&["NEAR-DUPLICATE", "its text cannot be read", "at least 0"]);
    // Other pages are not affected.
    let other = checked(&crawl, "other.txt", &stored(&words(2, 300)), 11);
    assert_eq!((&other["covered"], &other["is_cut"]), (&1.0.into(), &false.into()));
}

#[test]
fn the_search_for_passages_of_a_very_long_text_is_cut_short_and_says_so() {
    let (site, crawl) = crawled();
    // More tokens than are looked at, and nothing but runs that the page has too.
    let text = format!("{}\n", stored(&words(1, 300))).repeat(1_700);
    let answer = checked(&crawl, "long.txt", &text, 10);
    let nearest = &answer["nearest"][0];
    assert_eq!(
        (&nearest["url"], &nearest["is_cut"], &answer["is_cut"]),
        (&site.url("/a").into(), &true.into(), &true.into())
    );
    assert_eq!(nearest["covered_of_page"], 1.0);
    check(&crawl, "long.txt", &[])
        .with_code(10)
        .says(&["at least", "the search for passages was cut short"]);
}

#[test]
fn sources_that_are_not_pages_are_refused() {
    let (_site, crawl) = crawled();
    check(&crawl, "nothing.html", &[])
        .with_code(1)
        .complains_of(&["nothing.html"]);
    fs::write(crawl.path("many.jsonl"), "{\"id\": 1, \"text\": \"one\"}\n").unwrap();
    check(&crawl, "many.jsonl", &[])
        .with_code(2)
        .complains_of(&["crawler dedup"]);
    fs::write(crawl.path("image.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    check(&crawl, "ftp://example.org/", &[])
        .with_code(1)
        .complains_of(&["only http and https URLs are fetched"]);
    let long = format!("gopher://example.org/{}", "x".repeat(100_000));
    assert!(check(&crawl, &long, &[]).with_code(1).stderr.len() < 1_000);
    check(&crawl, "image.png", &[])
        .with_code(1)
        .complains_of(&["it is image/png"]);
}
