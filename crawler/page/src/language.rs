//! The language of a text, as an ISO 639-1 code.

use whatlang::Lang;

/// Characters of a text that the detector reads.
const MAX_CHARACTERS: usize = 600;

/// The ISO 639-1 code of the language of `text`, in lower case: the detected language, else the declared one (`en` for
/// `lang="en-US"`).
///
/// `None` if the text is too short or mixed and the declaration is missing or malformed. The declaration comes second because
/// templates declare the language of the site, not of the page.
pub(crate) fn detect(text: &str, declared: Option<&str>) -> Option<String> {
    let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(at, _)| at);
    let detected = whatlang::detect(&text[..end]).filter(whatlang::Info::is_reliable);
    detected
        .and_then(|info| iso_639_1(info.lang()))
        .map(str::to_owned)
        .or_else(|| primary_subtag(declared?))
}

/// The primary subtag of a BCP 47 tag if it is a two-letter code (RFC 5646, section 2.2.1).
fn primary_subtag(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_']).next()?;
    (primary.len() == 2 && primary.bytes().all(|b| b.is_ascii_alphabetic())).then(|| primary.to_ascii_lowercase())
}

/// The ISO 639-1 code of a detected language.
fn iso_639_1(lang: Lang) -> Option<&'static str> {
    CODES
        .iter()
        .find(|(three, _)| *three == lang.code())
        .map(|(_, two)| *two)
}

/// ISO 639-3 codes of the detector with their ISO 639-1 codes.
const CODES: &[(&str, &str)] = &[
    ("afr", "af"),
    ("aka", "ak"),
    ("amh", "am"),
    ("ara", "ar"),
    ("aze", "az"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bul", "bg"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("cmn", "zh"),
    ("cym", "cy"),
    ("dan", "da"),
    ("deu", "de"),
    ("ell", "el"),
    ("eng", "en"),
    ("epo", "eo"),
    ("est", "et"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ind", "id"),
    ("ita", "it"),
    ("jav", "jv"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("kat", "ka"),
    ("khm", "km"),
    ("kor", "ko"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lit", "lt"),
    ("mal", "ml"),
    ("mar", "mr"),
    ("mkd", "mk"),
    ("mya", "my"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nob", "nb"),
    ("ori", "or"),
    ("pan", "pa"),
    ("pes", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("sin", "si"),
    ("slk", "sk"),
    ("slv", "sl"),
    ("sna", "sn"),
    ("spa", "es"),
    ("srp", "sr"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tel", "te"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tuk", "tk"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("uzb", "uz"),
    ("vie", "vi"),
    ("yid", "yi"),
    ("zul", "zu"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_detector_has_a_code() {
        for lang in Lang::all() {
            assert!(iso_639_1(*lang).is_some_and(|code| code.len() == 2), "{lang:?}");
        }
    }

    #[test]
    fn the_text_decides_over_the_declaration() {
        let english = "The crawler fetches pages and decides before it stores them whether they say anything new.";
        let chinese = "数据去重是搜索引擎抓取网页时的重要步骤，重复的网页会浪费存储和计算资源。";
        assert_eq!(detect(english, Some("zh-CN")).as_deref(), Some("en"));
        assert_eq!(detect(chinese, Some("en")).as_deref(), Some("zh"));
    }

    #[test]
    fn the_declaration_decides_if_the_text_does_not() {
        for (declared, expected) in [
            ("pt-BR", Some("pt")),
            (" EN_us ", Some("en")),
            ("x-klingon", None),
            ("", None),
        ] {
            assert_eq!(detect("42", Some(declared)).as_deref(), expected, "{declared:?}");
        }
        assert_eq!(detect("", None), None);
    }
}
