//! Error pages that say "not found" with status 200.
//!
//! The rule is conservative: the title or the first heading must consist of a not-found phrase, apart from the name of the site,
//! and the page must have few other words. An article about error pages has more words and a longer title.
//!
//! A short article may have the status as its title: the page of a reference on "404 Not Found". It explains, while an error page speaks
//! to its reader: it is sorry, it names what the reader asked for, and it says where to go from here.
//!
//! Programs for forums answer with a message that has a title such as "Information": there the text says what is missing.

mod explains;
mod phrases;

use self::explains::{explains, tells_of_it};
use self::phrases::{EXCUSES, MESSAGES, NUMBERS, PHRASES, TITLES_OF_MESSAGES};
use crate::phrase::{fold, parts, says};
use crate::words::words;

/// Most words of an error page.
const MAX_WORDS: usize = 100;

/// Most words of a message.
const MAX_WORDS_OF_MESSAGE: usize = 50;

/// Whether a page is an error page by its title or first heading and its number of words.
pub(crate) fn is_soft_404(title: &str, first_heading: Option<&str>, text: &str) -> bool {
    let says_so = is_phrase_beside_a_name(title) || first_heading.is_some_and(is_phrase_beside_a_name);
    if says_so {
        return words(text) <= MAX_WORDS && !explains(text) && !tells_of_it(text, is_phrase);
    }
    is_message(title, first_heading, text)
}

/// Whether a page is the message of a program that something is not there.
fn is_message(title: &str, first_heading: Option<&str>, text: &str) -> bool {
    let is_titled_so = |text: &str| parts(text).any(|part| TITLES_OF_MESSAGES.contains(&fold(part).as_str()));
    if !is_titled_so(title) && !first_heading.is_some_and(is_titled_so) || words(text) > MAX_WORDS_OF_MESSAGE {
        return false;
    }
    let folded = fold(text);
    MESSAGES.iter().any(|message| says(&folded, message))
}

/// Whether the title is a not-found phrase, or its first or last part is one and the rest names the site.
fn is_phrase_beside_a_name(title: &str) -> bool {
    is_number(title) || parts(title).any(is_phrase)
}

/// Whether the text is the status alone: `404`, `Error 404`. Beside a name, the bare number may be a bus line.
fn is_number(text: &str) -> bool {
    NUMBERS.contains(&fold(text).trim())
}

/// Whether the text is a not-found phrase, with or without `404` or `Error 404` at either end, or only `Error 404`.
fn is_phrase(text: &str) -> bool {
    let folded = fold(text);
    let rest = NUMBERS
        .iter()
        .find_map(|number| folded.strip_prefix(number))
        .unwrap_or(&folded)
        .trim_start();
    let rest = NUMBERS
        .iter()
        .find_map(|number| rest.strip_suffix(number))
        .unwrap_or(rest)
        .trim_end();
    let says_error = rest.is_empty() && !folded.is_empty() && folded.trim() != "404";
    let without_excuse = || EXCUSES.iter().find_map(|excuse| rest.strip_prefix(excuse.as_str()));
    says_error || PHRASES.contains(rest) || without_excuse().is_some_and(|rest| PHRASES.contains(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "Sorry, we could not find what you were looking for. Go back to the start page.";

    #[test]
    fn error_pages_are_recognised_by_title_or_heading_in_many_languages() {
        let titles = [
            "404 Not Found",
            "404",
            "Page not found",
            "Page Not Found | Example",
            "Example - 404: Page not found",
            "Error 404 (Not Found)",
            "HTTP Status 404 – Not Found",
            "Oops! Page not found.",
            "404 错误",
            "页面不存在 - 示例网",
            "404-页面未找到",
            "找不到頁面 | 範例",
            "ページが見つかりません｜例",
            "페이지를 찾을 수 없습니다",
            "Seite nicht gefunden – Beispiel",
            "Page introuvable",
            "Erreur 404",
            "Página no encontrada",
            "Página não encontrada · Exemplo",
            "Страница не найдена",
            "Ошибка 404",
            "Pagina non trovata",
            "Pagina niet gevonden",
            "Sidan hittades inte",
            "Siden ble ikke funnet",
            "Siden blev ikke fundet",
            "Sivua ei löytynyt",
            "Nie znaleziono strony",
            "Ups! Strona nie została znaleziona",
            "Błąd 404",
            "Stránka nenalezena",
            "Chyba 404 – Stránka nebyla nalezena",
            "Stránka sa nenašla",
            "Az oldal nem található",
            "Pagina nu a fost găsită",
            "Stranica nije pronađena",
            "Страницата не е намерена",
            "Сторінку не знайдено",
            "Η σελίδα δεν βρέθηκε",
            "Sayfa bulunamadı",
            "404 - SAYFA BULUNAMADI",
            "Halaman tidak ditemukan",
            "Không tìm thấy trang",
            "ไม่พบหน้าที่คุณต้องการ",
            "الصفحة غير موجودة",
            "عذراً، لم يتم العثور على الصفحة",
            "صفحه یافت نشد",
            "הדף לא נמצא",
            "पृष्ठ नहीं मिला",
            "페이지가 존재하지 않습니다",
            "Sorry, we couldn't find that page",
            "This page doesn’t exist",
        ];
        for title in titles {
            assert!(is_soft_404(title, None, SHORT), "title {title:?}");
            assert!(is_soft_404("Example", Some(title), SHORT), "heading {title:?}");
        }
    }

    #[test]
    fn a_page_about_error_pages_is_none() {
        let titles = [
            "How to design a 404 page",
            "Page not found errors and how to fix them",
            "404 Park Avenue",
            "Lost and found",
            "Peugeot 404",
            "Room 404",
            "",
            "Example",
            "Found",
            "What does error 404 mean?",
            "Why the page was not found",
        ];
        for title in titles {
            assert!(!is_soft_404(title, Some(title), SHORT), "{title:?}");
        }
    }

    #[test]
    fn the_messages_of_forums_are_recognised_by_their_text() {
        for (title, heading, text) in [
            (
                "Narrowboat Forum - Information",
                Some("Narrowboat Forum"),
                "Information\nThe requested topic does not exist.",
            ),
            (
                "Forum • Informationen",
                None,
                "Informationen\nDas gewählte Thema existiert nicht.",
            ),
            (
                "提示信息 - 老街论坛 - Powered by Discuz!",
                None,
                "抱歉，指定的主题不存在或已被删除或正在被审核\n[ 点击这里返回上一页 ]",
            ),
            (
                "vBulletin Message",
                None,
                "Invalid Thread specified. If you followed a valid link, please notify the administrator",
            ),
            (
                "An Error Has Occurred!",
                None,
                "The topic or board you are looking for appears to be either missing or off limits to you.",
            ),
            (
                "Oops! We ran into some problems. | Forum",
                None,
                "The requested thread could not be found.",
            ),
            (
                "Oops! - Pine Docs",
                Some("Oops!"),
                "Oops!\nWe can't find the page you were looking for.",
            ),
        ] {
            assert!(is_soft_404(title, heading, text), "{title} {text}");
        }
        for (title, text) in [
            (
                "Information",
                "The office is open from nine to five. Ring the bell of the harbour master.",
            ),
            (
                "The requested topic does not exist",
                "phpBB says so after a topic was removed.",
            ),
            (
                "Message",
                "Invalid thread sizes are sorted out by the machine before the bolts are packed.",
            ),
        ] {
            assert!(!is_soft_404(title, Some(title), text), "{title} {text}");
        }
    }

    #[test]
    fn a_page_on_something_with_such_a_name_is_none() {
        for (title, text) in [
            (
                "Page Not Found - Band Wiki",
                "Page Not Found\nPage Not Found are a four-piece punk band from Leeds. They formed in 2004.",
            ),
            (
                "Not Found",
                "Not Found is the third novel of a writer from Galway about an old lighthouse.",
            ),
            (
                "Seite nicht gefunden",
                "Seite nicht gefunden heißt das neue Stück von Eva Muster am Theater in Ulm.",
            ),
        ] {
            assert!(!is_soft_404(title, None, text), "{title}");
        }
        for text in [
            "Page not found on this server.",
            "Page not found, or it was moved, or you have no right to see it.",
            "Page Not Found\nThe page that was requested does not exist in this part of the house.",
        ] {
            assert!(is_soft_404("Page not found", None, text), "{text}");
        }
    }

    #[test]
    fn a_soft_hyphen_in_a_phrase_changes_nothing() {
        assert!(is_soft_404("Page not fo\u{ad}und", None, SHORT));
        assert!(is_soft_404("Seite nicht ge\u{ad}fun\u{ad}den", None, SHORT));
    }

    #[test]
    fn a_page_with_many_words_is_none() {
        let article = "Status 404 means that the server did not find the document. ".repeat(20);
        let chinese = "服务器没有找到所请求的文档时返回状态码。".repeat(20);
        assert!(!is_soft_404("404 Not Found", Some("Not found"), &article));
        assert!(!is_soft_404("页面不存在", None, &chinese));
        assert!(is_soft_404("404 Not Found", None, ""));
    }
}
