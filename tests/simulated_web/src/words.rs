//! The words of the texts: frequent words of a language, and words of a topic that are made of its syllables.

use crate::random::Random;

/// How often a word of a text is one of the frequent words of its language.
const FREQUENT: f64 = 0.45;
/// Words of the topic of a host.
const TOPIC_WORDS: u64 = 1_200;
/// Words of a language that every host uses.
const COMMON_WORDS: u64 = 20_000;

/// A language of the web.
pub struct Language {
    /// Its tag (RFC 5646).
    pub tag: &'static str,
    /// Pages in a hundred.
    share: u64,
    frequent: &'static str,
    syllables: &'static str,
    is_spaced: bool,
}

static LANGUAGES: [Language; 6] = [
    Language {
        tag: "en",
        share: 58,
        frequent: "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you \
                   were all her she there would their we him been has when who will no more if out so up said what its about than into \
                   them can only other time new some could these two may first then do any like my now over such our man me even most",
        syllables: "ma ter con ti per form in re de co pro tra sta min lo ver al si ran ble ment ing er or an est ish port light stone \
                    field work land mark ber ton ley wood ford well",
        is_spaced: true,
    },
    Language {
        tag: "de",
        share: 10,
        frequent: "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie \
                   nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man",
        syllables: "schaf ver ge be ten heit keit ung stein berg wald haus land zeit werk stadt ler gen ken ber fen mün sor wel tra for \
                    mat tel kun dig",
        is_spaced: true,
    },
    Language {
        tag: "fr",
        share: 8,
        frequent: "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec ont ou son aux mais \
                   comme cette ses elle nous même ces sans été leurs entre deux être fait tout peut après encore temps leur dont",
        syllables: "tion ment eur eau ville mont bel cha por ter ré pré dé con ver lin gue lais sance ri va lo mar che ta ble per do \
                    nance",
        is_spaced: true,
    },
    Language {
        tag: "es",
        share: 8,
        frequent: "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya \
                   entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo",
        syllables: "ción dad miento ero ista ca sa mon te ver de cla ro pue blo tie rra na ción lu mar cor de ra no ta ble ci ga ri do",
        is_spaced: true,
    },
    Language {
        tag: "ru",
        share: 6,
        frequent: "и в не на я что он с как а то это по но из у за к же от так о для вы было мы бы её ещё только было его при когда уже даже \
                   или были этот может если году чтобы где был есть время они нет ему во со до их все",
        syllables: "ста но ва ми ро до ли не ра ко то пре при ска ние ность тель мир град ло во да зна мен те ку рен бо го ле",
        is_spaced: true,
    },
    Language {
        tag: "zh",
        share: 10,
        frequent: "的 是 在 了 不 和 有 这 我们 中国 他 人 上 个 大 来 到 说 们 为 子 地 出 就 那 也 可以 时候 自己 年 会 着 你 没有 问题 发展 \
                   工作 因为 但是 已经 现在 很多 第一 时间 世界 社会 生活 经济 政府 公司",
        syllables: "天 山 水 火 木 金 土 日 月 星 风 云 雨 雪 花 草 树 林 河 海 城 市 国 家 学 校 书 文 字 语 言 音 乐 电 车 路 门 窗 房 屋 心 \
                    思 想 感 情 手 足 目 口 耳 马 牛 羊 鸟 鱼 龙 虎 春 夏 秋 冬 东 西 南 北 高 低 长 短 新 旧 红 绿 蓝 白 黑 技 术 科 研",
        is_spaced: false,
    },
];

/// The language of a host by a number below 100.
pub fn language(percent: u64) -> &'static Language {
    let mut upto = 0;
    LANGUAGES
        .iter()
        .find(|language| {
            upto += language.share;
            percent < upto
        })
        .unwrap_or(&LANGUAGES[0])
}

/// Writes the text of one page.
pub struct Writer {
    language: &'static Language,
    frequent: Vec<&'static str>,
    syllables: Vec<&'static str>,
    topic: u64,
}

impl Writer {
    /// A writer about this topic.
    pub fn new(language: &'static Language, topic: u64) -> Self {
        Self {
            language,
            frequent: language.frequent.split_whitespace().collect(),
            syllables: language.syllables.split_whitespace().collect(),
            topic,
        }
    }

    /// Appends a sentence of `length` words.
    pub fn sentence(&self, random: &mut Random, length: u64, out: &mut String) {
        for place in 0..length {
            if place > 0 && self.language.is_spaced {
                out.push(' ');
            }
            self.word(random, out);
        }
        out.push_str(if self.language.is_spaced { ". " } else { "。" });
    }

    fn word(&self, random: &mut Random, out: &mut String) {
        let kind = random.unit();
        if kind < FREQUENT {
            out.push_str(self.frequent[random.low(self.frequent.len() as u64, 1.5) as usize]);
        } else if kind < 0.75 {
            self.made(
                &[
                    u64::from(self.language.tag.as_bytes()[0]),
                    random.low(COMMON_WORDS, 2.0),
                ],
                out,
            );
        } else {
            self.made(&[self.topic, random.low(TOPIC_WORDS, 1.7)], out);
        }
    }

    /// Appends the word with this number, of two to four syllables.
    fn made(&self, number: &[u64], out: &mut String) {
        let mut random = Random::of(number);
        for _ in 0..2 + random.below(if self.language.is_spaced { 3 } else { 1 }) {
            out.push_str(self.syllables[random.below(self.syllables.len() as u64) as usize]);
        }
    }
}
