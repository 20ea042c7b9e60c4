//! `crawler export`: forms, filters, destinations and interrupted exports.

mod course;
mod selection;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, home, page, words};
use crate::support::process::Ended;
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
