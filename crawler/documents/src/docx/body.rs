//! The text of WordprocessingML: paragraphs, and tables row by row.

use std::collections::HashSet;

use super::relations::Relations;
use super::value;
use crate::Fault;
use crate::xml::{Token, Tokens, attribute, local_name};

/// Longest title, in bytes.
const MAX_TITLE_BYTES: usize = 1_000;

/// Most links, and the longest.
const MAX_LINKS: usize = 20_000;
const MAX_LINK_BYTES: usize = 2_048;

/// Most parts that are named as missing.
const MAX_MISSING: usize = 1_000;

/// Elements whose text is not that of the document: deleted text, commands of fields, formats.
const SKIPPED: [&str; 7] = [
    "del",
    "moveFrom",
    "instrText",
    "sectPr",
    "pPrChange",
    "rPrChange",
    "tblGrid",
];

/// Collects blocks.
pub(super) struct Body<'a> {
    relations: &'a Relations,
    /// The finished blocks, one a line.
    text: String,
    limit: usize,
    /// The block that is being read.
    block: String,
    /// Tables around it. Its row is one block.
    tables: usize,
    /// The paragraph has a style of titles.
    is_title: bool,
    title: Option<String>,
    links: Vec<String>,
    seen: HashSet<String>,
    /// Parts in other formats, whose text is not read.
    missing: Vec<String>,
}

/// The reading of one part: its open elements.
#[derive(Debug, Default)]
struct Place {
    open: Vec<String>,
    /// The number of elements around the skipped one.
    skipped_from: Option<usize>,
    /// The run is not shown (`w:vanish`).
    is_hidden: bool,
    /// For each open choice of forms (`mc:AlternateContent`; ECMA-376, part 3, section 7.5), the bytes of text before it. The forms say
    /// the same, so the first one that has text counts.
    choices: Vec<usize>,
}

impl<'a> Body<'a> {
    pub(super) fn new(relations: &'a Relations, limit: usize) -> Self {
        Self {
            relations,
            text: String::new(),
            limit,
            block: String::new(),
            tables: 0,
            is_title: false,
            title: None,
            links: Vec::new(),
            seen: HashSet::new(),
            missing: Vec::new(),
        }
    }

    /// The text, the title by style, and the links.
    pub(super) fn finish(mut self) -> (String, Option<String>, Vec<String>) {
        self.end_block();
        (self.text, self.title, self.links)
    }

    /// The parts that the text needs and that are not read.
    pub(super) fn missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.missing)
    }

    /// Bytes of text so far.
    fn written(&self) -> usize {
        self.text.len() + self.block.trim_end().len()
    }

    /// Whether the text of this element does not count.
    fn is_skipped(&self, name: &str, place: &Place) -> bool {
        let is_form = matches!(name, "Choice" | "Fallback");
        SKIPPED.contains(&name) || is_form && place.choices.last().is_some_and(|before| self.written() > *before)
    }

    /// Reads the main part.
    pub(super) fn read(&mut self, xml: &str) -> Result<(), Fault> {
        self.read_part(xml, self.relations)
    }

    /// Reads footnotes or endnotes. The first two are separators.
    pub(super) fn read_notes(&mut self, xml: &str, relations: &Relations) -> Result<(), Fault> {
        self.read_part(xml, relations)
    }

    fn read_part(&mut self, xml: &str, relations: &Relations) -> Result<(), Fault> {
        let mut tokens = Tokens::new(xml);
        let mut place = Place::default();
        while let Some(token) = tokens.next()? {
            match token {
                Token::Open(start) => {
                    let name = local_name(&start);
                    if place.skipped_from.is_none() {
                        if self.is_skipped(&name, &place) {
                            place.skipped_from = Some(place.open.len());
                        } else {
                            self.open(&name, &start, relations, &mut place);
                        }
                    }
                    place.open.push(name);
                }
                Token::Close(_) => {
                    let Some(name) = place.open.pop() else { continue };
                    match place.skipped_from {
                        Some(from) if from < place.open.len() => {}
                        Some(_) => place.skipped_from = None,
                        None => self.close(&name, &mut place)?,
                    }
                }
                Token::Text(text) | Token::CData(text) => {
                    let is_text = matches!(place.open.last().map(String::as_str), Some("t"));
                    if is_text && place.skipped_from.is_none() && !place.is_hidden {
                        self.block.push_str(&text);
                    }
                }
                Token::Entity(_) => {}
            }
        }
        self.tables = 0;
        self.end_block();
        self.check()
    }

    fn open(
        &mut self,
        name: &str,
        start: &quick_xml::events::BytesStart<'_>,
        relations: &Relations,
        place: &mut Place,
    ) {
        match name {
            "tbl" => {
                if self.tables == 0 {
                    self.end_block();
                }
                self.tables += 1;
            }
            "tab" | "br" | "cr" | "ptab" if place.open.last().is_some_and(|name| name == "r") => self.block.push(' '),
            "noBreakHyphen" => self.block.push('-'),
            "AlternateContent" => place.choices.push(self.written()),
            "altChunk" => {
                let target = attribute(start, "id").and_then(|id| relations.inside(&id).map(str::to_owned));
                self.missing.extend(target.filter(|_| self.missing.len() < MAX_MISSING));
            }
            "r" => place.is_hidden = false,
            "vanish" if place.open.last().is_some_and(|name| name == "rPr") => {
                place.is_hidden = value(start).is_none_or(|value| !matches!(value.as_str(), "0" | "false" | "off"));
            }
            "pStyle" => {
                let style = value(start).unwrap_or_default().to_lowercase();
                self.is_title = style == "title" || self.title.is_none() && style == "heading1";
            }
            "hyperlink" => {
                let target = attribute(start, "id").and_then(|id| relations.link(&id).map(str::to_owned));
                if let Some(target) = target.filter(|target| target.len() <= MAX_LINK_BYTES)
                    && self.links.len() < MAX_LINKS
                    && self.seen.insert(target.clone())
                {
                    self.links.push(target);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, place: &mut Place) -> Result<(), Fault> {
        match name {
            "p" | "tc" | "tr" if self.tables > 0 && name != "tr" => self.block.push(' '),
            "tr" if self.tables == 1 => self.end_block(),
            "p" => self.end_block(),
            "tbl" => self.tables = self.tables.saturating_sub(1),
            "r" => place.is_hidden = false,
            "AlternateContent" => drop(place.choices.pop()),
            _ => {}
        }
        self.check()
    }

    fn check(&self) -> Result<(), Fault> {
        if self.text.len() + self.block.len() > self.limit {
            return Err(Fault::TooLong { limit: self.limit });
        }
        Ok(())
    }

    fn end_block(&mut self) {
        let start = self.text.len();
        for word in self.block.split_whitespace() {
            if self.text.len() > start {
                self.text.push(' ');
            } else if start > 0 {
                self.text.push('\n');
            }
            self.text.push_str(word);
        }
        let written = self.text[start..].trim_start();
        if std::mem::take(&mut self.is_title) && self.title.is_none() && (1..=MAX_TITLE_BYTES).contains(&written.len())
        {
            self.title = Some(written.to_owned());
        }
        self.block.clear();
    }
}
