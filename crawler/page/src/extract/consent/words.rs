//! The words of consent in the languages that most sites are written in.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::map::Set;

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    /// It speaks of cookies.
    pub cookies: bool,
    /// How many words of consent, privacy and advertising it has.
    pub consent: usize,
}

impl Said {
    pub(super) const NOTHING: Self = Self {
        cookies: false,
        consent: 0,
    };

    /// Whether a dialogue with this text asks for consent.
    pub(super) fn is_asked(self) -> bool {
        self.cookies && self.consent > 0 || self.consent >= 3
    }

    /// Whether a box with this text asks for consent, whatever box it is.
    pub(super) fn is_certain(self) -> bool {
        self.cookies && self.consent >= 2 || self.consent >= 3
    }
}

/// What a text in small letters says.
pub(super) fn said(text: &str) -> Said {
    let mut is_said = [false; COOKIES.len() + CONSENT.len()];
    for found in WORDS.iter().flat_map(|words| words.find_overlapping_iter(text)) {
        is_said[found.pattern().as_usize()] |= begins_a_word(text, found.range());
    }
    let (cookies, consent) = is_said.split_at(COOKIES.len());
    Said {
        cookies: cookies.contains(&true),
        consent: consent.iter().filter(|is_said| **is_said).count(),
    }
}

/// The words of cookies, then those of consent. One pass over a text finds all of them.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(COOKIES.iter().chain(CONSENT)).ok());

/// Whether a word of the text begins with what is at this place. Scripts that write words without spaces, or prefixes as parts of words, have it
/// anywhere: Hebrew and all that stand behind it in Unicode.
fn begins_a_word(text: &str, place: Range<usize>) -> bool {
    let has_prefixes = text[place.clone()].starts_with(|c| c >= '\u{590}');
    has_prefixes
        || !text[..place.start]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric)
}

/// What the label of a button says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It agrees or refuses.
    Consent,
    /// It closes or goes on, as many buttons do.
    Any,
}

/// What the label of a button answers to a request for consent; `None` if it answers nothing.
pub(super) fn answer(label: &str) -> Option<Answer> {
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    if label.is_empty() || label.len() > MAX_ANSWER_BYTES {
        return None;
    }
    let label = label.to_lowercase();
    if ANSWERS_OF_ANY_DIALOGUE.contains(&label.as_str()) {
        return Some(Answer::Any);
    }
    ANSWERS_KNOWN.contains(label.as_str()).then_some(Answer::Consent)
}

const MAX_ANSWER_BYTES: usize = 60;

static ANSWERS_KNOWN: LazyLock<Set<&'static str>> = LazyLock::new(|| ANSWERS.iter().copied().collect());

/// Cookies.
const COOKIES: &[&str] = &[
    "cookie",
    "ciastecz",
    "evästee",
    "eväste",
    "galetes",
    "informasjonskaps",
    "kakor",
    "kolačić",
    "küpsise",
    "piškotk",
    "sīkdat",
    "slapuk",
    "sütik",
    "témoins de connexion",
    "çerez",
    "бисквитк",
    "кукис",
    "куки",
    "עוגיות",
    "کوکی",
    "ملفات تعريف الارتباط",
    "कुकी",
    "คุกกี้",
    "クッキー",
    "쿠키",
];

/// Consent, refusal, privacy, purposes. Parts of words, because most languages inflect them.
const CONSENT: &[&str] = &[
    // English
    "accept",
    "agree",
    "allow",
    "consent",
    "decline",
    "reject",
    "personal data",
    "personalised",
    "personalized",
    "privacy",
    "advertis",
    "partners",
    "preferences",
    "improve your experience",
    "we use cookies",
    "uses cookies",
    "got it",
    // German, Dutch
    "akzept",
    "zustimm",
    "einwillig",
    "einverstanden",
    "ablehn",
    "datenschutz",
    "toestemming",
    "akkoord",
    "weiger",
    // French, Spanish, Portuguese, Italian, Catalan, Romanian
    "confidentialité",
    "refus",
    "acept",
    "rechaz",
    "privacidad",
    "aceit",
    "rejeit",
    "accett",
    "consens",
    "rifiut",
    "acord",
    "consim",
    // Nordic languages
    "samtyck",
    "samtykke",
    "godkänn",
    "godta",
    "tillad",
    "hyväksy",
    "suostumu",
    // Slavic and Baltic languages
    "akcept",
    "zgod",
    "zgadzam",
    "prywatno",
    "souhlas",
    "súhlas",
    "přij",
    "prijať",
    "prihvat",
    "prihvać",
    "soglas",
    "sutink",
    "piekr",
    "соглас",
    "приня",
    "прийня",
    "згод",
    "съглас",
    "конфиденциальн",
    "персональн",
    // Hungarian, Greek, Turkish, Hebrew, Arabic, Persian
    "elfogad",
    "hozzájárul",
    "αποδοχ",
    "συγκατάθεσ",
    "kabul",
    "rıza",
    "gizlilik",
    "מסכי",
    "הסכמ",
    "موافق",
    "قبول",
    // Languages of Asia
    "同意",
    "接受",
    "隐私",
    "隱私",
    "プライバシー",
    "許可",
    "동의",
    "수락",
    "개인정보",
    "đồng ý",
    "chấp nhận",
    "setuju",
    "ยอมรับ",
    "ยินยอม",
    "स्वीकार",
    "सहमत",
];

/// Labels of buttons that many dialogues and teasers have.
const ANSWERS_OF_ANY_DIALOGUE: [&str; 12] = [
    "close",
    "continue",
    "dismiss",
    "ok",
    "okay",
    "prosseguir",
    "rendben",
    "tamam",
    "хорошо",
    "确定",
    "확인",
    "閉じる",
];

/// Labels of buttons.
const ANSWERS: &[&str] = &[
    "accept",
    "accept & close",
    "accept all",
    "accept all cookies",
    "accept and close",
    "accept and continue",
    "accept cookies",
    "agree",
    "agree & close",
    "agree and close",
    "agree and continue",
    "allow",
    "allow all",
    "allow all cookies",
    "allow cookies",
    "consent",
    "decline",
    "deny",
    "got it",
    "i accept",
    "i agree",
    "i understand",
    "only necessary",
    "reject",
    "reject all",
    "understood",
    "yes, i agree",
    "akzeptieren",
    "alle akzeptieren",
    "alle cookies akzeptieren",
    "cookies akzeptieren",
    "alle ablehnen",
    "ablehnen",
    "einverstanden",
    "ich stimme zu",
    "verstanden",
    "zustimmen",
    "accepteren",
    "akkoord",
    "alle cookies accepteren",
    "alles accepteren",
    "begrepen",
    "ik ga akkoord",
    "weigeren",
    "accepter",
    "accepter et fermer",
    "accepter tout",
    "d'accord",
    "d’accord",
    "j'accepte",
    "j’accepte",
    "j'ai compris",
    "j’ai compris",
    "refuser",
    "tout accepter",
    "tout refuser",
    "aceptar",
    "aceptar cookies",
    "aceptar todas",
    "aceptar todas las cookies",
    "aceptar todo",
    "acepto",
    "de acuerdo",
    "entendido",
    "rechazar",
    "rechazar todo",
    "aceitar",
    "aceitar cookies",
    "aceitar todos",
    "aceito",
    "concordo",
    "entendi",
    "rejeitar",
    "accetta",
    "accetta e chiudi",
    "accetta tutti",
    "accetta tutto",
    "accetto",
    "ho capito",
    "rifiuta",
    "accepta",
    "acceptă",
    "sunt de acord",
    "acceptera",
    "acceptera alla",
    "godkänn",
    "godkänn alla",
    "jag förstår",
    "accepter alle",
    "acceptér",
    "tillad alle",
    "godta",
    "godta alle",
    "jeg forstår",
    "hyväksy",
    "hyväksy kaikki",
    "akceptuj",
    "akceptuję",
    "akceptuję wszystkie",
    "rozumiem",
    "zgadzam się",
    "zgoda",
    "přijmout",
    "přijmout vše",
    "rozumím",
    "souhlasím",
    "prijať všetko",
    "rozumiem a súhlasím",
    "prihvaćam",
    "razumem",
    "sutinku",
    "piekrītu",
    "принимаю",
    "принять",
    "принять все",
    "понятно",
    "согласен",
    "соглашаюсь",
    "зрозуміло",
    "погоджуюсь",
    "прийняти",
    "приемам",
    "съгласен съм",
    "elfogadom",
    "αποδοχή",
    "αποδοχή όλων",
    "συμφωνώ",
    "anladım",
    "kabul et",
    "tümünü kabul et",
    "אישור",
    "הבנתי",
    "מסכים",
    "أوافق",
    "قبول",
    "قبول الكل",
    "موافق",
    "موافقم",
    "同意",
    "同意する",
    "すべて同意",
    "すべて許可",
    "承認",
    "許可",
    "我同意",
    "我知道了",
    "接受",
    "接受全部",
    "全部接受",
    "接受所有 cookie",
    "知道了",
    "동의",
    "동의합니다",
    "모두 동의",
    "모두 수락",
    "수락",
    "đồng ý",
    "chấp nhận",
    "setuju",
    "terima",
    "ยอมรับ",
    "ยอมรับทั้งหมด",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_for_consent_are_known_in_many_languages() {
        for text in [
            "We use cookies to improve your experience on this site.",
            "Wir verwenden Cookies. Mit der Nutzung stimmen Sie der Datenschutzerklärung zu.",
            "Nous utilisons des cookies. Vous pouvez les refuser.",
            "Utilizamos cookies propias y de terceros. Si continúa, acepta su uso. Aceptar",
            "Usamos cookies para melhorar. Aceitar",
            "Questo sito utilizza cookie. Accetto",
            "Wij gebruiken cookies. Geef toestemming.",
            "Ta strona używa ciasteczek. Zgadzam się",
            "Мы используем куки. Соглашаюсь, согласен",
            "Vi använder kakor. Godkänn",
            "Käytämme evästeitä. Hyväksy kaikki",
            "Tento web používá soubory cookie. Souhlasím",
            "Ez az oldal sütiket használ. Elfogadom",
            "Bu site çerez kullanır. Kabul et",
            "当サイトではクッキーを使用します。同意する",
            "本网站使用 Cookie。接受",
            "이 사이트는 쿠키를 사용합니다. 동의",
            "เว็บไซต์นี้ใช้คุกกี้ ยอมรับ",
        ] {
            let said = said(&text.to_lowercase());
            assert!(said.cookies && said.consent > 0, "{text}: {said:?}");
        }
        assert_eq!(
            said("the bakery opens at five, and the first loaves have cooled by then."),
            Said {
                cookies: false,
                consent: 0
            }
        );
    }

    #[test]
    fn labels_of_buttons_are_compared_without_case_and_signs() {
        for label in ["Accept all", "✓ OK", "GOT IT!", "Alle akzeptieren", "同意する"] {
            assert!(answer(label).is_some(), "{label}");
        }
        for label in ["", "Share", "Buy now", "Acceptance"] {
            assert!(answer(label).is_none(), "{label}");
        }
    }
}
