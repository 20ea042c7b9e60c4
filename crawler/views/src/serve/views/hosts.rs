//! Hosts: the tables of the report about hosts, rules, and URLs without a page.

use std::sync::Arc;

use askama::Template;

use super::now::Now;
use crate::report::html::{Sections, filters};
use crate::serve::frame::Frame;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;

#[derive(Template)]
#[template(path = "serve/hosts.html")]
struct HostsPage<'a> {
    frame: Frame<'a>,
    /// `None` while no crawl runs.
    now: Option<Now>,
    sections: &'a Sections,
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    Reply::page(&HostsPage {
        frame: site.frame("hosts", Some(&current)),
        now: Now::of(site),
        sections: current.model.sections(),
    })
}
