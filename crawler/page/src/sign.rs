//! Signs of a page that tell a program something, such as that a user is logged in.

use html5ever::local_name;
use http::HeaderMap;
use url::Url;

use crate::extract::{ExtractRule, is_within_line, shows};
use crate::form::{Form, forms};
use crate::on_request;
use crate::parse::{self, Document, NodeRef, Visit};
use crate::words::is_ignorable;

/// A text or an element by which a program recognises a page.
#[derive(Debug, Clone)]
pub struct Sign(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// White space is collapsed.
    Text(String),
    Element(Box<ExtractRule>),
}

impl Sign {
    /// `text:…` is a text that the page has outside of scripts and styles, in the same case; `css:…` is a selector as in
    /// [`ExtractRule::content`] that an element of the page matches.
    ///
    /// # Errors
    /// The text is neither, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(selector) = text.strip_prefix("css:") {
            let mut rule = ExtractRule::new();
            rule.content(selector).map_err(|error| error.to_string())?;
            return Ok(Self(Kind::Element(Box::new(rule))));
        }
        let wanted = text.strip_prefix("text:").map(collapsed);
        match wanted {
            Some(wanted) if !wanted.is_empty() => Ok(Self(Kind::Text(wanted))),
            Some(_) => Err("no text follows text:".into()),
            None => Err("it must say of which kind it is: write \"text:…\" or \"css:…\"".into()),
        }
    }
}

/// What a page shows.
#[derive(Debug)]
pub struct Shown {
    document: Document,
    url: Url,
    text: String,
}

impl Shown {
    /// What the page with this body, these header fields and this URL shows. `None` if the response is not HTML.
    #[must_use]
    pub fn of(bytes: &[u8], headers: &HeaderMap, url: &Url) -> Option<Self> {
        let document = on_request::parse(bytes, headers, url)?;
        let mut text = Text::default();
        let displayed = parse::displayed(&document.html);
        displayed.as_ref().unwrap_or(&document.html).root().walk(&mut text);
        Some(Self {
            text: collapsed(&text.0),
            url: url.clone(),
            document,
        })
    }

    /// Whether the page has the sign.
    #[must_use]
    pub fn has(&self, sign: &Sign) -> bool {
        match &sign.0 {
            Kind::Text(wanted) => self.text.contains(wanted.as_str()),
            Kind::Element(rule) => shows(&self.document, rule),
        }
    }

    /// Its forms, in the order of the page.
    #[must_use]
    pub fn forms(&self) -> Vec<Form> {
        forms(&self.document, &self.url)
    }

    /// The text of its title; empty without a title.
    #[must_use]
    pub fn title(&self) -> String {
        parse::facts(&self.document, &self.url, "").title
    }
}

/// The texts of a page outside of scripts and styles.
#[derive(Default)]
struct Text(String);

impl<'t> Visit<'t> for Text {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        if let Some(text) = node.value().as_text() {
            self.0.push_str(text);
        }
        let element = node.value().as_element();
        !element.is_some_and(|element| {
            matches!(
                element.name.local,
                local_name!("script") | local_name!("style") | local_name!("noscript") | local_name!("template")
            )
        })
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        // Texts of neighbouring blocks are not one word.
        let element = node.value().as_element();
        if element.is_some_and(|element| !is_within_line(node, element)) {
            self.0.push(' ');
        }
    }
}

/// White space collapsed, and without what is not shown within a word.
fn collapsed(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use http::header::CONTENT_TYPE;

    use super::*;

    #[test]
    fn a_page_has_the_signs_that_a_reader_or_a_selector_finds() {
        let html = "<title>Home</title><script>var x = 'Sign out hidden'</script><style>.gone{}</style>\
                    <p>Hello\n  <b>A</b>lice</p><a class='menu out' href=/out>Sign  out</a><div>x</div><div>y</div>\
                    <mark>Ab</mark><u>mel\u{ad}den</u><x-a><template shadowrootmode=open>My page</template>fallback</x-a>";
        let url = Url::parse("https://example.org/").unwrap();
        let page = Shown::of(html.as_bytes(), &HeaderMap::new(), &url).unwrap();
        for (sign, expected) in [
            ("text:Sign out", true),
            ("text: Hello   Alice ", true),
            ("text:sign out", false),
            ("text:hidden", false),
            ("text:gone", false),
            ("text:xy", false),
            ("text:x y", true),
            ("text:Abmelden", true),
            ("text:My page", true),
            ("text:fallback", false),
            ("css:a.out[href='/out']", true),
            ("css:form", false),
        ] {
            assert_eq!(page.has(&Sign::parse(sign).unwrap()), expected, "{sign}");
        }
        assert_eq!(page.title(), "Home");
        let json = HeaderMap::from_iter([(CONTENT_TYPE, "application/json".parse().unwrap())]);
        assert!(Shown::of(b"{}", &json, &url).is_none());
    }

    #[test]
    fn a_sign_must_say_its_kind() {
        for (text, expected) in [
            ("Sign out", "of which kind"),
            ("text: ", "no text"),
            ("css:p >", "not a CSS selector"),
            ("css:", "not a CSS selector"),
        ] {
            let error = Sign::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
