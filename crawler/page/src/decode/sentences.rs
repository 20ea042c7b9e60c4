//! Sentences for the tests of encodings: news, forum posts and lists of goods.

/// Texts of one language, and the encodings that pages in it have.
pub(super) struct Language {
    pub encodings: &'static [&'static str],
    /// A piece of news, a post of a forum, a list of goods.
    pub texts: [&'static str; 3],
}

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        encodings: &["gbk"],
        texts: [
            "新华社北京三月五日电 国务院总理在会议上表示，今年经济增长的目标是百分之五左右，政府将继续扩大内需，支持民营企业的发展。",
            "楼主你好，我也遇到过这个问题，后来把驱动重新装了一遍就好了。你先看看是不是电源没有插好，不行的话再发帖问问大家。",
            "苹果 iPhone 15 手机壳 黑色 ￥39.00 立即购买；小米 65W 充电器 套装 ￥99.00 已售完；华为 MateBook 笔记本电脑 16GB 内存 免运费 七天退货",
        ],
    },
    Language {
        encodings: &["big5"],
        texts: [
            "中央社台北三月五日電 行政院長在會議上表示，今年經濟成長的目標是百分之三左右，政府將繼續擴大內需，支持中小企業的發展。",
            "樓主你好，我也遇過這個問題，後來把驅動程式重新安裝一次就好了。你先看看是不是電源沒有插好，不行的話再來問問大家。",
            "蘋果 iPhone 15 手機殼 黑色 NT$390 立即購買；小米 65W 充電器 組合 NT$990 已售完；華碩 ZenBook 筆記型電腦 16GB 記憶體 免運費 七天鑑賞期",
        ],
    },
    Language {
        encodings: &["shift_jis", "euc-jp"],
        texts: [
            "政府は五日、今年の経済成長率の見通しを発表した。首相は記者会見で「国民の生活を守るために全力を尽くす」と述べた。",
            "はじめまして。私も同じ問題で困っていましたが、ドライバを入れ直したら直りました。まずは電源を確認してみてください。",
            "手帳型スマホケース 黒 1,980円（税込） カートに入れる；急速充電器 65W 在庫切れ；ノートパソコン 16GB メモリ 送料無料 中古",
        ],
    },
    Language {
        encodings: &["euc-kr"],
        texts: [
            "정부는 오일 올해 경제 성장률 전망을 발표했다. 대통령은 기자회견에서 국민의 생활을 지키기 위해 최선을 다하겠다고 말했다.",
            "안녕하세요. 저도 같은 문제가 있었는데 드라이버를 다시 설치하니까 해결됐어요. 먼저 전원이 제대로 꽂혀 있는지 확인해 보세요.",
            "아이폰 15 케이스 검정 19,800원 장바구니에 담기; 고속 충전기 65W 품절; 노트북 16GB 메모리 무료 배송 오늘 출발 상품",
        ],
    },
    Language {
        encodings: &["windows-1251", "koi8-r", "iso-8859-5", "ibm866"],
        texts: [
            "Правительство в пятницу представило прогноз экономического роста на этот год. Премьер-министр заявил, что будет поддерживать малый бизнес.",
            "Всем привет! У меня была такая же проблема, помогла переустановка драйвера. Сначала проверьте, включен ли блок питания, потом пишите сюда.",
            "Чехол для телефона iPhone 15, черный, 390 руб., в корзину; Зарядное устройство 65W, нет в наличии; Ноутбук 16GB, доставка бесплатно",
        ],
    },
    Language {
        encodings: &["windows-1251", "koi8-u"],
        texts: [
            "Уряд у п'ятницю оприлюднив прогноз зростання економіки на цей рік. Прем'єр-міністр заявив, що буде підтримувати малий бізнес.",
            "Усім привіт! У мене була така сама проблема, допомогло перевстановлення драйвера. Спочатку перевірте, чи увімкнено блок живлення.",
            "Чохол для телефону iPhone 15, чорний, 390 грн, до кошика; Зарядний пристрій 65W, немає в наявності; Ноутбук 16GB, доставка безкоштовна",
        ],
    },
    Language {
        encodings: &["windows-1256", "iso-8859-6"],
        texts: [
            "أعلنت الحكومة يوم الجمعة توقعاتها للنمو الاقتصادي هذا العام وقال رئيس الوزراء إن الدولة ستواصل دعم الشركات الصغيرة",
            "السلام عليكم ورحمة الله وبركاته كانت عندي نفس المشكلة وبعد إعادة تثبيت البرنامج تم حلها تأكد أولا من توصيل الكهرباء",
            "غطاء هاتف iPhone 15 أسود 39 ريال أضف إلى السلة - شاحن سريع 65W غير متوفر - حاسوب محمول 16GB ذاكرة والتوصيل مجانا",
        ],
    },
    Language {
        encodings: &["windows-1253", "iso-8859-7"],
        texts: [
            "Η κυβέρνηση παρουσίασε την Παρασκευή τις προβλέψεις για την ανάπτυξη της οικονομίας. Ο πρωθυπουργός δήλωσε ότι θα στηρίξει τις μικρές επιχειρήσεις.",
            "Γεια σας! Είχα το ίδιο πρόβλημα και λύθηκε όταν έβαλα ξανά τον οδηγό. Πρώτα δείτε αν είναι στην πρίζα και μετά γράψτε εδώ.",
            "Θήκη για κινητό iPhone 15, μαύρη, 39 ευρώ, στο καλάθι; Φορτιστής 65W, εξαντλήθηκε; Φορητός υπολογιστής 16GB, δωρεάν μεταφορικά",
        ],
    },
    Language {
        encodings: &["windows-1255"],
        texts: [
            "הממשלה הציגה ביום שישי את התחזית לצמיחת המשק השנה. ראש הממשלה אמר כי המדינה תמשיך לתמוך בעסקים הקטנים.",
            "שלום לכולם, גם לי היתה אותה בעיה והיא נפתרה אחרי התקנה מחדש של התוכנה. קודם תבדקו שהמכשיר מחובר לחשמל.",
            "כיסוי לטלפון iPhone 15 שחור 39 שקל הוספה לסל; מטען מהיר 65W אזל מהמלאי; מחשב נייד 16GB זיכרון משלוח חינם",
        ],
    },
    Language {
        encodings: &["windows-1252"],
        texts: [
            "Le gouvernement a présenté vendredi ses prévisions de croissance. Le président a déclaré que l’État continuera d’aider les entreprises menacées par la hausse des coûts énergétiques.",
            "Hallo zusammen, ich hatte das gleiche Problem, nach der Neuinstallation läuft es wieder. Prüft zuerst, ob das Gerät überhaupt Strom hat, und schreibt dann, was für ein Fehler übrig bleibt. Schöne Grüße",
            "Funda para teléfono móvil, 39 €, añadir al carrito; Cargador rápido de 65 W, sin existencias; Ordenador portátil, envío rápido, devolución en 14 días, garantía de dos años",
        ],
    },
    Language {
        encodings: &["windows-1250", "iso-8859-2"],
        texts: [
            "Rząd przedstawił w piątek prognozę wzrostu gospodarczego. Premier powiedział, że państwo będzie nadal wspierać średnie i małe firmy, które są zagrożone wciąż rosnącymi cenami energii.",
            "Cześć, miałem ten sam problem, po ponownej instalacji działa. Najpierw sprawdźcie, czy urządzenie jest włączone, a potem napiszcie, jaki błąd się pojawia. Dzięki z góry!",
            "Etui na telefon, 39 zł, dodaj do koszyka; Szybka ładowarka 65 W, brak w magazynie; Głośnik przenośny, wysyłka w ciągu 24 godzin, zwrot do 14 dni, gwarancja dwuletnia, płatność kartą",
        ],
    },
    Language {
        encodings: &["windows-1254"],
        texts: [
            "Hükümet cuma günü bu yılın büyüme tahminini açıkladı. Başbakan, küçük işletmeleri desteklemeye devam edeceklerini söyledi.",
            "Arkadaşlar merhaba, aynı sorun bende de vardı, sürücüyü yeniden yükleyince düzeldi. Önce fişin takılı olduğuna bakın, sonra buraya yazın.",
            "Telefon kılıfı, siyah, 39 TL, sepete ekle; Hızlı şarj aleti 65 W, stokta yok; Dizüstü bilgisayar, ücretsiz kargo, iade süresi 14 gün, iki yıl garanti",
        ],
    },
    Language {
        encodings: &["windows-874"],
        texts: [
            "รัฐบาลแถลงเมื่อวันศุกร์ว่าเศรษฐกิจปีนี้จะขยายตัวตามเป้าหมาย นายกรัฐมนตรีกล่าวว่าจะสนับสนุนธุรกิจขนาดเล็กต่อไป",
            "สวัสดีครับ ผมก็เคยเจอปัญหาเดียวกัน ลงโปรแกรมใหม่แล้วก็หาย ลองดูก่อนว่าเสียบปลั๊กหรือยัง แล้วค่อยมาถามกันใหม่",
            "เคสโทรศัพท์ iPhone 15 สีดำ 390 บาท หยิบใส่ตะกร้า; ที่ชาร์จเร็ว 65W สินค้าหมด; โน้ตบุ๊ก 16GB ส่งฟรี รับประกันสองปี",
        ],
    },
];
