//! Languages by their codes, and the scripts in which they are written.

use std::sync::LazyLock;

use whatlang::Lang;

use super::script::{SCRIPTS as SCRIPT_COUNT, Script};

/// The ISO 639-1 code of a detected language.
pub(super) fn iso_639_1(lang: Lang) -> Option<&'static str> {
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

/// The script of a language, by its ISO 639-1 code. A language that is not in the list is written in Latin letters.
pub(super) fn script_of(code: &str) -> Script {
    SCRIPTS
        .iter()
        .find(|(_, codes)| codes.contains(&code))
        .map_or(Script::Latin, |(script, _)| *script)
}

/// Languages that are not written in Latin letters. Where a script has several, the detector tells them apart, or the declaration.
const SCRIPTS: &[(Script, &[&str])] = &[
    (Script::Han, &["zh", "ja"]),
    (Script::Hangul, &["ko"]),
    (
        Script::Cyrillic,
        &[
            "ru", "uk", "be", "bg", "mk", "sr", "kk", "ky", "mn", "tg", "tt", "ba", "cv", "os", "ce", "av", "kv",
        ],
    ),
    (Script::Arabic, &["ar", "fa", "ur", "ps", "ku", "ug", "sd", "ks"]),
    (Script::Hebrew, &["he", "yi"]),
    (Script::Greek, &["el"]),
    (Script::Armenian, &["hy"]),
    (Script::Georgian, &["ka"]),
    (Script::Devanagari, &["hi", "mr", "ne", "sa"]),
    (Script::Bengali, &["bn", "as"]),
    (Script::Gurmukhi, &["pa"]),
    (Script::Gujarati, &["gu"]),
    (Script::Oriya, &["or"]),
    (Script::Tamil, &["ta"]),
    (Script::Telugu, &["te"]),
    (Script::Kannada, &["kn"]),
    (Script::Malayalam, &["ml"]),
    (Script::Sinhala, &["si"]),
    (Script::Thai, &["th"]),
    (Script::Lao, &["lo"]),
    (Script::Tibetan, &["bo", "dz"]),
    (Script::Burmese, &["my"]),
    (Script::Khmer, &["km"]),
    (Script::Ethiopic, &["am", "ti"]),
];

/// The languages of a script, the usual one first.
pub(super) fn languages_of(script: Script) -> &'static [&'static str] {
    SCRIPTS
        .iter()
        .find(|(of, _)| *of == script)
        .map_or(&[], |(_, codes)| codes)
}

/// The languages of a script that the detector knows.
pub(super) fn detectable(script: Script) -> &'static [Lang] {
    static OF_SCRIPTS: LazyLock<[Vec<Lang>; SCRIPT_COUNT]> = LazyLock::new(|| {
        let of = |script| {
            let has_script = |lang: &Lang| iso_639_1(*lang).is_some_and(|code| script_of(code) == script);
            Lang::all().iter().copied().filter(has_script).collect()
        };
        Script::ALL.map(of)
    });
    &OF_SCRIPTS[script as usize]
}

/// Whether a text in the language with this ISO 639-1 code may be in this script.
pub(super) fn is_written_in(code: &str, script: Script) -> bool {
    script_of(code) == script || SECOND_SCRIPTS.contains(&(code, script))
}

/// Languages that are also written in another script than [`script_of`] says.
const SECOND_SCRIPTS: &[(&str, Script)] = &[
    ("az", Script::Cyrillic),
    ("bs", Script::Cyrillic),
    ("kk", Script::Latin),
    ("ku", Script::Latin),
    ("sr", Script::Latin),
    ("tk", Script::Cyrillic),
    ("tt", Script::Latin),
    ("uz", Script::Cyrillic),
];

/// Whether a language that pages declare is none of the detector, which then finds another.
pub(super) fn is_undetectable(code: &str) -> bool {
    UNDETECTABLE.contains(&code)
}

/// Languages of web sites that the detector does not know. Codes that are more often a slip are not in the list: `se` and `br` for pages from
/// Sweden and Brazil.
#[rustfmt::skip]
const UNDETECTABLE: &[&str] = &[
    "as", "ba", "bo", "bs", "cv", "dz", "eu", "fo", "fy", "ga", "gd", "gl", "gn", "ha", "ht", "ig", "is", "kk", "ku", "ky", "lb", "lo", "mg", "mi",
    "mn", "ms", "mt", "nn", "oc", "om", "os", "ps", "qu", "rm", "rw", "sa", "sd", "so", "sq", "sw", "tg", "ti", "tt", "ug", "wo", "xh", "yo",
];

/// The language that people mean by a subtag that is not its code: a country, an older code, or one of three letters.
pub(super) fn meant_by(subtag: &str) -> Option<&'static str> {
    MEANT.iter().find(|(tag, _)| *tag == subtag).map(|(_, code)| *code)
}

const MEANT: &[(&str, &str)] = &[
    ("cn", "zh"),
    ("cz", "cs"),
    ("dk", "da"),
    ("fil", "tl"),
    ("gr", "el"),
    ("in", "id"),
    ("iw", "he"),
    ("ji", "yi"),
    ("jp", "ja"),
    ("no", "nb"),
    ("ua", "uk"),
    ("vn", "vi"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_detector_has_a_code_and_a_script() {
        for lang in Lang::all() {
            let code = iso_639_1(*lang).unwrap_or_default();
            assert_eq!(code.len(), 2, "{lang:?}");
            assert!(!is_undetectable(code), "{code}");
            assert!(script_of(code) == Script::Latin || languages_of(script_of(code)).contains(&code));
        }
    }
}
