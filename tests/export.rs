//! `crawler export`: forms, filters, destinations and interrupted exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use storage::warc::{Capture, Compression};
use storage::{Discovered, OpenOptions, Outcome, PageDraft, Store};

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, words};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::site::{Answer, Site};

/// The documentation of the fields.
const DOCUMENTATION: &str = include_str!("../docs/src/export.md");

/// Titles that mean something to some format, in HTML, and as they are.
const TITLES: &[(&str, &str)] = &[
    ("say &quot;hi&quot;, 'you'", "say \"hi\", 'you'"),
    ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"),
    ("-1+1", "-1+1"),
    ("'=guarded?", "'=guarded?"),
    ("../../etc/passwd", "../../etc/passwd"),
    ("--- # no: [a, b] {c} &amp;d *e", "--- # no: [a, b] {c} &d *e"),
    ("null", "null"),
    ("C:\\new\\x41", "C:\\new\\x41"),
    ("\u{202e}evil\u{2066}\u{200f}", "\u{202e}evil\u{2066}\u{200f}"),
    ("漢字と かな 🕷", "漢字と かな 🕷"),
];

/// A page a title, an exact copy of the first, and a page on a second host, which is the seed.
fn finished() -> (Site, Crawl) {
    let links: Vec<String> = (0..TITLES.len()).map(|i| format!("/{i}")).collect();
    let mut pages: Vec<(String, Answer)> = vec![("/".to_owned(), page("Home", &words(98, 150), &links))];
    for (i, (title, _)) in TITLES.iter().enumerate() {
        let links = if i == 0 { &["/copy"][..] } else { NO_LINKS };
        pages.push((format!("/{i}"), page(title, &words(i as u64 + 1, 150), links)));
    }
    pages.push(("/copy".to_owned(), page("A copy", &words(1, 150), &["/0"])));
    pages.push(("/other".to_owned(), page("Elsewhere", &words(99, 150), NO_LINKS)));
    let site = Site::of(pages);
    let mut crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.add_seed(&site.localhost_url("/other"));
    crawl.run();
    (site, crawl)
}

/// The fields of an export that asks for nothing more.
fn fields() -> impl Iterator<Item = &'static export::Field> {
    export::FIELDS
        .iter()
        .filter(|field| field.group == export::Group::Always)
}

/// How many pages of [`finished`] are kept.
const KEPT: usize = TITLES.len() + 2;

fn lines(ended: Ended) -> Vec<Value> {
    let lines = ended.succeeded().stdout;
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every file below a folder, by its path in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// What lies beside the data folder under this beginning of a name.
fn beside(crawl: &Crawl, beginning: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(crawl.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(beginning)).collect()
}

#[test]
fn every_kept_page_is_a_line_with_every_field() {
    let (site, crawl) = finished();
    let lines = crawl.export();
    assert_eq!(lines.len(), KEPT);
    let names: BTreeSet<&str> = fields().map(|field| field.name).collect();
    for line in &lines {
        let keys: BTreeSet<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, names);
        assert_eq!(line["verdict"], "kept");
        assert!(line["digest"].as_str().unwrap().starts_with("sha1:"), "{line}");
    }
    for (i, (_, title)) in TITLES.iter().enumerate() {
        let url = site.url(&format!("/{i}"));
        let line = lines.iter().find(|line| line["url"] == url.as_str()).unwrap();
        assert_eq!(line["title"], *title);
    }
}

#[test]
fn a_duplicate_has_its_evidence_and_no_text() {
    let (site, crawl) = finished();
    let duplicates = lines(crawl.read("export", &["--verdict", "exact,near"]));
    let [copy] = &duplicates[..] else {
        panic!("{duplicates:?}")
    };
    assert_eq!(copy["url"], site.url("/copy"));
    assert_eq!(copy["duplicate_of"], site.url("/0"));
    assert_eq!((&copy["verdict"], &copy["distance"]), (&"exact".into(), &0.into()));
    assert_eq!((&copy["similarity"], &copy["text"]), (&1.0.into(), &Value::Null));
    assert_eq!(lines(crawl.read("export", &["--verdict", "all"])).len(), KEPT + 1);
}

#[test]
fn the_documented_table_of_fields_equals_the_code() {
    let rows = DOCUMENTATION
        .lines()
        .skip_while(|line| !line.starts_with("| field |"))
        .skip(2)
        .take_while(|line| line.starts_with("| "));
    let documented: Vec<(String, String)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].trim_matches('`').to_owned(), cells[1].to_owned())
        })
        .collect();
    let fields = export::FIELDS.iter().map(|field| {
        let kind = match field.kind {
            export::Kind::Text => "string",
            export::Kind::Texts => "list",
            export::Kind::Time => "timestamp",
            export::Kind::Int32 => "int32",
            export::Kind::Int64 => "int64",
            export::Kind::Real => "double",
            export::Kind::Bool => "boolean",
            export::Kind::Fingerprint => "fingerprint",
        };
        let nullable = if field.nullable { ", null" } else { "" };
        (field.name.to_owned(), format!("{kind}{nullable}"))
    });
    assert_eq!(documented, fields.collect::<Vec<_>>());
}

#[test]
fn the_ending_selects_the_form_and_the_compression() {
    let (_site, crawl) = finished();
    let shown = |format| crawl.read("export", &["--format", format]).succeeded().stdout;
    for (format, name) in [
        ("jsonl", "out.jsonl"),
        ("csv", "out.csv"),
        ("text", "out.txt"),
        ("cdxj", "out.cdxj"),
    ] {
        crawl.read("export", &["-o", name]).succeeded();
        assert_eq!(fs::read_to_string(crawl.path(name)).unwrap(), shown(format), "{name}");
        crawl.read("export", &["-o", &format!("{name}.gz")]).succeeded();
        let mut unpacked = String::new();
        let packed = File::open(crawl.path(&format!("{name}.gz"))).unwrap();
        flate2::read::MultiGzDecoder::new(packed)
            .read_to_string(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, shown(format), "{name}.gz");
        crawl.read("export", &["-o", &format!("{name}.zst")]).succeeded();
        let packed = fs::read(crawl.path(&format!("{name}.zst"))).unwrap();
        assert_eq!(
            zstd::decode_all(&packed[..]).unwrap(),
            shown(format).into_bytes(),
            "{name}.zst"
        );
    }
    crawl.read("export", &["-o", "out.parquet"]).succeeded();
    let parquet = fs::read(crawl.path("out.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    assert!(shown("parquet").starts_with("PAR1"), "not to a pipe");
    assert!(beside(&crawl, "out").iter().all(|name| !name.ends_with(".partial")));
}

#[test]
fn no_cell_of_a_spreadsheet_is_a_formula() {
    let (_site, crawl) = finished();
    let table = crawl.read("export", &["--format", "csv"]).succeeded().stdout;
    let header: Vec<&str> = fields().map(|field| field.name).collect();
    assert!(table.starts_with(&(header.join(",") + "\r\n")), "{table}");
    for cell in [
        ",\"'=cmd|' /C calc'!A0\",",
        ",\"'-1+1\",",
        ",\"''=guarded?\",",
        ",\"say \"\"hi\"\", 'you'\",",
    ] {
        assert!(table.contains(cell), "{cell} is not in {table}");
    }
}

#[test]
fn one_file_per_page_has_a_safe_name_and_is_complete() {
    let (site, crawl) = finished();
    for (format, extension) in [("markdown", "md"), ("text", "txt")] {
        let folder = format!("{format}/");
        crawl.read("export", &["--format", format, "-o", &folder]).succeeded();
        assert!(!crawl.path(&format!("{format}.partial")).exists());
        let written = files(&crawl.path(&folder));
        assert_eq!(written.len(), KEPT);
        for name in written.keys() {
            let name = name.to_str().unwrap();
            assert!(
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b)),
                "{name}"
            );
            assert!(
                name.ends_with(&format!(".{extension}")) && !name.contains(".."),
                "{name}"
            );
        }
        let hosts: BTreeSet<_> = written
            .keys()
            .map(|name| name.iter().next().unwrap().to_owned())
            .collect();
        assert_eq!(hosts.len(), 2, "{hosts:?}");
        let of_first = written.values().find(|file| file.contains(&words(1, 3))).unwrap();
        if format == "markdown" {
            assert!(
                of_first.contains(&format!("\nurl: \"{}\"\n", site.url("/0"))) || of_first.starts_with("---\nurl: ")
            );
            assert!(of_first.contains("\ntitle: \"say \\\"hi\\\", 'you'\"\n"), "{of_first}");
        } else {
            assert!(of_first.starts_with(&words(1, 3)), "{of_first}");
        }
        // Names are of the URL alone, so they are the same in the next export.
        let again = format!("{format}-again/");
        crawl.read("export", &["--format", format, "-o", &again]).succeeded();
        assert_eq!(files(&crawl.path(&again)), written);
        // What is there is not written over.
        let refused = crawl.read("export", &["--format", format, "-o", &folder]).with_code(2);
        refused.complains_of(&["is not empty"]);
    }
}

#[test]
fn a_second_reading_gives_the_structure_and_what_a_page_says_about_itself() {
    let ld = r#"<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"Ida Holm"}],"datePublished":"2024-03-05"}</script>"#;
    let article = format!(
        "<html lang=en><head><title>The plan</title>{ld}</head><body><article><h1>The plan</h1><p>By Ida Holm</p><p>{}</p><h2>Steps</h2><ul><li>Dredge it.\
         <li>Build it, and see <a href=/copy>the copy</a>.</ul><p>{}</p></article></body></html>",
        words(1, 80),
        words(2, 80)
    );
    let pages = [
        ("/", home(&["/plan", "/plain.txt"])),
        ("/plan", Answer::html(article.clone())),
        ("/copy", Answer::html(article)),
        ("/plain.txt", Answer::text(words(3, 100))),
    ];
    let site = Site::of(pages);
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let rows = lines(crawl.read("export", &["--with", "markdown,metadata", "--verdict", "all"]));
    let row = |path: &str| rows.iter().find(|row| row["url"] == site.url(path)).unwrap();
    let plan = row("/plan");
    let markdown = plan["markdown"].as_str().unwrap();
    for part in [
        "# The plan\n\n",
        "\n## Steps\n\n- Dredge it.\n- Build it, and see [the copy](",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    assert_eq!(
        (&plan["headline"], &plan["authors"]),
        (&"The plan".into(), &vec!["Ida Holm"].into())
    );
    assert_eq!(
        (&plan["published"], &plan["tags"]),
        (&"2024-03-05".into(), &Value::Null)
    );
    assert_eq!(row("/plain.txt")["markdown"], format!("{}\n", words(3, 100)));
    // Only /plan says when it was published; the filter reads the pages again, and adds no fields.
    for (day, expected) in [("2024-03-05", 1), ("2024-03-06", 0)] {
        let found = lines(crawl.read("export", &["--since-published", day]));
        assert_eq!(found.len(), expected, "{day}");
        assert!(found.iter().all(|row| row.get("published").is_none()));
    }
    crawl
        .read("export", &["--until-published", "2024-03-04", "-o", "none.jsonl"])
        .succeeded()
        .complains_of(&["without a date of publication"]);
    crawl
        .read("export", &["--since-published", "2024-03-05", "--format", "cdxj"])
        .with_code(2)
        .complains_of(&["--since-published and --until-published select pages"]);
    // The body of a duplicate is not stored again.
    assert_eq!(
        (&row("/copy")["markdown"], &row("/copy")["headline"]),
        (&Value::Null, &Value::Null)
    );
    crawl
        .read("export", &["--format", "markdown", "-o", "pages/"])
        .succeeded();
    let files = files(&crawl.path("pages/"));
    assert!(
        files.values().any(|file| file.ends_with(&format!("---\n\n{markdown}"))),
        "{files:?}"
    );
    crawl
        .read("export", &["--format", "text", "--with", "markdown"])
        .with_code(2)
        .complains_of(&["--with adds fields"]);
}

#[test]
fn filters_select_the_pages_that_they_name() {
    let (site, crawl) = finished();
    let count = |arguments: &[&str]| lines(crawl.read("export", arguments)).len();
    let port = site.url("").rsplit_once(':').unwrap().1.to_owned();
    for (arguments, pages) in [
        (&["--host", "localhost"][..], 1),
        (&["--host", &format!("localhost:{port}")], 1),
        (&["--host", "localhost:1"], 0),
        (&["--host", "localhost", "--host", "127.0.0.1"], KEPT),
        (&["--host", "*.localhost"], 0),
        (&["--language", "zz"], 0),
        (&["--match", "/other$"], 1),
        (&["--match", "/[12]$", "--match", "/other$"], 3),
        (&["--match", "/other$", "--host", "127.0.0.1"], 0),
        (&["--since", "2020-01-01"], KEPT),
        (&["--since", "2020-01-01", "--until", "2020-12-31"], 0),
        (&["--since", "9000-01-01"], 0),
    ] {
        assert_eq!(count(arguments), pages, "{arguments:?}");
    }
    let page = lines(crawl.read("export", &["--match", "/3$"])).remove(0);
    let at = page["fetched_at"].as_str().unwrap();
    assert_eq!(
        count(&["--match", "/3$", "--since", at, "--until", at]),
        1,
        "both ends are included"
    );
    assert_eq!(
        count(&["--match", "/3$", "--since", &at[..10], "--until", &at[..10]]),
        1
    );
    let ended = crawl
        .read("export", &["--host", "localhost", "-o", "one.jsonl"])
        .succeeded();
    ended.complains_of(&[
        "1 page written to one.jsonl",
        &format!(
            "{KEPT} pages excluded by the filters: 1 duplicate of a kept page (--verdict all has it), {} of other hosts (--host)",
            KEPT - 1
        ),
    ]);
    let quiet = crawl.read("export", &["--quiet", "-o", "one.jsonl"]).succeeded();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn fields_lengths_and_a_limit_select_a_part() {
    let (site, crawl) = finished();
    let read = |arguments: &[&str]| lines(crawl.read("export", arguments));
    let shown = crawl
        .read("export", &["--fields", "title, url,title", "--match", "/1$"])
        .succeeded()
        .stdout;
    assert_eq!(
        shown,
        format!(
            "{{\"title\":{},\"url\":\"{}\"}}\n",
            serde_json::json!(TITLES[1].1),
            site.url("/1")
        )
    );
    let csv = crawl
        .read(
            "export",
            &["--fields", "text,cluster", "--limit", "1", "--format", "csv"],
        )
        .succeeded();
    assert!(csv.stdout.starts_with("text,cluster\r\n"), "{}", csv.stdout);
    let with = read(&["--fields", "url,headline", "--limit", "2"]);
    assert!(with.iter().all(|line| line.get("headline").is_some()));
    let ended = crawl.read("export", &["--limit", "2", "-o", "two.jsonl"]).succeeded();
    ended.complains_of(&["2 pages written", "ended at --limit 2"]);
    let all = read(&[]);
    assert_eq!(read(&["--limit", "2"])[..], all[..2]);
    assert_eq!(read(&["--limit", "1000"]).len(), KEPT);
    let longest = all
        .iter()
        .map(|line| line["text_chars"].as_u64().unwrap())
        .max()
        .unwrap();
    let ended = crawl
        .read(
            "export",
            &["--min-chars", &(longest + 1).to_string(), "-o", "none.jsonl"],
        )
        .succeeded();
    ended.complains_of(&["0 pages written", &format!("{KEPT} with shorter texts (--min-chars)")]);
}

#[test]
fn a_duplicate_names_its_cluster_and_has_its_text_if_asked_for() {
    let (site, crawl) = finished();
    let all = lines(crawl.read("export", &["--include-duplicates"]));
    assert_eq!(all.len(), KEPT + 1);
    let at = |path: &str| all.iter().find(|line| line["url"] == site.url(path)).unwrap();
    let (kept, copy) = (at("/0"), at("/copy"));
    assert_eq!((&kept["cluster"], &copy["cluster"]), (&kept["url"], &kept["url"]));
    assert_eq!(copy["verdict"], "exact");
    assert_eq!(copy["text"], kept["text"]);
    let texts = crawl
        .read("export", &["--include-duplicates", "--format", "text"])
        .succeeded()
        .stdout;
    assert_eq!(texts.split("\x0c\n").count(), KEPT + 1);
}

#[test]
fn a_page_without_a_text_is_exported_only_if_asked_for() {
    let site = Site::of([
        ("/", page("Home", &words(1, 50), &["/empty"])),
        (
            "/empty",
            Answer::html("<!doctype html><title>Nothing</title><body></body>"),
        ),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let ended = crawl.read("export", &["-o", "out.jsonl"]).succeeded();
    ended.complains_of(&["1 page written", "1 without any text (--include-empty has them)"]);
    assert_eq!(lines(crawl.read("export", &["--include-empty"])).len(), 2);
}

#[test]
fn a_folder_is_markdown_and_so_is_a_file_with_that_ending() {
    let (_site, crawl) = finished();
    fs::create_dir(crawl.path("there")).unwrap();
    crawl.read("export", &["-o", "new/"]).succeeded();
    crawl.read("export", &["-o", "there"]).succeeded();
    let parts: BTreeSet<String> = files(&crawl.path("new")).into_values().collect();
    assert_eq!(parts, files(&crawl.path("there")).into_values().collect());
    assert_eq!(parts.len(), KEPT);
    for arguments in [
        &["-o", "all.md"][..],
        &["-o", "all.markdown.gz", "--format", "markdown"],
    ] {
        crawl.read("export", arguments).succeeded();
        let mut file = String::new();
        let packed = File::open(crawl.path(arguments[1])).unwrap();
        let mut unpacked = files::unpacked(packed).unwrap();
        unpacked.read_to_string(&mut file).unwrap();
        let found: BTreeSet<String> = file.split("\x0c\n").map(str::to_owned).collect();
        assert_eq!(found, parts, "{arguments:?}");
    }
}

#[test]
fn a_dataset_has_its_files_and_a_card() {
    let (site, crawl) = finished();
    crawl
        .read("export", &["--format", "dataset", "-o", "set", "--min-chars", "10"])
        .succeeded();
    assert!(beside(&crawl, "set").iter().all(|name| name == "set"));
    let parquet = fs::read(crawl.path("set/data/train-00000-of-00001.parquet")).unwrap();
    crawl
        .read("export", &["-o", "pages.parquet", "--min-chars", "10"])
        .succeeded();
    assert_eq!(parquet, fs::read(crawl.path("pages.parquet")).unwrap());
    let names = files_at(&crawl.path("set"));
    assert_eq!(names.len(), 2, "{names:?}");
    let card = fs::read_to_string(crawl.path("set/README.md")).unwrap();
    let (front, body) = card.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    for part in [
        "  - split: train\n    path: data/train-*.parquet",
        "size_categories:\n- n<1K",
        "  - name: fetched_at\n    dtype: timestamp[ms, tz=UTC]",
        &format!("    num_examples: {KEPT}\n"),
    ] {
        assert!(front.contains(part), "{front}");
    }
    let features: Vec<&str> = front
        .lines()
        .filter_map(|line| line.strip_prefix("  - name: "))
        .collect();
    let expected: Vec<&str> = fields().map(|field| field.name).chain(["train"]).collect();
    assert_eq!(features, expected);
    let host = site.url("").trim_end_matches('/').replace("http://", "");
    for part in ["verdicts: kept", "texts of at least 10 characters", &host] {
        assert!(body.contains(part), "{body}");
    }
    crawl
        .read("export", &["--format", "dataset", "-o", "set"])
        .with_code(2)
        .complains_of(&["not empty"]);
}

#[test]
fn invalid_arguments_are_reported_before_anything_is_written() {
    let (_site, crawl) = finished();
    fs::create_dir(crawl.path("a-folder")).unwrap();
    for (arguments, complaint) in [
        (&["--host", "https://example.org/"][..], "example.org:8080"),
        (&["--language", "english"], "two letters"),
        (&["--since", "yesterday"], "2026-03-31T09:30:00Z"),
        (
            &["--since", "2026-02-01", "--until", "2026-01-01"],
            "later than --until",
        ),
        (&["--match", "*/docs"], "regular expression"),
        (&["--verdict", "dropped"], "kept"),
        (&["--format", "pdf"], "parquet"),
        (&["--format", "markdown"], "--output DIR/"),
        (&["--format", "csv", "-o", "a-folder"], "is a folder"),
        (&["--format", "dataset"], "--output DIR/"),
        (&["--fields", "url,titel"], "did you mean title?"),
        (&["--fields", "url", "--format", "text"], "has none"),
        (&["--limit", "0"], "--limit"),
        (&["--format", "text", "--verdict", "all"], "needs kept pages"),
        (&["-o", "out.parquet.gz"], "without .gz"),
        (&["--format", "markdown", "-o", "test.toml"], "is a file"),
        (&["--format", "markdown", "-o", ".."], "a new folder"),
        (&["-o", "out.tar"], ".parquet"),
        (&["-o", "out.jsonl.bz2"], "--format"),
    ] {
        crawl.read("export", arguments).with_code(2).complains_of(&[complaint]);
    }
    crawl
        .read("export", &["-o", "no/folder/out"])
        .with_code(1)
        .complains_of(&["must exist"]);
    let names = beside(&crawl, "");
    assert!(
        names
            .iter()
            .all(|name| !name.contains("partial") && !name.contains("out")),
        "{names:?}"
    );
}

#[test]
fn an_export_never_writes_into_its_data_folder() {
    let (_site, crawl) = finished();
    let data = crawl.path("data");
    let before = files_at(&data);
    for output in ["data/state/db", "data/new.jsonl", "data/../data/new/", "data/", "data"] {
        let arguments = ["--format", "text", "-o", output];
        let refused = crawl.read("export", &arguments).with_code(2);
        refused.complains_of(&[output, "data folder", "outside"]);
    }
    let refused = crawl.read("report", &["-o", "data/state/db"]).with_code(2);
    refused.complains_of(&["data folder", "outside"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("data/state/db", crawl.path("link.txt")).unwrap();
        crawl.read("export", &["-o", "link.txt"]).with_code(2);
        fs::remove_file(crawl.path("link.txt")).unwrap();
    }
    assert_eq!(files_at(&data), before);
    crawl.read("export", &["-o", "data.txt"]).succeeded();
}

/// The paths of all files below a folder.
fn files_at(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut files_at(&path));
        } else {
            found.insert(path);
        }
    }
    found
}

#[cfg(unix)]
#[test]
fn every_command_writes_pipes_and_through_links() {
    let (_site, crawl) = finished();
    let folder = crawl.path("");
    fs::write(
        folder.join("in.jsonl"),
        "{\"id\":\"1\",\"text\":\"some words of a text\"}\n",
    )
    .unwrap();
    let commands: [(&str, &[&str], &str); 5] = [
        ("export", &["export", "--data", "data", "--output"], "fetched_at"),
        ("report", &["report", "--data", "data", "--output"], "kept"),
        ("idf", &["idf", "--data", "data", "--output"], ""),
        ("dedup", &["dedup", "in.jsonl", "--output"], "unique"),
        (
            "kept",
            &["dedup", "in.jsonl", "--output", "verdicts", "--kept"],
            "some words",
        ),
    ];
    for (name, arguments, content) in commands {
        let write = |output: &str| {
            let mut command = crawler(arguments);
            run(command.arg(output).current_dir(&folder)).succeeded();
        };
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write("pipe");
        assert!(!fs::symlink_metadata(&pipe).unwrap().is_file(), "{name}");
        let piped = reader.join().unwrap();
        assert!(!piped.is_empty(), "{name}");
        assert!(String::from_utf8_lossy(&piped).contains(content), "{name}");
        fs::remove_file(&pipe).unwrap();

        // A link of somebody else's in place of the unfinished file.
        let (link, target, victim) = (folder.join("link"), folder.join("target"), folder.join("victim"));
        fs::write(&target, "old").unwrap();
        fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink("target", &link).unwrap();
        std::os::unix::fs::symlink("victim", folder.join("target.partial")).unwrap();
        write("link");
        assert!(link.is_symlink(), "{name}");
        assert_eq!(fs::read(&target).unwrap(), piped, "{name}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched", "{name}");
        fs::remove_file(&link).unwrap();
    }
}

#[test]
fn a_full_disk_is_one_clear_message() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let (_site, crawl) = finished();
    for format in ["jsonl", "csv", "parquet", "text", "cdxj"] {
        let ended = crawl
            .read("export", &["--format", format, "-o", "/dev/full"])
            .with_code(1);
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        ended.complains_of(&["cannot write /dev/full: No space left", "free some space"]);
    }
}

#[test]
fn a_damaged_record_is_named_and_the_rest_is_exported() {
    let (_site, crawl) = finished();
    let victim = lines(crawl.read("export", &["--match", "/3$"])).remove(0);
    let url = victim["url"].as_str().unwrap();
    let store = Store::open(&crawl.data(), &OpenOptions::existing()).unwrap();
    let record = store
        .pages_from(1)
        .map(|row| row.unwrap().1)
        .find(|page| page.url == url)
        .unwrap();
    let location = record.text.unwrap();
    drop(store);
    let warc = fs::read_dir(crawl.data().join("warc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().ends_with(".warc.gz"))
        .unwrap();
    let mut bytes = fs::read(&warc).unwrap();
    bytes[(location.offset + location.length / 2) as usize] ^= 0x10;
    fs::write(&warc, bytes).unwrap();
    for format in ["jsonl", "parquet", "csv", "text"] {
        let ended = crawl.read("export", &["--format", format, "-o", "rest"]).with_code(3);
        ended.complains_of(&[
            url,
            "damaged",
            "1 of the pages could not be read",
            &format!("{} pages written", KEPT - 1),
        ]);
        assert!(crawl.path("rest").exists() && !crawl.path("rest.partial").exists());
    }
    let rest = crawl.read("export", &[]).with_code(3).stdout;
    assert_eq!(rest.lines().count(), KEPT - 1);
    assert!(!rest.contains(&format!("\"url\":\"{url}\"")));
}

/// A store of `count` pages with `text_words` words each, as a crawl leaves it.
fn synthetic(data: &Path, count: u64, text_words: usize) {
    let mut store = Store::open(data, &OpenOptions::new("synthetic")).unwrap();
    let signature = postcard::to_allocvec(&dedup::Signature::default()).unwrap();
    for first in (0..count).step_by(500) {
        let discovered: Vec<Discovered> = (first..count.min(first + 500))
            .map(|i| Discovered {
                url: format!("https://h{}.example/{i}", i % 7),
                host: format!("h{}.example", i % 7),
                ..Discovered::default()
            })
            .collect();
        for queued in store.discover(&discovered).unwrap() {
            let text = words(queued.url.len() as u64 + first, text_words);
            let capture = Capture {
                url: &queued.url,
                fetched_at: 1_774_085_400_125,
                ip: None,
                request: None,
                status: 200,
                reason: "OK",
                headers: vec![],
                payload: b"<p>",
                truncated: None,
                rendered: None,
                text: &text,
            };
            let draft = PageDraft {
                title: queued.url.clone(),
                fetched_at: 1_774_085_400_125,
                status: 200,
                text_chars: text.chars().count() as u64,
                signature: signature.clone(),
                ..PageDraft::default()
            };
            let outcome = Outcome::Page {
                draft: Box::new(draft),
                capture: Some(capture.encode(Compression::default()).unwrap()),
            };
            store.finish(&queued, outcome, &[]).unwrap();
        }
        store.commit().unwrap();
    }
}

fn export_of(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = crawler(["export", "--data", "data"]);
    command.args(arguments).current_dir(folder);
    command
}

#[cfg(unix)]
#[test]
fn a_killed_export_leaves_the_last_one_and_a_partial_one() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // More than fits into a pipe.
    synthetic(&folder.join("data"), 200, 1000);
    fs::write(folder.join("out.csv"), "the last one").unwrap();
    let shown = run(&mut export_of(folder, &["--format", "csv"])).succeeded().stdout;
    let mut export = Running::start(&mut export_of(folder, &["-o", "out.csv"]));
    let partial = folder.join("out.csv.partial");
    let is_old = || fs::read_to_string(folder.join("out.csv")).unwrap() == "the last one";
    let begun = Instant::now();
    while !partial.exists() && is_old() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::yield_now();
    }
    export.kill();
    // However far it came.
    let left = fs::read_to_string(folder.join("out.csv")).unwrap();
    assert!(left == if partial.exists() { "the last one" } else { &shown });
    fs::write(&partial, "x".repeat(1 << 20)).unwrap();
    run(&mut export_of(folder, &["-o", "out.csv"])).succeeded();
    assert!(!partial.exists());
    assert_eq!(fs::read_to_string(folder.join("out.csv")).unwrap(), shown);
}

/// What the process may have resident, whatever the size of the crawl: a row group, and the cache of the state.
const MAX_PEAK_BYTES: u64 = 250_000_000;

#[test]
fn memory_is_bounded() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // 140 MB of texts.
    synthetic(&folder.join("data"), 5_000, 4_000);
    for (format, output) in [("parquet", "out.parquet"), ("jsonl", "out.jsonl"), ("markdown", "out/")] {
        let process = Running::start(&mut export_of(folder, &["--format", format, "-o", output]));
        let (ended, cost) = process.wait_measured();
        let peak = cost.map(|cost| cost.peak_bytes);
        ended.succeeded().complains_of(&["5000 pages written"]);
        assert!(
            peak.is_none_or(|peak| peak < MAX_PEAK_BYTES),
            "{format}: {peak:?} bytes"
        );
        println!("{format}: {} MB", peak.unwrap_or(0) / 1_000_000);
    }
}
