//! PDF (ISO 32000-2): the text of each page in reading order, with title, language and links.
//!
//! ```text
//! page ─▶ glyphs ─▶ words ─▶ rows · columns ─▶ repeated ─▶ paragraphs
//!         hayro              reading order     headers     blocks
//!                                              dropped
//! ```
//!
//! A PDF file says where each glyph stands, and not where a word, a line or a paragraph ends. hayro interprets the page, and finds the
//! character of each glyph: by the ToUnicode map of the font, else by the name of the glyph, else by a predefined CMap for Chinese,
//! Japanese and Korean. All that follows is geometry, and is decided here:
//!
//! - [`words`]: glyphs that touch make a word
//! - [`rows`]: words on one baseline make a row
//! - [`columns`]: a gutter between two columns of text splits their rows
//! - [`repeated`]: headers, footers and page numbers are no text of the document
//! - [`paragraphs`]: rows make blocks; a word that was divided at the end of a row is joined
//! - [`forms`]: a bound on the drawings of forms in forms
//! - [`facts`]: title, language and links; [`text_string`]: their encodings

mod accents;
mod columns;
mod facts;
mod forms;
mod paragraphs;
mod repeated;
mod rows;
mod text_string;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::Rect;
use hayro_interpret::util::TransformExt;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};

use crate::{Content, Document, Fault, Limits};
use forms::FormBudget;
use rows::Row;
use words::{TooManyForms, Words};

/// Most pages that are read of one file.
const MAX_PAGES: usize = 20_000;

/// Reads a PDF file.
///
/// # Errors
/// The file is encrypted, broken, without text, or its text is longer than `limits` permit. Of a page that draws more forms than `limits`
/// permit, the beginning is read.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Fault::Encrypted,
        LoadPdfError::Decryption(_) => Fault::Encrypted,
        LoadPdfError::Invalid => Fault::Broken("no pages can be found in it".into()),
    })?;
    let pages = pdf.pages();
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings {
        render_content: RenderContent::PAGE,
        ..InterpreterSettings::default()
    };
    let mut read = Vec::new();
    let mut text_bytes = 0;
    let mut budget = FormBudget::new(limits.max_unpacked_bytes);
    for page in pages.iter().take(MAX_PAGES) {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, width.into(), height.into());
        let transform = page.initial_transform(true).to_kurbo();
        let mut context = Context::new(transform, bounds, &cache, pdf.xref(), settings.clone());
        let mut words = Words::of_page(width, height, limits.max_text_bytes - text_bytes);
        words.bound_forms(budget.take(page));
        interrupted_by(|| interpret_page(page, &mut context, &mut words));
        if words.is_too_long() {
            return Err(Fault::TooLong {
                limit: limits.max_text_bytes,
            });
        }
        let rows = columns::in_reading_order(words.finish());
        text_bytes += rows.iter().map(Row::text_bytes).sum::<usize>();
        read.push(Page { rows, height });
    }
    let title = facts::title(&pdf, &read);
    repeated::drop_from(&mut read);
    let text = paragraphs::text(read);
    if text.is_empty() && budget.is_spent() {
        return Err(Fault::TooLarge {
            limit: limits.max_unpacked_bytes,
        });
    }
    if text.is_empty() {
        return Err(Fault::WithoutText {
            pages: pages.len() as u64,
        });
    }
    Ok(Document {
        title,
        language: facts::language(&pdf),
        content: Content::Text(text),
        links: facts::links(&pdf),
        pages: Some(pages.len() as u64),
        missing: Vec::new(),
    })
}

/// Interprets a page, or its beginning if it draws more forms than it may: hayro stops for nothing but a panic.
fn interrupted_by(interpret: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(interpret))
        && !panic.is::<TooManyForms>()
    {
        resume_unwind(panic);
    }
}

/// The rows of one page, in reading order.
#[derive(Debug)]
pub(crate) struct Page {
    pub rows: Vec<Row>,
    /// Height of the page, in the units of its coordinates (1/72 inch).
    pub height: f32,
}

#[cfg(test)]
mod tests;
