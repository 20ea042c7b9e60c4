//! The forms of a page, as a browser would send them (WHATWG HTML, section 4.10.21.4, "constructing the entry list").

use std::fmt;

use encoding_rs::Encoding;
use html5ever::local_name;
use url::Url;

use crate::parse::{Base, Document, Element, NodeId, NodeRef, live_elements};

/// Most controls of the forms of a page that are read.
const MAX_CONTROLS: usize = 2_000;

/// A form of a page.
#[derive(Clone, PartialEq, Eq)]
pub struct Form {
    /// The URL that the form is sent to.
    pub action: Url,
    /// Whether its fields go into the body of a POST, and not into the URL.
    pub is_post: bool,
    /// The fields that it sends with its first button, in the order of the page.
    pub fields: Vec<FormField>,
    /// The encoding in which it sends them: the first known one of `accept-charset`, else that of the page (section 4.10.21.6, "picking
    /// an encoding for the form").
    pub encoding: &'static Encoding,
}

/// A field of a form.
#[derive(Clone, PartialEq, Eq)]
pub struct FormField {
    /// Its name.
    pub name: String,
    /// Its value on the page.
    pub value: String,
    /// Whether it is a field for a password.
    pub is_password: bool,
    /// Whether readers do not see it.
    pub is_hidden: bool,
    /// Whether the form sends it if nobody changes it.
    pub is_sent: bool,
}

/// Leaves the values out: they may be tokens of a session.
impl fmt::Debug for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        let mut shown = formatter.debug_struct("Form");
        shown.field("action", &self.action.origin().ascii_serialization());
        shown.field("is_post", &self.is_post).field("fields", &names).finish()
    }
}

/// Leaves the value out.
impl fmt::Debug for FormField {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FormField").field(&self.name).finish()
    }
}

impl Form {
    /// Whether it has fields with all these names.
    #[must_use]
    pub fn has_all<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> bool {
        names.all(|name| self.fields.iter().any(|field| field.name == name))
    }
}

/// A form that is being read.
struct Reading<'t> {
    node: NodeRef<'t>,
    element: &'t Element,
    fields: Vec<FormField>,
    /// Its first button, which pressing Enter presses (section 4.10.21.2).
    button: Option<&'t Element>,
}

/// The forms of a page fetched from `page_url`, in the order of the page. A form whose target is no web page is left out.
pub(crate) fn forms(doc: &Document, page_url: &Url) -> Vec<Form> {
    let mut base = None;
    let mut forms: Vec<Reading<'_>> = Vec::new();
    let mut controls = 0;
    for (node, element) in live_elements(&doc.html) {
        match element.name.local {
            local_name!("base") => base = base.or(element.any_attribute("href")),
            local_name!("form") => forms.push(Reading {
                node,
                element,
                fields: Vec::new(),
                button: None,
            }),
            local_name!("input") | local_name!("button") | local_name!("select") | local_name!("textarea") => {
                controls += 1;
                if controls > MAX_CONTROLS {
                    break;
                }
                if let Some(form) = owner(&mut forms, node, element) {
                    form.take(node, element);
                }
            }
            _ => {}
        }
    }
    let base = Base::new(base, page_url, doc.encoding);
    forms
        .into_iter()
        .filter_map(|form| form.read(&base, page_url, doc.encoding))
        .collect()
}

/// The form of a control: the one that it names, the one around it, or the last one before it. Where a page opens a form inside a
/// table, the parser leaves the controls outside of the element, and still counts them to the form (section 13.2.6.1).
fn owner<'f, 't>(forms: &'f mut [Reading<'t>], node: NodeRef<'t>, element: &Element) -> Option<&'f mut Reading<'t>> {
    if let Some(named) = element.any_attribute("form") {
        return forms
            .iter_mut()
            .find(|form| form.element.any_attribute("id") == Some(named));
    }
    let around: Option<NodeId> = node.ancestors().find(|node| is_form(*node)).map(NodeRef::id);
    match around {
        Some(id) => forms.iter_mut().find(|form| form.node.id() == id),
        None => forms.last_mut().filter(|form| form.node.first_child().is_none()),
    }
}

fn is_form(node: NodeRef<'_>) -> bool {
    let element = node.value().as_element();
    element.is_some_and(|element| element.name.local == local_name!("form"))
}

impl<'t> Reading<'t> {
    fn take(&mut self, node: NodeRef<'t>, element: &'t Element) {
        if element.any_attribute("disabled").is_some() {
            return;
        }
        let kind = element.any_attribute("type").unwrap_or_default().to_ascii_lowercase();
        let tag = &element.name.local;
        let is_button = match *tag {
            local_name!("button") => matches!(kind.as_str(), "" | "submit"),
            local_name!("input") => matches!(kind.as_str(), "submit" | "image"),
            _ => false,
        };
        if is_button {
            self.button = self.button.or(Some(element));
            return;
        }
        if *tag == local_name!("button")
            || *tag == local_name!("input") && matches!(kind.as_str(), "reset" | "button" | "file")
        {
            return;
        }
        let Some(name) = element.any_attribute("name").filter(|name| !name.is_empty()) else {
            return;
        };
        let is_choice = *tag == local_name!("input") && matches!(kind.as_str(), "checkbox" | "radio");
        let of_page = match *tag {
            local_name!("textarea") => text_of(node),
            local_name!("select") => chosen(node),
            _ if is_choice => element.any_attribute("value").unwrap_or("on").to_owned(),
            _ => element.any_attribute("value").unwrap_or_default().to_owned(),
        };
        self.fields.push(FormField {
            name: name.to_owned(),
            value: of_page,
            is_password: kind == "password",
            is_hidden: kind == "hidden",
            is_sent: !is_choice || element.any_attribute("checked").is_some(),
        });
    }

    fn read(mut self, base: &Base, page_url: &Url, of_page: &'static Encoding) -> Option<Form> {
        let of_button = |name| self.button.and_then(|button| button.any_attribute(name));
        let action = of_button("formaction").or(self.element.any_attribute("action"));
        let method = of_button("formmethod").or(self.element.any_attribute("method"));
        let mut action = match action.map(str::trim).filter(|action| !action.is_empty()) {
            Some(action) => base.join(action)?,
            None => page_url.clone(),
        };
        action.set_fragment(None);
        if !matches!(action.scheme(), "http" | "https") {
            return None;
        }
        let is_image = of_button("type").is_some_and(|kind| kind.eq_ignore_ascii_case("image"));
        if let Some(name) = of_button("name").filter(|name| !name.is_empty() && !is_image) {
            self.fields.push(FormField {
                name: name.to_owned(),
                value: of_button("value").unwrap_or_default().to_owned(),
                is_password: false,
                is_hidden: false,
                is_sent: true,
            });
        }
        let accepted = self.element.any_attribute("accept-charset").unwrap_or_default();
        let mut accepted = accepted.split_ascii_whitespace();
        let named = accepted.find_map(|label| Encoding::for_label(label.as_bytes()));
        let encoding = named.unwrap_or(of_page).output_encoding();
        // Its value tells the server the encoding.
        let charsets = self
            .fields
            .iter_mut()
            .filter(|field| field.name.eq_ignore_ascii_case("_charset_") && field.is_hidden);
        charsets.for_each(|field| field.value = encoding.name().to_owned());
        Some(Form {
            action,
            encoding,
            is_post: method.is_some_and(|method| method.trim().eq_ignore_ascii_case("post")),
            fields: self.fields,
        })
    }
}

/// The value of the option that is selected, or of the first one.
fn chosen(select: NodeRef<'_>) -> String {
    let options: Vec<(NodeRef<'_>, &Element)> = select
        .descendants()
        .filter_map(|node| Some((node, node.value().as_element()?)))
        .filter(|(_, element)| element.name.local == local_name!("option"))
        .collect();
    let selected = options
        .iter()
        .rev()
        .find(|(_, option)| option.any_attribute("selected").is_some());
    let option = selected.or(options.first());
    option.map_or_else(String::new, |(node, option)| match option.any_attribute("value") {
        Some(value) => value.to_owned(),
        None => text_of(*node).trim().to_owned(),
    })
}

fn text_of(node: NodeRef<'_>) -> String {
    node.descendants().filter_map(|node| node.value().as_text()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Attributes, parse};

    fn read(html: &str) -> Vec<Form> {
        let url = Url::parse("https://example.org/account/login?next=/").unwrap();
        forms(&parse(html, Attributes::All), &url)
    }

    fn sent(form: &Form) -> String {
        let fields = form.fields.iter().filter(|field| field.is_sent);
        let pairs: Vec<String> = fields.map(|field| format!("{}={}", field.name, field.value)).collect();
        pairs.join("&")
    }

    #[test]
    fn a_form_sends_what_a_browser_would_send() {
        let [search, login] = &read(
            "<form action=/search><input name=q></form>\
             <form method=POST action=do><input type=hidden name=csrf value='a&amp;b'><input name=user value=x>\
             <input TYPE=Password name=pw><input type=checkbox name=stay checked><input type=radio name=r value=1>\
             <input type=radio name=r value=2 checked><input name=off disabled><input type=file name=f>\
             <select name=lang><option value=en>English<option selected> German </select>\
             <textarea name=note>hi</textarea><input value=nameless><button type=button name=b>x</button>\
             <button name=go value=in>Log in</button><input type=submit name=second></form>",
        )[..] else {
            panic!("two forms")
        };
        assert!(!search.is_post && search.action.as_str() == "https://example.org/search");
        assert!(login.is_post && login.action.as_str() == "https://example.org/account/do");
        assert_eq!(sent(login), "csrf=a&b&user=x&pw=&stay=on&r=2&lang=German&note=hi&go=in");
        assert!(login.has_all(["user", "pw"].into_iter()) && !login.has_all(["user", "off"].into_iter()));
        let passwords: Vec<_> = login.fields.iter().filter(|field| field.is_password).collect();
        assert!(passwords.len() == 1 && passwords[0].name == "pw");
        assert!(!format!("{login:?}").contains("a&b"));
    }

    #[test]
    fn the_target_is_that_of_the_button_of_the_base_or_of_the_page() {
        let action = |html: &str| read(html).first().map(|form| form.action.to_string());
        let expect = |html: &str, expected: &str| assert_eq!(action(html).as_deref(), Some(expected), "{html}");
        expect(
            "<form method=post><input name=a></form>",
            "https://example.org/account/login?next=/",
        );
        expect(
            "<form action='#top'></form>",
            "https://example.org/account/login?next=/",
        );
        expect(
            "<base href=//evil.example/><form action=do></form>",
            "https://evil.example/do",
        );
        expect(
            "<form action=a><button formaction=//evil.example/b formmethod=post></form>",
            "https://evil.example/b",
        );
        assert!(read("<form action=a><button formmethod=post></form>")[0].is_post);
        assert_eq!(action("<form action=javascript:go()></form>"), None);
        assert_eq!(action("<p>no form"), None);
    }

    #[test]
    fn a_form_has_the_encoding_that_it_accepts_or_that_of_its_page() {
        let url = Url::parse("https://example.org/").unwrap();
        for (accepted, of_page, expected) in [
            ("", encoding_rs::GBK, "GBK"),
            ("accept-charset='utf-8'", encoding_rs::GBK, "UTF-8"),
            ("accept-charset='UNKNOWN big5 utf-8'", encoding_rs::GBK, "Big5"),
            ("accept-charset=x", encoding_rs::UTF_16LE, "UTF-8"),
        ] {
            let html = format!(
                "<form {accepted} action='?中'><input type=hidden name=_charset_><input name=_charset_></form>"
            );
            let form = &forms(&parse(&html, Attributes::All).decoded_from(of_page), &url)[0];
            assert_eq!(form.encoding.name(), expected, "{accepted}");
            assert_eq!(sent(form), format!("_charset_={expected}&_charset_="), "{accepted}");
            let query = if of_page == encoding_rs::GBK {
                "%D6%D0"
            } else {
                "%E4%B8%AD"
            };
            assert_eq!(form.action.query(), Some(query), "{accepted}");
        }
    }

    #[test]
    fn controls_outside_of_the_element_count_to_their_form() {
        let forms = read(
            "<table><form id=t method=post><tr><td><input name=user><td><input name=pw type=password></form></table>\
             <form id=n><input name=inside></form><input name=stray><input name=named form=t>",
        );
        assert_eq!(sent(&forms[0]), "user=&pw=&named=");
        assert_eq!(sent(&forms[1]), "inside=");
    }
}
