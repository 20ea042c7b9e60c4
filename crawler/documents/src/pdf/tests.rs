//! PDF files written by hand, each with one property.

use super::*;

/// A file with these pages, each a content stream with the fonts F1 (Helvetica) and F2 (Chinese, not embedded). `catalogue` and `page`
/// are further entries, `objects` further objects from number 100 on.
fn pdf(streams: &[String], catalogue: &str, page: &str, objects: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..streams.len()).map(|at| format!("{} 0 R", 10 + 2 * at)).collect();
    let mut bodies = vec![
        (1, format!("<</Type/Catalog/Pages 2 0 R{catalogue}>>")),
        (2, format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), kids.len())),
        (3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".into()),
        (
            4,
            "<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/GBK-EUC-H/DescendantFonts[<</Type/Font\
             /Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>\
             /FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 4>>>>]>>"
                .into(),
        ),
        (5, "<</Title(The title)>>".into()),
    ];
    for (at, stream) in streams.iter().enumerate() {
        bodies.push((
            10 + 2 * at,
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>{page}>>",
                11 + 2 * at
            ),
        ));
        bodies.push((
            11 + 2 * at,
            format!("<</Length {}>>stream\n{stream}\nendstream", stream.len()),
        ));
    }
    bodies.extend(
        objects
            .iter()
            .enumerate()
            .map(|(at, body)| (100 + at, (*body).to_owned())),
    );
    let mut file = b"%PDF-1.7\n".to_vec();
    for (number, body) in bodies {
        file.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
    }
    // The file has no table of its objects; hayro finds them.
    file.extend(b"trailer\n<</Root 1 0 R/Info 5 0 R>>\n%%EOF\n");
    file
}

/// Rows of text at their places.
fn rows(rows: &[(f32, f32, &str)]) -> String {
    let row = |(x, y, text): &(f32, f32, &str)| format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET\n");
    rows.iter().map(row).collect()
}

fn text(streams: &[String]) -> String {
    match read(&pdf(streams, "", "", &[]), &Limits::default()).unwrap().content {
        Content::Text(text) => text,
        Content::Html(_) => panic!("HTML"),
    }
}

#[test]
fn columns_are_read_one_after_the_other_in_any_order_of_drawing() {
    let mut drawn = vec![(
        60.0,
        760.0,
        "A heading of the whole width that stands over both of the columns of the page",
    )];
    let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
    let lines: Vec<(String, String)> = words
        .iter()
        .map(|word| {
            (
                format!("left column {word} with some further words of text"),
                format!("right column {word} with some more words of it"),
            )
        })
        .collect();
    for (at, (left, right)) in lines.iter().enumerate() {
        let y = 700.0 - 12.0 * at as f32;
        drawn.push((330.0, y, right));
        drawn.push((60.0, y, left));
    }
    let found = text(&[rows(&drawn)]);
    let places: Vec<usize> = [
        "whole",
        "left column alpha",
        "left column foxtrot",
        "right column alpha",
        "right column foxtrot",
    ]
    .iter()
    .map(|text| {
        found
            .find(text)
            .unwrap_or_else(|| panic!("{text} is missing in {found}"))
    })
    .collect();
    assert!(places.is_sorted(), "{found}");
}

#[test]
fn a_table_is_read_row_by_row() {
    let mut drawn = Vec::new();
    for (at, cells) in [
        ["name", "size"],
        ["one", "11"],
        ["two", "22"],
        ["three", "33"],
        ["four", "44"],
    ]
    .iter()
    .enumerate()
    {
        for (column, cell) in cells.iter().enumerate() {
            drawn.push((60.0 + 200.0 * column as f32, 700.0 - 14.0 * at as f32, *cell));
        }
    }
    assert_eq!(text(&[rows(&drawn)]), "name size\none 11\ntwo 22\nthree 33\nfour 44");
}

#[test]
fn a_word_divided_at_the_end_of_a_row_is_joined() {
    let found = text(&[rows(&[
        (60.0, 700.0, "The docu-"),
        (60.0, 688.0, "ment of X-"),
        (60.0, 676.0, "Rays ends."),
    ])]);
    assert_eq!(found, "The document of X- Rays ends.");
}

#[test]
fn headers_footers_and_page_numbers_are_left_out() {
    let page = |number: usize| {
        let words = ["first", "second", "third", "fourth", "fifth"][number - 1];
        let (running, footer) = (format!("{number} {words} chapter"), format!("Page {number} of 5"));
        rows(&[
            (60.0, 770.0, "The Book, Release 2"),
            (200.0, 750.0, &running),
            (60.0, 600.0, &format!("The text of the {words} page.")),
            (300.0, 30.0, &footer),
        ])
    };
    let found = text(&(1..=5).map(page).collect::<Vec<_>>());
    assert_eq!(
        found,
        "The text of the first page.\nThe text of the second page.\nThe text of the third page.\nThe text of the fourth page.\nThe text of \
         the fifth page."
    );
}

#[test]
fn words_end_at_gaps_and_pieces_of_one_word_are_joined() {
    // The space is a movement, as in files of TeX, and "kerned" is drawn in two pieces.
    let stream = "BT /F1 10 Tf 60 700 Td [(Two)-300(words) 40(, k)20(erned)] TJ ET".to_owned();
    assert_eq!(text(&[stream]), "Two words, kerned");
}

#[test]
fn ligatures_are_letters_and_bold_text_that_is_drawn_twice_is_read_once() {
    let stream = "BT /F1 10 Tf 60 700 Td (of\\256ce) Tj ET BT /F1 10 Tf 60.3 700 Td (of\\256ce) Tj ET".to_owned();
    assert_eq!(text(&[stream]), "office");
}

#[test]
fn chinese_without_an_embedded_font_is_read_by_its_predefined_cmap() {
    // GBK of 中文文本, in two pieces with a gap that is no space.
    let stream = "BT /F2 10 Tf 60 700 Td <D6D0CEC4> Tj 24 0 Td <CEC4B1BE> Tj ET".to_owned();
    assert_eq!(text(&[stream]), "中文文本");
}

#[test]
fn text_that_stands_on_its_side_follows_the_other() {
    let stream = format!(
        "BT /F1 10 Tf 0 1 -1 0 30 400 Tm (on its side) Tj ET\n{}",
        rows(&[(60.0, 700.0, "The text of this page.")])
    );
    assert_eq!(text(&[stream]), "The text of this page.\non its side");
}

#[test]
fn title_language_links_and_number_of_pages_are_read() {
    let file = pdf(
        &[rows(&[(60.0, 700.0, "Text")]), rows(&[(60.0, 700.0, "more")])],
        "/Lang(de-AT)",
        "/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/a)>>>>100 0 R]",
        &["<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F(calc.exe)>>>>"],
    );
    let document = read(&file, &Limits::default()).unwrap();
    assert_eq!(
        (document.title.as_str(), document.language.as_deref()),
        ("The title", Some("de-AT"))
    );
    assert_eq!(
        (document.pages, document.links),
        (Some(2), vec!["https://example.org/a".to_owned()])
    );
}

#[test]
fn pages_without_text_and_files_without_pages_are_faults() {
    let drawn = pdf(&["0 0 600 800 re f".into()], "", "", &[]);
    assert_eq!(read(&drawn, &Limits::default()), Err(Fault::WithoutText { pages: 1 }));
    assert!(matches!(
        read(b"%PDF-1.7\nnothing", &Limits::default()),
        Err(Fault::Broken(_))
    ));
}

#[test]
fn text_over_the_bound_is_a_fault() {
    let limits = Limits {
        max_text_bytes: 10,
        ..Limits::default()
    };
    let file = pdf(&[rows(&[(60.0, 700.0, "more than ten bytes")])], "", "", &[]);
    assert_eq!(read(&file, &limits), Err(Fault::TooLong { limit: 10 }));
}

#[test]
fn an_encrypted_file_is_read_if_it_needs_no_password() {
    let limits = Limits::default();
    let plain = read(include_bytes!("../../../../fuzz/seeds/documents/plain.pdf"), &limits);
    // AES with an empty user password, as files that only forbid printing; and AES-256 with a password.
    let open = read(
        include_bytes!("../../../../fuzz/seeds/documents/needs-no-password.pdf"),
        &limits,
    );
    let closed = read(
        include_bytes!("../../../../fuzz/seeds/documents/needs-password.pdf"),
        &limits,
    );
    assert_eq!(open.unwrap(), plain.unwrap());
    assert_eq!(closed, Err(Fault::Encrypted));
}

/// A page whose forms draw each other: form 100 + n has this content, and the form after it under the name X.
fn forms(page: &str, contents: &[String]) -> Vec<u8> {
    let object = |(at, content): (usize, &String)| {
        format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>/XObject<</X {} 0 R>>>>/Length {}>>stream\n\
             {content}\nendstream",
            101 + at,
            content.len()
        )
    };
    let objects: Vec<String> = contents.iter().enumerate().map(object).collect();
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    let resources = "/Resources<</Font<</F1 3 0 R>>/XObject<</X 100 0 R>>>>";
    pdf(&[page.to_owned()], "", resources, &objects)
}

/// In the order of the table: the page, the contents of its forms, and the text or the fault.
#[test]
fn forms_in_forms_are_drawn_up_to_a_bound() {
    let row = |y: f32, text: &str| rows(&[(60.0, y, text)]);
    let draws = |times: usize| "/X Do\n".repeat(times);
    let levels = |levels: usize, times: usize, last: String| -> Vec<String> {
        (0..levels).map(|_| draws(times)).chain([last]).collect()
    };
    let too_large = Err(Fault::TooLarge {
        limit: Limits::default().max_unpacked_bytes,
    });
    let text = |text: &str| Ok(text.to_owned());
    let operations = "1 0 0 1 0 0 cm\n".repeat(70_000);
    type Case = (&'static str, String, Vec<String>, Result<String, Fault>);
    let cases: Vec<Case> = vec![
        ("a form", draws(1), vec![row(700.0, "in a form")], text("in a form")),
        (
            "a form of another form",
            format!("{}{}", row(720.0, "before"), draws(1)),
            levels(3, 1, row(700.0, "deep")),
            text("before deep"),
        ),
        (
            "many drawings of a form",
            format!("{}{}", draws(2_000), row(700.0, "after")),
            vec!["0 0 9 9 re f".into()],
            text("after"),
        ),
        (
            "ten drawings on each of twenty levels",
            draws(10),
            levels(20, 10, "q Q".into()),
            too_large.clone(),
        ),
        (
            "the same with text before",
            format!("{}{}", row(700.0, "before"), draws(10)),
            levels(20, 10, "q Q".into()),
            text("before"),
        ),
        (
            "the same with text in the last form",
            draws(10),
            levels(20, 10, row(700.0, "reached")),
            text("reached"),
        ),
        (
            "few drawings of a megabyte of operators",
            draws(10),
            levels(3, 10, operations),
            too_large,
        ),
    ];
    for (name, page, contents, expected) in cases {
        let read = read(&forms(&page, &contents), &Limits::default());
        let found = read.map(|document| match document.content {
            Content::Text(text) => text,
            Content::Html(_) => panic!("HTML"),
        });
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_form_that_draws_itself_ends() {
    let form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 100 0 R>>>>/Length 11>>stream\n/X Do /X Do\nendstream";
    let page = "/Resources<</Font<</F1 3 0 R>>/XObject<</X 100 0 R>>>>";
    let content = format!("{}/X Do", rows(&[(60.0, 700.0, "before")]));
    let document = read(&pdf(&[content], "", page, &[form]), &Limits::default()).unwrap();
    assert_eq!(document.content, Content::Text("before".into()));
}

/// The second page has no forms, and is read although the first has too many.
#[test]
fn the_pages_after_one_with_too_many_forms_are_read() {
    let contents: Vec<String> = (0..20).map(|_| "/X Do ".repeat(10)).collect();
    let file = String::from_utf8(forms("/X Do", &contents)).unwrap();
    let second = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 51 0 R/Resources<</Font<</F1 3 0 R>>>>>>";
    let content = rows(&[(60.0, 700.0, "second page")]);
    let objects = format!(
        "50 0 obj\n{second}\nendobj\n51 0 obj\n<</Length {}>>stream\n{content}\nendstream\nendobj\ntrailer",
        content.len()
    );
    let file = file.replace("/Kids[10 0 R]/Count 1", "/Kids[10 0 R 50 0 R]/Count 2");
    let document = read(file.replace("trailer", &objects).as_bytes(), &Limits::default()).unwrap();
    assert_eq!(
        (document.content, document.pages),
        (Content::Text("second page".into()), Some(2))
    );
}
