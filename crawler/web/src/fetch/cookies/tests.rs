use super::*;
use crate::fetch::route::tests::settings;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn set(cookies: &Cookies, from: &str, fields: &[&str]) -> HeaderMap {
    let fields = fields
        .iter()
        .map(|field| (SET_COOKIE, HeaderValue::from_str(field).unwrap()));
    let mut headers: HeaderMap = fields.collect();
    headers.insert("x-session", HeaderValue::from_static("id s3cret-session"));
    headers.insert("x-page", HeaderValue::from_static("1"));
    cookies.take(&url(from), &mut headers);
    headers
}

fn sent(cookies: &Cookies, to: &str) -> String {
    let header = cookies.header(&url(to));
    header.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
}

fn with_login(takes_all: bool, file: &str) -> Cookies {
    let field = ("user".to_owned(), "me".to_owned());
    let login = Login::new("https://example.org/login", &[], [(&field.0, &field.1)]).unwrap();
    Cookies::new(&FetchSettings {
        cookies: takes_all,
        cookies_file: CookiesFile::parse(file).unwrap(),
        logins: [Arc::new(login)].into(),
        ..settings(false)
    })
}

#[test]
fn a_session_goes_to_the_origin_of_its_login_alone() {
    let cookies = with_login(true, "");
    let headers = set(
        &cookies,
        "https://example.org/login",
        &["id=s3cret-session; Domain=example.org; Path=/"],
    );
    assert_eq!(sent(&cookies, "https://example.org/a"), "id=s3cret-session");
    for other in [
        "https://www.example.org/",
        "https://example.org:8443/",
        "http://example.org/",
    ] {
        assert_eq!(sent(&cookies, other), "", "{other}");
    }
    assert!(!format!("{headers:?}{cookies:?}").contains("s3cret"), "{headers:?}");
    assert!(headers.contains_key(SET_COOKIE) && headers["x-page"] == "1");
    // Another host of the site cannot put a session of its own in the place.
    set(
        &cookies,
        "https://www.example.org/",
        &["id=of-another; Domain=example.org; Path=/"],
    );
    assert_eq!(sent(&cookies, "https://example.org/a"), "id=s3cret-session");
    assert_eq!(sent(&cookies, "https://www.example.org/"), "id=of-another");
}

#[test]
fn without_fetch_cookies_only_the_sites_of_the_operator_have_cookies() {
    let cookies = with_login(false, "example.com\tFALSE\t/\tFALSE\t0\tid\ts3cret-session\n");
    let visitor = set(&cookies, "https://example.net/", &["visit=s3cret-visitor"]);
    let user = set(&cookies, "https://example.com/", &["more=1"]);
    assert_eq!(sent(&cookies, "https://example.net/"), "");
    let mut of_user: Vec<String> = sent(&cookies, "https://example.com/")
        .split("; ")
        .map(str::to_owned)
        .collect();
    of_user.sort();
    assert_eq!(of_user, ["id=s3cret-session", "more=1"]);
    assert!(
        visitor[SET_COOKIE] == "visit=s3cret-visitor" && user[SET_COOKIE].is_empty() && user["x-session"].is_empty()
    );
    assert!(cookies.are_of_user(&url("http://example.com/")) && !cookies.are_of_user(&url("http://example.net/")));
}

#[test]
fn kept_cookies_come_back_to_the_jars_that_they_came_from() {
    let cookies = with_login(true, "");
    set(
        &cookies,
        "https://example.org/login",
        &["id=s3cret-session; Path=/", "gone=1; Max-Age=0"],
    );
    set(&cookies, "https://www.example.org/", &["visit=1; Path=/; Max-Age=1000"]);
    let text = cookies.to_text();
    let again = with_login(true, "");
    again.restore(&text, SystemTime::now()).unwrap();
    assert_eq!(sent(&again, "https://example.org/a"), "id=s3cret-session");
    assert_eq!(sent(&again, "https://www.example.org/"), "visit=1");
    assert!(!again.are_of_user(&url("https://www.example.org/")));
    let text = text.replace("example.org/login", "example.org/other");
    let other = with_login(false, "");
    other.restore(&text, SystemTime::now()).unwrap();
    assert_eq!(sent(&other, "https://example.org/a"), "");
    assert_eq!(sent(&other, "https://www.example.org/"), "");
}

#[test]
fn of_the_file_and_the_kept_cookies_the_newer_ones_hold() {
    let line = "example.com\tFALSE\t/\tFALSE\t0\tid\t";
    let kept = format!("{line}renewed\n");
    let (earlier, later) = (SystemTime::UNIX_EPOCH, SystemTime::now());
    for (modified, kept_at, expected) in [(earlier, later, "id=renewed"), (later, earlier, "id=exported")] {
        let mut file = CookiesFile::parse(&format!("{line}exported\n")).unwrap();
        file.modified = Some(modified);
        let cookies = Cookies::new(&FetchSettings {
            cookies_file: file,
            ..settings(false)
        });
        cookies.restore(&kept, kept_at).unwrap();
        assert_eq!(sent(&cookies, "https://example.com/"), expected);
    }
}
