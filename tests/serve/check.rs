//! Check: the answer of the command.

use serde_json::Value;

use super::served::Served;
use super::{crawled, site};
use crate::support::page::{replaced, words};

#[test]
fn a_text_is_checked_as_the_command_checks_it() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let nearly = replaced(&words(1, 300), 100, 6, 200);
    let html = format!("<title>A page</title><main><p>{}</p></main>", words(2, 300));
    for (name, text) in [
        ("new.txt", words(7, 300)),
        ("near.txt", nearly),
        ("same.html", html),
        ("short.txt", "tide".to_owned()),
    ] {
        std::fs::write(crawl.path(name), &text).unwrap();
        let arguments = [name, "--config", "test.toml", "--format", "json"];
        let wanted: Value = serde_json::from_str(&crawl.read("check", &arguments).stdout).unwrap();
        assert_eq!(
            served.post(&format!("/api/check?name={name}"), &text).with(200).json(),
            wanted,
            "{name}"
        );
    }
    let refused = served.post("/api/check?name=many.jsonl", "{}").with(400).json();
    let reason = refused["error"].as_str().unwrap();
    assert!(reason.starts_with("many.jsonl holds many documents"), "{reason}");
    served.post("/api/check?url=nonsense", "text").with(400);
    served.get("/check").with(200);
}
