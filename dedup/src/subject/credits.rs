//! Lines that name who wrote or edited a text: 责任编辑：王小明, (本报记者 郑十), 홍길동 기자, By Jane Doe, Reporting by Max Lee.
//!
//! Each reprint of a press release has such a line, and often no other line of its own.
//!
//! A line counts only if it says nothing but names, labels and roles, and only in a long text: the name of its author is what a page about a book
//! or a painting says. A source is no person, so it counts only beside one.

/// Number of lines at the beginning and at the end of a text that may be credits. A heading often comes before the first credit.
const FIRST_LINES: usize = 3;
const LAST_LINES: usize = 2;

/// A longer line says more than names.
const MOST_CHARACTERS: usize = 60;

/// Length of the rest of a text with credits, in characters of Chinese and Japanese. A word between spaces counts as [`WORD`] of them.
const LONG_TEXT: usize = 600;
const WORD: usize = 3;

/// Labels before a colon and the names of persons.
const LABELS: [&str; 20] = [
    "责任编辑",
    "責任編輯",
    "责编",
    "編輯",
    "编辑",
    "审核",
    "審核",
    "校对",
    "校對",
    "监制",
    "監製",
    "作者",
    "记者",
    "記者",
    "通讯员",
    "通訊員",
    "撰文",
    "기자",
    "편집",
    "취재",
];

/// Labels of Japanese, before a colon and one name.
const JAPANESE_LABELS: [&str; 3] = ["編集", "取材", "文責"];

/// Labels before a colon and what is no person.
const SOURCES: [&str; 5] = ["来源", "來源", "出处", "出處", "출처"];

/// The longest name of a source, in characters.
const LONGEST_SOURCE: usize = 8;

/// Words before a name in Chinese, without a colon.
const REPORTERS: [&str; 6] = ["本报记者", "本報記者", "本网记者", "本台记者", "通讯员", "特约记者"];

/// What begins a name in Chinese. Without them any two characters would be one.
const CHINESE_SURNAMES: &str = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜戚谢邹窦章苏潘葛范彭郎鲁韦马苗凤方俞任袁柳史唐费薛雷贺倪汤滕殷罗毕郝安常\
    于傅齐康伍余顾孟黄穆萧尹姚邵汪毛米贝戴宋庞熊纪舒屈项祝董梁杜蓝闵贾江童颜郭梅林钟徐邱骆高夏蔡田樊胡凌霍万柯管卢莫丁邓洪包左石崔龚程邢裴陆翁\
    段侯武刘龙叶黎白赖乔谭温庄阎易廖耿欧\
    趙錢孫吳鄭馮陳衛蔣韓楊許呂張嚴謝鄒蘇潘魯韋馬鳳費賀湯羅畢齊顧黃蕭貝龐紀項藍賈顏鍾邱駱萬盧鄧龔陸劉龍葉賴喬譚溫莊閻歐";
const LONG_CHINESE_SURNAMES: [&str; 8] = ["欧阳", "歐陽", "司马", "司馬", "上官", "诸葛", "諸葛", "司徒"];
const KOREAN_SURNAMES: &str = "김이박최정강조윤장임한오서신권황안송류유홍전고문손양배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국";

/// Words before names in English.
const BY: [&str; 4] = ["reporting by ", "editing by ", "edited by ", "written by "];
const LATIN_LABELS: [&str; 2] = ["author:", "editor:"];

/// What persons are, the last word of it and words before it.
const ROLES: [&str; 8] = [
    "writer",
    "reporter",
    "editor",
    "correspondent",
    "contributor",
    "columnist",
    "journalist",
    "photographer",
];
const OF_ROLES: [&str; 8] = [
    "staff",
    "senior",
    "chief",
    "special",
    "contributing",
    "freelance",
    "political",
    "sports",
];

/// The lines of a text that are not credits.
pub(super) fn lines_without(text: &str) -> impl Iterator<Item = &str> {
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let mut credits: Vec<&str> = filled()
        .take(FIRST_LINES)
        .chain(filled().rev().take(LAST_LINES))
        .filter(|line| is_credit(line))
        .collect();
    let is_among = |credits: &[&str], line: &str| credits.iter().any(|credit| credit.as_ptr() == line.as_ptr());
    if !credits.is_empty() && !is_long(filled().filter(|line| !is_among(&credits, line))) {
        credits.clear();
    }
    text.lines().filter(move |line| !is_among(&credits, line))
}

fn is_long<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut length = 0;
    for word in lines.flat_map(str::split_whitespace) {
        let ideographs = word.chars().filter(|c| is_ideograph(*c) || is_kana(*c)).count();
        length += ideographs.max(WORD);
        if length >= LONG_TEXT {
            return true;
        }
    }
    false
}

fn is_credit(line: &str) -> bool {
    let line = line
        .trim()
        .trim_matches(['(', ')', '（', '）', '[', ']', '【', '】'])
        .trim();
    line.chars().nth(MOST_CHARACTERS).is_none() && (is_labelled(line) || is_byline(line) || is_korean(line))
}

/// 责任编辑：王小明 审核：李大伟, 本报记者 郑十, 编辑：赵六、孙七.
fn is_labelled(line: &str) -> bool {
    let mut line = line.replace('：', ":").replace('\u{3000}', " ");
    while line.contains(" :") {
        line = line.replace(" :", ":");
    }
    let mut label = Label::None;
    // Whether the last label has a name, and whether a person is named.
    let (mut is_filled, mut has_person) = (true, false);
    for part in line.split([' ', '、']).filter(|part| !part.is_empty()) {
        let (new, name) = label_of(part);
        if new != Label::None {
            if !is_filled {
                return false;
            }
            (label, is_filled) = (new, false);
        }
        if name.is_empty() {
            continue;
        }
        let is_name = match label {
            Label::None => false,
            Label::Person => is_chinese_name(name) || is_korean_name(name),
            Label::Japanese => !is_filled && has_length(name, 2..=4) && name.chars().all(is_ideograph),
            Label::Source => !is_filled && has_length(name, 2..=LONGEST_SOURCE) && name.chars().all(is_east_asian),
        };
        if !is_name {
            return false;
        }
        is_filled = true;
        has_person |= label != Label::Source;
    }
    is_filled && has_person
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    None,
    Person,
    Japanese,
    Source,
}

/// The kind of the label at the start of a part of a line, and what stands behind it.
fn label_of(part: &str) -> (Label, &str) {
    if let Some(name) = REPORTERS.iter().find_map(|reporter| part.strip_prefix(reporter)) {
        return (Label::Person, name.strip_prefix(':').unwrap_or(name));
    }
    let Some((label, name)) = part.split_once(':') else {
        return (Label::None, part);
    };
    if LABELS.contains(&label) {
        (Label::Person, name)
    } else if JAPANESE_LABELS.contains(&label) {
        (Label::Japanese, name)
    } else if SOURCES.contains(&label) {
        (Label::Source, name)
    } else {
        (Label::None, part)
    }
}

/// By Jane Doe, staff writer, edited by Tom Ray; Reporting by Max Lee in Dover.
fn is_byline(line: &str) -> bool {
    let line = line.strip_suffix('.').unwrap_or(line);
    let mut clauses = line.split([',', ';']).map(str::trim);
    let first = clauses.next().unwrap_or_default();
    let label = || {
        let (label, names) = first.split_at_checked(first.find(':')? + 1)?;
        let label = label.replace(' ', "").to_lowercase();
        LATIN_LABELS.contains(&&*label).then_some(names)
    };
    let by = || first.strip_prefix("By ").or_else(|| first.strip_prefix("BY "));
    let names = by().or_else(|| behind_by(first)).or_else(label);
    names.is_some_and(are_names) && clauses.all(|clause| behind_by(clause).map_or_else(|| is_role(clause), are_names))
}

/// What stands behind "edited by" and its like.
fn behind_by(clause: &str) -> Option<&str> {
    BY.iter().find_map(|by| {
        let (start, names) = clause.split_at_checked(by.len())?;
        start.eq_ignore_ascii_case(by).then_some(names)
    })
}

/// Jane Doe and Tom Ray for The Post.
fn are_names(text: &str) -> bool {
    let (persons, place) = with_place(text);
    place.is_none_or(|place| is_capitalised(place, 1..=4))
        && persons.split(" and ").all(|name| is_capitalised(name.trim(), 2..=4))
}

/// Senior editor, staff writer for The Post.
fn is_role(text: &str) -> bool {
    let (role, place) = with_place(text);
    let role = role.to_lowercase();
    let mut words = role.split_whitespace().rev();
    place.is_none_or(|place| is_capitalised(place, 1..=4))
        && words.next().is_some_and(|last| ROLES.contains(&last))
        && words.all(|word| OF_ROLES.contains(&word))
}

fn with_place(text: &str) -> (&str, Option<&str>) {
    let place = text.split_once(" for ").or_else(|| text.split_once(" in "));
    place.map_or((text, None), |(text, place)| (text, Some(place)))
}

/// Whether a text is so many words with a capital letter each.
fn is_capitalised(text: &str, count: std::ops::RangeInclusive<usize>) -> bool {
    let is_capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.all(|c| c.is_alphabetic() || "-.'’".contains(c))
    };
    count.contains(&text.split_whitespace().count()) && text.split_whitespace().all(is_capitalised)
}

/// 홍길동 기자, perhaps with a place before it and an address behind it.
fn is_korean(line: &str) -> bool {
    let (place, rest) = line
        .split_once('=')
        .map_or((None, line), |(place, rest)| (Some(place.trim()), rest));
    let mut words = rest.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_reporter = match first.strip_suffix("기자") {
        Some(name) => is_korean_name(name),
        None => is_korean_name(first) && words.next() == Some("기자"),
    };
    is_reporter
        && place.is_none_or(|place| has_length(place, 2..=4) && place.chars().all(is_hangul))
        && words.all(|word| word.contains('@'))
}

fn is_chinese_name(name: &str) -> bool {
    let is_long = LONG_CHINESE_SURNAMES.iter().any(|surname| name.starts_with(surname));
    let longest = if is_long { 4 } else { 3 };
    has_length(name, 2..=longest)
        && name.chars().all(is_ideograph)
        && (is_long || name.starts_with(|c| CHINESE_SURNAMES.contains(c)))
}

fn is_korean_name(name: &str) -> bool {
    has_length(name, 2..=4) && name.chars().all(is_hangul) && name.starts_with(|c| KOREAN_SURNAMES.contains(c))
}

fn has_length(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.chars().count())
}

fn is_ideograph(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn is_kana(c: char) -> bool {
    ('\u{3041}'..='\u{30fe}').contains(&c)
}

fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

fn is_east_asian(c: char) -> bool {
    is_ideograph(c) || is_hangul(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_names_are_credits() {
        for line in [
            "责任编辑：王小明 审核：李大伟",
            "编辑：赵六 校对：孙七 监制：周八",
            "来源：某某发布 作者：吴九",
            "（本报记者 郑十 通讯员 钱十一）",
            "本报记者郑十",
            "编辑：赵六、孙七、欧阳明月",
            "作者 ： 吴九",
            "責任編輯：陳大文",
            "編集：田中",
            "취재: 홍길동",
            "홍길동 기자",
            "홍길동기자",
            "홍길동 기자 hong12@example.com",
            "[서울=홍길동 기자]",
            "By Jane Doe",
            "BY JANE DOE",
            "By Jane Doe, staff writer, edited by Tom Ray",
            "By Jane Doe and Tom O'Ray for The Daily Post",
            "Reporting by Max Lee in Dover; editing by Ann Poe.",
            "Editor: Ann Poe",
            "Author : Ann Poe, senior editor",
        ] {
            assert!(is_credit(line), "{line}");
        }
    }

    #[test]
    fn lines_that_say_more_are_none() {
        for line in [
            "",
            "编辑部的故事",
            "来源于黄河的水灌溉了三万亩良田",
            "作者：他在书中写道，这是一个新的时代。",
            "作者：",
            "作者： 编辑：赵六",
            "编辑",
            "转自：某某农业微信公众号",
            "来源：新华社",
            "编辑：调色、字幕、混音",
            "編集：動画、字幕",
            "By June 2025 rates rose",
            "By the end of the year, the dam was full",
            "By now Rome was lost",
            "By Claude Monet, Water Lilies",
            "Sources of the river",
            "Source: Farm Bureau",
            "the editor: a program for texts",
            "기자 회견이 오늘 오후에 열린다",
            "그는 기자가 되기로 결심했다고 말했다",
            "대기자",
            "시민기자",
            "전기자",
            "기자",
            // Content of shops, museums and interviews.
            "By Claude Monet, Water Lilies, oil on canvas, 1906",
            "By Edgar Degas, ballet rehearsal, pastel upon paper, 1874",
            "Written by Scott Joplin, arranged for clarinet quartet, grade five, four pages",
            "Written by Scott Joplin, arranged for clarinet",
            "Written by Johann Strauss, piano duet, beginner fingering, twelve sheets",
            "Written by Johann Strauss, piano duet",
            "Written by hand on birch bark, sealed with red wax",
            "Written by machine upon glossy vinyl, laminated twice",
            "By Appointment Only, viewing mornings, oak floors, two chimneys",
            "By Railway Station, cellar parking, concrete balcony, lift",
            "Author: Jane Austen Chawton Edition 2",
            "Source: mains 240 volts alternating current, bronze housing",
            "Source: four alkaline cells, plastic waterproof housing, clip",
            "Editor: graphical timeline with audio tracks, colour wheels",
            "Editor: plain syntax highlighting, regular expressions, macros",
            "作者：曹雪芹 清代小说家",
            "作者：罗贯中 元末戏曲家",
            "来源：云南高原散养土鸡，慢火炖煮四小时",
            "来源：舟山外海野生黄鱼，急冻空运当日达",
            "来源：长白山玄武岩深层，偏硅酸型，低钠",
            "来源：昆仑雪峰海拔六千米，富锶，弱碱性",
            "本报记者目睹大桥坍塌，三十人落水，消防队紧急救援",
            "本报记者走访乡村，小麦亩产创新高，农民喜笑颜开",
            "本报记者获悉大桥主缆断裂，渡轮停航，两岸居民绕行百里",
            "本报记者调查发现化肥掺假，农户减产，厂家拒绝赔偿",
            "编辑：支持视频剪辑、调色、字幕、多轨混音",
            "编辑：代码高亮、补全、正则替换、宏录制",
            "记者：请谈谈您童年养蜂酿蜜的经历",
            "记者：贵厂炼钢污染治理花费多少",
            "记者：童年养蜂酿蜜的经历对您写诗有何影响",
            "记者：炼钢污染治理花费多少，工人安置怎么办",
            "审核：渤海湾港口疏浚工程预算三亿元",
            "审核：秦岭隧道照明改造竣工验收合格",
            "出典：やぶきた一番茶を鹿児島で深蒸し仕上げ",
            "出典：べにふうき夏摘みを静岡で完全発酵",
            "전기자전거 알톤벤조, 접이식, 배터리 열네암페어, 주행거리 백킬로미터, 빨간색",
            "전기자전거 삼천리팬텀, 바구니형, 배터리 여덟암페어, 시속 이십오, 파란색",
            "전기자전거 알톤벤조-접이식-빨간색-이십인치-디스크브레이크",
            "전기자전거 삼천리팬텀-바구니형-파란색-이십육인치-림브레이크",
            "전기자동차 서울,강남,서초,송파,마포,용산,종로",
            "전기자동차 부산,해운대,동래,수영,사하,금정,영도",
            "기자회견 시장,예산,삭감,도서관,폐관,계획",
            "기자회견 의장,증세,도로,확장,반대,시위",
            "무기자차 징크옥사이드·민감성·백탁없음·오십밀리",
            "유기자차 아보벤존·지성피부·수분감·백밀리",
            "투기자본 론스타,외환은행,헐값매각,소송,배상",
            "투기자본 엘리엇,삼성물산,합병반대,중재,판정",
        ] {
            assert!(!is_credit(line), "{line}");
        }
        assert!(!is_credit(&format!("By Jane Doe{}", " and Tom Ray".repeat(9))));
    }

    #[test]
    fn only_the_first_and_the_last_lines_of_a_long_text_are_credits() {
        let credit = "By Jane Doe";
        let text = |words: usize| {
            let words = "a ".repeat(words);
            ["title", "", credit, &words, "b", credit, "c", credit, "", credit, ""].join("\n")
        };
        let count = |text: &str| lines_without(text).filter(|line| *line == credit).count();
        // The title, two lines of one word and the credit between them are six words.
        assert_eq!(count(&text(LONG_TEXT / WORD - 7)), 4);
        assert_eq!(count(&text(LONG_TEXT / WORD - 6)), 1);
        for (length, left) in [(LONG_TEXT - 1, 2), (LONG_TEXT, 1)] {
            let text = format!("{}\n作者：曹雪芹", "红".repeat(length));
            assert_eq!(lines_without(&text).count(), left, "{length}");
        }
        assert_eq!(lines_without("").count(), 0);
        assert_eq!(lines_without(credit).count(), 1);
    }
}
