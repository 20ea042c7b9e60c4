//! Which source is believed before which, for each field. The table in the documentation of [`super`] gives the reasons.

use super::claims::Source::{
    self, Class, DublinCore, Highwire, JsonLd, Link, Meta, Microdata, OpenGraph, Parsely, Rdfa, Root, Sailthru, Text,
    Time, TwitterCard, Url,
};

/// The declared titles. A heading that one of them repeats comes before, the others after.
pub(super) const TITLE: &[Source] = &[
    OpenGraph,
    JsonLd,
    Highwire,
    Parsely,
    Sailthru,
    Microdata,
    Rdfa,
    TwitterCard,
    DublinCore,
    Meta,
];

/// Authors.
pub(super) const AUTHOR: &[Source] = &[
    JsonLd,
    Highwire,
    Parsely,
    Sailthru,
    Microdata,
    Rdfa,
    Link,
    Class,
    Meta,
    DublinCore,
    OpenGraph,
    TwitterCard,
    Text,
];

/// Days of publication.
pub(super) const PUBLISHED: &[Source] = &[
    JsonLd, OpenGraph, Microdata, Parsely, Sailthru, Highwire, Rdfa, DublinCore, Meta, Url, Time, Class, Text,
];

/// Days of change.
pub(super) const MODIFIED: &[Source] = &[JsonLd, OpenGraph, Microdata, Rdfa, DublinCore, Meta, Class, Text];

/// Descriptions.
pub(super) const DESCRIPTION: &[Source] = &[
    Meta,
    OpenGraph,
    JsonLd,
    TwitterCard,
    DublinCore,
    Sailthru,
    Microdata,
    Rdfa,
];

/// Names of the site.
pub(super) const SITE_NAME: &[Source] = &[OpenGraph, JsonLd, Meta, Microdata, Rdfa, Highwire, DublinCore];

/// Languages.
pub(super) const LANGUAGE: &[Source] = &[Root, Meta, JsonLd, DublinCore, OpenGraph];

/// Tags. All of one source are taken.
pub(super) const TAGS: &[Source] = &[
    OpenGraph, Parsely, JsonLd, Sailthru, Meta, Link, Microdata, Rdfa, DublinCore,
];

/// Sections of the site.
pub(super) const SECTION: &[Source] = &[OpenGraph, JsonLd, Parsely, Microdata, Meta, Link];

/// Licences.
pub(super) const LICENCE: &[Source] = &[Link, JsonLd, Microdata, Rdfa, DublinCore, Meta, Text];

/// Main images.
pub(super) const IMAGE: &[Source] = &[OpenGraph, JsonLd, TwitterCard, Parsely, Sailthru, Microdata, Link, Meta];

/// Types of the page.
pub(super) const TYPE: &[Source] = &[JsonLd, OpenGraph, Microdata, DublinCore];
