//! Title, language and links of a PDF file.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, String as PdfString};

use super::Page;
use super::columns::median;
use super::rows::Row;
use super::text_string::text_string;

/// Most links of a file.
const MAX_LINKS: usize = 20_000;

/// Longest link, in bytes.
const MAX_LINK_BYTES: usize = 2_048;

/// Most characters of a title.
const MAX_TITLE: usize = 300;

/// A heading is a title if its font is so many times as large as that of the text.
const LARGER: f32 = 1.15;

/// The title that the file declares, else the rows at the beginning with the largest font.
pub(super) fn title(pdf: &Pdf, pages: &[Page]) -> String {
    let declared = pdf.metadata().title.as_deref().map(text_string).unwrap_or_default();
    let declared = declared.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_title(&declared) {
        declared.chars().take(MAX_TITLE).collect()
    } else {
        largest(pages).unwrap_or_default()
    }
}

/// Many programs write the name of a file, or of themselves, in the place of the title.
fn is_title(text: &str) -> bool {
    const ENDINGS: [&str; 12] = [
        ".doc", ".docx", ".dvi", ".fm", ".htm", ".html", ".indd", ".odt", ".pdf", ".ps", ".qxd", ".tex",
    ];
    let lower = text.to_lowercase();
    let is_name = ENDINGS.iter().any(|ending| lower.ends_with(ending));
    !(text.is_empty() || is_name || lower.starts_with("untitled") || lower.starts_with("microsoft word -"))
}

fn largest(pages: &[Page]) -> Option<String> {
    let usual = median(pages.iter().flat_map(|page| &page.rows).map(|row| row.size).collect())?;
    let first = pages.iter().find(|page| !page.rows.is_empty())?;
    let size = first.rows.iter().map(|row| row.size).fold(0.0, f32::max);
    if size < usual * LARGER {
        return None;
    }
    let rows = first.rows.iter().skip_while(|row| row.size < size * 0.95);
    let title: Vec<String> = rows.take_while(|row| row.size >= size * 0.95).map(Row::text).collect();
    let title = title.join(" ");
    (title.chars().count() <= MAX_TITLE).then_some(title)
}

/// The natural language that the catalogue of the file declares (ISO 32000-2, section 14.9.2).
pub(super) fn language(pdf: &Pdf) -> Option<String> {
    let catalogue = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
    let language = text_string(catalogue.get::<PdfString<'_>>("Lang")?.as_bytes());
    (!language.is_empty() && language.len() <= 64).then_some(language)
}

/// The addresses of link annotations (sections 12.5.6.5 and 12.6.4.8), each once, in the order of the pages.
pub(super) fn links(pdf: &Pdf) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut links = Vec::new();
    for page in pdf.pages().iter() {
        let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else {
            continue;
        };
        for annotation in annotations.iter::<Dict<'_>>() {
            if let Some(link) = target(&annotation)
                && seen.insert(link.clone())
            {
                links.push(link);
            }
            if links.len() == MAX_LINKS {
                return links;
            }
        }
    }
    links
}

fn target(annotation: &Dict<'_>) -> Option<String> {
    let action = annotation.get::<Dict<'_>>("A")?;
    if action.get::<Name<'_>>("S")?.as_str() != "URI" {
        return None;
    }
    let target = text_string(action.get::<PdfString<'_>>("URI")?.as_bytes());
    let target = target.trim();
    (!target.is_empty() && target.len() <= MAX_LINK_BYTES).then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_titles() {
        assert!(is_title("The Rust Programming Language"));
        for name in ["", "thesis.dvi", "Microsoft Word - report", "Untitled-1", "letter.DOCX"] {
            assert!(!is_title(name), "{name}");
        }
    }
}
