//! Whether a short text explains a status, or says that something was not found.

use crate::phrase::{fold, says};
use crate::words::words;

/// Fewer words explain nothing.
const MIN_WORDS: usize = 20;

/// A text with so many words that does not speak to its reader is an article, whatever it is about.
const MIN_WORDS_OF_ARTICLE: usize = 40;

/// Signs of an explanation that a shorter text must have.
const MIN_TERMS: usize = 2;

/// Whether a text explains, and does not excuse itself.
pub(super) fn explains(text: &str) -> bool {
    let count = words(text);
    if count < MIN_WORDS {
        return false;
    }
    let folded = format!(" {} ", fold(text));
    let spoken = SPOKEN_TO_READERS.iter().filter(|phrase| says(&folded, phrase)).count();
    let terms = TERMS.iter().filter(|term| says(&folded, term)).count() + other_statuses(&folded);
    match spoken {
        0 => count >= MIN_WORDS_OF_ARTICLE || terms >= MIN_TERMS,
        // An article on error pages quotes them.
        _ => count >= MIN_WORDS_OF_ARTICLE && terms >= MIN_TERMS + spoken,
    }
}

/// Fewest words behind the phrase of a sentence that is about something with this name.
const MIN_WORDS_BEHIND: usize = 5;

/// Whether a sentence goes on behind the not-found phrase with other things than pages: "Page Not Found are a punk band from Leeds".
pub(super) fn tells_of_it(text: &str, is_phrase: impl Fn(&str) -> bool) -> bool {
    let mut sentences = text
        .lines()
        .flat_map(|line| line.split_inclusive(['.', '!', '?', '。']));
    sentences.any(|sentence| {
        let folded = fold(sentence);
        let words: Vec<&str> = folded.split(' ').collect();
        let ends = 1..words.len().saturating_sub(MIN_WORDS_BEHIND - 1);
        let mut behind = ends
            .filter(|end| is_phrase(&words[..*end].join(" ")))
            .map(|end| &words[end..]);
        behind
            .next_back()
            .is_some_and(|behind| !behind.iter().any(|word| is_of_error(word)))
            && !SPOKEN_TO_READERS.iter().any(|phrase| says(&folded, phrase))
    })
}

/// Whether a word is one of those by which error pages say what happened.
fn is_of_error(word: &str) -> bool {
    WHOLE.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem))
}

/// Such words that are also the beginnings of others.
const WHOLE: &[&str] = &["we", "you", "your", "our", "sie", "ihre", "vous"];

/// The beginnings of such words: page, site, address, link, server, moved, deleted, to exist, to search, please, in the languages in which such a
/// sentence goes on.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "page", "site", "website", "url", "link", "address", "server", "file", "document", "resource", "moved", "removed", "deleted", "exist", "search", "menu", "home",
    "please", "request", "available", "error", "seite", "adress", "datei", "verschoben", "gelöscht", "existier", "bitte", "such", "adresse",
    "lien", "serveur", "déplac", "supprim", "veuillez", "recherch", "página", "sitio", "enlace", "direcc", "servidor", "movid", "elimin", "busc", "pagina",
    "sito", "indirizzo", "spostat", "rimoss", "cerc", "endereço", "remov", "busque", "страниц", "адрес", "ссылк", "сайт", "удал", "сервер", "перемещ", "сторін",
    "посилан", "stron", "adres", "usuni", "przenies", "szuk", "serwer", "stránk", "odkaz", "odstran", "sidan", "siden", "sivu", "oldal", "stranic", "sayfa",
];

/// Number of other statuses of HTTP that a folded text names.
fn other_statuses(folded: &str) -> usize {
    let named = |status: &&&str| folded.split(' ').any(|word| word == **status);
    STATUSES.iter().filter(named).count()
}

const STATUSES: &[&str] = &[
    "200", "201", "204", "301", "302", "304", "307", "308", "400", "401", "403", "405", "406", "408", "409", "410",
    "429", "451", "500", "502", "503", "504",
];

/// Terms of HTTP, folded.
const TERMS: &[&str] = &[
    // English, and the same in other languages
    "http",
    "rfc",
    "status code",
    "status codes",
    "response code",
    "client",
    "clients",
    "protocol",
    "hypertext",
    "cacheable",
    "header field",
    "user agent",
    // German, French, Spanish, Portuguese, Italian, Russian
    "statuscode",
    "statuscodes",
    "antwortcode",
    "webserver",
    "code d état",
    "code de statut",
    "protocole",
    "código de estado",
    "código de status",
    "protocolo",
    "codice di stato",
    "код состояния",
    "код ответа",
    "протокола",
    // Chinese, Japanese, Korean
    "状态码",
    "狀態碼",
    "客户端",
    "用戶端",
    "客戶端",
    "ステータスコード",
    "クライアント",
    "상태 코드",
    "클라이언트",
];

/// What error pages say to their readers, folded.
#[rustfmt::skip]
const SPOKEN_TO_READERS: &[&str] = &[
    // English
    "sorry",
    "oops",
    "whoops",
    "uh oh",
    "apologies",
    "apologize",
    "looking for",
    "looked for",
    "you requested",
    "you were trying",
    "you are trying",
    "you re trying",
    "you tried",
    "try again",
    "try searching",
    "maybe try",
    "try one of",
    "try the",
    "try our",
    "try using",
    "go back",
    "go to our",
    "go home",
    "return to",
    "back to",
    "home page",
    "homepage",
    "start page",
    "front page",
    "main page",
    "use the search",
    "search box",
    "search our",
    "search for what",
    "do a search",
    "been moved",
    "been removed",
    "been deleted",
    "may have moved",
    "no longer available",
    "no longer here",
    "check the url",
    "check the address",
    "check the spelling",
    "check your",
    "typed",
    "mistyped",
    "misspelled",
    "contact us",
    "let us know",
    "broken link",
    "outdated link",
    "we could not",
    "we couldn t",
    "we can t",
    "we cannot",
    "can t find",
    "couldn t find",
    "nothing was found",
    "requested url was not found",
    "requested resource is not available",
    "origin server did not find",
    "click here",
    "lost",
    // German
    "leider",
    "entschuldigung",
    "entschuldigen",
    "tut uns leid",
    "startseite",
    "hauptseite",
    "zurück zur",
    "zurück zum",
    "suchfunktion",
    "gesuchte seite",
    "gewünschte seite",
    "aufgerufene seite",
    "angeforderte seite",
    "überprüfen sie",
    "prüfen sie",
    "bitte",
    "wurde verschoben",
    "wurde gelöscht",
    "suchen sie",
    // French
    "désolé",
    "désolés",
    "désolée",
    "oups",
    "accueil",
    "vous cherchez",
    "vous recherchez",
    "que vous",
    "vérifiez",
    "retour à",
    "retourner",
    "revenir",
    "a été supprimée",
    "a été déplacée",
    // Spanish
    "lo sentimos",
    "ups",
    "que busca",
    "que buscas",
    "estás buscando",
    "está buscando",
    "página principal",
    "página de inicio",
    "volver",
    "vuelve",
    "compruebe",
    "comprueba",
    "ha sido eliminada",
    "ha sido movida",
    "intenta",
    "intente",
    // Portuguese
    "desculpe",
    "ops",
    "que procura",
    "você procura",
    "está procurando",
    "página inicial",
    "voltar",
    "verifique",
    "foi removida",
    "foi movida",
    "tente",
    // Italian
    "spiacenti",
    "ci dispiace",
    "stai cercando",
    "che cerchi",
    "pagina iniziale",
    "torna",
    "tornare",
    "verifica",
    "è stata rimossa",
    "è stata spostata",
    "prova",
    // Russian
    "к сожалению",
    "извините",
    "простите",
    "на главную",
    "главную страницу",
    "главной страницы",
    "вернуться",
    "вернитесь",
    "вы ищете",
    "вы искали",
    "проверьте",
    "была удалена",
    "попробуйте",
    "воспользуйтесь",
    "запрашиваемая вами",
    // Dutch, Swedish, Norwegian, Danish, Finnish
    "helaas", "excuses", "u zoekt", "je zoekt", "naar de homepage", "terug naar", "controleer", "probeer", "tyvärr", "du söker", "tillbaka till", "startsidan",
    "kontrollera", "försök", "beklager", "du leter", "tilbake til", "forsiden", "prøv", "desværre", "du leder", "tilbage til", "valitettavasti", "etsimä",
    "etusivulle", "palaa", "tarkista", "pahoittelemme",
    // Polish, Czech, Slovak, Hungarian, Romanian, Croatian, Serbian, Bulgarian
    "przepraszamy", "niestety", "szukasz", "której szukasz", "stronę główną", "strony głównej", "wróć", "powrót", "sprawdź", "omlouváme", "bohužel", "hledáte",
    "hledaná", "hlavní stránku", "zpět na", "zkontrolujte", "zkuste", "ospravedlňujeme", "žiaľ", "hľadáte", "späť na", "skontrolujte", "sajnáljuk", "sajnos",
    "keresett", "főoldal", "kezdőlap", "vissza", "ellenőrizze", "ne pare rău", "căutați", "cauți", "pagina principală", "înapoi", "verificați", "žao nam je",
    "tražite", "tražena", "početnu stranicu", "natrag", "povratak", "provjerite", "pokušajte", "жао нам је", "тражите", "съжаляваме", "търсите", "начална страница",
    // Ukrainian, Greek, Turkish
    "на жаль", "вибачте", "ви шукаєте", "на головну", "перевірте", "спробуйте", "λυπούμαστε", "αναζητάτε", "ψάχνετε", "αρχική σελίδα", "επιστροφή", "ελέγξτε",
    "üzgünüz", "maalesef", "aradığınız", "ana sayfa", "anasayfa", "geri dön", "kontrol edin", "lütfen",
    // Indonesian, Vietnamese, Thai
    "maaf", "anda cari", "kembali ke", "beranda", "silakan", "periksa", "rất tiếc", "xin lỗi", "bạn tìm", "bạn đang tìm", "bạn yêu cầu", "trang chủ", "quay lại",
    "vui lòng", "ขออภัย", "ที่คุณ", "กลับ", "กรุณา", "โปรด",
    // Arabic, Persian, Hebrew, Hindi
    "عذرا", "عذراً", "نعتذر", "تبحث عنها", "الصفحة الرئيسية", "العودة", "يرجى", "متاسفانه", "متأسفانه", "به دنبال", "صفحه اصلی", "بازگشت", "لطفا", "סליחה",
    "מצטערים", "שחיפשת", "שחיפשתם", "לדף הבית", "חזרה", "נסו", "क्षमा करें", "खेद है", "खोज रहे", "होम पेज", "वापस", "कृपया",
    // Chinese
    "抱歉",
    "对不起",
    "對不起",
    "很遗憾",
    "返回首页",
    "返回首頁",
    "返回主页",
    "返回上一页",
    "返回上一頁",
    "回到首页",
    "您访问的",
    "您要",
    "您所",
    "你访问的",
    "你要",
    "已被删除",
    "已被刪除",
    "请检查",
    "請檢查",
    "请尝试",
    "請嘗試",
    "请稍后",
    "您可以",
    "您輸入",
    "您输入",
    // Japanese
    "申し訳",
    "お探し",
    "トップページ",
    "ホームへ",
    "戻る",
    "お戻り",
    "ご確認",
    "お手数",
    "ください",
    // Korean
    "죄송",
    "홈으로",
    "돌아가",
    "찾으시는",
    "요청하신",
    "확인해",
    "이전 페이지",
    "주세요",
];

#[cfg(test)]
mod tests;
