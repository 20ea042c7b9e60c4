//! The labels above boxes with teasers: "Related articles", "Mehr zum Thema", "相关新闻".
//!
//! Not every word of [`sayings`](crate::extract::sayings) is a label of teasers: "See also", "Recent publications" and "Downloads" stand above lists
//! that are content.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

/// Longest label, in bytes. Longer texts are sentences.
const MAX_BYTES: usize = 100;

/// Most text behind the words of a label, in bytes: "More from" the name of a section.
const MAX_BEHIND: usize = 40;

/// Labels that are one word. With another word behind, the word says something else: "Related work", "Trending topics in physics".
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "related", "recommended", "trending", "popular", "sponsored", "promoted", "advertisement", "advertorial", "latest", "more", "top stories",
    "anzeige", "gesponsert", "beliebt", "empfohlen", "empfehlungen", "zum thema", "relacionado", "relacionados", "relacionadas",
    "recomendado", "recomendados", "patrocinado", "publicidad", "publicidade", "similaires", "recommandé", "sponsorisé", "publicité", "correlati",
    "sponsorizzato", "pubblicità", "consigliati", "powiązane", "polecane", "podobne", "najnowsze", "reklama", "gerelateerd", "aanbevolen",
    "gesponsord", "advertentie", "relaterat", "relatert", "relateret", "annons", "annonse", "související", "nejčtenější", "kapcsolódó",
    "ajánlott", "hirdetés", "luetuimmat", "mainos", "популярное", "похожие", "рекомендуем", "реклама", "схожі", "ilgili", "önerilen",
    "推荐", "推薦", "热门", "熱門", "广告", "廣告", "精选", "おすすめ", "人気", "広告", "ランキング", "추천", "인기", "광고", "ذات صلة", "إعلان", "terpopuler",
];

/// The beginnings of labels.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    "related:", "zum thema:", "relacionado:", "correlati:", "powiązane:", "gerelateerd:", "gerelateerd nieuws", "related articles", "related stories", "related posts", "related news", "related content", "related coverage", "related reading",
    "related links", "related videos", "recommended for", "recommended articles", "recommended stories", "recommended reading",
    "recommended posts", "suggested articles", "suggested stories", "suggested posts", "suggested for you", "you may", "you might",
    "you'll also", "more stories", "more news", "more from", "more on", "more in", "more articles", "more posts", "more like this",
    "more to explore", "more to read", "more top", "more headlines", "more for you", "most popular", "most read", "most viewed",
    "most commented", "most shared", "most watched", "popular posts", "popular articles", "popular stories", "popular news", "popular now",
    "popular in", "popular on", "popular this", "trending now", "trending news", "trending stories", "trending on", "trending in", "top news",
    "latest news", "latest stories", "latest articles", "latest posts", "latest headlines", "latest from", "latest in", "the latest",
    "recent posts", "recent articles", "recent stories", "recent news", "read more", "read next", "read also", "also read", "also on",
    "also in", "up next", "what to read", "what to watch", "keep reading", "continue reading", "don't miss", "don’t miss", "dont miss",
    "do not miss", "editor's pick", "editor’s pick", "editors' pick", "editors’ pick", "editors pick", "featured stories",
    "featured articles", "sponsored content", "sponsored stories", "sponsored links", "sponsored by", "promoted content", "promoted stories",
    "paid content", "paid post", "partner content", "from our partners", "from our network", "from the web", "around the web", "elsewhere on",
    "readers also", "people also", "others also", "in other news", "other stories", "other news", "other articles", "similar articles",
    "similar posts", "similar stories", "similar news", "in case you missed", "see more stories", "next article", "must read",
    "mehr zum", "mehr zur", "mehr zu", "mehr aus", "mehr von", "mehr artikel", "mehr nachrichten", "mehr news", "ähnliche artikel",
    "ähnliche beiträge", "ähnliche themen", "verwandte artikel", "verwandte beiträge", "passende artikel", "passend zum", "das könnte",
    "auch interessant", "lesen sie auch", "lesen sie mehr", "lies auch", "lesetipp", "meistgelesen", "meist gelesen", "meistgeklickt",
    "beliebte artikel", "beliebte beiträge", "beliebteste", "neueste artikel", "neueste beiträge", "aktuelle nachrichten",
    "aktuelle meldungen", "weitere artikel", "weitere meldungen", "weitere beiträge", "weitere nachrichten", "weitere news",
    "weitere themen", "empfohlene", "empfehlungen der", "empfehlungen für", "empfehlungen aus", "nicht verpassen",
    "à lire aussi", "à lire également", "à lire", "a lire aussi", "lire aussi", "lire la suite", "sur le même sujet", "sur le même thème", "dans la même rubrique",
    "articles similaires", "articles liés", "articles récents", "articles connexes", "articles recommandés", "les plus lus", "le plus lu",
    "vous aimerez", "vous pourriez", "à voir aussi", "plus d'articles", "plus d’articles", "recommandés pour", "contenus sponsorisés",
    "à ne pas manquer", "ne manquez pas", "dernières nouvelles", "dernières actualités", "derniers articles",
    "te puede", "también te", "le puede", "te podría", "lee también", "lea también", "leer más", "más noticias", "más sobre", "más leíd",
    "más en", "lo más leído", "lo más visto", "las más leídas", "noticias relacionadas", "artículos relacionados", "entradas relacionadas",
    "contenido relacionado", "recomendados para", "últimas noticias", "no te pierdas",
    "leia também", "leia mais", "veja também", "mais lidas", "as mais lidas", "mais notícias", "mais sobre", "artigos relacionados",
    "notícias relacionadas", "conteúdo relacionado", "posts relacionados", "você pode", "recomendados para", "não perca", "saiba mais",
    "leggi anche", "potrebbe interessarti", "potrebbero interessarti", "ti potrebbe", "articoli correlati", "notizie correlate",
    "i più letti", "più letti", "ultime notizie", "da non perdere",
    "czytaj też", "czytaj także", "czytaj również", "przeczytaj też", "przeczytaj także", "przeczytaj również", "podobne artykuły",
    "powiązane artykuły", "polecane artykuły", "najczęściej czytane", "może cię", "może ci",
    "lees ook", "lees verder", "lees meer", "gerelateerde artikelen", "gerelateerde berichten", "meest gelezen", "meer over", "meer nieuws",
    "läs också", "läs mer", "läs även", "mest läst", "mest läsa", "senaste nytt", "les også", "les mer", "mest lest", "læs også", "læs mere",
    "mest læste", "lue myös", "lue lisää", "čtěte také", "přečtěte si", "související články", "podobné články", "mohlo by",
    "kapcsolódó cikkek", "ajánlott cikkek", "olvasta már", "legfrissebb hírek", "citește și", "citeste si", "articole similare",
    "citește mai", "прочетете още", "διαβάστε επίσης", "διαβάστε ακόμα", "δείτε επίσης", "σχετικά άρθρα",
    "читайте также", "читать также", "читайте по теме", "по теме", "похожие новости", "похожие статьи", "похожие записи", "другие новости",
    "другие статьи", "другие материалы", "самое читаемое", "самые читаемые", "последние новости", "вам может", "ещё по теме",
    "еще по теме", "материалы по теме", "новости по теме", "статьи по теме", "новости партнёров", "новости партнеров", "рекомендуем прочитать",
    "рекомендуем также", "читайте також", "схожі новини", "схожі статті", "ilgili haberler", "ilgili yazılar", "benzer haberler",
    "benzer yazılar", "çok okunan", "en çok okunan", "diğer haberler", "ilginizi çekebilir", "son haberler", "önerilen haberler",
    "相关新闻", "相关阅读", "相关文章", "相关推荐", "相关报道", "相关资讯", "相关内容", "相关专题", "推荐阅读", "推荐文章", "推荐新闻", "为您推荐", "热门文章", "热门新闻",
    "热门推荐", "热点新闻", "今日热点", "延伸阅读", "猜你喜欢", "你可能", "您可能", "更多新闻", "更多文章", "更多精彩", "精彩推荐", "精彩内容", "最新文章", "最新新闻", "阅读排行",
    "点击排行", "新闻排行", "大家都在看", "相關新聞", "相關文章", "相關閱讀", "相關報導", "推薦閱讀", "推薦文章", "熱門文章", "熱門新聞", "延伸閱讀", "更多新聞", "更多文章",
    "猜你喜歡", "最新消息", "最新新聞", "関連記事", "関連ニュース", "関連する記事", "関連リンク", "おすすめ記事", "おすすめの記事", "おすすめ情報", "人気記事", "人気の記事", "あわせて読みたい",
    "合わせて読みたい", "こちらもおすすめ", "こちらの記事も", "新着記事", "最新記事", "最新ニュース", "アクセスランキング", "記事ランキング", "注目の記事", "この記事を読んだ", "次に読みたい",
    "관련기사", "관련 기사", "관련뉴스", "관련 뉴스", "관련 글", "추천 기사", "추천기사", "추천 뉴스", "인기 기사", "인기기사", "인기 뉴스", "많이 본", "많이 읽은", "주요 뉴스", "주요뉴스",
    "최신 뉴스", "최신기사", "이 시각", "함께 보면",
    "اقرأ أيضا", "اقرأ ايضا", "اقرأ المزيد", "مواضيع ذات صلة", "أخبار ذات صلة", "مقالات ذات صلة", "الأكثر قراءة", "قد يعجبك", "شاهد أيضا",
    "مطالب مرتبط", "اخبار مرتبط", "پربازدید", "بیشتر بخوانید", "כתבות נוספות", "עוד בנושא", "אולי יעניין", "यह भी पढ़ें", "ये भी पढ़ें", "संबंधित खबरें",
    "tin liên quan", "bài viết liên quan", "đọc thêm", "tin khác", "có thể bạn", "baca juga", "artikel terkait", "berita terkait",
    "berita lainnya", "ข่าวที่เกี่ยวข้อง", "บทความที่เกี่ยวข้อง", "อ่านเพิ่มเติม",
];

static LABELS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .start_kind(StartKind::Anchored)
        .match_kind(MatchKind::LeftmostLongest)
        .build(WHOLE.iter().chain(BEGINNINGS))
        .ok()
});

/// Whether a text is the label of a box with teasers.
pub(super) fn is_label(text: &str) -> bool {
    text.len() <= MAX_BYTES
        && Found::at_start(text).is_some_and(|found| {
            let behind = found.behind();
            if found.is_whole {
                !behind.contains(char::is_alphanumeric)
            } else {
                behind.len() <= MAX_BEHIND
            }
        })
}

/// The length of the label that a text begins with, in bytes.
pub(super) fn length_at_start(text: &str) -> Option<usize> {
    Found::at_start(text)
        .filter(|found| !found.is_whole)
        .map(|found| found.end)
}

/// A label at the start of a text.
struct Found {
    /// The start of the text in lower case.
    lower: String,
    /// The end of the label in it.
    end: usize,
    /// Whether it is one of [`WHOLE`].
    is_whole: bool,
}

impl Found {
    fn at_start(text: &str) -> Option<Self> {
        let lower = text[..text.floor_char_boundary(MAX_BYTES)].to_lowercase();
        let start = lower.find(char::is_alphanumeric)?;
        let found = LABELS
            .as_ref()?
            .find(Input::new(&lower).span(start..lower.len()).anchored(Anchored::Yes))?;
        let (end, is_whole) = (found.end(), found.pattern().as_usize() < WHOLE.len());
        ends_word(&lower, end).then_some(Self { lower, end, is_whole })
    }

    fn behind(&self) -> &str {
        &self.lower[self.end..]
    }
}

/// Whether a word ends at a place. Scripts without spaces have no such ends, and labels of some languages have endings.
fn ends_word(text: &str, at: usize) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    !(is_letter(text.as_bytes()[..at].last()) && is_letter(text.as_bytes().get(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_teasers_are_told_from_other_headings() {
        for label in [
            "Related",
            "Related:",
            "RELATED STORIES",
            "▶ More from Business",
            "Don’t miss",
            "Most read in Sport",
            "Mehr zum Thema",
            "Das könnte Sie auch interessieren",
            "À lire aussi :",
            "Más noticias",
            "Leia também:",
            "Читайте также:",
            "相关新闻",
            "猜你喜欢",
            "あわせて読みたい",
            "관련기사",
        ] {
            assert!(is_label(label), "{label}");
        }
        for other in [
            "See also",
            "Related work",
            "Relatedness",
            "Recent publications",
            "Downloads",
            "Popular science in the nineteenth century",
            "Moreover, the harbour was closed",
            "More from the same author, whose second book on the tides of the northern sea has just appeared in print",
            "Siehe auch",
            "参考文献",
            "",
            "…",
        ] {
            assert!(!is_label(other), "{other}");
        }
    }

    #[test]
    fn a_label_may_begin_a_line() {
        assert_eq!(length_at_start("Read more: The harbour opens"), Some(9));
        assert_eq!(length_at_start("Related: The harbour opens"), Some(8));
        for other in [
            "Related work is done by others",
            "Latest: The harbour opens",
            "See also: The harbour opens",
        ] {
            assert_eq!(length_at_start(other), None, "{other}");
        }
    }
}
