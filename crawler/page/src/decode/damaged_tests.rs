//! Pages in all encodings: intact, damaged, cut, declared rightly, wrongly or not at all.

use encoding_rs::Encoding;
use proptest::prelude::*;

use super::sentences::LANGUAGES;
use super::*;

fn encode(text: &str, label: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!unmappable, "{label} cannot hold the text {text}");
    bytes.into_owned()
}

const SCRIPT: &str = "<script>var menu = {id: 1, url: '/list?page=2'}; document.write('<b>' + menu.id + '</b>');</script>\n\
    <style>.list > li { margin: 0 4px; color: #fff }</style>\n<ul class=\"list\"><li><a href=\"/item/1.html\">1</a></li></ul>\n";

/// How large a page is: repetitions of its text.
#[derive(Debug, Clone, Copy)]
enum Size {
    Short = 1,
    Middle = 6,
    Long = 240,
}

/// What happened to its bytes.
#[derive(Debug, Clone, Copy)]
enum Damage {
    None,
    /// So many sequences that no encoding of the page has.
    Between(usize),
    /// So many bytes lost, each within a character.
    Within(usize),
    /// Cut within a character.
    Cut,
}

const ILLEGAL: &[u8] = b"\xff";

/// The page, and the number of texts that are intact.
fn page(text: &str, label: &str, head: &str, size: Size, damage: Damage) -> (Vec<u8>, usize) {
    let mut body = encode(
        &format!("<!doctype html><html><head>{head}<title>index</title>\n{SCRIPT}</head><body>\n"),
        label,
    );
    let text = encode(text, label);
    let repetitions = size as usize;
    let (between, within) = match damage {
        Damage::Between(places) => (places, 0),
        Damage::Within(places) => (0, places),
        Damage::None | Damage::Cut => (0, 0),
    };
    let broken = between.max(within).min(repetitions);
    let mut intact = 0;
    for at in 0..repetitions {
        body.extend(b"<p class=\"post\">");
        if at >= repetitions - broken && within > 0 {
            let middle = text.len() / 2 + text[text.len() / 2..].iter().position(|b| !b.is_ascii()).unwrap();
            body.extend(&text[..middle]);
            body.extend(&text[middle + 1..]);
        } else {
            intact += 1;
            body.extend(&text);
        }
        if at < between {
            body.extend(b"</p><p>");
            body.extend(ILLEGAL);
        }
        body.extend(b"</p>\n");
        body.extend(if at % 20 == 0 { SCRIPT.as_bytes() } else { b"" });
    }
    if matches!(damage, Damage::Cut) {
        body.extend(b"<p>");
        let end = text.iter().rposition(|b| !b.is_ascii()).unwrap();
        let first = text[..=end].iter().position(|b| !b.is_ascii()).unwrap();
        body.extend(&text[first..=first]);
    }
    (body, intact)
}

/// What is wrong with the reading of all pages that have these declarations: (name of the case, encoding that was chosen).
fn wrong_readings(
    sizes: &[Size],
    damages: &[Damage],
    declarations: impl Fn(&str) -> Vec<(Option<String>, String)>,
) -> (usize, Vec<String>) {
    let (mut wrong, mut all) = (Vec::new(), 0);
    for language in LANGUAGES {
        for (label, (at, text)) in language
            .encodings
            .iter()
            .chain(&["utf-8"])
            .flat_map(|l| language.texts.iter().enumerate().map(move |t| (*l, t)))
        {
            for (header, head) in declarations(label) {
                // The long pages of one text tell as much as those of three.
                let sizes = sizes.iter().filter(|size| at == 0 || !matches!(size, Size::Long));
                for (size, damage) in sizes.flat_map(|s| damages.iter().map(move |d| (*s, *d))) {
                    let (body, intact) = page(text, label, &head, size, damage);
                    let decoded = decode(&body, header.as_deref());
                    all += 1;
                    if decoded.text.matches(text).count() < intact || !is(decoded.encoding, label) {
                        wrong.push(format!(
                            "{label}/{at} {header:?} {head} {size:?} {damage:?}: {} by {}",
                            decoded.encoding.name(),
                            decoded.source.name()
                        ));
                    }
                }
            }
        }
    }
    (all, wrong)
}

/// Encodings with the same letters count as one.
fn is(chosen: &'static Encoding, label: &str) -> bool {
    let twins = [["windows-1253", "ISO-8859-7"], ["KOI8-R", "KOI8-U"]];
    let expected = Encoding::for_label(label.as_bytes()).unwrap().name();
    chosen.name() == expected
        || twins
            .iter()
            .any(|twins| twins.contains(&chosen.name()) && twins.contains(&expected))
}

const DAMAGES: [Damage; 6] = [
    Damage::None,
    Damage::Between(1),
    Damage::Between(3),
    Damage::Within(1),
    Damage::Within(3),
    Damage::Cut,
];

fn assert_all_right((all, wrong): (usize, Vec<String>)) {
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

fn meta(label: &str) -> String {
    format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">")
}

#[test]
fn pages_without_a_declaration_are_read_right() {
    assert_all_right(wrong_readings(
        &[Size::Short, Size::Middle, Size::Long],
        &DAMAGES,
        |_| vec![(None, String::new())],
    ));
}

#[test]
fn pages_with_a_right_declaration_are_read_by_it() {
    assert_all_right(wrong_readings(
        &[Size::Short, Size::Middle, Size::Long],
        &DAMAGES,
        |label| vec![(Some(label.to_owned()), String::new()), (None, meta(label))],
    ));
}

/// Encodings with the letters of each other at the same places for the most part: nothing is wrong enough about one read as the other.
const LATIN: [&str; 5] = [
    "iso-8859-1",
    "windows-1252",
    "windows-1250",
    "iso-8859-2",
    "windows-1254",
];

#[test]
fn pages_with_a_wrong_declaration_are_read_right() {
    let wrong = [
        "utf-8",
        "iso-8859-1",
        "gbk",
        "big5",
        "shift_jis",
        "euc-jp",
        "euc-kr",
        "windows-1251",
        "koi8-r",
    ];
    let damages = [Damage::None, Damage::Between(1), Damage::Within(3), Damage::Cut];
    assert_all_right(wrong_readings(&[Size::Middle], &damages, |label| {
        let is_wrong = |wrong: &str| {
            let are_both_latin = LATIN.contains(&label) && LATIN.contains(&wrong);
            // The letters of Thai are not known here.
            let is_thai = label == "windows-874";
            let are_twins = label.starts_with("koi8") && wrong.starts_with("koi8");
            label != wrong && !are_both_latin && !is_thai && !are_twins
        };
        let wrong = wrong.iter().filter(|wrong| is_wrong(wrong));
        wrong
            .flat_map(|wrong| [(Some((*wrong).to_owned()), String::new()), (None, meta(wrong))])
            .collect()
    }));
}

/// Bytes that a declaration explains and whose characters are unusual: (declared encoding, text).
const UNUSUAL: &[(&str, &str)] = &[
    ("iso-8859-1", "»»»»»»»» Startseite ««««««««"),
    (
        "iso-8859-1",
        "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
    ),
    ("iso-8859-1", "¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿"),
    ("windows-1252", "•••••••• “quoted” …………… †‡ ‰ ™™™™"),
    (
        "windows-1251",
        "ПРАВИТЕЛЬСТВО ПРЕДСТАВИЛО ПРОГНОЗ ЭКОНОМИЧЕСКОГО РОСТА НА ЭТОТ ГОД",
    ),
    (
        "koi8-r",
        "ПРАВИТЕЛЬСТВО ПРЕДСТАВИЛО ПРОГНОЗ ЭКОНОМИЧЕСКОГО РОСТА НА ЭТОТ ГОД",
    ),
    ("koi8-r", "════════════╬════════════╣ ░▒▓█ ▓▒░"),
    ("ibm866", "╔══════════════════════╗║ ░▒▓█ ▓▒░ ║╚══════════════════════╝"),
    ("windows-1253", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ αβγδεζηθικλμνξοπρστυφχψω"),
    ("gbk", "鼐鼙鼷齄龅龆龇龊龌黧黩黪麴麽麾魃魈魉餮饕"),
    ("gbk", "★★★★★☆☆☆ ┏━━━━━┓ ①②③④⑤⑥"),
    ("big5", "鬱龜鸚鵡籲麤灩饕餮魑魅魍魎"),
    ("shift_jis", "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉ"),
    ("euc-kr", "뷁쉡챵퓽콫킁뜌땋뷃휑"),
    ("iso-8859-2", "ŠŤŽŹšťžź ĄŁĽŚ ąłľś"),
];

#[test]
fn an_unusual_text_is_read_as_declared() {
    for (label, text) in UNUSUAL {
        let html = format!("<html><body><p>{text}</p>{SCRIPT}<p>{text}</p></body></html>");
        let (body, _, _) = Encoding::for_label(label.as_bytes()).unwrap().encode(&html);
        let decoded = decode(&body, Some(label));
        assert_eq!(
            decoded.source,
            EncodingSource::Header,
            "{label} {text} {}",
            decoded.encoding.name()
        );
    }
}

proptest! {
    #[test]
    fn well_formed_utf8_stays_utf8(text: String) {
        prop_assume!(!text.contains('\u{1b}') && !text.starts_with('<'));
        let decoded = decode(text.as_bytes(), None);
        prop_assert!(decoded.encoding == UTF_8 && !decoded.had_errors);
    }

    #[test]
    fn much_well_formed_utf8_stays_utf8_whatever_is_declared(
        text in "[\\u{80}-\\u{d7ff}]{32,200}",
        declared in prop::sample::select(&["gbk", "big5", "shift_jis", "euc-kr", "windows-1251", "iso-8859-1", "utf-8"][..]),
    ) {
        let decoded = decode(text.as_bytes(), Some(declared));
        prop_assert!(decoded.encoding == UTF_8 && !decoded.had_errors);
    }

    #[test]
    fn any_bytes_have_an_encoding(body: Vec<u8>, places in prop::collection::vec(0..400usize, 0..20)) {
        let mut page = encode(&LANGUAGES[0].texts[0].repeat(3), "gbk");
        for at in places {
            let at = at.min(page.len());
            page.splice(at..at, body.iter().copied());
        }
        decode(&page, Some("iso-8859-1"));
    }
}
