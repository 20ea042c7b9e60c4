//! The names of months.
//!
//! In English, German, Dutch, Danish, Norwegian, Swedish, Icelandic, Finnish, Estonian, French, Spanish, Catalan, Portuguese, Italian, Romanian,
//! Polish, Czech, Slovak, Slovene, Croatian, Serbian, Russian, Ukrainian, Bulgarian, Greek, Hungarian, Latvian, Lithuanian, Turkish, Indonesian,
//! Arabic, Persian, Hebrew, Hindi, Thai and those of a second list, with the cases and the abbreviations that dates use.

use std::sync::LazyLock;

use crate::map::Map;

/// The names of the months of the Persian calendar, whose years tell it from others.
const PERSIAN: [&str; 12] = [
    "فروردین",
    "اردیبهشت",
    "خرداد",
    "تیر",
    "مرداد",
    "شهریور",
    "مهر",
    "آبان",
    "آذر",
    "دی",
    "بهمن",
    "اسفند",
];

/// The names of the months of the same calendar in Afghanistan.
#[rustfmt::skip]
const AFGHAN: [&str; 12] = [
    "حمل", "ثور", "جوزا", "سرطان", "اسد", "سنبله", "میزان", "عقرب", "قوس", "جدی", "دلو", "حوت",
];

/// The names of each month in lower case.
#[rustfmt::skip]
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "jän", "januari", "janúar", "tammikuu", "tammikuuta", "jaanuar", "janvier", "janv", "enero", "ene",
        "gener", "janeiro", "gennaio", "gen", "ianuarie", "ian", "stycznia", "styczeń", "sty", "ledna", "leden", "januára", "január", "januarja",
        "siječnja", "januara", "januára", "јануар", "января", "январь", "янв", "січня", "січень", "януари", "ιανουαρίου", "ιαν", "január", "jan",
        "janvāris", "janvārī", "sausio", "ocak", "oca", "يناير", "ژانویه", "ינואר", "בינואר", "जनवरी", "มกราคม", "ม.ค"],
    &["february", "feb", "febr", "februar", "februari", "febrúar", "helmikuu", "helmikuuta", "veebruar", "février", "fevrier", "févr", "fév",
        "febrero", "febrer", "fevereiro", "fev", "febbraio", "februarie", "lutego", "luty", "lut", "února", "únor", "februára", "február",
        "februarja", "veljače", "februara", "фебруар", "февраля", "февраль", "фев", "лютого", "лютий", "февруари", "φεβρουαρίου", "φεβ",
        "februāris", "februārī", "vasario", "şubat", "şub", "فبراير", "شباط", "فوریه", "פברואר", "בפברואר", "फरवरी", "กุมภาพันธ์", "ก.พ"],
    &["march", "mar", "märz", "maerz", "mär", "mrz", "maart", "mrt", "marts", "mars", "maaliskuu", "maaliskuuta", "märts", "marzo", "març",
        "março", "marco", "martie", "marca", "marzec", "března", "březen", "marec", "ožujka", "marta", "март", "марта", "мар", "березня", "березень",
        "μαρτίου", "μαρ", "március", "márc", "martā", "kovo", "mart", "maret", "مارس", "آذار", "מרץ", "במרץ", "मार्च", "มีนาคม", "มี.ค"],
    &["april", "apr", "apríl", "huhtikuu", "huhtikuuta", "aprill", "avril", "avr", "abril", "abr", "aprile", "aprilie", "kwietnia", "kwiecień", "kwi",
        "dubna", "duben", "apríla", "aprila", "travnja", "април", "апреля", "апрель", "апр", "квітня", "квітень", "απριλίου", "απρ", "április", "ápr",
        "aprīlis", "aprīlī", "balandžio", "nisan", "nis", "أبريل", "إبريل", "ابريل", "نيسان", "آوریل", "אפריל", "באפריל", "अप्रैल", "เมษายน", "เม.ย"],
    &["may", "mai", "mei", "maj", "maí", "toukokuu", "toukokuuta", "mayo", "maig", "maio", "maggio", "mag", "maja", "května", "květen", "mája",
        "máj", "svibnja", "мај", "мая", "май", "травня", "травень", "μαΐου", "μαίου", "μαϊ", "május", "máj", "maijs", "maijā", "gegužės", "mayıs",
        "مايو", "أيار", "مه", "מאי", "במאי", "मई", "พฤษภาคม", "พ.ค"],
    &["june", "jun", "juni", "júní", "kesäkuu", "kesäkuuta", "juuni", "juin", "junio", "juny", "junho", "giugno", "giu", "iunie", "iun", "czerwca",
        "czerwiec", "cze", "června", "červen", "júna", "jún", "junija", "lipnja", "juna", "јун", "июня", "июнь", "июн", "червня", "червень", "юни",
        "ιουνίου", "ιουν", "június", "jún", "jūnijs", "jūnijā", "birželio", "haziran", "haz", "يونيو", "حزيران", "ژوئن", "יוני", "ביוני", "जून",
        "มิถุนายน", "มิ.ย"],
    &["july", "jul", "juli", "júlí", "heinäkuu", "heinäkuuta", "juuli", "juillet", "juil", "julio", "juliol", "julho", "luglio", "lug", "iulie",
        "iul", "lipca", "lipiec", "lip", "července", "červenec", "júla", "júl", "julija", "srpnja", "jula", "јул", "июля", "июль", "июл", "липня",
        "липень", "юли", "ιουλίου", "ιουλ", "július", "júl", "jūlijs", "jūlijā", "liepos", "temmuz", "tem", "يوليو", "تموز", "ژوئیه", "יולי", "ביולי",
        "जुलाई", "กรกฎาคม", "ก.ค"],
    &["august", "aug", "augustus", "ágúst", "elokuu", "elokuuta", "août", "aout", "agosto", "ago", "agost", "ag", "sierpnia", "sierpień", "sie",
        "srpna", "srpen", "augusta", "avgusta", "avgust", "kolovoza", "август", "августа", "авг", "серпня", "серпень", "αυγούστου", "αυγ",
        "augusztus", "augusts", "augustā", "rugpjūčio", "ağustos", "ağu", "agustus", "agu", "أغسطس", "آب", "اوت", "אוגוסט", "באוגוסט", "अगस्त", "สิงหาคม",
        "ส.ค"],
    &["september", "sept", "sep", "syyskuu", "syyskuuta", "septembre", "septiembre", "setiembre", "setembre", "setembro", "set", "settembre", "sett",
        "septembrie", "września", "wrzesień", "wrz", "září", "septembra", "rujna", "септембар", "сентября", "сентябрь", "сен", "сент", "вересня",
        "вересень", "септември", "σεπτεμβρίου", "σεπ", "szeptember", "szept", "septembris", "septembrī", "rugsėjo", "eylül", "eyl", "سبتمبر", "أيلول",
        "سپتامبر", "ספטמבר", "בספטמבר", "सितंबर", "सितम्बर", "กันยายน", "ก.ย"],
    &["october", "oct", "oktober", "okt", "október", "lokakuu", "lokakuuta", "oktoober", "octobre", "octubre", "outubro", "out", "ottobre", "ott",
        "octombrie", "października", "październik", "paź", "října", "říjen", "októbra", "oktobra", "oktobar", "октобар", "октября", "октябрь", "окт",
        "жовтня", "жовтень", "октомври", "οκτωβρίου", "οκτ", "oktobris", "oktobrī", "spalio", "ekim", "eki", "أكتوبر", "اکتبر", "אוקטובר", "באוקטובר",
        "अक्टूबर", "अक्तूबर", "ตุลาคม", "ต.ค"],
    &["november", "nov", "nóvember", "marraskuu", "marraskuuta", "novembre", "noviembre", "novembro", "noiembrie", "noi", "listopada", "listopad",
        "lis", "listopadu", "novembra", "studenoga", "studenog", "novembar", "новембар", "ноября", "ноябрь", "ноя", "нояб", "листопада", "ноември",
        "νοεμβρίου", "νοε", "novembris", "novembrī", "lapkričio", "kasım", "kas", "نوفمبر", "نوامبر", "נובמבר", "בנובמבר", "नवंबर", "नवम्बर", "พฤศจิกายน",
        "พ.ย"],
    &["december", "dec", "dezember", "dez", "desember", "des", "joulukuu", "joulukuuta", "detsember", "décembre", "decembre", "déc", "diciembre",
        "dic", "desembre", "dezembro", "dicembre", "decembrie", "grudnia", "grudzień", "gru", "prosince", "prosinec", "decembra", "prosinca",
        "decembar", "децембар", "декабря", "декабрь", "дек", "грудня", "грудень", "декември", "δεκεμβρίου", "δεκ", "december", "decembris", "decembrī",
        "gruodžio", "aralık", "ara", "ديسمبر", "دسامبر", "דצמבר", "בדצמבר", "दिसंबर", "दिसम्बर", "ธันวาคม", "ธ.ค"],
];

/// Further names of each month: in Albanian, Armenian, Azerbaijani, Belarusian, Bengali, Galician, Georgian, Macedonian, Malay, Marathi, Swahili,
/// Tamil, Telugu and Urdu, and in the Arabic of the Levant and of the Maghreb.
#[rustfmt::skip]
const MORE_MONTHS: [&[&str]; 12] = [
    &["студзеня", "јануари", "janari", "yanvar", "იანვარი", "հունվարի", "հունվար", "جنوری", "জানুয়ারি", "জানুয়ারী", "ஜனவரி",
        "జనవరి", "जानेवारी", "كانون الثاني", "جانفي", "xaneiro"],
    &["лютага", "фебруари", "shkurt", "fevral", "თებერვალი", "փետրվարի", "փետրվար", "فروری", "ফেব্রুয়ারি", "ফেব্রুয়ারী",
        "பிப்ரவரி", "ఫిబ్రవరి", "फेब्रुवारी", "फ़रवरी", "فيفري", "فبرایر", "febreiro", "pebruari"],
    &["сакавіка", "მარტი", "մարտի", "մարտ", "مارچ", "মার্চ", "மார்ச்", "మార్చి", "mac", "machi"],
    &["красавіка", "prill", "აპრილი", "ապրիլի", "ապրիլ", "اپریل", "এপ্রিল", "ஏப்ரல்", "ఏప్రిల్", "एप्रिल", "أفريل", "aprili"],
    &["მაისი", "մայիսի", "մայիս", "مئی", "মে", "மே", "మే", "ماي", "أيّار"],
    &["чэрвеня", "јуни", "qershor", "iyun", "ივნისი", "հունիսի", "հունիս", "جون", "জুন", "ஜூன்", "జూన్", "جوان", "xuño"],
    &["ліпеня", "јули", "korrik", "iyul", "ივლისი", "հուլիսի", "հուլիս", "جولائی", "জুলাই", "ஜூலை", "జులై", "जुलै", "جويلية",
        "يوليوز", "julai", "xullo"],
    &["жніўня", "gusht", "avqust", "აგვისტო", "օգոստոսի", "օգոստոս", "اگست", "আগস্ট", "ஆகஸ்ட்", "ఆగస్టు", "ऑगस्ट", "أوت", "غشت",
        "ogos", "agosti", "agt"],
    &["верасня", "shtator", "sentyabr", "სექტემბერი", "սեպտեմբերի", "սեպտեմբեր", "ستمبر", "সেপ্টেম্বর", "செப்டம்பர்",
        "సెప్టెంబర్", "सप्टेंबर", "شتنبر", "septemba"],
    &["кастрычніка", "tetor", "oktyabr", "ოქტომბერი", "հոկտեմբերի", "հոկտեմբեր", "اکتوبر", "অক্টোবর", "அக்டோபர்", "అక్టోబర్",
        "ऑक्टोबर", "تشرين الأول", "oktoba"],
    &["лістапада", "nëntor", "noyabr", "ნოემბერი", "նոյեմբերի", "նոյեմբեր", "نومبر", "নভেম্বর", "நவம்பர்", "నవంబర్", "नोव्हेंबर",
        "تشرين الثاني", "نونبر", "novemba", "nopember"],
    &["снежня", "dhjetor", "dekabr", "დეკემბერი", "դեկտեմբերի", "դեկտեմբեր", "دسمبر", "ডিসেম্বর", "டிசம்பர்", "డిసెంబర్",
        "डिसेंबर", "كانون الأول", "دجنبر", "disember", "desemba", "decembro"],
];

/// The number of each month by its names. A name of two months is that of the first.
static NUMBERS: LazyLock<Map<&str, i8>> = LazyLock::new(|| {
    let mut numbers = Map::default();
    let of_calendar = |names: &'static [&'static str; 12]| (1..).zip(names.iter().map(std::slice::from_ref));
    let gregorian = (1..).zip(MONTHS).chain((1..).zip(MORE_MONTHS));
    for (number, names) in gregorian.chain(of_calendar(&PERSIAN)).chain(of_calendar(&AFGHAN)) {
        for name in names {
            numbers.entry(*name).or_insert(number);
        }
    }
    numbers
});

/// The number of a month by its name in lower case, within its own calendar.
pub(super) fn month(word: &str) -> Option<i8> {
    NUMBERS.get(word).copied()
}

/// All names with their numbers.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (&'static str, i8)> {
    NUMBERS.iter().map(|(name, number)| (*name, *number))
}
