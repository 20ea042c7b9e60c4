//! The phrases of error pages.

use std::sync::LazyLock;

use crate::map::Set;
use crate::phrase::fold;

/// The not-found phrases, folded.
pub(super) static PHRASES: LazyLock<Set<String>> =
    LazyLock::new(|| NOT_FOUND.iter().map(|phrase| fold(phrase)).collect());

/// The excuses before a phrase, folded, each with a space.
pub(super) static EXCUSES: LazyLock<Vec<String>> =
    LazyLock::new(|| APOLOGIES.iter().map(|excuse| fold(excuse) + " ").collect());

/// The written forms of the status, folded, the longer ones first.
#[rustfmt::skip]
pub(super) const NUMBERS: &[&str] = &[
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
    "błąd 404", "chyba 404", "hiba 404", "404 hiba", "eroare 404", "eroarea 404", "greška 404", "napaka 404", "грешка 404", "помилка 404", "σφάλμα 404",
    "hata 404", "404 hatası", "404 hata", "خطأ 404", "خطای 404", "שגיאה 404", "त्रुटि 404", "ข้อผิดพลาด 404", "lỗi 404", "kesalahan 404", "galat 404", "ralat 404",
    "fout 404", "foutcode 404", "fel 404", "404 fel", "feil 404", "404 feil", "fejl 404", "404 fejl", "virhe 404", "404 virhe", "błąd nr 404", "404 błąd",
    "404 chyba", "404 fout",
    "404",
];

/// What an error page says before the phrase. The longer ones come first.
#[rustfmt::skip]
const APOLOGIES: &[&str] = &[
    "we re sorry but", "we are sorry but", "we re sorry", "we are sorry", "sorry but", "sorry", "oops", "ooops", "whoops", "uh oh", "ops", "oups", "ups", "upps",
    "uups", "hoppsan", "hoppla", "hups", "jejda", "entschuldigung", "leider", "désolé", "désolée", "lo sentimos", "desculpe", "spiacenti", "helaas", "tyvärr", "beklager",
    "desværre", "valitettavasti", "pahoittelut", "przepraszamy", "niestety", "bohužel", "je nám líto", "sajnáljuk", "sajnos", "ne pare rău", "žao nam je", "žal",
    "извините", "к сожалению", "упс", "ой", "на жаль", "вибачте", "съжаляваме", "λυπούμαστε", "üzgünüz", "maaf", "rất tiếc", "xin lỗi", "ขออภัย", "عذرا", "عذراً",
    "متاسفانه", "סליחה", "מצטערים", "क्षमा करें", "抱歉", "很抱歉", "对不起", "對不起", "申し訳ございません", "죄송합니다",
];

/// Not-found phrases: lower case and without punctuation.
#[rustfmt::skip]
const NOT_FOUND: &[&str] = &[
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
    // Dutch
    "pagina niet gevonden", "niet gevonden", "de pagina is niet gevonden", "deze pagina bestaat niet", "de pagina bestaat niet", "deze pagina bestaat niet meer",
    "pagina bestaat niet", "de opgevraagde pagina is niet gevonden", "de pagina kon niet gevonden worden", "pagina kan niet worden gevonden",
    // Swedish, Norwegian, Danish, Finnish, Icelandic
    "sidan hittades inte", "sidan kunde inte hittas", "sidan kan inte hittas", "sidan finns inte", "hittades inte", "sidan du söker finns inte",
    "sidan finns inte längre", "siden ble ikke funnet", "siden finnes ikke", "fant ikke siden", "finner ikke siden", "vi finner ikke siden", "ikke funnet",
    "siden eksisterer ikke", "siden blev ikke fundet", "siden findes ikke", "siden kunne ikke findes", "ikke fundet", "side ikke fundet", "side ikke funnet",
    "sivua ei löydy", "sivua ei löytynyt", "ei löytynyt", "sivua ei ole olemassa", "hakemaasi sivua ei löytynyt", "etsimääsi sivua ei löytynyt",
    "síða fannst ekki", "síðan fannst ekki",
    // Polish, Czech, Slovak
    "nie znaleziono", "nie znaleziono strony", "strona nie znaleziona", "strona nie została znaleziona", "strona nie istnieje", "podana strona nie istnieje",
    "strony nie znaleziono", "taka strona nie istnieje", "brak strony", "nie można odnaleźć strony", "stránka nenalezena", "stránka nebyla nalezena",
    "stránka neexistuje", "tato stránka neexistuje", "nenalezeno", "stránku se nepodařilo najít", "požadovaná stránka nebyla nalezena",
    "požadovaná stránka neexistuje", "stránka nenájdená", "stránka nebola nájdená", "stránka sa nenašla", "stránka neexistuje", "nenájdené",
    // Hungarian, Romanian, Slovene, Croatian, Serbian, Bulgarian
    "az oldal nem található", "a keresett oldal nem található", "a kért oldal nem található", "oldal nem található", "nem található", "nincs ilyen oldal",
    "pagina nu a fost găsită", "pagina nu a fost gasita", "pagină negăsită", "pagina nu există", "pagina nu exista", "această pagină nu există",
    "pagina nu a putut fi găsită", "pagina căutată nu a fost găsită", "stran ni bila najdena", "strani ni mogoče najti", "stran ne obstaja", "ni najdeno",
    "stranica nije pronađena", "stranica ne postoji", "tražena stranica nije pronađena", "tražena stranica ne postoji", "nije pronađeno", "strana nije pronađena",
    "страница није пронађена", "страна није пронађена", "страница не постоји", "страницата не е намерена", "страницата не съществува", "не е намерено",
    "страницата не беше намерена",
    // Ukrainian, Greek
    "сторінку не знайдено", "сторінка не знайдена", "не знайдено", "сторінка не існує", "такої сторінки не існує", "сторінки не існує", "η σελίδα δεν βρέθηκε",
    "η σελίδα δε βρέθηκε", "δεν βρέθηκε η σελίδα", "η σελίδα δεν υπάρχει", "η σελίδα που ζητήσατε δεν βρέθηκε", "η σελίδα που αναζητάτε δεν βρέθηκε", "δεν βρέθηκε",
    // Turkish
    "sayfa bulunamadı", "sayfa bulunamadi", "aradığınız sayfa bulunamadı", "bulunamadı", "böyle bir sayfa yok", "sayfa mevcut değil", "istenen sayfa bulunamadı",
    // Indonesian, Malay, Vietnamese, Thai
    "halaman tidak ditemukan", "tidak ditemukan", "halaman tidak ada", "halaman yang anda cari tidak ditemukan", "laman tidak ditemukan", "halaman tidak dijumpai",
    "laman tidak dijumpai", "không tìm thấy trang", "trang không tồn tại", "không tìm thấy", "trang không tìm thấy", "không tìm thấy trang này",
    "trang bạn tìm không tồn tại", "trang bạn yêu cầu không tồn tại", "ไม่พบหน้า", "ไม่พบหน้านี้", "ไม่พบหน้าที่คุณต้องการ", "ไม่พบหน้าที่ต้องการ", "ไม่พบหน้าเว็บ",
    "ไม่พบหน้าที่คุณค้นหา", "ไม่พบหน้าเว็บที่คุณต้องการ",
    // Arabic, Persian, Hebrew, Urdu
    "الصفحة غير موجودة", "لم يتم العثور على الصفحة", "الصفحة المطلوبة غير موجودة", "لم يتم العثور على هذه الصفحة", "هذه الصفحة غير موجودة", "غير موجود",
    "لم يتم العثور", "الصفحة التي تبحث عنها غير موجودة", "صفحه یافت نشد", "صفحه مورد نظر یافت نشد", "صفحه پیدا نشد", "صفحه مورد نظر شما یافت نشد", "یافت نشد",
    "صفحه وجود ندارد", "הדף לא נמצא", "הדף המבוקש לא נמצא", "העמוד לא נמצא", "העמוד המבוקש לא נמצא", "דף לא נמצא", "עמוד לא נמצא", "לא נמצא", "הדף אינו קיים",
    "صفحہ نہیں ملا",
    // Hindi, Bengali
    "पृष्ठ नहीं मिला", "पेज नहीं मिला", "यह पृष्ठ मौजूद नहीं है", "यह पेज मौजूद नहीं है", "পৃষ্ঠাটি পাওয়া যায়নি", "পাতাটি পাওয়া যায়নি",
    // Further forms: English, Korean, Chinese, Catalan
    "we can t find that page", "we can t find this page", "we couldn t find that page", "we couldn t find this page", "we can t find the page you re looking for",
    "that page doesn t exist", "that page can t be found", "page can t be found", "this page can t be found", "page was not found", "page not available",
    "페이지가 존재하지 않습니다", "페이지가 없습니다", "찾을 수 없는 페이지입니다", "找不到该页面", "找不到此页面", "该页面不存在", "此页面不存在", "访问的页面不存在", "找不到該頁面",
    "pàgina no trobada", "no s ha trobat la pàgina", "la pàgina no existeix",
];

/// Titles of the messages that programs for forums and shops show in the place of a page, folded.
#[rustfmt::skip]
pub(super) const TITLES_OF_MESSAGES: &[&str] = &[
    "information", "informationen", "informations", "información", "informazione", "informazioni", "informação", "informatie", "informacja", "informace",
    "információ", "informații", "bilgi", "информация", "інформація", "πληροφορίες", "message", "vbulletin message", "vbulletin systemmitteilung", "hinweis",
    "an error has occurred", "an error occurred", "error", "fehler", "erreur", "errore", "erro", "ошибка", "сообщение", "сообщение форума", "oops", "sorry",
    "oops we ran into some problems", "提示信息", "系统提示", "提示", "信息提示", "操作提示", "系統提示", "エラー", "오류",
];

/// What such a message says of a page that is not there: phpBB, vBulletin, SMF, MyBB, XenForo, Discuz, and others.
#[rustfmt::skip]
pub(super) const MESSAGES: &[&str] = &[
    "the requested topic does not exist", "the topic or post you requested does not exist", "the requested forum does not exist",
    "the forum you selected does not exist", "the requested user does not exist", "no posts exist for this topic", "the selected post does not exist",
    "das gewählte thema existiert nicht", "das ausgewählte thema existiert nicht", "das gewünschte thema existiert nicht",
    "das ausgewählte forum existiert nicht", "le sujet ou le message demandé n existe pas", "le sujet demandé n existe pas", "le forum sélectionné n existe pas",
    "el tema solicitado no existe", "el foro seleccionado no existe", "l argomento richiesto non esiste", "il topic richiesto non esiste",
    "o tópico solicitado não existe", "het gevraagde onderwerp bestaat niet", "het opgevraagde onderwerp bestaat niet", "wybrany temat nie istnieje",
    "запрошенной темы не существует", "запрошенная тема не существует", "выбранный форум не существует", "тема не существует", "istenen konu bulunmuyor",
    "invalid thread specified", "no thread specified", "invalid post specified", "no post specified", "invalid forum specified", "invalid user specified",
    "kein thema angegeben", "ungültiger link", "the specified thread does not exist", "the specified forum does not exist", "the specified post does not exist",
    "the topic or board you are looking for appears to be either missing or off limits", "the requested thread could not be found",
    "the requested forum could not be found", "the requested page could not be found", "the requested post could not be found",
    "指定的主题不存在", "指定的帖子不存在", "指定的版块不存在", "指定的用户空间不存在", "您指定的用户空间不存在", "主题不存在", "帖子不存在", "版块不存在", "内容不存在", "文章不存在", "信息不存在",
    "页面不存在", "指定的主題不存在", "主題不存在", "文章不存在或", "內容不存在", "帖子已被删除", "主题已被删除", "该文章已被删除", "该内容已被删除",
    "we can t find the page you were looking for", "we can t find the page you are looking for", "we can t find the page you re looking for",
    "we couldn t find the page you were looking for", "we couldn t find the page you are looking for", "we couldn t find the page you re looking for",
    "this page isn t available", "the page you requested could not be found", "the page you are looking for does not exist",
    "the page you are looking for could not be found", "the page you were looking for could not be found", "the page you were looking for does not exist",
];
