//! The language of a text, as an ISO 639-1 code.
//!
//! ```text
//! lines ─▶ prose, without code ─▶ its script ─▶ one language:   that
//!                                          └──▶ several:        a detector chooses among them, beside what the page declares
//! ```
//!
//! Scripts come first, because a detector of Latin letters sees the code and the names of a Chinese page, and finds Catalan. What a page
//! declares counts where its text allows it: templates declare the language of the site, not of the page.

mod codes;
mod han;
mod prose;
mod script;

use whatlang::{Detector, Info, Lang};

use self::codes::{is_undetectable, is_written_in, iso_639_1, languages_of, script_of};
use self::han::Characters;
use self::prose::Prose;
use self::script::Script;

/// The detector takes mixtures of other languages for these, which few web pages have. They count only if the page declares them.
const RARE: [Lang; 9] = [
    Lang::Aka,
    Lang::Epo,
    Lang::Jav,
    Lang::Lat,
    Lang::Sna,
    Lang::Tgl,
    Lang::Tuk,
    Lang::Uzb,
    Lang::Zul,
];

/// Languages so alike that the declaration tells them apart better than a detector of triples of letters.
const ALIKE: [&[&str]; 6] = [
    &["da", "nb", "nn"],
    &["cs", "sk"],
    &["bs", "hr", "sr", "sl"],
    &["id", "ms"],
    &["bg", "mk"],
    &["hi", "mr", "ne", "sa"],
];

/// A sample of this length, in bytes, needs less confidence of the detector: 0.9 is for a sentence.
const LONG_SAMPLE_BYTES: usize = 500;
const LONG_SAMPLE_CONFIDENCE: f64 = 0.2;

/// Percentages of kana among the letters that make a text Japanese where the page declares it so, and where it declares nothing.
const KANA_IF_DECLARED: usize = 5;
const KANA_IF_UNDECLARED: usize = 15;

/// The ISO 639-1 code of the language of `text`, in lower case; `declared` is what the page declares (`en-US`).
///
/// `None` if the text is too short or mixed, and the declaration is missing, malformed or of another script.
pub(crate) fn detect(text: &str, declared: Option<&str>) -> Option<String> {
    let declared = declared.and_then(primary_subtag);
    let declared = declared.as_deref();
    let prose = Prose::of(text, declared.map(script_of));
    if prose.sample.is_empty() {
        return declared.map(str::to_owned);
    }
    let declared = declared.filter(|code| is_written_in(code, prose.script));
    let detected = match prose.script {
        Script::Han => Some(chinese_or_japanese(&prose.sample, declared)),
        script => match languages_of(script) {
            [only] => Some(*only),
            _ => among_several(&prose, declared),
        },
    };
    detected.or(declared).map(str::to_owned)
}

/// The language of which the sample has more characters that the other does not use. Tables and lists of Japanese pages have no kana, and Chinese
/// ones may have some as an ornament. Names and words of the other language are in pages of both, so the counts alone do not decide if they
/// are close, or if there is kana between the words.
fn chinese_or_japanese(sample: &str, declared: Option<&str>) -> &'static str {
    let found = Characters::of(sample);
    let Characters { chinese, japanese, .. } = found;
    let is_close = found.are_close();
    match declared {
        Some("ja") if is_close || found.has_kana(KANA_IF_DECLARED) => "ja",
        Some("zh") if is_close => "zh",
        Some("zh") if japanese <= chinese => "zh",
        _ if japanese > chinese || is_close && found.has_kana(KANA_IF_UNDECLARED) => "ja",
        _ => "zh",
    }
}

/// The language of a text in a script of several languages; `None` if the detector doubts.
fn among_several<'a>(prose: &Prose, declared: Option<&'a str>) -> Option<&'a str> {
    let is_usual = |lang: &Lang| !RARE.contains(lang) || iso_639_1(*lang) == declared;
    let candidates = codes::detectable(prose.script).iter().copied().filter(is_usual);
    let candidates: Vec<Lang> = candidates.collect();
    let found = Detector::with_allowlist(candidates.clone()).detect(&prose.sample)?;
    let code = iso_639_1(found.lang())?;
    if declared == Some(code) {
        return declared;
    }
    let is_alike = |other: &str| {
        ALIKE
            .iter()
            .any(|alike| alike.contains(&other) && alike.contains(&code))
    };
    // The detector always doubts between two that are alike. So it is asked whether the text is in one of them.
    let is_other = |lang: &Lang| *lang == found.lang() || !iso_639_1(*lang).is_some_and(is_alike);
    let doubt = if found.is_reliable() || candidates.iter().all(is_other) {
        Doubt::of(&found, &prose.sample)
    } else {
        let others = candidates.into_iter().filter(is_other).collect();
        Doubt::of(&Detector::with_allowlist(others).detect(&prose.sample)?, &prose.sample)
    };
    let outweighs = |declared: &&str| {
        is_alike(declared) || doubt > Doubt::None || is_undetectable(declared) && code != usual(prose.script)
    };
    // Few languages share another script.
    let is_narrow = !matches!(prose.script, Script::Latin | Script::Cyrillic);
    declared
        .filter(outweighs)
        .or((is_narrow || doubt < Doubt::Much).then_some(code))
}

/// How much the detector doubts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    None,
    /// The language is the likeliest of a text that is long enough for this to mean something.
    Some,
    Much,
}

impl Doubt {
    fn of(found: &Info, sample: &str) -> Self {
        if found.is_reliable() {
            Self::None
        } else if sample.len() >= LONG_SAMPLE_BYTES && found.confidence() >= LONG_SAMPLE_CONFIDENCE {
            Self::Some
        } else {
            Self::Much
        }
    }
}

/// The language of a script in which sites of other languages have untranslated pages.
fn usual(script: Script) -> &'static str {
    languages_of(script).first().copied().unwrap_or("en")
}

/// The primary subtag of a BCP 47 tag if it is a two-letter code (RFC 5646, section 2.2.1), or stands for one.
fn primary_subtag(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    if let Some(code) = codes::meant_by(&primary) {
        return Some(code.to_owned());
    }
    (primary.len() == 2 && primary.bytes().all(|b| b.is_ascii_alphabetic())).then_some(primary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_decides_over_the_declaration() {
        let english = "The crawler fetches pages and decides before it stores them whether they say anything new.";
        let chinese = "数据去重是搜索引擎抓取网页时的重要步骤，重复的网页会浪费存储和计算资源。";
        assert_eq!(detect(english, Some("zh-CN")).as_deref(), Some("en"));
        assert_eq!(detect(chinese, Some("en")).as_deref(), Some("zh"));
    }

    #[test]
    fn names_labels_and_code_do_not_make_a_page_english() {
        for (text, language) in [
            (
                "返回值序列化扩展\n概念阐述\n当前REST通道返回值支持application/json和text/plain两种格式。\n\
                 public class ProduceAppXmlProcessor implements ProduceProcessor {\npublic String getName() {\n\
                 return MediaType.APPLICATION_XML;\n}\npublic int getOrder() {\nreturn 0;\n}\n}",
                "zh",
            ),
            (
                "パスの選択\nファイルのパスをセットします。\nOpen dialog\nFileName\nPath selection button",
                "ja",
            ),
            (
                "파일 시스템 서비스\n폴더를 만들고 삭제합니다.\nDim oFile As Object\noFile = CreateObject(\"Scripting\")",
                "ko",
            ),
            (
                "Служба FileSystem содержит процедуры для работы с файлами и папками.\n$ ls -l /usr/share/doc",
                "ru",
            ),
            (
                "Служба містить процедури для роботи з файлами та їхніми теками, що є в системі.\nFileName",
                "uk",
            ),
            ("Η υπηρεσία FileSystem.\nFileName\nFolderName", "el"),
            ("השירות מכיל פרוצדורות.\nreturn value;", "he"),
            ("บริการนี้มีขั้นตอนสำหรับจัดการแฟ้ม\nreturn value;", "th"),
        ] {
            for declared in [None, Some("en"), Some(language)] {
                assert_eq!(
                    detect(text, declared).as_deref(),
                    Some(language),
                    "{declared:?}: {text}"
                );
            }
        }
    }

    #[test]
    fn a_page_in_two_scripts_is_in_the_one_of_most_of_its_prose() {
        let english = "The filter blurs the image, and the option below the preview sets how far it goes.\nWhen the preview is \
            off, a line shows where the effect ends, and you can drag it to another place with the mouse.\nPress the key again to \
            return to the settings that were in force before you opened this window.\n\
            These changes are not written to the file until you say so, and the history of the document keeps all of them, so that \
            nobody has to fear the loss of an hour of work.\nThe manual describes what each of them does and which of them \
            people use together.";
        assert_eq!(
            detect(&format!("图 16.227 滤镜\n{english}"), Some("zh")).as_deref(),
            Some("en")
        );
        let quoted = "In the first lesson, learners read 你好 and 谢谢 aloud, and then write them down several times.";
        assert_eq!(detect(quoted, Some("en")).as_deref(), Some("en"));
        assert_ne!(detect(quoted, Some("zh")).as_deref(), Some("zh"));
    }

    #[test]
    fn characters_of_one_language_tell_chinese_from_japanese() {
        for (text, language) in [
            (
                "数据去重是搜索引擎抓取网页时的重要步骤，重复的网页会浪费存储和计算资源，优の良品是一家商店。",
                "zh",
            ),
            ("東京都の人口は約千四百万人である。", "ja"),
            // Tables and lists without kana: a company, opening hours, a ministry, a timetable, a law.
            (
                "会社名：株式会社山田商店\n代表取締役：山田太郎\n設立：昭和五十年四月一日\n資本金：一億円\n従業員数：二百五十名\n本社所在地：東京都千代田区丸の内一丁目\n\
                 事業内容：食品卸売業、倉庫業、不動産賃貸業\n取引銀行：三菱銀行東京営業部、三井住友銀行",
                "ja",
            ),
            (
                "診療時間：午前九時～午後五時\n休診日：日曜日、祝日、年末年始\n診療科目：内科、小児科、歯科\n駐車場：有（無料）",
                "ja",
            ),
            (
                "令和六年度予算概要\n地方財政対策\n国土強靱化推進事業\n広域連携促進費",
                "ja",
            ),
            (
                "発車時刻表\n平日\n東京駅発　大阪方面\n各駅停車　快速　特急\n運転日注意",
                "ja",
            ),
            ("著作権法施行令第一条　権利者不明等場合著作物利用申請書記載事項", "ja"),
            // Simplified and traditional Chinese, with names of Japan and kana.
            (
                "近日，某市公布了今年春季植树造林的成果，全市累计完成造林面积三万多亩，超额完成了年初制定的目标任务。",
                "zh",
            ),
            (
                "上週末和家人一起去了陽明山賞花，天氣非常好，櫻花和杜鵑都開了，遊客雖然很多，但是大家都很守秩序。",
                "zh",
            ),
            (
                "本公司成立於一九八五年，總部設在台北市，主要產品包括電子零件與通訊設備。",
                "zh",
            ),
            ("立法會今日三讀通過條例草案，政府發言人說，新例將於下月一日生效。", "zh"),
            (
                "日語的「こんにちは」就是你好的意思，「ありがとう」則是謝謝，學習這些用語對旅行很有幫助，發音也不難，可以跟著老師一起練習。",
                "zh",
            ),
            (
                "桜井市长说，这次广岛县和东京都的经济交流会议为两国企业提供了新的机会。",
                "zh",
            ),
            ("公司简介：成立时间1998年，注册资本五千万元，员工三百余人", "zh"),
        ] {
            for declared in [None, Some("en"), Some("ja"), Some("zh-TW")] {
                assert_eq!(
                    detect(text, declared).as_deref(),
                    Some(language),
                    "{declared:?}: {text}"
                );
            }
        }
        // Nothing in the text tells the language.
        for (declared, language) in [(Some("ja"), "ja"), (Some("zh"), "zh"), (Some("en"), "zh"), (None, "zh")] {
            assert_eq!(
                detect("代表者：山田太郎\n所在地：京都市中京区", declared).as_deref(),
                Some(language)
            );
        }
    }

    #[test]
    fn japanese_with_chinese_words_is_japanese_and_chinese_with_japanese_names_is_chinese() {
        let cast = "中国ドラマ「三体」の出演者は、張魯一（张鲁一）、于和偉（于和伟）、陳瑾（陈瑾）、王子文、林永健、李小冉、趙健（赵健）、\
             劉奕鉄（刘奕铁）、斉渓（齐溪）です。";
        assert_eq!(detect(cast, Some("ja")).as_deref(), Some("ja"));
        for text in [
            "中国語の簡体字の練習です。学习、汉语、电脑、飞机、图书馆、书店、车站、银行、医院、邮局、饭店、学校を読んでみましょう。",
            "「怎么」「什么」「哪里」「您好」「你们」「谢谢」は中国語でよく使う言葉です。「对不起」「没关系」「请问」も覚えましょう。",
            "會社ノ設立ノ登記ハ左ノ事項ヲ登記スルコトヲ要ス 一 會社ノ商號 二 會社ノ目的 三 本店及支店 四 資本總額 五 出資一口ノ金額",
            "大日本帝國ハ萬世一系ノ天皇之ヲ統治ス 皇位ハ皇室典範ノ定ムル所ニ依リ皇男子孫之ヲ繼承ス",
        ] {
            for declared in [Some("ja"), None] {
                assert_eq!(detect(text, declared).as_deref(), Some("ja"), "{declared:?}: {text}");
            }
        }
        // Names of Japanese companies and games.
        for text in [
            "任天堂今日公布《スーパーマリオブラザーズ》、《ゼルダの伝説》及《どうぶつの森》最新資料，玩家十分期待。",
            "三菱東京UFJ銀行、株式会社日立製作所、関西電力、横浜市、沢尻、広島等的代表们为参加展会来访",
            "本週新作《ゼルダの伝説》《ドラゴンクエスト》上市，歡迎選購。各大門市均有販售，數量有限，售完為止。我們還會繼續為您介紹。",
        ] {
            assert_eq!(detect(text, Some("zh")).as_deref(), Some("zh"), "{text}");
        }
    }

    #[test]
    fn of_languages_that_are_alike_the_declared_one_holds() {
        let danish =
            "Når installationsprogrammet starter, så mødes du med en opstartsskærm, hvor du kan trykke på en tast.";
        assert_eq!(detect(danish, Some("da")).as_deref(), Some("da"));
        // The detector does not know Basque and Galician.
        let basque =
            "Aplikatu daitezkeen zenbakitze-eskema desberdinak bistaratzen ditu, eta horien artean aukera dezakezu.";
        assert_eq!(detect(basque, Some("eu")).as_deref(), Some("eu"));
        let english = "The crawler fetches pages and decides before it stores them whether they say anything new.";
        assert_eq!(detect(english, Some("eu")).as_deref(), Some("en"));
    }

    #[test]
    fn a_declared_code_that_is_none_does_not_outweigh_the_text() {
        let czech =
            "Správce balíčků stahuje soubory ze zrcadel a ověřuje jejich podpisy, než je nainstaluje do systému.";
        for (declared, language) in [("cz", "cs"), ("cs-CZ", "cs"), ("zz", "cs"), ("se", "cs")] {
            assert_eq!(detect(czech, Some(declared)).as_deref(), Some(language), "{declared}");
        }
    }

    #[test]
    fn a_language_may_have_a_second_script() {
        let serbian =
            "Upravnik paketa preuzima datoteke sa servera i proverava njihove potpise pre nego što ih instalira.";
        assert_eq!(detect(serbian, Some("sr-Latn")).as_deref(), Some("sr"));
        let serbian =
            "Управник пакета преузима датотеке са сервера и проверава њихове потписе пре него што их инсталира.";
        assert_eq!(detect(serbian, Some("sr")).as_deref(), Some("sr"));
    }

    #[test]
    fn names_in_latin_letters_do_not_hide_the_language_of_a_line() {
        let russian = "Откройте меню File – Open – Recent Documents и выберите нужный документ.\nНажмите кнопку OK в окне LibreOffice \
            Writer Properties Dialog, чтобы сохранить изменения в файле.";
        assert_eq!(detect(russian, Some("en")).as_deref(), Some("ru"));
    }

    #[test]
    fn a_list_of_names_is_in_the_declared_language() {
        let names =
            "Sennheiser HD 800S Headphones\nSennheiser HD 560S Headphones\nSennheiser HDB 630 Wireless Headphones\n"
                .repeat(9);
        assert_eq!(detect(&names, Some("en")).as_deref(), Some("en"));
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
