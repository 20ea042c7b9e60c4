//! Documents that are not HTML: read as pages by every command, and harmless.

use std::fs;
use std::io::{Cursor, Write};

use documents::{Fault, Kind, Limits, Pool, Reader};
use serde_json::Value;
use zip::write::SimpleFileOptions;

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::{NO_LINKS, home, page, replaced, words};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::site::{Answer, Site};

/// A PDF file with this text on one page. `resources` and `objects` are further parts of the file.
fn pdf(content: &str, resources: &str, objects: &str) -> Vec<u8> {
    format!(
        "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n\
         <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 9000]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>{resources}>>\
         /Annots[<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/A<</S/URI/URI(/linked)>>>>]>>\nendobj\n4 0 obj\n<</Length {}>>stream\n{content}\n\
         endstream\nendobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n6 0 obj\n<</Title(The PDF)>>\nendobj\n\
         {objects}trailer\n<</Root 1 0 R/Info 6 0 R>>\n%%EOF\n",
        content.len()
    )
    .into_bytes()
}

fn pdf_of(text: &str) -> Vec<u8> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let rows = words.chunks(10).enumerate().map(|(at, row)| {
        let y = 8000 - 12 * at;
        format!("BT /F1 10 Tf 50 {y} Td ({}) Tj ET\n", row.join(" "))
    });
    pdf(&rows.collect::<String>(), "", "")
}

/// Forms that draw each other: 300 × 300 × 300 × 300 times in all, in nine kilobytes. Nobody can wait for the end.
fn bomb() -> Vec<u8> {
    let form = |number: usize| {
        let (this, next) = (100 + number, 101 + number);
        let content = "/X Do ".repeat(300);
        format!(
            "{this} 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {next} 0 R>>>>/Length {}>>stream\n{content}\n\
             endstream\nendobj\n",
            content.len()
        )
    };
    let last = "104 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 2>>stream\nq \nendstream\nendobj\n";
    let objects = (0..4).map(form).chain([last.to_owned()]).collect::<String>();
    pdf("/X Do", "/XObject<</X 100 0 R>>", &objects)
}

/// 160 MB of operators in 700 kB: many seconds of work, and no text.
fn long() -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let operators = b"1 0 0 1 0 0 cm\n".repeat(10_000);
    (0..1_000).for_each(|_| packed.write_all(&operators).unwrap());
    let content = packed.finish().unwrap();
    let objects = "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n\
                   <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>\nendobj\n";
    let head = format!(
        "%PDF-1.7\n{objects}4 0 obj\n<</Filter/FlateDecode/Length {}>>stream\n",
        content.len()
    );
    let end = b"\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n";
    [head.as_bytes(), &content, end].concat()
}

fn typed(media_type: &str, body: Vec<u8>) -> Answer {
    Answer::of_type(media_type, body)
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn an_article_and_its_documents_are_near_duplicates_and_their_links_are_followed() {
    let text = words(1, 400);
    let edited = replaced(&text, 100, 3, 9);
    let feed = format!(
        "<rss version='2.0'><channel><title>Feed</title><item><title>Item</title><link>/item</link><description>{text}</description></item></channel></rss>"
    );
    let site = Site::of([
        (
            "/",
            home(&["/a", "/a.pdf", "/a.md", "/feed", "/other.pdf", "/page.pdf"]),
        ),
        ("/a", page("The article", &text, NO_LINKS)),
        ("/a.pdf", typed("application/pdf", pdf_of(&edited))),
        (
            "/a.md",
            typed(
                "text/markdown",
                format!("# The article\n\n{text}\n\n[more](/more)\n").into_bytes(),
            ),
        ),
        ("/feed", typed("application/rss+xml", feed.into_bytes())),
        ("/other.pdf", typed("application/pdf; x=y", pdf_of(&words(2, 400)))),
        // The name says nothing about the type.
        ("/page.pdf", page("A page", &words(3, 400), NO_LINKS)),
        ("/linked", page("Linked", &words(4, 400), NO_LINKS)),
        ("/more", page("More", &words(5, 400), NO_LINKS)),
        ("/item", page("Item", &words(6, 400), NO_LINKS)),
    ]);
    // A page is read and decided before the next one is asked for, so that the first of two equal texts is kept.
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("politeness.delay_ms", 200);
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    for (path, outcome) in [
        ("/a", "kept"),
        ("/a.pdf", "near of /a"),
        ("/other.pdf", "kept"),
        ("/page.pdf", "kept"),
        ("/linked", "kept"),
        ("/more", "kept"),
        ("/item", "kept"),
    ] {
        assert_eq!(outcomes[path], outcome, "{path}: {outcomes:?}");
    }
    for path in ["/a.md", "/feed"] {
        assert!(outcomes[path].ends_with(" of /a"), "{path}: {outcomes:?}");
    }
    // The archive alone gives the same crawl.
    let report = crawl.report();
    crawl.read("rebuild", &[]).succeeded();
    assert_eq!(count(&crawl.report(), "kept"), count(&report, "kept"));
    let exported = crawl.export();
    let other = exported
        .iter()
        .find(|page| page["url"] == site.url("/other.pdf"))
        .unwrap();
    assert_eq!(
        (&other["title"], &other["content_type"]),
        (&"The PDF".into(), &"application/pdf; x=y".into())
    );
    // Every command reads the file as the crawl did.
    fs::write(crawl.path("copy.bin"), pdf_of(&text)).unwrap();
    let checked = json(&crawl.read("check", &["copy.bin", "--format", "json"]));
    assert!(
        checked["verdict"] == "exact" || checked["verdict"] == "near",
        "{checked}"
    );
    let in_folder = |arguments: &[&str]| run(crawler(arguments).current_dir(crawl.path(""))).succeeded();
    let inspected = json(&in_folder(&["inspect", "page", "copy.bin", "--format", "json"]));
    assert_eq!(
        (&inspected["document"], &inspected["pages"]),
        (&"pdf".into(), &1.into())
    );
    assert_eq!(inspected["text"], text.replace('\n', " "));
    let dedup = in_folder(&["dedup", "copy.bin", "data/warc"]);
    let copies = dedup
        .stdout
        .lines()
        .filter(|line| line.contains("\"of\":\"copy.bin\""))
        .count();
    // The archive has the bodies of kept pages only.
    assert_eq!(copies, 1, "{}", dedup.stdout);
}

#[test]
fn kinds_that_are_not_wanted_are_excluded_and_their_bodies_are_not_read() {
    let site = Site::of([
        ("/", home(&["/a.pdf", "/b.md", "/c.txt"])),
        ("/a.pdf", typed("application/pdf", pdf_of(&words(1, 400)))),
        ("/b.md", typed("text/markdown", words(2, 400).into_bytes())),
        ("/c.txt", typed("text/plain", words(3, 400).into_bytes())),
    ]);
    let crawl = Crawl::of(site.url("/")).set("scope.documents", "[\"markdown\"]");
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes["/b.md"], "kept");
    assert_eq!(outcomes["/a.pdf"], "excluded content type application/pdf");
    assert_eq!(outcomes["/c.txt"], "excluded content type text/plain");
}

#[test]
fn hostile_and_broken_documents_are_failures_of_their_pages() {
    let site = Site::of([
        (
            "/",
            home(&[
                "/bomb.pdf",
                "/broken.pdf",
                "/scanned.pdf",
                "/not.pdf",
                "/broken.docx",
                "/good.pdf",
            ]),
        ),
        (
            "/broken.pdf",
            typed("application/pdf", b"%PDF-1.7\nnothing else".to_vec()),
        ),
        (
            "/scanned.pdf",
            typed("application/pdf", pdf("0 0 100 100 re f", "", "")),
        ),
        (
            "/not.pdf",
            typed("application/pdf", b"<!DOCTYPE html><p>Please log in".to_vec()),
        ),
        (
            "/broken.docx",
            typed(
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                b"PK\x03\x04 word/document.xml".to_vec(),
            ),
        ),
        ("/good.pdf", typed("application/pdf", pdf_of(&words(1, 400)))),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    for (path, outcome) in [
        ("/broken.pdf", "failed document_broken"),
        ("/broken.docx", "failed document_broken"),
        (
            "/scanned.pdf",
            "excluded application/pdf: its 1 page(s) have no text: they are probably scanned pictures",
        ),
        (
            "/not.pdf",
            "excluded declared application/pdf, but the bytes are text/html",
        ),
        ("/good.pdf", "kept"),
    ] {
        assert_eq!(outcomes[path], outcome, "{path}: {outcomes:?}");
    }
}

/// A pool whose children are this program.
fn pool() -> Pool {
    let program = std::env::var_os("CRAWLER_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_crawler").into());
    Pool::new(
        program.into(),
        vec!["--read-documents-for-the-parent-process".into()],
        1,
    )
}

#[test]
fn a_document_that_takes_too_long_or_too_much_memory_is_given_up_and_the_next_one_is_read() {
    let pool = pool();
    // Without a bound on its forms, the bomb takes all the time that it gets.
    let short = Limits {
        max_seconds: 1,
        max_unpacked_bytes: u64::MAX,
        ..Limits::default()
    };
    let good = pdf_of(&words(1, 400));
    assert!(pool.read(Kind::Pdf, &good, &short).is_ok());
    let given_up = pool.read(Kind::Pdf, &bomb(), &short);
    assert_eq!(given_up, Err(Fault::TookTooLong { seconds: 1 }));
    assert!(pool.read(Kind::Pdf, &good, &short).is_ok());
    // The limits of a child are those of the document for which it was started.
    let narrow = Limits {
        max_memory_bytes: 300 << 20,
        max_unpacked_bytes: 2 << 30,
        ..Limits::default()
    };
    let pool = self::pool();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file("word/document.xml", SimpleFileOptions::default())
        .unwrap();
    let piece = vec![b' '; 1 << 20];
    (0..600).for_each(|_| writer.write_all(&piece).unwrap());
    let large = writer.finish().unwrap().into_inner();
    assert_eq!(
        pool.read(Kind::Docx, &large, &narrow),
        Err(Fault::OutOfMemory { limit: 300 << 20 })
    );
    assert_eq!(
        pool.read(Kind::Docx, &large, &Limits::default()),
        Err(Fault::TooLarge { limit: 128 << 20 })
    );
    assert!(pool.read(Kind::Pdf, &good, &Limits::default()).is_ok());
}

/// The child processes of a process, with their names.
#[cfg(target_os = "linux")]
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let of_task = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks
        .map(of_task)
        .flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>())
        .collect()
}

/// The processor time of a running process, in clock ticks of 10 ms; `None` if it has ended.
#[cfg(target_os = "linux")]
fn ticks_of(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = status.rsplit(')').next()?.split_whitespace().collect();
    (!matches!(fields[0], "Z" | "X")).then(|| fields[11].parse().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_that_reads_a_document_ends_with_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.pdf");
    fs::write(&path, long()).unwrap();
    let mut parent = Running::start(&mut crawler(["inspect", "page", path.to_str().unwrap()]));
    let child = loop {
        assert!(ticks_of(parent.id()).is_some(), "the parent has ended");
        if let Some(child) = children(parent.id()).first() {
            break *child;
        }
        std::thread::yield_now();
    };
    parent.kill();
    // Without its parent, it would go on for 20 s.
    let mut used = 0;
    while let Some(ticks) = ticks_of(child) {
        used = ticks;
        std::thread::yield_now();
    }
    assert!(used < 1_000, "the child went on for {used} ticks");
}

#[test]
fn a_file_that_is_no_document_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.docx");
    fs::write(&path, b"PK\x03\x04 nothing").unwrap();
    let ended = run(&mut crawler(["inspect", "page", path.to_str().unwrap()])).with_code(3);
    assert!(
        ended.stdout.contains("but the bytes are application/zip"),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_feed_that_no_parser_of_xml_reads_leads_to_all_its_entries() {
    let site = Site::scripted(|asked| {
        let entry = |name: &str| format!("http://{}/{name}", asked.host);
        match asked.path.as_str() {
            "/" => home(&["/feed"]),
            "/feed" => typed(
                "text/xml",
                format!(
                    "\n<br />\n<b>Warning</b>: a message of the program\n<?xml version='1.0' encoding='utf-16'?><rss version='2.0'><channel>\
                     <title>Caf&eacute; & more</title><link>/about</link><item><title>One<guid>{}</guid><description><p>{}<br>a < b</p>\
                     </description></item><item><title>Two</title><guid isPermaLink='true'>{}</guid><description><a href=/in-text>x</a> \
                     </item><item><title>Three</title><enclosure url='/three' type='application/pdf'/><guid isPermaLink='false'>{}</guid></item>",
                    entry("one"),
                    words(1, 300),
                    entry("two"),
                    entry("no")
                )
                .into_bytes(),
            ),
            "/no" => Answer::status(404),
            path => page(path, &words(path.len() as u64 + 10, 300), NO_LINKS),
        }
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes["/feed"], "kept", "{outcomes:?}");
    for path in ["/one", "/two", "/three", "/about", "/in-text"] {
        assert!(outcomes.contains_key(path), "{path}: {outcomes:?}");
    }
    assert!(!outcomes.contains_key("/no"), "{outcomes:?}");
    let exported = crawl.export();
    let feed = exported.iter().find(|page| page["url"] == site.url("/feed")).unwrap();
    assert_eq!(feed["title"], "Café & more");
    assert!(feed["text"].as_str().unwrap().contains("a < b"), "{feed}");
}

#[test]
fn a_book_without_one_of_its_chapters_is_read_and_the_chapter_is_named() {
    let mut book = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        (
            "META-INF/container.xml",
            "<container><rootfile full-path='OEBPS/b.opf'/></container>",
        ),
        (
            "OEBPS/b.opf",
            "<package><manifest><item id='1' href='c%201.xhtml' media-type='application/xhtml+xml'/>\
             <item id='2' href='gone.xhtml' media-type='application/xhtml+xml'/></manifest>\
             <spine><itemref idref='1'/><itemref idref='2'/></spine></package>",
        ),
        (
            "OEBPS/c%201.xhtml",
            "<html><body><p>The first chapter.</p></body></html>",
        ),
    ] {
        book.start_file(name, SimpleFileOptions::default()).unwrap();
        book.write_all(content.as_bytes()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.epub"), book.finish().unwrap().into_inner()).unwrap();
    let of = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path())).succeeded();
    let page = json(&of(&["inspect", "page", "b.epub", "--format", "json"]));
    assert_eq!(page["text"], "The first chapter.");
    assert_eq!(page["missing_parts"], serde_json::json!(["gone.xhtml"]));
    let shown = of(&["inspect", "page", "b.epub"]).stdout;
    assert!(shown.contains("missing       gone.xhtml"), "{shown}");
    let dedup = of(&["dedup", "b.epub"]);
    assert!(
        dedup
            .stderr
            .contains("b.epub: it lacks parts that it names: gone.xhtml"),
        "{}",
        dedup.stderr
    );
}
