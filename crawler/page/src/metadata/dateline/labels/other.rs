//! Words for days that are not those of the page: of events, offers, products, people, and the day of the reader.

/// In lower case, one language after the other. Those with a colon are too common without one. "Start date" is not among them: programs for
/// forums write it before the day of the first message.
#[rustfmt::skip]
pub(super) const OTHER: &[&str] = &[
    // English
    "deadline", "apply by", "apply before", "apply until", "applications close", "applications open", "register by", "rsvp by", "closing date", "closes",
    "starts", "begins", "ends", "end date", "next meeting", "next event", "next date", "when:", "date and time", "date of event", "event date",
    "takes place", "held on", "hearing date", "due by", "due date", "due on", "valid until", "valid from", "expires", "expiry", "expiration", "best before",
    "effective", "until", "opens", "doors open", "in cinemas", "in theaters", "in theatres", "air date", "first aired", "original air", "copyright", "founded",
    "established on", "born", "date of birth", "birthday", "died", "date of death", "joined", "member since", "departure", "arrival", "exam date",
    "on sale", "save the date", "kick-off", "kickoff", "today is", "today:", "today's date", "current date",
    // German
    "erscheinungstermin", "geboren", "geburtstag", "geburtsdatum", "gestorben", "gültig", "ablaufdatum", "anmeldeschluss", "einsendeschluss",
    "bewerbungsschluss", "bewerbungsfrist", "bewerben bis", "frist", "beginn:", "ende:", "startet am", "beginnt am", "endet am", "findet am", "wann:", "termin",
    "datum und uhrzeit", "veranstaltungsdatum", "kinostart", "verkaufsstart", "nächstes treffen", "nächste sitzung", "einlass", "anpfiff", "gegründet",
    "mitglied seit", "bis zum", "heute ist", "heute:",
    // French
    "date limite", "date de naissance", "date de sortie", "valable", "né le", "née le", "décédé", "quand :", "quand:", "date de fin",
    "commence le", "débute le", "se termine", "aura lieu", "prochaine réunion", "date de l'événement", "à postuler avant", "postulez avant", "jusqu'au",
    "avant le", "en salles", "membre depuis", "nous sommes le", "aujourd'hui :",
    // Spanish, Catalan
    "fecha límite", "fecha de nacimiento", "fecha de lanzamiento", "válido", "válida", "cuándo:", "fecha de fin", "empieza el", "comienza el",
    "termina el", "finaliza el", "próxima reunión", "fecha del evento", "vence", "hasta el", "estreno", "nacido", "nacida", "fallecido", "miembro desde",
    "plazo", "se celebrará", "hoy es", "data límit", "fins al", "avui és",
    // Portuguese
    "data de nascimento", "prazo", "quando:", "data de término", "data do evento", "começa em", "começa a", "termina em", "próxima reunião",
    "inscrições até", "até o dia", "estreia", "nascido", "nascida", "falecido", "vencimento", "hoje é",
    // Italian
    "data di nascita", "scadenza", "valido", "valida", "data di fine", "data evento", "inizia il", "termina il", "prossima riunione",
    "entro il", "fino al", "uscita al cinema", "nato il", "nata il", "oggi è",
    // Dutch
    "geboortedatum", "verschijningsdatum", "wanneer:", "einddatum", "begint op", "eindigt op", "sluitingsdatum", "solliciteer voor", "reageer voor",
    "geldig", "tot en met", "volgende vergadering", "vandaag is",
    // Swedish, Norwegian, Danish, Finnish
    "när:", "slutdatum", "sista ansökningsdag", "ansök senast", "sista dag", "giltig", "född", "nästa möte", "börjar", "premiär", "idag är",
    "når:", "søknadsfrist", "sluttdato", "gyldig", "født", "neste møte", "starter", "begynner", "i dag er", "hvornår:", "ansøgningsfrist",
    "slutdato", "næste møde", "begynder", "milloin:", "alkaa", "päättyy", "hakuaika", "hakuaika päättyy", "voimassa", "syntynyt", "seuraava kokous",
    "ensi-ilta", "tänään on",
    // Polish, Czech, Slovak
    "premiera", "data urodzenia", "termin", "kiedy:", "data zakończenia", "data wydarzenia", "aplikuj do", "ważne do", "ważny do",
    "rozpoczęcie", "zakończenie", "następne spotkanie", "urodzony", "urodzona", "dzisiaj jest", "dziś jest", "kdy:", "začátek", "konec:", "termín", "uzávěrka",
    "platí do", "platnost do", "narozen", "premiéra", "datum konání", "koná se", "příští schůze", "dnes je", "kedy:", "začiatok", "koniec:", "uzávierka",
    "platné do", "narodený", "dátum konania", "koná sa",
    // Hungarian, Romanian, Slovene, Croatian, Serbian
    "mikor:", "határidő", "jelentkezési", "kezdete", "vége:", "érvényes", "született", "következő ülés", "időpont", "ma van", "când:", "termen limită",
    "data limită", "începe", "se încheie", "valabil", "născut", "următoarea", "astăzi este", "kdaj:", "rok prijave", "začetek", "velja do", "rojen",
    "kada:", "početak", "rok za", "vrijedi do", "važi do", "rođen", "када:", "почетак", "рок за", "важи до", "рођен",
    // Russian, Ukrainian, Bulgarian
    "дата рождения", "дата выхода", "дата проведения", "дата окончания", "дата мероприятия", "срок", "когда:", "начало", "окончание", "состоится",
    "премьера", "заявки до", "действует до", "действителен", "родился", "родилась", "умер", "следующее заседание", "на сайте с", "сегодня:", "дата народження",
    "дата закінчення", "дата проведення", "термін", "коли:", "початок", "закінчення", "відбудеться", "прем'єра", "дійсний до", "народився",
    "народилася", "сьогодні:", "дата на раждане", "краен срок", "кога:", "валидно до", "роден", "днес е",
    // Greek, Turkish
    "πότε:", "έναρξη", "λήξη", "προθεσμία", "ισχύει έως", "γεννήθηκε", "ημερομηνία γέννησης", "σήμερα:", "doğum tarihi", "son başvuru", "ne zaman:", "başlangıç",
    "bitiş", "etkinlik tarihi", "geçerlilik", "vizyon tarihi", "son gün", "bugün:",
    // Indonesian, Vietnamese
    "kapan:", "batas waktu", "batas akhir", "tanggal acara", "berlaku sampai", "berlaku hingga", "tanggal lahir", "dimulai", "berakhir",
    "hari ini:", "hạn chót", "hạn nộp", "khi nào:", "ngày kết thúc", "ngày sinh", "khởi chiếu", "diễn ra", "hết hạn", "hôm nay:",
    // Chinese
    "出生", "生日", "截止", "截至", "生产日期", "生產日期", "活动时间", "活動時間", "活动日期", "活動日期", "会议时间", "會議時間", "举办时间", "举行时间", 
    "結束時間", "结束时间", "结束日期", "报名时间", "報名時間", "考试时间", "比赛时间", "演出时间", "展览时间", "展出时间", "开庭时间", "开庭日期",
    "宣判日期", "判决日期", "开标时间", "上映", "首映", "上市时间", "上市日期", "出版日期", "出版时间", "成立日期", "成立时间", "有效期", "到期", "开售", "开播", "首播",
    "入职时间", "注册时间", "注册日期", "今天是", "今日是", "现在是", "當前時間", "当前时间",
    // Japanese
    "生年月日", "発売", "開催日", "開催日時", "締切", "締め切り", "終了日", "募集期間", "応募期間", "申込期限", "期限", "公演日", "上演", "上映", "試験日", "開演",
    "開場", "会期", "放送日", "封切", "本日は", "今日は：",
    // Korean
    "생년월일", "출시일", "마감", "행사일", "행사 일시", "행사일시", "개최일", "접수기간", "접수 기간", "모집기간", "모집 기간", "개봉", "공연일", "시험일", "유효기간", "종료일",
    "기한", "방영일", "오늘은",
    // Arabic, Persian, Hebrew, Hindi, Thai
    "تاريخ الميلاد", "الموعد النهائي", "آخر موعد", "يبدأ", "ينتهي", "تاريخ الانتهاء", "صالح حتى", "متى:", "اليوم هو", "تاریخ تولد", "مهلت",
    "آخرین مهلت", "زمان برگزاری", "تاریخ برگزاری", "شروع:", "پایان:", "امروز:", "תאריך לידה", "מועד אחרון", "מתי:", "תאריך האירוע", "בתוקף עד", "היום:",
    "जन्म तिथि", "जन्मतिथि", "अंतिम तिथि", "अंतिम तारीख", "आज:", "วันเกิด", "หมดเขต", "วันที่จัดงาน", "เริ่มวันที่", "สิ้นสุด", "วันนี้:",
];
