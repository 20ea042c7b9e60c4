//! EPUB 2 and 3 (EPUB 3.3, W3C): the chapters of the spine, as HTML.

use std::collections::{HashMap, HashSet};

use crate::package::{Package, resolve};
use crate::xml::{HtmlWriter, Token, Tokens, attribute, decoded, local_name};
use crate::{Content, Document, Fault, Limits};

const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Most chapters of a book.
const MAX_CHAPTERS: usize = 10_000;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let mut package = Package::open(bytes, limits)?;
    let container = decoded(&package.needed(CONTAINER)?);
    let path = root_file(&container)?.ok_or_else(|| Fault::Broken("its container names no package file".into()))?;
    let book = Book::read(&decoded(&package.needed(&path)?))?;
    let encrypted = match package.file(ENCRYPTION)? {
        Some(bytes) => encrypted_files(&decoded(&bytes))?,
        None => HashSet::new(),
    };
    let mut parts = Vec::new();
    let mut bytes_left = limits.max_text_bytes;
    for href in book.chapters() {
        let path = resolve(&path, href);
        if encrypted.contains(&path) {
            return Err(Fault::Encrypted);
        }
        // A book without one of its chapters still has the others.
        let Some(bytes) = package.file(&path)? else { continue };
        let html = html(&decoded(&bytes));
        bytes_left = bytes_left.checked_sub(html.len()).ok_or(Fault::TooLong {
            limit: limits.max_text_bytes,
        })?;
        parts.push(html);
    }
    if parts.is_empty() {
        return Err(Fault::Broken("it has no chapters".into()));
    }
    Ok(Document {
        title: book.title,
        language: book.language,
        content: Content::Html(parts),
        links: Vec::new(),
        pages: None,
    })
}

fn root_file(container: &str) -> Result<Option<String>, Fault> {
    let mut tokens = Tokens::new(container);
    while let Some(token) = tokens.next()? {
        if let Token::Open(start) = token
            && local_name(&start) == "rootfile"
        {
            return Ok(attribute(&start, "full-path"));
        }
    }
    Ok(None)
}

/// The files whose content is encrypted. Fonts are often, and do not matter.
fn encrypted_files(encryption: &str) -> Result<HashSet<String>, Fault> {
    let mut tokens = Tokens::new(encryption);
    let mut files = HashSet::new();
    while let Some(token) = tokens.next()? {
        if let Token::Open(start) = token
            && local_name(&start) == "CipherReference"
        {
            files.extend(attribute(&start, "URI").map(|uri| resolve("", &uri)));
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
}

/// The package file: what the book has, and in which order.
#[derive(Debug, Default)]
struct Book {
    title: String,
    language: Option<String>,
    items: HashMap<String, Item>,
    /// The items of the spine that are read one after the other.
    spine: Vec<String>,
    /// The items of the spine that are no part of this order (`linear="no"`; EPUB 3.3, section 5.7.2): answers to exercises, for example, or
    /// translations of the whole book.
    auxiliary: Vec<String>,
}

impl Book {
    fn read(package: &str) -> Result<Self, Fault> {
        let mut book = Self::default();
        let mut tokens = Tokens::new(package);
        let mut within: Vec<String> = Vec::new();
        while let Some(token) = tokens.next()? {
            match token {
                Token::Open(start) => {
                    let name = local_name(&start);
                    match name.as_str() {
                        "item" => book.add_item(&|name| attribute(&start, name)),
                        "itemref" if attribute(&start, "linear").as_deref() == Some("no") => {
                            book.auxiliary.extend(attribute(&start, "idref"));
                        }
                        "itemref" => book.spine.extend(attribute(&start, "idref")),
                        _ => {}
                    }
                    within.push(name);
                }
                Token::Close => drop(within.pop()),
                Token::Text(text) => match within.last().map(String::as_str) {
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
        self.items.insert(
            id,
            Item {
                href,
                media_type: attribute("media-type").unwrap_or_default(),
                is_navigation: properties.split_ascii_whitespace().any(|property| property == "nav"),
            },
        );
    }

    /// The chapters in reading order, without the table of contents. If the book has nothing else, its auxiliary items.
    fn chapters(&self) -> Vec<&str> {
        let of = |spine: &'_ [String]| -> Vec<&str> {
            let items = spine.iter().filter_map(|id| self.items.get(id));
            let chapters = items.filter(|item| item.media_type.contains("html") && !item.is_navigation);
            chapters.map(|item| item.href.as_str()).take(MAX_CHAPTERS).collect()
        };
        let chapters = of(&self.spine);
        if chapters.is_empty() {
            of(&self.auxiliary)
        } else {
            chapters
        }
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
