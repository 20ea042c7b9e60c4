//! Characters that tell Chinese from Japanese.
//!
//! China and Japan each simplified characters in its own way: 發 is 发 in China and 発 in Japan. The character sets tell what is used where: GB 2312
//! (1980) for simplified Chinese, Big5 (1984) for traditional Chinese, JIS X 0208 (1997) for Japanese. Their first levels have the usual
//! characters. Of these, the tables have those that are frequent in running text and in names of things. The Japanese table has no characters that
//! traditional Chinese texts also use, such as 説 in Hong Kong. The Chinese tables lack old forms that are usual in Japanese names, such as 澤 and 邊.

use std::sync::LazyLock;

use super::script::{Script, is_kana};
use crate::map::Map;

/// Of the first level of GB 2312, and neither in Big5 nor in JIS X 0208.
const SIMPLIFIED: &str = "\
    专业东丢两严临为丽举义乐习书买亚产亲亿仅们众伟传伤伦侧债倾偿储兰关兴养军农净减凤击刘则刚创删剧劝办务动劳势华协单卖卫厅历压厌县变吗员响团园围图圆\
    场块坚坛备够头夹夺奋奖妇妈娱孙实审宪宽宾对寻导层岁岛币师带帮庆库应庙废开张强归录彻忆态总惯戏战户执扩扫扬护报拟拥择挥损换摄摆敌时旷显晓术杀杂权杨\
    标栋栏树样桥检欢毕汇汉沟泽测济浓涨渐滚满滨灵灾热爱牵环现电畅疗监盘矿码础硕积稳穷竞笔签简类紧红约级纪纯纳纷纸线练组细织终绍经结给络统继绩续维综缓\
    编缘缩罗罚职联肤脏脑脸腾艺节苏荣药获营蓝虑虽补袭见观规视览觉计订认讨让训议讯记讲许论设访证评识诉词译试诗话该详语误说请诸读课谁调谈谊谋谢谱贝负贡\
    财责贤败账货质购贯贵贷贸费资赏赛赞赢赵车轨转轮软轻载较辆辑输边达过运还这进远违连迟选递逻遗邮邻郑酿释针钟钢钱铁铜银链销锁错键镇镜长门闪闭问闲间闻\
    阅队阳阴阵阶际陆陈险隐难页顶项顺须顾预领频题额风飞饭饮馆马驱驾验骑鱼鲁鲜鸟鸡鸣齐龙\
    ";

/// Of the first level of Big5, and neither in GB 2312 nor in the first level of JIS X 0208.
const TRADITIONAL: &str = "\
    亂亞來們傳價儘兒內兩勞勵區卻參單嗎國圍圓圖團壓壞壯壽夠奧妳學實寫寬寶將專對屆屬帶幫廢廳彈從恆惡應懷戀戰戲戶拋擇擊擔據擴攝敘數斷會條榮樂樓樣橫檔檢\
    權歐歡歲歷歸殘氣沒淚淺滯滿漲潛濕濟灣燒營爭牆狀獎獨獻產當疊發盡眾禮稅稱穩絕絲經綠緣縣縱總繪繼續聰聲聽脫腦腳臉臺與舉舊莊萬藝藥處虛號蟲裝覺覽觀觸說\
    證譯譽讀變讓豐賣賬賴趕輕轉辦辭遞遲鄉鄰醫釋錄錢鐵閱闆關隨險隱雖雙雜雞靈靜顯餘驅驗體髮鬆鬥鹽麥麵麼點黨齊齒齡龐\
    ";

/// In GB 2312 and Big5, and not in the first level of JIS X 0208.
const CHINESE: &str = "\
    么你值做吧呢咱哥哪啊啦嘛增她很怎您找拿收效步每游爸睛站聊聘跑跟黑\
    ";

/// "This" in traditional Chinese. In Japanese, it is a rare verb.
const THIS: &str = "這";

/// Of the first level of JIS X 0208, and neither in GB 2312 nor in Big5: simplified in Japan only, or made there.
const JAPANESE: &str = "\
    両乗亀亜仏仮価働児円処剣剤労勧匂単厳収営噛囲図圏圧塀塁塩壊壌壱売変嬢実寛対専峠嶋巣巻帯帰庁広廃弐弾従応恵悩悪懐戦戯戻払抜択拝拠拡挙挿捜掲揺摂撃斉\
    斎暁暦枠栃栄桜桟検楽榊様権歓歯歴殻気沢浄涙渇済渋渓満滝瀬焼犠猟獣畑畠畳発県砕稲穂穏穣竜笹粋粛経絵継続総縄縦繊聴脳臓荘蔵薗薫薬蛍覇覚覧観訳読謡譲賛\
    転軽辺辻込逓遅酔醸釈鉄鉱銭鋳錬関闘陥険隠雑霊顕駄駅駆騒験髄髪鮎鰯鶏麺齢\
    ";

/// The language that uses a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    Chinese,
    Japanese,
}

static USERS: LazyLock<Map<char, User>> = LazyLock::new(|| {
    let chinese = [SIMPLIFIED, TRADITIONAL, CHINESE, THIS]
        .into_iter()
        .flat_map(str::chars);
    let japanese = JAPANESE.chars().map(|c| (c, User::Japanese));
    chinese.map(|c| (c, User::Chinese)).chain(japanese).collect()
});

/// Number of kana that count as one character, because a word has more kana than ideographs.
const KANA_A_CHARACTER: usize = 2;

/// Counts are close if none is more than so many times the other.
const CLOSE: usize = 3;

/// How many characters of a text only one of the languages uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Characters {
    pub chinese: usize,
    /// Kana included.
    pub japanese: usize,
    kana: usize,
    /// Of the characters outside of quotation marks, those of both languages together, and the kana among them. Chinese quotes Japanese words, and
    /// Japanese has kana around the words that it quotes.
    unquoted: usize,
    unquoted_kana: usize,
}

/// Quotation marks of both languages, and those around titles, in pairs.
const QUOTES: [(char, char); 5] = [('「', '」'), ('『', '』'), ('《', '》'), ('〈', '〉'), ('“', '”')];

impl Characters {
    /// Counts the characters of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut quote = None;
        for c in text.chars() {
            match quote {
                // A quotation that nothing closes ends with its line.
                Some(end) if c == end || c == '\n' => quote = None,
                Some(_) => {}
                None => quote = QUOTES.iter().find(|(begin, _)| *begin == c).map(|(_, end)| *end),
            }
            if quote.is_none() && Script::of(c) == Some(Script::Han) {
                found.unquoted += 1;
                found.unquoted_kana += usize::from(is_kana(c));
            }
            match USERS.get(&c) {
                Some(User::Chinese) => found.chinese += 1,
                Some(User::Japanese) => found.japanese += 1,
                None => found.kana += usize::from(is_kana(c)),
            }
        }
        found.japanese += found.kana.div_ceil(KANA_A_CHARACTER);
        found
    }

    /// Whether the counts of both languages are too close to tell one from the other, without the kana in quotation marks.
    pub(super) fn are_close(&self) -> bool {
        let japanese = self.japanese
            - (self.kana - self.unquoted_kana)
                .div_ceil(KANA_A_CHARACTER)
                .min(self.japanese);
        self.chinese <= CLOSE * japanese && japanese <= CLOSE * self.chinese
    }

    /// Whether so many of a hundred characters outside of quotation marks are kana.
    pub(super) fn has_kana(&self, percent: usize) -> bool {
        self.unquoted_kana > 0 && 100 * self.unquoted_kana >= percent * self.unquoted
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, Encoding, GBK};

    use super::*;

    /// The level at which a character set has a character, by its two bytes. GBK includes GB 2312.
    fn level(encoding: &'static Encoding, c: char) -> Option<u8> {
        let text = c.to_string();
        let (bytes, _, is_missing) = encoding.encode(&text);
        let (&[first, second], false) = (&*bytes, is_missing) else {
            return None;
        };
        match encoding {
            _ if encoding == GBK => {
                matches!((first, second), (0xb0..=0xf7, 0xa1..)).then_some(if first <= 0xd7 { 1 } else { 2 })
            }
            // Between the levels are characters that Hong Kong added.
            _ if encoding == BIG5 => match (first, second) {
                (..=0xc5, _) | (0xc6, ..=0x7e) => Some(1),
                (0xc9..=0xf8, _) | (0xf9, ..=0xd5) => Some(2),
                _ => None,
            },
            _ => Some(if first <= 0xcf { 1 } else { 2 }),
        }
    }

    #[test]
    fn the_tables_hold_what_the_character_sets_say() {
        for c in SIMPLIFIED.chars() {
            assert_eq!(
                (level(GBK, c), level(BIG5, c), level(EUC_JP, c)),
                (Some(1), None, None),
                "{c}"
            );
        }
        for c in TRADITIONAL.chars() {
            assert_eq!((level(GBK, c), level(BIG5, c)), (None, Some(1)), "{c}");
            assert_ne!(level(EUC_JP, c), Some(1), "{c}");
        }
        for c in CHINESE.chars() {
            assert!(level(GBK, c).is_some() && level(BIG5, c).is_some(), "{c}");
            assert_ne!(level(EUC_JP, c), Some(1), "{c}");
        }
        for c in JAPANESE.chars() {
            assert_eq!(
                (level(GBK, c), level(BIG5, c), level(EUC_JP, c)),
                (None, None, Some(1)),
                "{c}"
            );
        }
    }
}
