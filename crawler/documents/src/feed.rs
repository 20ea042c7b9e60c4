//! RSS (0.9x, 1.0, 2.0) and Atom (RFC 4287): the entries, as HTML.

use crate::xml::{HtmlWriter, Token, Tokens, attribute, local_name, push_escaped};
use crate::{Content, Document, Fault};

/// Most entries of a feed.
const MAX_ENTRIES: usize = 10_000;

/// An entry, as HTML.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: Option<String>,
    summary: String,
    content: String,
}

impl Entry {
    /// The full text of the entry if it is there; else its summary.
    fn html(&self) -> String {
        let mut html = String::from("<article><h2>");
        match &self.link {
            Some(link) => {
                html.push_str("<a href=\"");
                push_escaped(&mut html, link);
                html.push_str("\">");
                html.push_str(&self.title);
                html.push_str("</a>");
            }
            None => html.push_str(&self.title),
        }
        html.push_str("</h2><div>");
        html.push_str(if self.content.is_empty() {
            &self.summary
        } else {
            &self.content
        });
        html.push_str("</div></article>");
        html
    }
}

/// Reads a feed.
///
/// # Errors
/// The root is not that of a feed, or the text is not XML before its first entry.
pub(crate) fn read(text: &str) -> Result<Document, Fault> {
    let mut feed = Feed::default();
    let mut tokens = Tokens::new(text);
    loop {
        match feed.step(&mut tokens) {
            Ok(true) => {}
            Ok(false) => break,
            // The entries before the fault are whole.
            Err(fault) if feed.entries.is_empty() => return Err(fault),
            Err(_) => break,
        }
    }
    if !feed.is_feed {
        return Err(Fault::Broken("it is no feed".into()));
    }
    Ok(Document {
        title: feed
            .title
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(300)
            .collect(),
        language: feed.language,
        content: Content::Html(feed.entries),
        links: Vec::new(),
        pages: None,
    })
}

#[derive(Debug, Default)]
struct Feed {
    is_feed: bool,
    title: String,
    language: Option<String>,
    entries: Vec<String>,
    /// The entry that is being read.
    entry: Option<Entry>,
    /// Open elements around the entry.
    around: usize,
    depth: usize,
}

impl Feed {
    /// Reads on. Returns `false` at the end.
    fn step(&mut self, tokens: &mut Tokens<'_>) -> Result<bool, Fault> {
        let Some(token) = tokens.next()? else { return Ok(false) };
        match token {
            Token::Open(start) => {
                let name = local_name(&start);
                self.depth += 1;
                if self.depth == 1 {
                    self.is_feed = matches!(name.as_str(), "rss" | "feed" | "RDF");
                    self.language = attribute(&start, "lang");
                }
                let is_media = start
                    .name()
                    .prefix()
                    .is_some_and(|prefix| matches!(prefix.as_ref(), "media" | "itunes"));
                match (&mut self.entry, name.as_str()) {
                    (_, _) if is_media => {}
                    (None, "item" | "entry") => (self.entry, self.around) = (Some(Entry::default()), self.depth - 1),
                    (None, "title") if self.title.is_empty() => {
                        self.depth -= 1;
                        self.title = plain(tokens)?;
                    }
                    (None, "language") => {
                        self.depth -= 1;
                        self.language = Some(plain(tokens)?).filter(|language| language.len() <= 64);
                    }
                    (Some(entry), "link") => {
                        let is_alternate = attribute(&start, "rel").is_none_or(|rel| rel == "alternate");
                        match attribute(&start, "href") {
                            Some(href) if is_alternate && entry.link.is_none() => entry.link = Some(href),
                            Some(_) => {}
                            None => {
                                self.depth -= 1;
                                entry.link = Some(plain(tokens)?);
                            }
                        }
                    }
                    (Some(entry), "title") if entry.title.is_empty() => {
                        self.depth -= 1;
                        entry.title = markup(tokens, attribute(&start, "type").as_deref())?;
                    }
                    (Some(entry), "encoded" | "content") => {
                        self.depth -= 1;
                        entry.content = markup(tokens, attribute(&start, "type").as_deref())?;
                    }
                    (Some(entry), "description" | "summary") => {
                        self.depth -= 1;
                        entry.summary = markup(tokens, attribute(&start, "type").as_deref())?;
                    }
                    _ => {}
                }
            }
            Token::Close => {
                self.depth = self.depth.saturating_sub(1);
                let ended = self.entry.take_if(|_| self.depth == self.around);
                self.entries.extend(ended.map(|entry| entry.html()));
            }
            Token::Text(_) | Token::Entity(_) => {}
        }
        Ok(self.entries.len() < MAX_ENTRIES)
    }
}

/// The text up to the end of the element, without markup.
fn plain(tokens: &mut Tokens<'_>) -> Result<String, Fault> {
    let mut text = String::new();
    let mut depth = 1;
    while depth > 0 {
        match tokens.next()? {
            Some(Token::Open(_)) => depth += 1,
            Some(Token::Close) => depth -= 1,
            Some(Token::Text(piece)) => text.push_str(&piece),
            Some(Token::Entity(_)) => text.push(' '),
            None => break,
        }
    }
    Ok(text.trim().to_owned())
}

/// The content of the element as HTML. RSS, and Atom of type `html`, have HTML as text; Atom of type `xhtml` has elements, and of type
/// `text`, which is the default there, plain text.
fn markup(tokens: &mut Tokens<'_>, kind: Option<&str>) -> Result<String, Fault> {
    let mut writer = HtmlWriter::default();
    let mut html = String::new();
    while let Some(token) = tokens.next()? {
        match &token {
            Token::Close if writer.depth() == 0 => break,
            Token::Text(text) if writer.depth() == 0 && kind != Some("text") => {
                html.push_str(&writer.html);
                writer.html.clear();
                html.push_str(text);
            }
            token => writer.write(token),
        }
    }
    html.push_str(&writer.html);
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, Vec<String>) {
        let document = read(text).unwrap();
        let Content::Html(parts) = document.content else {
            panic!("no HTML")
        };
        (document.title, parts)
    }

    #[test]
    fn entries_of_rss_have_their_full_text_or_their_summary() {
        let (title, parts) = parts(
            "<?xml version='1.0'?><rss version='2.0'><channel><title>News &amp; more</title><link>http://a.example/</link>\
             <item><title>One</title><link>http://a.example/1</link><description>short</description>\
             <content:encoded><![CDATA[<p>The <b>whole</b> text</p>]]></content:encoded></item>\
             <item><title>Two</title><description>&lt;p&gt;only this&lt;/p&gt;</description></item></channel></rss>",
        );
        assert_eq!(title, "News & more");
        assert_eq!(
            parts,
            [
                "<article><h2><a href=\"http://a.example/1\">One</a></h2><div><p>The <b>whole</b> text</p></div></article>",
                "<article><h2>Two</h2><div><p>only this</p></div></article>",
            ]
        );
    }

    #[test]
    fn entries_of_atom_have_text_html_or_xhtml() {
        let (title, parts) = parts(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>Blog</title>\
             <entry><title type='text'>a &lt; b</title><link rel='self' href='x'/><link href='/1'/>\
             <content type='xhtml'><div><p>One<br/>two</p></div></content></entry>\
             <entry><title>B</title><summary type='html'>&lt;i&gt;s&lt;/i&gt;</summary></entry></feed>",
        );
        assert_eq!(title, "Blog");
        assert_eq!(
            parts,
            [
                "<article><h2><a href=\"/1\">a &lt; b</a></h2><div><div><p>One<br>two</p></div></div></article>",
                "<article><h2>B</h2><div><i>s</i></div></article>",
            ]
        );
    }

    #[test]
    fn a_feed_that_breaks_off_has_the_entries_before() {
        let (_, parts) = parts("<rss><channel><item><title>One</title></item><item><title>Two</tit");
        assert_eq!(parts.len(), 1);
        assert!(read("<rss><channel").is_err());
        assert!(read("<urlset></urlset>").is_err());
    }
}
