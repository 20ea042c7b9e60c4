//! Error pages that say "not found" with status 200.
//!
//! The rule is conservative: the title or the first heading must consist of a not-found phrase, apart from the name of the site,
//! and the page must have few other words. An article about error pages has more words and a longer title.
//!
//! A short article may have the status as its title: the page of a reference on "404 Not Found". It explains, while an error page speaks
//! to its reader: it is sorry, it names what the reader asked for, and it says where to go from here.

mod explains;

use self::explains::explains;
use crate::phrase::{fold, parts};
use crate::words::words;

/// Most words of an error page.
const MAX_WORDS: usize = 100;

/// Whether a page is an error page by its title or first heading and its number of words.
pub(crate) fn is_soft_404(title: &str, first_heading: Option<&str>, text: &str) -> bool {
    let says_so = is_phrase_beside_a_name(title) || first_heading.is_some_and(is_phrase_beside_a_name);
    says_so && words(text) <= MAX_WORDS && !explains(text)
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
    says_error || PHRASES.contains(&rest)
}

/// The written forms of the status, folded, the longer ones first.
const NUMBERS: &[&str] = &[
    "http error 404",
    "http status 404",
    "http 404 error",
    "http 404",
    "status 404",
    "error code 404",
    "error 404",
    "erreur 404",
    "fehler 404",
    "erro 404",
    "errore 404",
    "ошибка 404",
    "错误404",
    "錯誤404",
    "404 error",
    "404错误",
    "404 错误",
    "404錯誤",
    "404 錯誤",
    "404エラー",
    "404 エラー",
    "404 오류",
    "404오류",
    "404",
];

/// Not-found phrases, folded: lower case and without punctuation.
const PHRASES: &[&str] = &[
    // English
    "not found",
    "page not found",
    "file not found",
    "document not found",
    "the page was not found",
    "page cannot be found",
    "page can not be found",
    "the page cannot be found",
    "page could not be found",
    "the page could not be found",
    "this page could not be found",
    "the requested page could not be found",
    "page does not exist",
    "this page does not exist",
    "page doesn t exist",
    "this page doesn t exist",
    "the page you requested was not found",
    "the page you were looking for doesn t exist",
    "the page you are looking for doesn t exist",
    "page isn t available",
    "this page isn t available",
    "oops page not found",
    "oops that page can t be found",
    "sorry page not found",
    "content not found",
    "nothing found",
    "page no longer exists",
    "page unavailable",
    // Chinese
    "页面不存在",
    "页面未找到",
    "找不到页面",
    "未找到页面",
    "无法找到页面",
    "无法找到该页",
    "网页不存在",
    "您访问的页面不存在",
    "抱歉 页面不存在",
    "抱歉 您访问的页面不存在",
    "找不到网页",
    "未找到",
    "页面没有找到",
    "页面找不到了",
    "页面丢失",
    "頁面不存在",
    "找不到頁面",
    "找不到網頁",
    "網頁不存在",
    "無法找到頁面",
    "未找到頁面",
    "找不到您要的頁面",
    "此頁面不存在",
    // Japanese
    "ページが見つかりません",
    "ページが見つかりませんでした",
    "お探しのページは見つかりません",
    "お探しのページは見つかりませんでした",
    "お探しのページが見つかりません",
    "ページが存在しません",
    "見つかりません",
    "見つかりませんでした",
    // Korean
    "페이지를 찾을 수 없습니다",
    "페이지를 찾을 수 없음",
    "요청하신 페이지를 찾을 수 없습니다",
    "존재하지 않는 페이지입니다",
    "존재하지 않는 페이지",
    "찾을 수 없음",
    // German
    "nicht gefunden",
    "seite nicht gefunden",
    "seite wurde nicht gefunden",
    "die seite wurde nicht gefunden",
    "seite existiert nicht",
    "diese seite existiert nicht",
    "die seite existiert nicht",
    // French
    "page non trouvée",
    "page introuvable",
    "page inexistante",
    "non trouvé",
    "cette page n existe pas",
    "la page n existe pas",
    "la page demandée est introuvable",
    "page pas trouvée",
    "oups page introuvable",
    // Spanish
    "página no encontrada",
    "no encontrado",
    "no encontrada",
    "la página no existe",
    "esta página no existe",
    "no se encontró la página",
    "no se ha encontrado la página",
    "página no existe",
    // Portuguese
    "página não encontrada",
    "não encontrado",
    "não encontrada",
    "a página não existe",
    "esta página não existe",
    "página inexistente",
    // Russian
    "страница не найдена",
    "не найдено",
    "не найдена",
    "страница не существует",
    "такой страницы не существует",
    "такой страницы нет",
    "страница не найдена ошибка",
    "запрашиваемая страница не найдена",
    // Italian
    "pagina non trovata",
    "non trovato",
    "non trovata",
    "la pagina non esiste",
    "questa pagina non esiste",
    "pagina inesistente",
];

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "Sorry, we could not find what you were looking for. Go back to the start page.";

    #[test]
    fn error_pages_are_recognised_by_title_or_heading_in_ten_languages() {
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
