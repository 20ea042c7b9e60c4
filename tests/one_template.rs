//! Pages of one template, each with a sentence of its own in a long box that all share: every page is kept, and its copies are not.

use std::fs;

use crate::support::crawl::Crawl;
use crate::support::page::words;
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// Headings with what only their pages say.
const GLOSSARY: &[(&str, &str)] = &[
    (
        "bollard",
        "A short post on the quay to which the lines of ships are tied.",
    ),
    ("gaff", "The spar that holds the upper edge of a four-cornered sail."),
    ("fender", "A cushion of rope or rubber between the hull and a wall."),
    (
        "lee shore",
        "Land onto which the wind blows, and from which a ship must keep away.",
    ),
    ("thwart", "A bench across an open boat on which the rowers sit."),
    ("scupper", "An opening through which water on deck runs overboard."),
];
const OFFERS: &[(&str, &str)] = &[
    (
        "Sailmaker (m/f/d)",
        "You cut and sew mainsails and jibs, and mend torn spinnakers after regattas.",
    ),
    (
        "Crane driver (m/f/d)",
        "You lift yachts of up to forty tons out of the basin in autumn.",
    ),
    (
        "Bookkeeper (m/f/d)",
        "You write invoices, chase late payers and prepare the yearly balance.",
    ),
    (
        "Boatbuilder (m/f/d)",
        "You replace rotten planks and laminate hulls in our heated hall.",
    ),
];
const VERSIONS: &[(&str, &str)] = &[
    (
        "Harbour Act, version of 1931",
        "This version was adopted after the great flood had swept two piers away.",
    ),
    (
        "Harbour Act, version of 1947",
        "A committee led by Ida Holm moved this text when fishing was free again.",
    ),
    (
        "Harbour Act, version of 1968",
        "Parliament passed it because container ships needed deeper channels.",
    ),
];
const 航海: &[(&str, &str)] = &[
    ("系船柱", "岸上用来拴住船只缆绳的短粗柱子。"),
    ("斜桁", "撑起四角帆上缘的长圆杆。"),
    ("护舷", "船身与码头之间防止碰撞的软垫。"),
    ("排水孔", "让甲板上的积水流出船外的小洞。"),
];

type Template = fn(heading: &str, own: &str, shared: &str) -> String;

/// The heading before the box, the site's name as heading, a table.
const TEMPLATES: [Template; 3] = [
    |heading, own, shared| {
        format!(
            "<html><head><title>{heading}</title></head><body><main><h1>{heading}</h1><p>{own}</p>\
             <div><h2>About</h2>{shared}</div></main></body></html>"
        )
    },
    |heading, own, shared| {
        format!(
            "<html><head><title>{heading} | Northern Yard</title></head><body><h1>Northern Yard</h1>\
             <div id=content>{shared}<h2>{heading}</h2><ul><li>{own}</li></ul></div></body></html>"
        )
    },
    |heading, own, shared| {
        format!(
            "<html><head><title>Northern Yard</title></head><body><article><h1>{heading}</h1>\
             <table><tr><td>{own}</td></tr></table>{shared}</article></body></html>"
        )
    },
];

/// Each page, its print view and a copy with a session.
fn site(pages: &'static [(&'static str, &'static str)], template: Template) -> Site {
    let shared = if pages[0].0.is_ascii() {
        (1..6).map(|n| format!("<p>{}.</p>", words(n, 40))).collect()
    } else {
        "<p>本词典由帆船俱乐部成员在两届比赛之间编成，解释初学者在码头上听到却不敢问的词语。每个词条都由两位有经验的水手读过。\
         如发现错误，请写信给编辑，编辑部每月第一个星期一在船库楼上开会。词条可以抄录用于教学，但须注明俱乐部的名称。</p>"
            .repeat(2)
    };
    Site::scripted(move |asked| {
        let number = |path: &str| path.trim_start_matches("/p/").parse::<usize>().ok();
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        if path == "/" {
            let links = (0..pages.len()).map(|n| {
                format!("<a href=/p/{n}>{n}</a> <a href=/p/{n}?print=1>{n}</a> <a href=/p/{n}?sid=a{n}f>{n}</a>")
            });
            return Answer::html(format!(
                "<title>All pages</title><main><p>Welcome to this list</p>{}</main>",
                links.collect::<String>()
            ));
        }
        let Some(&(heading, own)) = number(path).and_then(|n| pages.get(n)) else {
            return Answer::status(404);
        };
        let page = template(heading, own, &shared);
        Answer::html(match query {
            "print=1" => page
                .replace("<h1>", "<h1>Print: ")
                .replace("</body>", "<p>Printed from the site of Northern Yard</p></body>"),
            "" => page,
            session => page.replace("<body>", &format!("<body><p>{session}</p>")),
        })
    })
}

fn crawled(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).set("steering.enabled", false);
    crawl.run();
    crawl
}

/// The pages of which a copy is kept, ascending. No page may be kept twice.
#[track_caller]
fn kept(crawl: &Crawl, site: &Site) -> Vec<usize> {
    let outcomes = crawl.outcomes(site);
    let kept = outcomes
        .iter()
        .filter(|(path, outcome)| path.starts_with("/p/") && *outcome == "kept");
    let number = |path: &str| path["/p/".len()..].split('?').next().unwrap().parse().unwrap();
    let mut kept: Vec<usize> = kept.map(|(path, _)| number(path)).collect();
    kept.sort_unstable();
    assert!(kept.is_sorted_by(|a, b| a < b), "kept twice: {outcomes:?}");
    kept
}

#[test]
fn every_page_with_a_sentence_of_its_own_is_kept_and_no_copy_of_it() {
    for pages in [GLOSSARY, OFFERS, VERSIONS, 航海] {
        for (number, template) in TEMPLATES.into_iter().enumerate() {
            let site = site(pages, template);
            let crawl = crawled(&site);
            let all: Vec<usize> = (0..pages.len()).collect();
            assert_eq!(kept(&crawl, &site), all, "template {number} of {:?}", pages[0]);
        }
    }
}

#[test]
fn own_words_decide_again_without_a_request_and_the_answer_names_them() {
    let site = site(GLOSSARY, TEMPLATES[0]);
    let mut crawl = crawled(&site);
    let asked = site.requests().len();
    let redecided = |crawl: &mut Crawl, least: u32| {
        crawl.change("dedup.min_own_words", least);
        crawl.command(&[]);
        crawl
            .read("rebuild", &["--config", "test.toml", "--redecide"])
            .succeeded();
        kept(crawl, &site).len()
    };
    assert!(redecided(&mut crawl, 0) <= 2);
    assert_eq!(redecided(&mut crawl, 3), GLOSSARY.len());
    assert_eq!(site.requests().len(), asked);
    let explained = crawl.read("explain", &[&site.url("/p/1")]).succeeded().stdout;
    assert!(explained.contains("words of their own"), "{explained}");
}

#[test]
fn dedup_tells_documents_of_one_group_apart() {
    let site = site(GLOSSARY, TEMPLATES[0]);
    let crawl = crawled(&site);
    // In the order of their URLs: the crawl may have kept either of the pages of one text.
    let mut pages = crawl.export();
    pages.sort_by_key(|page| page["url"].to_string());
    let lines: Vec<String> = pages.iter().map(|page| {
        serde_json::json!({"id": page["url"], "url": page["url"], "site": "yard", "title": page["title"], "text": page["text"]}).to_string()
    }).collect();
    fs::write(crawl.path("pages.jsonl"), lines.join("\n")).unwrap();
    for (group, expected) in [
        (None, 2),
        (Some("host"), GLOSSARY.len() + 1),
        (Some("site"), GLOSSARY.len() + 1),
        (Some("none"), 2),
    ] {
        let mut command = crawler(["dedup", "pages.jsonl"]);
        command
            .args(group.map(|group| format!("--group-by={group}")))
            .current_dir(crawl.path(""));
        let ended = run(&mut command).succeeded();
        assert_eq!(
            ended.stderr.contains("--group-by changes nothing"),
            group == Some("none"),
            "{}",
            ended.stderr
        );
        let verdicts = ended.stdout;
        let unique = verdicts.lines().filter(|line| line.contains("\"unique\"")).count();
        assert_eq!(unique, expected, "{group:?}: {verdicts}");
    }
}
