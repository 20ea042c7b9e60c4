//! DOCX (ECMA-376, WordprocessingML): paragraphs and table rows of the body, then the notes.

mod body;
mod relations;

use crate::package::Package;
use crate::xml::{Token, Tokens, attribute, decoded, local_name};
use crate::{Content, Document, Fault, Limits};
use body::Body;
use relations::Relations;

/// The main part, if nothing says otherwise.
const MAIN: &str = "word/document.xml";

/// Reads a Word document.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let mut package = Package::open(bytes, limits)?;
    let root = Relations::of(&mut package, "")?;
    let path = root
        .of_type("officeDocument")
        .and_then(|target| package.name_of("", target));
    let path = path
        .or_else(|| package.name_of("", MAIN))
        .unwrap_or_else(|| MAIN.into());
    let relations = Relations::of(&mut package, &path)?;
    let mut body = Body::new(&relations, limits.max_text_bytes);
    body.read(&decoded(&package.needed(&path)?))?;
    let mut missing = body.missing();
    for notes in ["footnotes", "endnotes"] {
        let Some(target) = relations.of_type(notes) else {
            continue;
        };
        let Some(path) = package.name_of(&path, target) else {
            missing.push(target.to_owned());
            continue;
        };
        let links = Relations::of(&mut package, &path)?;
        if let Some(bytes) = package.file(&path)? {
            body.read_notes(&decoded(&bytes), &links)?;
        }
    }
    let facts = match root
        .of_type("core-properties")
        .and_then(|target| package.name_of("", target))
    {
        Some(path) => package.file(&path)?.map(|bytes| Facts::read(&decoded(&bytes))),
        None => None,
    };
    let facts = facts.unwrap_or_default();
    let (text, title, links) = body.finish();
    Ok(Document {
        title: facts.title.or(title).unwrap_or_default(),
        language: facts.language,
        content: Content::Text(text),
        links,
        pages: None,
        missing,
    })
}

/// The core properties (ECMA-376, part 2, section 11).
#[derive(Debug, Default)]
struct Facts {
    title: Option<String>,
    language: Option<String>,
}

impl Facts {
    /// Broken properties are no reason to give the text up.
    fn read(xml: &str) -> Self {
        let mut facts = Self::default();
        let mut tokens = Tokens::new(xml);
        let mut name = String::new();
        while let Ok(Some(token)) = tokens.next() {
            match token {
                Token::Open(start) => name = local_name(&start),
                Token::Text(text) | Token::CData(text) => {
                    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    match name.as_str() {
                        _ if text.is_empty() => {}
                        "title" => facts.title.get_or_insert_default().push_str(&text),
                        "language" if text.len() <= 64 => facts.language = Some(text),
                        _ => {}
                    }
                }
                Token::Close(_) | Token::Entity(_) => {}
            }
        }
        facts.title = facts.title.map(|title| title.chars().take(300).collect());
        facts
    }
}

/// The value of `w:val`.
fn value(start: &quick_xml::events::BytesStart<'_>) -> Option<String> {
    attribute(start, "val")
}

#[cfg(test)]
mod tests;
