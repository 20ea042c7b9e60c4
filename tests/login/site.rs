//! A site for members: a form with a token, sessions that lapse, and pages that only members see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use url::form_urlencoded;

use crate::support::page::{html, words};
use crate::support::site::{Answer, Asked, Site};

pub const USER: &str = "reader@example.org";

/// Every way of writing it differs from it.
pub const PASSWORD: &str = "pä55 wörd+&<s3cret>\"%41";

pub const PASSWORD_VARIABLE: &str = "CLUB_PASSWORD";

/// Pages that only members see, `/1`, `/2`, ….
const PAGES: u64 = 16;

#[derive(Default)]
struct Door {
    /// Tokens of forms by the visit that got them.
    tokens: HashMap<String, String>,
    /// Requests that each session has left.
    sessions: HashMap<String, u64>,
    /// Every token and session so far.
    secrets: Vec<String>,
    posts: usize,
    refusals: usize,
    logins: usize,
}

struct Rules {
    /// Requests of a session.
    life: u64,
    /// The target of the form.
    action: String,
    method: &'static str,
    /// Status and target of the answer to the form, in place of a session.
    sends_on: Option<(u16, String)>,
    has_logout: bool,
    /// Whether scripts draw the articles, from data that only members get.
    is_drawn: bool,
}

/// The site, and what happened at its door.
pub struct Club {
    pub site: Site,
    door: Arc<Mutex<Door>>,
    rules: Arc<Mutex<Rules>>,
}

impl Club {
    pub fn new() -> Self {
        let door: Arc<Mutex<Door>> = Arc::default();
        let rules = Arc::new(Mutex::new(Rules {
            life: u64::MAX,
            action: "/login".to_owned(),
            method: "post",
            sends_on: None,
            has_logout: false,
            is_drawn: false,
        }));
        let (at_door, by_rules) = (door.clone(), rules.clone());
        Self {
            site: Site::scripted(move |asked| answer(asked, &mut at_door.lock().unwrap(), &by_rules.lock().unwrap())),
            door,
            rules,
        }
    }

    fn with(self, change: impl FnOnce(&mut Rules)) -> Self {
        change(&mut self.rules.lock().unwrap());
        self
    }

    /// A session ends after so many requests.
    pub fn lapsing_after(self, life: u64) -> Self {
        self.with(|rules| rules.life = life)
    }

    pub fn with_action(self, action: &str) -> Self {
        self.with(|rules| rules.action = action.to_owned())
    }

    pub fn with_method(self, method: &'static str) -> Self {
        self.with(|rules| rules.method = method)
    }

    pub fn sending_on(self, status: u16, to: &str) -> Self {
        self.with(|rules| rules.sends_on = Some((status, to.to_owned())))
    }

    pub fn with_logout(self) -> Self {
        self.with(|rules| rules.has_logout = true)
    }

    pub fn drawn_by_scripts(self) -> Self {
        self.with(|rules| rules.is_drawn = true)
    }

    pub fn posts(&self) -> usize {
        self.door.lock().unwrap().posts
    }

    /// Forms with a wrong password or token.
    pub fn refusals(&self) -> usize {
        self.door.lock().unwrap().refusals
    }

    pub fn logins(&self) -> usize {
        self.door.lock().unwrap().logins
    }

    /// What only the site and the user may know.
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets = self.door.lock().unwrap().secrets.clone();
        secrets.push(PASSWORD.to_owned());
        secrets
    }

    /// What becomes of its pages.
    pub fn kept(&self) -> Vec<(&'static str, &'static str)> {
        const PATHS: [&str; PAGES as usize] = [
            "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9", "/10", "/11", "/12", "/13", "/14", "/15", "/16",
        ];
        let pages = PATHS.iter().map(|path| (*path, "kept"));
        pages.chain([("/", "kept")]).collect()
    }
}

fn answer(asked: &Asked, door: &mut Door, rules: &Rules) -> Answer {
    let path = asked.path.split('?').next().unwrap_or_default();
    match (asked.method.as_str(), path) {
        // Most sites forbid crawlers the form; the operator's account is not theirs to forbid.
        (_, "/robots.txt") => Answer::text("User-agent: *\nDisallow: /login\n"),
        ("POST", "/login") => door.form(asked, rules),
        (_, "/login") => match door.session_of(asked) {
            Some(_) => member_page("Your account", 900, &[]),
            None => door.page_with_form("Log in", rules),
        },
        (_, "/logout") if rules.has_logout => {
            if let Some(session) = door.session_of(asked) {
                door.sessions.remove(&session);
            }
            to_form()
        }
        (_, path) => match door.session_of(asked) {
            Some(session) => {
                if let Some(left) = door.sessions.get_mut(&session) {
                    *left -= 1;
                }
                let shown = page(path, rules);
                // Some servers send the session again and again, in more than one field.
                shown
                    .with("set-cookie", &format!("sid={session}; Path=/; HttpOnly"))
                    .with("x-session", &session)
            }
            None => to_form(),
        },
    }
}

fn to_form() -> Answer {
    Answer::status(302).with("location", "/login?next=/")
}

fn page(path: &str, rules: &Rules) -> Answer {
    if path == "/" {
        let mut links: Vec<String> = (1..=PAGES).map(|number| format!("/{number}")).collect();
        if rules.has_logout {
            links.insert(3, "/logout".to_owned());
        }
        return member_page("Members", 800, &links);
    }
    if let Some(number) = path.strip_prefix("/data/") {
        return Answer::text(words(number.parse().unwrap_or(700), 150));
    }
    let number = path[1..].parse().unwrap_or(700);
    if rules.is_drawn {
        let script = format!(
            "<p class=user>Sign <b>out</b></p><main></main><script>fetch('/data/{number}').then(answer => answer.text()).then(text => {{ \
             document.querySelector('main').innerHTML = `<p>${{text}}</p>` }})</script>"
        );
        return Answer::html(format!("<!doctype html><title>Article {number}</title><body>{script}"));
    }
    member_page(&format!("Article {number}"), number, &[])
}

fn member_page(title: &str, seed: u64, links: &[String]) -> Answer {
    let page = html(title, &words(seed, 150), links);
    Answer::html(page.replace("<main>", "<p class=user>Sign <b>out</b></p><main>"))
}

impl Door {
    fn secret(&mut self, kind: &str) -> String {
        let secret = format!(
            "{kind}-{}-{}",
            self.secrets.len(),
            words(self.secrets.len() as u64, 3).replace(' ', "Z")
        );
        self.secrets.push(secret.clone());
        secret
    }

    fn page_with_form(&mut self, title: &str, rules: &Rules) -> Answer {
        let (visit, token) = (self.secret("visit"), self.secret("token"));
        self.tokens.insert(visit.clone(), token.clone());
        let (action, method) = (&rules.action, rules.method);
        Answer::html(format!(
            "<!doctype html><title>{title}</title><p>Only for members.<form method={method} action=\"{action}\">\
             <input type=hidden name=csrf value='{token}'><input name=user><input type=password name=password>\
             <button name=go value=in>Log in</button></form>"
        ))
        .with("set-cookie", &format!("visit={visit}; Path=/login; HttpOnly"))
    }

    fn form(&mut self, asked: &Asked, rules: &Rules) -> Answer {
        self.posts += 1;
        if let Some((status, to)) = &rules.sends_on {
            return Answer::status(*status).with("location", to);
        }
        let fields: HashMap<String, String> = form_urlencoded::parse(asked.body.as_bytes()).into_owned().collect();
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        let visit = cookie(asked, "visit").unwrap_or_default();
        let has_token = self.tokens.remove(&visit).is_some_and(|token| token == field("csrf"));
        let is_member = field("user") == USER && field("password") == PASSWORD && field("go") == "in";
        if !has_token || !is_member {
            self.refusals += 1;
            return self.page_with_form("Wrong name or password", rules);
        }
        self.logins += 1;
        let session = self.secret("session");
        self.sessions.insert(session.clone(), rules.life);
        Answer::status(303)
            .with("location", "/login?welcome")
            .with("set-cookie", &format!("sid={session}; Path=/; HttpOnly"))
    }

    /// The session of the request, if it is one that has not lapsed.
    fn session_of(&self, asked: &Asked) -> Option<String> {
        let session = cookie(asked, "sid")?;
        self.sessions
            .get(&session)
            .is_some_and(|left| *left > 0)
            .then_some(session)
    }
}

fn cookie(asked: &Asked, name: &str) -> Option<String> {
    let cookies = asked.headers.get("cookie")?.to_str().unwrap();
    let mut pairs = cookies.split("; ").filter_map(|pair| pair.split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
}
