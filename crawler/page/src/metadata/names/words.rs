//! Words before, between and behind the names of authors, and words that are no names.

/// What comes before the name of an author, in lower case: English, German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Finnish,
/// Polish, Czech, Russian, Ukrainian, Greek, Turkish, Indonesian, Vietnamese, Hungarian, Romanian, Chinese, Japanese, Korean. A longer one
/// comes before its beginning.
#[rustfmt::skip]
pub(super) const WRITTEN_BY: &[&str] = &[
    "view all posts by", "see all posts by", "all posts by", "more posts by", "posts by", "alle beiträge von",
    "alle artikel von", "alles von", "mehr von", "beiträge von", "voir tous les articles par", "written and photographed by",
    "this post was written by", "this article was written by", "this was written by", "post written by", "penned by",
    "words and photos by", "written by", "posted by", "published by", "story by", "words by", "text by", "article by",
    "reported by", "submitted by", "created by", "contributed by", "reviewed by", "authored by", "author", "authors",
    "by", "geschrieben von", "verfasst von", "veröffentlicht von", "erstellt von", "gepostet von", "ein artikel von",
    "ein beitrag von", "ein gastbeitrag von", "ein kommentar von", "eine kolumne von", "eine analyse von",
    "ein interview von", "artikel von", "beitrag von", "gastbeitrag von", "kommentar von", "interview von",
    "text von", "aus der feder von", "autoren", "autorin", "autor*in", "autor:in", "autor/in", "autor", "verfasser",
    "von", "vom", "écrit par", "ecrit par", "publié par", "posté par", "rédigé par", "proposé par", "un article de",
    "propos recueillis par", "auteurs", "auteur", "auteure", "autrice", "par", "escrito por", "publicado por",
    "redactado por", "texto de", "autora", "por", "postado por", "scritto da", "pubblicato da", "postato da",
    "articolo di", "a cura di", "autore", "autori", "di", "geschreven door", "gepubliceerd door", "geplaatst door",
    "door", "skrevet av", "skrevet af", "skriven av", "publisert av", "publicerad av", "forfatter", "författare",
    "skribent", "av", "af", "kirjoittanut", "kirjoittaja", "tekijä", "napisane przez", "opublikowane przez",
    "autorzy", "przez", "napsal", "vložil", "szerző", "írta", "scris de", "publicat de", "autorul", "автор статьи",
    "авторы", "автор", "опубликовал", "опубликовано", "γράφει ο", "γράφει η", "συντάκτης", "yazar", "yazan",
    "oleh", "ditulis oleh", "penulis", "tác giả", "bởi", 
    "نویسنده", "بقلم", "الكاتب", "كتب", "מאת", "लेखक", "โดย", "аутор", "пише", "piše", "napisao", "napisala", "autors", "autorius", "escrit per",
    "höfundur", "подготовил", "подготовила", "написал", "责任编辑", "撰文", "作者", "记者", "記者", "文/", "文／", "文：", "編集", "著者",
    "eingestellt von", "publicada por", "enviado por", "gepost door", "upplagd av", "lagt inn av", "lagt ut av", "indsendt af", "lagt op af",
    "lähettänyt", "vystavil", "bejegyezte", "gönderen", "diposting oleh", "diposkan oleh", "được đăng bởi", "αναρτήθηκε από", "objavio", "objavila",
    "مرسلة بواسطة", "投稿者", "発布者", "发布者", "張貼者", "執筆者", "執筆", "ライター", "글쓴이", "작성자", "기자",
];

/// What comes before the name of an author only with a colon.
#[rustfmt::skip]
pub(super) const WITH_COLON: &[&str] = &[
    "text", "texte", "texto", "testo", "tekst", "teksti", "текст", "words", "foto & text", "text & fotos",
    "text und fotos", "interview",
];

/// Such words that are also a part of names when they begin with a capital: Di Stefano, De Gaulle.
pub(super) const PARTICLES: &[&str] = &["di", "de", "da", "av", "af", "von", "vom", "par", "por"];

/// The separators of names. Those of one letter also join two family names, so both sides must be whole names.
#[rustfmt::skip]
pub(super) const SEPARATORS: &[&str] = &[
    ";", ",", "、", "，", "；", "/", "&", "＆", "+", " and ", " und ", " och ", " og ", " en ", " ja ", " et ",
    " im gespräch mit ", " im Gespräch mit ", " sowie ", " и ", " та ", " και ", " ve ", " dan ", " và ", " oraz ",
];
pub(super) const LETTERS: &[&str] = &[" y ", " e ", " i ", " a "];

/// Names that stand for nobody, folded.
#[rustfmt::skip]
pub(super) const NOBODY: &[&str] = &[
    "admin", "administrator", "administrador", "admin1", "webadmin", "siteadmin", "sysadmin", "superuser", "root",
    "user", "users", "guest", "gast", "anonymous", "anonym", "unknown", "unbekannt", "none", "null", "undefined",
    "na", "nan", "test", "default", "author", "authors", "autor", "auteur", "autore", "editor", "webmaster",
    "website", "moderator", "wordpress", "joomla", "drupal", "typo3", "wpengine", "system", "superadmin", "adminuser",
    "wpadmin", "true", "false", "posted", "published", "share", "comments", "comment", "home", "follow", "subscribe",
    "more", "details", "here", "hier", "mehr", "date", "datum", "data", "fecha", "uhr", "min", "read", "article",
    "news", "blog", "post", "by", "von", "facebook", "twitter", "instagram", "email", "mail", "print", "youtube",
    "linkedin", "whatsapp", "pinterest", "profile", "bio", "menu", "login", "search", "contact", "kontakt",
    "impressum", "stand", "via", "lastupdated", "lastmodified", "termsofuse", "privacypolicy", "veröffentlicht", "aktualisiert", "updated", "erstellt", "publié", "publicado",
    "pubblicato", "about", "abouttheauthor", "abouttheauthors", "überdenautor", "überdieautorin", "zumautor",
    "zurautorin", "kommentare", "teilen", "drucken", "suche", "startseite", "管理员", "匿名", "小编", "编辑", "本站", "原创", "佚名",
    "未知",
];

/// Words of which one makes a part of a list no name but the role or the house of the author before.
#[rustfmt::skip]
pub(super) const ROLES: &[&str] = &[
    "editor", "reporter", "correspondent", "journalist", "writer", "contributor", "columnist", "producer", "director",
    "professor", "ceo", "cto", "founder", "manager", "analyst", "author", "blogger", "intern", "fellow",     "engineer", "team", "staff", "bureau", "news", "times", "magazine", "service", "agency", "press", "university",
    "institute", "guest", "contributing", "senior", "chief", "president", "head", "lead", "redakteur", "redakteurin",
    "journalistin", "korrespondent", "korrespondentin", "autor", "autorin", "chefredakteur", "chefredakteurin",
    "leiter", "leiterin", "geschäftsführer", "volontär", "volontärin", "dpa", "afp", "reuters", "rédacteur",
    "journaliste", "redactor", "redactora", "periodista", "giornalista", "dziennikarz", "редактор", "корреспондент",
];

/// Words in lower case that no name has: what follows is the day, the place or the topic.
#[rustfmt::skip]
pub(super) const ENDS: &[&str] = &[
    " on ", " at ", " in ", " under ", " for ", " from ", " is ", " has ", " am ", " um ", " für ", " aus ",
    " posted ", " published ", " updated ", " filed ", " dans ", " em ", " op ", " nel ", " veröffentlicht ",
];

/// Words behind a name that do not belong to it, in lower case.
#[rustfmt::skip]
pub(super) const LAST_WORDS: &[&str] = &[
    "on", "at", "in", "published", "posted", "updated", "am", "um", "and", "und", "wrote", "says", "schreibt",
    "share", "shares", "veröffentlicht", "aktualisiert", "publié", "publiée", "modifié", "publicado", "publicada", "actualizado", "atualizado",
    "pubblicato", "aggiornato", "gepubliceerd", "bijgewerkt", "publicerad", "uppdaterad", "publicerat", "uppdaterat", "publisert", "oppdatert",
    "udgivet", "publiceret", "opdateret", "julkaistu", "päivitetty", "opublikowano", "aktualizacja", "publikováno", "aktualizováno", "zveřejněno",
    "objavljeno", "ažurirano", "megjelent", "frissítve", "publicat", "actualizat", "yayınlandı", "güncellendi", "опубликовано", "обновлено",
    "опубліковано", "оновлено", "публикувано", "δημοσιεύθηκε", "δημοσίευση", "diterbitkan", "diperbarui",
];

/// Degrees and titles behind a name, folded. As a part of a list, each stands alone.
pub(super) const DEGREES: &[&str] = &[
    "md", "ma", "ba", "bsc", "msc", "mba", "mph", "phd", "dphil", "jd", "esq", "rn", "rd", "do", "pharmd", "jr", "sr",
    "drphil", "llm",
];

/// Agencies for news and pictures, folded. A line that shows one credits the source or the picture.
#[rustfmt::skip]
pub(super) const AGENCIES: &[&str] = &[
    "gettyimages", "getty", "dpa", "deutschepresseagentur", "reuters", "thomsonreuters", "afp", "agencefrancepresse", "ap", "associatedpress",
    "theassociatedpress", "upi", "pressassociation", "pamedia", "apa", "sda", "keystonesda", "epd", "kna", "epa", "anp", "belga", "ansa", "efe",
    "agenciaefe", "europapress", "lusa", "pap", "čtk", "ctk", "tass", "тасс", "рианновости", "интерфакс", "interfax", "xinhua", "xinhuanews",
    "新华社", "共同通信", "時事通信", "연합뉴스", "yonhap", "pti", "ani", "ians", "shutterstock", "istock", "istockphoto", "alamy", "adobestock",
    "imago", "imagoimages", "picturealliance", "depositphotos", "unsplash", "pixabay", "pexels",
];

/// The days of the week in lower case, as they stand between a name and a date: English, German, French, Spanish, Portuguese, Italian, Dutch.
#[rustfmt::skip]
pub(super) const WEEKDAYS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag",
    "sonnabend", "sonntag", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "lunes", "martes", "miércoles", "jueves", "viernes",
    "sábado", "domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "lunedì", "martedì", "mercoledì", "giovedì",
    "venerdì", "sabato", "domenica", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag",
];
