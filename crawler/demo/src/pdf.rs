//! The template of PDF files: two columns with divided words, and on each page a header and the number of the page.

use super::template::Document;

/// Height of a row, in units of 1/72 inch. The font has about half as many units a letter.
const LEADING: usize = 13;

/// Rows of a column, and columns of a page.
const ROWS: usize = 12;
const COLUMNS: usize = 2;

/// Most characters of a row: those of a column of 230 units in Courier at 8 points, whose letters have 4.8 units.
const CHARACTERS: usize = 46;

/// The document as a PDF file.
pub(super) fn of(document: &Document) -> Vec<u8> {
    let mut rows = wrapped(&document.byline);
    for paragraph in &document.paragraphs {
        rows.push(String::new());
        rows.extend(wrapped(paragraph));
    }
    let pages: Vec<String> = rows
        .chunks(ROWS * COLUMNS)
        .enumerate()
        .map(|(number, rows)| page(number, rows, document))
        .collect();
    let kids: String = (0..pages.len())
        .map(|number| format!("{} 0 R ", 5 + 2 * number))
        .collect();
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R/Lang({})>>", document.lang),
        format!("<</Type/Pages/Kids[{kids}]/Count {}>>", pages.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>".to_owned(),
        format!("<</Title({})>>", escaped(&document.heading)),
    ];
    for (number, page) in pages.iter().enumerate() {
        let content = 6 + 2 * number;
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {content} 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
        ));
        objects.push(format!("<</Length {}>>stream\n{page}endstream", page.len()));
    }
    let mut file = "%PDF-1.7\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let table: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
    let (start, size) = (file.len(), places.len() + 1);
    file += &format!(
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R/Info 4 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

/// The content of a page: its header, its columns and its number.
fn page(number: usize, rows: &[String], document: &Document) -> String {
    let mut content = shown(60, 800, 8, "The Hollin Almanac, to take away");
    if number == 0 {
        content += &shown(60, 760, 18, &document.heading);
    }
    for (at, row) in rows.iter().enumerate() {
        let (column, row_number) = (at / ROWS, at % ROWS);
        content += &shown(60 + 260 * column, 720 - LEADING * row_number, 8, row);
    }
    content + &shown(290, 40, 8, &(number + 1).to_string())
}

fn shown(x: usize, y: usize, size: usize, text: &str) -> String {
    format!("BT /F1 {size} Tf {x} {y} Td ({}) Tj ET\n", escaped(text))
}

/// The characters of a string in a file of ASCII (ISO 32000-2, section 7.3.4.2).
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => escaped.extend(['\\', c]),
            '\u{2019}' => escaped += "\\222",
            ' '..='~' => escaped.push(c),
            '\u{a0}'..='\u{ff}' => escaped += &format!("\\{:03o}", u32::from(c)),
            _ => escaped.push('?'),
        }
    }
    escaped
}

/// The rows of a paragraph. A long word at the end of a row is divided.
fn wrapped(paragraph: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in paragraph.split(' ') {
        let row = rows.last_mut().map_or(0, |row| row.chars().count());
        let left = CHARACTERS.saturating_sub(row + 1);
        let is_plain = word.chars().all(char::is_lowercase);
        let divided = (word.len() > left && word.len() >= 9 && left >= 5 && is_plain).then(|| word.split_at(4));
        let pieces = match divided {
            Some((first, second)) => vec![format!("{first}-"), second.to_owned()],
            None => vec![word.to_owned()],
        };
        for (number, piece) in pieces.into_iter().enumerate() {
            match rows.last_mut() {
                Some(row) if number == 0 && (row.is_empty() || row.len() + 1 + piece.len() <= CHARACTERS) => {
                    if !row.is_empty() {
                        row.push(' ');
                    }
                    row.push_str(&piece);
                }
                _ => rows.push(piece),
            }
        }
    }
    rows
}
