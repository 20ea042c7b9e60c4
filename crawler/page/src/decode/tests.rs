use encoding_rs::Encoding;
use proptest::prelude::*;

use super::*;

const CHINESE: &str = "数据去重是搜索引擎抓取网页时的重要步骤，重复的网页会浪费存储和计算资源。";
const TRADITIONAL: &str = "資料去重是搜尋引擎擷取網頁時的重要步驟，重複的網頁會浪費儲存和計算資源。";
const JAPANESE: &str = "検索エンジンがウェブページを収集するとき、重複したページを取り除くことは大切です。";
const KOREAN: &str = "검색 엔진이 웹 페이지를 수집할 때 중복된 페이지를 제거하는 것은 중요합니다.";
const RUSSIAN: &str = "Удаление повторяющихся страниц важно для поисковых систем и экономит место.";

/// (text, encodings that can hold it)
const TABLE: &[(&str, &[&str])] = &[
    (CHINESE, &["gbk", "gb18030", "utf-8"]),
    (TRADITIONAL, &["big5", "gb18030", "utf-8"]),
    (JAPANESE, &["shift_jis", "euc-jp", "iso-2022-jp", "utf-8"]),
    (KOREAN, &["euc-kr", "utf-8"]),
    (RUSSIAN, &["windows-1251", "koi8-r", "utf-8"]),
];

fn encode(text: &str, label: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!unmappable, "{label} cannot hold the text");
    bytes.into_owned()
}

fn encode_utf16(text: &str, little: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() })
        .collect()
}

fn page(text: &str, head: &str) -> String {
    format!("<!doctype html><html><head>{head}<title>t</title></head><body><p>{text}</p></body></html>")
}

#[test]
fn a_page_gives_the_same_text_in_every_encoding_that_the_header_names() {
    for (text, labels) in TABLE {
        for label in *labels {
            let body = encode(&page(text, ""), label);
            let decoded = decode(&body, Some(label));
            assert_eq!(decoded.text, page(text, ""), "{label}");
            assert_eq!(
                (decoded.source, decoded.had_errors),
                (EncodingSource::Header, false),
                "{label}"
            );
        }
    }
}

#[test]
fn a_page_gives_the_same_text_in_every_encoding_that_a_meta_names() {
    for (text, labels) in TABLE {
        for label in *labels {
            for head in [
                format!("<meta charset={label}>"),
                format!("<META http-equiv='Content-Type' content='text/html; charset={label}' />"),
            ] {
                let html = page(text, &head);
                let decoded = decode(&encode(&html, label), None).text.into_owned();
                assert_eq!(decoded, html, "{label}");
            }
        }
    }
}

#[test]
fn a_page_gives_the_same_text_in_every_encoding_without_a_declaration() {
    for (text, labels) in TABLE {
        for label in *labels {
            let html = page(&text.repeat(3), "");
            let body = encode(&html, label);
            let decoded = decode(&body, None);
            assert_eq!(decoded.text, html, "{label} taken for {}", decoded.encoding.name());
        }
    }
}

/// Short texts whose bytes are also words in another encoding: (top-level domain, encoding, text).
const DECIDED_BY_DOMAIN: &[(&str, &str, &str)] = &[
    ("cn", "GBK", "新闻"),
    ("cn", "GBK", "我们"),
    ("tw", "Big5", "中文"),
    ("hk", "Big5", "車"),
    ("jp", "Shift_JIS", "東京"),
    ("jp", "EUC-JP", "本"),
    ("kr", "EUC-KR", "서울"),
    ("ru", "windows-1251", "Нет"),
    ("ua", "windows-1251", "Що"),
    ("ua", "KOI8-U", "Як"),
    ("bg", "windows-1251", "Вход"),
    ("by", "windows-1251", "Што"),
    ("gr", "windows-1253", "και"),
    ("cy", "windows-1253", "Ναι"),
    ("il", "windows-1255", "עוד"),
    ("tr", "windows-1254", "Giriş"),
    ("th", "windows-874", "ไทย"),
    ("vn", "windows-1258", "đi"),
    ("sa", "windows-1256", "يوم"),
    ("eg", "windows-1256", "لا"),
    ("ir", "windows-1256", "است"),
    ("pl", "ISO-8859-2", "mąż"),
    ("cz", "windows-1250", "město"),
    ("sk", "windows-1250", "dieťa"),
    ("hu", "windows-1250", "Főoldal"),
    ("si", "windows-1250", "človek"),
    ("ro", "windows-1250", "ţ"),
    ("lt", "windows-1257", "Apie mūs"),
    ("lv", "windows-1257", "Ziņas"),
    ("ee", "windows-1257", "õ"),
    ("rs", "windows-1251", "Реч"),
    ("xn--p1ai", "windows-1251", "Мир"),
];

#[test]
fn the_top_level_domain_decides_what_a_short_text_is() {
    for (domain, label, text) in DECIDED_BY_DOMAIN {
        let body = encode(text, label);
        let url = Url::parse(&format!("http://www.example.{domain}/")).unwrap();
        let decoded = decode_from(&url, &body, None, Syntax::Html);
        assert_eq!(
            (&*decoded.text, decoded.source),
            (*text, EncodingSource::Detected),
            "{domain}: {}",
            decoded.encoding.name()
        );
        let elsewhere = decode(&body, None);
        assert_ne!(
            elsewhere.text,
            *text,
            "{domain}: {} without it",
            elsewhere.encoding.name()
        );
    }
}

#[test]
fn utf16_is_recognised_by_mark_by_header_and_by_markup() {
    for (text, _) in TABLE {
        for (label, little) in [("utf-16le", true), ("utf-16be", false)] {
            let html = page(text, "<meta charset=utf-16>");
            let bare = encode_utf16(&html, little);
            let marked = encode_utf16(&format!("\u{feff}{html}"), little);
            assert_eq!(decode(&bare, Some(label)).text, html);
            assert_eq!(decode(&bare, None).text, html);
            assert_eq!(decode(&marked, None).text, html);
            assert_eq!(decode(&marked, Some("gbk")).source, EncodingSource::Bom);
        }
    }
}

#[test]
fn a_byte_order_mark_beats_the_header_and_the_header_beats_the_meta() {
    let marked = format!("\u{feff}<meta charset=big5>{CHINESE}");
    let decoded = decode(marked.as_bytes(), Some("gbk"));
    assert_eq!(
        (decoded.encoding.name(), decoded.source),
        ("UTF-8", EncodingSource::Bom)
    );
    assert!(decoded.text.starts_with("<meta"));

    let body = encode(&format!("<meta charset=big5>{CHINESE}"), "gbk");
    let decoded = decode(&body, Some("\"GB2312\""));
    assert_eq!(
        (decoded.encoding.name(), decoded.source),
        ("GBK", EncodingSource::Header)
    );
}

#[test]
fn an_unknown_label_counts_as_no_declaration() {
    for label in ["", "none", "x-nothing", "hz-gb-2312"] {
        assert_eq!(
            decode(CHINESE.as_bytes(), Some(label)).source,
            EncodingSource::Utf8,
            "{label}"
        );
    }
}

#[test]
fn the_prescan_follows_the_standard() {
    // (head, the encoding that it declares)
    let cases: &[(&str, Option<&str>)] = &[
        ("<meta charset=gbk>", Some("GBK")),
        ("<meta charset=\" gbk \">", Some("GBK")),
        ("<meta/charset=gbk>", Some("GBK")),
        ("<meta name=x charset=gbk charset=big5>", Some("GBK")),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", Some("GBK")),
        ("<!--><meta charset=gbk>", Some("GBK")),
        ("<p title='<meta charset=big5>'><meta charset=gbk>", Some("GBK")),
        ("<? <meta charset=big5 ?><meta charset=gbk>", Some("GBK")),
        ("<metal charset=big5><meta charset=gbk>", Some("GBK")),
        ("<meta charset=utf-16le>", Some("UTF-8")),
        ("<meta charset=x-user-defined>", Some("windows-1252")),
        ("<meta content='text/html; charset=gbk'>", None),
        (
            "<meta content='text/html; charset=gbk' http-equiv=content-type>",
            Some("GBK"),
        ),
        (
            "<meta http-equiv=content-type content='charset; charset = \"gbk\"'>",
            Some("GBK"),
        ),
        ("<meta http-equiv=refresh content='charset=gbk'>", None),
        ("<meta charset=nonsense><meta charset=gbk>", Some("GBK")),
        (
            "<meta charset=nonsense http-equiv=content-type content=charset=gbk>",
            None,
        ),
        (
            "<meta http-equiv=content-type content=charset=gbk charset=big5>",
            Some("Big5"),
        ),
        (
            "<meta http-equiv=content-type content=charset=big5 charset=nonsense>",
            None,
        ),
        (
            "<meta http-equiv=refresh http-equiv=content-type content=charset=gbk>",
            None,
        ),
        ("<META\tCHARSET\n=\x0c\r 'GBK'>", Some("GBK")),
        ("<meta charset = \"gbk\"/>", Some("GBK")),
        ("<meta charset=gbk/>", None),
        ("<meta charset='gbk\">", None),
        ("<meta charset=\"gbk'>", None),
        ("<meta charset><meta charset=gbk>", Some("GBK")),
        ("<meta =charset=big5><meta charset=gbk>", Some("GBK")),
        ("<meta\x0bcharset=big5><meta charset=gbk>", Some("GBK")),
        ("<meta http-equiv=Content-Type content='text/html;charset=\"gbk'>", None),
        (
            "<meta http-equiv=Content-Type content='text/html;charset=gbk;x'>",
            Some("GBK"),
        ),
        (
            "<meta http-equiv=Content-Type content='charsetcharset=gbk'>",
            Some("GBK"),
        ),
        ("<meta charset=utf-16be>", Some("UTF-8")),
        ("<meta charset=iso-2022-kr>", None),
        ("</p <meta charset=big5><meta charset=gbk>", Some("GBK")),
        ("<!doctype <meta charset=big5><meta charset=gbk>", Some("GBK")),
        ("<1 <meta charset=gbk>", Some("GBK")),
        ("<?xml version='1.0' encoding=\"gb2312\"?><html>", Some("GBK")),
        ("<?xml version='1.0' encoding\n=\t'utf-16'?><html>", Some("UTF-8")),
        ("<?xml version='1.0' encoding=' gbk'?>", None),
        ("<?xml version='1.0'?><p encoding='gbk'>", None),
        (" <?xml version='1.0' encoding='gbk'?>", None),
        ("<?xml encoding='big5'?><meta charset=gbk>", Some("GBK")),
        ("<!-- <meta charset=gbk>", None),
        ("<meta charset=gbk", None),
        ("<meta charset=gbk name=", None),
        ("<meta charset=gbk ", None),
        ("plain text charset=gbk", None),
    ];
    for (head, expected) in cases {
        assert_eq!(
            prescan::declared(head.as_bytes()).map(Encoding::name),
            *expected,
            "{head}"
        );
    }
}

#[test]
fn a_declaration_after_1024_bytes_counts_only_in_the_head_of_what_is_not_utf8() {
    let padding = " ".repeat(1024);
    let late = format!("<html>{padding}<meta charset=koi8-u><body>");
    assert_eq!(decode(late.as_bytes(), None).source, EncodingSource::Utf8);
    assert_eq!(decode(format!("{late}é").as_bytes(), None).source, EncodingSource::Utf8);
    let decoded = decode(&[late.as_bytes(), b"\xa4"].concat(), None).text.into_owned();
    assert!(decoded.ends_with('є'), "{decoded}");
    let in_body = format!("<body>{padding}<meta charset=koi8-u>");
    let decoded = decode(&[in_body.as_bytes(), b"\xa4"].concat(), None).source;
    assert_eq!(decoded, EncodingSource::Detected);
}

#[test]
fn utf8_with_one_damaged_byte_or_a_cut_end_stays_utf8() {
    let mut body = CHINESE.repeat(3).into_bytes();
    body[100] = 0xff;
    let decoded = decode(&body, None);
    assert_eq!((decoded.encoding.name(), decoded.had_errors), ("UTF-8", true));

    let cut = &CHINESE.as_bytes()[..CHINESE.len() - 1];
    assert_eq!(decode(cut, None).encoding.name(), "UTF-8");
}

const ARABIC: &str = "تعد إزالة الصفحات المكررة خطوة مهمة لمحركات البحث لأنها توفر مساحة التخزين وتقلل وقت الزحف.";
const GREEK: &str = "Η αφαίρεση των διπλών σελίδων είναι σημαντική για τις μηχανές αναζήτησης και εξοικονομεί χώρο.";
const HEBREW: &str = "הסרת דפים כפולים חשובה למנועי חיפוש וחוסכת מקום אחסון וזמן סריקה של האתרים.";
const THAI: &str = "การลบหน้าที่ซ้ำกันเป็นขั้นตอนสำคัญของเครื่องมือค้นหาและช่วยประหยัดพื้นที่";
const FRENCH: &str = "La suppression des pages dupliquées est une étape très importante pour les moteurs, et ménage les serveurs à l’été.";
const POLISH: &str =
    "Usuwanie powtórzonych stron jest ważne dla wyszukiwarek i oszczędza miejsce, gdyż każda zajmuje dużo pamięci.";

/// (text, encodings): those that a damaged byte must not change.
const DAMAGED: &[(&str, &[&str])] = &[
    (CHINESE, &["gbk", "utf-8"]),
    (TRADITIONAL, &["big5", "utf-8"]),
    (JAPANESE, &["shift_jis", "euc-jp", "utf-8"]),
    (KOREAN, &["euc-kr", "utf-8"]),
    (RUSSIAN, &["windows-1251", "koi8-r", "iso-8859-5", "ibm866", "utf-8"]),
    (ARABIC, &["windows-1256", "iso-8859-6", "utf-8"]),
    (GREEK, &["windows-1253", "iso-8859-7"]),
    (HEBREW, &["windows-1255"]),
    (THAI, &["windows-874"]),
    (FRENCH, &["windows-1252", "utf-8"]),
    (POLISH, &["windows-1250", "iso-8859-2", "utf-8"]),
];

/// Sequences that some or all of these encodings do not have: no character, half of one, and one of another encoding.
const DAMAGES: &[&[u8]] = &[
    b"\xff",
    b"\xff\xff",
    b"\x80",
    b"\x98",
    b"\xa0",
    b"\xb0 ",
    b"\xe4<",
    b"\x81\x20",
    b"\xe2\x80",
    b"\xfd\xfe",
    b"\x8f\xa1",
];

/// The body with the damage at so many places between its characters.
fn damaged(text: &str, label: &str, damage: &[u8], places: usize) -> Vec<u8> {
    let part = encode(&format!("<p>{text}</p>\n").repeat(40 / places), label);
    let mut body = b"<!doctype html><title>t</title>".to_vec();
    for _ in 0..places {
        body.extend(&part);
        body.extend(b"<p>");
        body.extend(damage);
        body.extend(b"</p>");
        body.extend(&part);
    }
    body
}

#[test]
fn a_few_damaged_bytes_do_not_change_the_encoding_of_a_page() {
    let mut wrong = Vec::new();
    for (text, labels) in DAMAGED {
        for label in *labels {
            for (damage, places) in DAMAGES.iter().flat_map(|damage| [1, 4].map(|places| (damage, places))) {
                let body = damaged(text, label, damage, places);
                let decoded = decode(&body, None);
                if decoded.text.matches(text).count() < 40 {
                    wrong.push(format!(
                        "{label} with {places} of {damage:x?}: {}",
                        decoded.encoding.name()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_that_declares_utf8_and_is_not_utf8_is_detected() {
    for (text, labels) in DAMAGED {
        // Half of a text in Thai is well-formed UTF-8 by chance.
        for label in labels.iter().filter(|label| !["utf-8", "windows-874"].contains(label)) {
            let body = encode(&page(&text.repeat(3), "<meta charset=utf-8>"), label);
            for header in [None, Some("utf-8")] {
                let decoded = decode(&body, header);
                assert!(
                    decoded.text.contains(text),
                    "{label}: {} {}",
                    decoded.encoding.name(),
                    decoded.text
                );
                assert_eq!(decoded.source, EncodingSource::Detected, "{label}");
            }
        }
    }
}

#[test]
fn a_page_that_declares_utf8_stays_utf8_with_parts_in_another_encoding() {
    let utf8 = page(&CHINESE.repeat(3), "<meta charset=utf-8>").into_bytes();
    for part in [
        encode(RUSSIAN, "windows-1251"),
        encode("数据", "gbk"),
        b"\x93quoted\x94 \x96".to_vec(),
    ] {
        let decoded = [&utf8[..], &part].concat();
        let decoded = decode(&decoded, None);
        assert_eq!(
            (decoded.encoding.name(), decoded.source),
            ("UTF-8", EncodingSource::Meta)
        );
    }
    // Three bytes are too few to tell.
    assert_eq!(
        decode(b"<meta charset=utf-8>\x93quoted\x94 \x96", None).encoding.name(),
        "UTF-8"
    );
}

#[test]
fn a_page_that_was_converted_to_utf8_keeps_its_old_meta() {
    let page = |text: &str| format!("<meta charset=gb2312><p>{text}");
    let converted = page(CHINESE);
    let decoded = decode(converted.as_bytes(), None);
    assert_eq!(
        (decoded.encoding.name(), decoded.source),
        ("UTF-8", EncodingSource::Utf8)
    );
    assert_eq!(decoded.text, converted);
    // A few characters may be well-formed by chance.
    assert_eq!(decode(page("去重").as_bytes(), None).encoding.name(), "GBK");
}

proptest! {
    #[test]
    fn decoding_never_panics(body: Vec<u8>, label: Option<String>) {
        let decoded = decode(&body, label.as_deref());
        prop_assert!(decoded.text.len() <= body.len() * 3 + 3);
    }

    #[test]
    fn decoding_never_panics_on_declarations(body in "(<!?/?(meta|p|!--)?[ =/'\"a-z-]{0,12}(charset|content|http-equiv)?[ =/'\">-]{0,4}){0,9}") {
        prop_assert_eq!(decode(body.as_bytes(), None).text.into_owned(), body);
    }

    #[test]
    fn utf8_is_left_as_it_is(text: String) {
        prop_assume!(!text.starts_with('\u{feff}') && !text.contains('\u{1b}'));
        let decoded = decode(text.as_bytes(), Some("utf-8"));
        prop_assert_eq!(decoded.text.as_ref(), text.as_str());
    }
}
