//! What the words of a short run say of its part in the page: "Related articles", "Diesen Artikel teilen", "上一篇".
//!
//! Class names are mostly English, and many templates have none that mean something. The labels that people read are in the language of
//! the page, but there are few of them, and sites in a language share them.

use std::sync::LazyLock;

use crate::map::Map;
use crate::scale::share;

/// Longest run whose words count, in bytes. Longer ones are sentences, which may be about anything.
const MAX_BYTES: usize = 160;

/// Longest word that is looked up, in bytes.
const MAX_WORD_BYTES: usize = 40;

/// Added to the share of a saying that has the first word.
const FIRST: i16 = 64;

/// Share of the words of a run from which the run is about the saying, in 64ths.
const MOSTLY: i16 = 24;

/// What a run may say. The model knows a saying by its place: after a change, make the model again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(dead_code, reason = "their places name the rows of WORDS")]
pub(super) enum Saying {
    /// Other pages: related, popular, latest.
    Related,
    /// Comments and the form for them.
    Comment,
    /// Networks and buttons to share, to print, to follow.
    Share,
    /// Who wrote or published it.
    Byline,
    /// Months, days, times.
    Date,
    /// Newsletters, advertisements, accounts, offers.
    Promotion,
    /// Copyright, privacy, terms.
    Legal,
    /// Ways to other pages: home, next, more.
    Navigation,
    /// Who made an image.
    Credit,
    /// Tags and categories.
    Tags,
}

/// Number of [`Saying`]s.
pub(super) const SAYINGS: usize = Saying::Tags as usize + 1;

/// The words of each saying in lower case, in the languages with most pages on the web. A word of Chinese, Japanese or Korean is a pair
/// of characters, because their words are not apart.
#[rustfmt::skip]
const WORDS: [&str; SAYINGS] = [
    "related similar recommended recommendations popular trending latest recent elsewhere suggested also stories
     ähnliche ähnlicher verwandte verwandter passende beliebte beliebteste beliebtesten meistgelesen meistgelesene meistgeklickt empfohlene
     empfehlungen neueste neuesten aktuelle weitere weiteren lesetipps interessieren
     similaires connexes associés récents récentes populaires lire aussi suggestions dernières derniers
     relacionados relacionadas relacionado recomendados recomendado recientes últimas últimos populares interesar leído leídas también
     relacionadas recomendadas mais lidas veja também recentes leia
     correlati correlate consigliati recenti leggi anche ultime potrebbe
     podobne powiązane polecane najnowsze najczęściej czytane zobacz także również przeczytaj
     gerelateerd gerelateerde verwant aanbevolen populair lees ook meest gelezen nieuwste
     relaterade relaterte relaterede liknande senaste siste seneste læs också også
     související podobné nejčtenější kapcsolódó ajánlott legfrissebb
     похожие читайте также популярное новости теме последние рекомендуем схожі
     ilgili benzer önerilen haberler
     相关 推荐 热门 最新 猜你 延伸 排行 精选 相關 推薦 熱門 関連 おす 人気 新着 관련 추천 인기 최신 많이",
    "comment comments reply replies respond response responses discussion pingback trackback discuss commenting commented
     kommentar kommentare kommentieren kommentiert antwort antworten antworte diskussion hinterlasse hinterlassen gedanken diskutieren
     commentaire commentaires réagir réactions répondre réponses laisser
     comentario comentarios comentar respuestas responder deja comentários comentário respostas deixe
     commento commenti commenta rispondi lascia komentarz komentarze komentarzy skomentuj odpowiedz
     reactie reacties reageer reageren kommentarer komentáře komentář hozzászólás hozzászólások
     комментарии комментарий комментариев комментировать ответить коментарі yorum yorumlar
     评论 留言 回复 评價 評論 回覆 コメ 댓글 답글",
    "share sharing tweet facebook twitter whatsapp linkedin pinterest instagram youtube telegram reddit tumblr xing mastodon bluesky
     flipboard pocket messenger email mail print pdf bookmark follow followers like likes rss feed flattr digg delicious stumbleupon
     teilen teile weitersagen drucken druckansicht folgen folge merken versenden
     partager partagez imprimer suivre suivez envoyer compartir comparte imprimir seguir síguenos enviar compartilhar compartilhe
     condividi condividere stampa seguici invia udostępnij drukuj podziel wyślij delen afdrukken volg dela skriv
     sdílet tisk megosztás поделиться распечатать подписывайтесь поділитися paylaş yazdır
     分享 微信 微博 扫码 打印 收藏 点赞 シェ ツイ 印刷 공유 인쇄",
    "by author authors written posted published updated editor editors staff reporter correspondent writer contributor source
     von autor autorin redaktion verfasst geschrieben veröffentlicht aktualisiert erstellt quelle text stand
     par auteur publié rédigé rédaction mis jour por autora publicado redacción escrito actualizado fuente atualizado fonte redação
     autore pubblicato scritto redazione aggiornato autorka opublikowano napisał źródło redakcja dodano
     door auteur geplaatst gepubliceerd bron skrevet publicerad publisert udgivet autoři zdroj szerző
     автор опубликовано источник редакция дата опубліковано yazar kaynak
     作者 来源 编辑 责编 责任 记者 发布 发表 來源 編輯 記者 發布 著者 執筆 編集 公開 更新 기자 등록 수정 입력",
    "january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
     monday tuesday wednesday thursday friday saturday sunday am pm est edt gmt utc ago min read minutes hours days yesterday today
     januar februar märz mai juni juli oktober dezember mär okt dez uhr vor minuten stunden tagen lesezeit
     montag dienstag mittwoch donnerstag freitag samstag sonntag
     janvier février mars avril juin juillet août septembre octobre novembre décembre
     enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
     janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
     gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
     stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
     januari februari maart mei augustus
     января февраля марта апреля мая июня июля августа сентября октября ноября декабря
     ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
     时间 日期 小时 分钟 日時 時間 시간",
    "newsletter newsletters subscribe subscription advertisement advertisements advertising sponsored sponsor ad ads donate donation support
     signup sign login log register account premium member members membership download app shop store buy offer offers free trial coupon
     deal deals cart subscribers inbox alerts
     abonnieren abonnement abonnenten abo anzeige anzeigen werbung anmelden anmeldung registrieren einloggen konto spenden unterstützen
     kaufen bestellen warenkorb angebot angebote kostenlos herunterladen jetzt sichern
     abonnez abonner inscrivez inscription publicité connexion connecter compte don soutenez boutique acheter gratuit
     suscríbete suscribirse suscripción boletín publicidad anuncio patrocinado regístrate registrarse sesión donar tienda comprar gratis
     assine inscreva cadastre publicidade anúncio entrar loja
     iscriviti abbonati pubblicità accedi registrati dona negozio acquista
     zapisz subskrybuj reklama zaloguj zarejestruj wesprzyj sklep kup
     abonneer inschrijven advertentie inloggen registreren steun winkel
     annons prenumerera annonse abonner reklame přihlásit předplatné inzerce hirdetés feliratkozás
     реклама подписаться подписка войти регистрация üye reklam abone
     广告 登录 注册 订阅 下载 购买 會員 会员 登入 訂閱 広告 登録 会員 購読 광고 구독 로그 회원",
    "copyright rights reserved privacy cookie cookies terms conditions disclaimer imprint policy license licensed reproduced affiliate
     trademarks rechte vorbehalten datenschutz datenschutzerklärung impressum agb haftungsausschluss nutzungsbedingungen
     droits réservés mentions légales confidentialité derechos reservados privacidad aviso términos direitos diritti riservati informativa
     prawa zastrzeżone prywatności regulamin rechten voorbehouden voorwaarden
     права защищены конфиденциальности gizlilik hakları
     版权 声明 免责 隐私 条款 转载 備案 备案 著作 権所 規約 저작 무단 약관 개인",
    "home homepage menu search next previous prev back top continue more read view show see all skip contact about archive archives
     index sitemap site overview browse close open loading page pages jump older newer
     startseite suche suchen nächste nächster nächstes vorherige vorheriger zurück weiter weiterlesen mehr alle anzeigen kontakt archiv
     inhalt inhaltsverzeichnis übersicht themen schließen seite seiten öffnen navigation
     accueil recherche rechercher suivant précédent retour suite voir tous toutes plus fermer sommaire
     inicio buscar siguiente anterior volver más ver todos todas contacto leer cerrar arriba
     início próximo voltar pesquisar fechar avanti indietro cerca tutti torna chiudi successivo precedente
     strona główna szukaj następny poprzedni wróć więcej czytaj dalej wszystkie
     zoeken volgende vorige terug meer bekijk sök nästa föregående søk neste forrige hledat další předchozí
     главная поиск далее назад ещё все читать anasayfa ara sonraki önceki devamı
     首页 上一 下一 更多 返回 搜索 目录 阅读 查看 当前 位置 首頁 返回 搜尋 目錄 閱讀 前へ 次へ 一覧 検索 続き 戻る もっ 목록 이전 다음 검색 더보",
    "photo photos photograph photographer photography image images picture credit credits courtesy getty reuters afp ap epa shutterstock
     istock unsplash alamy illustration video gallery watch
     foto fotos bild bilder bildquelle bildquellen dpa imago fotolia symbolbild bildergalerie grafik
     crédit crédits photographie vidéo imagen fotografía efe fotogalería imagem foto zdjęcie zdjęcia fot pap ansa
     фото изображение fotoğraf
     图片 图源 圖片 资料 摄影 写真 画像 撮影 사진 이미지",
    "tags tag tagged category categories topics topic filed keywords section labels
     schlagworte schlagwörter schlagwort kategorie kategorien stichworte themen rubrik
     étiquettes étiquette catégorie catégories mots clés thèmes rubrique
     etiquetas etiqueta categoría categorías temas palabras clave categoria categorias
     tagi kategorie kategoria etichette categorie argomenti trefwoorden onderwerpen kategorier taggar emner štítky címkék
     метки теги рубрика категория kategoriler etiketler
     标签 关键 分类 标籤 標籤 分類 タグ カテ 태그 분류",
];

/// What a run says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    /// For each saying, the share of the letters in its words, and [`FIRST`] if the run begins with one.
    pub shares: [i16; SAYINGS],
    /// The sayings that it is about, as a heading of such a part of the page is, as a set of bits.
    pub about: u16,
}

impl Said {
    /// What a text says.
    pub(super) fn of(text: &str) -> Self {
        if text.len() > MAX_BYTES {
            return Self::default();
        }
        let (mut bytes, mut all) = ([0; SAYINGS], 0);
        let mut first = None;
        for word in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            all += word.len();
            let said = sayings(word, |pair, bits| add(&mut bytes, pair, bits));
            first.get_or_insert(said);
        }
        if text.contains('©') {
            add(&mut bytes, 2, 1 << Saying::Legal as usize);
        }
        let mut said = Self::default();
        for (saying, bytes) in bytes.into_iter().enumerate() {
            let (part, is_first) = (share(bytes, all), first.unwrap_or(0) >> saying & 1);
            said.shares[saying] = part + FIRST * is_first as i16;
            said.about |= u16::from(part >= MOSTLY) << saying;
        }
        said
    }

    /// Whether the run is about a saying.
    pub(super) fn is_about(self, saying: Saying) -> bool {
        self.about >> saying as usize & 1 == 1
    }
}

fn add(bytes: &mut [usize; SAYINGS], word: usize, bits: u16) {
    if bits == 0 {
        return;
    }
    for (saying, bytes) in bytes.iter_mut().enumerate() {
        *bytes += word * usize::from(bits >> saying & 1);
    }
}

/// The sayings of a word, as a set of bits. `found` gets each part of the word that says something, and its length in bytes.
fn sayings(word: &str, mut found: impl FnMut(usize, u16)) -> u16 {
    if word.chars().next().is_some_and(has_words_of_pairs) {
        let mut first = 0;
        let ends = || word.char_indices().map(|(at, _)| at).chain([word.len()]);
        let mut at = 0;
        for (start, end) in ends().zip(ends().skip(2)) {
            let bits = TABLE.get(&word.as_bytes()[start..end]);
            if bits != 0 && start >= at {
                found(end - start, bits);
                first |= if start == 0 { bits } else { 0 };
                at = end;
            }
        }
        return first;
    }
    if word.len() > MAX_WORD_BYTES {
        return 0;
    }
    let bits = if word.is_ascii() {
        let mut lower = [0; MAX_WORD_BYTES];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        TABLE.get(lower)
    } else {
        let lower = word.to_lowercase();
        // Few letters have longer small ones.
        TABLE.get(&lower.as_bytes()[..lower.len().min(MAX_WORD_BYTES)])
    };
    if bits != 0 {
        found(word.len(), bits);
    }
    bits
}

/// Whether a character is of a writing without spaces between words, or with endings at its words: Han, kana, Hangul.
fn has_words_of_pairs(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The words with their sayings.
struct Table {
    sayings: Map<&'static [u8], u16>,
    /// For each first byte, the lengths of its words as a set of bits. Most words of a run have no such bit, and need no search.
    lengths: [u64; 256],
}

impl Table {
    /// The sayings of a word in lower case, of at most [`MAX_WORD_BYTES`], as a set of bits.
    fn get(&self, word: &[u8]) -> u16 {
        let first = word.first().map_or(0, |first| usize::from(*first));
        if self.lengths[first] >> word.len() & 1 == 0 {
            return 0;
        }
        self.sayings.get(word).copied().unwrap_or(0)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        sayings: Map::default(),
        lengths: [0; 256],
    };
    for (saying, words) in WORDS.iter().enumerate() {
        for word in words.split_ascii_whitespace().map(str::as_bytes) {
            *table.sayings.entry(word).or_insert(0) |= 1 << saying;
            table.lengths[usize::from(word[0])] |= 1 << word.len();
        }
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_say_their_part_in_many_languages() {
        for (text, saying) in [
            ("Related articles", Saying::Related),
            ("Ähnliche Beiträge", Saying::Related),
            ("相关阅读", Saying::Related),
            ("3 Kommentare", Saying::Comment),
            ("コメント", Saying::Comment),
            ("Diesen Artikel teilen", Saying::Share),
            ("Publicidad", Saying::Promotion),
            ("© 2020 Example", Saying::Legal),
            ("Weiterlesen", Saying::Navigation),
            ("Teilen", Saying::Share),
            ("Tags:", Saying::Tags),
        ] {
            assert!(Said::of(text).shares[saying as usize] > 0, "{text}");
        }
        assert!(Said::of("Related articles").is_about(Saying::Related));
        assert!(!Said::of("A day in the life of a lighthouse keeper").is_about(Saying::Related));
    }

    #[test]
    fn the_words_are_short_enough_to_be_found() {
        for word in WORDS.iter().flat_map(|words| words.split_ascii_whitespace()) {
            assert!(word.len() <= MAX_WORD_BYTES, "{word}");
            assert_eq!(word, word.to_lowercase());
        }
    }

    #[test]
    fn sentences_say_nothing() {
        let sentence = "They share what they have, comment on it and read more. ".repeat(4);
        assert_eq!(Said::of(&sentence).shares, [0; SAYINGS]);
    }
}
