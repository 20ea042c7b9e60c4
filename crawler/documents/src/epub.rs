//! EPUB 2 and 3 (EPUB 3.3, W3C): the chapters of the spine, as HTML.

use std::collections::{HashMap, HashSet};

use crate::loose::tidied;
use crate::package::Package;
use crate::xml::{HtmlWriter, Token, Tokens, attribute, decoded, local_name};
use crate::{Content, Document, Fault, Limits};

const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Most chapters of a book.
const MAX_CHAPTERS: usize = 10_000;

/// Most missing parts that are named, and the longest name, in characters.
const MAX_MISSING: usize = 1_000;
const MAX_NAME: usize = 200;

/// Most steps from an item to its fallback.
const MAX_FALLBACKS: usize = 10;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let mut package = Package::open(bytes, limits)?;
    let path = package_file(&mut package)?;
    let book = Book::read(&decoded(&package.needed(&path)?))?;
    let encrypted = encrypted_files(&mut package)?;
    let mut parts = Vec::new();
    let mut bytes_left = limits.max_text_bytes;
    let (chapters, mut missing) = book.chapters();
    let mut seen = HashSet::new();
    for href in chapters {
        let name = package.name_of(&path, href);
        if name.as_ref().is_some_and(|name| encrypted.contains(name)) {
            return Err(Fault::Encrypted);
        }
        if name.as_ref().is_some_and(|name| !seen.insert(name.clone())) {
            continue;
        }
        // A book without one of its chapters still has the others.
        let bytes = match name.map_or(Ok(None), |name| package.file(&name)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(Fault::Broken(_)) => {
                missing.push(href.to_owned());
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let html = html(&decoded(&bytes));
        bytes_left = bytes_left.checked_sub(html.len()).ok_or(Fault::TooLong {
            limit: limits.max_text_bytes,
        })?;
        parts.push(html);
    }
    let missing: Vec<String> = missing
        .into_iter()
        .take(MAX_MISSING)
        .map(|name| name.chars().take(MAX_NAME).collect())
        .collect();
    if parts.is_empty() {
        return Err(Fault::Broken(match missing.first() {
            Some(first) => format!("it has none of its {} chapters, for example not {first}", missing.len()),
            None => "it has no chapters".into(),
        }));
    }
    Ok(Document {
        title: book.title,
        language: book.language,
        content: Content::Html(parts),
        links: Vec::new(),
        pages: None,
        missing,
    })
}

/// The name of the package file: the one that the container names, else the only one that can be it.
fn package_file(package: &mut Package<'_>) -> Result<String, Fault> {
    let container = package.name_of("", CONTAINER);
    let container = container.map_or(Ok(None), |name| package.file(&name))?;
    let named = container.map(|bytes| root_files(&decoded(&bytes))).unwrap_or_default();
    let found = named.iter().find_map(|path| package.name_of("", path));
    found.or_else(|| package.with_ending(".opf")).ok_or_else(|| {
        Fault::Broken(match named.first() {
            Some(path) => format!("it has no file {path}"),
            None => "its container names no package file".into(),
        })
    })
}

/// The paths of the package files that a container names, those of the right type first.
fn root_files(container: &str) -> Vec<String> {
    const PACKAGE: &str = "application/oebps-package+xml";
    let container = tidied(container);
    let mut tokens = Tokens::new(&container);
    let mut files = Vec::new();
    while let Ok(Some(token)) = tokens.next() {
        if let Token::Open(start) = token
            && local_name(&start) == "rootfile"
            && let Some(path) = attribute(&start, "full-path")
        {
            let is_package = attribute(&start, "media-type").is_some_and(|kind| kind.trim() == PACKAGE);
            files.push((!is_package, path));
        }
    }
    files.sort_by_key(|(is_other, _)| *is_other);
    files.into_iter().map(|(_, path)| path).collect()
}

/// The files whose content is encrypted. Fonts are often, and do not matter.
fn encrypted_files(package: &mut Package<'_>) -> Result<HashSet<String>, Fault> {
    let encryption = package.name_of("", ENCRYPTION);
    let Some(bytes) = encryption.map_or(Ok(None), |name| package.file(&name))? else {
        return Ok(HashSet::new());
    };
    let encryption = decoded(&bytes);
    let mut tokens = Tokens::new(&encryption);
    let mut files = HashSet::new();
    while let Some(token) = tokens.next()? {
        if let Token::Open(start) = token
            && local_name(&start) == "CipherReference"
        {
            files.extend(attribute(&start, "URI").and_then(|uri| package.name_of("", &uri)));
        }
    }
    Ok(files)
}

/// A file of the book, as its manifest lists it.
#[derive(Debug)]
struct Item {
    href: String,
    media_type: String,
    is_navigation: bool,
    /// The item that a reader shows if it does not know the type.
    fallback: Option<String>,
}

impl Item {
    /// Whether it is a text: XHTML, the documents of the Open eBook format (OEB 1), or talking books (DTBook). A manifest may lack the type.
    fn is_text(&self) -> bool {
        const TEXTS: [&str; 4] = ["html", "x-oeb1-document", "x-oeb-document", "x-dtbook+xml"];
        let media_type = self.media_type.trim().to_ascii_lowercase();
        let path = self
            .href
            .split(['#', '?'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_unsaid = matches!(media_type.as_str(), "" | "text/xml" | "application/xml" | "text/plain");
        TEXTS.iter().any(|text| media_type.contains(text))
            || is_unsaid
                && [".html", ".htm", ".xhtml", ".xht", ".xml"]
                    .iter()
                    .any(|ending| path.ends_with(ending))
    }

    fn is_picture(&self) -> bool {
        self.media_type.trim_start().starts_with("image/")
    }
}

/// The package file: what the book has, and in which order. OEB 1 and EPUB spell its elements in different cases.
#[derive(Debug, Default)]
struct Book {
    title: String,
    language: Option<String>,
    items: HashMap<String, Item>,
    /// The items in the order of the manifest.
    manifest: Vec<String>,
    /// The items of the spine that are read one after the other.
    spine: Vec<String>,
    /// The items of the spine that are no part of this order (`linear="no"`; EPUB 3.3, section 5.7.2): answers to exercises, for example, or
    /// translations of the whole book.
    auxiliary: Vec<String>,
}

impl Book {
    fn read(package: &str) -> Result<Self, Fault> {
        let mut book = Self::default();
        let package = tidied(package);
        let mut tokens = Tokens::new(&package);
        let mut within: Vec<String> = Vec::new();
        while let Some(token) = tokens.next()? {
            match token {
                Token::Open(start) => {
                    let name = local_name(&start).to_ascii_lowercase();
                    let attribute = |name: &str| attribute(&start, name).map(|value| value.trim().to_owned());
                    match name.as_str() {
                        "item" => book.add_item(&attribute),
                        "itemref" if attribute("linear").as_deref() == Some("no") => {
                            book.auxiliary.extend(attribute("idref"));
                        }
                        "itemref" => book.spine.extend(attribute("idref")),
                        _ => {}
                    }
                    within.push(name);
                }
                Token::Close(_) => drop(within.pop()),
                Token::Text(text) | Token::CData(text) => match within.last().map(String::as_str) {
                    Some("title") if within.iter().any(|name| name == "metadata") => book.title.push_str(&text),
                    Some("language") => {
                        let language = text.trim();
                        if book.language.is_none() && !language.is_empty() && language.len() <= 64 {
                            book.language = Some(language.to_owned());
                        }
                    }
                    _ => {}
                },
                Token::Entity(_) => {}
            }
        }
        book.title = book
            .title
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(300)
            .collect();
        Ok(book)
    }

    fn add_item(&mut self, attribute: &dyn Fn(&str) -> Option<String>) {
        let (Some(id), Some(href)) = (attribute("id"), attribute("href")) else {
            return;
        };
        let properties = attribute("properties").unwrap_or_default();
        self.manifest.push(id.clone());
        self.items.insert(
            id,
            Item {
                href,
                media_type: attribute("media-type").unwrap_or_default(),
                is_navigation: properties.split_ascii_whitespace().any(|property| property == "nav"),
                fallback: attribute("fallback"),
            },
        );
    }

    /// The chapters in reading order, without the table of contents, and what the spine names although the manifest does not have it, or
    /// has it in a format that is no text. If the book has nothing else, its auxiliary items; without a spine, all its texts.
    fn chapters(&self) -> (Vec<&str>, Vec<String>) {
        let mut missing = Vec::new();
        for (spine, is_manifest) in [(&self.spine, false), (&self.auxiliary, false), (&self.manifest, true)] {
            let mut chapters = Vec::new();
            for id in spine.iter().take(MAX_CHAPTERS) {
                match self.text_of(id) {
                    Some(item) if item.is_navigation => {}
                    Some(item) => chapters.push(item.href.as_str()),
                    None if is_manifest => {}
                    None => match self.items.get(id) {
                        Some(item) if item.is_picture() => {}
                        Some(item) => missing.push(format!("{} ({})", item.href, item.media_type)),
                        None => missing.push(format!("{id} (not in the manifest)")),
                    },
                }
            }
            if !chapters.is_empty() {
                return (chapters, missing);
            }
        }
        (Vec::new(), missing)
    }

    /// The item with this id, or the first of its fallbacks that is a text.
    fn text_of(&self, id: &str) -> Option<&Item> {
        let next = |item: &&Item| item.fallback.as_ref().and_then(|id| self.items.get(id));
        let mut items = std::iter::successors(self.items.get(id), next).take(MAX_FALLBACKS);
        items.find(|item| item.is_text())
    }
}

/// A chapter as HTML. A chapter that is no XML becomes HTML up to the fault, and is HTML from there on.
fn html(xhtml: &str) -> String {
    let mut tokens = Tokens::new(xhtml);
    let mut writer = HtmlWriter::default();
    loop {
        match tokens.next() {
            Ok(Some(token)) => writer.write(&token),
            Ok(None) => return writer.html,
            Err(_) => return xhtml.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
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

    /// The parts and the missing parts of a book.
    fn content(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
        let book = read(bytes, &Limits::default()).unwrap();
        let Content::Html(parts) = book.content else {
            panic!("no HTML")
        };
        (parts, book.missing)
    }

    /// A book with one chapter: its name in the package, and in the manifest.
    fn book_of_one(name: &str, href: &str) -> Vec<u8> {
        let opf = format!(
            "<package><manifest><item id='1' href='{href}' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='1'/></spine></package>"
        );
        package(&[
            (
                CONTAINER,
                "<container><rootfile full-path='OEBPS/content.opf'/></container>",
            ),
            ("OEBPS/content.opf", &opf),
            (name, "<p>One</p>"),
        ])
    }

    #[test]
    fn a_chapter_is_found_however_its_name_is_spelt() {
        for (name, href) in [
            ("OEBPS/c%200.xhtml", "c%200.xhtml"),
            ("OEBPS/c 0.xhtml", "c%200.xhtml"),
            ("OEBPS/c 0.xhtml", "c 0.xhtml"),
            ("OEBPS/c%0.xhtml", "c%0.xhtml"),
            ("OEBPS/c#0.xhtml", "c%230.xhtml"),
            ("OEBPS/c#0.xhtml", "c#0.xhtml"),
            ("OEBPS/c.xhtml", "c.xhtml#top"),
            ("OEBPS/c?0.xhtml", "c?0.xhtml"),
            ("OEBPS/Text/C.XHTML", "text/c.xhtml"),
            ("OEBPS/text/c.xhtml", "text\\c.xhtml"),
            ("OEBPS\\text\\c.xhtml", "text/c.xhtml"),
            ("OEBPS/c.xhtml", "/OEBPS/c.xhtml"),
            ("OEBPS/c.xhtml", "./x/../c.xhtml"),
            ("OEBPS/\u{e9}.xhtml", "e\u{301}.xhtml"),
            ("OEBPS/e\u{301}.xhtml", "%C3%A9.xhtml"),
            ("OEBPS/c.xhtml", " c.xhtml "),
        ] {
            assert_eq!(
                content(&book_of_one(name, href)),
                (vec!["<p>One</p>".to_owned()], vec![]),
                "{name} {href}"
            );
        }
    }

    #[test]
    fn a_package_file_is_found_without_a_container_that_names_it() {
        const OPF: &str = "<package><manifest><item id='1' href='c.htm' media-type='text/html'/></manifest><spine><itemref idref='1'/></spine></package>";
        for files in [
            &[
                (
                    "meta-inf/Container.xml",
                    "<container><rootfile full-path='a/b.opf'/></container>",
                ),
                ("a/b.opf", OPF),
                ("a/c.htm", "x"),
            ][..],
            &[
                (CONTAINER, "<container><rootfile full-path='/a/b%20c.opf'/></container>"),
                ("a/b c.opf", OPF),
                ("a/c.htm", "x"),
            ],
            &[
                (CONTAINER, "<container><rootfile full-path='a/b%20c.opf'/></container>"),
                ("a/b%20c.opf", OPF),
                ("a/c.htm", "x"),
            ],
            &[
                (CONTAINER, "<container><rootfile full-path='a\\b.opf'/></container>"),
                ("a/b.opf", OPF),
                ("a/c.htm", "x"),
            ],
            &[
                (
                    CONTAINER,
                    "<container><rootfile full-path='p.pdf' media-type='application/pdf'/><rootfile full-path='b.opf' media-type='application/oebps-package+xml'/></container>",
                ),
                ("p.pdf", ""),
                ("b.opf", OPF),
                ("c.htm", "x"),
            ],
            &[
                (CONTAINER, "<container><rootfile full-path='gone.opf'/></container>"),
                ("a/b.OPF", OPF),
                ("a/c.htm", "x"),
            ],
            &[(CONTAINER, "<container"), ("b.opf", OPF), ("c.htm", "x")],
            &[("b.opf", OPF), ("c.htm", "x")],
        ] {
            assert_eq!(content(&package(files)).0, ["x"], "{files:?}");
        }
        assert!(crate::Kind::Epub.fits(&package(&[("b.opf", OPF), ("c.htm", "x")])));
        assert!(!crate::Kind::Epub.fits(&package(&[("a.txt", "x"), ("c.htm", "x")])));
    }

    #[test]
    fn an_open_ebook_is_a_book() {
        let opf = "<?xml version='1.0'?><!DOCTYPE package PUBLIC '+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN' 'http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd'>\
                   <package unique-identifier='x'><metadata><dc-metadata xmlns:dc='http://purl.org/dc/elements/1.0/'>\
                   <dc:Title>Old &amp; good</dc:Title><dc:Language>de</dc:Language><dc:Description>a <br> b</dc:Description></dc-metadata></metadata>\
                   <manifest><item id='1' href='a.html' media-type='text/x-oeb1-document'/><item id='2' href='b.html'/></manifest>\
                   <spine><itemref idref='1'/><itemref idref='2'/></spine></package>";
        let book = package(&[
            ("book.opf", opf),
            ("a.html", "<P>One<BR>two"),
            ("b.html", "<p>Three</p>"),
        ]);
        assert_eq!(content(&book).0, ["<P>One<BR>two", "<p>Three</p>"]);
        let book = read(&book, &Limits::default()).unwrap();
        assert_eq!(
            (book.title.as_str(), book.language.as_deref()),
            ("Old & good", Some("de"))
        );
    }

    #[test]
    fn what_a_book_lacks_is_named() {
        let opf = "<package><manifest><item id='1' href='a.html' media-type='text/html'/><item id='2' href='gone.html' media-type='text/html'/>\
                   <item id='3' href='c.pdf' media-type='application/pdf'/><item id='4' href='d.svg' media-type='image/svg+xml'/>\
                   <item id='5' href='e.xyz' media-type='application/x-e' fallback='6'/><item id='6' href='f.html' media-type='text/html'/></manifest>\
                   <spine><itemref idref='1'/><itemref idref='2'/><itemref idref='3'/><itemref idref='4'/><itemref idref='5'/><itemref idref='7'/></spine></package>";
        let book = package(&[
            ("book.opf", opf),
            ("a.html", "A"),
            ("c.pdf", ""),
            ("d.svg", ""),
            ("e.xyz", ""),
            ("f.html", "F"),
        ]);
        let (parts, mut missing) = content(&book);
        missing.sort();
        assert_eq!(parts, ["A", "F"]);
        assert_eq!(
            missing,
            ["7 (not in the manifest)", "c.pdf (application/pdf)", "gone.html"]
        );
        let none = package(&[("book.opf", opf)]);
        let fault = read(&none, &Limits::default()).unwrap_err().to_string();
        assert!(fault.contains("none of its 5 chapters"), "{fault}");
        let without_spine = package(&[
            (
                "book.opf",
                "<package><manifest><item id='1' href='a.html' media-type='text/html'/><item id='2' href='s.css' media-type='text/css'/></manifest></package>",
            ),
            ("a.html", "A"),
        ]);
        assert_eq!(content(&without_spine), (vec!["A".to_owned()], vec![]));
    }

    const SPINE: &str = "<itemref idref='n'/><itemref idref='1'/><itemref idref='2' linear='yes'/>";

    fn book(encrypted: &str, spine: &str) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in [
            ("mimetype", "application/epub+zip"),
            (
                CONTAINER,
                "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>",
            ),
            (
                ENCRYPTION,
                &format!(
                    "<encryption><EncryptedData><CipherData><CipherReference URI='{encrypted}'/></CipherData></EncryptedData></encryption>"
                ),
            ),
            (
                "OEBPS/book.opf",
                &format!(
                    "<package><metadata><dc:title>The\n book</dc:title><dc:language>ja</dc:language></metadata><manifest>\
                 <item id='n' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
                 <item id='2' href='text/two.xhtml' media-type='application/xhtml+xml'/>\
                 <item id='1' href='text/one.xhtml' media-type='application/xhtml+xml'/></manifest>\
                 <spine>{spine}</spine></package>"
                ),
            ),
            ("OEBPS/nav.xhtml", "<html><body>Contents</body></html>"),
            (
                "OEBPS/text/one.xhtml",
                "<html><head><title/></head><body><p>One&nbsp;<a href='https://a.example/'>x</a><br/></p></body></html>",
            ),
            ("OEBPS/text/two.xhtml", "<p>Two <b>unclosed"),
        ] {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn the_chapters_of_the_spine_are_html_without_the_table_of_contents() {
        let book = read(&book("OEBPS/fonts/a.otf", SPINE), &Limits::default()).unwrap();
        assert_eq!(
            (book.title.as_str(), book.language.as_deref()),
            ("The book", Some("ja"))
        );
        let Content::Html(parts) = book.content else {
            panic!("no HTML")
        };
        assert_eq!(
            parts,
            [
                "<html><head><title></title></head><body><p>One&nbsp;<a href=\"https://a.example/\">x</a><br></p></body></html>",
                "<p>Two <b>unclosed",
            ]
        );
    }

    #[test]
    fn what_is_no_part_of_the_reading_order_is_read_only_if_there_is_nothing_else() {
        for (spine, parts) in [
            (
                "<itemref idref='1' linear='no'/><itemref idref='2'/>",
                ["<p>Two <b>unclosed"],
            ),
            (
                "<itemref idref='n'/><itemref idref='2' linear='no'/>",
                ["<p>Two <b>unclosed"],
            ),
        ] {
            let book = read(&book("OEBPS/fonts/a.otf", spine), &Limits::default()).unwrap();
            assert_eq!(
                book.content,
                Content::Html(parts.map(str::to_owned).to_vec()),
                "{spine}"
            );
        }
    }

    #[test]
    fn a_book_with_an_encrypted_chapter_is_encrypted() {
        assert_eq!(
            read(&book("OEBPS/text/two.xhtml", SPINE), &Limits::default()),
            Err(Fault::Encrypted)
        );
    }
}
