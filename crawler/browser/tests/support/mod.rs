//! A site in memory, and a renderer.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use browser::{Document, RenderError, Rendered, Renderer, Request, Resource, Resources, Settings, Unanswered};
use url::Url;

/// The URL of the page.
pub const PAGE: &str = "http://site.test/";

/// Status, header fields and body.
type File = (u16, Vec<(String, String)>, String);

/// Answers from memory, and notes what is asked. It makes no request.
#[derive(Debug, Default)]
pub struct Site {
    files: HashMap<String, File>,
    asked: Mutex<Vec<String>>,
}

impl Site {
    pub fn file(mut self, url: &str, content_type: &str, body: &str) -> Self {
        let headers = vec![
            ("content-type".to_owned(), content_type.to_owned()),
            ("access-control-allow-origin".to_owned(), "*".to_owned()),
        ];
        self.files.insert(url.to_owned(), (200, headers, body.to_owned()));
        self
    }

    pub fn redirect(mut self, url: &str, to: &str) -> Self {
        let headers = vec![("location".to_owned(), to.to_owned())];
        self.files.insert(url.to_owned(), (302, headers, String::new()));
        self
    }

    /// The URLs that were asked for, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resources for Site {
    async fn get(&self, request: Request) -> Result<Resource, Unanswered> {
        let url = request.url.to_string();
        let found = self.files.get(&url).cloned();
        self.asked.lock().unwrap().push(url);
        let (status, headers, body) = found.ok_or(Unanswered::Never)?;
        Ok(Resource {
            status,
            headers,
            body: body.into(),
            waited: Duration::ZERO,
            is_cached: false,
        })
    }
}

/// A document at [`PAGE`].
pub fn document(html: &str) -> Document {
    Document {
        url: Url::parse(PAGE).unwrap(),
        status: 200,
        headers: vec![("content-type".into(), "text/html; charset=utf-8".into())],
        body: html.to_owned().into(),
    }
}

pub fn settings() -> Settings {
    let program = browser::find().expect("these tests need Chromium: apt-get install chromium");
    Settings {
        timeout: Duration::from_secs(15),
        ..Settings::new(program)
    }
}

/// Renders `html` on `site`.
pub async fn render(renderer: &Renderer, html: &str, site: &Arc<Site>) -> Result<Rendered, RenderError> {
    renderer.render(&document(html), None, site.clone()).await
}
