//! Duplicates: pairs, clusters and labels.

use super::served::Served;
use super::{command, crawled, site};

#[test]
fn labels_survive_a_restart_and_tune_uses_them() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let [first, copy, near] = ["/a", "/copy", "/near"].map(|path| site.url(path));
    let label = |served: &Served, a: &str, b: &str, label: &str| {
        let body = serde_json::json!({"a": a, "b": b, "label": label}).to_string();
        served.post("/api/labels", &body)
    };
    label(&served, &first, &near, "duplicate").with(200);
    label(&served, &first, &copy, "duplicate").with(200);
    label(&served, &copy, &first, "withdrawn").with(200);
    let given = label(&served, &near, &first, "different").with(200).json();
    assert_eq!((&given["count"], &given["bad_lines"]), (&1.into(), &0.into()));
    for (a, b, word) in [
        (&first, &first, "duplicate"),
        (&first, &site.url("/nowhere"), "duplicate"),
        (&first, &near, "perhaps"),
    ] {
        label(&served, a, b, word).with(400);
    }
    served.post("/api/labels", "no json").with(400);
    drop(served);
    let file = crawl.data().join("labels.jsonl");
    let lines = std::fs::read_to_string(&file).unwrap();
    assert_eq!(lines.lines().count(), 4, "{lines}");
    // What a crash may leave.
    std::fs::write(&file, lines + "{\"at\": \"20").unwrap();

    let served = Served::start(&crawl);
    let labels = served.json("/api/labels");
    assert_eq!(
        (&labels["labels"][0]["label"], &labels["bad_lines"]),
        (&"different".into(), &1.into())
    );
    label(&served, &first, &copy, "duplicate").with(200);
    let at = ["--at", "10,0.76"];
    let tuned = command(&crawl, "tune", &at);
    assert_eq!(
        (&tuned["labels"]["pairs"], &tuned["labels"]["bad_lines"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        tuned["labels"]["contradicted"].as_array().unwrap().len(),
        1,
        "the crawl drops a page labelled different"
    );
    crawl.read("verify", &["--config", "test.toml"]).succeeded();
    // A file of --pairs comes after them.
    std::fs::write(crawl.path("mine.tsv"), format!("{first}\t{near}\tduplicate\n")).unwrap();
    let tuned = command(&crawl, "tune", &[&at[..], &["--pairs", "mine.tsv"]].concat());
    assert_eq!(tuned["labels"]["contradicted"].as_array().unwrap().len(), 0);
}

#[test]
fn pairs_and_clusters_are_those_of_the_report() {
    let site = site();
    let crawl = crawled(&site);
    let served = Served::start(&crawl);
    let report = crawl.report();
    let clusters = served.json("/api/clusters");
    let cluster = &clusters["rows"][0];
    assert_eq!(
        (&clusters["total"], &cluster["kept"]),
        (&1.into(), &site.url("/a").into())
    );
    let reported = report["clusters"].as_array().unwrap().iter();
    let reported = reported.filter(|cluster| !cluster["duplicates"].as_array().unwrap().is_empty());
    assert_eq!(
        reported.map(|cluster| &cluster["duplicates"]).collect::<Vec<_>>(),
        [&cluster["duplicates"]]
    );
    let pairs = served.json("/api/pairs");
    let others: Vec<&str> = pairs["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair["other"].as_str().unwrap())
        .collect();
    assert!(others.contains(&&*site.url("/near")), "{pairs:#}");
    for pair in pairs["rows"].as_array().unwrap() {
        let ids = format!("kept={}&other={}", pair["kept_id"], pair["other_id"]);
        let compared = served.json(&format!("/api/pair?{ids}"));
        let view = served.get(&format!("/duplicates/pair?{ids}")).with(200).body;
        assert!(view.contains("whatever the rule says"), "{view}");
        assert_eq!(
            (&compared["kept"]["url"], &compared["other"]["url"]),
            (&pair["kept"], &pair["other"])
        );
        assert!(compared["diff"]["added"].as_u64().unwrap() > 0, "{compared}");
        let page = served.get(&format!("/duplicates/pair?{ids}")).with(200).body;
        assert!(
            page.contains("<ins>") && page.contains("data-label=\"different\""),
            "{page}"
        );
    }
    let list = served.get("/duplicates").with(200).body;
    assert!(
        list.contains("Go to the first pair without a label") && list.contains("Nearly"),
        "{list}"
    );
    let cluster = format!("/duplicates/cluster?id={}", cluster["id"]);
    assert!(served.get(&cluster).with(200).body.contains("Copy"));
    for path in [
        "/duplicates/cluster?id=999",
        "/duplicates?page=9",
        "/duplicates/pair?kept=1&other=999",
    ] {
        served.get(path).with(404);
    }
    served.get("/duplicates/pair?kept=1").with(400);
}
