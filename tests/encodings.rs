//! The same page in every encoding of the web, declared in every way: the same text, so that all but one are exact duplicates.

use std::collections::HashMap;
use std::fs;

use encoding_rs::Encoding;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::home;
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// (language, a text in it, encodings that can hold it)
const TEXTS: &[(&str, &str, &[&str])] = &[
    (
        "Chinese",
        "网络爬虫礼貌地抓取网页，只保留那些说出新内容的页面。每一个被丢弃的页面都可以得到解释：它重复了哪一个页面，两者相差多少。服务器从不会被过快地访问，站点的规则始终受到尊重。重复的网页会浪费存储和计算资源，因此去重是搜索引擎最重要的步骤之一。",
        &["UTF-8", "UTF-16LE", "UTF-16BE", "GBK", "gb18030"],
    ),
    (
        "Chinese, traditional",
        "網路爬蟲禮貌地擷取網頁，只保留那些說出新內容的頁面。每一個被丟棄的頁面都可以得到解釋：它重複了哪一個頁面，兩者相差多少。伺服器從不會被過快地存取，網站的規則始終受到尊重。重複的網頁會浪費儲存和計算資源，因此去除重複是搜尋引擎最重要的步驟之一。",
        &["UTF-8", "Big5", "gb18030", "UTF-16LE"],
    ),
    (
        "Japanese",
        "クローラーは礼儀正しくウェブページを取得し、新しいことを述べているページだけを保存します。捨てられたページについては、どのページと重複していたのか、どれだけ違っていたのかをいつでも説明できます。サーバーに急いで問い合わせることはなく、サイトの規則は必ず守られます。",
        &["UTF-8", "Shift_JIS", "EUC-JP", "ISO-2022-JP", "UTF-16BE"],
    ),
    (
        "Korean",
        "크롤러는 예의 바르게 웹 페이지를 가져오고 새로운 것을 말하는 페이지만 보관합니다. 버려진 모든 페이지는 어느 페이지와 중복되었고 얼마나 다른지 설명할 수 있습니다. 서버에 너무 빨리 요청하지 않으며 사이트의 규칙은 언제나 지켜집니다.",
        &["UTF-8", "EUC-KR", "UTF-16LE"],
    ),
    (
        "Russian",
        "Робот вежливо загружает страницы и хранит только те, которые сообщают что-то новое. Для каждой отброшенной страницы можно объяснить, какую страницу она повторяет и насколько они различаются. Сервер никогда не опрашивается слишком часто, а правила сайта всегда соблюдаются.",
        &["UTF-8", "windows-1251", "KOI8-R", "ISO-8859-5", "IBM866", "UTF-16BE"],
    ),
    (
        "Ukrainian",
        "Робот ввічливо завантажує сторінки і зберігає лише ті, що повідомляють щось нове. Для кожної відкинутої сторінки можна пояснити, яку саме сторінку вона повторює і наскільки вони відрізняються. Її правила завжди поважають, а сервер ніколи не опитують надто часто.",
        &["UTF-8", "windows-1251", "KOI8-U"],
    ),
    (
        "Greek",
        "Ο ανιχνευτής κατεβάζει ευγενικά τις σελίδες και κρατά μόνο όσες λένε κάτι καινούργιο. Για κάθε σελίδα που απορρίφθηκε μπορεί να εξηγηθεί ποια σελίδα επαναλαμβάνει και πόσο διαφέρουν. Ο διακομιστής δεν ερωτάται ποτέ πολύ γρήγορα και οι κανόνες του ιστότοπου τηρούνται πάντα.",
        &["UTF-8", "windows-1253", "ISO-8859-7"],
    ),
    (
        "French",
        "Le robot télécharge poliment les pages et ne garde que celles qui disent quelque chose de nouveau. Pour chaque page écartée, on peut expliquer laquelle elle répète et à quel point elles diffèrent : « c’est déjà dit ». Le serveur n’est jamais interrogé trop vite, et les règles du site sont toujours respectées, même à l’été.",
        &["UTF-8", "windows-1252", "UTF-16LE"],
    ),
    (
        "Polish",
        "Robot uprzejmie pobiera strony i zachowuje tylko te, które mówią coś nowego. Dla każdej odrzuconej strony można wyjaśnić, którą stronę powtarza i jak bardzo się różnią. Serwer nigdy nie jest pytany zbyt szybko, a zasady witryny są zawsze przestrzegane, także gdy gęśl jaźń żółwia.",
        &["UTF-8", "windows-1250", "ISO-8859-2"],
    ),
    (
        "Turkish",
        "Tarayıcı sayfaları nazikçe indirir ve yalnızca yeni bir şey söyleyenleri saklar. Atılan her sayfanın hangi sayfayı tekrarladığı ve ne kadar farklı olduğu açıklanabilir. Sunucuya hiçbir zaman çok hızlı istek gönderilmez, sitenin kurallarına her zaman uyulur ve değişiklikler gözden geçirilir.",
        &["UTF-8", "windows-1254"],
    ),
    (
        "Hebrew",
        "הזחלן מוריד דפים בנימוס ושומר רק את אלה שאומרים משהו חדש. על כל דף שנזרק אפשר להסביר על איזה דף הוא חוזר ועד כמה הם שונים. השרת לעולם אינו נשאל מהר מדי, וכללי האתר תמיד נשמרים.",
        &["UTF-8", "windows-1255"],
    ),
    (
        "Arabic",
        "يقوم الزاحف بتنزيل الصفحات بأدب ولا يحتفظ إلا بما يقول شيئا جديدا. ويمكن تفسير كل صفحة تم تجاهلها: أي صفحة تكرر وما مدى الاختلاف بينهما. ولا يسأل الخادم بسرعة كبيرة أبدا، وتحترم قواعد الموقع دائما.",
        &["UTF-8", "windows-1256"],
    ),
    (
        "Lithuanian",
        "Robotas mandagiai atsisiunčia puslapius ir saugo tik tuos, kurie pasako ką nors naujo. Kiekvieną atmestą puslapį galima paaiškinti: kurį puslapį jis kartoja ir kiek jie skiriasi. Serveris niekada neklausinėjamas per greitai, o svetainės taisyklių visada laikomasi, nes šis ryšys yra svarbus žmonėms.",
        &["UTF-8", "windows-1257"],
    ),
    (
        "Vietnamese",
        "Tri\u{300}nh thu thâ\u{323}p dư\u{303} liê\u{323}u ta\u{309}i các trang web mô\u{323}t cách li\u{323}ch sư\u{323} và chi\u{309} giư\u{303} la\u{323}i như\u{303}ng trang nói điê\u{300}u gi\u{300} mơ\u{301}i. Mô\u{303}i trang bi\u{323} bo\u{309} qua đê\u{300}u có thê\u{309} đươ\u{323}c gia\u{309}i thích: nó lă\u{323}p la\u{323}i trang nào và khác nhau bao nhiêu. Máy chu\u{309} không bao giơ\u{300} bi\u{323} ho\u{309}i quá nhanh, và tê\u{323}p robots luôn đươ\u{323}c tôn tro\u{323}ng.",
        &["UTF-8", "windows-1258"],
    ),
    (
        "Thai",
        "โปรแกรมรวบรวมข้อมูลดาวน์โหลดหน้าเว็บอย่างสุภาพและเก็บเฉพาะหน้าที่บอกสิ่งใหม่ ทุกหน้าที่ถูกทิ้งสามารถอธิบายได้ว่าซ้ำกับหน้าใดและแตกต่างกันเพียงใด เซิร์ฟเวอร์ไม่เคยถูกถามเร็วเกินไป และกฎของเว็บไซต์ได้รับการเคารพเสมอ",
        &["UTF-8", "windows-874"],
    ),
];

/// How an encoding is told, in the order of strength.
const WAYS: [(&str, &str); 4] = [
    ("BOM", "bom"),
    ("header", "header"),
    ("meta", "meta"),
    ("nothing", "detected"),
];

/// A page in one encoding that is told in one way.
struct Page {
    text: usize,
    encoding: &'static str,
    way: usize,
    bytes: Vec<u8>,
}

impl Page {
    fn path(&self) -> String {
        let Self {
            text, encoding, way, ..
        } = self;
        format!("/{text}-{encoding}-{}.html", WAYS[*way].0)
    }

    fn answer(&self) -> Answer {
        match WAYS[self.way].0 {
            "header" => Answer::of_type(&format!("text/html; charset={}", self.encoding), self.bytes.clone()),
            _ => Answer::of_type("text/html", self.bytes.clone()),
        }
    }
}

/// Every text in every encoding, told in every way that there is for it.
fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    for (text, (_, _, encodings)) in TEXTS.iter().enumerate() {
        for &encoding in *encodings {
            for (way, (name, _)) in WAYS.iter().enumerate() {
                pages.extend(bytes(text, encoding, name).map(|bytes| Page {
                    text,
                    encoding,
                    way,
                    bytes,
                }));
            }
        }
    }
    pages
}

/// `None` where an encoding cannot be told in that way.
fn bytes(text: usize, encoding: &str, way: &str) -> Option<Vec<u8>> {
    let is_unicode = encoding.starts_with("UTF-");
    let (mark, head) = match way {
        "BOM" if is_unicode => ("\u{feff}", String::new()),
        "BOM" => return None,
        // A page in UTF-16 whose declaration can be read as ASCII would be none.
        "meta" if encoding.starts_with("UTF-16") => return None,
        "meta" => ("", format!("<meta charset=\"{encoding}\">")),
        _ => ("", String::new()),
    };
    let text = TEXTS[text].1;
    let html = format!(
        "{mark}<!doctype html><html><head>{head}<title>{encoding}</title></head>\n<body><article><p>{text}</p></article></body></html>"
    );
    if encoding.starts_with("UTF-16") {
        let little = encoding == "UTF-16LE";
        let units = html.encode_utf16();
        return Some(
            units
                .flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
                .collect(),
        );
    }
    let (bytes, used, has_unmappable) = Encoding::for_label(encoding.as_bytes()).unwrap().encode(&html);
    assert!(
        !has_unmappable && used.name() == encoding,
        "{encoding} cannot hold text {text}"
    );
    Some(bytes.into_owned())
}

fn site(pages: &[Page]) -> Site {
    let mut answers: HashMap<String, Answer> = pages.iter().map(|page| (page.path(), page.answer())).collect();
    let links: Vec<String> = pages.iter().map(Page::path).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    answers.insert("/".into(), home(&links));
    Site::of(answers)
}

/// What `crawler inspect page` says of these pages over HTTP.
fn inspected(site: &Site, pages: &[Page]) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let config = "politeness.delay_ms = 0\nfetch.allow_private_addresses = true\n";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let urls = pages.iter().map(|page| site.url(&page.path()));
    let arguments = ["inspect", "page", "--format", "jsonl"].map(String::from).into_iter();
    let ended = run(crawler(arguments.chain(urls)).current_dir(folder.path())).succeeded();
    ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_page_says_the_same_in_every_encoding_however_it_is_told() {
    let pages = pages();
    let site = site(&pages);
    let answers = inspected(&site, &pages);
    assert_eq!(answers.len(), pages.len());
    let mut digests = HashMap::new();
    // Of each text and encoding, what came of each way.
    let mut rows: Vec<(usize, &str, [&str; 4])> = Vec::new();
    for (page, answer) in pages.iter().zip(&answers) {
        let name = page.path();
        assert_eq!(answer["text"], TEXTS[page.text].1, "{name}: {}", answer["charset"]);
        let digest = digests.entry(page.text).or_insert(answer["digest"].clone());
        assert_eq!(answer["digest"], *digest, "{name}: not an exact duplicate");
        assert_eq!(answer["charset_errors"], false, "{name}");
        let by = match (WAYS[page.way].1, page.encoding) {
            ("detected", "UTF-8") => "utf8",
            (way, _) => way,
        };
        assert_eq!(answer["charset_source"], by, "{name}");
        match rows.last_mut() {
            Some((text, encoding, ways)) if (*text, *encoding) == (page.text, page.encoding) => ways[page.way] = "same",
            _ => {
                rows.push((page.text, page.encoding, ["–"; 4]));
                rows.last_mut().unwrap().2[page.way] = "same";
            }
        }
    }
    assert_documented(&rows);
}

/// The table in the documentation is what was found.
fn assert_documented(rows: &[(usize, &str, [&str; 4])]) {
    let row = |(text, encoding, ways): &(usize, &str, [&str; 4])| {
        format!("| {} | {encoding} | {} |", TEXTS[*text].0, ways.join(" | "))
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    let head = "| text | encoding | BOM | header | meta | nothing declared |\n|---|---|---|---|---|---|";
    let table = format!("{head}\n{}\n\n", rows.join("\n"));
    let documented = include_str!("../docs/src/standards.md");
    assert!(
        documented.contains(&table),
        "docs/src/standards.md should have\n{table}"
    );
}

#[test]
fn a_crawl_keeps_each_text_once_and_finds_it_again_in_every_other_encoding() {
    let pages = pages();
    let site = site(&pages);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let report = crawl.report();
    // The home page is kept too.
    assert_eq!(count(&report, "kept"), TEXTS.len() as u64 + 1, "{report}");
    assert_eq!(count(&report, "exact"), (pages.len() - TEXTS.len()) as u64, "{report}");
}

#[test]
fn the_domain_of_a_page_decides_its_encoding_if_nothing_else_does() {
    let folder = TempDir::new().unwrap();
    let (bytes, ..) = encoding_rs::GBK.encode("<title>我们</title><p>我们的");
    fs::write(folder.path().join("page.html"), bytes).unwrap();
    for (url, title) in [
        ("http://www.example.cn/page", "我们"),
        ("http://example.com.cn./", "我们"),
        ("http://127.0.0.1/", "ฮารว"),
    ] {
        let arguments = ["inspect", "page", "page.html", "--format", "json", "--url", url];
        let ended = run(crawler(arguments).current_dir(folder.path())).succeeded();
        let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(
            (&answer["title"], &answer["charset_source"]),
            (&title.into(), &"detected".into()),
            "{url}"
        );
    }
}
