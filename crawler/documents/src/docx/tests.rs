//! Word documents written by hand.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// A package with these files.
fn package(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn document(body: &str) -> Vec<u8> {
    package(&[
        (
            "_rels/.rels",
            "<Relationships><Relationship Id='a' Type='http://x/officeDocument' Target='word/document.xml'/>\
             <Relationship Id='b' Type='http://x/core-properties' Target='docProps/core.xml'/></Relationships>",
        ),
        (
            "word/_rels/document.xml.rels",
            "<Relationships><Relationship Id='r1' Type='http://x/hyperlink' Target='https://example.org/' TargetMode='External'/>\
             <Relationship Id='r2' Type='http://x/footnotes' Target='footnotes.xml'/></Relationships>",
        ),
        (
            "word/document.xml",
            &format!("<w:document><w:body>{body}</w:body></w:document>"),
        ),
        (
            "word/footnotes.xml",
            "<w:footnotes><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>",
        ),
        (
            "docProps/core.xml",
            "<cp:coreProperties><dc:title>Its title</dc:title><dc:language>fr</dc:language></cp:coreProperties>",
        ),
    ])
}

#[test]
fn paragraphs_rows_and_notes_are_blocks() {
    let file = document(
        "<w:p><w:r><w:t>One </w:t></w:r><w:hyperlink r:id='r1'><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:tab/><w:t>&amp; more</w:t></w:r></w:p>\
         <w:p/>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>\
         <w:tr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         <w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r>\
         <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>",
    );
    let document = read(&file, &Limits::default()).unwrap();
    assert_eq!(
        document.content,
        Content::Text("One link & more\na b\nc\nkept\nA note.".into())
    );
    assert_eq!(
        (document.title.as_str(), document.language.as_deref()),
        ("Its title", Some("fr"))
    );
    assert_eq!(document.links, ["https://example.org/"]);
}

#[test]
fn a_package_that_unpacks_to_more_than_the_bound_is_a_fault() {
    let file = document(&format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(2_000_000)));
    assert!(file.len() < 20_000);
    let limits = Limits {
        max_unpacked_bytes: 1_000_000,
        ..Limits::default()
    };
    assert_eq!(read(&file, &limits), Err(Fault::TooLarge { limit: 1_000_000 }));
}

#[test]
fn a_package_without_a_document_is_broken() {
    assert!(matches!(
        read(&package(&[("a", "b")]), &Limits::default()),
        Err(Fault::Broken(_))
    ));
    assert!(matches!(read(b"PK\x03\x04", &Limits::default()), Err(Fault::Broken(_))));
}

#[test]
fn a_document_is_found_however_its_package_spells_it() {
    const TEXT: &str = "<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>";
    // Strict documents (ISO/IEC 29500-1) have other namespaces.
    const STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument";
    let relation = |target: &str| {
        format!("<Relationships><Relationship Id='a' Type='{STRICT}' Target='{target}'/></Relationships>")
    };
    for (name, target) in [
        ("word/document.xml", "word/document.xml"),
        ("word/document.xml", "/word/document.xml"),
        ("word/document2.xml", "/word/document2.xml"),
        ("word/document.xml", "word\\document.xml"),
        ("word\\document.xml", "word/document.xml"),
        ("Word/Document.xml", "word/document.xml"),
        ("word/document 1.xml", "word/document%201.xml"),
        ("word/document.xml", "word/gone.xml"),
    ] {
        let file = package(&[("_rels/.rels", &relation(target)), (name, TEXT)]);
        assert_eq!(
            read(&file, &Limits::default()).unwrap().content,
            Content::Text("x".into()),
            "{name} {target}"
        );
    }
}

#[test]
fn the_first_form_of_a_drawing_that_has_text_counts() {
    let run = |text: &str| format!("<w:txbxContent><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:txbxContent>");
    let (new, old, empty) = (run("new"), run("old"), run(""));
    for (forms, text) in [
        (
            format!("<mc:Choice Requires='wps'>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>"),
            "new",
        ),
        (
            format!("<mc:Choice Requires='wps'>{empty}</mc:Choice><mc:Fallback>{old}</mc:Fallback>"),
            "old",
        ),
        (
            format!("<mc:Choice Requires='x'>{new}</mc:Choice><mc:Choice Requires='y'>{old}</mc:Choice>"),
            "new",
        ),
        (format!("<mc:Fallback>{old}</mc:Fallback>"), "old"),
    ] {
        let file = document(&format!(
            "<w:p><w:r><mc:AlternateContent>{forms}</mc:AlternateContent></w:r></w:p>"
        ));
        assert_eq!(
            read(&file, &Limits::default()).unwrap().content,
            Content::Text(format!("{text}\nA note.")),
            "{forms}"
        );
    }
}

#[test]
fn parts_that_are_not_read_are_named() {
    let file = package(&[
        (
            "word/_rels/document.xml.rels",
            "<Relationships><Relationship Id='r1' Type='http://x/aFChunk' Target='chunk.html'/>\
             <Relationship Id='r2' Type='http://x/footnotes' Target='notes.xml'/></Relationships>",
        ),
        (
            "word/document.xml",
            "<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p><w:altChunk r:id='r1'/></w:body></w:document>",
        ),
    ]);
    assert_eq!(
        read(&file, &Limits::default()).unwrap().missing,
        ["chunk.html", "notes.xml"]
    );
}
